"""The counts that the internal page carries, from which what-if is recomputed in the browser."""

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# the most cells that are read for it, and the most bytes of a page that it takes
CELLS, BYTES = 300_000, 600_000


@dataclass(frozen=True)
class Cube:
    """Counts of cells, in the types of JSON; or in words why there are none (``left_out``).

    ``counts`` has ``keys`` and ``targets``, each with a ``name`` and ``levels`` in their order; a
    key with how it may be coarsened (``width``, ``rare`` or empty), a target with the places of
    levels that are left out (``excluded``), both with ``missing``, the place of the missing level
    or None. ``files`` are the synthetic ones, ``people`` those of the original. A target has
    ``cells``, or where there is none the cube ``classes``: a list for each key of the places of its
    levels, one of levels, and one of records for the original and each file. All lists are as long
    as there are cells.
    """

    counts: Mapping[str, object]
    cells: int = 0
    left_out: str = ""

    @cached_property
    def packed(self) -> str:
        """The counts as the page carries them: JSON, compressed, in letters."""
        text = json.dumps(self.counts, separators=(",", ":"), ensure_ascii=False)
        return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()

    def fitting(self) -> "Cube":
        """Return the cube itself, or why it is left out where it takes too many bytes."""
        if self.left_out or len(self.packed) <= BYTES:
            return self
        return left_out(f"its {self.cells:,} cells take more than {BYTES // 1000} KB")


def left_out(why: str) -> Cube:
    """Return a cube without counts."""
    return Cube({}, left_out=why)
