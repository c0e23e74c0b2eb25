"""Read the tables of TOML in files or headers, or raise one clear message."""

import tomllib
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError


def read_file(path: str | PathLike[str], what: str) -> dict[str, Any]:
    """Read the tables of a TOML file. ``what`` begins messages, such as ``The policy file``. Raises
    InputError if the file cannot be read or parsed.
    """
    named = f"{what} {fspath(path)!r}"
    return read(text_of(path, named), named)


def text_of(path: str | PathLike[str], named: str) -> str:
    """Read a file as UTF-8 text. ``named`` begins messages. Raises InputError if it cannot be
    read.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{named} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{named} is not UTF-8 text: {error}.") from None
    except ValueError:  # a NUL character
        raise InputError(f"{named} cannot be read: this is not a valid file name.") from None


def read(text: str, named: str, **options: Any) -> dict[str, Any]:
    """Parse a TOML text. Messages begin with ``named``. ``options`` are passed to tomllib.

    Raises InputError if it cannot be parsed.
    """
    try:
        return tomllib.loads(text, **options)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{named} is not TOML: {error}.") from None
    except RecursionError:
        raise InputError(
            f"{named} cannot be read: its lists or tables are nested too deeply."
        ) from None
    except ValueError:  # Python reads no whole number of over 4,300 digits
        raise InputError(f"{named} cannot be read: a number in it has too many digits.") from None
