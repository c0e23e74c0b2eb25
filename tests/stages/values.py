"""The values of a column, all of them and those of a part."""

from types import SimpleNamespace

import duckdb
from by_hand import ByHand

TEXTS = (*"abcdefgh", None)
# DuckDB's own hash decides the part. Each part has some of the texts.
PART = {
    text: duckdb.execute("SELECT HASH(CAST(? AS VARCHAR)) % 3", [text]).fetchall()[0][0]
    for text in TEXTS
}
NAMES = {
    "column": SimpleNamespace(value_in=lambda _: "text"),
    "files": [SimpleNamespace(number=0, count="n_orig", relation="people")],
}


def _counted(part: int) -> list[tuple[str | None, int]]:
    """The first text of the file is there twice."""
    return [(text, 1 + (text == TEXTS[0])) for text in TEXTS if PART[text] == part]


BY_HAND = (
    ByHand(
        "stages/encoding/values.sql",
        {"people": "SELECT UNNEST(['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', NULL]) AS text"},
        (NAMES | {"parts": 0}, [row for part in range(3) for row in _counted(part)]),
        *((NAMES | {"parts": 3, "part": part}, _counted(part)) for part in range(3)),
    ),
)
