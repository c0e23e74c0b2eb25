"""The search for a world: a number of people of each kind with which all rows are within their
limits.

Few kinds are one integer program (HiGHS), whose answer is the best there is. Many are too much for
one. Whole people are then found block by block: the next blocks are asked for in whole people while
those after them may hold fractions, and stay as they are found. What is left has fewer kinds each
time, and the limits have room for what a rounding moves.
"""

import ctypes
import os
import sys
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any

import numpy as np

from sqlrisk.report.external.definitions import Vector

WHOLE = 200  # kinds of people that are made whole at once, and up to which one program does
NEAR = 1e-6
_STEP = 2.0  # seconds for the next blocks
_LATE = 1  # the status of a search that was ended


class Worlds:
    """The worlds of blocks: which kinds each has (``parts``), the ``links`` that tie them together,
    what ``rows`` sum.
    """

    def __init__(
        self,
        rows: Any,
        parts: Sequence[slice],
        links: Sequence[Collection[Hashable]],
        *,
        whole: bool,
    ) -> None:
        """Take all of it; ``whole`` says that people are counted one by one, not by weight."""
        self._rows, self._parts, self._links, self.whole = rows, parts, links, whole
        self._at_once = whole and rows.shape[1] <= WHOLE

    def best(
        self,
        aim: Vector,
        low: Vector,
        high: Vector,
        *,
        gap: float,
        seconds: float,
        end: tuple[float, float] | None = None,
    ) -> tuple[Vector | None, bool]:
        """Return the world with the least of an ``aim``, where that is between two ends; and
        whether the search was ended.

        People are whole where one program can find them, and fractions of people otherwise.
        """
        ends = [] if end is None else [(aim[None, :], *end)]
        whole = np.full(len(aim), float(self._at_once))
        found, late = _solved(aim, [(self._rows, low, high), *ends], whole, gap, seconds)
        return (np.round(found) if found is not None and self._at_once else found), late

    def in_whole_people(
        self, aim: Vector, low: Vector, high: Vector, begin: int, *, gap: float, until: float
    ) -> Vector | None:
        """Return a world of whole people with little of an ``aim``, made from one block on; None
        where none was found in time.
        """
        world, left, rows, made = (
            np.full(len(aim), np.nan),
            np.arange(len(aim)),
            self._rows.tocsc(),
            np.zeros(len(low)),
        )
        order = [*self._from(begin)]
        while order:
            sizes = np.cumsum(
                [self._parts[block].stop - self._parts[block].start for block in order]
            )
            now, order = order[: (many := max(1, int((sizes <= WHOLE).sum())))], order[many:]
            whole = np.zeros(len(aim))
            for block in now:
                whole[self._parts[block]] = 1
            limits = (rows, low - made, high - made)
            found, _ = _solved(
                aim[left],
                [limits],
                whole[left],
                gap,
                min(_STEP, max(until - monotonic(), 0)),
                presolve=False,
            )
            if found is None:
                return None
            fixed = whole[left] == 1
            world[left[fixed]] = np.round(found[fixed])
            made, rows, left = (
                made + rows[:, fixed] @ world[left[fixed]],
                rows[:, ~fixed],
                left[~fixed],
            )
        return world if agrees(self._rows @ world, low, high, near=NEAR / 1000) else None

    def _from(self, begin: int) -> Iterator[int]:
        """Yield all blocks from one on, each time the one that most links tie to those before."""
        left, tied = (
            [begin, *(block for block in range(len(self._parts)) if block != begin)],
            set[Hashable](),
        )
        while left:
            block = max(left, key=lambda each: len(tied.intersection(self._links[each])))
            left.remove(block)
            tied.update(self._links[block])
            yield block


def agrees(values: Vector, low: Vector, high: Vector, near: float = NEAR) -> bool:
    """Return whether all values are within their limits."""
    return bool((low - near <= values).all() and (values <= high + near).all())


def _solved(
    aim: Vector,
    limits: Sequence[tuple[Any, Any, Any]],
    whole: Vector,
    gap: float,
    seconds: float,
    *,
    presolve: bool = True,
) -> tuple[Vector | None, bool]:
    """Return the numbers, 0 or more, with the least of an ``aim`` within ``limits``; and whether
    the search was ended.

    Some ``whole``, others not, the solver is better without its ``presolve``.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    constraints = [LinearConstraint(*each) for each in limits]
    options = {"mip_rel_gap": gap, "time_limit": seconds, "presolve": presolve}
    with muted():
        found = milp(
            aim,
            integrality=whole,
            bounds=Bounds(0, np.inf),
            constraints=constraints,
            options=options,
        )
    return found.x, found.status == _LATE


@contextmanager
def muted() -> Iterator[None]:
    """Keep what the solver prints by itself, whatever its options say, out of the
    program's output.
    """
    # C writes late: what came before belongs to the output, what came meanwhile does not
    library = ctypes.CDLL(None)
    if sys.stdout is not None:
        sys.stdout.flush()
    library.fflush(None)
    with ExitStack() as after:
        with suppress(OSError):  # without an output there is nothing to keep out of it
            kept = os.dup(1)
            after.callback(os.close, kept)
            after.callback(os.dup2, kept, 1)
            after.callback(library.fflush, None)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.close(nowhere)
        yield
