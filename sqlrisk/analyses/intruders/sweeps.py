"""Sweeps: the measures for every subset of the keys, of some sizes. The files are encoded once; each subset is a projection.

All numbers, their means and spreads and what each key adds are SQL (``sql/tables/sweep_*.sql``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from os import PathLike, fspath
from typing import Any

import pyarrow as pa

from sqlrisk.analyses import neighbours, result_rows
from sqlrisk.analyses.intruders import attacks
from sqlrisk.analyses.intruders.attacks import Attack
from sqlrisk.analyses.people import uniques
from sqlrisk.analyses.preparation.encoding import choose_passes, count_passes, encode, size
from sqlrisk.analyses.session import Door, Progress, Tracer
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import format_of, standing_in
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.request import ask as ask_question
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.settings import FILE_SETTINGS
from sqlrisk.inputs.sources import Source
from sqlrisk.plan import encoding, minimal_uniques, result_queries, totals
from sqlrisk.plan.class_key import EVERY_CLASS, Pass, pack
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Comparison, Layout, unpacked
from sqlrisk.plan.steps import Step
from sqlrisk.report.results.sweeps import ORDERS, ORIGINAL, Sweep

MEASURES = ("UiO", "Dorig", "DiSCO", "baseCAPd", "CAPd", "DCAP", "accuracy_ICAP")  # each beside the original and the baseline
VISIT = 5  # steps of work that a record takes, for the classes of a subset and for each of its targets; measured
LEAST_RECORDS = 100_000  # a small file costs its statements
_AGGREGATES = {"mean": ("mean", "AVG"), "min": ("least", "MIN"), "max": ("most", "MAX")}


@dataclass(frozen=True)
class Sweeping:
    """A question whose keys are swept: subsets of ``sizes`` keys; ``reference``: with the original against itself.

    ``attack``: who guesses beside the measures, or None.
    """

    question: Question
    sizes: tuple[int, ...]
    reference: bool
    attack: Attack | None
    sort: str
    top: int

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is taken of every subset: the measures, then the attackers."""
        return (*self.question.measures, *(attacks.measures(self.attack) if self.attack else ()))

    @property
    def subsets(self) -> int:
        """How many subsets there are."""
        return sum(comb(len(self.question.scenario.keys), size) for size in self.sizes)


@dataclass(frozen=True)
class Head:
    """What one number of every subset is about; ``word``: mean, min or max of the syntheses, empty for a comparison."""

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
        """Whether its numerator, denominator or value is a whole number."""
        return not (self.word or self.weighted) and side in self.measure.aggregates and self.measure.counts(side)

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


def ask(
    original: object,
    synthetic: object,
    settings: Mapping[str, object],
    *,
    control: object = None,
    key_length: object = None,
    reference: bool = False,
    attackers: object = None,
    sample: object = None,
    seed: object = None,
    preset: object = None,
    sort: str | None = None,
    top: object = 10,
    scenario_file: str | None = None,
    measures_from: str | None = None,
    tables: bool = False,
) -> Sweeping:
    """A sweep from what the user gave; None is the default: all sizes, the measures of ``MEASURES``.

    Raises:
        InputError: with every problem that can be seen without the data, or more work than the limit.
    """
    problems: list[str] = []
    filed = read_file(scenario_file) if scenario_file is not None else {}
    given = {name: value for name, value in filed.items() if name not in FILE_SETTINGS}
    given |= {name: value for name, value in settings.items() if value is not None}
    problems += [
        f"{name}: a sweep has none; leave it out, or ask `sqlrisk score` about one set of keys."
        for name in ("distributions", "trend")
        if given.get(name)
    ]
    if given.get("measures") is None and measures_from is None:
        given["measures"] = list(MEASURES)
    files = [
        filed.get(name) if each is None else each
        for name, each in zip(FILE_SETTINGS, (original, synthetic, control), strict=True)
    ]
    question: Question | None = None
    try:
        question = ask_question(files[0], files[1], given, control=files[2], measures_from=measures_from, tables=tables)
    except InputError as error:
        problems += error.problems
    shown = uniques.whole(top)
    if shown is None:
        problems.append(f"top: expected a whole number of subsets, 0 or more; got {top!r}.")
    sizes: tuple[int, ...] = ()
    try:
        sizes = _sizes(key_length, None if question is None else len(question.scenario.keys))
    except InputError as error:
        problems += error.problems
    attack: Attack | None = None
    if question is not None:
        if attackers is not None:
            try:
                attack = _attack(question, files, tables=tables, names=attackers, sample=sample, seed=seed, preset=preset)
            except InputError as error:
                problems += error.problems
        if attackers is None and any(each is not None for each in (sample, seed, preset)):
            problems.append("sample, seed and preset are of models: name some with attackers.")
        names = [measure.name for measure in (*question.measures, *(attacks.measures(attack) if attack else ()))]
        problems += _problems(question, names, sort, reference=reference)
    if problems or question is None or shown is None:
        raise InputError(list(dict.fromkeys(problems)))
    names = [measure.name for measure in question.measures]
    first = next((name for name in ("DiSCO", "DCAP") if name in names), names[0])
    asked = Sweeping(question, sizes, reference, attack, sort or first, shown)
    _refuse_work(asked, 0, len(question.scenario.targets) or 1)
    return asked


@contextmanager
def rows_to(output: str | PathLike[str] | None, asked: Sweeping, inputs: Sequence[str] = ()) -> Iterator[str | None]:
    """Yield the file that the rows of the subsets go to; None where they are not asked for.

    Raises:
        InputError: an output that cannot be written, is one of the ``inputs``, or is not Parquet.
    """
    if output is None:
        yield None
        return
    path = fspath(output)
    form = format_of(path)
    if form != "parquet":
        raise InputError(f"The output {path!r} is {form} by its suffix; the rows of a sweep are written as .parquet.")
    question = asked.question
    sources = [
        question.original,
        *(each.source for each in question.syntheses),
        *([question.control] if question.control else []),
    ]
    with standing_in(path, [*inputs, *(each for source in sources for each in source.paths)]) as file:
        yield str(file)


def sweep(
    asked: Sweeping, engine: Engine, *, rows: str | None = None, progress: Progress | None = None, trace: Tracer | None = None
) -> Sweep:
    """Take the measures for every subset of the keys; ``rows``: write the rows of the subsets there, and keep none of them.

    Raises:
        InputError: what only the data shows to be wrong, or more work than the limit.
        EngineError: the database failed.
    """
    question = asked.question
    door = Door(engine, progress, trace)
    if rows is not None:
        engine.output(rows)
    models = asked.attack is not None and bool(asked.attack.models)
    encoded = encode(question, engine, door, numbered=models)
    _refuse_work(asked, sum(encoded.records), len(encoded.targets))
    _refuse_special(asked, encoded)
    coded = unpacked(encoded)
    door.make(encoding.record(coded, temporary=engine.fits(size(coded)), into="coded_records"))
    most_passes = count_passes(coded, engine, door, "coded_records")
    layout = with_original(encoded) if asked.reference else encoded
    extremes = _extremes(layout)
    heads = _heads(asked, layout, extremes, result_rows.population_names(layout, door))
    subsets = [chosen for size in asked.sizes for chosen in combinations(layout.keys, size)]
    _load_names(engine, heads, subsets, written=rows is not None)
    kept = door.tables | {"sweep_results"}
    unfinished = 0
    for number, chosen in enumerate(subsets, start=1):
        door.turn = (f"{len(chosen)} of {len(layout.keys)} keys", number, len(subsets))
        projected = project(layout, chosen)
        door.make([encoding.project(projected, temporary=engine.fits(size(projected)))])
        passes = (EVERY_CLASS,) if most_passes == 1 else choose_passes(projected, engine, door)
        door.make(uniques.population_steps(projected))
        if neighbours.sought(projected):
            neighbours.find(projected, projected.of_original, passes, door)
        if asked.attack is not None:
            unfinished += len(attacks.attempt(asked.attack, projected, passes, engine, door))
        door.make(steps(projected, passes, number, heads, extremes, attacked=asked.attack is not None))
        door.clear(keep=kept)
    door.turn = None
    if rows is not None:
        door.export("writing", _rows(), rows, "parquet")
    original, *others = [
        {"source": source.label, "records": count}
        for source, count in zip([question.original, *(s.source for s in question.syntheses)], layout.records, strict=False)
    ]
    control = None
    if len(layout.people_files) > 1:
        control = {"source": (question.control or question.original).label, "records": layout.records[-1]}
    return Sweep(
        scenario={
            **layout.scenario.settings(),
            "key_length": list(asked.sizes),
            "reference": asked.reference,
            **({} if asked.attack is None else attacks.settings(asked.attack)),
        },
        original=original,
        synthetic=[{"synthesis": each.label, **other} for each, other in zip(question.syntheses, others, strict=True)],
        control=control,
        units={measure.name: measure.unit for measure in asked.measures},
        subsets=[] if rows is not None else _subset_rows(heads, subsets, door),
        summary=_summary(heads, asked.sizes, door),
        contributions=_contributions(layout, heads, door),
        unfinished=unfinished,
        sort=asked.sort,
        top=asked.top,
    )


def steps(
    layout: Layout,
    passes: Sequence[Pass],
    subset: int,
    heads: Sequence[Head],
    extremes: Sequence[Extreme],
    *,
    attacked: bool = False,
) -> Iterator[Step]:
    """The steps that measure one subset of the keys, whose records are made, and add its numbers to those of the others."""
    yield from totals.measure(layout, passes, overlaps=True)
    yield from totals.collect(layout)
    if attacked:
        yield attacks.as_results(layout)
    tallies = {head.tally: head for head in heads}
    sql = templates.stage(
        "tables/sweep_results.sql",
        subset=subset,
        key_length=len(layout.keys),
        tallies=[
            {"number": number, "name": templates.literal(head.measure.name), "at": None if head.at is None else repr(head.at)}
            for number, head in tallies.items()
        ],
        summaries=extremes,
        results="results",
        overlap="overlap",
        sweep_heads="sweep_heads",
    )
    yield Step("sweep", "sweep_results", sql)


def project(layout: Layout, keys: Sequence[Column]) -> Layout:
    """The layout with some of its keys alone; exclusions by another key hold no more."""
    names = [key.name for key in keys]
    gone = [key.name for key in layout.keys if key.name not in names]
    scenario = replace(
        layout.scenario,
        keys=tuple(names),
        exclude_missing=tuple(name for name in layout.scenario.exclude_missing if name not in gone),
        exclude_pair=tuple(pair for pair in layout.scenario.exclude_pair if pair.key not in gone),
    )
    sizes = [layout.part(name).size or 1 for name in names]
    return replace(layout, scenario=scenario, keys=tuple(keys), limbs=pack(keys, sizes))


def with_original(layout: Layout) -> Layout:
    """The layout with one more comparison: the original's people against the original itself."""
    people = layout.files[0]
    number = len(layout.comparisons) + 1
    return replace(layout, comparisons=(*layout.comparisons, Comparison(number, ORIGINAL, ORIGINAL, (people,), True, people)))


def work(subsets: int, records: int, targets: int) -> int:
    """How many steps it takes: every record for the classes and for each target, in every subset."""
    return subsets * max(records, LEAST_RECORDS) * (targets + 1) * VISIT


def _sizes(key_length: object, keys: int | None) -> tuple[int, ...]:
    """The numbers of keys, rising, each once; all of them by default. ``keys``: how many there are, if that is known."""
    if key_length is None or key_length in ("", [], ()):
        return tuple(range(1, (keys or 0) + 1))
    several: Sequence[object] = [key_length]
    if isinstance(key_length, str):
        several = key_length.split(",")
    elif isinstance(key_length, Sequence):
        several = key_length
    sizes = [uniques.whole(each) for each in several]
    if not all(sizes):
        raise InputError(f"key_length: expected numbers of keys, 1 or more, as in 3,4; got {key_length!r}.")
    found = tuple(sorted({size for size in sizes if size}))
    if keys is not None and found[-1] > keys:
        raise InputError(f"key_length: there are no subsets of {found[-1]} keys; the question has {keys} keys.")
    return found


def _attack(question: Question, files: Sequence[object], **who: Any) -> Attack:
    """Who guesses. Raises InputError: there is none of that name, or who is counted is not everybody."""
    scenario = question.scenario
    problems = [
        f"{name}: attackers are tried on everybody; leave this setting out, or --attackers."
        for name in (*attacks.UNCOUNTED, "weights", "by")
        if getattr(scenario, name)
    ]
    if scenario.populations != ("all",):
        problems.append("populations: attackers are tried on everybody; leave this setting out, or --attackers.")
    if problems:
        raise InputError(problems)
    settings = {name: value for name, value in scenario.settings().items() if name in attacks.USED}
    return attacks.ask(files[0], files[1], settings, control=files[2], work_limit=None, scenario_file=None, **who)


def _problems(question: Question, names: Sequence[str], sort: str | None, *, reference: bool) -> list[str]:
    problems = []
    orders = [*names, *ORDERS]
    if sort is not None and sort not in orders:
        problems.append(f"sort: cannot sort by {sort!r}{suggestion(sort, orders)}; there are {', '.join(orders)}.")
    unknown = [measure.name for measure in question.computed if not measure.knows_control]
    if reference and unknown:  # nothing was made from the original's people in the original itself
        problems.append(f"reference: the original against itself has no {unknown[0]}; leave out one of the two.")
    if reference and any(synthesis.method == ORIGINAL for synthesis in question.syntheses):
        problems.append(f"reference: {ORIGINAL!r} stands for the original against itself; give the synthetic files another name.")
    return problems


def _refuse_work(asked: Sweeping, records: int, targets: int) -> None:
    """Refuse more steps than the limit, with the estimate and the way out. Raises InputError."""
    takes = work(asked.subsets, records, targets)
    limit = asked.question.scenario.work_limit
    if takes <= limit:
        return
    keys = len(asked.question.scenario.keys)
    fits = [size for size in asked.sizes if work(comb(keys, size), records, targets) <= limit]
    way = f"subsets of {fits[0]} keys alone (--key-length {fits[0]}) stay within it" if fits else "name fewer keys"
    raise InputError(
        f"Sweeping {asked.subsets:,} subsets of {keys} keys takes about {takes:,} steps ({VISIT} for each subset, record, "
        f"and target + 1); the limit is {limit:,}: {way}, or raise --work-limit."
    )


def _refuse_special(asked: Sweeping, layout: Layout) -> None:
    """Refuse to look for the special uniques of too many subsets. Raises InputError."""
    if not any(population.kind == "special" for population in layout.populations):
        return
    people = max(layout.records[file.number] for file in layout.people_files)
    takes = sum(comb(len(layout.keys), size) * minimal_uniques.work(size, size, people) for size in asked.sizes)
    limit = layout.scenario.work_limit
    if takes > limit:
        raise InputError(
            f"Finding the special uniques of {asked.subsets:,} subsets of the keys takes about {takes:,} class visits; the limit "
            f"is {limit:,}. Name fewer keys, leave the population 'special' out, or raise --work-limit."
        )


def _extremes(layout: Layout) -> list[Extreme]:
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


def _heads(asked: Sweeping, layout: Layout, extremes: Sequence[Extreme], populations: Mapping[int, str]) -> list[Head]:
    """Every number that a subset has, in the order of the results of a report."""
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
                    for population, people, weighted in result_rows.crowds(asked.question, measure, layout, populations):
                        number = numbers.get((label, people.number))
                        if number is None:  # control against the original itself
                            continue
                        name = populations[population]
                        word = words.get(number, "")
                        heads.append(Head(measure, at, tally, target, number, label, population, name, people, weighted, word))
    return heads


def _load_names(engine: Engine, heads: Sequence[Head], subsets: Sequence[Sequence[Column]], *, written: bool) -> None:
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
        engine.attach(Source(name, "frame", frame=loaded, role="the sweep"), loaded.column_names, name)


def _rows() -> str:
    return templates.stage(
        "tables/sweep_rows.sql", sweep_results="sweep_results", sweep_heads="sweep_heads", sweep_subsets="sweep_subsets"
    )


def _subset_rows(heads: Sequence[Head], subsets: Sequence[Sequence[Column]], door: Door) -> list[dict[str, object]]:
    """The numbers of every subset, with names."""
    query = "SELECT subset, head, numerator, denominator, value, nonmatches FROM sweep_results ORDER BY subset, head"
    rows: list[dict[str, object]] = []
    named = [head.named for head in heads]
    keys = [[key.name for key in chosen] for chosen in subsets]
    for subset, number, numerator, denominator, value, nonmatches in door.ask(query):
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


def _summary(heads: Sequence[Head], sizes: Sequence[int], door: Door) -> list[dict[str, object]]:
    query = templates.stage("tables/sweep_summary.sql", sweep_results="sweep_results", sweep_subsets="sweep_subsets")
    found = {(int(head), int(size)): numbers for head, size, *numbers in door.ask(query)}
    names = ("subsets", "missing", "mean", "sd", "min", "max", "mean_nonmatches")
    return [
        {**head.named, "key_length": size, **dict(zip(names, found[place, size], strict=True)), "unit": head.measure.unit}
        for place, head in enumerate(heads, start=1)
        for size in sizes
        if size >= head.least_keys
    ]


def _contributions(layout: Layout, heads: Sequence[Head], door: Door) -> list[dict[str, object]]:
    query = templates.stage("tables/sweep_contributions.sql", sweep_results="sweep_results", sweep_steps="sweep_steps")
    found = {(int(key), int(head)): numbers for key, head, *numbers in door.ask(query)}
    names = ("steps", "mean", "min", "max")
    return [
        {"key": key.name, **head.named, **dict(zip(names, found[key.number, place], strict=True)), "unit": head.measure.unit}
        for key in layout.keys
        for place, head in enumerate(heads, start=1)
        if (key.number, place) in found
    ]


def _whole(number: Any, *, wanted: bool) -> object:
    return int(number) if wanted and number is not None else number
