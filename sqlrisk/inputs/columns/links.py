"""Links: two sets of columns that an intruder joins (``--link age,sex/region,income``). If there is
no slash, every split of the columns in two is a link.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from sqlrisk.common.errors import InputError
from sqlrisk.inputs.readers import texts
from sqlrisk.inputs.settings import read_names

MOST_SPLIT = 8  # maximum number of columns to split, which can be split in 127 ways
_SIDES = re.compile(r'((?:"(?:[^"]|"")*"|[^/"])*)(/|\Z)', re.DOTALL)
_PLAIN = re.compile(r"[^\s,=\"/](?:[^,=\"/]*[^\s,=\"/])?")

Sides = tuple[tuple[str, ...], tuple[str, ...]]


def read_links(value: object, setting: str) -> tuple[str, ...]:
    """Read links and return each as a line ``a,b/c,d``. Columns without a slash give every split.
    Raises InputError for anything else.
    """
    lines = texts(value)
    if lines is None:
        raise InputError(
            f"{setting}: expected columns of two sides, as in age,sex/region,income, or a list of "
            "them."
        )
    return tuple(
        dict.fromkeys(_written(sides) for line in lines for sides in _links(line, setting))
    )


def sides_of(link: str) -> Sides:
    """Return the columns on both sides of a link, as `read_links` writes it."""
    one, other = (read_names(side, "link") for side in _split(link))
    return one, other


def _links(line: str, setting: str) -> Iterator[Sides]:
    """Yield the two sides of the link in a line, or of every split of its columns.

    The first column is always on the first side.
    """
    sides = [read_names(side, setting) for side in _split(line)]
    columns = [name for side in sides for name in side]
    if twice := [name for name in dict.fromkeys(columns) if columns.count(name) > 1]:
        raise InputError(
            f"{setting}: the column {twice[0]!r} is named twice in {line!r}; name each column once."
        )
    if len(sides) > 2 or len(columns) < 2:
        raise InputError(
            f"{setting}: a link has two sides, as in age,sex/region,income; got {line!r}."
        )
    if len(sides) == 2:
        yield sides[0], sides[1]
        return
    if len(columns) > MOST_SPLIT:
        ways = 2 ** (len(columns) - 1) - 1
        raise InputError(
            f"{setting}: {len(columns)} columns can be split in two in {ways:,} ways; name at "
            f"most {MOST_SPLIT} columns, or the two sides."
        )
    for size in range(len(columns) - 1):
        for chosen in combinations(columns[1:], size):
            yield (columns[0], *chosen), tuple(name for name in columns[1:] if name not in chosen)


def _split(line: str) -> list[str]:
    """Split a line at the slashes outside quotes."""
    parts: list[str] = []
    position = 0
    while match := _SIDES.match(line, position):
        parts.append(match[1])
        if not match[2]:
            return parts
        position = match.end()
    raise InputError(
        f"link: cannot read {line!r}; put a name with a comma, a slash or a quote in double quotes."
    )


def _written(sides: Sides) -> str:
    """Return a link as a line that `read_links` reads."""
    return "/".join(",".join(map(_quoted, side)) for side in sides)


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'
