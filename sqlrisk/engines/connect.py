"""Which database counts: from what the user named, or handed over, to a session of it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.engines.engine import Engine, Limits, Opener
from sqlrisk.inputs.sources import Source, unchanged

# The name of each engine, which is that of its module; its class there, and the extra of this package that installs its driver.
ENGINES = {
    "duckdb": ("DuckDB", ""),
    "spark": ("Spark", "spark"),
    "postgresql": ("PostgreSQL", "postgres"),
    # recipe: add an engine
}


@dataclass(frozen=True)
class EngineOptions:
    """Where a run counts, within what limits (`sqlrisk.inputs.fields.RunOptions`); ``engine`` may be an open session as well."""

    engine: Any = "duckdb"
    memory_limit: str | None = None
    threads: int | None = None
    temp_directory: str | None = None
    scratch: str | None = None

    def opener(self, sources: Iterable[Source] = ()) -> Opener:
        """Return what opens a fresh session over ``sources``; one given as (connection, table) says which database counts."""
        read = tuple(sources)
        held = {id(source.frame): source.frame for source in read if source.kind == "table" and source.frame is not None}
        if len(held) > 1:
            raise InputError("The tables are of several connections; give all of them by one.")
        engine = next(iter(held.values()), self.engine)
        kind = _kind(engine)
        if engine == "duckdb":
            engine = None
            if self.scratch is not None:
                raise InputError("scratch: name the database that holds the schema with --engine.")
        name, extra = ENGINES[kind]
        try:
            make: Callable[..., Engine] = getattr(import_module(f"sqlrisk.engines.{kind}"), name)
        except ModuleNotFoundError as error:
            missing = str(error.name).partition(".")[0]
            raise InputError(f"The engine {kind} needs the package {missing}: pip install 'sqlrisk[{extra}]'.") from None
        limits = {name: getattr(self, name) for name in Limits.__annotations__}

        @contextmanager
        def session() -> Iterator[Engine]:
            with unchanged(read), make(engine, scratch=self.scratch, **limits) as opened:
                yield opened

        return session


def has_tables(engine: Any) -> bool:
    """Return whether a source that is no file names a table of that database."""
    return bool(engine != "duckdb")


def _kind(engine: Any) -> str:
    if isinstance(engine, str):
        scheme = engine.partition(":")[0] if "://" in engine else engine
        if scheme == "postgres":
            return "postgresql"
        if scheme in ENGINES:
            return scheme
        if engine.endswith((".duckdb", ".db")):
            return "duckdb"
        raise InputError(
            f"There is no engine {scheme!r}{suggestion(scheme, ENGINES)}; there are duckdb, a .duckdb file, spark, "
            "spark://host:port and postgresql://host/database."
        )
    modules = {each.__module__.partition(".")[0] for each in type(engine).__mro__}
    if "pyspark" in modules:
        return "spark"
    if modules & {"psycopg", "psycopg2", "pg8000", "sqlalchemy"}:
        return "postgresql"
    raise InputError(
        f"An object of type {type(engine).__name__} is no engine: give a name, a SparkSession or a connection to PostgreSQL."
    )
