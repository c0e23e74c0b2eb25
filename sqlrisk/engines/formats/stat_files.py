"""SPSS, Stata and SAS files, read by pyreadstat: some rows at a time, with labels. The format of a
number decides if it is a date.

User-missing and special missing values (``.a`` to ``.z``) become missing and are counted by code.
In columns that are read as stored, only special ones become missing, because they are not numbers.
To find a piece, pyreadstat reads everything before it again, so pieces are large.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.formats.streams import Part, UnheldError
from sqlrisk.inputs.labels import ColumnLabels, FileLabels, code_text
from sqlrisk.inputs.sources import Source, part_name

_FUNCTIONS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}  # fmt: skip
DECLARED = {"user_missing": True}  # read values that the file declares missing
WITHOUT_REASONS = (".por", ".xpt")  # pyreadstat reads no reasons for missing values
# Bytes of a value in Python, its place in a list, and its copies. A text adds its width.
_VALUE_BYTES = 64
_LEAST_ROWS = 1000
# An open end of a range (LOWEST, HIGHEST) is written as the largest number.
_ENDLESS = 1e300
# Formats of each kind of file that stand for dates, timestamps and times of day.
_MEANING = {
    "spss": {"date": r"[AEJS]?DATE|QYR|MOYR|WKYR", "timestamp": "DATETIME|YMDHMS", "time": "TIME"},
    "sas": {
        "date": r"DATE|(DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|WEEKDAT[EX]|WORDDAT[EX]|JULIAN"
        r"|(IS|E|B)8601DA|MONYY",
        "timestamp": "DATETIME|DATEAMPM|MDYAMPM|(IS|E|B)8601DT|B8601DN|DTDATE",
        "time": "TIME|HHMM|TOD|TIMEAMPM|(IS|E|B)8601TM",
    },
    "stata": {"date": "%-?t?d.*", "timestamp": "%-?tc.*", "timestamp with leap seconds": "%-?tC.*"},
}
_ORIGIN = {"spss": "1582-10-14", "sas": "1960-01-01", "stata": "1960-01-01"}
_DAY = 86_400
_CALENDAR = ("0001-01-01", "9999-12-31")  # the first and last day of every database
# In these files a number may have fewer than 8 bytes: the last ones are cut off.
_CUT, _WHOLE = (".sas7bdat", ".xpt"), 8
_CARD = 80
# The first bytes of a file of Stata 13 or later, and the version number of Stata 14.
_RELEASE, _FIRST_IN_UTF8 = b"<stata_dta><header><release>", 118
_PLAIN = bytes(range(32, 127))  # these are the same in every encoding of a file
_LOST = "\ufffd"  # stands for a byte that is no letter of a portable file


def opened(path: str, source: Source) -> tuple[Callable[..., dict[str, Any]], Any]:
    """Return a function that reads a file's columns as lists, and the file's metadata.

    The function takes pyreadstat's arguments.
    """
    import pyreadstat

    suffix = path[path.rindex(".") :].lower()
    given = _encoding(source, suffix)
    function = partial(getattr(pyreadstat, _FUNCTIONS[suffix]), path, **given)
    _, meta = function(metadataonly=True, **({} if suffix in WITHOUT_REASONS else DECLARED))

    def read(**asked: Any) -> dict[str, Any]:
        asked |= {"output_format": "dict", "disable_datetime_conversion": True}
        found: dict[str, Any] = function(**asked)[0]
        return found

    return read, meta


def part(path: str, source: Source, room: int) -> Part:
    """Open a file as a part whose pieces take about ``room`` bytes."""
    import pyarrow as pa

    suffix = path[path.rindex(".") :].lower()
    read, meta = opened(path, source)
    declared = {} if suffix in WITHOUT_REASONS else DECLARED
    meanings = {
        name: _meaning(source.kind, meta.original_variable_types[name])
        for name in meta.column_names
    }
    odd = [name for name, meaning in meanings.items() if meaning == "timestamp with leap seconds"]
    kinds = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "time": pa.time64("us")}
    missing: dict[str, Counter[str]] = {}
    # A 4-byte float is read by its shortest text.
    stored = {"string": pa.string(), "float": pa.float32()}
    texts = {name for name, kind in meta.readstat_variable_types.items() if kind == "string"}
    cut = {
        name: width
        for name, width in meta.variable_storage_width.items()
        if suffix in _CUT and width < _WHOLE
    }
    labels = replace(
        _labels(
            meta,
            texts,
            {
                name: width
                for name, width in cut.items()
                if name not in texts and not meanings[name]
            },
        ),
        encoding_unsaid=suffix == ".dta" and not source.csv.encoding and _says_no_encoding(path),
    )
    fields = [
        (
            name,
            kinds.get(meanings[name])
            or stored.get(meta.readstat_variable_types[name], pa.float64()),
        )
        for name in meta.column_names
    ]

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        for name in (each for each in columns if each in odd):
            raise UnheldError(
                name, source.name, "times that count leap seconds (%tC). Store it as %tc"
            )
        missing.update({name: Counter() for name in columns})
        declares = {name: meta.missing_ranges.get(name, ()) for name in columns}
        told = declared if source.kind != "spss" or any(declares.values()) else {}
        ranges = {name: () if name in source.as_stored else each for name, each in declares.items()}
        width = sum(
            _VALUE_BYTES + (meta.variable_storage_width[name] if name in texts else 0)
            for name in columns
        )
        rows = max(_LEAST_ROWS, room // width)

        def piece(first: int) -> Any:
            """Return the records from ``first`` on.

            Of each column only one form is in memory at a time.
            """
            asked = {"row_offset": first, "row_limit": rows, "usecols": list(columns)}
            found = read(**asked, **told)
            arrays = []
            for name in columns if found else ():
                refuse = partial(UnheldError, name, part_name(path, source))
                take = _present_texts if name in texts else _present_numbers
                values = take(
                    found.pop(name), ranges[name], labels.columns[name].values, missing[name]
                )
                if suffix == ".por" and name in texts:
                    lost = any(_LOST in each for each in values if each)
                    _require(
                        not lost,
                        refuse("letters that a portable file cannot hold. Save the file as .sav"),
                    )
                arrays.append(
                    _array(values, meanings[name], source.kind, refuse, text=name in texts)
                )
            known = pa.schema(fields)
            arrays = [
                array.cast(known.field(name).type)
                for name, array in zip(columns, arrays, strict=False)
            ]
            return pa.record_batch(arrays, list(columns)) if arrays else None

        first, many = 0, rows
        while many == rows:
            batch = piece(first)
            many = 0 if batch is None else batch.num_rows
            first += many
            if many:
                yield batch
            del batch  # before the next is read
        # A transport file does not say how many records it has, but its size is a multiple of 80.
        if suffix == ".xpt" and Path(path).stat().st_size % _CARD:
            raise ValueError("a piece is cut")
        if meta.number_rows is not None and first != meta.number_rows:
            raise ValueError("fewer rows than the file says")

    return Part(pa.schema(fields), batches, labels, meta.number_rows, missing)


def _present_numbers(
    values: Any, ranges: Sequence[Any], labels: Mapping[str, str], missing: Counter[str]
) -> Any:
    """Return numbers with NaN for values declared missing. Count these in ``missing`` by code or
    range.
    """
    import numpy as np

    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:  # the letters of .a to .z
        missing.update(f".{each.lower()}" for each in values if isinstance(each, str))
        numbers = np.array(
            [None if isinstance(each, str) else each for each in values], dtype=np.float64
        )
    for low, high in (_ends(each) for each in ranges):
        inside = (numbers >= low) & (numbers <= high)
        for code, many in zip(*np.unique(numbers[inside], return_counts=True), strict=True):
            own = code_text(float(code))
            missing[own if low == high or own in labels else f"{_end(low)} to {_end(high)}"] += int(
                many
            )
        numbers[inside] = np.nan
    return numbers


def _present_texts(
    values: Any, ranges: Sequence[Any], _labels: Mapping[str, str], missing: Counter[str]
) -> Any:
    """Return texts with declared missing values replaced by None, and count them."""
    declared = {_ends(each)[0] for each in ranges}
    missing.update(each for each in values if each in declared)
    return [None if each in declared else each for each in values] if declared else values


def _ends(missing: Any) -> tuple[Any, Any]:
    """Return the lowest and highest value of a missing range."""
    return (missing["lo"], missing["hi"]) if isinstance(missing, dict) else (missing, missing)


def _end(number: float) -> str:
    return code_text(number) if abs(number) < _ENDLESS else "lowest" if number < 0 else "highest"


def _meaning(kind: str, form: str | None) -> str:
    """Return the kind of value that a format makes of numbers: date, timestamp or time. Empty for
    plain numbers.
    """
    name = form or ""
    name = name if kind == "stata" else re.sub(r"(?<=[A-Z])\d+(\.\d*)?$", "", name.upper())
    return next(
        (meaning for meaning, pattern in _MEANING[kind].items() if re.fullmatch(pattern, name)), ""
    )


def _array(
    values: list[Any], meaning: str, kind: str, refuse: Callable[[str], UnheldError], *, text: bool
) -> Any:
    """Return a column as an Arrow array. ``refuse`` makes the error for values that do not fit."""
    import numpy as np
    import pyarrow as pa

    if text:  # in Stata and SAS an empty text is missing
        return pa.array(
            values if kind == "spss" else [each or None for each in values], pa.string()
        )
    numbers = np.array(values, dtype=np.float64)
    lost = np.isnan(numbers)
    if not meaning:
        return pa.array(numbers, mask=lost)
    present = np.where(lost, 0, numbers)
    seconds = present / (1000 if kind == "stata" else 1)
    # A float holds seconds since 1582 to about a microsecond, hence the rounding.
    micros = np.rint(np.clip(seconds * 1e6, -(2**62), 2**62)).astype("int64")
    if meaning == "time":
        _require(
            ((micros >= 0) & (micros < _DAY * 10**6)).all(),
            refuse("times beyond a day. Store it as a number"),
        )
        return pa.array(micros, pa.time64("us"), mask=lost)
    days = np.floor(present if meaning == "date" and kind != "spss" else seconds / _DAY)
    origin, *ends = (np.datetime64(day, "D").astype("int64") for day in (_ORIGIN[kind], *_CALENDAR))
    known = (ends[0] - origin <= days) & (days <= ends[1] - origin)
    _require(known.all(), refuse("dates before the year 1 or beyond 9999. Store it as a number"))
    if meaning == "timestamp":
        return pa.array(micros + origin * _DAY * 10**6, pa.timestamp("us"), mask=lost)
    _require(
        kind == "spss" or (days == present).all(),
        refuse("dates with parts of a day. Store it as a number"),
    )
    return pa.array((days.astype("int64") + origin).astype("int32"), pa.date32(), mask=lost)


def _require(right: Any, refusal: UnheldError) -> None:
    if not right:
        raise refusal


def _encoding(source: Source, suffix: str) -> dict[str, str]:
    """Return the user's encoding as an argument of the library.

    Raises InputError for a portable file, UnicodeError for an encoding that changes ASCII.
    """
    name = source.csv.encoding
    if name and suffix == ".por":
        raise InputError(
            f"encoding: {source.name} is a portable file, which has no encoding; leave the "
            "encoding out for it."
        )
    if name and _PLAIN.decode(name, "replace") != _PLAIN.decode():
        raise UnicodeError
    if not name:
        return {}
    known = codecs.lookup(name).name.replace("iso8859", "iso-8859").replace("_", "-")
    return {"encoding": known}


def _says_no_encoding(path: str) -> bool:
    """Return True for a Stata file before version 14. It does not state its encoding, and is read
    as Windows-1252.
    """
    with Path(path).open("rb") as file:
        begin = file.read(len(_RELEASE) + 3)
    return not begin.startswith(_RELEASE) or int(begin[len(_RELEASE) :]) < _FIRST_IN_UTF8


def _labels(meta: Any, texts: Collection[str], cut: Mapping[str, int]) -> FileLabels:
    """Return the labels of columns and values, the missing values, and the number of bytes in which
    SAS stores numbers.
    """

    def missing(name: str) -> Iterator[str | tuple[str, str]]:
        for each in meta.missing_ranges.get(name, ()):
            low, high = _ends(each)
            yield code_text(low) if low == high else (code_text(low), code_text(high))
        yield from map(code_text, meta.missing_user_values.get(name, ()))
        if name not in texts:  # the letters of .a to .z
            yield from (
                code for code in meta.variable_value_labels.get(name, {}) if isinstance(code, str)
            )

    return FileLabels({
        name: ColumnLabels(
            meta.column_names_to_labels.get(name) or None,
            {code_text(code): str(text) for code,
                text in meta.variable_value_labels.get(name, {}).items()},
            tuple(missing(name)),
            cut.get(name),
        )
        for name in meta.column_names
    })  # fmt: skip
