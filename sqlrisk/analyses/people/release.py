"""Write the files of a release to a new folder: choose their names, and rename the temporary files
at the end, all or none.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.common.output_files import require_here, standing_in
from sqlrisk.engines.engine import Engine
from sqlrisk.engines.formats.stat_copies import ENDINGS, ending_of, size_of
from sqlrisk.engines.formats.stat_files import WITHOUT_REASONS
from sqlrisk.inputs import codebooks
from sqlrisk.inputs.codebooks import Field
from sqlrisk.inputs.labels import merged
from sqlrisk.inputs.sources import Source, read_header, sheet_of
from sqlrisk.report.columns import Row

# characters that some operating system does not allow in file names
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|]')


def names_of(sources: Sequence[Source], folder: str) -> list[str]:
    """Return a file name for each source to write. Raises InputError if two sources would get one
    name, or if the folder is inside a source or at a network address.
    """
    require_here(folder)
    require_outside(folder, sources)
    names = [_name(source) for source in sources]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    ProblemList(
        f"Two of the files would be called {name!r} in the folder {folder!r}; rename one."
        for name in twice
    ).stop()
    return names


def require_outside(output: str, sources: Iterable[Source]) -> None:
    """Raise InputError if an output would become a part of a source that is a folder."""
    inside = Path(output).resolve().parents
    for source in sources:
        with suppress(OSError):
            if (
                source.paths
                and Path(source.label).is_dir()
                and Path(source.label).resolve() in inside
            ):
                raise InputError(
                    f"The output {output!r} would be a part of {source.name}; choose another "
                    "folder."
                )


def form_of(source: Source) -> str:
    """Return the output format of a source. CSV files keep their format. So do SPSS (``.por``
    becomes ``.sav``) and Stata files that are not in parts or at an address. All others become
    Parquet.
    """
    return "csv" if source.kind == "csv" else ENDINGS.get(ending_of(source), "parquet")


def _name(source: Source) -> str:
    """Return the name of the file to write for a source: the source's name, with the sheet that it
    names, and with the extension of the written format.
    """
    role = source.role.removeprefix("the ").replace(" ", "_")
    if not source.paths:
        return f"{role or source.label}.parquet"
    path = Path(source.paths[0] if len(source.paths) == 1 else source.label)
    if source.kind == "csv" and len(source.paths) == 1:
        # This compression is never written.
        return path.stem if path.suffix.lower() == ".zst" else path.name
    if source.kind == "parquet" and len(source.paths) == 1:
        return path.name
    stem = path.name.strip("*.") if len(source.paths) > 1 else path.stem
    if source.kind == "excel" and (sheet := sheet_of(source.label)):
        stem = f"{stem}_{_NOT_IN_NAMES.sub('_', sheet)}"
    return (stem or role) + (ending_of(source) or (".csv" if source.kind == "csv" else ".parquet"))


def export(
    query: str,
    path: str,
    name: str,
    form: str,
    source: Source,
    codebook: Sequence[Field],
    session: Session,
) -> None:
    """Write the rows of a query to ``path``, a file that is later called ``name``.

    A CSV file keeps the delimiter of a CSV ``source``. It is compressed if its name ends in .gz.
    """
    session.export(
        "writing",
        query,
        path,
        form,
        delimiter=delimiter_of(source),
        compressed=name.lower().endswith(".gz"),
        codebook=codebook,
    )


def delimiter_of(source: Source) -> str:
    """Return the delimiter of the CSV files that are written from a source."""
    return read_header(source.paths[0], source).delimiter if source.kind == "csv" else ","


def require_memory(source: Source, columns: int, records: int, session: Session) -> None:
    """Raise InputError if copying a source in its own format would take more than half of the
    memory limit.

    The copy holds the whole file in memory, in addition to the engine's own data.
    """
    if (size := size_of(source, columns, records)) > session.writer().memory.size / 2:
        raise InputError(
            f"{source.name} is written again from memory as a whole, which takes some "
            f"{size / 1e9:.1f} GB: raise --memory-limit, or make a Parquet file of it first."
        )


def codebook(
    source: Source, types: Mapping[str, str], engine: Engine, recoded: Collection[str] = ()
) -> list[Field]:
    """Return the codebook of a source, with a field for each column: the one in a Parquet file, or
    one made of labels. ``types`` are the types of the columns.

    A column that is ``recoded``, or read by label, has other values, and keeps only its own label.
    """
    parts = engine.labels(source)
    other = {*recoded, *engine.by_label}
    return [
        {name: said[name] for name in ("name", "title") if name in said}
        if said["name"] in other
        else said
        for said in parts[0].codebook or codebooks.described(merged(parts), types)
        if said["name"] in types
    ]


def not_kept(
    fields: Sequence[Field],
    source: Source,
    names: Iterable[str],
    form: str,
    engine: Engine,
    recoded: Collection[str] = (),
) -> list[Row]:
    """Return a row for each property of a column that the written file lacks, or has only in its
    codebook (``fields``). A file in the format of the source lacks only reasons, in columns that
    are ``recoded``.

    ``what`` is one of

    - ``labels``, which the file lacks
    - ``metadata``: a Parquet file has the label of the column in its codebook
    - ``codes``: it also has the labels of codes there, which sqlrisk does not read
    - ``reasons`` for missing codes such as ``.a``. Here, ``records`` is the number of records with
      one of the ``codes``. In the written file these records have no value.
    """
    same, letters = source.kind == form, engine.missing(source)
    said = {each["name"]: each.keys() & {"title", "categories"} for each in fields}
    found: list[Row] = []
    for name in names:
        if (own := letters.get(name)) and (not same or name in recoded):
            found.append(
                {
                    "column": name,
                    "what": "reasons",
                    "codes": sorted(own),
                    "records": sum(own.values()),
                }
            )
        if (kinds := said.get(name)) and not same:
            kept = "codes" if "categories" in kinds else "metadata"
            what = kept if form == "parquet" else "labels"
            found.append({"column": name, "what": what, "codes": None, "records": None})
    return found


def left_out(sources: Sequence[Source], engine: Engine) -> list[Row]:
    """Return a row for each source that was only partly read, with what was left out:
    ``empty_rows``, ``row_names``, ``columns``, or ``reasons`` for missing values.
    """
    found = []
    for source in sources:
        what = dict(engine.left_out(source))
        if any(path.lower().endswith(WITHOUT_REASONS) for path in source.paths):
            what["reasons"] = True
        if what:
            found.append({"source": source.label, **what})
    return found


@contextmanager
def new_folder(folder: Path, names: Sequence[str], inputs: Sequence[str]) -> Iterator[list[str]]:
    """Yield temporary files in a new or empty folder. They get their final names if the block
    raises no error. Otherwise they are removed, and the folder too if it is new.

    Only their owner can read them. Raises InputError if the folder has files or cannot be made, or
    if a file would match a glob among the ``inputs``.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"The output {str(folder)!r} already exists; name a new or empty folder.")
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The output {str(folder)!r} cannot be written: {error.strerror}."
        ) from None
    try:
        with ExitStack() as stack:
            yield [str(stack.enter_context(standing_in(folder / name, inputs))) for name in names]
    except BaseException:
        if made and not any(folder.iterdir()):
            folder.rmdir()
        raise
