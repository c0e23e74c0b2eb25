"""Risk per record: one row per person (or per synthetic record), written by the engine, however many there are."""

from dataclasses import replace

from sqlrisk.analyses import neighbours, special_uniques
from sqlrisk.analyses.preparation.encoding import encode, named, record_all
from sqlrisk.analyses.session import Door, Progress, Tracer
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.request import Question
from sqlrisk.plan import comparisons, counted_measures, pass_tables
from sqlrisk.plan.class_key import EVERY_CLASS, Pass
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.minimal_uniques import contribution
from sqlrisk.plan.steps import Step

SIDES = ("original", "synthetic")


def write(
    question: Question,
    engine: Engine,
    path: str,
    form: str,
    *,
    synthesis: str | None = None,
    side: str = "original",
    gcap: bool = False,
    suda: bool = False,
    diversity: bool = False,
    progress: Progress | None = None,
    trace: Tracer | None = None,
) -> int:
    """Write the risk of each record to a new file and return how many there are.

    Args:
        path: a file in a place that the engine may write to; form: ``parquet`` or ``csv``.
        synthesis: the comparison, by default all syntheses pooled.
        side: ``original``: the people, against what an intruder finds in the synthesis; ``synthetic``: its records.
        gcap: add radius, and gcap and gcap_vote by target, of the nearest synthetic records; as does a measure that needs them.
        suda: add suda_score, dis_suda and contribution_<key>; diversity: add l_distinct, l_entropy and l_recursive by target.

    Raises:
        InputError: an unknown synthesis or side; several methods and none named; columns that only people have.
    """
    if side not in SIDES:
        raise InputError(f"side: {side!r} is none of {', '.join(SIDES)}{suggestion(side, SIDES)}.")
    asked = {"gcap": gcap, "suda": suda, "diversity": diversity, "id": question.scenario.id is not None}
    if side == "synthetic" and any(asked.values()):
        raise InputError(
            [f"{name}: only people have it; leave it out for the synthetic side." for name, on in asked.items() if on]
        )
    engine.output(path)
    door = Door(engine, progress, trace)
    # A record is its own; populations are for sums.
    # A record's number is that of its own file here, also where ids align the files.
    layout = replace(encode(question, engine, door, numbered=True), populations=(), own_id=None)
    comparison = pooled(layout) if synthesis is None else named(synthesis, layout)
    passes = record_all(layout, engine, door)
    if suda:
        special_uniques.refuse_work(layout, max(layout.records))
        door.make(special_uniques.score_steps(layout, comparison.people))
    gcap = gcap or (side == "original" and neighbours.sought(layout))
    if gcap:
        neighbours.find(layout, (comparison,), passes, door)
    files = comparison.members if side == "synthetic" else (comparison.people,)
    for turn in passes:
        door.make(counts(layout, comparison, side, turn, gcap=gcap, diversity=diversity))
    door.export("writing", risk(layout, comparison, side, gcap=gcap, suda=suda, diversity=diversity), path, form)
    return sum(layout.records[file.number] for file in files)


def counts(
    layout: Layout,
    comparison: Comparison,
    side: str,
    turn: Pass = EVERY_CLASS,
    *,
    gcap: bool = False,
    diversity: bool = False,
) -> list[Step]:
    """The steps of one pass: what is known of each record's class and cells."""
    return [
        pass_tables.classes(layout, turn),
        pass_tables.members(layout, turn),
        *(pass_tables.cells(layout, target) for target in layout.targets),
        *(step for target in _tolerant(layout, side) for step in pass_tables.within_counts(layout, target)),
        *([pass_tables.crowds(layout)] if layout.scenario.weights is not None else []),
        *(pass_tables.near_cells(layout, comparison, target, turn) for target in layout.targets if gcap),
        Step("risk per record", "record_counts", record_counts(layout, comparison, side, gcap=gcap, diversity=diversity)),
    ]


def record_counts(
    layout: Layout,
    comparison: Comparison,
    side: str,
    members: str = "members",
    *,
    gcap: bool = False,
    diversity: bool = False,
) -> str:
    """The query of the counts behind the risk of each record in ``members``."""
    compared = {target.id: comparisons.compared_cells(layout, comparison, target) for target in layout.targets}
    near = {target.id: comparisons.compared_cells(layout, comparison, target, nearest=True) for target in layout.targets if gcap}
    weights = layout.scenario.weights is not None and side == "original"
    return templates.stage(
        "stages/record_counts.sql",
        comparison=comparison,
        files=comparison.members if side == "synthetic" else (comparison.people,),
        limbs=layout.limbs,
        members=members,
        targets=layout.targets,
        compared=compared,
        compared_classes=comparisons.compared_classes(layout, comparison, counted_measures.BY_POPULATION) if weights else "",
        modes={name: _modes(layout, text) for name, text in compared.items()},
        near=near,
        near_modes={name: _modes(layout, text) for name, text in near.items()},
        id=layout.scenario.id,
        diversity=diversity,
        profiles={target.id: comparisons.profiles(layout, comparison, target) for target in layout.targets} if diversity else {},
        within={target.id: table("within_counts", target) for target in _tolerant(layout, side)},
        baselines=[target.id for target in layout.targets if target.name in layout.baselines],
        excludes=layout.scenario.excludes,
        side="orig" if side == "original" else "syn",
        weights=weights,
    )


def risk(
    layout: Layout,
    comparison: Comparison,
    side: str,
    record_counts: str = "record_counts",
    *,
    gcap: bool = False,
    suda: bool = False,
    diversity: bool = False,
    ordered: bool = True,
) -> str:
    """The query of the risk of each record, in the order of the file unless told."""
    people = f"(SELECT record, {layout.class_key} FROM records WHERE file = {comparison.people.number})"
    return templates.stage(
        "tables/record_risk.sql",
        targets=layout.targets,
        names=column_name,
        side="orig" if side == "original" else "syn",
        several=side == "synthetic" and len(comparison.members) > 1,
        weights=layout.scenario.weights is not None and side == "original",
        id=layout.scenario.id,
        suda=special_uniques.record_scores(layout, comparison.people, people) if suda else "",
        contributions=[templates.quote(contribution(key.name)) for key in layout.keys],
        gcap=gcap,
        diversity=diversity,
        within=[target.id for target in _tolerant(layout, side)],
        ordered=ordered,
        record_counts=record_counts,
    )


def _tolerant(layout: Layout, side: str) -> list[Column]:
    """The targets of whose people it is known how many synthetic records are within the tolerance."""
    return counted_measures.of_stage("within", layout.targets) if side == "original" else []


def _modes(layout: Layout, compared: str) -> str:
    return templates.stage("stages/modes.sql", class_key=layout.class_key, compared=compared)


def column_name(measure: str, target: Column) -> str:
    """The column of one number about one target: ``correct_income``."""
    return templates.quote(f"{measure}_{target.name}")


def pooled(layout: Layout) -> Comparison:
    """All syntheses together, as an intruder would hold them.

    Raises:
        InputError: there are several methods, which are never pooled.
    """
    methods = dict.fromkeys(comparison.method for comparison in layout.of_original)
    if len(methods) > 1:
        raise InputError(
            f"Name the synthesis (--synthesis): one of {', '.join(repr(each.label) for each in layout.of_original)}; "
            "methods are never pooled."
        )
    return layout.of_original[-1]
