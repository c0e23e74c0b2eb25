"""Supersets: kept classes and cells of some keys, from which classes and cells of fewer keys are
counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import EVERY_CLASS, KeyColumn
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step, in_pass


@dataclass(frozen=True)
class Superset:
    """A layout whose classes and cells are kept. The kept tables have ``rows`` rows in total, and
    ``number`` in their names.
    """

    layout: Layout
    number: int
    rows: int

    @property
    def tables(self) -> dict[str, str]:
        """Kept table -> the table that it is copied from."""
        cells = {
            self._kept(target): table("cells", target) for target in self.layout.counted_targets
        }
        return {self._kept(None): "classes", **cells}

    def has(self, keys: Sequence[Column]) -> bool:
        """Return True if the superset has all of these keys."""
        return set(keys) <= set(self.layout.keys)

    def keep(self) -> Iterator[Step]:
        """Keep the classes and the cells of each target, as counted now."""
        for kept, counted in self.tables.items():
            names = {
                **self.layout.names,
                "counted": counted,
                "key_range": EVERY_CLASS,
                "of_target": counted != "classes",
            }
            yield in_pass("kept", kept, "stages/classes/superset.sql", **names)

    def key_columns(self, keys: Sequence[Column]) -> tuple[KeyColumn, ...]:
        """Return the class key of some keys of the superset. The digits of its other keys are
        zero.
        """
        chosen = [
            replace(each, parts=tuple(part for part in each.parts if part.column in keys))
            for each in self.layout.key_columns
        ]
        return tuple(each for each in chosen if each.parts)

    def merged(self, layout: Layout, target: Column | None = None) -> templates.Query:
        """Return the query that sums a layout with fewer keys from this superset: its classes, or a
        target's cells.
        """
        return templates.stage(
            "stages/classes/merged_counts.sql",
            **layout.names,
            target=target,
            superset=self._kept(target),
            dropped=[part for part in self.layout.parts if part.column not in layout.keys],
        )

    def _kept(self, target: Column | None) -> str:
        return table(f"superset_{self.number}", target)
