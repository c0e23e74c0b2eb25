"""Find, start and stop the Java that Spark runs on."""

import glob
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyspark.java_gateway
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError

from sqlrisk.common.errors import InputError

OLDEST = 17
_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
)
_STOP_SECONDS = 20


def find_java(
    environment: Mapping[str, str] = os.environ, places: tuple[str, ...] = _PLACES
) -> Path:
    """Find a Java for Spark: in JAVA_HOME, in PATH, or the oldest usable version in the usual
    folders.

    Raises InputError if there is none.
    """
    seen: list[str] = []
    for home in _homes(environment, places):
        number = _version(home) or 0
        if number >= OLDEST:
            return home
        if number:
            seen.append(f"{home} is Java {number}")
    found = f" ({'; '.join(dict.fromkeys(seen))})" if seen else ""
    raise InputError(
        f"Spark needs Java {OLDEST} or newer, and none is found{found}. Install it, on Debian and "
        f"Ubuntu by apt-get install openjdk-{OLDEST}-jre-headless, or name its folder in JAVA_HOME."
    )


def start_java(settings: Mapping[str, str]) -> Any:
    """Start a Java process with Spark's settings and without output. Return py4j's gateway to it.

    Raises InputError if it does not start.
    """
    home = find_java()
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(home)  # Spark's start script looks for it there
    try:
        with warnings.catch_warnings():
            # pyspark forks next to threads. The child only starts Java.
            warnings.simplefilter("ignore", DeprecationWarning)
            return pyspark.java_gateway.launch_gateway(
                SparkConf(loadDefaults=False).setAll(list(settings.items())),
                {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL},
            )
    except PySparkRuntimeError:
        raise InputError(
            f"Spark does not start with the Java in {home}: check --memory-limit and the settings "
            "in SPARK_HOME, or name another Java in JAVA_HOME."
        ) from None
    finally:
        if before is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = before


def is_running() -> bool:
    """Return True if this process has already started a Java for Spark."""
    return SparkContext._gateway is not None  # noqa: SLF001 - pyspark has no public way to ask


def stop_java(gateway: Any) -> None:
    """Stop a Java that was started here. The next session may then use other settings."""
    with suppress(Py4JError, OSError):
        gateway.shutdown()
    # pyspark has no public way to forget a Java that has ended.
    SparkContext._gateway = None  # noqa: SLF001
    SparkContext._jvm = None  # noqa: SLF001
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    with suppress(OSError):
        process.stdin.close()  # Java ends when its input is closed
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _homes(environment: Mapping[str, str], places: tuple[str, ...]) -> Iterator[Path]:
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"])
    program = shutil.which("java", path=environment.get("PATH", ""))
    if program:
        yield Path(program).resolve().parent.parent
    installed = {Path(each) for place in places for each in glob.glob(place)}  # noqa: PTH207 - several absolute patterns
    yield from sorted(installed, key=lambda home: (_version(home) or 0, str(home)))


def _version(home: Path) -> int | None:
    """Return the major version of the Java in a folder, or None if there is no Java."""
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return None
    with suppress(OSError):
        stated = re.search(
            r'^JAVA_VERSION="(?:1\.)?(\d+)',
            (home / "release").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
        if stated:
            return int(stated[1])
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(  # noqa: S603
            [program, "-version"], capture_output=True, text=True, check=True, timeout=30
        )
        stated = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
        if stated:
            return int(stated[1])
    return None
