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
    kept = session.tables | {"sweep_results"}
    unfinished = 0
    for number, chosen in enumerate(subsets, start=1):
        session.clear(keep=kept)
        session.turn = (f"{len(chosen)} of {len(layout.keys)} keys", number, len(subsets))
        projected = _projected(layout, chosen, session)
        passes = (EVERY_CLASS,) if most_passes == 1 else choose_passes(projected, session)
        session.create(special_uniques.population_steps(projected))
        if neighbours.sought(projected):
            neighbours.find(projected, projected.of_original, passes, session)
        if asked.attack is not None:
            unfinished += len(attacks.attempt(asked.attack, projected, passes, session))
        session.create(_steps(asked, projected, passes, number, heads, extremes))
    session.turn = None
    if len(layout.keys) not in asked.sizes:  # else the last subset is of all keys
        session.clear(keep=kept)
        _projected(encoded, encoded.keys, session)
    assessed, _ = assessment.assess(question, encoded, session)
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


def _projected(layout: Layout, keys: Sequence[Column], session: Session) -> Layout:
    """Make the records with the class key of some keys, and return their layout."""
    projected = project(layout, keys)
    session.create([encoding.project(projected, temporary=fits_in_memory(projected, session))])
    return projected


def _steps(
    asked: Sweeping, layout: Layout, passes: Sequence[KeyRange], subset: int, heads: Sequence[Head], extremes: Sequence[Extreme]
) -> Iterator[Step]:
    """Yield the steps that measure one subset of the keys, whose records are made, and add its numbers to those of the others."""
    yield from totals.measure(layout, passes, overlaps=True)
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


def project(layout: Layout, keys: Sequence[Column]) -> Layout:
    """Return the layout with some of its keys alone; exclusions by another key hold no more."""
    names = [key.name for key in keys]
    gone = [key.name for key in layout.keys if key.name not in names]
    scenario = replace(
        layout.scenario,
        keys=tuple(names),
        exclude_missing=tuple(name for name in layout.scenario.exclude_missing if name not in gone),
        exclude_pair=tuple(pair for pair in layout.scenario.exclude_pair if pair.key not in gone),
    )
    sizes = [layout.part(name).size or 1 for name in names]
    return replace(layout, scenario=scenario, keys=tuple(keys), key_columns=pack(keys, sizes))


def _require_special(asked: Sweeping, layout: Layout) -> None:
    """Raise InputError where the special uniques of all subsets take more class visits than the work limit."""
    if any(population.kind == "special" for population in layout.populations):
        people = max(layout.records[file.number] for file in layout.people_files)
        takes = sum(comb(len(layout.keys), size) * minimal_uniques.work(size, size, people) for size in asked.sizes)
        special_uniques.require_work(layout, takes, f"{asked.subsets:,} subsets of the keys")
