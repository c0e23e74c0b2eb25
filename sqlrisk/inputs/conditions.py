"""Conditions on a person as users write them: comparisons of columns with levels, joined by AND.

Examples are ``sex = F AND age >= 65`` and ``"marital status" IN ('Divorced', 'Widowed')``. Quote a
name or level that has a blank or one of ``" ' < > = ( ) ,``: a column in double quotes, a level in
single quotes. Double a quote inside. A missing value meets no comparison. A condition is not
SQL.
"""

import re
from dataclasses import dataclass

from sqlrisk.common.errors import InputError

EQUAL = ("=", "<>", "IN")  # operators that name levels; the others compare the order of values
# A band as results show it, such as [20,40), needs no quotes despite its comma.
BAND = r"\[-?[\d.]+,\s*-?[\d.]+\)"
_WORD = r"""[^\s"'<>=(),]++"""
_LEVEL = rf"(?:'(?:[^']|'')*+'|{BAND}|{_WORD})"
_COMPARISON = re.compile(
    rf"""\s*(?P<column>"(?:[^"]|"")*+"|{_WORD})
        \s*(?: (?P<sign><>|<=|>=|=|<|>) \s*(?P<level>{_LEVEL})
            | IN\s*\( (?P<levels>\s*{_LEVEL}\s*(?:,\s*{_LEVEL}\s*)*+) \) )
        \s*(?: (?P<more>AND(?!{_WORD})) | \Z )""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Predicate:
    """One comparison: a column, an operator, and one level (several after IN)."""

    column: str
    operator: str
    levels: tuple[str, ...]


def read(text: str, setting: str) -> tuple[Predicate, ...]:
    """Read the comparisons of a condition, all of which must hold. Raises InputError if it cannot
    be read.
    """
    comparisons: list[Predicate] = []
    position = 0
    while found := _COMPARISON.match(text, position):
        levels = re.findall(_LEVEL, found["level"] or found["levels"])
        comparisons.append(
            Predicate(_plain(found["column"]), found["sign"] or "IN", tuple(map(_plain, levels)))
        )
        if not found["more"]:
            return tuple(comparisons)
        position = found.end()
    raise InputError(
        f"{setting}: cannot read the condition {text!r}; write comparisons (=, <>, <, <=, >, >=, "
        "IN) of a column with a level, joined by AND, as in sex = F AND age >= 65; put a level "
        "with a blank in single quotes, a column in double quotes."
    )


def _plain(written: str) -> str:
    quote = written[0]
    return written[1:-1].replace(quote * 2, quote) if quote in "\"'" else written
