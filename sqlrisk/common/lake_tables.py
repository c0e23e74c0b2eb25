"""Open Delta and Iceberg tables once, at the version that the whole run reads."""

import os
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlrisk.common.errors import InputError
from sqlrisk.common.extras import install

LOG = "_delta_log"  # the folder that makes a folder a Delta table
METADATA = ".metadata.json"  # ending of the file that describes one state of an Iceberg table
_PACKAGES = {"delta": "deltalake", "iceberg": "pyiceberg"}


def held(given: object) -> tuple[str, str, Any] | None:
    """Return the kind, place and table of a DeltaTable or pyiceberg Table. Return None for other
    objects.
    """
    names = {f"{each.__module__.partition('.')[0]}.{each.__name__}" for each in type(given).__mro__}
    table: Any = given
    if "deltalake.DeltaTable" in names:
        return "delta", _local(table.table_uri).rstrip("/"), table
    if "pyiceberg.Table" in names:
        return "iceberg", _local(table.metadata_location), table
    return None


def opened(kind: str, place: str) -> Any:
    """Open a table at its newest version, or at the version of the given metadata file. Raises
    InputError if it cannot be opened.
    """
    package = _PACKAGES[kind]
    try:
        module = import_module(package)
    except ModuleNotFoundError:
        raise InputError(
            f"The {kind.capitalize()} table {place!r} needs the package {package}: {install(kind)}."
        ) from None
    try:
        return module.DeltaTable(place) if kind == "delta" else _iceberg(place)
    except Exception as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"The {kind.capitalize()} table {place!r} cannot be opened ({type(error).__name__}): "
            "it is damaged, or the credentials that are set may not read it."
        ) from None


def version_of(kind: str, table: Any) -> str:
    """Return the version of an open table: a number of Delta, a snapshot id of Iceberg. Raises
    InputError for an Iceberg table without a snapshot.
    """
    return str(table.version() if kind == "delta" else _snapshot(table).snapshot_id)


def _snapshot(table: Any) -> Any:
    snapshot = table.current_snapshot()
    if snapshot is None:
        raise InputError(
            f"The Iceberg table {_local(table.metadata_location)!r} has no snapshot: nothing was "
            "written to it yet."
        )
    return snapshot


def _iceberg(place: str) -> Any:
    from pyiceberg.catalog.noop import NoopCatalog
    from pyiceberg.io.pyarrow import PyArrowFileIO
    from pyiceberg.serializers import FromInputFile
    from pyiceberg.table import StaticTable

    asked = {
        "s3.endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        "s3.region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    }
    said = {
        name: next((os.environ[each] for each in names if os.environ.get(each)), None)
        for name, names in asked.items()
    }
    files = PyArrowFileIO({name: value for name, value in said.items() if value})
    # StaticTable.from_metadata would let the file choose the server to ask and the code to import.
    table = StaticTable(
        (place,),
        FromInputFile.table_metadata(files.new_input(place)),
        place,
        files,
        NoopCatalog("static"),
    )
    require_near(place, _snapshot(table).manifest_list)
    return table


def require_near(place: str, file: str) -> None:
    """Raise InputError if a file is on another server or in another bucket than the table that
    lists it.
    """

    def where(path: str) -> tuple[str, str]:
        parts = urlsplit(_local(path))
        return parts.scheme, parts.netloc

    if where(place) != where(file):
        scheme, host = where(file)
        raise InputError(
            f"The Iceberg table {place!r} has files elsewhere, at "
            f"{scheme or 'file'}://{host}: give the address of its metadata there."
        )


def _local(place: str) -> str:
    """Return a file:// address as a path. Return anything else unchanged."""
    return unquote(urlsplit(place).path) if place.startswith("file:") else place
