"""The codebook of a Parquet file: labels and missing values of its columns, as a Table Schema in
the metadata of the file.

Parquet has no labels of its own. Table Schema (Data Package 2.0) has them: a column's ``title``,
the ``categories`` of its codes and its ``missingValues``. It has no ranges of missing values. They
are in ``missingRanges``, a property of sqlrisk, with null for an open end.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlrisk.inputs.datatypes import is_numeric
from sqlrisk.inputs.labels import ColumnLabels

_ENDLESS = 1e300  # files write an open end as their largest number
KEY = "tableschema"
"""The key of the codebook in the file's metadata."""

Field = Mapping[str, Any]


def described(labels: Mapping[str, ColumnLabels], types: Mapping[str, str]) -> list[Field]:
    """Return a Table Schema field for each column with labels or missing values.

    ``types`` maps columns to their types in the Parquet file. Columns with numeric types have
    their codes written as numbers.
    """
    fields = (
        {"name": name, **_said(said, numeric=is_numeric(types.get(name, "")))}
        for name, said in labels.items()
    )
    return [each for each in fields if len(each) > 1]


def text_of(fields: Sequence[Field]) -> str:
    """Return Table Schema fields as the JSON text that is stored under ``KEY``."""
    return json.dumps({"fields": fields}, ensure_ascii=False)


def fields_in(text: str | bytes) -> list[Field]:
    """Return the named fields of a codebook. Empty if the text is not a codebook."""
    try:
        found = json.loads(text)
    except ValueError:
        return []
    fields = found.get("fields") if isinstance(found, dict) else None
    return [
        each
        for each in (fields if isinstance(fields, list) else ())
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]


def titles(fields: Sequence[Field]) -> dict[str, ColumnLabels]:
    """Return column -> its label, for the fields with a title. Labels of codes are not read."""
    return {
        each["name"]: ColumnLabels(title)
        for each in fields
        if isinstance(title := each.get("title"), str) and title
    }


def _said(said: ColumnLabels, *, numeric: bool) -> dict[str, Any]:
    codes = [each for each in said.missing if isinstance(each, str)]
    labels = {code: label for code, label in said.values.items() if said.means_missing(code)}
    parts: dict[str, Any] = {
        "title": said.label,
        "categories": [
            {"value": _as_number(code) if numeric else code, "label": label}
            for code, label in said.levels.items()
        ],
        "missingValues": [
            {
                # The codes .a to .z come without their dot.
                "value": f".{code}" if numeric and code.isalpha() else code,
                **({"label": labels[code]} if code in labels else {}),
            }
            for code in dict.fromkeys((*codes, *labels))
        ],
        "missingRanges": [[*map(_end, each)] for each in said.missing if not isinstance(each, str)],
    }
    return {name: part for name, part in parts.items() if part}


def _end(code: str) -> int | float | None:
    return _as_number(code) if abs(float(code)) < _ENDLESS else None


def _as_number(code: str) -> int | float:
    return int(float(code)) if float(code).is_integer() else float(code)
