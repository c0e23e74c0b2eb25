"""Readable names of levels and populations."""

from typing import Any

from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.plan import encoding
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.formats.tabular import to_arrow


def population_names(layout: Layout, session: Session) -> dict[int, str]:
    """Return number -> name of the populations, in the order of results.

    Each level that the original has in a ``--by`` column is a population, named ``column=level`` or
    ``column missing``.
    """
    names = {number: "all" for number in [0] if "all" in layout.scenario.populations}
    for population in layout.populations:
        if population.column is None:
            names[population.number] = population.name
            continue
        codes = session.fetch(
            f"SELECT code FROM {table('levels', population.column)} WHERE n_orig > 0"
        )
        levels = level_names(population.column, {int(code) for (code,) in codes}, session)
        for code, text in sorted(levels.items()):
            names[population.number + code] = (
                f"{population.name} missing" if text is None else f"{population.name}={text}"
            )
    return names


def level_names(column: Column, codes: set[int] | None, session: Session) -> dict[int, str | None]:
    """Return code -> readable level for these codes (all codes if None). A missing level is
    None.
    """
    return {
        code: level_text(*level) for code, level in stored_levels(column, codes, session).items()
    }


def stored_levels(
    column: Column, codes: set[int] | None, session: Session
) -> dict[int, tuple[Any, ...]]:
    """Return code -> (value, low, high, closed) for these codes (all codes if None), for
    `level_text`.
    """
    if codes is not None and not codes:
        return {}
    chosen = "" if codes is None else f" WHERE code IN ({', '.join(map(str, sorted(codes)))})"
    rows = session.fetch(
        f"SELECT code, value, low, high, closed FROM (\n{encoding.labels(column)}\n) AS labels"
        f"{chosen}"
    )
    return {int(code): tuple(level) for code, *level in rows}


def shown_levels(column: Column, session: Session, digit: str = "code") -> str:
    """Return the query of a column's readable levels by code.

    ``digit`` is the SQL of a code's part of the class key, by default the code itself. Levels of a
    column with bins or recodes are written in Python and loaded as a table, because databases write
    numbers as text differently.
    """
    levels: str = templates.nested(encoding.labels(column))
    if column.shares_codes:
        types = {"code": "int32", "value": "string"}
        rows = [*level_names(column, None, session).items()]
        name = f"loaded_{table('labels', column)}"
        levels = session.load(name, to_arrow(list(types), rows, types), "the labels of the run")
    return templates.stage("saved/labels.sql", digit=digit, levels=levels)


def level_text(value: Any, low: Any = None, high: Any = None, closed: Any = None) -> str | None:
    """Write a level for display: ``Married``, ``[16,30)``, ``<16``, ``65+``, ``[30,97]`` for the
    last bin, or ``30`` for a bin of one value.

    A bin or band has the ends ``low`` and ``high``, and is ``closed`` if it includes ``high``. The
    missing level is None.
    """
    if low is not None:
        ends = [f"{float(end):.8g}" for end in (low, high)]
        if "inf" in (ends[1], ends[0].lstrip("-")):  # a band open at one end
            return f"<{ends[1]}" if ends[0] == "-inf" else f"{ends[0]}+"
        return (
            ends[0]
            if ends[0] == ends[1] and closed
            else f"[{ends[0]},{ends[1]}{']' if closed else ')'}"
        )
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        value += 0.0  # -0.0 and 0.0 are one level: hide which one the engine kept
    return str(value).lower() if isinstance(value, bool) else str(value)
