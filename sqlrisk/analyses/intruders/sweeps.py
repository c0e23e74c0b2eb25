"""Sweeps: the measures for every subset of the keys, of some sizes. The files are encoded once; each subset is a projection.

All numbers, their means and spreads and what each key adds are SQL (``sql/tables/sweep_*.sql``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

from sqlrisk.analyses import assessment, neighbours, special_uniques
from sqlrisk.analyses.intruders import attack_request, attacks, sweep_rows
from sqlrisk.analyses.intruders.sweep_request import Sweeping, require_work
from sqlrisk.analyses.intruders.sweep_rows import Extreme, Head
from sqlrisk.analyses.level_names import population_names
from sqlrisk.analyses.preparation.encoding import choose_passes, count_passes, fits_in_memory, record_unpacked
from sqlrisk.analyses.preparation.files import sources_of
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.plan import encoding, minimal_uniques, totals
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange, pack
from sqlrisk.plan.columns import Column
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.plan.supersets import Superset
from sqlrisk.report.results.subset_rows import ORIGINAL
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.sections.sweep import ORDERS


def sweep(asked: Sweeping, session: Session, *, rows: str | None = None) -> Sweep:
    """Take the measures for every subset of the keys; ``rows``: write the rows of the subsets there, and keep none of them."""
    question = asked.question
    if rows is not None:
        session.output(rows)
    models = asked.attack is not None and bool(asked.attack.models)
    encoded = assessment.begin(question, session, numbered=models)
    if asked.attack is not None and not encoded.targets:
        raise InputError("attackers: no column besides the keys is in all files: there is no target to guess.")
    require_work(asked, sum(encoded.records), len(encoded.targets))
    _require_special(asked, encoded)
    most_passes = count_passes(record_unpacked(encoded, session), session, "coded_records")
    layout = encoded
    if asked.reference:  # the original's people against the original itself
        number, people = len(layout.comparisons) + 1, layout.files[0]
        against = Comparison(number, ORIGINAL, ORIGINAL, (people,), single=True, people=people)
        layout = replace(layout, comparisons=(*layout.comparisons, against))
    extremes = sweep_rows.extremes_of(layout)
    heads = sweep_rows.heads_of(asked, layout, extremes, population_names(layout, session))
    measured = list(dict.fromkeys(head.measure.name for head in heads))
    subsets = [chosen for size in asked.sizes for chosen in combinations(layout.keys, size)]
    sweep_rows.load_names(session, heads, subsets, written=rows is not None)
    own = session.tables | {"sweep_results"}
    merges = most_passes == 1 and asked.attack is None and not neighbours.sought(layout) and not layout.counts.of_records
    supersets: list[Superset] = []
    unfinished = 0
    if len(layout.keys) not in asked.sizes:  # else the first subset is of all keys
        _record(project(layout, layout.keys), session)
        assessed, _ = assessment.assess(question, encoded, session)
        session.clear(keep=own)
    for place, number in enumerate(_widest_first(layout, subsets), start=1):
        chosen = subsets[number - 1]
        session.turn = (f"{len(chosen)} of {len(layout.keys)} keys", place, len(subsets))
        while supersets and not supersets[-1].has(chosen):
            supersets.pop()
        superset = supersets[-1] if supersets else None
        projected = project(layout, chosen, superset)
        if superset is None:
            _record(projected, session)
        passes = (EVERY_CLASS,) if most_passes == 1 else choose_passes(projected, session)
        session.create(special_uniques.population_steps(projected))
        if neighbours.sought(projected):
            neighbours.find(projected, projected.of_original, passes, session)
        if asked.attack is not None:
            unfinished += len(attacks.attempt(asked.attack, projected, passes, session))
        session.create(_steps(asked, projected, passes, number, heads, extremes, superset))
        if len(chosen) == len(layout.keys):
            assessed, _ = assessment.assess(question, encoded, session)
        if merges:
            supersets += _kept(projected, superset, len(supersets), session)
        session.clear(keep=own.union(*(each.tables for each in supersets)))
    session.turn = None
    if rows is not None:
        tables = {name: name for name in ("sweep_results", "sweep_heads", "sweep_subsets")}
        session.export("writing", templates.stage("tables/sweep_rows.sql", **tables), rows, "parquet")
    files = [
        {"source": source.label, "records": count}
        for source, count in zip(sources_of(question, layout), layout.records, strict=True)
    ]
    return Sweep(
        assessment=assessed,
        scenario={
            **layout.scenario.settings(),
            "key_length": list(asked.sizes),
            "reference": asked.reference,
            **({} if asked.attack is None else attack_request.settings(asked.attack)),
        },
        original=files[0],
        synthetic=[{"synthesis": each.label, **file} for each, file in zip(question.syntheses, files[1:], strict=False)],
        control=files[-1] if layout.files[-1].control else None,
        units={head.measure.name: head.measure.unit for head in heads},
        subsets=[] if rows is not None else sweep_rows.subset_rows(heads, subsets, session),
        summary=sweep_rows.summary(heads, asked.sizes, session),
        contributions=sweep_rows.contributions(layout, heads, session),
        unfinished=unfinished,
        sort=asked.sort if asked.sort in (*ORDERS, *measured) else measured[0],
        top=asked.top,
    )


def _record(layout: Layout, session: Session) -> None:
    """Make the records with the class key of some keys."""
    session.create([encoding.project(layout, temporary=fits_in_memory(layout, session))])


def _steps(
    asked: Sweeping,
    layout: Layout,
    passes: Sequence[KeyRange],
    subset: int,
    heads: Sequence[Head],
    extremes: Sequence[Extreme],
    superset: Superset | None,
) -> Iterator[Step]:
    """Yield the steps that measure one subset of the keys, and add its numbers to those of the others.

    Its records are made, or it is counted from a ``superset``.
    """
    yield from totals.measure(layout, passes, overlaps=True, superset=superset)
    yield from totals.collect(layout)
    if asked.attack is not None:
        yield attacks.as_results(layout)
    tallies = {head.tally: head for head in heads}
    sql = templates.stage(
        "tables/sweep_results.sql",
        subset=subset,
        key_length=len(layout.keys),
        tallies=[
            {"number": number, "name": templates.literal(head.measure.name), "at": None if at is None else repr(at)}
            for number, head in tallies.items()
            for at in [head.named["at"]]
        ],
        summaries=extremes,
        results="results",
        overlap="overlap",
        sweep_heads="sweep_heads",
    )
    yield Step("sweep", "sweep_results", sql)


def _widest_first(layout: Layout, subsets: Sequence[Sequence[Column]]) -> list[int]:
    """Return the numbers of the subsets so that what a subset is counted from comes before it, and few of those wait at a time.

    The nearest superset has the key of fewest levels more: it has the fewest cells.
    """
    by_levels = sorted(layout.keys, key=lambda key: layout.part(key.name).size or 1, reverse=True)
    numbers = range(1, len(subsets) + 1)
    return sorted(numbers, key=lambda number: [key not in subsets[number - 1] for key in by_levels])


def _kept(layout: Layout, superset: Superset | None, number: int, session: Session) -> Iterator[Superset]:
    """Keep the classes and cells of a subset of the keys, where they are half of what they were counted from, or fewer.

    So all that is kept has no more rows than the records and the cells that they could make.
    """
    counted = Superset(layout, number, 0)
    rows = sum(session.number(f"SELECT COUNT(*) FROM {each}") for each in counted.tables.values())
    if 2 * rows <= (superset.rows if superset else sum(layout.records) * len(counted.tables)):
        session.create(counted.keep())
        yield replace(counted, rows=rows)


def project(layout: Layout, keys: Sequence[Column], superset: Superset | None = None) -> Layout:
    """Return the layout with some of its keys alone, packed as in a ``superset``; exclusions by another key hold no more."""
    names = [key.name for key in keys]
    gone = [key.name for key in layout.keys if key.name not in names]
    scenario = replace(
        layout.scenario,
        keys=tuple(names),
        exclude_missing=tuple(name for name in layout.scenario.exclude_missing if name not in gone),
        exclude_pair=tuple(pair for pair in layout.scenario.exclude_pair if pair.key not in gone),
    )
    sizes = [layout.part(name).size or 1 for name in names]
    return replace(
        layout, scenario=scenario, keys=tuple(keys), key_columns=superset.key_columns(keys) if superset else pack(keys, sizes)
    )


def _require_special(asked: Sweeping, layout: Layout) -> None:
    """Raise InputError where the special uniques of all subsets take more class visits than the work limit."""
    if any(population.kind == "special" for population in layout.populations):
        people = max(layout.records[file.number] for file in layout.people_files)
        takes = sum(comb(len(layout.keys), size) * minimal_uniques.work(size, size, people) for size in asked.sizes)
        special_uniques.require_work(layout, takes, f"{asked.subsets:,} subsets of the keys")
