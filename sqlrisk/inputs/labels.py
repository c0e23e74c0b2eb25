"""Labels in files: of columns and of values, and the values that a file declares missing."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any


@dataclass(frozen=True)
class ColumnLabels:
    """The labels and missing values that a file declares for a column.

    Attributes:
        label: the label of the column, or None.
        values: code as text -> label, in the order of the file.
        missing: codes that mean missing, as texts. A range is ``(from, to)``.
        cut_to: how many bytes of each 8-byte number a SAS file stores, None for all.
    """

    label: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str | tuple[str, str], ...] = ()
    cut_to: int | None = None

    @property
    def levels(self) -> dict[str, str]:
        """The labels of codes that do not mean missing, by code."""
        return {code: label for code, label in self.values.items() if not self.means_missing(code)}

    def means_missing(self, code: str) -> bool:
        """Return True if a code is declared missing."""
        return any(_is_in(code, each) for each in self.missing)


@dataclass(frozen=True)
class FileLabels:
    """The declarations of a file by column, and whether the encoding of its texts is unknown.

    ``codebook`` is the one that a Parquet file holds (`codebooks`). Only its labels of columns
    are among ``columns``: codes of Parquet are counted and shown as they are.
    """

    columns: Mapping[str, ColumnLabels] = field(default_factory=dict)
    encoding_unsaid: bool = False
    codebook: Sequence[Mapping[str, Any]] = ()


def code_text(code: object) -> str:
    """Return a code as text in a form that the type of its column accepts, such as 1 for 1.0."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _is_in(code: str, missing: str | tuple[str, str]) -> bool:
    """Return True if a code is declared missing, by itself or as part of a range."""
    if isinstance(missing, str):
        return code == missing
    with suppress(ValueError):
        return float(missing[0]) <= float(code) <= float(missing[1])
    return False


Labels = Mapping[str, str]  # code -> label, of one column of one file


@dataclass(frozen=True)
class Disagreement:
    """The first code that two files label differently.

    Attributes:
        files: the positions of the two files.
        code: the code. None if the files instead use different codes for one label.
        labels: the two labels of the code, as written.
        labels_meet: True if the files have a label in common, for any codes.
    """

    files: tuple[int, int]
    code: str | None = None
    labels: tuple[str, str] = ("", "")
    labels_meet: bool = False


def disagreements(files: Sequence[Labels]) -> Iterator[Disagreement]:
    """Yield a disagreement for each pair of files that label a code differently, or use different
    codes for a label.

    Case and blanks of labels are ignored.
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
    """Return True if a column is compared by label, because parts of files label its codes
    differently.

    ``files`` are (file, labels) of each part. Labels decide if two parts that disagree have a label
    in common, or are parts of one file. Otherwise the labels of one file may be translations of
    the other's, so codes are compared.
    """
    of_parts = [file for file, _ in files]
    found = disagreements([labels for _, labels in files])
    return any(
        each.labels_meet or of_parts[each.files[0]] == of_parts[each.files[1]] for each in found
    )


def label_of_two(labels: Labels) -> bool:
    """Return True if two codes share one label."""
    return len({*labels.values()}) < len(labels)


def merged(files: Iterable[FileLabels]) -> dict[str, ColumnLabels]:
    """Merge the declarations of all parts of a file, by column.

    The first part with a label for the column or a code decides. The missing values of all parts
    are kept. ``cut_to`` is dropped.
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
    coded: dict[str, set[str]] = {}
    for code, label in labels.items():
        coded.setdefault(label, set()).add(code)
    return coded
