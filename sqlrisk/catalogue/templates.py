"""Fill templates with names to make SQL. Only this module quotes identifiers and writes
literals.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, Self

import jinja2
from jinja2 import meta
from jinja2.bccache import Bucket

from sqlrisk.catalogue import headers
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common import toml
from sqlrisk.common.errors import InputError
from sqlrisk.common.resources import sql_folder
from sqlrisk.common.version import __version__

_BREAKS = re.compile("([\n\r\v\f\x1c-\x1e\x85\u2028\u2029])")
# A line's end, but not one inside a comment, a text or a quoted name.
_LINE = re.compile(r"""--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?P<end>\n)(?!\n|\Z)""")


def quote(name: str) -> str:
    """Put an identifier in double quotes.

    Raises InputError for a NUL character, which no engine accepts.
    """
    if "\0" in name:
        raise InputError("A column name holds a NUL character; rename the column.")
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | float | None) -> str:
    """Write a value that the user typed, or a name that sqlrisk made, as an SQL literal. Never pass
    a value of a record. Raises InputError for a NUL character.
    """
    if value is None:
        return "NULL"
    if isinstance(value, str):
        if "\0" in value:
            raise InputError("A level holds a NUL character; it cannot be written in SQL.")
        # No line break in the literal, because indenting a query would change the level.
        parts = _BREAKS.split(value)
        return " || ".join(
            f"CHR({ord(part)})" if _BREAKS.fullmatch(part) else "'" + part.replace("'", "''") + "'"
            for part in parts
        )
    return repr(value)


class Query(str):
    """SQL text with the path of its file under ``sql/`` and the queries inside it. A query made by
    joining others has no file.
    """

    __slots__ = ("inner", "path")
    path: str
    inner: tuple["Query", ...]

    def __new__(cls, text: str, names: object = (), path: str = "") -> Self:
        """Make a query from its text and path. The queries among ``names`` are those inside it."""
        query = super().__new__(cls, text)
        query.path, query.inner = path, tuple(_queries_in(names))
        return query


def stage(path: str, **names: Any) -> Query:
    """Return the SQL of a template under ``sql/``, e.g. ``stages/classes/classes.sql``, with its
    names filled in.
    """
    text = _environment().get_template(path).render(**names).split("---*/\n", 1)[-1].rstrip("\n")
    return Query(text, names, path)


def _queries_in(value: object) -> Iterator[Query]:
    """Yield the queries among the values that fill a template."""
    if isinstance(value, Query):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _queries_in(each)


def union_all(queries: Iterable[str]) -> Query:
    """Return a query for the rows of all these queries together."""
    every = list(queries)
    return Query("\nUNION ALL\n".join(every), every)


def indented(query: str, width: int = 4) -> str:
    """Indent a query, except its first line, empty lines, and lines that begin in quotes."""
    return _LINE.sub(lambda match: f"\n{' ' * width}" if match["end"] else match[0], query)


def nested(query: str) -> Query:
    """Put a query in parentheses, for use as a table."""
    return Query(f"(\n    {indented(query)}\n)", [query])


def header(path: str) -> dict[str, Any]:
    """Return the header of a file under ``sql/``, such as its ``grain`` and ``reads``."""
    return toml.read(headers.parts((sql_folder() / path).read_text(encoding="utf-8"))[0], path)


def fill(text: str, **names: object) -> str:
    """Fill in the ``{{ names }}`` of a text, such as the SQL of a user's measure."""
    return _template(text).render(**names).strip()


def names_in(text: str) -> frozenset[str]:
    """Return the names that a template must be filled with."""
    return frozenset(meta.find_undeclared_variables(_environment().parse(text)))


def risky(measure: Measure, at: str | None = None) -> str:
    """Return the SQL condition, in parentheses, of the cells or classes that contribute to a
    measure.

    ``at`` is one of the measure's points, or None if it has none. Raises InputError if the
    measure's number does not come from single cells.
    """
    if measure.risky is None:
        raise InputError(
            f"{measure.name} is an average or a count over all cells, so it has no cells to list."
        )
    return _names(measure, at)["risky"]


def each(measure: Measure, at: str | None = None) -> str:
    """Return the SQL of one person's value, for a measure that is a mean. The value is 0 for people
    who do not count, and for all if the measure has no ``each``. ``at`` is as in `risky`.
    """
    return f"CAST(COALESCE({fill(measure.each or 'NULL', **_names(measure, at))}, 0) AS DOUBLE)"


def among(measure: Measure, at: str | None = None) -> str:
    """Return the SQL condition of the people over whom a measure is a mean. Empty for all
    people. ``at`` is as in `risky`.
    """
    return fill(measure.among or "", **_names(measure, at))


def aggregate(measure: Measure, side: str, at: str | None = None, *, whole: bool = True) -> str:
    """Return the SQL of one side (numerator, denominator, least or value) of a measure. With
    ``whole``, a side of whole numbers is cast to BIGINT. ``at`` is as in `risky`.
    """
    text = fill(measure.aggregates[side], **_names(measure, at))
    return f"CAST({text} AS BIGINT)" if whole and side in measure.kind.whole else text


def select(measure: Measure, at: str | None = None, **tables: str) -> str:
    """Return the SELECT of a measure. ``tables`` maps its stage, or the measures that it combines,
    to the text to write instead. Other names stay. ``at`` is as in `risky`, or None for a measure
    that combines others.
    """
    parts = {part: part for part in measure.parts}
    return fill(
        measure.body, **{measure.stage: measure.stage, **parts, **_names(measure, at), **tables}
    )


def _names(measure: Measure, at: str | None) -> dict[str, str]:
    """Return the values that fill the names in braces of a measure's SQL: its point, the next
    point, its condition, and the least number.
    """
    names = {}
    if at is not None:
        point, after = Fraction(at), [*measure.at, "NULL"][measure.at.index(at) + 1]
        names = {
            "at_numerator": str(point.numerator),
            "at_denominator": str(point.denominator),
            "at_next": after,
        }
    if measure.risky is not None:
        names["risky"] = f"({fill(measure.risky, **names)})"
    if measure.least is not None:
        names["least"] = measure.least
    return names


@lru_cache(maxsize=1024)
def _template(text: str) -> jinja2.Template:
    """Return the text of a measure as a template. It is parsed once, since a run fills it many
    times.
    """
    return _environment().from_string(text)


class _Compiled(jinja2.FileSystemBytecodeCache):
    """A cache of compiled templates on disk, like Python's own. Compiling takes a fifth of the time
    of a small command.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):  # this user may not write there
                Path(self.directory).mkdir(parents=True, exist_ok=True)
                super().dump_bytecode(bucket)


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    beside = Path(cache_from_source(str(sql_folder() / "templates"))).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(sql_folder()),
        bytecode_cache=_Compiled(str(beside), f"%s.{__version__}-{jinja2.__version__}"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is SQL; names are quoted by `quote`, values by `literal`
    )
    environment.filters |= {"indent": indented, "literal": literal}
    return environment
