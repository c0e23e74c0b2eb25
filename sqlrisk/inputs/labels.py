"""What a file itself says of its columns: their labels, those of their values, and which values
stand for a missing one.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations


@dataclass(frozen=True)
class ColumnLabels:
    """What is said of a column.

    Attributes:
        label: of the column; None where it has none.
        values: code, as a text -> label, in the order of the file.
        missing: codes that stand for a missing value, as texts; a range is ``(from, to)``.
        cut_to: how many bytes SAS has left of each number, which has 8; None where it is whole.
    """

    label: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str | tuple[str, str], ...] = ()
    cut_to: int | None = None

    @property
    def levels(self) -> dict[str, str]:
        """The labels of the codes that stand for no missing value, by code."""
        return {
            code: label
            for code, label in self.values.items()
            if not any(_is_in(code, each) for each in self.missing)
        }


@dataclass(frozen=True)
class FileLabels:
    """What a file says of its columns, by name, and whether its texts are in an encoding that
    nobody says.
    """

    columns: Mapping[str, ColumnLabels] = field(default_factory=dict)
    encoding_unsaid: bool = False


def code_text(code: object) -> str:
    """Return a code as a text that is read in its column's type: 1 for 1.0."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _is_in(code: str, missing: str | tuple[str, str]) -> bool:
    """Return whether a code is one that is declared missing, or lies in a range of them."""
    if isinstance(missing, str):
        return code == missing
    with suppress(ValueError):
        return float(missing[0]) <= float(code) <= float(missing[1])
    return False


Labels = Mapping[str, str]  # code -> label, of one column of one file


@dataclass(frozen=True)
class Disagreement:
    """The first code that two files, by their places, label differently; None where one label is of
    different codes alone.
    """

    files: tuple[int, int]
    code: str | None = None
    labels: tuple[str, str] = ("", "")
    labels_meet: bool = False


def disagreements(files: Sequence[Labels]) -> Iterator[Disagreement]:
    """Yield each pair of files that give a code different labels, or a label different codes. Case
    and blanks are no matter.
    """
    plain = [{code: _plain(label) for code, label in each.items()} for each in files]
    coded = [_coded(each) for each in plain]
    for one, other in combinations(range(len(files)), 2):
        meet = coded[one].keys() & coded[other].keys()
        code = next(
            (
                each
                for each in plain[one]
                if each in plain[other] and plain[one][each] != plain[other][each]
            ),
            None,
        )
        if code is not None:
            yield Disagreement(
                (one, other), code, (files[one][code], files[other][code]), bool(meet)
            )
        elif any(coded[one][label].isdisjoint(coded[other][label]) for label in meet):
            yield Disagreement((one, other), labels_meet=True)


def labels_decide(files: Sequence[tuple[Hashable, Labels]]) -> bool:
    """Return whether parts of files (a file, and labels) that label codes differently are compared
    by these.

    They are if two have a label in common; without one the labels of two files may be translations,
    those of two parts are not.
    """
    of_parts = [file for file, _ in files]
    found = disagreements([labels for _, labels in files])
    return any(
        each.labels_meet or of_parts[each.files[0]] == of_parts[each.files[1]] for each in found
    )


def label_of_two(labels: Labels) -> bool:
    """Return whether two codes have one label."""
    return len({*labels.values()}) < len(labels)


def merged(files: Iterable[FileLabels]) -> dict[str, ColumnLabels]:
    """Return what the parts of a file say of its columns together: of two labels for one thing that
    of the earlier part.
    """
    found: dict[str, ColumnLabels] = {}
    for file in files:
        for name, said in file.columns.items():
            known = found.get(name, ColumnLabels())
            missing = tuple(dict.fromkeys((*known.missing, *said.missing)))
            found[name] = ColumnLabels(
                known.label or said.label, {**said.values, **known.values}, missing
            )
    return found


def _plain(label: str) -> str:
    return " ".join(label.casefold().split())


def _coded(labels: Labels) -> dict[str, set[str]]:
    """Return the codes of each label."""
    coded: dict[str, set[str]] = {}
    for code, label in labels.items():
        coded.setdefault(label, set()).add(code)
    return coded
