"""Real databases for the tests, on reserved ports of loopback. They are removed at the end."""

import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from sqlrisk.engines.spark.java import find_java, start_java, stop_java

# Processes here are too short-lived for Java's optimizing compiler to pay off.
QUICK_JAVA = {
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m "
    "-XX:ReservedCodeCacheSize=240m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
}
# Spark's optimizations do not pay off here either, and nobody reads its plans. No result changes.
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
    """A PostgreSQL server: its port, its administrator's name, and its folder."""

    port: int
    user: str
    folder: str

    def address(self, user: str | None = None, database: str = "postgres") -> str:
        """Return the address of a database on this server."""
        return f"postgresql://{user or self.user}@127.0.0.1:{self.port}/{database}"


def postgres_programs() -> Path:
    """Return the folder of initdb and pg_ctl. Raises FileNotFoundError if PostgreSQL is not
    installed.
    """
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not versions:
        message = "PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql"
        raise FileNotFoundError(message)
    return versions[-1].parent


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port of loopback on which nobody listens, until a server that knows its number does.

    The port is bound, so the system gives it to nobody else. A server may still listen on it,
    because both sides set SO_REUSEADDR.
    """
    with socket.socket() as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])


@contextmanager
def postgres(*settings: str) -> Iterator[Server]:
    """Yield a private PostgreSQL cluster on loopback and remove it at the end. ``settings`` are
    lines of postgresql.conf.
    """
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
            [programs / program, "-D", folder / "data", *arguments],
            check=True,
            capture_output=True,
            cwd=folder,
            **owner,
        )

    lines = (
        "listen_addresses = '127.0.0.1'",
        f"unix_socket_directories = '{folder}'",
        "fsync = off",
        "jit = off",  # as in sqlrisk's own sessions: queries here are too short for it to pay off
        *settings,
    )
    try:
        call(
            "initdb",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            f"--username={user}",
            "--no-sync",
        )
        with (folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as configuration:
            configuration.write("\n".join(lines) + "\n")
        with reserved_port() as port:
            options = f"--log={folder / 'log'}", f"--options=-p {port}"
            call("pg_ctl", "--wait", "--silent", *options, "start")
            try:
                yield Server(port, user, str(folder))
            finally:
                call("pg_ctl", "--wait", "--silent", "--mode=immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def mariadb() -> Iterator[int]:
    """Yield the port of a private MariaDB server on loopback and remove it at the end. Its
    administrator is root, without a password.

    The server has its own temporary folder. When a server starts, it deletes all temporary tables
    in its folder. In a shared folder these would include the tables of another server that is just
    starting.
    """
    program = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
    folder = Path(tempfile.mkdtemp(prefix="sqlrisk-mariadb-"))
    user = pwd.getpwuid(os.getuid()).pw_name
    shared = (
        "--no-defaults",
        f"--datadir={folder / 'data'}",
        f"--tmpdir={folder}",
        f"--user={user}",
    )
    try:
        made = (
            "mariadb-install-db",
            *shared,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        )
        done = subprocess.run(made, check=False, capture_output=True, cwd=folder, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        on = (
            program,
            *shared,
            "--bind-address=127.0.0.1",
            f"--socket={folder / 'socket'}",
            "--skip-networking=0",
        )
        with (
            reserved_port() as port,
            _saying(folder, *on, f"--port={port}") as (server, said),
        ):
            until(lambda: said("ready for connections") or server.poll() is not None)
            if server.poll() is not None:
                raise RuntimeError("\n".join(said(".+")))
            yield port
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fakesnow() -> Iterator[int]:
    """Yield the port of a Snowflake emulator on loopback, installed in its own environment, and
    stop it at the end.
    """
    program = Path(__file__).parents[2] / ".venv-fakesnow/bin/fakesnow"
    folder = Path(tempfile.mkdtemp(prefix="sqlrisk-snowflake-"))
    try:
        with _saying(folder, program, "--server", "--port", "0") as (_, said):
            address = r"running on http://127\.0\.0\.1:(\d+)"
            until(lambda: said(address))
            yield int(said(address)[0])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _saying(
    folder: Path, *command: str | Path
) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[str], list[str]]]]:
    """Run a program in a folder until the block ends. Yield the program, and a function that
    searches its output so far.
    """
    log = folder / "log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT
        )
    try:
        yield (
            process,
            lambda words: re.findall(words, log.read_text(encoding="utf-8", errors="replace")),
        )
    finally:
        process.kill()
        process.wait()


# Spark's programs log only the addresses on which they listen.
LOGGED = """
status = off
rootLogger.level = off
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
"""
for name in (
    "deploy.master.Master",
    "deploy.worker.Worker",
    "sql.connect.service.SparkConnectServer",
):
    logger = name.rpartition(".")[2]
    LOGGED += f"logger.{logger}.name = org.apache.spark.{name}\nlogger.{logger}.level = info\n"
# on ports that the programs choose themselves
ON_LOOPBACK = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
MASTER = r"Starting Spark master at (spark://[\d.:]+)"
CONNECT = r"Spark Connect server started at: \S*?:(\d+)"


@dataclass
class SparkPrograms:
    """Spark programs on loopback, with a private folder. All are stopped at the end, unless a test
    has stopped them before.
    """

    folder: Path
    memory: str = "256m"
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a program of Spark, given the name of its class."""
        import pyspark

        home = Path(pyspark.__file__).parent
        logged = f"-Dlog4j2.configurationFile={(self.folder / 'log4j2.properties').as_uri()}"
        environment = {
            **os.environ,
            "JAVA_HOME": str(find_java()),
            **QUICK_JAVA,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder),
            "SPARK_DAEMON_MEMORY": self.memory,
            "SPARK_SUBMIT_OPTS": logged,
            "SPARK_DAEMON_JAVA_OPTS": f"{logged} -Dspark.worker.ui.retainedExecutors=1",
        }
        with (self.folder / "log").open("ab") as said:
            started = subprocess.Popen(
                [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *arguments],
                env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.processes.append(started)
        return started

    def said(self, words: str) -> list[str]:
        """Return all matches of a pattern in the logs of the programs."""
        return re.findall(
            words, (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        )


@contextmanager
def _spark_programs() -> Iterator[SparkPrograms]:
    folder = Path(tempfile.mkdtemp(prefix="sqlrisk-spark-"))
    (folder / "log4j2.properties").write_text(LOGGED, encoding="utf-8")
    programs = SparkPrograms(folder)
    try:
        yield programs
    finally:
        for process in reversed(programs.processes):
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Cluster:
    """A standalone Spark cluster: its address, and the processes of its master and its workers. A
    worker has one core.
    """

    address: str
    programs: SparkPrograms
    memory: str
    master: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> None:
        """Start one more worker and wait until it is registered with the master."""
        place = str(self.programs.folder / f"worker-{len(self.workers)}")
        own = ("--cores", "1", "--memory", self.memory, "--work-dir", place)
        self.workers.append(self.programs.start("worker.Worker", *ON_LOOPBACK, *own, self.address))
        until(
            lambda: (
                len(self.programs.said("Successfully registered with master")) == len(self.workers)
            )
        )


@contextmanager
def spark_cluster(workers: int = 2, memory: str = "900m") -> Iterator[Cluster]:
    """Yield a Spark cluster on loopback, and stop its processes at the end. A test may stop some
    before. ``memory`` is per worker.
    """
    with _spark_programs() as programs:
        master = programs.start("master.Master", *ON_LOOPBACK)
        until(lambda: programs.said(MASTER))
        cluster = Cluster(programs.said(MASTER)[0], programs, memory, master)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster


@dataclass(frozen=True)
class ConnectServer:
    """A server of Spark Connect: its address, its process, and the folder of its tables."""

    address: str
    process: subprocess.Popen[bytes]
    folder: Path


@contextmanager
def spark_connect_server() -> Iterator[ConnectServer]:
    """Yield a server of Spark Connect with two cores, and with settings that change Spark's results
    unless sqlrisk overrides them.
    """
    with _spark_programs() as programs:
        programs.memory = "2g"
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": str(programs.folder / "warehouse"),
            "spark.sql.ansi.enabled": "false",
            "spark.sql.session.timeZone": "America/New_York",
            **QUICK_SPARK,
        }
        told = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        server = "org.apache.spark.sql.connect.service.SparkConnectServer"
        process = programs.start(
            "SparkSubmit", "--class", server, "--master", "local[2]", *told, "spark-internal"
        )
        until(lambda: programs.said(CONNECT))
        yield ConnectServer(f"sc://127.0.0.1:{programs.said(CONNECT)[0]}", process, programs.folder)


@contextmanager
def spark_session() -> Iterator[Any]:
    """Yield a user's session on this machine, with settings that change Spark's results unless
    sqlrisk overrides them.
    """
    import pyspark.sql

    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUICK_JAVA.items():
            patch.setenv(name, value)
        gateway = start_java(
            {
                "spark.master": "local[2]", "spark.driver.memory": "2g",
                "spark.ui.enabled": "false", "spark.log.level": "OFF",
                "spark.driver.extraJavaOptions": "-Dderby.stream.error.file=/dev/null",
            }
        )  # fmt: skip
    conf = (
        pyspark.SparkConf(loadDefaults=False)
        .setMaster("local[2]")
        .setAppName("tests")
        .set("spark.ui.enabled", "false")
    )
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
