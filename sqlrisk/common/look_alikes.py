"""Texts that look the same and are two: each as it plainly is, and where and how two of them
differ.
"""

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from unicodedata import combining, is_normalized, normalize

# Signs that take no room: controls, soft hyphens, joiners, directions, variants of a sign. Of these
# and the next ones DuckDB's patterns and Python's mean the same: characters of one byte are
# escapes.
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
# stands for what is before a part of a text: blanks at its begin are not those of a text
_BEHIND = "|"
_FURTHER = rf"[\x80-\xbf{''.join(map(chr, _BYTES))}]"
_MISREAD = re.compile(
    rf"[\xc2-\xdf]{_FURTHER}|[\xe0-\xef]{_FURTHER}{{2}}|[\xf0-\xf4]{_FURTHER}{{3}}"
)
ODD = re.compile(rf"[&{_MARKS}{_BLANKS}{_DASHES}{_SINGLE}{_DOUBLE}]|  |^ | $|{_MISREAD.pattern}")
"""What is in every text that is not plain, but for one that is not NFC."""


def _characters(text: str) -> str:
    """Resolve HTML entities, also those of entities."""
    while "&" in text and (resolved := html.unescape(text)) != text:
        text = resolved
    return text


def _read_again(text: str) -> str:
    """Turn back UTF-8 that was read as Latin-1, once or several times."""
    while (again := _MISREAD.sub(_as_utf8, text)) != text:
        text = again
    return text


def _as_utf8(found: re.Match[str]) -> str:
    try:
        return found[0].translate(_BYTES).encode("latin-1").decode()
    except UnicodeDecodeError:
        return found[0]


def _one_sign(kind: str) -> Callable[[str], str]:
    """Return what writes all signs of a kind as the plain one."""
    patterns = [(re.compile(f"[{signs}]"), sign) for signs, sign in _SIGNS[kind].items()]

    def replaced(text: str) -> str:
        for pattern, sign in patterns:
            text = pattern.sub(sign, text)
        return text

    return replaced


# The ways in which texts that look the same differ, in words and in the order in which they are
# undone.
WAYS: Mapping[str, Callable[[str], str]] = {
    "HTML entities": _characters,
    "UTF-8 that was read as Latin-1": _read_again,
    "marks without width": _one_sign("marks"),
    "how accents are stored (NFC)": lambda text: normalize("NFC", text),
    "blanks": lambda text: " ".join(text.split()),
    "dashes": _one_sign("dashes"),
    "quotes": _one_sign("quotes"),
}


def plain(text: str) -> str:
    """Return a text as it plainly is: NFC, one kind of blank, dash and quote, no mark without
    width, no entity, not misread.
    """
    if ODD.search(text) or not is_normalized("NFC", text):
        for undone in WAYS.values():
            text = undone(text)
    return text


def is_misread(text: str) -> bool:
    """Return whether a text has characters beyond ASCII, all of them of UTF-8 that was read as
    Latin-1.
    """
    return not text.isascii() and _MISREAD.sub("", text).isascii()


def difference(one: str, other: str) -> tuple[str, str, str]:
    """Return in what way two texts that look the same differ, and the code points of each where
    they first do.
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
    """Return what stands in each text where they first differ: as little as leaves the same before
    it and a look-alike behind.
    """
    start = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    # it begins within an entity, or a blank
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
    """Yield the lengths of two texts, the longer of which is ``longest``, those that are most alike
    first.
    """
    for shorter in range(longest, -1, -1):
        yield longest, shorter
        if shorter < longest:
            yield shorter, longest


def toml_text(text: str) -> str:
    """Return a text as a TOML string in which what looks like something else, or like nothing, is
    an escape.
    """
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
