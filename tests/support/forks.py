"""Run commands of sqlrisk, each in a fork of a process that has already imported everything.

Importing all libraries takes five times as long as a small command. If a command has another locale
or other settings of Python, or if coverage is measured, it starts as a new process instead.
"""

import atexit
import gc
import io
import json
import os
import pkgutil
import runpy
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import threads

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "click.shell_completion",
    "duckdb",
    "jinja2",
    "pandas",
    "pyarrow.csv",
    "pyarrow.parquet",
    "rich.table",
    "sqlglot",
)
READERS = ("pyarrow.feather", "pyarrow.orc", "pyreadstat", "python_calamine")
FIXED = (
    "PYTHON",
    "LC_",
    "LANG",
    "LD_",
    "COVERAGE",
)  # variables that a process reads only when it starts
FREE = ("PYTHONPATH", "PYTHONIOENCODING")
Done = subprocess.CompletedProcess[str]


def run(
    *arguments: object, cwd: Path | str | None = None, env: Mapping[str, str] | None = None
) -> Done:
    """Run a command of sqlrisk and return its status and output. The output is text in UTF-8. Other
    bytes, as of a picture, become surrogates.
    """
    words, env = [*map(str, arguments)], dict(os.environ if env is None else env)
    if not can_fork(env):
        command = [sys.executable, "-m", "sqlrisk", *words]
        return subprocess.run(
            command, cwd=cwd, env=env | {"PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8", errors="surrogateescape", check=False,
        )  # fmt: skip
    with TemporaryDirectory() as folder:
        status = end(start(words, cwd=cwd, env=env, folder=folder))
        out, err = (
            Path(folder, name).read_bytes().decode(errors="surrogateescape")
            for name in ("out", "err")
        )
    return subprocess.CompletedProcess(words, status, out, err)


def start(words: list[str], *, cwd: Path | str | None, env: Mapping[str, str], folder: str) -> int:
    """Start a command and return its process id. The command writes to ``out`` and ``err`` in a
    folder. These are files, or pipes with a reader.
    """
    return _ask(arguments=words, cwd=str(cwd or Path.cwd()), env=dict(env), folder=folder)


def read_files(folder: str) -> int:
    """Start a process that reads files of other formats, and return its id. The process uses the
    pipes ``requests`` and ``answers`` in a folder.
    """
    return _ask(reads=folder, cwd=str(Path.cwd()))


def end(process: int) -> int:
    """Wait until a started command ends. Return its exit status in the form of subprocess."""
    return _ask(ends=process)


def _ask(**request: object) -> int:
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


def can_fork(env: Mapping[str, str]) -> bool:
    """Return True if, in this environment, a fork behaves like a new process."""
    return _fixed(env) == _fixed(os.environ) and "COVERAGE_PROCESS_CONFIG" not in env


def _fixed(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in env.items() if name.startswith(FIXED) and name not in FREE
    }


@cache
def _server() -> subprocess.Popen[str]:
    """Start the process that forks, once for each test process. It ends when its standard input
    closes.
    """
    server = subprocess.Popen(
        [sys.executable, __file__], env={**os.environ, "PYTHONPATH": str(ROOT)}, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    atexit.register(server.__exit__, None, None, None)
    return server


def serve() -> None:
    """Serve requests until the pipe closes. For each command, and for each process that is to read
    files, fork and answer with the process id. For each process id, wait for its end and answer
    with the exit status.
    """
    import sqlrisk

    threads.use_one()
    os.umask(0o022)  # as on most machines
    for library in LIBRARIES:
        import_module(library)
    for module in pkgutil.walk_packages(sqlrisk.__path__, "sqlrisk."):
        if not module.name.endswith(("__main__", "spark")):
            import_module(module.name)
    warm_up()
    for line in sys.stdin:
        request = json.loads(line)
        if "ends" in request:
            _, status = os.waitpid(request["ends"], 0)
            answer = os.waitstatus_to_exitcode(status)
        elif "reads" in request:
            for library in READERS:
                import_module(library)
            answer = os.fork()
            if answer == 0:
                become_reader(**request)
        else:
            streams = opened(request.pop("folder"))
            answer = os.fork()
            if answer == 0:
                become(**request, streams=streams)
            for stream in streams:
                os.close(stream)
        print(answer, flush=True)  # noqa: T201
    gc.unfreeze()  # libraries need it to clean up at their end


def warm_up() -> None:
    """Run once, before any fork, the work of every command: read the measures and templates, parse
    the statements of a score, print a result. Write only a page without figures, because drawing
    figures starts threads, and a fork does not have them.
    """
    import pyarrow as pa

    import sqlrisk
    from sqlrisk.catalogue import templates
    from sqlrisk.common.resources import sql_folder

    for path in sql_folder().glob("*/**/*.sql"):
        if path.parent.parent.name != "measures":
            templates._environment().get_template(str(path.relative_to(sql_folder())))
    people = pa.table({"key": [1, 2, 3], "target": ["a", "a", None]})
    sqlrisk.score(people, people, keys="key", targets="target").to_text()
    sqlrisk.score(people, people, keys="key", targets="target", measures="DiSCO").to_html()
    gc.collect()
    gc.freeze()  # garbage collection in a fork would copy all this memory


def opened(folder: str) -> list[int]:
    """Open the streams of a command, and return the file descriptors of input (which is empty),
    output and errors. The last two are ``out`` and ``err`` in the folder.
    """
    written = (os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT) for name in ("out", "err"))
    return [os.open(os.devnull, os.O_RDONLY), *written]


def become(arguments: list[str], cwd: str, env: Mapping[str, str], streams: list[int]) -> None:
    """Turn this process into the command, and never return."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    encoding, _, errors = env.get("PYTHONIOENCODING", "utf-8").partition(":")
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding, errors or "strict"
    )
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)),
        encoding,
        "backslashreplace",
        line_buffering=True,
    )
    sys.argv = ["sqlrisk", *arguments]
    with AtOnce():
        runpy.run_module("sqlrisk", run_name="__main__", alter_sys=True)


def become_reader(reads: str, cwd: str) -> None:
    """Turn this process into the one that reads files, and never return."""
    from sqlrisk.engines.formats import reader_process

    os.setsid()
    os.chdir(cwd)
    for number, (name, how) in enumerate(
        (("requests", os.O_RDONLY), ("answers", os.O_WRONLY), (os.devnull, os.O_WRONLY))
    ):
        stream = os.open(os.path.join(reads, name), how)  # noqa: PTH118 - os.devnull is absolute and replaces the folder
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    status = 1
    try:
        reader_process.serve()
        status = 0
    finally:
        os._exit(status)


class AtOnce:
    """End the process after a block as Python does, but without cleaning up the libraries.

    Cleaning them up one by one takes a hundred times as long as a small command.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        status = 0
        if isinstance(error, SystemExit) and isinstance(error.code, int | None):
            status = error.code or 0
        elif isinstance(error, SystemExit):
            sys.stderr.write(f"{error.code}\n")
            status = 1
        elif error is not None:
            sys.excepthook(type(error), error, trace)
            status = 1
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
