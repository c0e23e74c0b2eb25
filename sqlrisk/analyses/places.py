"""Places where the tables of a run are kept after it ends."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlrisk.plan.columns import table
from sqlrisk.plan.steps import Step

if TYPE_CHECKING:
    from sqlrisk.analyses.session import Session
    from sqlrisk.inputs.request import Question
    from sqlrisk.plan.layout import Layout
    from sqlrisk.report.report import Report


class Place:
    """Where the tables of a run go. In this default place they are dropped with the session, and
    each subclass keeps them.

    Attributes:
        numbered: True if the place needs numbered records.
        every_target: True if the place needs the cells of targets that no measure reads.
        kept: the names of tables that stay in the user's database.
    """

    numbered = False
    every_target = False
    kept: tuple[str, ...] = ()

    def begin(self, session: "Session") -> None:
        """Prepare the place before files are read. Raises InputError if no table can be kept
        there.
        """

    def check(self, question: "Question", layout: "Layout", session: "Session") -> None:
        """Raise EngineError if the disk lacks room, InputError for ids that do not identify people.
        Called after records are made and before they are counted.
        """

    def beside(self, steps: Iterable[Step], _layout: "Layout") -> Iterable[Step]:
        """Return the steps of all passes. Subclasses add steps that copy tables before the next
        pass replaces them.
        """
        return steps

    def keep(
        self, question: "Question", layout: "Layout", report: "Report", session: "Session"
    ) -> None:
        """Keep the tables of the run. Called at its end."""


def counted(layout: "Layout") -> dict[str, str]:
    """Return table -> the SQL list of columns to keep, for the tables of classes and cells. Cells
    from `pass_tables.windowed_cells` have one more column, which is not kept.
    """
    keys = layout.key_column_names
    of_class = [file.count_class for file in layout.counted_files]
    cells = [*keys, "level_code", *of_class, *(file.count for file in layout.counted_files)]
    return {
        "classes": ", ".join([*keys, *(file.count for file in layout.files)]),
        **{table("cells", target): ", ".join(cells) for target in layout.targets},
    }


def copies(steps: Iterable[Step], layout: "Layout", before: str) -> Iterable[Step]:
    """Yield the steps. After each step that makes classes or cells, also yield a step that copies
    the rows to a table with the prefix ``before``.
    """
    columns = counted(layout)
    for step in steps:
        yield step
        if step.table in columns:
            query = f"SELECT {columns[step.table]} FROM {step.table}"
            yield Step("save", f"{before}{step.table}", query)
