"""Functions that write texts for use elsewhere: SQL and scenario files."""

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from sqlrisk.api.calls import Call, require_own
from sqlrisk.common.errors import InputError, ProblemList, suggesting
from sqlrisk.inputs.fields import OUTPUT, QUESTION, DraftRun, Field, Settings
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from sqlrisk.analyses.exports.scenario_draft import Asking
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.inputs.request import Where

Dialect = Annotated[
    str,
    Field(
        OUTPUT,
        "NAME",
        "duckdb, postgres, spark, databricks, clickhouse, sqlite, snowflake, bigquery, redshift, "
        "trino or tsql",
    ),
]
Types = Annotated[
    Setting,
    Field(
        QUESTION,
        "COLUMN=TYPE",
        "Column types, if no files are read: age=INTEGER,income=DOUBLE",
        "lines",
    ),
]


def init(
    original: Any = None,
    synthetic: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    overwrite: Annotated[
        bool, Field(OUTPUT, "", "Replace the output file if it exists", "switch")
    ] = False,
    ask: "Asking | None" = None,
    **settings: Unpack[DraftRun],
) -> str:
    """Draft a scenario file: counts of the columns that all files share, and suggested keys,
    targets and bins.

    Args:
        original: a path, a glob, a folder, or the name of a table.
        synthetic: one such source, a list of them, or a mapping from method names to lists.
        path: file to save the draft in. Paths in it are relative to its folder.
        ask: function that takes the columns in doubt (each with ``name``, ``role``, and the reason
            in ``words``) and returns roles by name, for some or all of them. By default nothing is
            asked.
        encoding, delimiter, decimal, quote, engine, memory_limit, threads, temp_directory, scratch,
            progress, trace: as for ``score``.

    Returns:
        The TOML text of the file. It holds names, labels, types and counts of columns, no values.

    Raises:
        InputError: as ``score``, a source is a Python object, or ``path`` exists without
            ``overwrite``.
        EngineError: the database failed.

    Example:
        >>> print(sqlrisk.init("original.parquet", "syn_1.parquet").partition(". ")[0])
        # A scenario for sqlrisk, drafted by `sqlrisk init`
    """
    from sqlrisk.analyses.exports import scenario_draft
    from sqlrisk.report import scenario_toml

    call = Call.of(settings, function=init)
    source, syntheses, written = scenario_draft.ask(
        original, synthetic, path, call.settings, overwrite=overwrite, tables=call.tables
    )
    with call.sessions([source, *(each.source for each in syntheses)])() as session:
        look = scenario_draft.look(source, syntheses, session, ask)
    return scenario_toml.write(look, source, syntheses, path, written)


def sql(
    measure: str | None = None,
    original: Any = None,
    synthetic: Any = None,
    *,
    one: Annotated[
        bool, Field(OUTPUT, "", "Print only the measure's own SELECT", "switch")
    ] = False,
    stages: Annotated[
        bool,
        Field(
            OUTPUT,
            "",
            "List the statements and the tables that each reads and makes, instead of the SQL",
            "switch",
        ),
    ] = False,
    dialect: Dialect = "duckdb",
    types: Types = None,
    universe: Any = None,
    measures_from: str | None = None,
    scenario: str | None = None,
    **settings: Unpack[Settings],
) -> str:
    """Return the SQL of a measure, from the files to the number, ready to run.

    With files it is the SQL that a run executes. Without files it reads the tables ``original`` and
    ``synthetic``, and keeps each key in its own column.

    Args:
        one: return only the measure's own SELECT. In it, ``classes`` and ``cells`` have the columns
            of ``stages/comparisons/compared_classes.sql`` and
            ``stages/comparisons/distinct_cells.sql``.
        stages: list the statements instead: what each reads and makes, its file in ``sql/``, and
            what a row of its table is. Without a measure, all statements of ``score``.
        dialect: the database to write for: ``"duckdb"``, ``"postgres"``, ``"spark"``,
            ``"clickhouse"`` and others. Only DuckDB reads files.
        universe: with files, as for ``score``. Without files, a measure that needs a universe reads
            the table ``universe``.
        settings: the settings of a scenario, as for ``score``. Without files, examples
            replace missing keys and targets.

    Raises:
        InputError: as ``score``, or the dialect is unknown.

    Example:
        >>> text = sqlrisk.sql("repU", keys=["sex", "age"])
        >>> text.splitlines()[0]
        '-- repU: Replicated unique: unique in original and in synthetic'
    """
    from sqlrisk.analyses.exports import sql_script
    from sqlrisk.catalogue import dialects
    from sqlrisk.engines.connect import EngineOptions
    from sqlrisk.inputs.request import ask

    require_own(sql, settings)
    chosen = dialects.named(dialect)
    if stages and one:
        raise InputError(
            "--one prints one SELECT, --stages lists statements: leave one of them out."
        )
    if stages:
        dialects.require_sqlglot("A list of stages needs")
    elif measure is None:
        raise InputError("Name a measure, or give --stages to list the statements of a scenario.")
    if original is None and synthetic is None and scenario is None:
        return sql_script.without_files(
            measure,
            settings,
            chosen,
            one=one,
            types=types,
            measures_from=measures_from,
            listed=stages,
        )
    if types is not None:
        raise InputError("types: the files have types already; give types only without files.")
    if dialect != "duckdb":
        raise InputError(
            f"{chosen.product} cannot read files as DuckDB does. Leave the files out to get "
            "SQL for tables named original and synthetic; `sqlrisk compile` writes it for "
            "tables of any name."
        )
    where: Where = {"scenario_file": scenario, "measures_from": measures_from}
    question = ask(original, synthetic, settings, universe=universe, with_universe=True, **where)
    if one and measure is not None:
        ProblemList(question.unread).stop()
        return sql_script.own_select(question.catalog[measure])
    with EngineOptions().opener(question.sources)() as database:
        return sql_script.with_files(measure, question, database, listed=stages)


def compile_sql(
    original: Any = None,
    synthetic: Any = None,
    *,
    dialect: Dialect = "duckdb",
    types: Types = None,
    prefix: Annotated[str, Field(OUTPUT, "TEXT", "Prefix of the tables' names")] = "sqlrisk_",
    scratch: Annotated[
        str | None,
        Field(
            OUTPUT,
            "SCHEMA",
            "Existing schema to make the tables in; default: the schema of the session",
        ),
    ] = None,
    dbt: Annotated[
        bool, Field(OUTPUT, "", "Write a dbt project instead of numbered files", "switch")
    ] = False,
    limits: Annotated[
        Setting,
        Field(
            OUTPUT,
            "RULE",
            "With --dbt, add a test of the results: 'DiSCO<=5', 'TCAP:income<=20'",
            "lines",
            flag="--rule",
        ),
    ] = None,
    policy: Annotated[
        "PolicyFile | None",
        Field(
            OUTPUT,
            "FILE",
            "With --dbt, make each rule of a policy file a test; a rule for review only warns",
        ),
    ] = None,
    control: Any = None,
    universe: Any = None,
    scenario: str | None = None,
    measures_from: str | None = None,
    **settings: Unpack[Settings],
) -> dict[str, str]:
    """Write a scenario as SQL for a database, without a connection to it.

    Args:
        original, synthetic, control, universe: names of tables, as ``schema.table``.
        dialect: as for ``sql``.
        types: types of columns (``"age=INTEGER,income=DOUBLE"``). Name floating-point columns, so
            that NaN counts as missing.
        limits: with ``dbt``, rules that become tests: ``["DiSCO<=5", "TCAP:income<=20"]``.
        policy: with ``dbt``, a policy file, whose rules also become tests.
        settings: the settings of a scenario, as for ``score``.

    Returns:
        The text of each file by its path: numbered .sql files, or with ``dbt`` a dbt project, and
        a README on how to run them.

    Raises:
        InputError: as ``score``, or a setting or measure needs the data.

    Example:
        >>> files = sqlrisk.compile_sql(
        ...     "survey.people",
        ...     "survey.released",
        ...     keys=["sex", "age"],
        ...     targets=["ill"],
        ...     dialect="snowflake",
        ...     types="age=INTEGER",
        ... )
        >>> sorted(files)[:2]
        ['01_dictionaries.sql', '02_stages.sql']
    """
    from sqlrisk.catalogue import dialects

    require_own(compile_sql, settings)
    chosen = dialects.named(dialect)
    dialects.require_sqlglot()
    from sqlrisk.analyses.exports import compiled_sql
    from sqlrisk.inputs.judging import asked_by
    from sqlrisk.inputs.policy import of_limits, read_policy
    from sqlrisk.inputs.request import ask, with_excluded

    if (limits or policy is not None) and not dbt:
        raise InputError("Rules and a policy become dbt tests: give --dbt (dbt=True), too.")
    judge = of_limits([limits] if isinstance(limits, str) else list(limits or ()))
    if policy is not None:
        filed = read_policy(policy)
        judge = replace(filed, clauses=(*filed.clauses, *judge.clauses))
    where: Where = {
        "scenario_file": scenario,
        "measures_from": measures_from,
        "tables": "named or addressed",
    }
    files = {"control": control, "universe": universe, "with_universe": True}
    question = with_excluded(asked_by(judge, ask(original, synthetic, settings, **files, **where)))
    compiled = compiled_sql.lay_out(
        question, chosen, prefix=prefix, scratch=scratch, types=types, measures_from=measures_from
    )
    if dbt:
        from sqlrisk.analyses.exports import dbt_project

        return dbt_project.files(compiled, judge)
    return compiled_sql.scripts(compiled)


@suggesting
def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a file: ``result``, ``manifest``, ``scenario``,
    ``policy`` or ``signature``.

    Raises:
        InputError: the kind is unknown.

    Example:
        >>> sqlrisk.schema("scenario")["properties"]["keys"]["description"]
        'What the intruder knows: age,sex'
    """
    from sqlrisk.analyses.exports import schemas

    return schemas.schema(kind)
