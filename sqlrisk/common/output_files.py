"""Output files. The suffix gives the format. They are private unless shared, replace no input, and
are written completely or not at all. Only `write_folder` differs.
"""

import glob
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

from sqlrisk.common import disk, temporary_files
from sqlrisk.common.errors import InputError

MANIFEST = ".manifest.json"  # suffix of a result's manifest
OUTSIDE = ".external-manifest.json"  # suffix of an external result's manifest
SIGNATURES = ".signatures.json"  # replaces a result's suffix in the name of its signatures
SUFFIXES = {
    ".txt": "text", ".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html",
    ".pdf": "pdf", ".parquet": "parquet",
}  # fmt: skip
PAGES = ("html", "pdf")  # formats that are drawn, with figures
PAGE_SUFFIXES = tuple(f".{form}" for form in PAGES)
_READ_IN_FOLDERS = (".csv", ".parquet")  # output formats that are read from a folder
PICTURES = ("svg", "png")  # formats, and suffixes, of one figure


def format_of(
    path: str, asked: str | None = None, forms: Collection[str] = SUFFIXES.values()
) -> str:
    """Return the format of a path by its suffix. Raises InputError if the format is not in
    ``forms``, or differs from the format ``asked`` for, or if the path is empty.
    """
    if not path:
        raise InputError("Name the file to write (-o FILE).")
    suffixes = {**SUFFIXES, **{f".{form}": form for form in PICTURES}}
    suffix = Path(path).suffix.lower()
    form = suffixes.get(suffix, "")
    if form not in forms:
        if form in PICTURES:
            found = f"has the suffix {suffix!r} of a picture"
        elif form:
            found = f"is {form} by its suffix"
        else:
            found = f"has the unknown suffix {suffix!r}" if suffix else "has no suffix"
        known = ", ".join(each for each, name in suffixes.items() if name in forms)
        raise InputError(f"The output {path!r} {found}; use one of {known}.")
    if asked not in (None, form):
        raise InputError(f"The output {path!r} is {form} by its suffix, but --format says {asked}.")
    return form


def is_picture(path: str) -> bool:
    """Return True if a path has the suffix of a picture."""
    return Path(path).suffix.lower().removeprefix(".") in PICTURES


@contextmanager
def replacing(
    path: str | Path, inputs: Iterable[str] = (), *, shared: bool = False
) -> Iterator[BinaryIO]:
    """Open a temporary file from `standing_in` for writing. It replaces ``path`` if the block
    raises no error. Raises the errors of `standing_in`, and InputError if ``path`` is signed.
    """
    _require_unsigned(path)
    with standing_in(path, inputs, shared=shared) as temporary, temporary.open("wb") as file:
        yield file


def _require_unsigned(path: str | Path) -> None:
    """Raise InputError if a path is a signed result or its page. A new file would end the signature
    and lose what was signed.
    """
    file = Path(path)
    signed = file.suffix.lower() in (".json", *PAGE_SUFFIXES)
    if signed and file.is_file() and (signatures := file.with_suffix(SIGNATURES)).is_file():
        raise InputError(
            f"{str(path)!r} is signed ({signatures.name}). Write to another name, or move the "
            "signed files to another folder first."
        )


@contextmanager
def standing_in(
    path: str | Path, inputs: Iterable[str] = (), *, shared: bool = False
) -> Iterator[Path]:
    """Make a temporary file next to ``path``.

    It is renamed to ``path`` if the block raises no error, and removed otherwise. Predictable
    failures are raised on entry, before any work: a missing or read-only folder, or a ``path`` that
    is one of ``inputs``, also through a link, or would be read with a glob or folder among them.
    Only the owner can read the file. If it is ``shared``, the umask decides. Raises InputError if
    the place cannot be written to, EngineError if the disk fills up.
    """
    named = f"The output {str(path)!r}"
    require_here(path)
    try:
        # Otherwise a link would be replaced instead of its file.
        real = Path(path).resolve()
        real.exists()
    except (OSError, ValueError):  # too long, or with a NUL
        raise InputError(f"{named} cannot be written: this is not a valid file name.") from None
    if not real.parent.is_dir():
        raise InputError(f"The folder of the output {str(path)!r} does not exist.")
    if real.exists():
        if not real.is_file():
            raise InputError(f"The output {str(path)!r} is not a file; name one.")
        if not os.access(real, os.W_OK):
            raise InputError(f"The output {str(path)!r} cannot be written: Permission denied.")
        same = next(
            (source for source in inputs if Path(source).exists() and real.samefile(source)), None
        )
        if same is not None:
            raise InputError(
                f"The output {str(path)!r} is the input {same!r}; choose another name."
            )
    elif (pattern := next((each for each in inputs if _joins(real, each)), None)) is not None:
        raise InputError(
            f"The output {str(path)!r} would be a part of the input {pattern!r}; choose another "
            "name."
        )
    try:
        # It has the same extension, so that it can be read before it is renamed.
        with disk.filling(named):
            temporary_files.remove_left_over(real.parent)
            claim = temporary_files.claim_file(real.parent, "".join(real.suffixes[-2:]))
    except OSError as error:
        raise InputError(f"{named} cannot be written: {error.strerror}.") from None
    try:
        with disk.filling(named):
            yield claim.path
            claim.settle()
        if shared:
            claim.path.chmod(0o666 & ~temporary_files.umask())
        claim.path.replace(real)
    except BaseException:
        claim.remove()
        raise
    claim.release()


def _joins(file: Path, given: str) -> bool:
    """Return True if a new file would be read as a part of an input: a folder, or a glob. Both pass
    over hidden names.
    """
    if os.path.isdir(given):
        folder = Path(os.path.realpath(given))
        if folder not in file.parents or file.suffix.lower() not in _READ_IN_FOLDERS:
            return False
        return not any(name.startswith((".", "_")) for name in file.relative_to(folder).parts)
    if not glob.has_magic(given) or os.path.exists(given):
        return False
    from sqlrisk.common.objects import matches

    parts = Path(given).parts
    # The names before the first with glob characters, and the working folder, mean themselves.
    plain = [*takewhile(lambda name: not glob.has_magic(name), parts)]
    folder = Path(os.path.realpath(Path(*plain)))
    pattern = (*map(glob.escape, folder.parts), *parts[len(plain) :])
    named = {*folder.parts, *parts}
    hidden = (name for name in file.parts if name.startswith(".") and name not in named)
    return matches(file.parts, pattern) and not any(hidden)


@contextmanager
def rows_to(
    output: str | os.PathLike[str], inputs: Iterable[str], forms: Sequence[str] = ("parquet", "csv")
) -> Iterator[tuple[str, str]]:
    """Yield the temporary file to which a database writes rows, and the file's format, one of
    ``forms``.
    """
    path = os.fspath(output)
    form = format_of(path, forms=forms)
    with standing_in(path, inputs) as file:
        yield str(file), form


def write_folder(output: str, texts: Mapping[str, str]) -> None:
    """Write texts to a new or empty folder, each under its path, readable as the umask says.

    Raises InputError if the folder is read-only or not empty, or is an address.
    """
    require_here(output)
    folder = Path(output)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"The output {output!r} already exists; name a new or empty folder.")
    try:
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"The output {output!r} cannot be written: {error.strerror}.") from None


def require_here(path: str | Path) -> None:
    """Raise InputError for an output at a network address, where files cannot be renamed in one
    step.
    """
    if "://" in str(path):
        raise InputError(
            f"The output {str(path)!r} is an address; write to a file of this machine, then "
            "copy it there."
        )


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return True if a path is a file. Names that no file can have give False."""
    return os.path.isfile(path)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return True if a path is a folder."""
    return os.path.isdir(path)
