"""Read Delta and Iceberg tables with deltalake and pyiceberg: some columns of the opened
version.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlrisk.common.lake_tables import require_near
from sqlrisk.engines.formats import streams
from sqlrisk.engines.formats.streams import Part
from sqlrisk.inputs.sources import Source


def part(_path: str, source: Source, _room: int) -> Part:
    """Open a table as one part."""
    return _delta(source.frame) if source.kind == "delta" else _iceberg(source.frame, source.label)


def _delta(table: Any) -> Part:
    dataset = table.to_pyarrow_dataset()

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        yield from dataset.scanner(columns=list(columns), **streams.AHEAD).to_batches()

    return Part(dataset.schema, batches)


def _iceberg(table: Any, place: str) -> Part:
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        scan = table.scan(selected_fields=tuple(columns))
        fields = schema_to_pyarrow(scan.projection(), include_field_ids=False)
        reader = ArrowScan(table.metadata, table.io, scan.projection(), AlwaysTrue())
        for manifest in table.current_snapshot().manifests(table.io):
            require_near(place, manifest.manifest_path)
        for task in scan.plan_files():
            for file in (task.file, *task.delete_files):
                require_near(place, file.file_path)
            # One file at a time: all at once would be in memory together.
            for batch in reader.to_record_batches([task]):
                yield batch.cast(fields).select(columns)

    return Part(schema_to_pyarrow(table.schema(), include_field_ids=False), batches)
