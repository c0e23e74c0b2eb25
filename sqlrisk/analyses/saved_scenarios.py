"""The saved runs of several scenarios in one DuckDB file.

Each scenario has a schema of its name with the tables and views of a saved run. The main schema has
two views: ``scenarios`` lists the scenarios, ``all_results`` the results of all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO

from sqlrisk.analyses import places, saved_runs
from sqlrisk.analyses.saved_runs import MAIN, SCHEMA
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import ProblemList
from sqlrisk.inputs.request import Question
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.report import Report

# Names of schemas that every database has, and of databases open in the session. A scenario with
# one of these names would be ambiguous: warehouse.results would be a table of that database.
_TAKEN = (
    *(MAIN, "information_schema", "pg_catalog"),
    *(SCHEMA, "stages", "system", "temp", "warehouse"),
)


class SavedScenarios:
    """A file in which the runs of several scenarios are saved."""

    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        """Use the file. Raises InputError for scenario names that cannot name a schema."""
        ProblemList(_refused(names)).stop()
        self._file = file
        self._names = names
        self._size = 0
        self._views: dict[str, Mapping[str, str]] = {}

    def begin(self, session: Session) -> None:
        """Attach an empty database with the schemas to the session."""
        saved_runs.writer(session).begin_saved(self._names)

    def place(self, name: str, layout: Layout) -> "SavedScenario":
        """Return the place of one scenario. ``layout`` comes from `joint.projected`."""
        return SavedScenario(self, name, layout)

    def require_room(self, size: int, session: Session) -> None:
        """Raise EngineError if the disk has no room for another run of this many bytes."""
        self._size += size
        saved_runs.writer(session).memory.require_room(self._size, self._file.name)

    def add_views(self, name: str, queries: Mapping[str, str]) -> None:
        """Store the view queries of a scenario until `end` makes the views."""
        self._views[name] = queries

    def end(self, session: Session) -> None:
        """Make the views, and write the file."""
        named = [templates.literal(name) for name in self._names]
        scenarios = ", ".join(f"({number}, {name})" for number, name in enumerate(named, start=1))
        results = (
            f"SELECT {literal} AS scenario, * FROM {templates.quote(name)}.results"
            for literal, name in zip(named, self._names, strict=True)
        )
        self._views[MAIN] = {
            "scenarios": f"SELECT * FROM (VALUES {scenarios}) AS scenarios (number, name)",
            "all_results": templates.union_all(results),
        }
        saved_runs.writer(session).write_saved(self._views, self._file)


class SavedScenario(places.Place):
    """The schema of one scenario. Its columns have the ids (k1, t1 ...) that they would have if the
    scenario had run alone.
    """

    every_target = True

    def __init__(self, whole: SavedScenarios, name: str, layout: Layout) -> None:
        self._whole = whole
        self._name = name
        self._schema = f"{SCHEMA}.{templates.quote(name)}."
        self._columns = _numbered(layout)

    def check(self, _question: Question, layout: Layout, session: Session) -> None:
        """Raise EngineError if the disk lacks room for this scenario and the earlier ones."""
        self._whole.require_room(saved_runs.size(layout, session), session)

    def beside(self, steps: Iterable[Step], layout: Layout) -> Iterator[Step]:
        """Copy classes and cells to the schema while the steps run."""
        numbered = {
            self._schema + table("cells", each): self._schema + table("cells", own)
            for each, own in self._columns.items()
        }
        for step in places.copies(steps, layout, self._schema):
            yield replace(step, table=numbered.get(step.table, step.table))

    def keep(self, question: Question, layout: Layout, report: Report, session: Session) -> None:
        """Copy the tables other than classes and cells. Store the views until
        `SavedScenarios.end`.
        """
        own = _alone(layout, self._columns)
        made = saved_runs.tables(question, layout, report, session, own=own)
        targets = ", ".join(f"{each.id} AS {self._columns[each].id}" for each in layout.targets)
        if targets:
            made["records"] = f"SELECT * RENAME ({targets}) FROM records"
        session.create(Step("save", self._schema + name, query) for name, query in made.items())
        self._whole.add_views(self._name, saved_runs.views(own))


def _refused(names: Iterable[str]) -> Iterator[str]:
    """Yield messages about names that cannot name a schema, such as two that differ only in
    case.
    """
    known: dict[str, str] = {}
    for name in names:
        same = known.setdefault(name.casefold(), name)
        if not (name.strip() and name.isprintable()) or name.casefold() in _TAKEN:
            yield (
                f"save: {name!r} cannot be the name of a schema of the file; rename this scenario."
            )
        elif same != name:
            yield (
                f"save: {same!r} and {name!r} are one name of a schema of the file; rename one of "
                "these scenarios."
            )


def _numbered(layout: Layout) -> dict[Column, Column]:
    """Return each column with the role and number that it would have if the scenario ran alone.

    Scenarios that run together encode all columns as keys, because a target of one scenario may be
    a key of another.
    """
    roles = {"k": layout.keys, "t": layout.targets}
    return {
        each: replace(each, role=role, number=number)
        for role, columns in roles.items()
        for number, each in enumerate(columns, start=1)
    }


def _alone(layout: Layout, columns: Mapping[Column, Column]) -> Layout:
    """Return the layout with these columns in place of its own, as if the scenario had run
    alone.
    """
    keys, targets = (
        tuple(columns[each] for each in these) for these in (layout.keys, layout.targets)
    )
    packed = tuple(
        replace(
            each, parts=tuple(replace(part, column=columns[part.column]) for part in each.parts)
        )
        for each in layout.key_columns
    )
    return replace(layout, keys=keys, targets=targets, key_columns=packed)
