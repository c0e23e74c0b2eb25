"""The counts in an internal page. The browser recomputes measures from them when the reader tries
other keys or coarser levels (what-if).
"""

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# maximum number of cells in a cube, and of bytes that it adds to a page
CELLS, BYTES = 300_000, 600_000


@dataclass(frozen=True)
class Cube:
    """The counts of ``cells`` cells in JSON types. If there are none, ``left_out`` is the reason.

    ``counts`` has ``keys``, ``targets``, ``files`` (the names of the synthetic files) and
    ``people`` (the number of people in the original).

    - A key or target has a ``name``, its ``levels`` in order, and ``missing``: the index of the
      missing level, or None.
    - A key also has ``coarsen``, the way to coarsen it: ``width``, ``rare`` or empty.
    - A target also has ``excluded``, the indexes of the levels that are not counted, and ``cells``.
      ``cells`` is a list of columns with an item for each cell: the level index of each key, the
      level index of the target, then the records of the original and of each file.
    - If there are no targets, ``counts`` has ``classes``: columns like ``cells``. The level index
      of the target is 0 everywhere.
    """

    counts: Mapping[str, object]
    cells: int = 0
    left_out: str = ""

    @cached_property
    def packed(self) -> str:
        """The counts as text in the page: JSON, gzipped, in base64."""
        text = json.dumps(self.counts, separators=(",", ":"), ensure_ascii=False)
        # Level 9 takes four times as long, for 3 % less.
        return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()

    def fitting(self) -> "Cube":
        """Return this cube. If it takes more than ``BYTES``, return a cube that only says so."""
        if self.left_out or len(self.packed) <= BYTES:
            return self
        return left_out(f"its {self.cells:,} cells take more than {BYTES // 1000} KB")


def left_out(why: str) -> Cube:
    """Return a cube without counts. ``why`` is the reason."""
    return Cube({}, left_out=why)
