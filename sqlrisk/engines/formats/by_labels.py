"""Read labels instead of codes, so that files with different codes for a label can be compared."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlrisk.engines.formats.streams import Part, UnheldError
from sqlrisk.inputs.labels import code_text, label_of_two
from sqlrisk.inputs.sources import Source


def by_labels(part: Part, names: Collection[str], source: Source) -> Part:
    """Return a part of a source with labels instead of codes in some columns.

    A code without a label becomes text. So does a code that the user declares missing. Reading a
    column raises InputError if two of its codes share a label, or if a label equals the text of a
    code that has none.
    """
    import pyarrow as pa

    labels: dict[str, dict[str, str]] = {}
    for name in (each for each in part.schema.names if each in names):
        missing = {*map(_code, source.missing_in(name))}
        labels[name] = {
            code: label
            for code, label in part.labels.columns[name].levels.items()
            if code not in missing
        }
    schema = pa.schema(
        [(each.name, pa.string() if each.name in labels else each.type) for each in part.schema]
    )

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        for name in (each for each in columns if label_of_two(labels.get(each, {}))):
            raise UnheldError(name, source.name, _TWICE)
        for batch in part.batches(columns):
            arrays = [
                called(batch[name], name) if name in labels else batch[name] for name in columns
            ]
            yield pa.record_batch(arrays, list(columns))

    def called(codes: Any, name: str) -> Any:
        """Return the labels of codes. Each distinct code is looked up once."""
        encoded = codes.dictionary_encode()
        own = encoded.dictionary
        # A 4-byte float is looked up by its shortest text.
        own = own.cast(pa.string()).cast(pa.float64()) if own.type == pa.float32() else own
        texts = [code_text(code) for code in own.to_pylist()]
        if not {*labels[name].values()}.isdisjoint(
            text for text in texts if text not in labels[name]
        ):
            # Such as the code 7, and 7 as the label of another code.
            raise UnheldError(name, source.name, _TWICE)
        return pa.array([labels[name].get(text, text) for text in texts], pa.string()).take(
            encoded.indices
        )

    return replace(part, schema=schema, batches=batches)


_TWICE = (
    "two codes with the same label, and is compared by its labels, so they would be one "
    "level. Give them different labels"
)


def _code(text: str) -> str:
    """Convert a typed code to the form of stored codes, such as 1 for 1.0."""
    with suppress(ValueError):
        return code_text(float(text))
    return text
