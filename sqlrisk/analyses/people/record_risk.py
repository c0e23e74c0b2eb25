"""Risk per record: one row per person or synthetic record. The engine writes the rows, so memory
does not limit their number.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlrisk.analyses import assessment, neighbours, special_uniques
from sqlrisk.analyses.preparation import alignment, joint
from sqlrisk.analyses.preparation.encoding import (
    choose_passes,
    named,
    record_all,
    record_unpacked,
)
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.settings import read_names
from sqlrisk.plan import comparisons, counted_measures, pass_tables
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.plan.subsets.minimal_uniques import contribution
from sqlrisk.plan.subsets.nearness import EQUAL, sought
from sqlrisk.report.columns import Row
from sqlrisk.report.sections.assessment import of_all

SIDES = ("original", "synthetic")
IN_SCHEMA = (  # for databases that cannot write files
    "let `sqlrisk score --save SCHEMA --id COLUMN` make the table record_risk in a schema of the "
    "database"
)
# Columns that give the place of a record in the output of several scenarios. The private file of
# each scenario has them. The output is sorted by them and does not have them.
_PLACE = ("sqlrisk_scenario", "sqlrisk_file", "sqlrisk_record")
OF_CLASS = ("n_orig_class", "n_syn_class", "unique", "replicated_unique")
OF_TARGET = (
    "cap_original", "cap_synthetic", "cap_baseline", "lift", "disclosive_synthetic", "correct",
    "top_share", "predicted_share", "excluded",
)  # fmt: skip


class Written(int):
    """The number of rows written, with the ``assessment`` of the files. If there are several
    ``scenarios``, each record has a row for each.
    """

    assessment: list[Row]
    scenarios: tuple[str, ...]

    @classmethod
    def of(cls, count: int, assessment: list[Row], scenarios: Iterable[str] = ()) -> "Written":
        """Return a number of rows with this assessment."""
        written = cls(count)
        written.assessment, written.scenarios = assessment, tuple(scenarios)
        return written


@dataclass(frozen=True)
class Wanted:
    """The arguments of `sqlrisk.records` that say which records to write, with which columns."""

    synthesis: str | None = None
    side: str = "original"
    gcap: bool = False
    suda: bool = False
    diversity: bool = False
    with_columns: object = ()

    @property
    def of_people(self) -> bool:
        """True if the records are people."""
        return self.side == "original"

    def checked(self, question: Question) -> Question:
        """Return the question with the columns to copy.

        Raises InputError if the arguments do not suit each other.
        """
        if self.side not in SIDES:
            raise InputError(
                f"side: {self.side!r} is not one of {', '.join(SIDES)}"
                f"{suggestion(self.side, SIDES)}."
            )
        if not self.of_people:
            of_people = {
                "gcap": self.gcap,
                "suda": self.suda,
                "diversity": self.diversity,
                "id": question.scenario.id is not None,
            }
            ProblemList(
                f"{name}: it applies only to people; leave it out for the synthetic side."
                for name, on in of_people.items()
                if on
            ).stop()
        stored = () if self.with_columns is None else read_names(self.with_columns, "with")
        ProblemList(
            f"with: the column {name!r} is named twice."
            for name in dict.fromkeys(stored)
            if stored.count(name) > 1
        ).stop()
        numbers = [0] if self.of_people else range(1, len(question.syntheses) + 1)
        return replace(question, stored=dict.fromkeys(numbers, stored))

    def asked(
        self,
        question: Question,
        layout: Layout,
        comparison: Comparison,
        scenario: tuple[int, str] | None = None,
    ) -> "Asked":
        """Return what to write for a question from `checked`. Raises InputError if a target is
        needed, but there is none.
        """
        if not layout.targets:
            ProblemList(
                f"{name}: it needs a target, but no column besides the keys is in all files; "
                "leave it out."
                for name, on in {"gcap": self.gcap, "diversity": self.diversity}.items()
                if on
            ).stop()
        stored, *_ = question.stored.values()
        gcap = self.gcap or (self.of_people and EQUAL in sought(layout))
        return Asked(
            layout, comparison, self.side, gcap, self.suda, self.diversity, stored, scenario
        )


@dataclass(frozen=True)
class Asked:
    """Which records to write the risk of, and with which columns.

    Attributes:
        comparison: the people and the syntheses to compare.
        side: ``original`` to write the people, ``synthetic`` to write the synthetic records.
        gcap: add columns on the nearest synthetic records (GCAP).
        suda: add the scores of special uniques (SUDA).
        diversity: add the l-diversity of classes.
        stored: columns of the records' file to add unchanged.
        scenario: the number and the name of the scenario, if the result has several. The name is in
            the first column.
    """

    layout: Layout
    comparison: Comparison
    side: str = "original"
    gcap: bool = False
    suda: bool = False
    diversity: bool = False
    stored: tuple[str, ...] = ()
    scenario: tuple[int, str] | None = None

    @property
    def of_people(self) -> bool:
        """True if the records are people."""
        return self.side == "original"

    @property
    def files(self) -> tuple[File, ...]:
        """The files that hold the records."""
        return (self.comparison.people,) if self.of_people else self.comparison.members

    @property
    def weighted(self) -> bool:
        """True if the records are people with survey weights."""
        return self.of_people and self.layout.scenario.weights is not None

    @property
    def near(self) -> bool:
        """True if the records are people and a key has a tolerance. Records within the tolerance
        are then counted.
        """
        return self.of_people and bool(self.layout.scenario.near_keys)

    @property
    def tolerant(self) -> list[Column]:
        """The targets with a tolerance. Empty if the records are not people."""
        return [
            target
            for target in self.layout.targets
            if self.of_people and target.tolerance is not None
        ]


def write(
    question: Question, session: Session, path: str, form: str, wanted: Wanted = Wanted()
) -> Written:
    """Write the risk of each record to a new file of the form ``parquet`` or ``csv``, and return
    the number of records.

    On the original side, two kinds of measures of the question add columns: measures of the nearest
    records (as with ``gcap``), and measures of what the other people of the original reveal about a
    person. The errors are those of `sqlrisk.records`.
    """
    question = wanted.checked(question)
    session.output(path, IN_SCHEMA if wanted.of_people else "")
    layout, comparison, passes = prepare(question, wanted.synthesis, session)
    require_identified(question, layout, session)
    asked = wanted.asked(question, layout, comparison)
    return export(asked, passes, session, path, form)


def write_all(
    questions: Mapping[str, Question],
    session: Session,
    path: str,
    form: str,
    wanted: Wanted = Wanted(),
) -> Written:
    """Write the risk of each record by several scenarios to one file, one scenario after another.

    The first column ``scenario`` has the name. The rows and the other columns are those of `write`,
    and a column that a scenario lacks is NULL. The files are encoded once. Return the number of
    rows.
    """
    asking = {
        name: wanted.checked(replace(each, universe=None)) for name, each in questions.items()
    }
    first, *_ = asking.values()
    one_by_one = f"{IN_SCHEMA}, one scenario at a time (FILE#NAME)"
    session.output(path, one_by_one if wanted.of_people else "")
    together, layouts = joint.encode(asking, session, numbered=True)
    comparison = chosen(wanted.synthesis, together)
    require_identified(first, together, session)
    record_unpacked(replace(together, own_id=None), session)
    if alike := joint.compares_alike(layouts):
        assessment.count_copies(together, session)
    parts = {
        name: (number, session.private_file(f"risk_{number}.parquet"))
        for number, name in enumerate(asking)
    }

    def write_one(name: str, question: Question, layout: Layout) -> Written:
        layout = replace(layout, populations=(), own_id=None)
        number, part = parts[name]
        if not alike:
            assessment.count_copies(layout, session)
        asked = wanted.asked(question, layout, comparison, scenario=(number, name))
        return export(asked, choose_passes(layout, session), session, part, "parquet")

    found = joint.in_turn(asking, layouts, together, session, write_one)
    query = session.writer().together((part for _, part in parts.values()), _PLACE)
    session.export("writing", query, path, form)
    assessments = {name: each.assessment for name, each in found.items()}
    return Written.of(sum(found.values()), of_all(assessments), found)


def require_identified(question: Question, layout: Layout, session: Session) -> None:
    """Raise InputError if the id does not identify each person."""
    alignment.require_identified(
        question.scenario, layout.files[0], question.original.name, session.engine
    )


def export(
    asked: Asked, passes: Sequence[KeyRange], session: Session, path: str, form: str
) -> Written:
    """Count the records, and write the risk of each to a file. Return the number of records, with
    the assessment of the files.
    """
    _require_stored(asked)
    # Records of several scenarios are sorted once, when all are there.
    query = risk(asked, ordered=asked.scenario is None)
    if asked.suda:
        special_uniques.require_work(asked.layout)
        session.create(special_uniques.score_steps(asked.layout, asked.comparison.people))
    if asked.gcap:
        neighbours.find(asked.layout, (asked.comparison,), passes, session)
    for key_range in passes:
        session.create(counts(asked, key_range))
    session.export("writing", query, path, form)
    assessed, *_ = assessment.assess(asked.layout, session)
    return Written.of(sum(asked.layout.records[file.number] for file in asked.files), assessed)


def _require_stored(asked: Asked) -> None:
    """Raise InputError for a column to copy that an open file lacks, or whose types differ too much
    for one output column.
    """
    problems = ProblemList(
        f"with: the files were opened without the column {name!r}; name it in the first "
        "question of the Release."
        for name in asked.stored
        if any(name not in file.types for file in asked.files)
    )
    problems.stop()
    for name in asked.stored:
        if len({file.types[name] for file in asked.files}) > 1:
            with problems:
                datatypes.shared(
                    name, [(file.types[name], f"synthesis {file.number}") for file in asked.files]
                )
    problems.stop()


def prepare(
    question: Question, synthesis: str | None, session: Session
) -> tuple[Layout, Comparison, Sequence[KeyRange]]:
    """Make the table of records, numbered within each file. Return the layout, the comparison
    (pooled by default) and the passes that count the records.

    Raises InputError for an unknown synthesis. If there are several methods, a synthesis must be
    named.
    """
    # Drop populations: risk per record is never summed. Records have their own numbers even if ids
    # align the files.
    layout = replace(
        assessment.begin(question, session, numbered=True), populations=(), own_id=None
    )
    comparison = chosen(synthesis, layout)
    return layout, comparison, record_all(layout, session)


def chosen(synthesis: str | None, layout: Layout) -> Comparison:
    """Return the comparison with this label, or with all syntheses pooled, since an intruder would
    have all of them.

    Raises InputError for an unknown label. Without one, raises it if there are several methods,
    because syntheses of different methods are never pooled.
    """
    if synthesis is not None:
        return named(synthesis, layout)
    if len({comparison.method for comparison in layout.of_original}) > 1:
        labels = ", ".join(repr(each.label) for each in layout.of_original)
        raise InputError(
            f"Name the synthesis (--which): one of {labels}; methods are never pooled."
        )
    return layout.of_original[-1]


def counts(asked: Asked, key_range: KeyRange) -> list[Step]:
    """Return the steps of one pass: the counts of each class and cell, the classes that both sides
    share, and the counts behind each record's risk.
    """
    layout, comparison = asked.layout, asked.comparison
    near = layout.targets if asked.gcap else ()
    return [
        pass_tables.classes(layout, key_range),
        *comparisons.overlaps(layout, layout.singles),
        pass_tables.members(layout, key_range),
        *(pass_tables.cells(layout, target) for target in layout.targets),
        *(step for target in asked.tolerant for step in pass_tables.within_counts(layout, target)),
        *(
            pass_tables.reached_cells(layout, target)
            for target in (layout.targets if asked.near else ())
        ),
        *([pass_tables.count_populations(layout)] if layout.scenario.weights is not None else []),
        *(
            step
            for target in near
            for step in pass_tables.near_cells(layout, comparison, target, key_range)
        ),
        Step("risk per record", "record_counts", record_counts(asked)),
    ]


def of_everybody(layout: Layout) -> Layout:
    """Return the layout without id, weights, populations and tolerances, for views of the risk of
    records. No saved table has the id, or the counts that the others would need.
    """
    return replace(
        layout,
        scenario=replace(layout.scenario, weights=None, id=None, within={}),
        populations=(),
        targets=tuple(replace(target, tolerance=None) for target in layout.targets),
    )


def record_counts(
    asked: Asked, members: str = "members", identifiers: Mapping[str, str] | None = None
) -> str:
    """Return the query of the counts behind the risk of each record in ``members``.

    ``identifiers`` maps the names of columns that identify a record to columns of ``members``. The
    default is the record number, with the id if there is one.
    """
    blocks = [block for target in asked.layout.targets for block in _blocks(asked, target)]
    if asked.weighted:
        classes = comparisons.compared_classes(
            asked.layout, [asked.comparison], counted_measures.BY_POPULATION
        )
        blocks.insert(0, _Block("classes", classes, ["population_risk"]))
    if asked.near:
        near = templates.stage(
            "stages/people/reached_of_record.sql",
            **asked.layout.names,
            own=f"reached_{asked.comparison.people.count_class}",
            synthetic=pass_tables.within_reach(asked.comparison.members, of_class=True),
            reached_classes="reached_classes",
        )
        blocks.insert(0, _Block("reached", near, ["n_orig_near", "n_syn_near"]))
    return templates.stage(
        "stages/people/record_counts.sql",
        comparison=asked.comparison,
        files=asked.files,
        identifiers={
            "record_number": "record",
            **({"record_id": "record_id"} if asked.layout.scenario.id else {}),
        }
        if identifiers is None
        else identifiers,
        key_columns=asked.layout.key_columns,
        members=members,
        blocks=blocks,
    )


@dataclass(frozen=True)
class _Block:
    """A query to join to the records. With a ``target`` it has a row per cell, otherwise a row per
    class.

    ``names`` are the columns to take from it.
    """

    alias: str
    query: str
    names: list[str]
    target: Column | None = None


def _blocks(asked: Asked, target: Column) -> Iterator[_Block]:
    """Yield the queries to join to each record for one target."""
    layout, comparison = asked.layout, asked.comparison

    def query(name: str, **tables: object) -> str:
        path = f"stages/people/{name}_of_record.sql"
        return templates.stage(path, **layout.names, comparison=comparison, target=target, **tables)

    def query_of_cells(name: str, *, nearest: bool = False, **known: object) -> str:
        compared = comparisons.Cells(layout, (comparison,), (target,), nearest=nearest).compared
        modes = templates.stage(
            "stages/people/modes.sql", class_key=layout.class_key, compared=compared
        )
        return query(name, compared=compared, modes=modes, **known)

    def names(*of_target: str) -> list[str]:
        return [f"{name}_{target.id}" for name in of_target]

    reason = (
        f"excluded_{'orig' if asked.of_people else 'syn'}" if layout.scenario.excludes else None
    )
    cells = query_of_cells("cells", baseline=target.name in layout.baselines, reason=reason)
    known = names("n_orig", "n_syn", "share_level", "n_top", "n_modal", "excluded")
    yield _Block(f"cells_{target.id}", cells, known, target)
    if target in asked.tolerant:
        near = query("within", within_counts=table("within_counts", target))
        yield _Block(f"within_{target.id}", near, names("n_within"), target)
    if asked.near:
        of_cells = {
            "synthetic": pass_tables.within_reach(comparison.members),
            "reached_cells": table("reached_cells", target),
        }
        near = query("reached_cells", **of_cells)
        yield _Block(f"reached_{target.id}", near, names("n_near_syn"), target)
    if asked.gcap:
        near = query_of_cells("near_cells", nearest=True)
        # The radius is that of the class, so one target is enough.
        radius = ["radius"] if target == layout.targets[0] else []
        found = names("n_near", "n_near_class", "n_near_top", "n_near_modal")
        yield _Block(f"near_{target.id}", near, [*radius, *found], target)
    if asked.diversity:
        spread = query(
            "profiles", profiles=comparisons.Cells(layout, (comparison,), (target,)).profiles()
        )
        yield _Block(f"profiles_{target.id}", spread, names("n_levels", "entropy", "l_recursive"))


def risk(
    asked: Asked,
    record_counts: str = "record_counts",
    *,
    ordered: bool = True,
    identifiers: Mapping[str, str] | None = None,
) -> str:
    """Return the query of the risk of each record, by default in file order.

    ``identifiers`` maps the names of identifying columns to SQL over ``record_counts``. Raises
    InputError if a stored column has the name of another result column.
    """
    layout, comparison = asked.layout, asked.comparison
    people = (
        f"(SELECT record, {layout.class_key} FROM records WHERE file = {comparison.people.number})"
    )
    if identifiers is None:
        identifiers = {"record": "record_id" if layout.scenario.id else "record_number"}
    order = ["record_number"]
    if len(asked.files) > 1:
        identifiers = {**identifiers, "synthesis": "file_number"}
        order.insert(0, "file_number")
    if asked.scenario is not None:
        number, name = asked.scenario
        place = zip(_PLACE, (str(number), "file_number", "record_number"), strict=True)
        identifiers = {"scenario": templates.literal(name), **identifiers, **dict(place)}
    near = [(name, asked.near) for name in ("n_orig_near", "n_syn_near")]
    known = [
        name
        for name, told in (*near, ("radius", asked.gcap), ("population_risk", asked.weighted))
        if told
    ]
    contributions = [contribution(key.name) for key in layout.keys]
    scores = ["suda_score", "dis_suda", *map(templates.quote, contributions)] if asked.suda else []
    own = (
        *identifiers,
        *OF_CLASS,
        *known,
        *(["suda_score", "dis_suda", *contributions] if asked.suda else ()),
    )
    taken = {name.casefold() for name in own}
    told = {
        "others": layout.targets if layout.others else (),
        "near": layout.targets if asked.near else (),
        "within": asked.tolerant,
    }
    on_request = [
        name for name, wanted in (("nearest", asked.gcap), ("diversity", asked.diversity)) if wanted
    ]

    def named_of(measure: str, target: Column) -> str:
        name = f"{measure}_{target.name}"  # correct_income
        taken.add(name.casefold())
        return templates.quote(name)

    stored = [templates.quote(name) for name in asked.stored]
    joined = {}
    if asked.suda:
        record_scores = special_uniques.record_scores(layout, comparison.people, people)
        joined["scores"] = templates.stage(
            "stages/people/scores_of_record.sql", names=scores, record_scores=record_scores
        )
    if stored:
        joined["stored"] = templates.stage(
            "stages/people/stored_columns.sql", files=asked.files, columns=stored
        )
    query = templates.stage(
        "tables/record_risk.sql",
        identifiers={
            **identifiers,
            **{name: f"stored.stored_{number}" for number, name in enumerate(stored, start=1)},
        },
        own_class="n_orig_class" if asked.of_people else "class_syn",
        known={name: name for name in known} | {name: f"scores.{name}" for name in scores},
        targets=layout.targets,
        shown={
            target.id: ["caps", *(name for name, of in told.items() if target in of), *on_request]
            if asked.of_people
            else ["weap"]
            for target in layout.targets
        },
        names=named_of,
        joined=joined,
        order=order if ordered else [],
        record_counts=record_counts,
    )
    met = [name for name in asked.stored if name.casefold() in taken]
    ProblemList(
        f"with: the result already has a column {name!r}; leave out the file's column."
        for name in met
    ).stop()
    return query
