"""Files that no database reads: SPSS, Stata, SAS, Excel, Arrow and ORC, as streams of Arrow batches. A row a format."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.inputs.labels import FileLabels
from sqlrisk.inputs.sources import FORMATS, Source, part_name

# The module that reads each kind, and the package that it needs besides those of sqlrisk.
READERS = {
    "spss": ("stat_files", "pyreadstat"),
    "stata": ("stat_files", "pyreadstat"),
    "sas": ("stat_files", "pyreadstat"),
    "excel": ("excel_files", "python_calamine"),
    "arrow": ("arrow_files", ""),
    "orc": ("arrow_files", ""),
}
_ENCRYPTED = (b"ENCRYPTEDSAV", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # how an encrypted file of SPSS begins, and of Excel
UNTYPED = ("spss", "stata", "sas", "excel")  # of their numbers only the values tell whether they are whole


@dataclass(frozen=True)
class Part:
    """One file: its columns with their Arrow types (a pyarrow Schema), what yields batches of some of them, and its labels."""

    schema: Any
    batches: Callable[[Sequence[str]], Iterator[Any]]
    labels: FileLabels = field(default_factory=FileLabels)


@dataclass(frozen=True)
class Stored:
    """A source in one of these formats, as a table that is streamed; what made the stream fail is the first of ``failures``."""

    source: Source
    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    failures: list[InputError] = field(default_factory=list, compare=False)

    def select(self, columns: Sequence[str]) -> "Stored":
        """Return the table with some of its columns."""
        return replace(self, columns=tuple(columns))

    def __arrow_c_stream__(self, requested: object = None) -> object:
        """Return the stream, as Arrow hands them over."""
        import pyarrow as pa

        fields = pa.schema([self.parts[0].schema.field(name) for name in self.columns])
        return pa.RecordBatchReader.from_batches(fields, self._batches(fields)).__arrow_c_stream__(requested)

    def _batches(self, fields: Any) -> Iterator[Any]:
        try:
            for path, part in zip(self.source.paths, self.parts, strict=True):
                own = [part.schema.field(name).type for name in self.columns]
                apart = [field.name for field, kind in zip(fields, own, strict=True) if field.type != kind]
                if apart:
                    raise InputError(
                        f"The parts of {self.source.name} hold the column {apart[0]!r} as other types (in {path!r}). Store it "
                        "alike in all parts."
                    )
                with readable(path, self.source):
                    yield from part.batches(self.columns)
        except InputError as error:
            self.failures.append(error)
            raise


def stored(source: Source, room: int) -> Stored:
    """Open a source; batches take about ``room`` bytes. Raises InputError where it cannot be read, or not without a package."""
    module, package = READERS[source.kind]
    try:
        if package:
            import_module(package)
    except ModuleNotFoundError:
        raise InputError(
            f"{FORMATS[source.kind]} files, as {source.name}, need the package {package.replace('_', '-')}: "
            "pip install 'sqlrisk[formats]'."
        ) from None
    read: Callable[..., Part] = import_module(f"sqlrisk.engines.formats.{module}").part
    parts = []
    for path in source.paths:
        with readable(path, source):
            parts.append(read(path, source, room))
    first, *others = (tuple(part.schema.names) for part in parts)
    return Stored(source, tuple(parts), tuple(name for name in first if all(name in names for names in others)))


@contextmanager
def readable(path: str, source: Source) -> Iterator[None]:
    """Raise InputError where the block cannot read a file, whatever its library says: that may quote values."""
    try:
        yield
    except (InputError, GeneratorExit, MemoryError):
        raise
    except Exception as error:
        what = f"The {FORMATS[source.kind]} {part_name(path, source)} cannot be read"
        if isinstance(error, OSError) and error.errno:
            raise InputError(f"{what}: {error.strerror}.") from None
        if "encoding" in str(error) or isinstance(error, UnicodeError):
            raise InputError(
                f"{what}: its text is in another encoding than it says; name it, as in --encoding latin-1."
            ) from None
        with Path(path).open("rb") as file:
            encrypted = file.read(len(max(_ENCRYPTED, key=len))).startswith(_ENCRYPTED)
        why = (
            "it is encrypted. Save it without a password."
            if encrypted
            else "it is damaged, or of another format. Write it again."
        )
        raise InputError(f"{what}: {why}") from None
