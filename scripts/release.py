"""Check the metadata of a source distribution and a wheel in a folder, for scripts/release."""

import re
import runpy
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from packaging.metadata import Metadata

ROOT = Path(__file__).resolve().parents[1]
VERSION = str(runpy.run_path(str(ROOT / "sqlrisk" / "common" / "version.py"))["__version__"])


def metadata(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (file name, metadata) of each distribution in a folder."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                yield (
                    path.name,
                    wheel.read(
                        next(
                            name
                            for name in wheel.namelist()
                            if name.endswith(".dist-info/METADATA")
                        )
                    ),
                )
        else:
            with tarfile.open(path) as source:
                held = source.extractfile(
                    min((name for name in source.getnames() if name.endswith("/PKG-INFO")), key=len)
                )
                yield path.name, held.read() if held else b""


def problems(folder: Path) -> Iterator[str]:
    """Yield every problem that prevents a release."""
    found = [*metadata(folder)]
    if sorted(Path(name).suffix for name, _ in found) != [".gz", ".whl"]:
        yield f"{folder} does not hold one source distribution and one wheel."
    for name, text in found:
        try:
            said = Metadata.from_email(text, validate=True)
        except ExceptionGroup as group:
            yield from (f"{name}: {error}" for error in group.exceptions)
            continue
        if str(said.version) != VERSION:
            yield (
                f"{name}: its version is {said.version}, that of sqlrisk/common/version.py "
                f"{VERSION}."
            )
        if said.description_content_type != "text/markdown" or not said.description:
            yield f"{name}: it does not contain the README."
    if re.findall(
        r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    ) != [VERSION]:
        yield f"CITATION.cff does not say version: {VERSION}."
    if f"\n## {VERSION}" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section ## {VERSION}."


if __name__ == "__main__":
    told = [*problems(Path(sys.argv[1]))]
    sys.exit("\n".join(f"sqlrisk: {each}" for each in told) if told else 0)
