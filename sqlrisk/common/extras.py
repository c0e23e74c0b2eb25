"""The command that installs the packages of an extra by name: sqlrisk is in no package index."""

import re
from importlib.metadata import PackageNotFoundError, requires


def install(extra: str) -> str:
    """Return the command that installs the packages of an extra, as the project declares them."""
    return f"pip install {' '.join(map(_quoted, _packages(extra)))}"


def _packages(extra: str) -> list[str]:
    """Return the packages of an extra, and of extras that it includes."""
    try:
        declared = requires("sqlrisk") or []
    except PackageNotFoundError:  # read from a folder, not installed
        return [f".[{extra}]"]
    found: list[str] = []
    for line in declared:
        package, _, when = line.partition(";")
        if re.search(rf"""extra == ["']{extra}["']""", when):
            inner = re.match(r"sqlrisk\[(.+)\]", package)
            names = inner[1].split(",") if inner else []
            found += [each for name in names for each in _packages(name)] or [package.strip()]
    return list(dict.fromkeys(found))


def _quoted(package: str) -> str:
    """Return a requirement quoted for a shell, where < and > would redirect files."""
    return f"'{package}'" if re.search(r"[<>\[]", package) else package
