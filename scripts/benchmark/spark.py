"""Sessions of Spark for the benchmark, and the event logs that they write."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def opened(master: str, folder: Path, options: dict[str, str]) -> Iterator[Any]:
    """Open a session of a master on this machine. It keeps its tables in a folder, and shows no web
    page and no progress.
    """
    from pyspark.sql import SparkSession

    usual: dict[str, Any] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    session = SparkSession.builder.master(master).config(map=usual | options).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def logging(folder: Path) -> dict[str, str]:
    """Return the options of a session that writes its event log into one file of a folder. The file
    is complete when the session is stopped.
    """
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": folder.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }


def events(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of the only log in a folder."""
    (log,) = (path for path in folder.iterdir() if path.is_file())
    with log.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def group(event: dict[str, Any]) -> str:
    """Return the group of the job that an event starts, or an empty text if it has none. A run of
    sqlrisk is one group.
    """
    return str(event.get("Properties", {}).get("spark.jobGroup.id", ""))
