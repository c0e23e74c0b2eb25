"""The numbers of a sweep: what each is about, and the rows of subsets, sizes and keys, read back from the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqlrisk.analyses import result_rows
from sqlrisk.analyses.intruders.sweep_request import Sweeping
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.plan import result_queries
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Layout

_AGGREGATES = {"mean": ("mean", "AVG"), "min": ("least", "MIN"), "max": ("most", "MAX")}


@dataclass(frozen=True)
class Head:
    """Identifies one number of every subset: measure, target, synthesis, population; ``word`` names a summary of syntheses."""

    measure: Measure
    at: float | None
    tally: int
    target: Column | None
    comparison: int
    synthesis: str
    population: int
    population_name: str
    people: File
    weighted: bool
    word: str

    @property
    def empty(self) -> bool:
        """Whether the number has sums that are 0 where a population has no people."""
        return not self.word and self.measure.stage != "results" and "value" not in self.measure.aggregates

    @property
    def least_keys(self) -> int:
        """The fewest keys with which there is such a number: no record differs in more keys than there are."""
        return int(self.at or 0) if self.measure.at_setting == "radii" else 0

    def whole(self, side: str) -> bool:
        """Return whether its numerator, denominator or value is a whole number."""
        return not (self.word or self.weighted) and side in self.measure.kind.whole

    @property
    def named(self) -> dict[str, object]:
        """The columns that say what it is, with names."""
        return {
            "measure": self.measure.name,
            "family": self.measure.family,
            "at": self.at,
            "target": None if self.target is None else self.target.name,
            "synthesis": self.synthesis,
            "population": self.population_name,
            "people": "control" if self.people.control else "original",
            "weighted": self.weighted,
        }


@dataclass(frozen=True)
class Extreme:
    """Mean, min or max over the syntheses of a method, as a comparison of its own."""

    comparison: int
    word: str
    label: str
    method: str
    people: File
    singles: tuple[int, ...]
    query: str

    @property
    def column(self) -> str:
        """Its column in the query."""
        return _AGGREGATES[self.word][0]

    @property
    def aggregate(self) -> str:
        """The aggregate that makes it."""
        return _AGGREGATES[self.word][1]


def extremes_of(layout: Layout) -> list[Extreme]:
    """Mean, min and max over the syntheses of each method that has several, numbered after the comparisons."""
    found: list[Extreme] = []
    number = len(layout.comparisons)
    for people in layout.people_files:
        for method in result_rows.methods_of_several(layout):
            singles = tuple(
                each.number for each in layout.comparisons if each.single and each.method == method and each.people == people
            )
            for word in result_rows.SUMMARIES:
                number += 1
                query = result_queries.summary(layout, method, people)
                found.append(Extreme(number, word, f"{method} {word}".strip(), method, people, singles, query))
    return found


def heads_of(asked: Sweeping, layout: Layout, extremes: Sequence[Extreme], populations: Mapping[int, str]) -> list[Head]:
    """Return every number that a subset has, in the order of the results of a report."""
    numbers = {(each.label, each.people.number): each.number for each in layout.comparisons}
    numbers |= {(each.label, each.people.number): each.comparison for each in extremes}
    words = {each.comparison: each.word for each in extremes}
    heads: list[Head] = []
    tally = 0
    for measure in asked.measures:
        targets = layout.targets_of(measure.stage)
        for at in measure.points:
            tally += 1
            for target in targets:
                for label in result_rows.synthesis_labels(layout):
                    for population, people, weighted in result_rows.counted_people(asked.question, measure, layout, populations):
                        number = numbers.get((label, people.number))
                        if number is None:  # control against the original itself
                            continue
                        name = populations[population]
                        word = words.get(number, "")
                        heads.append(Head(measure, at, tally, target, number, label, population, name, people, weighted, word))
    return heads


def load_names(session: Session, heads: Sequence[Head], subsets: Sequence[Sequence[Column]], *, written: bool) -> None:
    """Tables of what the numbers of a sweep stand for: names are data here, and never become SQL.

    Lists of names are there when rows are ``written``, which DuckDB does; not every database has lists.
    """
    columns: dict[str, list[Any]] = {
        "head": list(range(1, len(heads) + 1)),
        "tally": [head.tally for head in heads],
        "target_number": [0 if head.target is None else head.target.number for head in heads],
        "comparison": [head.comparison for head in heads],
        "population_number": [head.population for head in heads],
        "weighted_number": [int(head.weighted) for head in heads],
        "least_keys": [head.least_keys for head in heads],
        "empty_sum": [0.0 if head.empty else None for head in heads],
        "unit": [head.measure.unit for head in heads],
    }
    named = [head.named for head in heads]
    columns |= {name: [each[name] for each in named] for name in named[0] if name != "at"}
    frame = pa.table({**columns, "point": pa.array([head.at for head in heads], pa.float64())})
    frame = frame.set_column(frame.column_names.index("target"), "target", frame["target"].cast(pa.string()))
    places = {tuple(chosen): number for number, chosen in enumerate(subsets, start=1)}
    sets = pa.table(
        {
            "subset": pa.array(places.values(), pa.int64()),
            "key_length": pa.array([len(chosen) for chosen in places], pa.int64()),
        }
    )
    if written:
        sets = sets.append_column("keys", pa.array([[key.name for key in chosen] for chosen in places], pa.list_(pa.string())))
    found = [
        (key.number, number, smaller)
        for chosen, number in places.items()
        for key in chosen
        if (smaller := places.get(tuple(each for each in chosen if each is not key))) is not None
    ]
    names = ("key_number", "subset", "without_key")
    between = pa.table({name: pa.array([each[place] for each in found], pa.int64()) for place, name in enumerate(names)})
    for name, loaded in (("sweep_heads", frame), ("sweep_subsets", sets), ("sweep_steps", between)):
        session.load(name, loaded, "the sweep")


def rows_query() -> str:
    """Return the query of the rows of all subsets, with names."""
    return templates.stage(
        "tables/sweep_rows.sql", sweep_results="sweep_results", sweep_heads="sweep_heads", sweep_subsets="sweep_subsets"
    )


def subset_rows(heads: Sequence[Head], subsets: Sequence[Sequence[Column]], session: Session) -> list[dict[str, object]]:
    """Return the numbers of every subset, with names."""
    query = "SELECT subset, head, numerator, denominator, value, nonmatches FROM sweep_results ORDER BY subset, head"
    rows: list[dict[str, object]] = []
    named = [head.named for head in heads]
    keys = [[key.name for key in chosen] for chosen in subsets]
    for subset, number, numerator, denominator, value, nonmatches in session.fetch(query):
        head, names = heads[int(number) - 1], keys[int(subset) - 1]
        rows.append(
            {
                **named[int(number) - 1],
                "key_length": len(names),
                "keys": names,
                "numerator": _whole(numerator, wanted=head.whole("numerator")),
                "denominator": _whole(denominator, wanted=head.whole("denominator")),
                "value": _whole(value, wanted=head.whole("value")),
                "nonmatches": _whole(nonmatches, wanted=head.word != "mean"),
                "unit": head.measure.unit,
            }
        )
    return rows


def summary(heads: Sequence[Head], sizes: Sequence[int], session: Session) -> list[dict[str, object]]:
    """Read mean, spread, least and greatest of each number by number of keys."""
    query = templates.stage("tables/sweep_summary.sql", sweep_results="sweep_results", sweep_subsets="sweep_subsets")
    found = {(int(head), int(size)): numbers for head, size, *numbers in session.fetch(query)}
    names = ("subsets", "missing", "mean", "sd", "min", "max", "mean_nonmatches")
    return [
        {**head.named, "key_length": size, **dict(zip(names, found[place, size], strict=True)), "unit": head.measure.unit}
        for place, head in enumerate(heads, start=1)
        for size in sizes
        if size >= head.least_keys
    ]


def contributions(layout: Layout, heads: Sequence[Head], session: Session) -> list[dict[str, object]]:
    """Read what each key adds to each number, over the subsets with and without it."""
    query = templates.stage("tables/sweep_contributions.sql", sweep_results="sweep_results", sweep_steps="sweep_steps")
    found = {(int(key), int(head)): numbers for key, head, *numbers in session.fetch(query)}
    names = ("steps", "mean", "min", "max")
    return [
        {"key": key.name, **head.named, **dict(zip(names, found[key.number, place], strict=True)), "unit": head.measure.unit}
        for key in layout.keys
        for place, head in enumerate(heads, start=1)
        if (key.number, place) in found
    ]


def _whole(number: Any, *, wanted: bool) -> object:
    return int(number) if wanted and number is not None else number
