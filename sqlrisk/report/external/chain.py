"""The possible outcomes for a person when one more synthesis is added to a pool.

An outcome is a triple of codes (see `definitions.Seen`). They summarize the records with the
person's keys in three files: the earlier pool, the added synthesis, and the new pool of both. The
first two codes allow only a few codes for the new pool.
"""

from collections.abc import Iterator
from itertools import product

CODES = ("N", "R1", "R", "W1", "W", "O", "X")


def steps() -> Iterator[tuple[str, str, str]]:
    """Yield every possible outcome as a triple of codes: earlier pool, added synthesis, new
    pool.
    """
    for before, after in product(CODES, repeat=2):
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
