"""Steps of one recode of a column, such as bands of width 1, 5 and 10. The files are scored with
the dictionary of each step.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs.columns.dictionary import joined
from sqlrisk.inputs.readers import split_line, texts

STEPPED = ("step", "bands", "width", "top", "bottom", "date", "rare")
PLAIN = "none"  # the step without the recode
_COLUMN = re.compile(rf"(?P<column>.+?)(?:\.(?P<name>{'|'.join(STEPPED)}))?", re.DOTALL)
_FORM = (
    "expected COLUMN=STEPS of a hierarchy, as in region=0,1,2, or COLUMN.NAME=VALUES, as in "
    "age.width=1,5,10"
)


@dataclass(frozen=True)
class RecodeSteps:
    """The steps of one recode.

    Attributes:
        column: the column.
        name: the setting in the column's dictionary entry that changes, such as ``width``.
        values: its values, in order. `PLAIN` leaves the setting out.
    """

    column: str
    name: str
    values: tuple[object, ...]

    @property
    def stepped(self) -> str:
        """The steps as a user names them, such as ``age.width``, or ``region`` for steps of a
        hierarchy.
        """
        return self.column if self.name == "step" else f"{self.column}.{self.name}"

    def labels(self) -> tuple[str, ...]:
        """Return the name of each step."""
        return tuple(
            ",".join(map(str, each)) if isinstance(each, list | tuple) else str(each)
            for each in self.values
        )

    def dictionaries(self, column: object) -> list[dict[str, dict[str, object]]]:
        """Return the dictionary for each step, unchecked. ``column`` is the dictionary of all
        columns, to which the value of the step is added.
        """
        found = []
        for value in self.values:
            every = joined(column, {self.column: {self.name: value}})
            # The steps replace the bands that the column has.
            every[self.column].pop({"width": "bands", "bands": "width"}.get(self.name, ""), None)
            if value == PLAIN and self.name == "step":
                every[self.column]["step"] = 0  # without a step, a hierarchy has its first
            elif value == PLAIN:
                for name in (self.name, f"{self.name}_as"):
                    every[self.column].pop(name, None)
            found.append(every)
        return found


def read_steps(value: object) -> RecodeSteps:
    """Read the steps of a column: ``region=0,1,2``, ``age.width=1,5,10``, or a mapping.

    Raises InputError unless these are at least two different steps of one recode.
    """
    given: list[tuple[object, object]] = (
        [*value.items()] if isinstance(value, Mapping) else [*map(_read_line, texts(value) or ())]
    )
    if not given:
        raise InputError(f"steps: {_FORM}.")
    if len(given) > 1:
        raise InputError(
            "steps: only one recode of one column can have steps, all in one line; write a "
            "[scenario.NAME] for each other combination."
        )
    ((stepped, several),) = given
    found = _COLUMN.fullmatch(str(stepped))
    if found is None or isinstance(several, str) or not isinstance(several, Sequence):
        raise InputError(f"steps: {_FORM}.")
    steps = RecodeSteps(found["column"], found["name"] or "step", tuple(several))
    problems = ProblemList()
    labels = steps.labels()
    if len(labels) < 2:
        problems.append(f"steps: {steps.stepped} needs at least two steps to compare.")
    problems += [
        f"steps: {steps.stepped}={each} is given twice; remove one."
        for each in dict.fromkeys(labels)
        if labels.count(each) > 1
    ]
    problems.stop()
    return steps


def _read_line(line: str) -> tuple[str, list[str]]:
    """Read the text before the first equals sign, and the list of values after it."""
    stepped, sign, values = line.partition("=")
    if not sign:
        raise InputError(f"steps: {_FORM}; got {line!r}.")
    if stepped.endswith(".bands"):
        raise InputError(
            f"steps: each step of {stepped} is a list of numbers, so give them in a scenario "
            "file or in Python; or use steps of its width."
        )
    return stepped, [name for name, _ in split_line(values, "steps")]
