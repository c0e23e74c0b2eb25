"""A compiled scenario as a dbt project: a model a table, the user's tables as sources, rules on the results as tests."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from sqlglot import exp

from sqlrisk.analyses.exports.compiled_sql import RESULTS, Piece, Plan, heading
from sqlrisk.analyses.result_rows import SUMMARIES, methods_of_several
from sqlrisk.catalogue.dialects import NOT_RUN
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.policy import REVIEW, Policy, Scope
from sqlrisk.inputs.policy_rules import Rule, Term

PROJECT = "sqlrisk"
_BRACES = re.compile(r"\{\{|\{%|\{#")
HOLDS = """{% macro sqlrisk_within(own, targets, populations, syntheses) %}
{% for column, names in [('target', targets), ('population', populations), ('synthesis', syntheses)] if names %}
    and {{ own }}.{{ column }} in ({% for name in names %}{{ dbt.string_literal(dbt.escape_single_quotes(name | string)) }}\
{{ ", " if not loop.last }}{% endfor %})
{% endfor %}
{% endmacro %}

{% test holds(model, measure, operator, bound=none, against=none, people='original', against_people='original', points=[],
              against_points=[], targets=[], populations=[], syntheses=[], excepted=none) %}
-- The rows that break a rule: of every synthesis and population, by people and by weight. Sums may differ in their last digits.
{% set other = bound if against is none else 'held.value' %}
{% set slack = '(0.00000000001 * abs(' ~ other ~ ') + 0.000000000001)' %}
{% set breaks = {'<=': ('>', '+'), '<': ('>=', '-'), '>=': ('<', '-'), '>': ('<=', '+')}[operator] %}
select own.measure, own.point, own.target, own.synthesis, own.population, own.weighted, own.value, {{ other }} as bound
from {{ model }} own
{% if against is not none %}
inner join {{ model }} held
    on held.synthesis = own.synthesis and held.population = own.population and held.weighted = own.weighted
    and (held.target = own.target or (held.target is null and own.target is null))
{% endif %}
where own.measure = {{ dbt.string_literal(dbt.escape_single_quotes(measure)) }} and own.people = '{{ people }}'
    and own.value {{ breaks[0] }} {{ other }} {{ breaks[1] }} {{ slack }}
{% if points %}
    and own.point in ({{ points | join(', ') }})
{% endif %}
{% if against is not none %}
    and held.measure = {{ dbt.string_literal(dbt.escape_single_quotes(against)) }} and held.people = '{{ against_people }}'
    and {{ 'held.point = ' ~ against_points[0] if against_points else '(held.point = own.point or held.point is null)' }}
{% endif %}
{{ sqlrisk_within('own', targets, populations, syntheses) }}
{% if excepted is not none %}
    and not (1 = 1 {{ sqlrisk_within('own', excepted['targets'], excepted['populations'], excepted['syntheses']) }})
{% endif %}
{% endtest %}
"""


@dataclass
class Model:
    """A table of the project: queries whose rows are put together, and whether another model has read it."""

    name: str
    queries: list[str] = field(default_factory=list)
    read: bool = False


def files(compiled: Plan, policy: Policy) -> dict[str, str]:
    """Return the files of the project, by their paths; each rule of ``policy`` is a test.

    Raises:
        InputError: a rule that names a target, population or synthesis that the scenario has not.
    """
    tests = _tests(policy, compiled)
    made = {f"models/{compiled.prefix}{model.name}.sql": _text(compiled, model) for model in _models(compiled)}
    note = "" if compiled.dialect.run else f"# {NOT_RUN}\n"
    return {
        "dbt_project.yml": note + _project(),
        **made,
        "models/sources.yml": _sources(compiled),
        "models/schema.yml": _schema(compiled, tests),
        "macros/holds.sql": HOLDS,
        "README.md": _readme(compiled, len(made)),
    }


def _models(compiled: Plan) -> list[Model]:
    """Make one dbt model of each table. An INSERT into a table that was read becomes a model that repeats the rows before it."""
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
    # Behind UNION ALL there is no place for a WITH of a query's own, but in parentheses.
    first, *added = model.queries
    query = "\nUNION ALL\n".join(
        [first, *(f"SELECT * FROM (\n{each}\n) AS added" if each.startswith("WITH") else each for each in added)]
    )
    return f"{heading(compiled, 'One table of the way to the results; see README.md.')}\n{query}\n"


def _place(compiled: Plan, name: str) -> tuple[str, str]:
    """Return the group of sources that a user's table is in, and its name."""
    table = compiled.table(name)
    return "_".join(part for part in (table.catalog, table.db) if part) or PROJECT, table.name


def _sources(compiled: Plan) -> str:
    groups: dict[str, dict[str, Any]] = {}
    for name in compiled.sources:
        table = compiled.table(name)
        group, label = _place(compiled, name)
        entry: dict[str, Any] = {"name": group, "schema": _escaped(table.db) if table.db else "{{ target.schema }}"}
        if table.catalog:
            entry["database"] = _escaped(table.catalog)
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
        model["data_tests"] = [{"holds": dict(test)} for test in tests]
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
    """Return a mapping as YAML, of which JSON is a part."""
    return "\n".join(f"{name}: {json.dumps(value, indent=2, ensure_ascii=False)}" for name, value in content.items()) + "\n"


def _tests(policy: Policy, compiled: Plan) -> list[dict[str, object]]:
    """A test of each rule; one for review warns. Numbers that an exception covers have a test of their own, which warns."""
    problems: list[str] = []
    tests: list[dict[str, object]] = []
    for number, clause in enumerate(policy.clauses, start=1):
        scope = clause.numbers
        missing = scope.missing(_rows(clause.rule.left.measure, compiled))
        missing += [] if clause.exception is None else clause.exception.scope.missing(_rows(clause.rule.left.measure, compiled))
        problems += [f"The policy {policy.name!r}, rule {clause.rule.text!r}: {each}." for each in missing]
        name = f"{compiled.prefix}rule_{number}"
        arguments = _arguments(clause.rule, scope)
        if clause.exception is not None:
            arguments["excepted"] = _names(clause.exception.scope, every=True)
        tests.append(_test(name, clause.reason, clause.verdict, arguments))
        if clause.exception is not None:
            own = clause.exception.scope
            both = Scope(*(getattr(own, each) or getattr(scope, each) for each in vars(scope)))
            tests.append(_test(f"{name}_excepted", str(clause.exception), REVIEW, _arguments(clause.rule, both)))
    if problems:
        raise InputError(problems)
    return tests


def _test(name: str, reason: str, verdict: str, arguments: Mapping[str, object]) -> dict[str, object]:
    severity = "warn" if verdict == REVIEW else "error"
    return {"name": name, "description": _escaped(reason), "arguments": arguments, "config": {"severity": severity}}


def _arguments(rule: Rule, scope: Scope) -> dict[str, object]:
    """Return the arguments of a test; those left out have their default there."""
    told: dict[str, object] = {"measure": rule.left.measure, "operator": rule.operator, "people": rule.left.people}
    told |= {"points": list(rule.left.at)} if rule.left.at else {}
    if isinstance(rule.right, Term):
        told |= {"against": rule.right.measure, "against_people": rule.right.people}
        told |= {"against_points": list(rule.right.at)} if rule.right.at else {}
    else:
        told["bound"] = rule.right
    return {**told, **_names(scope)}


def _names(scope: Scope, *, every: bool = False) -> dict[str, list[str]]:
    named = {name: [_escaped(each) for each in names] for name, names in vars(scope).items()}
    return {name: names for name, names in named.items() if names or every}


def _rows(measure: str, compiled: Plan) -> list[dict[str, object]]:
    """Return the targets, populations and syntheses that the results of a measure are of."""
    layout = compiled.layout
    targets = [None] if compiled.question.catalog[measure].untargeted else [target.name for target in layout.targets]
    syntheses = [each.label for each in layout.of_original]
    syntheses += [f"{method} {word}".strip() for method in methods_of_several(layout) for word in SUMMARIES]
    populations = [*(["all"] if "all" in layout.scenario.populations else []), *(each.name for each in layout.populations)]
    return [
        {"target": target, "population": population, "synthesis": synthesis}
        for target in targets
        for population in populations
        for synthesis in syntheses
    ]


def _escaped(text: str) -> str:
    """Text that dbt's templates leave as it is."""
    return _BRACES.sub(lambda match: "{{ '" + match[0] + "' }}", text)


def _text_of(text: str) -> str:
    """Return a text as Jinja reads it."""
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
      - holds: {{arguments: {{measure: DiSCO, operator: "<=", bound: 5, targets: [income]}}}}

Without targets it is every one. A test that fails shows the rows that break its rule (`dbt build --store-failures` keeps them);
one that is for review, or that an exception covers, warns. A number that is not defined breaks no rule here; `sqlrisk check`
shows it.
"""
