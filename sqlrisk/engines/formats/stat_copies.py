"""Write recoded or protected SPSS and Stata files in their own format.

Values are kept as stored, with labels, formats, missing values and notes of SPSS. pyreadstat writes
a file as a whole, so all values are in memory: 8 bytes for a number, and each distinct text once.
Text columns become as wide as their longest text. Whole numbers of Stata become 4 bytes wide. A
4-byte float becomes the 8-byte float with the same shortest decimal text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.formats.stat_files import DECLARED, opened
from sqlrisk.inputs.sources import Source

ENDINGS = {".sav": "spss", ".zsav": "spss", ".dta": "stata"}
"""Extensions of files that can be written -> the kind of source that they can be written from."""
# Bytes of values read together: finding a piece means reading all before it again.
_PIECE = 2**28
_READ_BYTES = 64  # bytes of a value in Python while it is read
# Bytes of a value while its column is put together and records are left out.
_VALUE_BYTES = 24


@dataclass(frozen=True)
class NewColumn:
    """A new or replaced column of a file: a text, number or None for each record.

    ``labels`` maps numbers to value labels.
    """

    values: Sequence[object]
    labels: Mapping[int, str] = field(default_factory=dict)


def ending_of(source: Source) -> str:
    """Return the extension of a copy in the source's own format (.sav for a .por file). Return an
    empty text if that format cannot be written.
    """
    ending = (
        Path(source.paths[0]).suffix.lower()
        if len(source.paths) == 1 and not source.is_remote
        else ""
    )
    return ".sav" if ending == ".por" else ending if ENDINGS.get(ending) == source.kind else ""


def is_copied(source: Source, path: str) -> bool:
    """Return True if a source can be written to a path in its own format."""
    return bool(ending_of(source)) and ENDINGS.get(Path(path).suffix.lower()) == source.kind


def size_of(source: Source, columns: int, records: int) -> int:
    """Estimate the bytes of memory for a copy."""
    return (
        _PIECE
        + records * columns * _VALUE_BYTES
        + sum(Path(path).stat().st_size for path in source.paths)
    )


def copy(
    source: Source,
    path: str,
    left_out: Callable[[int, int], Sequence[int]] = lambda _first, _last: (),
    *,
    new: Mapping[str, NewColumn] | None = None,
    flag: str | None = None,
    progress: Callable[[int], None] = lambda _records: None,
) -> int:
    """Write a source of one file, in its order, to a path with one of `ENDINGS`.

    Args:
        left_out: takes a first and last record number, and returns the numbers in this range to
            leave out. With a ``flag`` these records stay, and the column of this name is 1 for
            them, 0 for the others.
        new: columns that replace those of the same name or are added at the end. One value stands
            for every record.
        progress: called with the number of records read so far.

    Returns the number of records read. Raises InputError if the format cannot have a column's name.
    """
    import numpy as np
    import pandas as pd

    new = {**({flag: NewColumn([0], {0: "no", 1: "yes"})} if flag else {}), **(new or {})}
    read, meta = opened(source.paths[0], source)
    names = [name for name in meta.column_names if name not in new]
    declared = {} if source.paths[0].lower().endswith(".por") else DECLARED
    pieces: dict[str, list[Any]] = {name: [] for name in names}
    rows_together = max(1000, _PIECE // (_READ_BYTES * len(meta.column_names)))
    stays, records, piece = [], 0, rows_together
    texts: dict[str, str] = {}
    while piece == rows_together:
        found = read(
            row_offset=records,
            row_limit=rows_together,
            usecols=names or meta.column_names[:1],
            **declared,
        )
        piece = len(next(iter(found.values()), ()))
        hit = np.zeros(piece, dtype=bool)
        hit[np.asarray(left_out(records + 1, records + piece), dtype=np.int64) - records - 1] = True
        for name in names:
            pieces[name].append(
                _narrow(found.pop(name, ()), meta.readstat_variable_types[name], texts)
            )
        stays.append(~hit)
        records += piece
        progress(records)
    kept = np.concatenate(stays)
    rows = np.ones(records, dtype=bool) if flag else kept
    table = {
        name: _column(pieces.pop(name), meta.readstat_variable_types[name], rows) for name in names
    }
    for name, column in new.items():
        values: Any = list(column.values) * records if len(column.values) == 1 else column.values
        series = pd.Series(values)
        table[name] = (series.astype("Int32") if column.labels else series)[rows].reset_index(
            drop=True
        )
    if flag:
        table[flag] = (~kept).astype("int32")
    order = [*meta.column_names, *(name for name in new if name not in meta.column_names)]
    _write(pd.DataFrame({name: table[name] for name in order}), path, source, meta, new)
    return records


def _narrow(values: Any, kind: str, texts: dict[str, str]) -> Any:
    """Return a piece of a column as an array in which equal texts are stored once.

    Numbers are floats, unless missing codes (``.a`` to ``.z``) are among them.
    """
    import numpy as np

    if kind == "string":
        return np.array([texts.setdefault(each or "", each or "") for each in values], dtype=object)
    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:  # the letters of .a to .z
        mixed = np.array(values, dtype=object)
        numeric = [not isinstance(each, str) for each in values]
        mixed[numeric] = _narrow(mixed[numeric], kind, texts)
        return mixed
    return numbers.astype(np.float32).astype(str).astype(np.float64) if kind == "float" else numbers


def _column(pieces: Sequence[Any], kind: str, rows: Any) -> Any:
    """Return a column for a data frame, of whole numbers if the file stores whole numbers."""
    import numpy as np
    import pandas as pd

    values, whole = np.concatenate(pieces)[rows], kind.startswith("int")
    if kind == "string":
        return values
    if values.dtype == object and any(isinstance(each, str) for each in values):
        # Next to letters, all numbers need one type: pyreadstat writes several types as text.
        number = int if whole else float
        one_type = [
            each if isinstance(each, str) else None if each != each else number(each)
            for each in values
        ]
        # pandas would take letters without numbers for text.
        return pd.Series(one_type, dtype=object)
    numbers = values.astype(np.float64)
    return pd.Series(numbers).astype("Int32") if whole else numbers


def _write(table: Any, path: str, source: Source, meta: Any, new: Mapping[str, NewColumn]) -> None:
    """Write a data frame with the file's metadata. New columns have no metadata but their
    labels.
    """
    import pyreadstat

    def own(said: Mapping[str, Any]) -> dict[str, Any]:
        return {name: what for name, what in said.items() if what is not None and name not in new}

    labels = own(meta.variable_value_labels) | {
        name: dict(each.labels) for name, each in new.items() if each.labels
    }
    about: dict[str, Any] = {
        "file_label": meta.file_label or "",
        "column_labels": {
            name: label for name, label in meta.column_names_to_labels.items() if label
        },
        "variable_value_labels": labels,
        "variable_format": own(meta.original_variable_types),
    }
    try:
        if source.kind == "stata":
            pyreadstat.write_dta(
                table, path, missing_user_values=_letters(table, labels, meta), **about
            )
            return
        pyreadstat.write_sav(
            table,
            path,
            compress=path.lower().endswith(".zsav"),
            note=meta.notes or None,
            missing_ranges={
                name: [*map(_range, ranges)] for name, ranges in own(meta.missing_ranges).items()
            },
            variable_measure=own(meta.variable_measure),
            variable_display_width=own(meta.variable_display_width),
            **about,
        )
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError):
        what = f"the columns that are added ({', '.join(map(repr, new))})" if new else "a column"
        raise InputError(
            f"{source.name} cannot be written again as {Path(path).suffix}: {what} may have a "
            "name that this format does not allow. Choose another name, or write a .parquet "
            "file."
        ) from None


def _letters(
    table: Any, labels: Mapping[str, Mapping[Any, str]], meta: Any
) -> dict[str, list[str]]:
    """Return the missing codes (the letters of ``.a`` to ``.z``) that occur in each numeric column,
    as values or in labels.
    """
    found = {}
    for name in (each for each, kind in meta.readstat_variable_types.items() if kind != "string"):
        values = table[name] if table[name].dtype == object else ()
        found[name] = sorted(
            {each for each in (*values, *labels.get(name, ())) if isinstance(each, str)}
        )
    return {name: letters for name, letters in found.items() if letters}


def _range(missing: Any) -> Any:
    return (
        missing["lo"] if isinstance(missing, dict) and missing["lo"] == missing["hi"] else missing
    )
