"""Copy remote objects into the private folder, each byte once, and read the copies as files.

From a Parquet object only the requested columns are fetched. The local file is as large as its
object, with holes for the bytes that were not fetched. So all readers treat it as a normal file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import repeat
from pathlib import Path, PurePosixPath

from sqlrisk.common import disk, objects
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.sources import Source, partitions

Span = tuple[int, int]  # first byte, byte after the last
_AT_ONCE = 8  # requests
_PIECE = 2**22  # bytes per request. Pieces of all requests are in memory.
_GAP = 2**14  # bytes: shorter gaps are fetched too instead of skipped
_FOOTER = 2**16  # bytes that hold the footers of most Parquet files
_MARK = 8  # bytes at the end of a Parquet file: the length of its footer and the format's name
_SECONDS = 0.1  # seconds between two reports of progress


class Fetched:
    """A source of remote objects, and the local files that stand in for them."""

    def __init__(self, source: Source, folder: Path, on_wait: Callable[[], None]) -> None:
        """Make the local files, empty except for Parquet footers. ``on_wait`` is called repeatedly
        meanwhile.
        """
        self._on_wait = on_wait
        self._done = self._asked = 0
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            self._objects = list(pool.map(objects.opened, source.paths))
        self._files = [
            _stand_in(path, source, folder / str(number))
            for number, path in enumerate(source.paths)
        ]
        self._have: list[list[Span]] = [[] for _ in self._files]
        paths = tuple(map(str, self._files))
        self.source = replace(
            source,
            paths=paths,
            folder=str(folder) if source.folder else "",
            called=dict(zip(paths, source.paths, strict=True)),
        )
        for file, found in zip(self._files, self._objects, strict=True):
            file.parent.mkdir(parents=True)
            with disk.filling("The temporary folder", disk.ELSEWHERE), file.open("wb") as empty:
                empty.truncate(found.size)
        if source.kind == "parquet":
            self._bring(self._ends(repeat(_FOOTER)))
            self._bring(self._ends(map(_footer, self._files)))

    def with_columns(self, columns: Sequence[str]) -> Source:
        """Fetch what is needed to read these columns, and return the source as local files.

        From Parquet objects these columns are fetched, with short gaps between them. Objects of
        other formats are fetched whole. Raises InputError if a server sends too little.
        """
        wanted = [[(0, found.size)] for found in self._objects]
        if self.source.kind == "parquet":
            wanted = [
                _without(whole, _unread(file, columns))
                for file, whole in zip(self._files, wanted, strict=True)
            ]
        if columns or self.source.kind != "parquet":
            self._bring(wanted)
        return self.source

    @property
    def progress(self) -> float:
        """The share of the last request that has arrived, 0 to 1."""
        return self._done / max(1, self._asked)

    def _ends(self, lengths: Iterable[int]) -> list[list[Span]]:
        return [
            [(max(0, found.size - length), found.size)]
            for found, length in zip(self._objects, lengths, strict=False)
        ]

    def _bring(self, wanted: Sequence[Sequence[Span]]) -> None:
        """Copy byte ranges of the objects, except those already copied."""
        lacking = [_without(spans, have) for spans, have in zip(wanted, self._have, strict=True)]
        self._done, self._asked = 0, sum(end - start for spans in lacking for start, end in spans)
        disk.require(self._asked, self._files[0].parent)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            try:
                running = {
                    pool.submit(self._fetch, number, piece)
                    for number, spans in enumerate(lacking)
                    for piece in _pieces(spans)
                }
                while running:
                    done, running = wait(running, _SECONDS, FIRST_EXCEPTION)
                    self._done += sum(each.result() for each in done)
                    self._on_wait()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        self._have = [[*have, *spans] for have, spans in zip(self._have, lacking, strict=True)]

    def _fetch(self, number: int, span: Span) -> int:
        """Copy a piece of an object and return its number of bytes.

        Raises InputError if the server sends less.
        """
        start, end = span
        piece = self._objects[number].read(start, end - start)
        if len(piece) < end - start:
            raise InputError(
                f"The input {self.source.part(str(self._files[number]))!r} cannot be read: "
                "its server sends only a part of it."
            )
        with (
            disk.filling("The temporary folder", disk.ELSEWHERE),
            self._files[number].open("r+b") as file,
        ):
            file.seek(start)
            file.write(piece)
        return len(piece)


def _stand_in(address: str, source: Source, folder: Path) -> Path:
    """Return the path of a local file that stands in for an object. It keeps only the partition
    folders and the extension of the address.
    """
    names = PurePosixPath(address.partition("://")[2]).parts
    kept = [name for name in names[:-1] if name.partition("=")[0] in partitions(source)]
    endings = PurePosixPath(names[-1]).suffixes[-2:]
    compressed = len(endings) == 2 and endings[-1].lower() in (".gz", ".zst")
    return folder.joinpath(*kept, f"part{''.join(endings if compressed else endings[-1:])}")


def _footer(file: Path) -> int:
    """Return how many bytes to fetch from the end of a file: a Parquet file's footer. For other
    files, only the bytes by which Parquet is recognized.
    """
    with file.open("rb") as opened:
        opened.seek(-min(_MARK, file.stat().st_size), 2)
        end = opened.read()
    return int.from_bytes(end[:4], "little") + _MARK if end.endswith(b"PAR1") else _MARK


def _unread(file: Path, columns: Sequence[str]) -> list[Span]:
    """Return the byte ranges of a Parquet file to skip: those of other columns, if they are long
    enough.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        footer = parquet.read_metadata(file)
    except (pa.ArrowException, OSError):
        return []  # DuckDB reports the error later
    chunks: dict[bool, list[Span]] = {True: [], False: []}
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for chunk in map(group.column, range(group.num_columns)):
            start = min(
                filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset)), default=0
            )
            is_read = any(
                chunk.path_in_schema == name or chunk.path_in_schema.startswith(f"{name}.")
                for name in columns
            )
            chunks[is_read].append((start, start + chunk.total_compressed_size))
    unread: list[Span] = []
    for start, end in sorted(chunks[False]):
        joined = bool(unread) and unread[-1][1] == start
        unread.append((unread.pop()[0] if joined else start, end))
    return [(start, end) for start, end in _without(unread, chunks[True]) if end - start >= _GAP]


def _without(spans: Iterable[Span], taken: Sequence[Span]) -> list[Span]:
    """Return byte ranges without the parts covered by others, in order."""
    left: list[Span] = []
    others = sorted(taken)
    first = 0  # index of the first span that does not end before this one begins
    for span in sorted(spans):
        low, high = span
        while first < len(others) and others[first][1] <= low:
            first += 1
        place = first
        while place < len(others) and others[place][0] < high:
            left.append((low, others[place][0]))
            low = max(low, others[place][1])
            place += 1
        left.append((low, high))
    return [(start, end) for start, end in left if start < end]


def _pieces(spans: Iterable[Span]) -> Iterator[Span]:
    for start, end in spans:
        yield from ((first, min(first + _PIECE, end)) for first in range(start, end, _PIECE))
