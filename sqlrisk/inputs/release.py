"""Statements about a release: ``[release]`` in a scenario file, shown on page one of a report.

The statements change no number. They answer the questions that Raab (2024, section 2, (a) to (e))
asks before any number. How is the file released? Could it be mistaken for real data? Which other
sources are about these people? What do recipients know about these people, and what are they told
about the model?
"""

import base64
from collections.abc import Mapping
from pathlib import Path

from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs.readers import one, table, texts

LOGO = "logo"
# Extension -> media type of a logo.
LOGOS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml"}
LOGO_SIZE = 100_000  # maximum bytes of a logo, since pages are sent by mail
# Name of a statement -> its heading, in the order of the page.
SAID = {
    "data_set": "Data set",
    "version": "Version",
    "reference": "Reference",
    "organisation": "Released by",
    "recipients": "Recipients",
    "purpose": "Purpose",
    "release_type": "Type of release",
    "taken_for_real": "Could be taken for real people",
    "other_sources": "Other sources about the people",
    "recipients_know": "What recipients know about the people",
    "model_told": "Published about the synthesis",
}


def release_of(scenario: Mapping[str, object]) -> dict[str, str]:
    """Return a scenario's statements about its release, by name. Empty if there are none."""
    said = scenario.get("release")
    return (
        {str(name): str(text) for name, text in said.items()} if isinstance(said, Mapping) else {}
    )


def read_release(value: object, setting: str) -> dict[str, str]:
    """Read name -> text, from a table or lines ``NAME=TEXT``.

    Raises InputError for an unknown name, an empty text or a bad logo.
    """
    return _READ(statements(value, setting), setting)


def statements(value: object, setting: str) -> dict[str, object]:
    """Return name -> statement, unchecked, from a table or lines ``NAME=TEXT``.

    Raises InputError for anything else, or for a name that is given twice.
    """
    if isinstance(value, Mapping):
        return dict(value)
    if (lines := texts(value)) is None:
        raise InputError(
            f"{setting}: expected a table of texts, as in [release] purpose = 'Teaching', or "
            "NAME=TEXT."
        )
    names = [line.partition("=")[0].strip() for line in lines]
    ProblemList(
        f"{setting}.{name} is given twice; keep one." for name in names if names.count(name) > 1
    ).stop()
    return {name: line.partition("=")[2] for name, line in zip(names, lines, strict=True)}


def _embedded(path: str, setting: str) -> str:
    """Return a logo as a ``data:`` address, so that a result contains the logo and does not name
    the file.

    A ``data:`` address of a picture is returned unchanged. The content of a file is not checked.
    Raises InputError if the file is missing or too large, or has no suffix of a picture.
    """
    # A scenario that comes from a result has its logo embedded already.
    if path.startswith(tuple(f"data:{kind};base64," for kind in LOGOS.values())):
        return path
    # Imported late, because it loads network libraries.
    from sqlrisk.common.objects import is_address

    kind = LOGOS.get(Path(path).suffix.lower())
    if kind is None or is_address(path):
        raise InputError(
            f"{setting}: {path!r} is not a picture for a page; name a file in {', '.join(LOGOS)}."
        )
    try:
        size = Path(path).stat().st_size
        if size > LOGO_SIZE:
            raise InputError(
                f"{setting}: {path!r} has {size:,} bytes; a logo may have at most {LOGO_SIZE:,}."
            )
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"{setting}: the file {path!r} cannot be read: {error.strerror}."
        ) from None
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


_TEXT = one(
    lambda text: (text.strip() or None) if isinstance(text, str) else None,
    "a text that is not empty",
)
_READ = table(
    {
        **dict.fromkeys(SAID, _TEXT),
        LOGO: lambda path, setting: _embedded(_TEXT(path, setting), setting),
    },
    between=".",
    unknown="there is no {name!r}{near}; there are {known}",
)
