"""What SQL may use: an allow-list of node types and functions, walked over the parsed tree (sql/README.md, DESIGN 7).

`violations` names every rule that a statement breaks. `renderings` fills every template under sql/ in every variant.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from sqlrisk import plan, render
from sqlrisk.catalog import catalog
from sqlrisk.layout import Column, File, Layout, compare, pack
from sqlrisk.plan import Step
from sqlrisk.scenario import read
from sqlrisk.sources import Source, Synthesis

CLAUSES = {
    "Select", "Union", "Subquery", "With", "CTE", "From", "Join", "Where", "Group", "Order", "Ordered", "Limit",
    "Distinct", "Alias", "TableAlias", "Table", "Column", "Identifier", "Star", "Literal", "Null", "Paren",
}  # fmt: skip
OPERATORS = {
    "And", "Or", "Not", "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "Is", "In", "Add", "Sub", "Mul", "Div", "Mod", "Neg",
}  # fmt: skip
FUNCTIONS = {
    "Case", "If", "Cast", "DataType", "DataTypeParam", "Coalesce", "Nullif", "Sum", "Count", "Min", "Max", "Avg",
    "Window", "WindowSpec", "RowNumber", "Lead",
}  # fmt: skip
ALLOWED = CLAUSES | OPERATORS | FUNCTIONS
NUMBERS = {"BIGINT", "INT", "DOUBLE"}
Tables = Mapping[str, list[str]]
"""Columns of the tables that a statement may read."""


def violations(sql: str, tables: Tables | None = None) -> Iterator[str]:
    """Every rule that a query breaks, each as one short text that starts with the rule's name."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    for node in tree.walk():
        kind = type(node).__name__
        if kind not in ALLOWED:
            yield f"node {kind}"
        match node:
            case exp.Column() if node.this.quoted:
                yield f"quoted name {node.name}"
            case exp.Union() if node.args.get("distinct") or node.args.get("by_name"):
                yield "UNION without ALL"
            case exp.Group() if node.args.get("all"):
                yield "GROUP BY ALL"
            case exp.Is() if not isinstance(node.expression, exp.Null):
                yield "IS other than NULL"
            case exp.Star() if not isinstance(node.parent, exp.Count):
                yield "star"
            case exp.Cast() if node.to.this.name not in NUMBERS:
                yield f"cast to {node.to.this.name}"
            case exp.Div() if not (is_double(node.this) and is_double(node.expression)):
                yield f"division {node.sql('duckdb')}"
            case exp.Window():
                yield from window_violations(node)
            case exp.Join():
                yield from join_violations(node)
            case exp.Select():
                yield from alias_violations(node, tables or {})
    ctes = list(tree.find_all(exp.CTE))
    if len(ctes) > 2 or len(list(tree.find_all(exp.With))) > 1:
        yield "more than two CTE levels"


def is_double(node: Any) -> bool:
    """Whether an expression is a DOUBLE on every engine: a cast, or arithmetic or NULLIF of one."""
    match node:
        case exp.Paren() | exp.Nullif() | exp.Neg():
            return is_double(node.this)
        case exp.Mul() | exp.Add() | exp.Sub() | exp.Div():
            return is_double(node.this) or is_double(node.expression)
        case exp.Cast():
            return bool(node.to.this.name == "DOUBLE")
    return False


def window_violations(node: Any) -> Iterator[str]:
    """Frames are spelled ROWS BETWEEN; a running sum has one; records are never windowed."""
    spec = node.args.get("spec")
    running = isinstance(node.this, exp.AggFunc) and not isinstance(node.this, exp.Lead) and node.args.get("order")
    if (running and spec is None) or (spec is not None and (spec.args["kind"] != "ROWS" or not spec.args.get("end"))):
        yield "window frame not spelled ROWS BETWEEN"
    if "records" in {table.name for table in node.find_ancestor(exp.Select).find_all(exp.Table)}:
        yield "window over records"


def join_violations(node: Any) -> Iterator[str]:
    """Inner and left joins on equal integers."""
    if node.args.get("using") or node.method:
        yield "USING or NATURAL join"
    if node.side not in ("", "LEFT"):
        yield f"{node.side} join"
    if node.kind == "CROSS":
        yield "cross join"
    elif not node.args.get("on"):
        yield "join without ON"
    elif not all(isinstance(part, exp.EQ) for part in conjuncts(node.args["on"])):
        yield "join on a range"
    elif any(column.name == "value" for column in node.args["on"].find_all(exp.Column)):
        yield "join on values"


def conjuncts(condition: Any) -> list[Any]:
    """The parts of a condition that all have to hold."""
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def alias_violations(select: Any, tables: Tables) -> Iterator[str]:
    """An alias is new, or the column of that name itself: ClickHouse reads any other as the alias, silently."""
    inputs = {name for source in sources(select) for name in columns(source, tables)}
    for each in select.expressions:
        itself = isinstance(each.unalias(), exp.Column) and each.unalias().name == each.alias
        if isinstance(each, exp.Alias) and each.alias in inputs and not itself:
            yield f"alias {each.alias} hides a column"
    names = [each.alias_or_name for each in select.expressions]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two columns named {name}"


def sources(select: Any) -> list[Any]:
    """What a SELECT reads."""
    first = select.args.get("from_") or select.args.get("from")
    return [] if first is None else [first.this, *(join.this for join in select.args.get("joins") or ())]


def columns(source: Any, tables: Tables) -> list[str]:
    """The columns of a table, a CTE or a subquery."""
    if not isinstance(source, exp.Table):
        return [str(name) for name in source.named_selects]
    for cte in source.root().find_all(exp.CTE):
        if cte.alias == source.name:
            return [str(name) for name in cte.this.named_selects]
    return tables[source.name]


def outputs(sql: str) -> list[str]:
    """The columns of a query."""
    return [str(name) for name in sqlglot.parse_one(sql, dialect="duckdb").named_selects]


# ------------------------------------------------------------------------------------------------ every template, filled


@dataclass(frozen=True)
class Rendering:
    """A template (its path under sql/), filled, and the columns of the tables that it may read."""

    path: str
    sql: str
    tables: Tables


KEYS = [("age in years", "DOUBLE"), ("sex", "VARCHAR"), ("born", "DATE"), ("region", "UUID")]
TARGETS = [("income", "INTEGER"), ("workab", "VARCHAR"), ("mood", "BOOLEAN")]
BINS = {"bins": {"age in years": 4, "income": 3}, "special": {"age in years": ["-8", "99"], "income": ["-1"]}}
EXCLUSIONS: dict[str, dict[str, object]] = {
    "target level": {"exclude_level": {"workab": ["NO", "a\nb"], "mood": ["true"]}},
    "missing target": {"exclude_missing": ["workab"]},
    "missing keys": {"exclude_missing": ["sex", "born"]},
    "pairs": {
        "exclude_pair": [
            {"target": "income", "target_level": "5", "key": "age in years", "key_level": "19.5"},
            {"target": "income", "target_level": "7", "key": "region", "key_level": "it's"},
        ]
    },
    "size": {"max_cell": 5},
    "synthetic size": {"max_cell_syn": 6},
}
EVERYTHING = {
    **EXCLUSIONS["target level"],
    "exclude_missing": ["workab", "sex", "born"],
    **EXCLUSIONS["pairs"],
    **EXCLUSIONS["size"],
    **EXCLUSIONS["synthetic size"],
}
ONE = {"": 1}
THREE = {"": 3}
METHODS = {"cart": 2, "tree's": 1}
WITHOUT_FACTS, ONE_LIMB, TWO_LIMBS = None, [6, 3, 11, 4], [2**40, 3, 2**30, 4]


def layout(
    settings: Mapping[str, object],
    syntheses: Mapping[str, int] = ONE,
    sizes: list[int] | None = ONE_LIMB,
    *,
    typed: bool = True,
) -> Layout:
    """A scenario laid out over tables that nobody reads here."""
    scenario = read({"keys": [name for name, _ in KEYS], "targets": [name for name, _ in TARGETS], **settings})
    kinds = [dict(KEYS + TARGETS), {name: "FLOAT" if kind == "DOUBLE" else kind for name, kind in KEYS + TARGETS}]
    named = [(method, number) for method, count in syntheses.items() for number in range(1, count + 1)]
    files = [File(number, f"source_{number}", kinds[number % 2] if typed else {}) for number in range(len(named) + 1)]

    def column(role: str, number: int, name: str, kind: str) -> Column:
        made = Column(role, number, name, kind if typed else None, scenario.bins.get(name))
        return replace(made, special=tuple(made.level(text) for text in scenario.special.get(name, ())))

    keys = tuple(column("k", number, *key) for number, key in enumerate(KEYS, start=1))
    targets = tuple(column("t", number, *target) for number, target in enumerate(TARGETS, start=1))
    made = [Synthesis(method, number, Source("s", "table", ("s",))) for method, number in named]
    measures = tuple(measure for measure in catalog() if measure.needs != "exclusions" or scenario.excludes)
    return Layout(scenario, tuple(files), keys, targets, compare(made, files), measures, pack(keys, sizes))


def variants() -> dict[str, tuple[Layout, int]]:
    """Layouts and numbers of passes that together reach every branch of every template."""
    found = {
        "plain": (layout({}), 1),
        "without facts": (layout({}, ONE, WITHOUT_FACTS, typed=False), 1),
        "bins": (layout(BINS), 1),
        "three syntheses": (layout({}, THREE), 3),
        "two methods, two limbs": (layout({}, METHODS, TWO_LIMBS), 7),
        "everything": (layout({**BINS, **EVERYTHING}, THREE, TWO_LIMBS), 2),
        "everything without facts": (layout(EVERYTHING, ONE, WITHOUT_FACTS, typed=False), 1),
    }
    return found | {name: (layout({**BINS, **settings}), 1) for name, settings in EXCLUSIONS.items()}


def renderings(question: Layout, passes: int) -> list[Rendering]:
    """Every template that a run, a listing or a script of this layout fills, and every measure's own SELECT."""
    filled: list[tuple[str, str]] = []
    original = render.stage

    def noting(path: str, **names: Any) -> str:
        text = original(path, **names)
        filled.append((path, text))
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "stage", noting)
        tables = stage_tables(every_step(question, passes))
        for method in {each.method for each in question.comparisons}:
            plan.summary(question, method)
        for target in question.targets:
            plan.check(question, target)
        plan.one_sided_levels(question)
        plan.labels(question.keys[0])
        for measure in question.measures:
            target = question.targets[0] if measure.stage == "cells" else None
            if measure.risky is not None:
                step = plan.risky_cells(question, measure, question.comparisons[-1], target, 20)
                tables["risky_cells"] = outputs(step.sql)
                plan.listing(question, measure, target, 20)
    found = [Rendering(path, text, tables) for path, text in filled]
    compared = {
        "classes": outputs(plan.compared_classes(question, question.comparisons[0])),
        "cells": outputs(plan.compared_cells(question, question.comparisons[0], question.targets[0])),
        "results": [measure.name for measure in question.measures],
    }
    for measure in question.measures:
        path = f"measures/{measure.family}/{measure.path.name}"
        found += [Rendering(path, render.select(measure, at), compared) for at in measure.at or (None,)]
    return found


def every_step(question: Layout, passes: int) -> Iterator[Step]:
    yield from plan.encode(question)
    yield plan.record(question)
    yield from plan.count(question, catalog(), passes)
    yield from plan.measure(question)
    yield from plan.collect(question)
    for target in question.targets:
        yield plan.pair(question, target)


def stage_tables(steps: Iterator[Step]) -> dict[str, list[str]]:
    """The columns of every table; a step that adds to a table has the same columns in the same order."""
    tables: dict[str, list[str]] = {}
    for step in steps:
        names = outputs(step.sql)
        assert tables.setdefault(step.table, names) == names, f"a step adds other columns to {step.table}"
    user = {f"source_{number}": [name for name, _ in KEYS + TARGETS] for number in range(4)}
    return tables | user


def template_text(path: Path) -> list[str]:
    """The lines of a template that are plain SQL, each as its longest piece between braces."""
    body = path.read_text(encoding="utf-8").split("---*/\n", 1)[1]
    pieces = re.split(r"\{\{.*?\}\}|\{%.*?%\}|\n", body)
    return [" ".join(piece.split()) for piece in pieces if len(piece.strip()) > 1]
