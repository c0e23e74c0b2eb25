"""The views at the end of compiled files: cells and classes with the user's names and levels, the
risky cells of each measure, and the risk of each record. Disclosive.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlrisk.analyses.people import record_risk
from sqlrisk.analyses.scores import risky_cells
from sqlrisk.analyses.view_columns import column_names, of_ends
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.plan import comparisons, encoding, pass_tables
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout

NAMED = "named_"  # prefix of the views of all cells, all classes and all records
RISKY = "risky_"  # prefix of the views of a measure's risky cells or classes
RECORD_RISK = "record_risk"
_ABOUT = ("synthesis", "target", "level")
_COUNTS = ("n_orig", "n_syn", "n_orig_class", "n_syn_class")  # classes have only the first two


def views(layout: Layout, measures: Iterable[Measure]) -> Iterator[tuple[str, str]]:
    """Yield the name and the query of each view. A view comes after the views that it reads.

    The views compare the original's people with each synthesis and pool. Only measures over classes
    and cells have views.
    """
    risky = [measure for measure in measures if measure.risky is not None]
    for stage in ("classes", "cells"):
        made = [measure for measure in risky if measure.stage == stage]
        if not made or not layout.targets_of(stage):
            continue
        named = _Named(layout, stage)
        yield f"{NAMED}{stage}", named.query()
        for measure in made:
            yield (
                f"{RISKY}{measure.column}",
                templates.stage(
                    "tables/risky_named.sql",
                    columns=named.told,
                    named_cells=f"{NAMED}{stage}",
                    risky=risky_cells.condition(measure),
                    counted=risky_cells.counted_side(measure),
                ),
            )


def of_records(
    layout: Layout, tables: Collection[str], record_id: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the query of the two views of the original's records: all records with
    readable levels, and the risk of each, which reads the first. Both read the original itself.

    ``tables`` are the names of the stage tables that exist. Targets without cells are left out.
    ``record_id`` is the id column of the original, or None.
    """
    layout = record_risk.of_everybody(layout)
    layout = replace(
        layout,
        scenario=replace(layout.scenario, id=record_id),
        files=tuple(replace(file, record=None) for file in layout.files),
        targets=tuple(each for each in layout.targets if table("cells", each) in tables),
        own_id=None,
    )
    asked = [record_risk.Asked(layout, comparison) for comparison in layout.of_original]
    about = ["record"] if record_id else []
    carried = [*(file.count_class for file in layout.files), *(each.id for each in layout.targets)]
    told = names_of(_risk(asked[0], {}))[1:]
    taken = ("synthesis", *about, "file", *layout.key_column_names, *carried, *told)
    names = column_names(layout.columns, taken, ends=True)
    places = {
        part.column: (part.digit_of("members"), part.packed(f"label_{part.column.id}.code"))
        for part in layout.parts
    }
    shown = []
    for column in layout.columns:
        alias = f"label_{column.id}"
        digit, code = places.get(column, (f"members.{column.id}", f"{alias}.code"))
        columns = _columns(column, names[column.id], alias)
        about += columns
        shown.append(
            {
                "labels": encoding.labels(column),
                "alias": alias,
                "columns": columns,
                "digit": digit,
                "code": code,
            }
        )
    encoded = templates.nested(encoding.records_of(layout, layout.files[0], layout.targets))
    yield (
        f"{NAMED}records",
        templates.stage(
            "tables/named_records.sql",
            members=pass_tables.members(layout, KeyRange(records=encoded)).sql,
            key_columns=layout.key_columns,
            shown=shown,
            carried=carried,
            id=record_id,
        ),
    )
    own = {f"own_{number}": name for number, name in enumerate(about, start=1)}
    yield RECORD_RISK, templates.union_all(_risk(each, own) for each in asked)


def _risk(asked: record_risk.Asked, own: Mapping[str, str]) -> str:
    """Return the query of the risk of each record, with the columns of the named records first.
    ``own`` maps temporary names to these columns.
    """
    counts = record_risk.record_counts(asked, f"{NAMED}records", own)
    return record_risk.risk(
        asked,
        f"{templates.nested(counts)} AS counts",
        ordered=False,
        identifiers={
            "synthesis": templates.literal(asked.comparison.label),
            **{name: number for number, name in own.items()},
        },
    )


class _Named:
    """The cells or classes of a layout, with readable column names."""

    def __init__(self, layout: Layout, stage: str) -> None:
        self._layout, self._of = layout, layout.of_original
        self._compared = {
            target: comparisons.compared_classes(layout, self._of)
            if target is None
            else comparisons.Cells(layout, self._of, (target,)).compared
            for target in layout.targets_of(stage)
        }
        places = {*layout.key_column_names, "comparison", "level_code"}
        found = names_of(next(iter(self._compared.values())))
        self._counts = [name for name in found if name not in places]
        self._ends = any(target is not None and target.shares_codes for target in self._compared)
        taken = (*_ABOUT, *of_ends("level"), *self._counts)
        self._names = column_names(layout.keys, taken, ends=True)

    @property
    def told(self) -> list[str]:
        """The columns that identify a cell and count its records."""
        of_keys = [name for key in self._layout.keys for name in self._key_columns(key)]
        about = _ABOUT[:1] if None in self._compared else _ABOUT[:2]
        level = [] if None in self._compared else [*_ABOUT[2:], *(of_ends("level") * self._ends)]
        return [*about, *of_keys, *level, *(name for name in _COUNTS if name in self._counts)]

    def query(self) -> str:
        """Return the query of all cells, or classes, with readable names."""
        keys = [
            {
                "labels": encoding.labels(part.column),
                "alias": part.column.id,
                "columns": self._key_columns(part.column),
                "digit": part.digit_of("compared"),
                "code": part.packed(f"{part.column.id}.code"),
            }
            for part in sorted(self._layout.parts, key=lambda part: part.column.number)
        ]
        parts = [
            (target, [*keys, *([] if target is None else [self._level(target)])], compared)
            for target, compared in self._compared.items()
        ]
        return templates.stage(
            "tables/named_cells.sql",
            comparisons=[(each,) for each in self._of],
            parts=parts,
            counts=self._counts,
        )

    def _key_columns(self, key: Column) -> dict[str, str]:
        """Return the shown columns of a key, as name -> SQL."""
        return _columns(key, self._names[key.id], key.id)

    def _level(self, target: Column) -> Mapping[str, Any]:
        """Return what the template needs to show the level of a target. The level is text, because
        targets of different types share one column.
        """
        ends = _ends("level", target.id) if self._ends else {}
        return {
            "labels": encoding.labels(target),
            "alias": target.id,
            "columns": {"level": target.text_of(f"{target.id}.value")} | ends,
            "digit": "compared.level_code",
            "code": f"{target.id}.code",
        }


def _columns(column: Column, name: str, labels: str) -> dict[str, str]:
    """Return the columns that show a key or target in a view, as quoted name -> SQL over its
    ``labels``.
    """
    shown = {name: f"{labels}.value"} | (_ends(name, labels) if column.shares_codes else {})
    return {templates.quote(each): value for each, value in shown.items()}


def _ends(name: str, labels: str) -> dict[str, str]:
    """Return the columns of a bin as name -> SQL: its lower end, its upper end, and whether the
    upper end is included. They stay numbers, since databases format numbers differently.
    """
    held = (f"{labels}.{each}" for each in ("low", "high", "closed"))
    return dict(zip(of_ends(name), held, strict=True))


def names_of(query: str) -> list[str]:
    """Return the column names of a query."""
    from sqlrisk.catalogue.translation import parsed  # needs sqlglot, which scoring does not

    return list(parsed(query).named_selects)
