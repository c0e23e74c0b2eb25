"""Columns whose codes are read as the labels that the file has for them, so that they meet the texts of another file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.formats.streams import Part
from sqlrisk.inputs.labels import code_text


def by_labels(part: Part, names: frozenset[str], file: str) -> Part:
    """Return a file with labels in the place of codes in some columns; a code without a label is its text.

    Raises InputError where two codes have one label; messages name the ``file`` so.
    """
    import pyarrow as pa

    labels = {name: part.labels.columns[name].values for name in names if name in part.labels.columns}
    labels = {name: values for name, values in labels.items() if values}
    for name, values in labels.items():
        if len({*values.values()}) < len(values):
            raise InputError(
                f"column.{name}.codes: two codes of {file} have one label, and would be one level. Label them apart."
            )
    schema = pa.schema([(each.name, pa.string() if each.name in labels else each.type) for each in part.schema])

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        for batch in part.batches(columns):
            arrays = [_called(batch[name], labels[name]) if name in labels else batch[name] for name in columns]
            yield pa.record_batch(arrays, list(columns))

    def _called(codes: Any, values: Any) -> Any:
        """Return the labels of codes; each code that occurs is looked up once."""
        encoded = codes.dictionary_encode()
        own = encoded.dictionary
        own = own.cast(pa.string()).cast(pa.float64()) if own.type == pa.float32() else own  # by the shortest text
        texts = [code_text(code) for code in own.to_pylist()]
        return pa.array([values.get(text, text) for text in texts], pa.string()).take(encoded.indices)

    return replace(part, schema=schema, batches=batches) if labels else part
