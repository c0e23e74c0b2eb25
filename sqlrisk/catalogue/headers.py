"""SQL files with a header: TOML between lines ``/*---`` and ``---*/``, then the SQL."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlrisk.common import toml
from sqlrisk.common.errors import InputError, suggestion

_FILE = re.compile(r"\A/\*---\n(?P<header>.*?)\n---\*/\n(?P<body>.*)\Z", re.DOTALL)
# These comments name changes of the SQL that change no result. Only tests read them, so a measure's
# text and hash leave them out.
_UNCHANGED = re.compile(r"^# unchanged by .*\n", re.MULTILINE)

Allowed = Mapping[str, type | tuple[str, ...]]
"""Header key -> the type of its value, or the texts that are allowed."""


def parts(text: str) -> tuple[str, str]:
    """Split a file into its header and its SQL. The header may be empty."""
    match = _FILE.match(text)
    return (match["header"], match["body"].strip()) if match else ("", text)


def read(
    path: Path, what: str, required: Allowed, optional: Allowed
) -> tuple[dict[str, Any], str, list[str]]:
    """Return the header, the text and the problems of a file. Floating-point numbers of the header
    stay texts. Comments ``# unchanged by ...`` are removed from the text.

    ``what`` names the kind of file (``a measure``) in messages. Raises InputError if the file has
    no header that is TOML.
    """
    text = _UNCHANGED.sub("", toml.text_of(path, path.name))
    head, _ = parts(text)
    if not head:
        raise InputError(
            f"{path.name}: {what} starts with a header between '/*---' and '---*/', each on a "
            "line of its own."
        )
    header = toml.read(head, f"{path.name}: the header", parse_float=str)
    return header, text, problems(header, required, optional, "the header")


def read_named(
    path: Path, what: str, required: Allowed, optional: Allowed
) -> tuple[dict[str, Any], str, list[str]]:
    """Read a file as `read` does. Add a problem if the file's name is not the ``name`` in its
    header, in lower case.
    """
    header, text, found = read(path, what, required, optional)
    if "name" in header and str(header["name"]).lower() != path.stem:
        found.append(f"{what} named {header['name']!r} belongs in a file of that name")
    return header, text, found


def problems(
    said: Mapping[str, Any], required: Allowed, optional: Allowed, where: str
) -> list[str]:
    """Return the problems of header keys: missing, unknown, or with a wrong value.

    ``where`` names the place of the keys in messages.
    """
    known = {**required, **optional}
    found = [f"{where} lacks {key!r}" for key in required if key not in said]
    kind = "header key" if where == "the header" else "key"
    found += [f"unknown {kind} {key!r}{suggestion(key, known)}" for key in said if key not in known]
    for key, allowed in known.items():
        if key not in said:
            continue
        if isinstance(allowed, tuple) and said[key] not in allowed:
            found.append(
                f"{key} {said[key]!r} is not one of "
                f"{', '.join(allowed)}{suggestion(str(said[key]), allowed)}"
            )
        elif isinstance(allowed, type) and type(said[key]) is not allowed:
            found.append(f"{key!r} must be a {allowed.__name__}")
    return found
