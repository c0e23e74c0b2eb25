"""Real databases for the tests: started on free ports of loopback, stopped and removed at the end."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark.sql
import pytest

from sqlrisk.engines.spark.java import find_java, start_java, stop_java

# No Java lives so long here that compiling its methods well would pay.
QUICK_JAVA = {
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m -XX:ReservedCodeCacheSize=240m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
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


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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


@contextmanager
def postgres(*settings: str) -> Iterator[Server]:
    """A private PostgreSQL cluster on loopback, gone at the end; ``settings`` are lines of postgresql.conf."""
    programs, port = postgres_programs(), free_port()
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
        f"port = {port}",
        f"unix_socket_directories = '{folder}'",
        "fsync = off",
        "jit = off",  # as sqlrisk's own sessions say: no query here lives so long
        *settings,
    )
    try:
        call("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", f"--username={user}", "--no-sync")
        with (folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as configuration:
            configuration.write("\n".join([*lines, *settings]) + "\n")
        call("pg_ctl", "--wait", "--silent", f"--log={folder / 'log'}", "start")
        try:
            yield Server(port, user, str(folder))
        finally:
            call("pg_ctl", "--wait", "--silent", "--mode=immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def mariadb() -> Iterator[int]:
    """The port of a private MariaDB server on loopback, whose administrator is root without a password; gone at the end."""
    program = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
    folder, port = Path(tempfile.mkdtemp(prefix="sqlrisk-mariadb-")), free_port()
    user = pwd.getpwuid(os.getuid()).pw_name
    shared = ("--no-defaults", f"--datadir={folder / 'data'}", f"--user={user}")
    made = ("mariadb-install-db", *shared, "--auth-root-authentication-method=normal", "--skip-test-db")
    subprocess.run(made, check=True, capture_output=True, cwd=folder)
    server = subprocess.Popen(
        [program, *shared, "--bind-address=127.0.0.1", f"--port={port}", f"--socket={folder / 'socket'}", "--skip-networking=0"],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for(port)
        yield port
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fakesnow() -> Iterator[int]:
    """The port of an emulator of Snowflake on loopback, from an environment of its own; gone at the end."""
    program, port = Path(__file__).parents[2] / ".venv-fakesnow/bin/fakesnow", free_port()
    server = subprocess.Popen(
        [program, "--server", "--port", str(port)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for(port)
        yield port
    finally:
        server.kill()
        server.wait()


@dataclass
class SparkPrograms:
    """Programs of Spark on loopback, with a private folder; all are gone at the end, whichever a test ended before."""

    folder: Path
    memory: str = "256m"
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a program by the name of its class."""
        home = Path(pyspark.__file__).parent
        quiet = f"-Dlog4j2.configurationFile={(self.folder / 'log4j2.properties').as_uri()}"
        environment = {
            **os.environ,
            "JAVA_HOME": str(find_java()),
            **QUICK_JAVA,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder),
            "SPARK_DAEMON_MEMORY": self.memory,
            "SPARK_SUBMIT_OPTS": quiet,
            "SPARK_DAEMON_JAVA_OPTS": f"{quiet} -Dspark.worker.timeout=10 -Dspark.worker.ui.retainedExecutors=1",
        }
        started = subprocess.Popen(
            [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *arguments],
            env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.processes.append(started)
        return started


@contextmanager
def _spark_programs() -> Iterator[SparkPrograms]:
    folder = Path(tempfile.mkdtemp(prefix="sqlrisk-spark-"))
    (folder / "log4j2.properties").write_text("status = off\nrootLogger.level = off\n", encoding="utf-8")
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
    """A standalone Spark cluster: its address, and the processes of its master and workers, of one core each."""

    address: str
    programs: SparkPrograms
    memory: str
    master: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> None:
        """Start one more worker."""
        shown = free_port()
        place = str(self.programs.folder / f"worker-{len(self.workers)}")
        own = ("--cores", "1", "--memory", self.memory, "--work-dir", place, "--port", str(free_port()))
        on = ("--host", "127.0.0.1", "--webui-port", str(shown))
        self.workers.append(self.programs.start("worker.Worker", *on, *own, self.address))
        _wait_for(shown)


@contextmanager
def spark_cluster(workers: int = 2, memory: str = "900m") -> Iterator[Cluster]:
    """A master and workers on loopback, gone at the end; a test may end some of them before."""
    with _spark_programs() as programs:
        port = free_port()
        on = ("--host", "127.0.0.1", "--webui-port", str(free_port()))
        master = programs.start("master.Master", *on, "--port", str(port))
        _wait_for(port)
        cluster = Cluster(f"spark://127.0.0.1:{port}", programs, memory, master)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster


@dataclass(frozen=True)
class ConnectServer:
    """A server of Spark Connect: its address, its process, and the folder where its tables are."""

    address: str
    process: subprocess.Popen[bytes]
    folder: Path


@contextmanager
def spark_connect_server() -> Iterator[ConnectServer]:
    """A server of Spark Connect with two cores, and settings under which Spark gives other numbers."""
    with _spark_programs() as programs:
        programs.memory = "2g"
        port = free_port()
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
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
        process = programs.start("SparkSubmit", "--class", server, "--master", "local[2]", *told, "spark-internal")
        _wait_for(port)
        yield ConnectServer(f"sc://127.0.0.1:{port}", process, programs.folder)


def _wait_for(port: int, seconds: float = 60) -> None:
    """Return when somebody listens on a port of loopback. Raises TimeoutError."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    message = f"nothing listens on port {port} after {seconds} s"
    raise TimeoutError(message)


@contextmanager
def spark_session() -> Iterator[pyspark.sql.SparkSession]:
    """A session of the user's on this machine, with settings under which Spark gives other numbers."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUICK_JAVA.items():
            patch.setenv(name, value)
        gateway = start_java(
            {
                "spark.master": "local[2]", "spark.driver.memory": "2g", "spark.ui.enabled": "false", "spark.log.level": "OFF",
                "spark.driver.extraJavaOptions": "-Dderby.stream.error.file=/dev/null",
            }
        )  # fmt: skip
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
