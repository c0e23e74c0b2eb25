"""Real databases for the tests: started on free ports of loopback, stopped and removed at the end."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
