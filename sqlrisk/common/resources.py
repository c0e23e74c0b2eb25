"""Find the folders of the SQL and demo data: inside an installed package, or beside the package in
a checkout.
"""

from pathlib import Path

from sqlrisk.common.errors import EngineError

PACKAGE = Path(__file__).resolve().parent.parent


def sql_folder() -> Path:
    """Return the folder that holds ``stages/`` and ``measures/``."""
    return _folder("sql")


def demo_folder() -> Path:
    """Return the folder of the census demo, which holds ``original.parquet``, ``cart_1.parquet``,
    ....
    """
    return _folder("data") / "census"


def _folder(name: str) -> Path:
    # The package's own copy comes first: an installed sqlrisk must never read a stranger's ../sql
    # or ../data.
    for folder in (PACKAGE / name, PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise EngineError(f"This installation of sqlrisk has no folder {name!r}: install it again.")
