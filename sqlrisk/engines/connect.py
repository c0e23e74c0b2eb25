"""Open a session of the database that the user chose by a name, an address or a connection."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.extras import install
from sqlrisk.engines.dbapi.addresses import ADDRESSES
from sqlrisk.engines.dbapi.connections import is_connection
from sqlrisk.engines.engine import Engine, EngineOpener, Limits
from sqlrisk.inputs.sources import Source, Tables, unchanged

# Name of an engine -> its module, its class, and the extra of sqlrisk that installs its driver.
ENGINES = {
    "duckdb": ("duckdb", "DuckDB", ""),
    "spark": ("spark", "Spark", "spark"),
    "postgresql": ("postgresql", "PostgreSQL", "postgres"),
}
DRIVEN = ("dbapi.session", "DbApi", "sql")  # every other database, through its DB-API driver

_ALSO = {"postgres": "postgresql", "sc": "spark"}  # other prefixes of an address
# A password before the host, or an option that holds one. After a colon, digits up to a path are a
# port, and further hosts may follow. If no @ precedes the colon, the digits may also begin a
# password, as in user:1/a@host. An @ after them then marks a password, except in an option.
_SECRET = re.compile(
    r"://(?:[^/?#\[]*:(?!\d*(?:,[^/?#@]*)?(?:[/?#]|$))|[^/?#\[@]*:(?![^@]*[?;][^@]*=))[^@]*@"
    r"|[?&;][^=&;]*(password|passwd|passcode|pwd|token|secret|private_key|credentials)[^=&;]*=",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EngineOptions:
    """The database to run in and its limits, as in `sqlrisk.inputs.fields.RunOptions`.

    ``engine`` is a name, an address, or an open session or connection.
    """

    engine: Any = "duckdb"
    memory_limit: str | None = None
    threads: int | None = None
    temp_directory: str | None = None
    scratch: str | None = None

    @property
    def keeps_tables(self) -> bool:
        """True if a session leaves its stage tables, in a new schema of a DuckDB file."""
        return self.scratch is not None and _engine(self.engine) == ENGINES["duckdb"]

    def opener(self, sources: Iterable[Source] = (), *, watched: bool = True) -> EngineOpener:
        """Return a function that opens a new session for ``sources``.

        If a source is given as (connection, table), that connection overrides ``engine``. With
        ``watched``, the session raises InputError when it ends if a file has changed. Raises
        InputError if the engine is unknown, its address holds a password, its driver is missing,
        ``scratch`` is given without a database, or the sources come from several connections.
        """
        read = tuple(sources)
        held = {
            id(source.frame): source.frame
            for source in read
            if source.kind == "table" and source.frame is not None
        }
        if len(held) > 1:
            raise InputError(
                "The tables come from several connections; read all of them through one."
            )
        engine = next(iter(held.values()), self.engine)
        module, name, extra = _engine(engine)
        if engine == "duckdb":
            engine = None
            if self.scratch is not None:
                raise InputError("scratch: name the database that holds the schema with --engine.")
        try:
            make: Callable[..., Engine] = getattr(import_module(f"sqlrisk.engines.{module}"), name)
        except ModuleNotFoundError as error:
            missing = str(error.name).partition(".")[0]
            raise InputError(
                f"The engine {module.partition('.')[0]} needs the package {missing}: "
                f"{install(extra)}."
            ) from None
        limits = {name: getattr(self, name) for name in Limits.__annotations__}

        @contextmanager
        def session() -> Iterator[Engine]:
            with (
                make(engine, scratch=self.scratch, **limits) as opened,
                # Files are checked before the tables that are kept become permanent.
                unchanged(read if watched else ()),
            ):
                yield opened

        return session


def tables_of(engine: Any) -> Tables:
    """Return how a source can name a table of the engine: "" (not at all), "named", or "named or
    addressed" (also by an address such as s3://bucket/table). Only Spark reads tables by address.
    For other engines an address names a file. Raises InputError as `EngineOptions.opener` does if
    the engine is unknown.
    """
    if engine == "duckdb":
        return ""
    return "named or addressed" if _engine(engine)[0].startswith("spark") else "named"


def _engine(engine: Any) -> tuple[str, str, str]:
    """Return (module, class, extra to install) of an engine. Raises InputError if it is unknown, or
    an address that holds a password.
    """
    if isinstance(engine, str):
        if _SECRET.search(engine):
            raise InputError(
                "engine: leave the password or token out of the address, which others may read and "
                "the manifest stores; `sqlrisk guide databases` says where the driver looks for "
                "it. Write an @ in the name of a database as %40."
            )
        scheme = engine.partition(":")[0] if "://" in engine else engine
        scheme = _ALSO.get(scheme, scheme)
        if scheme in ENGINES:
            return ENGINES[scheme]
        if "://" in engine and scheme in ADDRESSES:
            return DRIVEN
        if engine.endswith((".duckdb", ".db")) and "://" not in engine:
            return ENGINES["duckdb"]
        known = [*ENGINES, *(f"{name}://" for name in ADDRESSES)]
        raise InputError(
            f"There is no engine {scheme!r}{suggestion(scheme, known)}; there are duckdb, a "
            ".duckdb file, spark, spark://host:port, sc://host:port, postgresql://host/database, "
            f"and addresses that begin with {'://, '.join(ADDRESSES)}://."
        )
    modules = {each.__module__.partition(".")[0] for each in type(engine).__mro__}
    if "pyspark" in modules:
        return ENGINES["spark"]
    if (
        "psycopg" in modules
        or getattr(getattr(engine, "dialect", None), "driver", None) == "psycopg"
    ):
        return ENGINES["postgresql"]
    if is_connection(engine):
        return DRIVEN
    raise InputError(
        f"An object of type {type(engine).__name__} is not an engine: give a name, a "
        "SparkSession, or a connection to a database."
    )
