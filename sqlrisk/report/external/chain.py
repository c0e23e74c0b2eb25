"""Syntheses that are pooled one by one: what is seen of a person's keys in the first few, in the
next, and in all of them.

What is seen is said in the codes of `definitions.Seen`. Pooling the next synthesis turns what was
seen before into one of few other codes; a kind of person of a step has all three.
"""

from collections.abc import Iterator

CODES = ("N", "R1", "R", "W1", "W", "O", "X")


def steps() -> Iterator[tuple[str, str, str]]:
    """Yield what may be seen before, in the next synthesis, and in both."""
    for before in CODES:
        for after in CODES:
            for both in _pooled(before, after):
                yield before, after, both


def _pooled(one: str, other: str) -> tuple[str, ...]:
    if "N" in (one, other):
        return (other if one == "N" else one,)
    looks = {one[0], other[0]}
    if looks == {"R"}:
        return ("R",)
    if looks == {"W"}:
        return ("W", "O")  # the same wrong level, or another
    return ("O",) if looks <= {"W", "O"} else ("X",)
