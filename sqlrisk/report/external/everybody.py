"""The people of one report, or of several about the same people: groups whose figures are proven
together.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

from sqlrisk.report.columns import Row
from sqlrisk.report.declared import having
from sqlrisk.report.external.definitions import (
    MAIN,
    OVERLAP,
    PEOPLES,
    PRIORS,
    RECORDS,
    CellLimits,
    Counted,
    Definitions,
    excluded,
    theme,
)
from sqlrisk.report.external.figures import Group
from sqlrisk.report.external.words import Words
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import left_out, listed


class Everybody:
    """The groups of people of one report, or of several about the same people, and the kinds of
    people in each group.

    ``threshold`` is the least safe count of people.
    """

    def __init__(self, reports: Sequence[Findings], threshold: int) -> None:
        self.least, self.several = threshold, len(reports) > 1
        self._reports = reports
        self.words = [Words(report, reports) for report in reports]
        self.rows = [
            [row for row in report.results if row["population"] in own.names]
            for report, own in zip(reports, self.words, strict=True)
        ]
        self._texts = {name: text for report in reports for name, text in report.texts.items()}
        self.definitions: dict[tuple[str, bool], dict[str, Definitions]] = {}
        self.groups = {
            who: self._group(*who)
            for who in dict.fromkeys(map(who_of, chain(*self.rows)))
            if who[0] in ("original", "control")
        }
        # A person's level is the same by all keys, so figures about it have the keys of one
        # scenario: target -> these keys
        self.home: dict[object, frozenset[str]] = {}
        for report, rows in zip(reports, self.rows, strict=True):
            for row in rows:
                self.home.setdefault(row["target"], keys_of(report))

    def prove(self) -> Counter[str]:
        """Prove every group by attack. Return the sum of the counts that `Group.prove` returns, and
        raise its errors.
        """
        return sum((group.prove() for group in self.groups.values()), Counter())

    def coarsened(self, *steps: int) -> int:
        """Return the number of figures for which the number of coarsenings is one of ``steps``.
        Figures that differ only in target or keys count once.
        """
        return sum(
            coarse in steps for group in self.groups.values() for coarse in group.coarse.values()
        )

    def _group(self, people: str, weighted: bool) -> Group:
        rows = [
            row
            for row in chain(*self.rows)
            if who_of(row) == (people, weighted) and row["denominator"] is not None
        ]
        # theme -> SQL of a measure -> its points
        points = defaultdict[str, dict[str, list[float]]](dict)
        for row in rows:
            if (text := self._texts.get(row["measure"])) is not None:
                own = points[theme(text)].setdefault(text, [])
                own += [] if row["at"] is None else [row["at"]]
        beside = (excluded(), *OVERLAP.values(), *PEOPLES.values(), *RECORDS.values())
        points[MAIN] |= {text: [] for text in beside}
        first = self._reports[0]
        side = first.original if people == "original" else first.control or {}
        records = int(
            str(side.get("records") or max((row["denominator"] for row in rows), default=0))
        )
        weight = max(
            (row["denominator"] for row in rows if row["population"] == "all"), default=0
        ) / max(records, 1)
        populations = self.words[0].overlapping()
        of_baseline = first.scenario.get("intruder_prior") == "baseline"
        definitions = self.definitions[people, weighted] = {
            name: Definitions(
                own,
                populations,
                excluded=_exclusions(first),
                control=people == "control",
                limits=_limits(first),
                # a baseline may exclude levels that people have
                priors=(0.0, *PRIORS) if of_baseline else PRIORS,
            )
            for name, own in points.items()
        }
        kept = {
            name: rank
            for report in reversed(self._reports)
            for name, rank in having("keep", report.declared).items()
        }
        return Group(
            records,
            self.least,
            {name: each.kinds for name, each in definitions.items()},
            weighted,
            weight if weighted else 1.0,
            sorted(kept, key=kept.__getitem__),
        )


def _exclusions(report: Findings) -> list[Counted]:
    """Return the ways in which the settings of a report exclude people, whatever the size of their
    cell.
    """
    missing, keys = {*listed(report.scenario.get("exclude_missing"))}, keys_of(report)
    of_sizes = dict.fromkeys(CellLimits._fields)
    others = {**report.scenario, "exclude_missing": [*(missing - keys)], **of_sizes}
    return [Counted(cells=0)] * any(left_out(others)) + [Counted(0, 0)] * bool(missing & keys)


def _limits(report: Findings) -> CellLimits:
    found = {name: report.scenario.get(name) for name in CellLimits._fields}
    return CellLimits(**{name: int(str(most)) for name, most in found.items() if most is not None})


def keys_of(report: Findings) -> frozenset[str]:
    """Return the keys of the report's scenario."""
    return frozenset(listed(report.scenario.get("keys")))


def who_of(row: Row) -> tuple[str, bool]:
    """Return the group of a row: its people, and True if weighted."""
    return str(row["people"]), bool(row["weighted"])
