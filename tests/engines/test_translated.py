"""What engines have from the class that all but DuckDB share."""

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Unpack

import pytest

import sqlrisk
from sqlrisk.engines.engine import Limits, SqlRow
from sqlrisk.engines.translated import TranslatedEngine
from sqlrisk.inputs.sources import Source


class SQLite(TranslatedEngine):
    """A session that asks its database for the version as it asks it everything, and has no way of
    its own to begin.
    """

    dialect: ClassVar[str] = "sqlite"
    product: ClassVar[str] = "SQLite"

    def __init__(self, **limits: Unpack[Limits]) -> None:
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        super().__init__(**limits)

    def execute(self, sql: str) -> list[SqlRow]:
        return self._connection.execute(sql).fetchall()

    def load(self, name: str, columns: Mapping[str, str], batches: Any) -> None:
        raise NotImplementedError

    def table_types(self, source: Source) -> Mapping[str, str]:
        raise NotImplementedError

    def view(self, name: str, source: Source, columns: Mapping[str, str]) -> None:
        raise NotImplementedError

    def version(self) -> str:
        ((found,),) = self._do(lambda: self.execute("SELECT SQLITE_VERSION()"))
        return str(found)

    def select(self, sql: str) -> tuple[list[str], list[SqlRow]]:
        return [], self.execute(sql)

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()

    def explain(self, error: BaseException) -> str:
        return f"SQLite failed ({type(error).__name__})."


def test_a_version_that_the_database_is_asked_for() -> None:
    found: list[str] = []

    def ask() -> None:
        with SQLite() as engine:
            found.append(engine.version())

    asking = threading.Thread(target=ask, daemon=True)  # it hung
    asking.start()
    asking.join()
    assert found == [sqlite3.sqlite_version]


def test_a_connection_is_closed_if_files_cannot_be_read(tmp_path: Path) -> None:
    closed: list[TranslatedEngine] = []

    class Watched(SQLite):
        def close(self) -> None:
            super().close()
            closed.append(self)

    with pytest.raises(sqlrisk.InputError, match="No temporary folder can be made"):
        Watched(temp_directory=str(tmp_path / "nowhere"))
    assert len(closed) == 1
