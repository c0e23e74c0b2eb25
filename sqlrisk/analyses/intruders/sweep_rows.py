"""Read the numbers of a sweep from the engine: rows by subset of keys, by subset size, and by
key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pyarrow as pa

from sqlrisk.analyses import result_rows
from sqlrisk.analyses.intruders.sweep_request import Sweeping
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError
from sqlrisk.plan import result_queries
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Layout

SIDES = ("numerator", "denominator", "value")
# summary -> (column of the query, aggregate)
_AGGREGATES = {"mean": ("mean", "AVG"), "min": ("least", "MIN"), "max": ("most", "MAX")}


@dataclass(frozen=True)
class Head:
    """One number that is computed for every subset of at least ``least_keys`` keys: a measure at a
    point, for a target, comparison and population, weighted or not.

    Attributes:
        tally: the position, from 1, of this pair of measure and point.
        target: the number of the target, 0 for none.
        comparison: the number of the comparison, or of an `Extreme`.
        population: the number of the population.
        word: mean, min or max if the number is a summary over syntheses, otherwise "".
        named: the descriptive columns of the result row, with the users' names.
    """

    measure: Measure
    tally: int
    target: int
    comparison: int
    population: int
    word: str
    named: Mapping[str, Any]

    @property
    def empty(self) -> bool:
        """True if numerator and denominator are sums, which are 0 for a population of nobody."""
        return (
            not self.word
            and self.measure.stage != "results"
            and "value" not in self.measure.aggregates
        )

    @property
    def least_keys(self) -> int:
        """The smallest number of keys for which the number exists. Radius r needs at least r keys,
        because records cannot differ in more keys than the subset has.
        """
        return int(self.named["at"] or 0) if self.measure.at_setting == "radii" else 0

    def whole(self, side: str) -> bool:
        """Return True if a column (``numerator``, ``denominator`` or ``value``) holds whole
        numbers.
        """
        return not (self.word or self.named["weighted"]) and side in self.measure.kind.whole


@dataclass(frozen=True)
class Extreme:
    """A mean, minimum or maximum over the syntheses of one method.

    Attributes:
        comparison: a number after those of the comparisons, to identify the summary.
        word: mean, min or max.
        label: the label in results, such as ``cart mean``.
        people: the file of people.
        singles: the numbers of the comparisons that are summarized.
        query: the query of the summaries.
        column: the column of ``query`` that holds the values.
        aggregate: the SQL aggregate of this summary, such as AVG.
    """

    comparison: int
    word: str
    label: str
    people: File
    singles: tuple[int, ...]
    query: str
    column: str
    aggregate: str


def extremes_of(layout: Layout) -> list[Extreme]:
    """List mean, minimum and maximum over the syntheses of each method that has several."""
    found: list[Extreme] = []
    for people, method in product(layout.people_files, result_rows.methods_of_several(layout)):
        of_method = [
            each
            for each in layout.comparisons
            if each.single and each.method == method and each.people == people
        ]
        singles = tuple(each.number for each in of_method)
        query = result_queries.summary(layout, method, people)
        for word in result_rows.SUMMARIES:
            number = len(layout.comparisons) + len(found) + 1
            found.append(
                Extreme(
                    number,
                    word,
                    f"{method} {word}".strip(),
                    people,
                    singles,
                    query,
                    *_AGGREGATES[word],
                )
            )
    return found


def heads_of(
    asked: Sweeping, layout: Layout, extremes: Sequence[Extreme], populations: Mapping[int, str]
) -> list[Head]:
    """Return a head for each number of a subset, in the order of results. Raises InputError if
    there is none: no measure can be computed for the populations.
    """
    numbers = {(each.label, each.people.number): (each.number, "") for each in layout.comparisons}
    numbers |= {(each.label, each.people.number): (each.comparison, each.word) for each in extremes}
    heads: list[Head] = []
    tallied = [(measure, at) for measure in asked.measures for at in measure.points]
    for tally, (measure, at) in enumerate(tallied, start=1):
        counted = result_rows.counted_people(asked.question, measure, layout, populations)
        for target, label in product(
            layout.targets_of(measure.stage), result_rows.synthesis_labels(layout)
        ):
            for population, people, weighted in counted:
                # Control is not compared with the reference.
                if (label, people.number) not in numbers:
                    continue
                named = {
                    "measure": measure.name,
                    "family": measure.family,
                    "at": at,
                    "target": None if target is None else target.name,
                    "synthesis": label,
                    "population": populations[population],
                    "people": "control" if people.control else "original",
                    "weighted": weighted,
                }
                place = 0 if target is None else target.number
                comparison, word = numbers[label, people.number]
                heads.append(Head(measure, tally, place, comparison, population, word, named))
    if not heads:
        names = ", ".join(measure.name for measure in asked.measures)
        raise InputError(f"populations: {names} cannot be computed for populations; add `all`.")
    return heads


def load_names(
    session: Session, heads: Sequence[Head], subsets: Sequence[Sequence[Column]], *, written: bool
) -> None:
    """Load the tables ``sweep_heads`` (a row per `Head`), ``sweep_subsets`` (per subset) and
    ``sweep_steps`` (per pair of subsets that differ in one key).

    Names are loaded as data, so they are never part of SQL text. If rows are ``written``, the table
    of subsets has lists of key names. Only DuckDB writes rows, and some other databases have no
    lists.
    """
    frame = pa.Table.from_pylist(
        [
            {
                "head": number,
                "tally": head.tally,
                "target_number": head.target,
                "comparison": head.comparison,
                "population_number": head.population,
                "weighted_number": int(head.named["weighted"]),
                "least_keys": head.least_keys,
                "empty_sum": 0.0 if head.empty else None,
                "unit": head.measure.unit,
                **head.named,
                "point": head.named["at"],
            }
            for number, head in enumerate(heads, start=1)
        ]
    ).drop_columns("at")
    for name, kind in (
        ("point", pa.float64()),
        ("target", pa.string()),
        ("empty_sum", pa.float64()),
    ):
        frame = frame.set_column(frame.column_names.index(name), name, frame[name].cast(kind))
    places = {tuple(chosen): number for number, chosen in enumerate(subsets, start=1)}
    sets = pa.Table.from_pylist(
        [
            {
                "subset": number,
                "key_length": len(chosen),
                **({"keys": [key.name for key in chosen]} if written else {}),
            }
            for chosen, number in places.items()
        ]
    )
    found = [
        (key.number, number, smaller)
        for chosen, number in places.items()
        for key in chosen
        if (smaller := places.get(tuple(each for each in chosen if each is not key))) is not None
    ]
    names = ("key_number", "subset", "without_key")
    between = pa.table(
        {
            name: pa.array([each[place] for each in found], pa.int64())
            for place, name in enumerate(names)
        }
    )
    for name, loaded in (("sweep_heads", frame), ("sweep_subsets", sets), ("sweep_steps", between)):
        session.load(name, loaded, "the sweep")


def subset_rows(
    heads: Sequence[Head], subsets: Sequence[Sequence[Column]], session: Session
) -> list[dict[str, object]]:
    """Read a row per subset and head, with the users' names."""
    query = (
        "SELECT subset, head, numerator, denominator, value, nonmatches FROM sweep_results "
        "ORDER BY subset, head"
    )
    rows: list[dict[str, object]] = []
    keys = [[key.name for key in chosen] for chosen in subsets]
    for subset, number, *numbers, nonmatches in session.fetch(query):
        head, names = heads[int(number) - 1], keys[int(subset) - 1]
        rows.append(
            {
                **head.named,
                "key_length": len(names),
                "keys": names,
                **{
                    side: _whole(number, wanted=head.whole(side))
                    for side, number in zip(SIDES, numbers, strict=True)
                },
                "nonmatches": _whole(nonmatches, wanted=head.word != "mean"),
                "unit": head.measure.unit,
            }
        )
    return rows


def summary(
    heads: Sequence[Head], sizes: Sequence[int], session: Session
) -> list[dict[str, object]]:
    """Read mean, standard deviation, minimum and maximum of each number over the subsets of each
    size.
    """
    query = templates.stage(
        "tables/sweep_summary.sql", sweep_results="sweep_results", sweep_subsets="sweep_subsets"
    )
    found = {(int(head), int(size)): numbers for head, size, *numbers in session.fetch(query)}
    names = ("subsets", "missing", "mean", "sd", "min", "max", "mean_nonmatches")
    return [
        {
            **head.named,
            "key_length": size,
            **dict(zip(names, found[place, size], strict=True)),
            "unit": head.measure.unit,
        }
        for place, head in enumerate(heads, start=1)
        for size in sizes
        if size >= head.least_keys
    ]


def contributions(
    layout: Layout, heads: Sequence[Head], session: Session
) -> list[dict[str, object]]:
    """Read how much each number changes if an intruder knows one more key: mean, minimum and
    maximum over all pairs of subsets with and without it.
    """
    query = templates.stage(
        "tables/sweep_contributions.sql", sweep_results="sweep_results", sweep_steps="sweep_steps"
    )
    found = {(int(key), int(head)): numbers for key, head, *numbers in session.fetch(query)}
    names = ("steps", "mean", "min", "max")
    return [
        {
            "key": key.name,
            **head.named,
            **dict(zip(names, found[key.number, place], strict=True)),
            "unit": head.measure.unit,
        }
        for key in layout.keys
        for place, head in enumerate(heads, start=1)
        if (key.number, place) in found
    ]


def _whole(number: Any, *, wanted: bool) -> object:
    return int(number) if wanted and number is not None else number
