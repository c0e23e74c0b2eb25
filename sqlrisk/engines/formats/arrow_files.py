"""Arrow IPC (Feather) and ORC files, by pyarrow, one batch or stripe at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlrisk.engines.formats.streams import Part, UnheldError
from sqlrisk.inputs.python_tables import unread
from sqlrisk.inputs.sources import Source


def part(path: str, source: Source, _room: int) -> Part:
    """Open an Arrow or ORC file. Return it as a `streams.Part`, whose batches can be streamed."""
    return _orc(path) if source.kind == "orc" else _arrow(path, source)


def _arrow(path: str, source: Source) -> Part:
    import pyarrow as pa

    def opened(file: Any) -> Any:
        try:
            return pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            return pa.ipc.open_stream(file)

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        for name in (each for each in columns if each in odd):
            raise UnheldError(
                name,
                source.name,
                "periods or intervals of pandas. Install pandas, or store their text",
            )
        with pa.memory_map(path) as file:
            reader = opened(file)
            several = (
                reader.get_batch(number)
                for number in range(getattr(reader, "num_record_batches", 0))
            )
            for batch in reader if isinstance(reader, pa.RecordBatchStreamReader) else several:
                yield batch.select(columns)

    with pa.memory_map(path) as file:
        odd = unread(opened(file).schema)
        file.seek(0)
        return Part(opened(file).schema, batches)


def _orc(path: str) -> Part:
    from pyarrow import orc

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        file = orc.ORCFile(path)
        for number in range(file.nstripes):
            yield file.read_stripe(number, list(columns)).select(columns)

    return Part(orc.ORCFile(path).schema, batches, records=orc.ORCFile(path).nrows)
