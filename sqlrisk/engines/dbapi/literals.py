"""Write records as SQL literals.

No values are bound as parameters, since drivers convert them differently and limit their number.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from sqlglot import exp

from sqlrisk.catalogue.translation import translate
from sqlrisk.common.errors import InputError
from sqlrisk.engines.dbapi.products import Product

# About the size of one INSERT: SQL Server takes 1000 rows, BigQuery 1 MB.
_ROWS, _CHARACTERS = 1000, 200_000
_TEXTS = 2**16  # literals kept for reuse, since most are levels that many records share

Writer = Callable[[Any], str]


def rows_of(product: Product, kinds: Sequence[str], batches: Iterable[Any]) -> Iterator[list[str]]:
    """Yield the rows of Arrow record batches as SQL, in pieces that fit one INSERT.

    ``kinds`` are the DuckDB types of the columns. Raises InputError if the product cannot store a
    value. The message does not repeat the value.
    """
    writers = [_writer(product, kind) for kind in kinds]
    rows: list[str] = []
    size = 0
    for batch in batches:
        columns = [
            [write(value) for value in column.to_pylist()]
            for write, column in zip(writers, batch.columns, strict=True)
        ]
        for row in zip(*columns, strict=True):
            rows.append(f"({', '.join(row)})")
            size += len(rows[-1])
            if len(rows) == _ROWS or size > _CHARACTERS:
                yield rows
                rows, size = [], 0
    if rows:
        yield rows


def _writer(product: Product, kind: str) -> Writer:
    def translated(sql: str) -> str:
        return translate(f"SELECT {sql}", product.dialect).sql.removeprefix("SELECT ")

    def text(value: str) -> str:
        if "\0" in value:
            raise InputError(
                f"A file holds text with a NUL character, which {product.name} cannot store; "
                "remove the character."
            )
        return translated(exp.Literal.string(value).sql("duckdb"))

    def day(value: date) -> str:
        first, last = product.years
        if not first <= value.year <= last:
            raise InputError(
                f"{product.name} holds dates of the years {first} to {last}, and a file has "
                "dates outside them; store them as text."
            )
        return f"'{value}'"

    def number(value: float) -> str:
        if math.isfinite(value):
            value = value or 0.0  # -0 becomes 0
            # With an exponent, so that it is not read as a decimal, which has fewer digits.
            return f"{value!r}" if "e" in repr(value) else f"{value!r}e0"
        if str(value) not in product.numbers:
            raise InputError(
                f"{product.name} cannot hold an infinite number, which a file holds; store it as "
                "missing."
            )
        return translated(product.numbers[str(value)])

    writers: dict[str, Writer] = {
        "VARCHAR": lru_cache(_TEXTS)(text),
        **dict.fromkeys(("DATE", "TIMESTAMP"), day),
        **dict.fromkeys(("FLOAT", "DOUBLE"), number),
    }
    write = writers.get(kind, lambda value: str(value).upper())
    return lambda value: "NULL" if value is None else write(value)
