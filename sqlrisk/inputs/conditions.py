"""A condition on a person, as users write it: comparisons of a column with a level, joined by AND. No SQL.

``sex = F AND age >= 65``, ``"marital status" IN ('Divorced', 'Widowed')``. A name or level with a blank or a sign in it is
quoted: a column in double quotes, a level in single ones; a quote inside is doubled. A missing value fulfils no comparison.
"""

import re
from dataclasses import dataclass

from sqlrisk.common.errors import InputError

OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "IN")
_TOKEN = re.compile(
    r"""\s*(?: "(?P<name>(?:[^"]|"")*)" | '(?P<text>(?:[^']|'')*)'
        | (?P<sign><>|<=|>=|=|<|>|\(|\)|,) | (?P<word>[^\s"'<>=(),]+) )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Comparison:
    """One comparison: a column, an operator of ``OPERATORS``, and one level (several after IN)."""

    column: str
    operator: str
    levels: tuple[str, ...]


def read(text: str, setting: str) -> tuple[Comparison, ...]:
    """The comparisons of a condition, all of which have to hold. Raises InputError where it cannot be read as one."""
    tokens = _tokens(text, setting)
    comparisons: list[Comparison] = []
    while True:
        comparison, tokens = _comparison(tokens, text, setting)
        comparisons.append(comparison)
        if not tokens:
            return tuple(comparisons)
        kind, word = tokens.pop(0)
        if (kind, word.upper()) != ("word", "AND"):
            raise _unreadable(text, setting)


def _comparison(tokens: list[tuple[str, str]], text: str, setting: str) -> tuple[Comparison, list[tuple[str, str]]]:
    """The first comparison, and the tokens after it."""
    match tokens:
        case [("word" | "name", column), ("sign", sign), ("word" | "text", level), *rest] if sign in OPERATORS:
            return Comparison(column, sign, (level,)), rest
        case [("word" | "name", column), ("word", word), ("sign", "("), *rest] if word.upper() == "IN":
            levels: list[str] = []
            while True:
                match rest:
                    case [("word" | "text", level), ("sign", ","), *more]:
                        levels, rest = [*levels, level], more
                    case [("word" | "text", level), ("sign", ")"), *more]:
                        return Comparison(column, "IN", (*levels, level)), more
                    case _:
                        raise _unreadable(text, setting)
    raise _unreadable(text, setting)


def _tokens(text: str, setting: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if not match:
            raise _unreadable(text, setting)
        kind = str(match.lastgroup)
        quote = {"name": '"', "text": "'"}.get(kind, "")
        tokens.append((kind, match[kind].replace(quote * 2, quote) if quote else match[kind]))
        position = match.end()
    return tokens


def _unreadable(text: str, setting: str) -> InputError:
    return InputError(
        f"{setting}: cannot read the condition {text!r}; write comparisons (=, <>, <, <=, >, >=, IN) of a column with a level, "
        "joined by AND, as in sex = F AND age >= 65; put a level with a blank in single quotes, a column in double quotes."
    )
