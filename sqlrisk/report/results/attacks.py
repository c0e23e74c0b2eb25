"""The result of attacks: how often each attacker guesses right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.sections import assessment
from sqlrisk.report.wording import amount, distinct, shown, split, synthesis_name

if TYPE_CHECKING:
    from sqlrisk.report.html.look import Figure

TYPES = {
    **dict.fromkeys(("attacker", "kind", "target", "trained_on", "people"), "string"),
    "correct": "double",
    "tested": "int64",
    **dict.fromkeys(("accuracy", "low", "high"), "double"),
    "trained_records": "int64",
    **dict.fromkeys(("sampled", "converged"), "bool"),
}


@dataclass(frozen=True, repr=False)
class Attacks(ResultKind):
    """How often attackers guess right. ``rows`` has one dict per attacker, target, training file or
    pool, and file of people, keyed by the CSV's columns.

    ``settings`` holds every setting, and ``files`` the source and records of each file in
    ``trained_on`` and ``people``. ``library`` is the version of scikit-learn, or None if it was not
    used. ``words`` explains each attacker.

    In a row, ``kind`` is baseline, sql or sklearn. The attacker learned from ``trained_records``
    and guessed ``correct`` of ``tested`` people right. ``accuracy`` is the percentage of right
    guesses, with the interval from ``low`` to ``high``. ``sampled`` is True if the records or the
    people are only a sample. ``converged`` is False if a model's training did not converge, None
    for attackers without a model.
    """

    assessment: list[Row]
    settings: Row
    files: list[Row]
    library: str | None
    rows: list[Row]
    words: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    _kind: ClassVar = "attack"
    _types: ClassVar = TYPES

    def __len__(self) -> int:
        return len(self.rows)

    def _document(self) -> dict[str, object]:
        return {
            "assessment": self.assessment,
            **self._present("labels"),
            "settings": self.settings,
            "files": self.files,
            "scikit_learn": self.library,
            "attackers": self.words,
            "attacks": self._objects(),
        }

    def _blocks(self) -> list[Block]:
        targets: list[Block] = []
        for target, rows in split(self.rows, "target"):
            targets += [Heading(_heading(target)), _grid(rows)]
        return said(
            "attacks",
            self,
            assessment=assessment.blocks(self.assessment),
            left_out=assessment.left_out(self.files),
            targets=targets,
        )

    def _figures(self) -> "dict[str, list[Figure]]":
        from sqlrisk.report.html.figures import of

        of_target = {
            target: replace(self, rows=rows) for target, rows in split(self.rows, "target")
        }
        return {_heading(target): of("attack", found) for target, found in of_target.items()}


def _heading(target: object) -> str:
    return f"Percent of people whose {shown(target)} is guessed"


def _grid(rows: Sequence[Row]) -> Grid:
    """Draw a line for each attacker and training file. Columns are the people of each file."""
    groups = distinct(rows, "people")
    columns = [GridColumn("attacker", label=True, once=True), GridColumn("trained on", label=True)]
    for group in groups:
        columns += [
            GridColumn(name, above=f"{group}'s people" if len(groups) > 1 else "")
            for name in ("percent", "low", "high")
        ]
    lines, starts = list[list[str]](), list[int]()
    for attacker, own in split(rows, "attacker"):
        starts.append(len(lines))
        for trained_on, found in split(own, "trained_on"):
            marks = "*" if found[0]["sampled"] else ""
            marks += "!" if found[0]["converged"] is False else ""
            name = f"{attacker}{marks}" if marks or starts[-1] == len(lines) else ""
            numbers = (row[each] for row in found for each in ("accuracy", "low", "high"))
            texts = (amount(number, "percent") for number in numbers)
            lines.append([name, synthesis_name(trained_on), *texts])
    return Grid(columns, lines, frozenset(starts))
