"""Compile a scenario to a dbt project: a model for each table, the user's tables as sources, and
policy rules as tests of the results.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, product
from typing import Any

import sqlglot
from sqlglot import exp

from sqlrisk.analyses.exports import stages
from sqlrisk.analyses.exports.compiled_sql import (
    PARTS,
    RESULTS,
    VIEWS,
    Plan,
    heading,
    own_text,
    readme,
)
from sqlrisk.analyses.exports.views import NAMED
from sqlrisk.analyses.result_rows import SUMMARIES, methods_of_several
from sqlrisk.catalogue.dialects import NOT_RUN
from sqlrisk.common.errors import ProblemList
from sqlrisk.inputs.policy import BOTH, REVIEW, WITHOUT, Policy, Scope
from sqlrisk.inputs.policy_rules import Rule, Term

PROJECT = "sqlrisk"
# Parts whose tables have a row for each level, record, class or cell.
DISCLOSIVE = ("dictionaries", "stages", VIEWS)
_BRACES = re.compile(r"\{\{|\{%|\{#")
_BLOCK = re.compile(r"\{% docs sqlrisk_(\w+) %\}")
_PLAIN = re.compile(r"(?!(?i:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][A-Za-z0-9_]*")
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass
class Model:
    """One table of the dbt project.

    Attributes:
        name: its name without the prefix.
        part: the part of the compiled SQL that it belongs to.
        grain: what one row means.
        queries: the queries whose rows make the table, joined by UNION ALL.
        read: True if a later model reads the table.
    """

    name: str
    part: str
    grain: str
    queries: list[str] = field(default_factory=list)
    read: bool = False


def files(compiled: Plan, policy: Policy) -> dict[str, str]:
    """Return the files of the project by path. Each rule of ``policy`` becomes a test.

    Raises InputError for rules that no test of the results can check.
    """
    tests = _tests(policy, compiled)
    places = _places(compiled)
    models = _models(compiled, places)
    made = {f"models/{compiled.prefix}{model.name}.sql": _text(compiled, model) for model in models}
    project, results = compiled.prefix.rstrip("_") or PROJECT, f"{compiled.prefix}{RESULTS}"
    note = "" if compiled.dialect.run else f"# {NOT_RUN}\n"
    measures = [
        f"- **{each.name}**: {each.title}. {each.formula} ({each.unit})"
        for each in compiled.question.measures
    ]
    docs = own_text("docs.md").replace("MEASURES", _escaped("\n".join(measures)))
    described = [_described(compiled.prefix, model, tests, docs) for model in models]
    macros = ("holds.sql", "sqlrisk_max.sql", "drop_disclosive.sql")
    return {
        "dbt_project.yml": note + _yaml(_project(project, compiled.dialect.zone)),
        **made,
        "models/sources.yml": _sources(places.values(), compiled.dialect.name),
        "models/schema.yml": _yaml({"version": 2, "models": described}),
        "models/docs.md": docs,
        **{f"macros/{name}": own_text(name) for name in macros},
        "README.md": readme(
            "dbt",
            compiled,
            models=len(made),
            project=project,
            prefix=compiled.prefix,
            results=results,
            excludes=compiled.layout.scenario.excludes,
            risky=[
                f"{compiled.prefix}{each.name}"
                for each in models
                if each.part == VIEWS and not each.name.startswith(NAMED)
            ],
        ),
    }


def _project(name: str, zone: str) -> dict[str, object]:
    return {
        "name": name,
        "version": "1.0",
        "config-version": 2,
        "require-dbt-version": ">=1.10.5",
        "profile": name,
        "flags": {
            "require_generic_test_arguments_property": True,
            "send_anonymous_usage_stats": False,
        },
        "models": {name: {"+materialized": "table", **({"+pre-hook": [zone]} if zone else {})}},
        "on-run-end": ["{{ drop_disclosive() }}"],
    }


def _described(prefix: str, model: Model, tests: Sequence[object], docs: str) -> dict[str, object]:
    """Return the entry of a model in the schema file. Only the results have tests and described
    columns (from the blocks of ``docs``).
    """
    said: dict[str, Any] = {
        "name": f"{prefix}{model.name}",
        "description": _escaped(model.grain),
    }
    if model.part in DISCLOSIVE:
        said["config"] = {"tags": ["disclosive"], "meta": {"disclosive": True}}
    if model.part == VIEWS:
        said["config"] |= _on_request(prefix, model)
    if model.name == RESULTS:
        whole, *columns = (
            {"name": each, "description": f"{{{{ doc('sqlrisk_{each}') }}}}"}
            for each in _BLOCK.findall(docs)
        )
        said |= {"description": whole["description"], "columns": columns}
        said |= {"data_tests": [{"holds": test} for test in tests]} if tests else {}
    return said


def _on_request(prefix: str, model: Model) -> dict[str, object]:
    """Return the dbt settings of a view: ephemeral if only other views read it, otherwise disabled
    unless the variable ``sqlrisk_keep`` names it.
    """
    if model.name.startswith(NAMED):
        return {"materialized": "ephemeral"}
    return {"enabled": f"{{{{ '{prefix}{model.name}' in var('sqlrisk_keep', []) }}}}"}


def _models(compiled: Plan, places: Mapping[str, tuple[str, Any]]) -> list[Model]:
    """Make one dbt model for each table.

    If rows are inserted into a table that another model has already read, a new model repeats the
    earlier rows and adds the new ones.
    """
    models: dict[str, Model] = {}  # table -> its latest model
    found: list[Model] = []
    for piece in (each for each in compiled.pieces if each.part in (*PARTS, VIEWS)):
        reads: dict[str, str] = {}

        def table(name: str, reads: dict[str, str] = reads) -> Any:
            reads[f"sqlrisk_ref_{len(reads)}_"] = name
            return exp.to_table(f"sqlrisk_ref_{len(reads) - 1}_")

        statement = compiled.translated(piece, table)
        sql = _escaped(f"{statement.ctes}\n{statement.sql}" if statement.ctes else statement.sql)
        for mark, name in reads.items():
            sql = sql.replace(mark, _reference(compiled, places, models, name))
            if name in models:
                models[name].read = True
        model = models.get(piece.table)
        if model is not None and not model.read:
            model.queries.append(sql)
            continue
        number = sum(
            each.name == piece.table or each.name.startswith(f"{piece.table}__") for each in found
        )
        grown = Model(
            piece.table if not number else f"{piece.table}__{number + 1}",
            piece.part,
            stages.grain(piece.sql),
        )
        if model is not None:
            tree: Any = sqlglot.parse_one(piece.sql, read="duckdb")
            columns = ", ".join(tree.named_selects)
            earlier = _reference(compiled, places, models, piece.table)
            grown.queries.append(f"SELECT {columns}\nFROM {earlier}")
        grown.queries.append(sql)
        models[piece.table] = grown
        found.append(grown)
    return found


def _reference(
    compiled: Plan,
    places: Mapping[str, tuple[str, Any]],
    models: Mapping[str, Model],
    name: str,
) -> str:
    if name in places:
        group, table = places[name]
        return f"{{{{ source({_text_of(group)}, {_text_of(table.name)}) }}}}"
    return f"{{{{ ref('{compiled.prefix}{models[name].name}') }}}}"


def _text(compiled: Plan, model: Model) -> str:
    # A model is only a query: dbt_project.yml sets the time zone.
    # After UNION ALL a query with its own WITH must stand in parentheses.
    first, *added = model.queries
    query = "\nUNION ALL\n".join(
        [
            first,
            *(
                f"SELECT * FROM (\n{each}\n) AS added" if each.startswith("WITH") else each
                for each in added
            ),
        ]
    )
    return f"{heading(compiled, _escaped(model.grain))}\n{query}\n"


def _places(compiled: Plan) -> dict[str, tuple[str, Any]]:
    """Return (name of the dbt source, sqlglot Table) of each of the user's tables.

    A dbt source holds the tables of one schema. Tables with quoted names have another source than
    tables with plain names.
    """
    groups: dict[object, str] = {}
    places = {}
    for name in compiled.sources:
        table = compiled.table(name)
        parts = [part for part in (table.catalog, table.db) if part]
        stem = "_".join(parts) or PROJECT
        free = chain([stem], (f"{stem}_{number}" for number in count(2)))
        place = (*parts, *_quoting(table, compiled.dialect.name).items())
        if place not in groups:
            groups[place] = next(each for each in free if each not in groups.values())
        places[name] = groups[place], table
    return places


def _quoting(table: Any, dialect: str) -> dict[str, bool]:
    """Return which parts of a table's name are quoted in scripts, by dbt's names of the parts."""
    parts = {"database": "catalog", "schema": "db", "identifier": "this"}
    given = {name: table.args[part] for name, part in parts.items() if table.args.get(part)}
    return {name: part.sql(dialect) != part.name for name, part in given.items()}


def _sources(places: Iterable[tuple[str, Any]], dialect: str) -> str:
    groups: dict[str, dict[str, Any]] = {}
    for group, table in places:
        entry: dict[str, Any] = {
            "name": _escaped(group),
            "schema": _escaped(table.db) if table.db else "{{ target.schema }}",
        }
        if table.catalog:
            entry["database"] = _escaped(table.catalog)
        # dbt's adapters differ in what they quote unless told.
        entry["quoting"] = _quoting(table, dialect)
        tables = groups.setdefault(group, {**entry, "tables": []})["tables"]
        if {"name": _escaped(table.name)} not in tables:
            tables.append({"name": _escaped(table.name)})
    return _yaml({"version": 2, "sources": list(groups.values())})


def _yaml(content: Mapping[str, object]) -> str:
    """Return a mapping as block-style YAML, one value a line."""
    return "".join(f"{line}\n" for line in _lines(content))


def _lines(value: object) -> Iterator[str]:
    """Yield the YAML lines of a value, with nested values indented. Text that is not a plain name
    is written as JSON, which is valid YAML.
    """
    if isinstance(value, Mapping) and value:
        for name, each in value.items():
            first, *rest = _lines(each)
            if isinstance(each, Mapping | list) and each:
                yield from (f"{name}:", f"  {first}", *(f"  {line}" for line in rest))
            else:
                yield f"{name}: {first}"
    elif isinstance(value, list) and value:
        for each in value:
            first, *rest = _lines(each)
            yield from (f"- {first}", *(f"  {line}" for line in rest))
    elif isinstance(value, str) and _PLAIN.fullmatch(value):
        yield value
    else:
        yield _UNPRINTED.sub(
            lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False)
        )


def _tests(policy: Policy, compiled: Plan) -> list[dict[str, object]]:
    """Return a dbt test for each rule of a policy.

    A rule for review only warns. An exception makes a second test, which only warns, for the
    numbers it covers. Raises InputError if the results lack what a rule names, or if a rule judges
    only numbers without exclusions in a scenario that has exclusions.
    """
    problems = ProblemList()
    tests: list[dict[str, object]] = []
    excludes = compiled.layout.scenario.excludes  # a project only has numbers with exclusions
    for number, given in enumerate(policy.clauses, start=1):
        clause = given.counted if excludes else given
        scope = clause.numbers
        rows = _rows(clause.rule.left.measure, compiled)
        missing = scope.missing(rows) + (
            [] if clause.exception is None else clause.exception.scope.missing(rows)
        )
        problems += [
            f"The policy {policy.name!r}, rule {clause.rule.text!r}: {each}." for each in missing
        ]
        name = f"{compiled.prefix}rule_{number}"
        if excludes and clause.exclusions == WITHOUT:
            problems.append(
                f"The policy {policy.name!r}, rule {given.rule.text!r}: dbt tests only "
                "numbers with exclusions."
            )
        arguments = _arguments(clause.rule, scope)
        if clause.exception is not None:
            arguments["excepted"] = _names(clause.exception.scope, every=True)
        reason = clause.reason
        if excludes and clause.exclusions == BOTH:
            reason += " (tests only the numbers with exclusions)"
        tests.append(_test(name, reason, clause.verdict, arguments))
        if clause.exception is not None:
            own = clause.exception.scope
            both = Scope(*(getattr(own, each) or getattr(scope, each) for each in vars(scope)))
            tests.append(
                _test(
                    f"{name}_excepted", str(clause.exception), REVIEW, _arguments(clause.rule, both)
                )
            )
    problems.stop()
    return tests


def _test(
    name: str, reason: str, verdict: str, arguments: Mapping[str, object]
) -> dict[str, object]:
    severity = "warn" if verdict == REVIEW else "error"
    return {
        "name": name,
        "description": _escaped(reason),
        "arguments": arguments,
        "config": {"severity": severity},
    }


def _arguments(rule: Rule, scope: Scope) -> dict[str, object]:
    """Return the arguments of a test. Empty lists are left out."""
    told: dict[str, object] = {
        "measure": rule.left.measure,
        "operator": rule.operator,
        "people": rule.left.people,
    }
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
    """Return a row for each target, population and synthesis in the results of a measure."""
    layout = compiled.layout
    abouts = layout.about(compiled.question.catalog[measure].stage)
    targets = [None if each is None else each.name for each in abouts]
    syntheses = [each.label for each in layout.of_original]
    syntheses += [
        f"{method} {word}".strip() for method in methods_of_several(layout) for word in SUMMARIES
    ]
    populations = [
        *(["all"] if "all" in layout.scenario.populations else []),
        *(each.name for each in layout.populations),
    ]
    return [
        {"target": target, "population": population, "synthesis": synthesis}
        for target, population, synthesis in product(targets, populations, syntheses)
    ]


def _escaped(text: str) -> str:
    """Write a text so that dbt's templates leave it unchanged."""
    return _BRACES.sub(lambda match: "{{ '" + match[0] + "' }}", text)


def _text_of(text: str) -> str:
    """Return a text as a Jinja string."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
