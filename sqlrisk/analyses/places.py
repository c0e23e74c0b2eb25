"""Where the tables of a run stay when it has ended."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlrisk.plan.steps import Step

if TYPE_CHECKING:
    from sqlrisk.analyses.session import Session
    from sqlrisk.inputs.request import Question
    from sqlrisk.plan.layout import Layout
    from sqlrisk.report.report import Report


class Place:
    """Nowhere: the tables end with the session. Each place is a class of its own beside this one.

    Attributes:
        numbered: it needs numbered records.
        every_target: it needs cells that no measure reads.
        kept: the names of tables that stay in the user's database.
    """

    numbered = False
    every_target = False
    kept: tuple[str, ...] = ()

    def begin(self, session: "Session") -> None:
        """Prepare the place before files are read. Raises InputError if nothing can stay there."""

    def require_room(self, layout: "Layout", session: "Session") -> None:
        """Raise EngineError if there is no room. The records are made, and nothing is counted."""

    def beside(self, steps: Iterable[Step]) -> Iterable[Step]:
        """Return the steps of all passes, and those that keep what a pass makes again."""
        return steps

    def keep(
        self, question: "Question", layout: "Layout", report: "Report", session: "Session"
    ) -> None:
        """Keep what the run has made, at its end."""


def copies(steps: Iterable[Step], before: str) -> Iterable[Step]:
    """Yield steps, and after each that makes classes or cells one that copies them to a table whose
    name has ``before`` before theirs.
    """
    for step in steps:
        yield step
        if step.table == "classes" or step.table.startswith("cells_"):
            yield Step("save", f"{before}{step.table}", f"SELECT * FROM {step.table}")
