"""What a result declares about its figures, and the forms that follow from it.

It is not in `result`, because the modules that draw import that.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlrisk.report.result import Forms

if TYPE_CHECKING:
    from sqlrisk.report.html.drawing import Named
    from sqlrisk.report.html.look import Figure


class ResultKind(Forms):
    """A result that names its figures."""

    _kind: ClassVar[str] = ""
    """Whose figures it has, as `sqlrisk.report.html.figures` lists them; empty: none."""
    _below: ClassVar[Mapping[str, Sequence[str]]] = {}
    """The names of the figures of its page, empty: all, by the text of the heading that they stand
    below; ``{self.field}`` in it is the value of a field.
    """

    def _figures(self) -> "Mapping[str, Sequence[Figure]]":
        if not self._below:
            return {}
        from sqlrisk.report.html.figures import of

        below = self._below.items()
        return {heading.format(self=self): of(self._kind, self, *names) for heading, names in below}

    def _pictures(self) -> "Named":
        from sqlrisk.report.html.figures import FIGURES

        return FIGURES[self._kind] if self._kind else {}
