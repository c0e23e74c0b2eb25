"""Real databases for the tests: started on free ports of loopback, stopped and removed at the end."""

import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark.sql
import pytest
from waiting import until

from sqlrisk.engines.java import find_java, start_java, stop_java

# No Java lives so long here that compiling its methods well would pay.
QUICK_JAVA = {
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m -XX:ReservedCodeCacheSize=240m"
}
# Nor do queries live so long, and nobody reads their plans; these settings change no number.
QUICK_SPARK = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.debug.maxToStringFields": "1",
    "spark.sql.shuffle.partitions": "2",
}


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server: its port, and its administrator's name."""

    port: int
    user: str
    folder: str

    def address(self, user: str | None = None, database: str = "postgres") -> str:
        """The address of a database there."""
        return f"postgresql://{user or self.user}@127.0.0.1:{self.port}/{database}"


def postgres_programs() -> Path:
    """The folder of initdb and pg_ctl. Raises FileNotFoundError where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not versions:
        message = "PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql"
        raise FileNotFoundError(message)
    return versions[-1].parent


def _free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgres(*settings: str) -> Iterator[Server]:
    """A private PostgreSQL cluster on loopback, gone at the end; ``settings`` are lines of postgresql.conf."""
    programs = postgres_programs()
    folder = Path(tempfile.mkdtemp(prefix="sqlrisk-postgres-"))
    owner: dict[str, Any] = {}
    user = pwd.getpwuid(os.getuid()).pw_name
    if os.getuid() == 0:  # the server refuses to run as root
        user = "postgres"
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
        owner = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [programs / program, "-D", folder / "data", *arguments], check=True, capture_output=True, cwd=folder, **owner
        )

    lines = (
        "listen_addresses = '127.0.0.1'",
        f"unix_socket_directories = '{folder}'",
        "fsync = off",
        "jit = off",  # as sqlrisk's own sessions say: no query here lives so long
        *settings,
    )
    try:
        call("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", f"--username={user}", "--no-sync")
        with (folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as configuration:
            configuration.write("\n".join([*lines, *settings]) + "\n")
        for attempt in range(5):  # somebody may take the port before the server does
            port = _free_port()
            try:
                call("pg_ctl", "--wait", "--silent", f"--log={folder / 'log'}", f"--options=-p {port}", "start")
                break
            except subprocess.CalledProcessError:
                if attempt == 4:
                    raise
        try:
            yield Server(port, user, str(folder))
        finally:
            call("pg_ctl", "--wait", "--silent", "--mode=immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Cluster:
    """A standalone Spark cluster: its address, and the processes of its master and workers."""

    address: str
    master: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)


ADDRESS = r"Starting Spark master at (spark://[\d.:]+)"  # what the master says in its log


@contextmanager
def spark_cluster(workers: int = 2, memory: str = "900m") -> Iterator[Cluster]:
    """A master and workers of one core each on loopback, gone at the end; a test may end some of them before."""
    folder = Path(tempfile.mkdtemp(prefix="sqlrisk-spark-"))
    home = Path(pyspark.__file__).parent
    (folder / "log4j2.properties").write_text(
        "status = off\nrootLogger.level = info\nrootLogger.appenderRef.out.ref = out\n"
        "appender.out.type = Console\nappender.out.name = out\nappender.out.layout.type = PatternLayout\n",
        encoding="utf-8",
    )
    log = folder / "log"
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java()),
        **QUICK_JAVA,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": f"-Dlog4j2.configurationFile={(folder / 'log4j2.properties').as_uri()} "
        "-Dspark.worker.timeout=10 -Dspark.worker.ui.retainedExecutors=1",
    }
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a part on ports that it chooses itself."""
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", "--port", "0"]
        with log.open("ab") as said:
            started.append(
                subprocess.Popen(
                    [*command, "--webui-port", "0", *arguments],
                    env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                )
            )  # fmt: skip
        return started[-1]

    def said(words: str) -> list[str]:
        return re.findall(words, log.read_text(encoding="utf-8", errors="replace"))

    try:
        master = start("master.Master")
        until(lambda: said(ADDRESS))
        cluster = Cluster(said(ADDRESS)[0], master)
        for number in range(workers):
            place = str(folder / f"worker-{number}")
            more = ("--cores", "1", "--memory", memory, "--work-dir", place, cluster.address)
            cluster.workers.append(start("worker.Worker", *more))
        until(lambda: len(said("Successfully registered with master")) == workers)
        yield cluster
    finally:
        for process in reversed(started):
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def spark_session() -> Iterator[pyspark.sql.SparkSession]:
    """A session of the user's on this machine, with settings under which Spark gives other numbers."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUICK_JAVA.items():
            patch.setenv(name, value)
        gateway = start_java(
            {"spark.master": "local[2]", "spark.driver.memory": "2g", "spark.ui.enabled": "false", "spark.log.level": "OFF"}
        )
    conf = pyspark.SparkConf(loadDefaults=False).setMaster("local[2]").setAppName("tests").set("spark.ui.enabled", "false")
    conf.set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
    warehouse = tempfile.mkdtemp(prefix="sqlrisk-warehouse-")
    conf.set("spark.sql.warehouse.dir", warehouse)
    context = pyspark.SparkContext(gateway=gateway, conf=conf)
    session = pyspark.sql.SparkSession(context)
    for name, value in QUICK_SPARK.items():
        session.conf.set(name, value)
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        yield session
    finally:
        context.stop()
        stop_java(gateway)
        shutil.rmtree(warehouse, ignore_errors=True)
