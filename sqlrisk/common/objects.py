"""Objects: files at network addresses. Python reads https addresses, and pyarrow's filesystems all
others.
"""

import glob
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cache
from http.client import HTTPException
from itertools import takewhile
from typing import Any, BinaryIO, Protocol, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from sqlrisk.common.errors import InputError

SCHEMES = ("s3", "gs", "az", "https")
KNOWN = ", ".join(f"{scheme}://" for scheme in SCHEMES)
# Prefixes of environment variables that clients read.
_SETTINGS = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_")
_SECONDS = 60  # seconds that a server may take to answer
_BUFFER = 2**18
# The first of these that is present identifies the version of an object.
_VERSIONS = ("versionid", "generation", "etag", "last-modified")
_NO_BUCKET = (
    "NO_SUCH_BUCKET|Bucket '.*' not found|bucket does not exist|container does not "
    "exist|ContainerNotFound"
)
_NOT_ALLOWED = (
    r"ACCESS_DENIED|INVALID_ACCESS_KEY|SIGNATURE|HTTP (status|response code):? "
    r"40[13]|PERMISSION_DENIED|UNAUTHENTICATED"
    "|[Cc]redential|Authoriz|Authenticat|Forbidden"
)


class NoObjectError(InputError):
    """No object exists at an address, or it was deleted meanwhile."""


class Object(Protocol):
    """An open file at an address: its bytes and the identifier of its version."""

    size: int
    version: str

    def read(self, start: int, length: int) -> bytes:
        """Return a range of the object's bytes. Several threads may call it at once. Raises
        InputError if they cannot be read.
        """


def is_address(text: str) -> bool:
    """Return True if a text is the address of an object or of several, such as ``s3://...``."""
    scheme, sign, _ = text.partition("://")
    return bool(sign) and scheme in SCHEMES


def require_no_secret(address: str) -> None:
    """Raise InputError for an address with a user, a password or a query of a web server."""
    scheme, _, rest = address.partition("://")
    host, _, _ = rest.partition("/")
    # Spark's addresses of Azure name a container and an account: abfss://container@account/...
    named = scheme.startswith(("abfs", "wasb")) and ":" not in host
    # In a bucket, ? is a wildcard.
    if ("@" in host and not named) or (scheme.lower() in ("http", "https") and "?" in rest):
        server = host.rpartition("@")[2].partition("?")[0]
        raise InputError(
            f"An address of {server} holds a user, a password or a query, which results would "
            "show. Leave it out; sqlrisk guide databases says how credentials are given."
        )


def find(address: str) -> tuple[bool, list[str]]:
    """Return (True, the objects below it) if an address is a folder. Otherwise return False and the
    objects that match a glob, or the single object.

    Raises InputError for an address with credentials or an https query, for an https folder or
    glob, and if a bucket has no such object or cannot be read.
    """
    require_no_secret(address)
    scheme, _, rest = address.partition("://")
    if scheme == "https":
        if glob.has_magic(rest) or rest.endswith("/"):
            raise InputError(
                f"The address {address!r} is not a file: with https://, name each file."
            )
        return False, [address]
    from pyarrow import fs

    many = glob.has_magic(rest)
    with _asking(address):
        files, path = _place(address)
        if files.get_file_info([path])[0].is_file:
            return False, [address]
        folder = "/".join(takewhile(lambda name: not glob.has_magic(name), path.split("/")))
        found = files.get_file_info(fs.FileSelector(folder, allow_not_found=True, recursive=True))
    wanted = path.split("/") if many else [*path.split("/"), "**"]
    paths = sorted(
        each.path for each in found if each.is_file and matches(each.path.split("/"), wanted)
    )
    if not paths:
        where = "." if _is_bucket(address) else ": there is no such bucket."
        raise InputError(
            f"No object matches {address!r}{where}"
            if many
            else f"There is no object {address!r}{where}"
        )
    return not many, [f"{scheme}://{each}" for each in paths]


def opened(address: str) -> Object:
    """Open an object at an address for reading. Raises InputError if that fails."""
    return _Page(address) if address.startswith("https:") else _InBucket(address)


def stream(address: str) -> BinaryIO:
    """Open an object as a binary file. Raises InputError if it cannot be opened or read."""
    return cast("BinaryIO", io.BufferedReader(_Stream(opened(address)), _BUFFER))


class _Stream(io.RawIOBase):
    """The bytes of an object as a file."""

    def __init__(self, found: Object) -> None:
        self._object, self._place = found, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Return the new position, counted from the beginning, the last position, or the end."""
        ends = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._object.size}
        self._place = ends[whence] + place
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into ``buffer``. Return how many were read, 0 at the end."""
        length = min(len(buffer), self._object.size - self._place)
        piece = self._object.read(self._place, length) if length else b""
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


class _InBucket:
    """An object in a bucket, read by pyarrow."""

    def __init__(self, address: str) -> None:
        self._address = address
        with _asking(address):
            files, path = _place(address)
            self._file = files.open_input_file(path)
            self.size = int(self._file.size())
            said = {name.lower(): text.decode() for name, text in self._file.metadata().items()}
        self.version = next((said[name].strip('"') for name in _VERSIONS if said.get(name)), "")

    def read(self, start: int, length: int) -> bytes:
        with _asking(self._address):
            return bytes(self._file.read_at(length, start))


class _Page:
    """An object on a web server that can send parts of a file. Redirections are never followed."""

    def __init__(self, address: str) -> None:
        self._address, self.version = address, ""
        with _asking(address), self._ask(0, 1) as answer:
            place, _, size = (answer.headers["Content-Range"] or "").partition("/")
            if not place.startswith("bytes ") or not size.isdecimal():
                raise InputError(
                    f"The input {address!r} cannot be read: its server does not send parts of a "
                    "file. Copy it to this machine."
                )
            self.size = int(size)
            version = answer.headers["ETag"] or answer.headers["Last-Modified"] or ""
            self.version = version.strip('"')

    def read(self, start: int, length: int) -> bytes:
        with _asking(self._address), self._ask(start, length) as answer:
            return bytes(answer.read(length))

    def _ask(self, start: int, length: int) -> Any:
        from urllib.request import HTTPRedirectHandler, build_opener

        class Stay(HTTPRedirectHandler):
            def redirect_request(self, *_: object) -> None:
                """Return None, so that a redirection is not followed to another server."""

        opener = build_opener(Stay)
        opener.addheaders = [
            ("User-Agent", "sqlrisk"),
            ("Range", f"bytes={start}-{start + length - 1}"),
        ]
        return opener.open(self._address, timeout=_SECONDS)


@contextmanager
def _asking(address: str) -> Iterator[None]:
    """Raise InputError if the block cannot read an address. The message does not repeat the
    server's text.
    """
    import pyarrow as pa

    try:
        yield
    except (OSError, HTTPException, pa.ArrowException) as error:
        gone = isinstance(error, FileNotFoundError) or (
            isinstance(error, HTTPError) and error.code in (404, 410)
        )
        kind = NoObjectError if gone else InputError
        raise kind(f"The input {address!r} cannot be read: {_reason(error, address)}") from None


def _reason(error: Exception, address: str) -> str:
    if isinstance(error, HTTPError):
        if 300 <= error.code < 400:  # the address of a redirection may hold a token
            host = urlsplit(error.headers["Location"] or "").hostname
            return f"its server redirects to {host or 'another place'}; name that address."
        known = {
            404: "there is no such file.",
            410: "there is no such file any more.",
            401: "its server asks for a sign-in. Download the file, and name the copy.",
            403: "its server denies access.",
            416: "it is empty.",
        }
        return known.get(error.code, f"its server answers {error.code}.")
    if isinstance(error, URLError):
        if "CERTIFICATE" in str(error.reason):
            return (
                "its server's certificate is not trusted: name the authority's certificate in "
                "SSL_CERT_FILE."
            )
        return "no server answers there."
    if isinstance(error, FileNotFoundError):
        return f"there is no such {'object' if _is_bucket(address) else 'bucket'}."
    if re.search(_NO_BUCKET, str(error)):
        return "there is no such bucket."
    if re.search(_NOT_ALLOWED, str(error)):
        return (
            "the credentials that are set may not read it, or there are none (sqlrisk guide "
            "databases)."
        )
    return "the server there did not answer as expected."


def _is_bucket(address: str) -> bool:
    """Return False if an address's bucket does not exist, to explain a missing object."""
    files, path = _place(address)
    try:
        return bool(files.get_file_info([path.partition("/")[0]])[0].type.value)
    except OSError:
        return True


def _place(address: str) -> tuple[Any, str]:
    """Return the filesystem for an address, and the path within the filesystem."""
    scheme, _, path = address.partition("://")
    bucket = path.partition("/")[0]
    settings = frozenset(each for each in os.environ.items() if each[0].startswith(_SETTINGS))
    return _filesystem(scheme, bucket, settings), path.rstrip("/")


@cache
def _filesystem(scheme: str, bucket: str, settings: frozenset[tuple[str, str]]) -> Any:
    """Return the pyarrow filesystem of a bucket, or of an Azure container. ``settings`` are the
    environment variables with its endpoint, region and account. pyarrow finds other credentials
    in the environment itself. Raises InputError if an Azure account is not set.
    """
    from pyarrow import fs

    said = dict(settings)

    def first(*names: str) -> str | None:
        return next((said[name] for name in names if said.get(name)), None)

    match scheme:
        case "s3":
            endpoint = first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
            region = first("AWS_REGION", "AWS_DEFAULT_REGION") or (
                None if endpoint else fs.resolve_s3_region(bucket)
            )
            return fs.S3FileSystem(endpoint_override=endpoint, region=region)
        case "gs":
            return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=_SECONDS))
    account = first("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT")
    if account is None:
        raise InputError(
            f"The storage account of the container {bucket!r} is unknown: set "
            "AZURE_STORAGE_ACCOUNT."
        )
    given = {
        "account_key": first("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_KEY"),
        "sas_token": first("AZURE_STORAGE_SAS_TOKEN"),
    }
    return fs.AzureFileSystem(account, **{name: value for name, value in given.items() if value})


def matches(names: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return True if the parts of a path match the parts of a glob. ``**`` matches any number of
    parts.
    """
    if not names or not patterns:
        return not names and set(patterns) <= {"**"}
    first, *others = patterns
    if first == "**":
        return matches(names, others) or matches(names[1:], patterns)
    return fnmatchcase(names[0], first) and matches(names[1:], others)
