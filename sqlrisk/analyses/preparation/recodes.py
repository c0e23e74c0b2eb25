"""From what the column dictionary says to recodes of a column of a known type, and what the data do not let them do."""

from dataclasses import replace

from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.dictionary import OTHER, read_groups
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.recodes import Recode, bands_of


def recoded(column: Column, scenario: Scenario) -> Column:
    """Return a column with the recodes that the dictionary says of it. Raises InputError for those that its type does not allow."""
    entry = scenario.column.get(column.name)
    if entry is None or not entry.recodes:
        return column
    place, kind = f"column.{column.name}", column.type
    problems = ProblemList()
    if entry.cuts and not entry.age_at and kind is not None and not datatypes.is_numeric(kind):
        problems.append(f"{place}: {column.name!r} is {datatypes.family(kind)}; only numbers, and ages, have bands, a top or a bottom.")
    if (entry.date or entry.age_at) and kind is not None and not datatypes.is_date(kind) and kind != "VARCHAR":
        problems.append(f"{place}: {column.name!r} is {datatypes.family(kind)}; only dates have a {entry.date or 'age'}.")
    groups = []
    with problems:
        for name, levels in read_groups(entry, column.name).items():
            if kind is not None and datatypes.is_numeric(kind) and datatypes.is_number(name):
                problems.append(f"{place}: the group {name!r} of a column of numbers is a number itself; name it in words.")
            with problems:
                groups.append((name, tuple(column.level(level) for level in levels)))
    problems.stop()
    recode = Recode(
        date=entry.date,
        age_at=entry.age_at,
        groups=tuple(groups),
        all_grouped=entry.hierarchy is not None,
        bands=bands_of(entry),
        all_banded=bool(entry.bands),
        width=entry.width,
        rare=entry.rare,
        rare_as=entry.rare_as or OTHER,
    )
    return replace(column, recode=recode)


def problems(layout: Layout, session: Session) -> list[str]:
    """Return what the values of recoded columns do not let recodes do, once the dictionaries are made."""
    found: list[str] = []
    for column in (*layout.columns, *layout.own_columns):
        recode, entry = column.recode, layout.scenario.column.get(column.name)
        if recode is None or entry is None:
            continue
        place, levels = f"column.{column.name}", table("levels", column)
        if recode.complete:
            none = "low IS NULL OR low = high" if recode.all_banded else "low IS NULL"
            count = session.number(f"SELECT COUNT(*) FROM {levels} WHERE value IS NOT NULL AND label IS NULL AND ({none})")
            if count:
                found.append(_unplaced(recode, entry.hierarchy, place, f"{count} value{'s' if count > 1 else ''} of {column.name!r}"))
        for group, texts in entry.merge.items():
            for text, value in zip(texts, dict(recode.groups)[group], strict=True):
                if not session.number(f"SELECT COUNT(*) FROM {levels} WHERE value = {value}"):
                    found.append(
                        f"{place}.merge: the column has no level {text!r} in any file; check its spelling and case, or leave it out."
                    )
    return found


def _unplaced(recode: Recode, hierarchy: str | None, place: str, what: str) -> str:
    """Say what is wrong with values that have no level."""
    if recode.all_grouped:
        return f"{place}.hierarchy: {what} are in no line of {hierarchy!r}; give each level a group."
    if recode.date:
        return f"{place}.date: {what} are no dates; a day is written 2021-03-31. Mend them, or name them in missing."
    if recode.all_banded and recode.bands[0].begin is not None:
        low = recode.bands[0].begin
        return f"{place}.bands: {what} are below the first band, which begins at {low}; begin lower, set bottom, or name them in missing."
    return f"{place}.age_at: {what} are no dates; a day is written 2021-03-31. Mend them, or name them in missing."
