"""What a kind of result declares of its figures, and the forms that follow."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlrisk.report.result import Forms

if TYPE_CHECKING:
    from sqlrisk.report.html.drawing import Named
    from sqlrisk.report.html.look import Figure


class Kind(Forms):
    """A result with figures."""

    _kind: ClassVar[str]
    """Which figures it has, as `sqlrisk.report.html.figures` names them."""
    _below: ClassVar[Mapping[str, Sequence[str]]] = {}
    """The names of the figures of its page, all where none is named, by the heading that they stand
    below; ``{field}`` is the value of a field.
    """

    def _pictures(self) -> "Named":
        from sqlrisk.report.html.figures import FIGURES

        return FIGURES[self._kind]

    def _figures(self) -> "Mapping[str, Sequence[Figure]]":
        if not self._below:
            return {}
        from sqlrisk.report.html.figures import of

        return {
            heading.format_map(vars(self)): of(self._kind, self, *names)
            for heading, names in self._below.items()
        }
