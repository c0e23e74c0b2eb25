"""Run a question's plan on an engine. The result is a report, a listing of cells, or an inspection
of the files.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from sqlrisk.analyses import (
    assessment,
    links,
    neighbours,
    result_rows,
    singling_out,
    special_uniques,
)
from sqlrisk.analyses.audit import Log
from sqlrisk.analyses.places import Place
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import encode, record_all
from sqlrisk.analyses.scores import (
    checks,
    differences,
    distributions,
    membership,
    population_uniques,
    risky_cells,
    what_if,
    whole_rows,
)
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.statistics import trends
from sqlrisk.engines.engine import EngineOpener
from sqlrisk.inputs.labels import merged
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.sources import FORMATS, csv_as_read
from sqlrisk.plan import pass_tables, totals
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.columns import table
from sqlrisk.plan.comparisons import overlaps
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.subsets.nearness import sought
from sqlrisk.report import columns
from sqlrisk.report.listing import Listing
from sqlrisk.report.report import Report
from sqlrisk.report.results.inspection import Inspection

NOWHERE = Place()
NO_COPIES = whole_rows.Copies()
Rows = result_rows.Rows


def score(
    question: Question,
    session: Session,
    *,
    place: Place = NOWHERE,
    log: Log | None = None,
    listed: Sequence[str] = (),
    cube: bool = False,
) -> Report:
    """Run every measure of a question. Raises InputError for problems that only the data show
    (columns, types, levels), and above the work limit.

    Args:
        place: keeps the tables of the run.
        log: gets the executed statements.
        listed: measures whose riskiest cells are listed for each synthesis: at most one over
            classes and one over cells.
        cube: also read the counts that let an internal page recompute numbers (what-if).
    """
    session.log = log
    place.begin(session)
    of_keys = question.of_keys
    layout = encode(
        of_keys, session, numbered=place.numbered or question.numbers_control, whole_rows=True
    )
    whole = whole_rows.measure(question, layout, session) if question.of_rows else NO_COPIES
    copies = assessment.compare_rows(layout, session, membership=question.asks_who_was_in)
    if log is not None:
        log.loads += session.engine.loads
    passes = record_all(layout, session)
    place.check(of_keys, layout, session)
    report = measure(
        of_keys,
        layout,
        passes,
        copies,
        session,
        whole=whole,
        place=place,
        listed=listed,
        cube=cube,
    )
    place.keep(of_keys, layout, report, session)
    return replace(report, kept=place.kept)


def measure(
    question: Question,
    layout: Layout,
    passes: Sequence[KeyRange],
    copies: result_rows.Rows,
    session: Session,
    *,
    whole: whole_rows.Copies = NO_COPIES,
    place: Place = NOWHERE,
    listed: Sequence[str] = (),
    cube: bool = False,
) -> Report:
    """Count the records of an encoded layout and read the numbers into a report.

    ``copies`` are the report's rows on copied records, and ``whole`` its measures of whole rows.
    The other arguments and the errors are those of `score`.
    """
    if any(population.kind == "special" for population in layout.populations):
        special_uniques.require_work(layout)
        session.create(special_uniques.population_steps(layout))
    if sought(layout):
        neighbours.find(layout, layout.of_original, passes, session, sought(layout))
    if layout.links or layout.most_keys:
        session.create(pass_tables.every_class(layout, passes))
        links.find(layout, session)
        singling_out.find(layout, session)
    # Without targets, measures of targets are left out.
    asked = [each for each in question.measures if each in layout.measures]
    wanted = [each for each in asked if each.name in listed]
    counted = totals.count(
        layout,
        question.catalog,
        passes,
        rewrites_many=session.engine.rewrites_many,
        every_target=place.every_target,
    )
    if wanted:
        counted = risky_cells.beside(counted, layout, wanted, layout.singles, columns.MOST)
    session.create(
        chain(
            place.beside(counted, layout), totals.collect(layout), totals.collect_unexcluded(layout)
        )
    )
    overlaps = checks.overlap(layout, session)
    original, synthetic = checks.files(question, layout, overlaps, session)
    measured = result_rows.results(question, layout, session)
    added = differences.differences(layout, measured, session)
    rows = [*differences.inserted(measured, added, question.measures), *whole.results]
    assessed, apart, merges = assessment.assess(layout, session)
    return Report(
        assessment=assessed,
        copies=copies,
        columns=apart,
        merges=merges,
        labels=_labels(question, layout, session),
        equal_width=_equally_wide(layout, session),
        scenario=layout.scenario.settings(),
        original=original,
        synthetic=synthetic,
        results=rows,
        without_exclusions=_without_exclusions(question, layout, session),
        checks=checks.checks(layout, session, cells=len(passes) == 1),
        exclusions=checks.exclusions(layout, session),
        levels=checks.one_sided_levels(layout, session),
        overlap=overlaps,
        control=checks.control(layout, session),
        universe=checks.universe(layout, session),
        differences=[*added, *whole.differences],
        membership=membership.read(layout, session) if layout.asks_who_was_in else [],
        distributions=distributions.read(layout, session) if layout.scenario.distributions else [],
        shares=distributions.level_shares(layout, session) if layout.scenario.distributions else [],
        trends=trends.read(layout, measured, session) if layout.scenario.trend else [],
        population_uniques=[]
        if (share := layout.scenario.sampled) is None
        else population_uniques.read(share, session),
        engine=dict(session.engine.describe()),
        listings=[
            listing
            for each in wanted
            for listing in risky_cells.read(
                layout,
                each,
                risky_cells.targets_of(layout, each, None),
                layout.singles,
                columns.MOST,
                session,
                worth=True,
            )
        ],
        cube=what_if.count(layout, session, len(passes)) if cube else None,
        texts={each.name: each.sql for each in (*asked, *whole.measures)},
        families=question.catalog.described,
    )


def _equally_wide(layout: Layout, session: Session) -> list[str]:
    """Return the columns whose bins have equal widths because quantiles make too few."""
    binned = [column for column in layout.columns if column.bins]
    looks = [
        f"SELECT {place} AS place, MAX(equal_width) AS equal_width FROM {table('breaks', column)}"
        for place, column in enumerate(binned)
    ]
    found = session.fetch(" UNION ALL ".join(looks)) if looks else []
    return [binned[place].name for place, equal in sorted(found) if equal]


def _without_exclusions(question: Question, layout: Layout, session: Session) -> result_rows.Rows:
    """Return the result rows without exclusions. Empty if the scenario excludes nobody."""
    if not layout.scenario.excludes:
        return []
    measures = tuple(each for each in question.measures if each.needs != "exclusions")
    always, table = replace(question, measures=measures), totals.UNEXCLUDED
    measured = result_rows.results(always, layout, session, table)
    added = differences.differences(layout, measured, session, table)
    return differences.inserted(measured, added, measures)


def inspect(question: Question, session: Session) -> Inspection:
    """Assess the files of a question, and list their formats and declared missing codes.

    If keys are named, assess the files by the keys, with one measure of identity. Otherwise check
    the targets, or all columns if there are no targets.
    """
    look = _of_keys if question.scenario.keys else _of_every_column
    found = look(question, session)
    files = [
        {"file": source.label, "format": FORMATS.get(source.kind, "table")}
        | (csv_as_read(source) if source.kind == "csv" else {})
        | dict(session.engine.left_out(source))
        for source in question.sources
    ]
    asked = list(dict.fromkeys(str(row["column"]) for row in found.columns))
    missing = [
        {
            "file": source.label,
            "column": name,
            "code": code,
            # A file may store the label of a letter code such as ``.a`` under ``a``.
            "label": labels[name].values.get(code, labels[name].values.get(code.removeprefix("."))),
            "records": records,
        }
        for source in question.sources
        for labels, codes in [
            (merged(session.engine.labels(source)), session.engine.missing(source))
        ]
        for name in asked
        for code, records in sorted(codes.get(name, {}).items())
    ]
    return replace(found, files=files, missing=missing)


def _of_keys(question: Question, session: Session) -> Inspection:
    """Assess the files by the question's keys."""
    report = score(replace(question, measures=question.catalog.select(("identity",))[:1]), session)
    return Inspection(
        assessment=report.assessment,
        copies=report.copies,
        columns=report.columns,
        labels=report.labels,
        scenario=report.scenario,
        original=report.original,
        synthetic=report.synthetic,
        merges=report.merges,
    )


def _of_every_column(question: Question, session: Session) -> Inspection:
    """Assess the files without keys, by the targets or all columns that the files share."""
    layout = encode(replace(question, measures=()), session, every_target=False, whole_rows=True)
    copies = assessment.compare_rows(layout, session)
    original, synthetic = checks.files(question, layout, [], session)
    assessed, apart, merges = assessment.assess(layout, session)
    return Inspection(
        assessment=assessed,
        copies=copies,
        columns=apart,
        labels=_labels(question, layout, session),
        scenario=layout.scenario.settings(),
        original=original,
        synthetic=synthetic,
        merges=merges,
    )


def cells(
    question: Question,
    session: Session,
    measure: str,
    *,
    synthesis: str = "1",
    target: str | None = None,
    limit: int = 20,
) -> Listing:
    """List the riskiest cells of a measure (classes, for an identity measure). Disclosive.
    Arguments and errors are those of `sqlrisk.cells`.
    """
    risky_cells.check(question.catalog[measure])
    layout = assessment.begin(question, session)
    listing = list_cells(
        question, layout, session, measure, synthesis=synthesis, target=target, limit=limit
    )
    assessed, *_ = assessment.assess(layout, session)
    return replace(listing, assessment=assessed)


def list_cells(
    question: Question,
    layout: Layout,
    session: Session,
    measure: str,
    *,
    synthesis: str,
    target: str | None,
    limit: int,
    worth: bool = False,
) -> Listing:
    """List the riskiest cells of a measure for encoded files. Also count ``overlap``, which the
    assessment needs.

    ``worth`` is that of `risky_cells.read`. The other arguments are those of `sqlrisk.cells`.
    Raises the errors of `risky_cells.asked`.
    """
    wanted = question.catalog[measure]
    comparison, targets = risky_cells.asked(layout, wanted, synthesis, target, "scenario")
    for key_range in record_all(layout, session):
        session.create([pass_tables.classes(layout, key_range), *overlaps(layout, layout.singles)])
        if not wanted.untargeted:
            session.create([pass_tables.members(layout, key_range)])
        for column in targets:
            if column is not None:
                session.create([pass_tables.cells(layout, column)])
            if column is not None and wanted.stage == "within":
                session.create(pass_tables.within_counts(layout, column))
            if column is not None and wanted.stage == "reached_cells":
                session.create([pass_tables.reached_cells(layout, column)])
            session.create(
                [risky_cells.step(layout, wanted, comparison, column, limit, worth=worth)]
            )
    (listing,) = risky_cells.read(
        layout, wanted, targets, [comparison], limit, session, worth=worth
    )
    labels = _labels(question, layout, session)
    return replace(listing, labels=labels)


def _labels(question: Question, layout: Layout, session: Session) -> dict[str, str]:
    return column_labels(layout.columns, layout.scenario, question.sources, session.engine)


def with_rerun(report: Report, question: Question, open_engine: EngineOpener) -> Report:
    """Return a report that can list the cells behind its numbers. Listing runs the report's
    question again.
    """

    def rerun(
        measure: str,
        *,
        target: str | None = None,
        synthesis: str = "1",
        limit: int = 20,
        worth: bool = False,
    ) -> Listing:
        risky_cells.check(question.catalog[measure])
        with open_engine() as engine:
            session = Session(engine)
            layout = encode(question, session)
            how: Any = {"synthesis": synthesis, "target": target, "limit": limit, "worth": worth}
            return list_cells(question, layout, session, measure, **how)

    return replace(report, rerun=rerun)
