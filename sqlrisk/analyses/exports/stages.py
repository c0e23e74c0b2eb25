"""List the stages of a plan: the tables that each statement reads and makes, and what one row
means.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product

from sqlglot import exp

from sqlrisk.analyses.exports import layout_without_data
from sqlrisk.analyses.result_rows import methods_of_several
from sqlrisk.catalogue.measures import Catalog
from sqlrisk.catalogue.templates import Query, header
from sqlrisk.catalogue.translation import parsed
from sqlrisk.plan import result_queries, totals
from sqlrisk.plan.class_key import EVERY_CLASS
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step

LEVELS = 20  # maximum number of levels in the query of shares that is listed


def of_a_run(layout: Layout, catalog: Catalog) -> Iterator[Step]:
    """Yield every step of a scenario including checks, then the queries whose rows a report
    shows.
    """
    yield from layout_without_data.begin(layout)
    yield from totals.count(layout, catalog, (EVERY_CLASS,))
    yield from totals.collect(layout)
    yield from totals.collect_unexcluded(layout)
    for method, people in product(methods_of_several(layout), layout.people_files):
        yield Step("reading", "summaries", result_queries.summary(layout, method, people))
    if len(layout.people_files) > 1:
        yield Step("reading", "differences", result_queries.differences(layout))
    if layout.counted_targets:
        yield result_queries.one_way_candidates(layout)
        yield result_queries.pairs(layout)
    for target in layout.counted_targets:
        yield Step("reading", "one_way", result_queries.one_way(layout, target))
        keys = [key.number for key in layout.keys]
        yield Step("reading", "two_way", result_queries.two_way(layout, target, keys, cells=True))
    yield Step("reading", "one_sided_levels", result_queries.one_sided_levels(layout))
    if layout.scenario.distributions:
        yield from result_queries.cap_counts(layout.counts.bases)
        for basis in layout.counts.bases:
            yield Step("reading", "distributions", result_queries.distributions(basis))
            yield Step("reading", "histograms", result_queries.histograms(basis))
        for target in layout.targets:
            yield Step("reading", "shares", result_queries.shares(layout, target, LEVELS))


def text(layout: Layout, steps: Iterable[Step]) -> str:
    """Return a readable list of stages: the tables read and made, the files of ``sql/`` used, and
    what one row means.
    """
    files = _files(layout)
    # stage -> number of its statements, in the order of the plan
    stages: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    for step in steps:
        reads = dict.fromkeys(files.get(name, name) for name in _tables(step.sql))
        stages[", ".join(reads), step.table, tuple(dict.fromkeys(_templates(step.sql)))] += 1
    lines = []
    for number, ((read, makes, templates), statements) in enumerate(stages.items(), start=1):
        times = f"   ({statements} statements)" if statements > 1 else ""
        grain = header(templates[0])["grain"] if templates else ""
        lines += [
            f"{number:3}. {read} --> {makes}{times}",
            f"     {' < '.join(templates)}",
            f"     {grain}",
        ]
    return "\n".join(lines) + "\n"


def grain(sql: str) -> str:
    """Return the ``grain`` (what one row means) from the header of a query's file, or of the first
    file nested in the query.
    """
    return next((str(header(path)["grain"]) for path in _templates(sql)), "")


def _inside(sql: str) -> Iterator[Query]:
    """Yield the outermost queries inside a query that have a file of their own."""
    for each in sql.inner if isinstance(sql, Query) else ():
        yield from [each] if each.path else _inside(each)


def _templates(sql: str) -> Iterator[str]:
    """Yield the file of a query, then the files of the queries nested in it."""
    if isinstance(sql, Query) and sql.path:
        yield sql.path
    for each in _inside(sql):
        yield from _templates(each)


@cache
def _tables(sql: str) -> tuple[str, ...]:
    """Return the tables that a query reads, except its CTEs."""
    tree = parsed(sql)
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    names = [
        ".".join(part.sql("duckdb") for part in node.parts) for node in tree.find_all(exp.Table)
    ]
    return tuple(sorted(set(names) - own))


def _files(layout: Layout) -> dict[str, str]:
    """Return relation -> display name of the file, such as ``synthetic_1``."""
    found = {}
    for file in layout.files:
        name = (
            "control"
            if file.control
            else "original"
            if file.of_people
            else "universe"
            if file.universe
            else f"synthetic_{file.number}"
        )
        found.update(dict.fromkeys(_tables(f"SELECT * FROM {file.relation}"), name))
    return found
