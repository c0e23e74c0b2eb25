"""Pool syntheses one by one. In each step, the first few syntheses, the next one, and all of them
show something about a person's keys.

What they show is a code of `definitions.Seen`. The first two codes allow only a few codes for the
pool. In one step, a kind of person has all three codes.
"""

from collections.abc import Iterator

CODES = ("N", "R1", "R", "W1", "W", "O", "X")


def steps() -> Iterator[tuple[str, str, str]]:
    """Yield every possible triple of codes (see `definitions.Seen`): of the first pooled syntheses,
    of the next one, and of all of them.
    """
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
        return ("W", "O")  # the same wrong level, or two different ones
    return ("O",) if looks <= {"W", "O"} else ("X",)
