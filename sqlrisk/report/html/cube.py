"""The counts in an internal page, from which its what-if is recomputed in the browser."""

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# maximum number of cells that are read for it, and of bytes that it adds to a page
CELLS, BYTES = 300_000, 600_000


@dataclass(frozen=True)
class Cube:
    """Counts of cells in JSON types, or the reason why there are none (``left_out``).

    ``counts`` has ``keys``, ``targets``, ``files`` (the names of the synthetic files) and
    ``people`` (how many the original has).

    - A key or target has a ``name``, its ``levels`` in order, and ``missing``: the index of the
      missing level, or None.
    - A key also has ``coarsen``, how it can be coarsened: ``width``, ``rare`` or empty.
    - A target also has ``excluded``, the indexes of the levels that are not counted, and ``cells``.
    - If there are no targets, ``counts`` has ``classes`` in the form of ``cells``: lists with one
      item per cell. They are the level indexes of each key, those of the target, then the records
      of the original and of each file.
    """

    counts: Mapping[str, object]
    cells: int = 0
    left_out: str = ""

    @cached_property
    def packed(self) -> str:
        """The counts as the page carries them: JSON, gzipped, in base64."""
        text = json.dumps(self.counts, separators=(",", ":"), ensure_ascii=False)
        return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()

    def fitting(self) -> "Cube":
        """Return this cube. If it takes more than ``BYTES``, return a cube without counts that
        gives this reason.
        """
        if self.left_out or len(self.packed) <= BYTES:
            return self
        return left_out(f"its {self.cells:,} cells take more than {BYTES // 1000} KB")


def left_out(why: str) -> Cube:
    """Return a cube without counts, with the reason."""
    return Cube({}, left_out=why)
