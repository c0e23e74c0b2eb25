"""A class of results that declare their figures.

The class is not in `result`, because modules that draw figures import `result`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlrisk.report.result import Forms

if TYPE_CHECKING:
    from sqlrisk.report.html.drawing import Named
    from sqlrisk.report.html.look import Figure


class ResultKind(Forms):
    """A result that declares which figures it has."""

    _kind: ClassVar[str] = ""
    """Its entry in `sqlrisk.report.html.figures`. Empty if it has no figures."""
    _below: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Heading of its page -> names of the figures below the heading. An empty list means all
    figures. ``{self.field}`` in a heading becomes the value of that field.
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
