"""Risk per record: one row per person (or per synthetic record), written by the engine, however many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlrisk.analyses import neighbours, special_uniques
from sqlrisk.analyses.preparation.encoding import encode, named, record_all
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.inputs.request import Question
from sqlrisk.plan import comparisons, counted_measures, pass_tables
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.minimal_uniques import contribution
from sqlrisk.plan.steps import Step

SIDES = ("original", "synthetic")


def write(
    question: Question,
    session: Session,
    path: str,
    form: str,
    *,
    synthesis: str | None = None,
    side: str = "original",
    gcap: bool = False,
    suda: bool = False,
    diversity: bool = False,
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
    session.output(path)
    layout, comparison, passes = prepare(question, synthesis, session)
    if suda:
        special_uniques.require_work(layout)
        session.create(special_uniques.score_steps(layout, comparison.people))
    gcap = gcap or (side == "original" and neighbours.sought(layout))
    if gcap:
        neighbours.find(layout, (comparison,), passes, session)
    files = comparison.members if side == "synthetic" else (comparison.people,)
    for key_range in passes:
        session.create(counts(layout, comparison, side, key_range, gcap=gcap, diversity=diversity))
    session.export("writing", risk(layout, comparison, side, gcap=gcap, suda=suda, diversity=diversity), path, form)
    return sum(layout.records[file.number] for file in files)


def prepare(question: Question, synthesis: str | None, session: Session) -> tuple[Layout, Comparison, Sequence[KeyRange]]:
    """Make the records, numbered in their own file; return their layout, the comparison (default: pooled), and the passes.

    Raises:
        InputError: an unknown synthesis; several methods and none named.
    """
    # A record is its own, and populations are for sums. It has its own number also where ids align the files.
    layout = replace(encode(question, session, numbered=True), populations=(), own_id=None)
    comparison = _pooled(layout) if synthesis is None else named(synthesis, layout)
    return layout, comparison, record_all(layout, session)


def counts(
    layout: Layout,
    comparison: Comparison,
    side: str,
    key_range: KeyRange = EVERY_CLASS,
    *,
    gcap: bool = False,
    diversity: bool = False,
) -> list[Step]:
    """Return the steps of one pass: what is known of each record's class and cells."""
    return [
        pass_tables.classes(layout, key_range),
        pass_tables.members(layout, key_range),
        *(pass_tables.cells(layout, target) for target in layout.targets),
        *(step for target in _tolerant(layout, side) for step in pass_tables.within_counts(layout, target)),
        *([pass_tables.count_populations(layout)] if layout.scenario.weights is not None else []),
        *(step for target in layout.targets if gcap for step in pass_tables.near_cells(layout, comparison, target, key_range)),
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
    """Return the query of the counts behind the risk of each record in ``members``."""
    blocks = []
    if layout.scenario.weights is not None and side == "original":
        classes = comparisons.compared_classes(layout, comparison, counted_measures.BY_POPULATION)
        blocks.append(_Block("classes", classes, ["population_risk"]))
    for target in layout.targets:
        blocks += _blocks(layout, comparison, target, side, gcap=gcap, diversity=diversity)
    return templates.stage(
        "stages/people/record_counts.sql",
        comparison=comparison,
        files=comparison.members if side == "synthetic" else (comparison.people,),
        identifiers={"record_number": "record", **({"record_id": "record_id"} if layout.scenario.id else {})},
        key_columns=layout.key_columns,
        members=members,
        blocks=blocks,
    )


@dataclass(frozen=True)
class _Block:
    """A query that is joined to the records, and what they take of it. ``target``: it has a row per cell, else per class."""

    alias: str
    query: str
    names: list[str]
    target: Column | None = None
    join: str = "JOIN"


def _blocks(
    layout: Layout, comparison: Comparison, target: Column, side: str, *, gcap: bool, diversity: bool
) -> Iterator[_Block]:
    """Return what is known of a record by one target."""
    t = target.id
    names = {"key_columns": layout.key_columns, "class_key": layout.class_key, "comparison": comparison, "target": target}
    of_all = comparisons.Cells(layout, comparison, target)
    compared = of_all.compared
    modes = templates.stage("stages/people/modes.sql", class_key=layout.class_key, compared=compared)
    cells = templates.stage(
        "stages/people/cells_of_record.sql",
        **names,
        compared=compared,
        modes=modes,
        baseline=target.name in layout.baselines,
        reason=f"excluded_{'orig' if side == 'original' else 'syn'}" if layout.scenario.excludes else None,
    )
    known = ("n_orig", "n_syn", "share_level", "n_top", "n_modal", "excluded")
    yield _Block(f"cells_{t}", cells, [f"{name}_{t}" for name in known], target)
    if target in _tolerant(layout, side):
        near = templates.stage("stages/people/within_of_record.sql", **names, within_counts=table("within_counts", target))
        yield _Block(f"within_{t}", near, [f"n_within_{t}"], target, join="LEFT JOIN")
    if gcap:
        compared = comparisons.Cells(layout, comparison, target, nearest=True).compared
        modes = templates.stage("stages/people/modes.sql", class_key=layout.class_key, compared=compared)
        near = templates.stage("stages/people/near_cells_of_record.sql", **names, compared=compared, modes=modes)
        found = [f"{name}_{t}" for name in ("n_near", "n_near_class", "n_near_top", "n_near_modal")]
        # The radius is that of the class, whatever the target.
        yield _Block(f"near_{t}", near, [*(["radius"] if target == layout.targets[0] else []), *found], target)
    if diversity:
        spread = templates.stage("stages/people/profiles_of_record.sql", **names, profiles=of_all.profiles())
        yield _Block(f"profiles_{t}", spread, [f"{name}_{t}" for name in ("n_levels", "entropy", "l_recursive")])


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
    """Return the query of the risk of each record, in the order of the file unless told."""
    people = f"(SELECT record, {layout.class_key} FROM records WHERE file = {comparison.people.number})"
    contributions = [templates.quote(contribution(key.name)) for key in layout.keys]
    several = side == "synthetic" and len(comparison.members) > 1
    weighted = layout.scenario.weights is not None and side == "original"
    scores = ["suda_score", "dis_suda", *contributions] if suda else []
    on_request = {"nearest": gcap, "diversity": diversity}
    return templates.stage(
        "tables/record_risk.sql",
        identifiers={
            "record": "record_id" if layout.scenario.id else "record_number",
            **({"synthesis": "file_number"} if several else {}),
        },
        own_class="n_orig_class" if side == "original" else "class_syn",
        known={
            **({"radius": "radius"} if gcap else {}),
            **({"population_risk": "population_risk"} if weighted else {}),
            **{name: f"scores.{name}" for name in scores},
        },
        targets=layout.targets,
        shown={
            target.id: [
                "caps",
                *(["within"] if target in _tolerant(layout, side) else []),
                *(name for name, wanted in on_request.items() if wanted),
            ]
            if side == "original"
            else ["weap"]
            for target in layout.targets
        },
        names=column_name,
        suda=special_uniques.record_scores(layout, comparison.people, people) if suda else "",
        contributions=contributions,
        order=[*(["file_number"] if several else []), "record_number"] if ordered else [],
        record_counts=record_counts,
    )


def _tolerant(layout: Layout, side: str) -> list[Column]:
    """Return the targets of whose people it is known how many synthetic records are within the tolerance."""
    return [target for target in layout.targets if target.tolerance is not None] if side == "original" else []


def column_name(measure: str, target: Column) -> str:
    """Return the column of one number about one target: ``correct_income``."""
    return templates.quote(f"{measure}_{target.name}")


def _pooled(layout: Layout) -> Comparison:
    """Return all syntheses together, as an intruder would hold them.

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
