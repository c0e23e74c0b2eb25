"""SPSS, Stata and SAS files, by pyreadstat: some rows at a time, their dates by their formats, with their labels.

User-missing and special missing values (``.a`` to ``.z``) are missing. A piece is found by reading what stands before it again,
which takes about a quarter of the time of making it: pieces are large for this.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.formats.streams import Part
from sqlrisk.inputs.labels import ColumnLabels, FileLabels, code_text
from sqlrisk.inputs.sources import Source, part_name

_FUNCTIONS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}  # fmt: skip
_VALUE_BYTES = 48  # a number in Python, and its place in a list
_LEAST_ROWS = 1000
# What the formats of each kind of file mean: a date, a time stamp, a time of the day.
_MEANING = {
    "spss": {"date": r"[AEJS]?DATE|QYR|MOYR|WKYR", "timestamp": "DATETIME|YMDHMS", "time": "TIME"},
    "sas": {
        "date": r"DATE|(DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|WEEKDAT[EX]|WORDDAT[EX]|JULIAN|(IS|E|B)8601DA|MONYY",
        "timestamp": "DATETIME|DATEAMPM|MDYAMPM|(IS|E|B)8601DT|B8601DN|DTDATE",
        "time": "TIME|HHMM|TOD|TIMEAMPM|(IS|E|B)8601TM",
    },
    "stata": {"date": "%-?t?d.*", "timestamp": "%-?tc.*", "timestamp with leap seconds": "%-?tC.*"},
}
_ORIGIN = {"spss": "1582-10-14", "sas": "1960-01-01", "stata": "1960-01-01"}
_DAY = 86_400
_CARD = 80


def part(path: str, source: Source, room: int) -> Part:
    """Open a file; pieces of it take about ``room`` bytes."""
    import pyarrow as pa
    import pyreadstat

    suffix = path[path.rindex(".") :].lower()
    read = getattr(pyreadstat, _FUNCTIONS[suffix])
    given = {"encoding": source.csv.encoding} if source.csv.encoding else {}
    declared = {} if suffix in (".por", ".xpt") else {"user_missing": True}
    _, meta = read(path, metadataonly=True, **given, **declared)
    meanings = {name: _meaning(source.kind, meta.original_variable_types[name]) for name in meta.column_names}
    odd = [name for name, meaning in meanings.items() if meaning == "timestamp with leap seconds"]
    kinds = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "time": pa.time64("us")}
    texts = {name for name, kind in meta.readstat_variable_types.items() if kind == "string"}
    fields = [(name, pa.string() if name in texts else kinds.get(meanings[name], pa.float64())) for name in meta.column_names]

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        if refused := [name for name in columns if name in odd]:
            raise InputError(
                f"The column {refused[0]!r} of {source.name} holds times that count leap seconds (%tC). Store it as %tc."
            )
        rows, first = max(_LEAST_ROWS, room // (_VALUE_BYTES * len(columns))), 0
        while True:
            asked = {"row_offset": first, "row_limit": rows, "usecols": list(columns)}
            found, _ = read(path, output_format="dict", disable_datetime_conversion=True, **asked, **given)
            many = len(found[columns[0]]) if found else 0
            if many:
                made = [_array(found[name], name, meanings[name], name in texts, path, source) for name in columns]
                yield pa.record_batch(made, list(columns))
            first += many
            if many < rows:
                break
        # A transport file does not say how many records it has, but it is made of pieces of 80 bytes.
        if suffix == ".xpt" and Path(path).stat().st_size % _CARD:
            raise ValueError("a piece is cut")
        if meta.number_rows is not None and first != meta.number_rows:
            raise ValueError("fewer rows than the file says")

    return Part(pa.schema(fields), batches, _labels(meta))


def _meaning(kind: str, form: str | None) -> str:
    """Return what a format says that numbers are: a date, a timestamp, a time; empty for numbers."""
    name = form or ""
    name = name if kind == "stata" else re.sub(r"(?<=[A-Z])\d+(\.\d*)?$", "", name.upper())
    return next((meaning for meaning, pattern in _MEANING[kind].items() if re.fullmatch(pattern, name)), "")


def _array(values: list[Any], name: str, meaning: str, text: bool, path: str, source: Source) -> Any:
    """Return the values of a column as an Arrow array."""
    import numpy as np
    import pyarrow as pa

    if text:  # in Stata and SAS an empty text is a missing one
        return pa.array(values if source.kind == "spss" else [each or None for each in values], pa.string())
    numbers = np.array(values, dtype=np.float64)
    lost = np.isnan(numbers)
    if not meaning:
        return pa.array(numbers, mask=lost)
    if meaning == "date":
        days = np.where(lost, 0, numbers) / (_DAY if source.kind == "spss" else 1)
        whole = np.floor(days).astype("int64") + np.datetime64(_ORIGIN[source.kind], "D").astype("int64")
        _require(source.kind == "spss" or bool((days == np.floor(days)).all()), name, "dates with parts of a day", path, source)
        return pa.array(whole.astype("int32"), pa.date32(), mask=lost)
    seconds = np.where(lost, 0, numbers) / (1000 if source.kind == "stata" else 1)
    # A float holds seconds since 1582 to the microsecond or so: rounded to it.
    micros = np.rint(seconds * 1e6).astype("int64")
    if meaning == "time":
        _require(bool(((micros >= 0) & (micros < _DAY * 10**6)).all()), name, "times beyond a day", path, source)
        return pa.array(micros, pa.time64("us"), mask=lost)
    origin = np.datetime64(_ORIGIN[source.kind], "us").astype("int64")
    return pa.array(micros + origin, pa.timestamp("us"), mask=lost)


def _require(right: bool, name: str, what: str, path: str, source: Source) -> None:
    if not right:
        raise InputError(f"The column {name!r} of {part_name(path, source)} holds {what}. Store it as a number.")


def _labels(meta: Any) -> FileLabels:
    """Return the labels of the file's columns and of their values, and its missing values."""

    def missing(name: str) -> Iterator[str | tuple[str, str]]:
        for each in meta.missing_ranges.get(name, ()):
            low, high = (each["lo"], each["hi"]) if isinstance(each, dict) else (each, each)
            yield code_text(low) if low == high else (code_text(low), code_text(high))
        yield from map(code_text, meta.missing_user_values.get(name, ()))

    return FileLabels({
        name: ColumnLabels(
            meta.column_names_to_labels.get(name) or None,
            {code_text(code): str(text) for code, text in meta.variable_value_labels.get(name, {}).items()},
            tuple(missing(name)),
        )
        for name in meta.column_names
    })  # fmt: skip
