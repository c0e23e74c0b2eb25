"""Texts that look alike but differ: their plain form, and how and where two of them differ."""

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from unicodedata import combining, is_normalized, normalize

# Signs without width: controls, soft hyphens, joiners, directions, variants of a sign. These and
# the next patterns mean the same in DuckDB and Python: characters of one byte are escapes.
_MARKS = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\xad"
    "\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
)
_BLANKS = "\\x09-\\x0d\\x1c-\\x1f\\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_DASHES = "\u058a\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_SINGLE = "\\xb4\u02b9\u02bb-\u02bd\u2018-\u201b\u2032\u2035\u2039\u203a\uff07"
_DOUBLE = "\\xab\\xbb\u02ba\u201c-\u201f\u2033\u2036\uff02"
_SIGNS = {"marks": {_MARKS: ""}, "dashes": {_DASHES: "-"}, "quotes": {_SINGLE: "'", _DOUBLE: '"'}}
# What Windows-1252, which most programs mean by Latin-1, has for the bytes 128 to 159; five are
# undefined.
_BYTES = {
    ord(sign): byte
    for byte in range(0x80, 0xA0)
    if (sign := bytes([byte]).decode("cp1252", "ignore"))
}
# Stands for the preceding part of a text, so that blanks after it do not begin the text.
_BEHIND = "|"
_FURTHER = rf"[\x80-\xbf{''.join(map(chr, _BYTES))}]"
_MISREAD = re.compile(
    rf"[\xc2-\xdf]{_FURTHER}|[\xe0-\xef]{_FURTHER}{{2}}|[\xf0-\xf4]{_FURTHER}{{3}}"
)
ODD = re.compile(rf"[&{_MARKS}{_BLANKS}{_DASHES}{_SINGLE}{_DOUBLE}]|  |^ | $|{_MISREAD.pattern}")
"""Matches every text that is not in plain form, except texts whose only flaw is not being NFC."""


def _characters(text: str) -> str:
    """Return a text with its HTML entities decoded, including nested ones."""
    while "&" in text and (resolved := html.unescape(text)) != text:
        text = resolved
    return text


def _read_again(text: str) -> str:
    """Decode UTF-8 that was read as Latin-1, once or several times."""
    while (again := _MISREAD.sub(_as_utf8, text)) != text:
        text = again
    return text


def _as_utf8(found: re.Match[str]) -> str:
    try:
        return found[0].translate(_BYTES).encode("latin-1").decode()
    except UnicodeDecodeError:
        return found[0]


def _one_sign(kind: str) -> Callable[[str], str]:
    """Return a function that gives each sign of a kind its plain form, empty for marks."""
    patterns = [(re.compile(f"[{signs}]"), sign) for signs, sign in _SIGNS[kind].items()]

    def replaced(text: str) -> str:
        for pattern, sign in patterns:
            text = pattern.sub(sign, text)
        return text

    return replaced


# The ways in which texts that look the same differ, in the order in which they are undone.
WAYS: Mapping[str, Callable[[str], str]] = {
    "HTML entities": _characters,
    "UTF-8 that was read as Latin-1": _read_again,
    "zero-width characters": _one_sign("marks"),
    "how accents are stored (NFC)": lambda text: normalize("NFC", text),
    "blanks": lambda text: " ".join(text.split()),
    "dashes": _one_sign("dashes"),
    "quotes": _one_sign("quotes"),
}


def plain(text: str) -> str:
    """Return the plain form of a text.

    The plain form is NFC, with one kind of blank and dash, and straight quotes. It has no invisible
    marks, no HTML entities and no misread UTF-8.
    """
    if ODD.search(text) or not is_normalized("NFC", text):
        for undone in WAYS.values():
            text = undone(text)
    return text


def is_misread(text: str) -> bool:
    """Return True if the characters beyond ASCII are all UTF-8 that was read as Latin-1."""
    return not text.isascii() and _MISREAD.sub("", text).isascii()


def difference(one: str, other: str) -> tuple[str, str, str]:
    """Return how two texts that look the same differ, and the code points of the part of each that
    differs.
    """
    first, second = _apart(one, other)
    told = (code_points(first), code_points(second))
    alone = next((way for way, undone in WAYS.items() if undone(first) == undone(second)), None)
    if alone is not None:
        return alone, *told
    ways = []
    for way, undone in WAYS.items():
        before, (first, second) = (first, second), (undone(first), undone(second))
        if before != (first, second):
            ways.append(way)
        if first == second:
            break
    return " and ".join(ways), *told


def code_points(text: str) -> str:
    """Return the code points of a text as Unicode writes them."""
    return " ".join(f"U+{ord(each):04X}" for each in text) or "nothing"


def _apart(one: str, other: str) -> tuple[str, str]:
    """Return where two texts that look the same first differ: the shortest part of each, so that
    the parts look the same.
    """
    start = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    # The difference is inside an entity, or a blank.
    while start and plain(_BEHIND + one[start:]) != plain(_BEHIND + other[start:]):
        start -= 1
    before = _BEHIND if start else ""
    one, other = one[start:], other[start:]
    return next(
        (one[:mine], other[:theirs])
        for longest in count(1)
        for mine, theirs in _sizes(longest)
        if plain(before + one[:mine]) == plain(before + other[:theirs])
        and plain(_BEHIND + one[mine:]) == plain(_BEHIND + other[theirs:])
    )


def _sizes(longest: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of lengths of which the longer is ``longest``, the most similar lengths first."""
    for shorter in range(longest, -1, -1):
        yield longest, shorter
        if shorter < longest:
            yield shorter, longest


def toml_text(text: str) -> str:
    """Return a text as a TOML string, with misleading or invisible characters as escapes."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(
        _escape(each) if each != " " and (plain(each) != each or combining(each)) else each
        for each in quoted
    )


def toml_key(name: str) -> str:
    """Return a name as a TOML key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def _escape(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"
