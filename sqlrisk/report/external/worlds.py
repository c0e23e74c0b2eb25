"""The search for a world: a number of people of each kind that keeps all sums within their limits.

Kinds of people are explained in `definitions`, blocks of kinds in `audit`. If there are few kinds,
one integer program (HiGHS) finds the best world. If there are many, that takes too long, and whole
people are found block by block. Each program requires whole people in the next blocks and allows
fractions in later blocks. Its whole numbers are then fixed. The remaining program has fewer kinds
each time, and its limits leave room for rounding to whole people.
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

WHOLE = 200  # maximum number of kinds with whole people in one program
NEAR = 1e-6  # tolerance of all limits
_STEP = 2.0  # maximum seconds for each program of the search block by block
_LATE = 1  # scipy's status of a search that ran out of time


class Worlds:
    """The possible worlds of some blocks.

    ``rows`` is a sparse matrix: each row is a sum with limits, each column a kind. ``parts`` has
    the columns of each block, and ``links`` the names of its links to other blocks.
    """

    def __init__(
        self,
        rows: Any,
        parts: Sequence[slice],
        links: Sequence[Collection[Hashable]],
        *,
        whole: bool,
    ) -> None:
        """Prepare the search. ``whole`` is True if people are counted one by one, not by weight."""
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
        enough: float | None = None,
        presolve: bool = True,
    ) -> tuple[Vector | None, bool]:
        """Return the world in which the weighted sum of people is smallest, or None if none was
        found. Also return True if the search ran out of time.

        ``aim`` has the weight of each kind, ``low`` and ``high`` the limits of each row. The
        search keeps the weighted sum at or above ``enough`` (None for no bound), so that it ends
        sooner. A world may be worse than the best by the relative ``gap``. The search takes at most
        ``seconds``.

        A world has whole people if they are counted one by one and there are at most ``WHOLE``
        kinds, otherwise it may have fractions. The solver's ``presolve`` makes it faster, but may
        miss a world.
        """
        ends = [] if enough is None else [(aim[None, :], enough, np.inf)]
        whole = np.full(len(aim), float(self._at_once))
        limits = [(self._rows, low, high), *ends]
        found, late = _solved(aim, limits, whole, gap, seconds, presolve=presolve)
        return (np.round(found) if found is not None and self._at_once else found), late

    def in_whole_people(
        self, aim: Vector, low: Vector, high: Vector, begin: int, *, gap: float, until: float
    ) -> Vector | None:
        """Return a world of whole people in which the weighted sum of people is small. Return None
        if none was found.

        Arguments are as in `best`. The search starts at the block ``begin`` and ends when
        `time.monotonic` reaches ``until``.
        """
        world, left = np.full(len(aim), np.nan), np.arange(len(aim))
        rows, made = self._rows.tocsc(), np.zeros(len(low))
        order = [*self._from(begin)]
        while order:
            sizes = [self._parts[block].stop - self._parts[block].start for block in order]
            many = max(1, int((np.cumsum(sizes) <= WHOLE).sum()))
            now, order = order[:many], order[many:]
            whole = np.zeros(len(aim))
            for block in now:
                whole[self._parts[block]] = 1
            limits = [(rows, low - made, high - made)]
            seconds = min(_STEP, max(until - monotonic(), 0))
            found, _ = _solved(aim[left], limits, whole[left], gap, seconds, presolve=False)
            if found is None:
                return None
            fixed = whole[left] == 1
            world[left[fixed]] = np.round(found[fixed])
            made = made + rows[:, fixed] @ world[left[fixed]]
            rows, left = rows[:, ~fixed], left[~fixed]
        return world if agrees(self._rows @ world, low, high, near=NEAR / 1000) else None

    def _from(self, begin: int) -> Iterator[int]:
        """Yield all blocks, beginning with ``begin``. The next block is always the one with most
        links in common with the earlier blocks.
        """
        left = [begin, *(block for block in range(len(self._parts)) if block != begin)]
        tied = set[Hashable]()
        while left:
            block = max(left, key=lambda each: len(tied.intersection(self._links[each])))
            left.remove(block)
            tied.update(self._links[block])
            yield block


def agrees(values: Vector, low: Vector, high: Vector, near: float = NEAR) -> bool:
    """Return True if all values are within their limits."""
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
    """Return the nonnegative numbers that minimize their sum weighted by ``aim``, or None if none
    were found. Also return True if the search ran out of time.

    Each of the ``limits`` is a matrix with the lowest and highest value of each row. ``whole`` is 1
    for each number that must be an integer, otherwise 0. If only some are integers, the solver is
    faster without ``presolve``.
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
    """Suppress the solver's own output, which no option turns off. Meanwhile the stdout of the
    whole process is the null device.
    """
    # C buffers its output. So flush the program's own output first, and the solver's output while
    # stdout is the null device.
    library = ctypes.CDLL(None)
    if sys.stdout is not None:
        sys.stdout.flush()
    library.fflush(None)
    with ExitStack() as after:
        with suppress(OSError):  # without stdout there is nothing to keep clean
            kept = os.dup(1)
            after.callback(os.close, kept)
            after.callback(os.dup2, kept, 1)
            after.callback(library.fflush, None)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.close(nowhere)
        yield
