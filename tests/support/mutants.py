"""Mutants of the SQL: make one change in a text at a time, to find out if a test notices.

sqlglot's tokenizer finds the places to change, and Jinja's lexer separates SQL from template
syntax. So a text need not be complete SQL.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import jinja2
import sqlglot
from sqlglot.tokenizer_core import Token, TokenType

from sqlrisk.common.resources import sql_folder

OTHERS = {
    "=": ("<>", "<=", ">="), "<>": ("=",), "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="),
    ">=": (">", "<"),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",), "AND": ("OR",), "OR": ("AND",),
    "SUM": ("MAX",), "MIN": ("MAX",), "MAX": ("MIN",), "EXP": ("LN",), "LN": ("EXP",),
}  # fmt: skip

# Each column -> another column of the same row that could be written by mistake.
MISTAKEN = {
    "people": "counted_orig", "counted_orig": "people", "synthetic": "counted_syn",
    "counted_syn": "synthetic",
    "counted_orig_class": "counted_orig", "n_cells": "people",
    "n_orig": "n_syn", "n_syn": "n_orig", "n_orig_class": "n_orig", "n_syn_class": "n_syn",
    "n_others": "n_orig", "n_others_class": "n_orig_class", "share_others": "share_orig",
    "n_top_syn": "n_all_syn", "n_all_syn": "n_top_syn",
    "n_top_others": "n_all_others", "n_all_others": "n_top_others",
    "chance_syn": "chance_others", "chance_others": "chance_syn",
    "n_base": "n_orig", "n_base_class": "n_orig_class",
    "share_orig": "share_syn", "share_syn": "share_orig", "share_level": "share_orig",
    "share_orig_within": "share_syn_within", "share_syn_within": "share_orig_within",
    "share_level_within": "share_orig_within",
    "close_orig": "close_syn", "close_syn": "close_orig",
    "n_orig_reached": "n_orig", "n_orig_class_reached": "n_orig_class",
    "share_orig_reached": "share_syn",
    "n_levels_orig": "n_orig", "entropy_orig": "n_levels_orig", "l_recursive": "n_levels_orig",
    "counted_modal": "counted_orig", "n_modal": "n_syn", "n_low": "people",
    "counted_high": "counted_low", "n_levels_all": "n_low",
    "counted_low": "share_low", "share_low": "counted_low",
    "counted_lowest": "share_lowest", "share_lowest": "counted_lowest",
    "expected_shuffled": "expected_mode", "expected_mode": "expected_shuffled",
    "expected_mode_orig": "expected_mode", "expected_uniform": "expected_shuffled",
    "chance_posterior": "chance_prior", "chance_prior": "chance_posterior",
    "chance_mode": "chance_posterior",
    "n_in": "n_out", "n_out": "n_in", "n_in_from": "n_out_from", "n_out_from": "n_out_above",
    "n_out_above": "n_out_from",
    "n_in_all": "n_out_all", "n_out_all": "n_in_all", "share_in": "share_out",
    "share_out": "share_in",
    "n_predicates": "counted_predicates", "counted_predicates": "n_predicates",
    "found": "n_candidates", "n_candidates": "found", "radius": "n_orig",
}  # fmt: skip

_UNCHANGED = re.compile(
    r" *(?:\{#|#) unchanged by (?P<changes>.+?)(?: in the next (?P<lines>\d+) lines)?: "
)


@dataclass(frozen=True)
class Mutant:
    """One change of a text: the part from ``start`` to ``end`` becomes ``other``."""

    text: str
    start: int
    end: int
    other: str

    @property
    def mutated(self) -> str:
        return self.text[: self.start] + self.other + self.text[self.end :]

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.start)

    @property
    def change(self) -> str:
        """The change as shown in a report: ``n_syn = n_syn_class AND n_syn [> → >=] 0 AND n_orig >
        0``.
        """
        before, after = (
            self.text[: self.start].rpartition("\n")[2],
            self.text[self.end :].partition("\n")[0],
        )
        return f"{before}[{self.text[self.start : self.end]} → {self.other}]{after}".strip()

    @property
    def explained(self) -> bool:
        """True if a comment declares that the change changes no result."""
        return any(each.fits(self) for each in equivalents(self.text))


@dataclass(frozen=True)
class Equivalent:
    """A change that changes no result, declared by a comment above its line: ``{# unchanged by
    n_syn [= → >=]: a reason #}``.

    In a TOML header the comment has no braces. ``[= → >=], [> → >=] in the next 2 lines`` names two
    changes in two lines.
    """

    change: str
    lines: list[int]

    def fits(self, mutant: Mutant) -> bool:
        """Return True if the mutant is this change."""
        return mutant.line in self.lines and self.change in mutant.change


@lru_cache(maxsize=128)
def equivalents(text: str) -> list[Equivalent]:
    """Read the comments about equivalent changes. A comment at the end of a header applies to all
    lines below it.
    """
    lines, found = text.splitlines(), []
    comments = {
        number: said for number, line in enumerate(lines) if (said := _UNCHANGED.match(line))
    }
    for number, said in comments.items():
        below = [each for each in range(number, len(lines)) if each not in comments]
        about = below if lines[below[0]] == "---*/" else below[: int(said["lines"] or 1)]
        found += [Equivalent(change, about) for change in said["changes"].split(", ")]
    return found


def mutants(text: str, start: int = 0, end: int | None = None) -> Iterator[Mutant]:
    """Yield all mutants of a text, or of its part from ``start`` to ``end``."""
    tokens = _tokens(text[start:end])
    words = ["", "", *(token.text.upper() for token in tokens), ""]
    # for each CASE around the token: is it in COUNT, which ignores the value itself?
    counted: list[bool] = []
    for token, earlier, before, word, after in zip(
        tokens, words, words[1:], words[2:], words[3:], strict=False
    ):
        if word == "CASE":
            counted.append((earlier, before) == ("COUNT", "("))
        elif word == "END" and counted:
            counted.pop()
        if before == "THEN" and token.token_type == TokenType.NUMBER and counted and counted[-1]:
            continue
        for other in _others(token, before, after):
            yield Mutant(text, start + token.start, start + token.end + 1, other)


def _others(token: Token, before: str, after: str) -> tuple[str, ...]:
    """Return the replacements for a token, given the words before and after it."""
    word = token.text.upper()
    if token.token_type == TokenType.NUMBER:
        return _numbers(token.text)
    if token.token_type == TokenType.VAR and after != "(":
        return (MISTAKEN[token.text],) if token.text in MISTAKEN else ()
    if word == "IS":
        return () if after == "NOT" else ("IS NOT",)
    if word == "NOT" and before == "IS":
        return ("",)
    if (word, before) in (("*", "("), ("AND", "PRECEDING")):
        return ()  # the * of COUNT(*), and the AND of a window frame
    return OTHERS.get(word, ())


def _numbers(text: str) -> tuple[str, ...]:
    """Return replacements for a number: its two neighbors if it is whole, otherwise another
    number.
    """
    if not text.isdecimal():
        return (f"1{text}",)
    return (str(int(text) + 1), *([str(int(text) - 1)] if int(text) else []))


@lru_cache(maxsize=128)
def _tokens(text: str) -> list[Token]:
    """Return the SQL tokens of a template, with their positions in the text."""
    return sqlglot.tokenize(_plain(text), read="duckdb")


def _plain(text: str) -> str:
    """Replace each expression of a template by a name, and each block or comment by blanks. No
    position changes.
    """
    plain, filler, end = [], " ", 0
    lexer = jinja2.Environment(keep_trailing_newline=True)  # noqa: S701 - nothing is rendered
    for _, kind, value in lexer.lex(text):
        if kind.endswith("_begin"):
            filler = "j" if kind == "variable_begin" else " "
        # a block that begins with {%- has removed the blanks before it
        start = text.index(value, end)
        plain += [" " * (start - end), value if kind == "data" else filler * len(value)]
        end = start + len(value)
    return "".join(plain)


def of_template(path: str) -> list[Mutant]:
    """Return all mutants of a template under sql/. The header is not changed."""
    text = (sql_folder() / path).read_text(encoding="utf-8")
    return [*mutants(text, max(text.find("---*/"), 0))]
