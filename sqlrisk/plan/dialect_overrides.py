"""Measures that are written anew for a dialect: a file in the same relative place, under the name of the dialect.

``sql/dialects/<dialect>/measures/<family>/<measure>.sql`` for those of the package, ``DIR/<dialect>/<measure>.sql`` for those of
a user's own folder. The file has the form of a measure; its aggregates are in the dialect's own SQL.
"""

from dataclasses import replace
from pathlib import Path

from sqlrisk.catalogue import measures, templates
from sqlrisk.catalogue.dialects import Overrides
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError
from sqlrisk.common.resources import sql_folder
from sqlrisk.plan.layout import Layout


def own_sql(layout: Layout, measures_from: str | None, dialect: str) -> Overrides:
    """What the measures of a layout are in a dialect's own SQL, where they have such a file.

    Raises:
        InputError: such a file is none of that measure.
    """
    texts: dict[str, str] = {}
    places: dict[str, tuple[str, str]] = {}
    for column in (column for each in layout.counts.stages.values() if each.stage != "results" for column in each.columns):
        path = place(column.measure, dialect, measures_from)
        written = _load(column.measure, path) if path.is_file() else None
        for side in column.measure.aggregates:
            name = f"{column.column}_{side}"
            places[name] = column.measure.name, _shown(path)
            if written is not None:
                texts[name] = templates.aggregate(written, side, column.at, whole=False)
    return Overrides(texts, places)


def place(measure: Measure, dialect: str, measures_from: str | None) -> Path:
    """Where the file of a measure in a dialect's own SQL is, or would be."""
    if measure.path.is_relative_to(sql_folder()) or measures_from is None:
        return sql_folder() / "dialects" / dialect / measure.path.relative_to(sql_folder())
    return Path(measures_from) / dialect / measure.path.relative_to(measures_from)


def _load(measure: Measure, path: Path) -> Measure:
    written = measures.load(path, measure.family)
    if (written.name, written.stage, written.aggregates.keys()) != (measure.name, measure.stage, measure.aggregates.keys()):
        raise InputError(
            f"{_shown(path)}: it must be {measure.name} again, over {{{{ {measure.stage} }}}}, with "
            f"{' and '.join(measure.aggregates)}."
        )
    return replace(written, at=measure.at)


def _shown(path: Path) -> str:
    """The file as a message names it: within the package, without the place where that is installed."""
    folder = sql_folder()
    return f"sql/{path.relative_to(folder).as_posix()}" if path.is_relative_to(folder) else str(path)
