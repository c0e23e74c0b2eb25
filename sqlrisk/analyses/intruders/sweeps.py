"""Sweeps: compute the measures for every subset of the keys that has one of the given sizes.

The files are encoded once, and each subset selects its keys from the result. All numbers, their
means and standard deviations, and the contribution of each key are computed in SQL
(``sql/tables/sweep_*.sql``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

from sqlrisk.analyses import assessment, neighbours, special_uniques, subsets
from sqlrisk.analyses.intruders import attack_request, attacks, sweep_rows
from sqlrisk.analyses.intruders.sweep_request import Sweeping, require_work
from sqlrisk.analyses.intruders.sweep_rows import Extreme, Head
from sqlrisk.analyses.level_names import population_names
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import count_passes, record_unpacked
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.scores import membership
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.subsets import Subset
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.plan import totals
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.plan.subsets import minimal_uniques
from sqlrisk.plan.subsets.nearness import sought
from sqlrisk.report.results.subset_rows import ORIGINAL
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.sections import worst_sets
from sqlrisk.report.sections.sweep import ORDERS

# columns that a result shows of the worst subsets
WORST = ("synthesis", "population", "keys", "auc", "auc_low", "auc_high", "sets")


def sweep(asked: Sweeping, session: Session, *, rows: str | None = None) -> Sweep:
    """Compute the measures for every subset of the keys.

    With ``rows``, write the rows of the subsets to this Parquet file, and keep none of them in the
    result. Raises the errors of `sqlrisk.sweep`.
    """
    question = asked.question
    if rows is not None:
        session.output(rows)
    models = asked.attack is not None and bool(asked.attack.models)
    encoded = assessment.begin(question, session, numbered=models)
    # A Release may have a universe, but no sweep reads it.
    encoded = replace(encoded, files=encoded.counted_files)
    if asked.attack is not None and not encoded.targets:
        raise InputError(
            "attackers: no column besides the keys is in all files: there is no target to guess."
        )
    records = sum(encoded.records[file.number] for file in encoded.files)
    require_work(asked, records, len(encoded.targets))
    _require_special(asked, encoded)
    most_passes = count_passes(record_unpacked(encoded, session), session, "coded_records")
    layout = encoded
    if asked.reference:  # the original's people against the original itself
        number, people = len(layout.comparisons) + 1, layout.files[0]
        against = Comparison(number, ORIGINAL, ORIGINAL, (people,), single=True, people=people)
        layout = replace(layout, comparisons=(*layout.comparisons, against))
    extremes = sweep_rows.extremes_of(layout)
    populations = population_names(layout, session)
    heads = sweep_rows.heads_of(asked, layout, extremes, populations)
    measured = list(dict.fromkeys(head.measure.name for head in heads))
    chosen = [keys for size in asked.sizes for keys in combinations(layout.keys, size)]
    sweep_rows.load_names(session, heads, chosen, written=rows is not None)
    merges = (
        most_passes == 1
        and asked.attack is None
        and not sought(layout)
        and not layout.counts.of_records
    )
    unfinished = 0
    worst: Rows = []
    if len(layout.keys) not in asked.sizes:  # otherwise one of the subsets has all keys
        before = session.tables
        subsets.record(subsets.project(layout, layout.keys), session)
        assessed, *_ = assessment.assess(encoded, session)
        session.clear(keep=before)
    for subset in subsets.each(
        layout, chosen, session, ["sweep_results"], in_passes=most_passes > 1, merges=merges
    ):
        projected, passes = subset.layout, subset.passes
        session.create(special_uniques.population_steps(projected))
        if sought(projected):
            neighbours.find(projected, projected.of_original, passes, session, sought(projected))
        if asked.attack is not None:
            unfinished += len(attacks.attempt(asked.attack, projected, passes, session))
        session.create(_steps(asked, subset, heads, extremes))
        worst = _worst(worst, subset, populations, session)
        if len(projected.keys) == len(layout.keys):
            assessed, *_ = assessment.assess(encoded, session)
    if rows is not None:
        tables = {name: name for name in ("sweep_results", "sweep_heads", "sweep_subsets")}
        session.export(
            "writing", templates.stage("tables/sweep_rows.sql", **tables), rows, "parquet"
        )
    files = [
        {"source": source.label, "records": count, **session.engine.left_out(source)}
        for source, count in zip(layout.sources, layout.records, strict=True)
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
        synthetic=[
            {"synthesis": each.label, **file}
            for each, file in zip(question.syntheses, files[1:], strict=False)
        ],
        control=files[-1] if layout.control else None,
        units={head.measure.name: head.measure.unit for head in heads},
        subsets=[] if rows is not None else sweep_rows.subset_rows(heads, chosen, session),
        summary=sweep_rows.summary(heads, asked.sizes, session),
        contributions=sweep_rows.contributions(layout, heads, session),
        labels=column_labels(layout.columns, layout.scenario, question.sources, session.engine),
        membership_worst=[{name: row[name] for name in WORST} for row in worst],
        unfinished=unfinished,
        sort=asked.sort if asked.sort in (*ORDERS, *measured) else measured[0],
        top=asked.top,
        texts={head.measure.name: head.measure.sql for head in heads},
    )


def _steps(
    asked: Sweeping, subset: Subset, heads: Sequence[Head], extremes: Sequence[Extreme]
) -> Iterator[Step]:
    """Yield the steps that measure one subset of the keys and add its numbers to the table of all
    subsets.
    """
    layout = subset.layout
    yield from totals.measure(layout, subset.passes, overlaps=True, superset=subset.superset)
    yield from totals.collect(layout)
    if asked.attack is not None:
        yield attacks.as_results(layout)
    tallies = {head.tally: head for head in heads}
    sql = templates.stage(
        "tables/sweep_results.sql",
        subset=subset.number,
        key_length=len(layout.keys),
        tallies=[
            {
                "number": number,
                "name": templates.literal(head.measure.name),
                "at": None if at is None else repr(at),
            }
            for number, head in tallies.items()
            for at in [head.named["at"]]
        ],
        summaries=extremes,
        results="results",
        overlap="overlap",
        sweep_heads="sweep_heads",
    )
    yield Step("sweep", "sweep_results", sql)


def _worst(before: Rows, subset: Subset, populations: Mapping[int, str], session: Session) -> Rows:
    """Return, for each synthesis and population, the subset that so far reveals most about who was
    in the synthesis. If subsets tie, return the one with the lowest number.
    """
    keys = [key.name for key in subset.layout.keys]
    found = [
        {**row, "keys": keys, "number": subset.number}
        for row in membership.areas(subset.layout, populations, session)
    ]
    return worst_sets.worst([*before, *found])


def _require_special(asked: Sweeping, layout: Layout) -> None:
    """Raise InputError if a population has special uniques, and finding those of all subsets would
    take more class visits than the work limit.
    """
    if any(population.kind == "special" for population in layout.populations):
        people = max(layout.records[file.number] for file in layout.people_files)
        takes = sum(
            comb(len(layout.keys), size) * minimal_uniques.work(size, size, people)
            for size in asked.sizes
        )
        special_uniques.require_work(layout, takes, f"{asked.subsets:,} subsets of the keys")
