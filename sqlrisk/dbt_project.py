"""A compiled scenario as a dbt project: a model a table, the user's tables as sources, rules on the results as tests."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from sqlglot import exp

from sqlrisk.compilation import RESULTS, Piece, Plan, heading
from sqlrisk.dialects import NOT_RUN
from sqlrisk.errors import InputError
from sqlrisk.suggest import suggestion

PROJECT = "sqlrisk"
_LIMIT = re.compile(r"\s*(?P<measure>[^:<>=]+?)\s*(?::(?P<target>.+?))?\s*<=\s*(?P<limit>\d{1,15}(?:\.\d{1,12})?)\s*")
_BRACES = re.compile(r"\{\{|\{%|\{#")
AT_MOST = """{% test at_most(model, measure, highest, target=none) %}
-- The rows of a measure that are higher than that: of the people of the original, for every synthesis and population.
select measure, point, target, synthesis, population, weighted, value
from {{ model }}
where measure = {{ dbt.string_literal(dbt.escape_single_quotes(measure)) }} and people = 'original' and value > {{ highest }}
{% if target is not none %}
    and target = {{ dbt.string_literal(dbt.escape_single_quotes(target)) }}
{% endif %}
{% endtest %}
"""


@dataclass
class Model:
    """A table of the project: queries whose rows are put together, and whether another model has read it."""

    name: str
    queries: list[str] = field(default_factory=list)
    read: bool = False


def files(compiled: Plan, limits: object) -> dict[str, str]:
    """The files of the project, by their paths.

    Raises:
        InputError: a limit that is none, of a measure or target that the scenario has not.
    """
    tests = [_test(each, compiled) for each in _several(limits)]
    made = {f"models/{compiled.prefix}{model.name}.sql": _text(compiled, model) for model in _models(compiled)}
    note = "" if compiled.dialect.run else f"# {NOT_RUN}\n"
    return {
        "dbt_project.yml": note + _project(),
        **made,
        "models/sources.yml": _sources(compiled),
        "models/schema.yml": _schema(compiled, tests),
        "macros/at_most.sql": AT_MOST,
        "README.md": _readme(compiled, len(made)),
    }


def _models(compiled: Plan) -> list[Model]:
    """The statements as models. What is added to a table that was read is a model of its own, with what was there before."""
    models: dict[str, Model] = {}  # by the table's name: its latest model
    found: list[Model] = []
    for piece in (each for each in compiled.pieces if each.part != "risky_cells"):
        reads: dict[str, str] = {}

        def table(name: str, reads: dict[str, str] = reads) -> Any:
            reads[f"sqlrisk_ref_{len(reads)}_"] = name
            return exp.to_table(f"sqlrisk_ref_{len(reads) - 1}_")

        statement = compiled.translated(piece, table)
        sql = f"{statement.ctes}\n{statement.sql}" if statement.ctes else statement.sql
        sql = _escaped(sql)
        for mark, name in reads.items():
            sql = sql.replace(mark, _reference(compiled, models, name))
        for name in reads.values():
            if name in models:
                models[name].read = True
        model = models.get(piece.table)
        if model is not None and not model.read:
            model.queries.append(sql)
            continue
        number = sum(each.name == piece.table or each.name.startswith(f"{piece.table}__") for each in found)
        grown = Model(piece.table if not number else f"{piece.table}__{number + 1}")
        if model is not None:
            columns = ", ".join(_columns(piece))
            grown.queries.append(f"SELECT {columns}\nFROM {_reference(compiled, models, piece.table)}")
        grown.queries.append(sql)
        models[piece.table] = grown
        found.append(grown)
    return found


def _columns(piece: Piece) -> list[str]:
    query: Any = sqlglot.parse_one(piece.sql, read="duckdb")
    return [str(name) for name in query.named_selects]


def _reference(compiled: Plan, models: Mapping[str, Model], name: str) -> str:
    if name in compiled.sources:
        group, table = _place(compiled, name)
        return f"{{{{ source({_text_of(group)}, {_text_of(table)}) }}}}"
    return f"{{{{ ref('{compiled.prefix}{models[name].name}') }}}}"


def _text(compiled: Plan, model: Model) -> str:
    # The settings of a session are the adapter's, so that a model is a query alone.
    query = "\nUNION ALL\n".join(model.queries)
    return f"{heading(compiled, 'One table of the way to the results; see README.md.')}\n{query}\n"


def _place(compiled: Plan, name: str) -> tuple[str, str]:
    """The group of sources that a user's table is in, and its name."""
    table = compiled.table(name)
    return "_".join(part for part in (table.catalog, table.db) if part) or PROJECT, table.name


def _sources(compiled: Plan) -> str:
    groups: dict[str, dict[str, Any]] = {}
    for name in compiled.sources:
        table = compiled.table(name)
        group, label = _place(compiled, name)
        entry: dict[str, Any] = {"name": group, "schema": _yaml_text(table.db) if table.db else "{{ target.schema }}"}
        if table.catalog:
            entry["database"] = _yaml_text(table.catalog)
        groups.setdefault(group, {**entry, "tables": []})
        if {"name": label} not in groups[group]["tables"]:
            groups[group]["tables"].append({"name": label})
    return _yaml({"version": 2, "sources": list(groups.values())})


def _schema(compiled: Plan, tests: Sequence[Mapping[str, object]]) -> str:
    model: dict[str, object] = {
        "name": f"{compiled.prefix}{RESULTS}",
        "description": "Disclosure risk by measure, point, target, synthesis, population and people.",
    }
    if tests:
        model["data_tests"] = [{"at_most": {"arguments": dict(test)}} for test in tests]
    return _yaml({"version": 2, "models": [model]})


def _project() -> str:
    return _yaml(
        {
            "name": PROJECT,
            "version": "1.0",
            "config-version": 2,
            "profile": PROJECT,
            "flags": {"require_generic_test_arguments_property": True, "send_anonymous_usage_stats": False},
            "models": {PROJECT: {"+materialized": "table"}},
        }
    )


def _yaml(content: Mapping[str, object]) -> str:
    """A mapping as YAML, of which JSON is a part."""
    return "\n".join(f"{name}: {json.dumps(value, indent=2, ensure_ascii=False)}" for name, value in content.items()) + "\n"


def _test(text: str, compiled: Plan) -> dict[str, object]:
    match = _LIMIT.fullmatch(text)
    if not match:
        raise InputError(f"limit: {text!r} is none; write MEASURE<=NUMBER, or MEASURE:TARGET<=NUMBER, as in 'DiSCO<=5'.")
    names = [measure.name for measure in compiled.question.measures]
    targets = [target.name for target in compiled.layout.targets]
    if match["measure"] not in names:
        raise InputError(f"limit: {match['measure']!r} is no measure of the scenario{suggestion(match['measure'], names)}.")
    if match["target"] is not None and match["target"] not in targets:
        raise InputError(f"limit: {match['target']!r} is no target of the scenario{suggestion(match['target'], targets)}.")
    number = match["limit"]
    test: dict[str, object] = {"measure": match["measure"], "highest": float(number) if "." in number else int(number)}
    return test if match["target"] is None else {**test, "target": _yaml_text(match["target"])}


def _several(limits: object) -> list[str]:
    if limits is None:
        return []
    return [limits] if isinstance(limits, str) else [str(each) for each in limits] if isinstance(limits, Sequence) else []


def _escaped(text: str) -> str:
    """Text that dbt's templates leave as it is."""
    return _BRACES.sub(lambda match: "{{ '" + match[0] + "' }}", text)


def _yaml_text(text: str) -> str:
    return _escaped(text)


def _text_of(text: str) -> str:
    """A text as Jinja reads it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _readme(compiled: Plan, models: int) -> str:
    dialect = compiled.dialect
    state = "" if dialect.run else f" ({NOT_RUN})"
    settings = (
        "\nThe profile has to set what the SQL needs in every session, or its numbers are wrong: "
        + ", ".join(f"`{each.removeprefix('SET ')}`" for each in dialect.settings)
        + ".\n"
        if dialect.settings
        else ""
    )
    return f"""# Disclosure risk as a dbt project

{models} models in the SQL of {dialect.product}{state}, written by sqlrisk, for dbt 1.10.5 or newer. Each is a table; `ref` and
`source` say what reads what. The profile is called `{PROJECT}`: write it in `profiles.yml`, or name yours in `dbt_project.yml`.
{settings}
    dbt build

The numbers are then in `{compiled.prefix}{RESULTS}`. `models/schema.yml` holds the rules that they are tested by, as

    data_tests:
      - at_most: {{arguments: {{measure: DiSCO, highest: 5, target: income}}}}

Without a target it is every one. A test that fails shows the rows above the limit (`dbt build --store-failures` keeps them).
"""
