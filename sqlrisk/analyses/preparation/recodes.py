"""Apply the column dictionary's recodes to columns of known types, and check them against the
data.
"""

from dataclasses import replace

from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import ProblemList
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.columns.dictionary import OTHER
from sqlrisk.inputs.columns.hierarchies import groups_of
from sqlrisk.inputs.columns.recodes import Recode, bands_of
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout


def recoded(column: Column, scenario: Scenario, *, hierarchies: bool = True) -> Column:
    """Return a column with its recodes from the column dictionary. Raises InputError if its type
    does not allow them.

    With ``hierarchies`` False, files of hierarchies are not read, and their groups are left out.
    """
    entry, kind = scenario.column[column.name], column.type
    place, held = f"column.{column.name}", f"{column.name!r} is {datatypes.family(kind or '')}"
    problems = ProblemList()
    if entry.cuts and not entry.age_at and kind is not None and not datatypes.is_numeric(kind):
        problems.append(
            f"{place}: {held}; only numbers and ages have bands, a top, a bottom or a width."
        )
    if (
        (entry.date or entry.age_at)
        and kind is not None
        and not datatypes.is_date(kind)
        and kind != "VARCHAR"
    ):
        problems.append(
            f"{place}: {held}; only a date has {'an age' if entry.age_at else f'a {entry.date}'}."
        )
    groups: list[tuple[str, tuple[str, ...]]] = []
    with problems:
        found = groups_of(scenario, column.name) if hierarchies or entry.hierarchy is None else {}
        for name, levels in found.items():
            if kind is not None and datatypes.is_numeric(kind) and datatypes.is_number(name):
                problems.append(
                    f"{place}: the group {name!r} of a column of numbers is a number itself; name "
                    "it in words."
                )
            with problems:
                values = (
                    column.values_of(levels)  # a hierarchy may have more levels
                    if entry.hierarchy
                    else tuple(map(column.level, levels))
                )
                if values:
                    groups.append((name, values))
    problems.stop()
    recode = Recode(
        date=entry.date,
        age_at=entry.age_at,
        groups=tuple(groups),
        all_grouped=entry.hierarchy is not None and entry.step != 0,
        bands=bands_of(entry),
        all_banded=bool(entry.bands),
        width=entry.width,
        rare=entry.rare,
        rare_as=entry.rare_as or OTHER,
        value=datatypes.as_double(kind, "value") if kind == "FLOAT" else "value",
    )
    return replace(column, recode=recode)


def problems_of(layout: Layout, session: Session) -> list[str]:
    """Return messages about recodes that do not fit the data: values without a level, and merged
    levels that no file has. The dictionaries must exist.
    """
    problems: list[str] = []
    for column in (*layout.columns, *layout.own_columns):
        if column.recode is None or column.name not in layout.scenario.column:
            continue
        recode, entry = column.recode, layout.scenario.column[column.name]
        place, levels = f"column.{column.name}", table("levels", column)
        if recode.complete:
            none = (
                "label IS NULL AND (low IS NULL OR low = high)"
                if recode.all_banded
                else "label IS NULL AND low IS NULL"
            )
            none = "code = 0" if column.bins else none
            count = session.number(
                f"SELECT COUNT(*) FROM {levels} WHERE value IS NOT NULL AND {none}"
            )
            if count:
                what = "1 value has" if count == 1 else f"{count:,} values have"
                problems.append(f"{place}: {what} no level: {_cause(recode, entry.hierarchy)}.")
        groups = dict(recode.groups)
        problems += [
            f"{place}.merge: the column has no level {text!r} in any file; check its spelling "
            "and case."
            for group, texts in entry.merge.items()
            for text, value in zip(texts, groups[group], strict=True)
            if not session.number(f"SELECT COUNT(*) FROM {levels} WHERE value = {value}")
        ]
    return problems


def _cause(recode: Recode, hierarchy: str | None) -> str:
    """Return the reason why values have no level, and what to do, as the end of a message."""
    if recode.all_grouped:
        return f"no line of {hierarchy!r} has them; give each level a group"
    below = (
        f"below the first band, which begins at {recode.bands[0].begin}"
        if recode.all_banded
        else ""
    )
    if recode.date or recode.age_at:
        return (
            f"they are not dates, as in 2021-03-31{below and f', or give an age {below}'}; correct "
            "them, or name them in missing"
        )
    return f"they are {below}; begin lower, set bottom, or name them in missing"
