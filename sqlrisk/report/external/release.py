"""Make a report that may be shared: every figure is rounded, no exact number is kept, and its
safety is proven first.

Primary figures are sums over people. `figures` rounds them and attacks the result. All other
numbers are computed from published figures, so that they reveal nothing more: shares, means over
syntheses, measures computed from others, differences to control, verdicts, and the assessment.

The audit cannot cover some parts, which are omitted: numbers of a single class or cell (the largest
DiSCO cell, the fewest levels of a class), membership, population uniques, distributions over
people, shares of levels, levels that one file lacks, trends, checks and utility.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from math import floor, inf, log10
from statistics import fmean
from typing import Any, TypeVar

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.reasons import ASSESSABLE, DOUBTFUL, NOT_ASSESSABLE, STATES, is_note
from sqlrisk.common.errors import InputError
from sqlrisk.common.extras import install
from sqlrisk.inputs.policy import PLACE
from sqlrisk.report.columns import BANDS, THRESHOLD, Row
from sqlrisk.report.external import key_sets, words
from sqlrisk.report.external.definitions import (
    MAIN,
    OVERLAP,
    PEOPLES,
    RECORDS,
    derived,
    excluded,
    theme,
)
from sqlrisk.report.external.everybody import Everybody, keys_of, who_of
from sqlrisk.report.external.figures import Group, PublishedFigure
from sqlrisk.report.external.grid import Interval
from sqlrisk.report.external.published_policy import PublishedPolicy
from sqlrisk.report.external.published_rows import VALUE, PublishedRows
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import (
    HIDDEN,
    amount,
    distinct,
    label_name,
    listed,
    pairs,
    pooled,
)

F = TypeVar("F", bound=Findings)

# With a threshold of 2, one member of a pair could subtract themselves and learn the other's value;
# hence at least 3.
LEAST = 3
SUMMARIES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "min": min,
    "max": max,
}
# One person can change a sum of squared shares by twice as much as a count, because the shares of
# two levels change. So the step of a measure that sums them is twice as large.
SQUARED = 2
SHARES = ("share_level", "share_level_within")
_HIDDEN: Row = {"hidden": True}


def external(report: F, threshold: int = THRESHOLD) -> F:
    """Return the report in a form that may be shared. ``threshold`` is the least safe count of
    people.

    Raises InputError if the report's safety cannot be proven, if the threshold is below ``LEAST``,
    or if scipy is missing.
    """
    return next(iter(external_of_all({"": report}, threshold).values()))


def external_of_all(reports: Mapping[str, F], threshold: int = THRESHOLD) -> dict[str, F]:
    """Return reports of one run by name in a form that may be shared together: one audit proves the
    figures of all of them.

    A name loses the levels that the user typed. If names are then equal, all names are numbered.

    Raises the errors of `external`, and InputError if no audit can cover the reports together.
    """
    check(threshold)
    key_sets.check(reports)
    every = Everybody([*reports.values()], threshold)
    made = [_Release(report, every, place) for place, report in enumerate(reports.values())]
    for each in made:
        each.add_beside()
    proofs = every.prove()
    names = [own.without(name) for own, name in zip(every.words, reports, strict=True)]
    if len({*names}) < len(names):
        names = [f"{name} {place}" for place, name in enumerate(names, 1)]
    return {
        name: _released(report, own, proofs)
        for name, report, own in zip(names, reports.values(), made, strict=True)
    }


def _released(report: F, made: "_Release", proofs: Mapping[str, int]) -> F:
    return replace(
        report,
        scenario=made.words.scenario(),
        original=made.side("original", report.original),
        synthetic=[made.side("original", side, RECORDS) for side in report.synthetic],
        control=None if report.control is None else made.side("control", report.control),
        universe=None,
        results=made.results(),
        differences=made.differences(),
        membership=[],
        checks={},
        exclusions=made.exclusions(),
        levels=[],
        overlap=made.overlap(),
        distributions=[],
        shares=[],
        trends=[],
        population_uniques=[],
        listings=[],
        cube=None,
        rerun=None,
        assessment=made.assessment(),
        copies=[],
        columns=[],
        labels={},
        equal_width=[],
        merges=[],
        without_exclusions=[],
        utility=None,
        maps=[],
        policy=made.policy(),
        rounding=made.rounding(proofs),
    )


def check(threshold: int) -> None:
    """Raise InputError if the threshold is below ``LEAST``, or if scipy is missing. The audit of an
    external report needs scipy.
    """
    if threshold < LEAST:
        raise InputError(
            f"The threshold is the least count that is not small, {LEAST} or more; got {threshold}."
        )
    if find_spec("scipy") is None:
        raise InputError(f"The audit of an external report needs scipy: {install('stats')}.")


class _Release:
    """A report being released: its rows, the figures of these rows, and the published band of each
    figure.
    """

    def __init__(self, report: Findings, every: Everybody, number: int) -> None:
        self.words, self._rows = every.words[number], every.rows[number]
        self._report, self._every, self._groups = report, every, every.groups
        self._keys = keys_of(report)
        self._sides = {
            place: self._figures(self._groups[who_of(row)], row, self._text(row))
            for place, row in enumerate(self._rows)
            if row["numerator"] is not None
            and row["denominator"] is not None
            and who_of(row) in self._groups
        }
        self._told = PublishedRows()
        self._labels = [
            label
            for label in distinct(self._rows, "synthesis")
            if not pooled(label) and _summary(label) is None
        ]

    def add_beside(self) -> None:
        """Add the figures of numbers outside the result rows."""
        beside = [("original", row, OVERLAP) for row in self._report.overlap]
        beside += [("original", row, {"records": excluded()}) for row in self._excluded()]
        beside += [("original", side, RECORDS) for side in self._report.synthetic]
        beside += [
            ("original", self._report.original, PEOPLES),
            ("control", self._report.control or {}, PEOPLES),
        ]
        for people, row, texts in beside:
            for name, text in texts.items():
                self._beside(people, text, row, name)

    def rounding(self, proofs: Mapping[str, int]) -> dict[str, object]:
        """Return how the figures are rounded, and what the audit has proven for all scenarios."""
        return {
            "threshold": self._every.least,
            **{name: proofs[name] for name in ("attacked", "whole", "fractions")},
            "coarser": self._every.coarsened(1, 2),
            "hidden": self._every.coarsened(3),
            "left_out": self.left_out(),
        } | ({"scenarios": len(self._every.words)} if self._every.several else {})

    def left_out(self) -> list[str]:
        """Return the families of measures without any published number: either the audit does not
        cover them, or no rounding was coarse enough.
        """
        told = {row["family"] for row in self._told if row["value"] is not None}
        return [family for family in distinct(self._rows, "family") if family not in told]

    # ---- figures
    # ----------------------------------------------------------------------------------------------

    def _text(self, row: Row) -> str:
        """Return the SQL of a row's measure."""
        return self._report.texts.get(row["measure"], "")

    def _figures(self, group: Group, row: Row, text: str) -> list[PublishedFigure | None]:
        """Return the figures of a row's numerator and denominator. Also add their exact numbers to
        the group. A figure is None if the audit does not cover it.

        ``text`` is the SQL of the row's measure.
        """
        facts = theme(text)
        definitions = self._every.definitions[who_of(row)][facts]
        squared = not definitions.columns.get(text, set()).isdisjoint(SHARES)
        step = self._step(group) * (SQUARED if squared else 1)
        made: list[PublishedFigure | None] = []
        for side, adds in zip(
            ("numerator", "denominator"),
            definitions.adds(text, row["at"], row["population"]),
            strict=True,
        ):
            # a number that no kind of person adds to is not covered by the audit, so it is hidden
            if (
                adds is None
                or row[side] is None
                or not adds.vector.any()
                or (
                    self._every.several
                    and not key_sets.is_tied(definitions.kinds, adds, facts, row["target"])
                )
            ):
                made.append(None)
                continue
            figure = PublishedFigure(
                row["target"],
                adds.vector.tobytes(),
                facts,
                row["population"],
                adds.public,
                self._keys if facts == MAIN else self._every.home[row["target"]],
            )
            group.add(
                figure,
                str(row["synthesis"]),
                row[side],
                self._every.least if adds.public else step,
                row["measure"],
            )
            made.append(figure)
        return made

    def _beside(
        self, people: str, text: str, row: Row, field: str
    ) -> tuple[Group, PublishedFigure] | None:
        """Return the group and the figure of a number outside the result rows, such as an
        exclusion. None if the number is not a sum over people of any group.
        """
        group, number = self._groups.get((people, False)), row.get(field)
        if group is None or number is None:
            return None
        about = {
            "people": people,
            "weighted": False,
            "population": "all",
            "target": row.get("target"),
            "measure": field,
            "at": None,
            "synthesis": self._label(row),
            "numerator": number,
            "denominator": None,
        }
        figure = self._figures(group, about, text)[0]
        return None if figure is None else (group, figure)

    def _told_beside(self, people: str, text: str, row: Row, field: str) -> Interval | None:
        found = self._beside(people, text, row, field)
        return None if found is None else found[0].told(found[1], self._label(row))

    def _label(self, row: Row) -> str:
        """Return the synthesis of a row. Numbers only about people have the label of the first
        synthesis.
        """
        return str(row.get("synthesis") or next(iter(self._labels), None))

    def _step(self, group: Group) -> int:
        """Return the step of a group's grid: the threshold. With weights, return a round weight
        that stands for at least that many people.
        """
        if not group.weighted:
            return self._every.least
        least = self._every.least * group.weight
        digit = 10 ** floor(log10(max(least, 1)))
        return next(int(digit * each) for each in (1, 2, 5, 10) if digit * each >= least)

    def _excluded(self) -> list[Row]:
        """Return how many people all exclusions together remove, by target and synthesis. Targets
        from which they cannot remove anybody have no row. A row by reason would reveal which
        reasons exclude nobody.
        """
        counts = Counter[tuple[Any, Any]]()
        for row in self._report.exclusions:
            if row["side"] == "original":
                counts[row["target"], row["synthesis"]] += row["records"]
        targets = _excludable(self._report.scenario)
        places = dict.fromkeys(
            (row["target"], row["synthesis"])
            for row in self._rows
            if row["target"] in targets and _summary(row["synthesis"]) is None
        )
        return [
            {
                "reason": "any reason",
                "target": target,
                "synthesis": label,
                "side": "original",
                "cells": None,
                "records": counts[target, label],
            }
            for target, label in places
        ]

    # ---- result rows
    # ----------------------------------------------------------------------------------------------

    def results(self) -> list[Row]:
        """Return the result rows with their published numbers."""
        shown: dict[int, Row] = {}
        for place, row in sorted(enumerate(self._rows), key=lambda each: self._late(each[1])):
            shown[place] = self._shown(place, row)
            self._told.add(shown[place])
        return [shown[place] for place in range(len(self._rows))]

    def _late(self, row: Row) -> int:
        """Return the sort key that orders rows for computing: plain measures, then measures
        computed from them, then means, then differences to control.
        """
        return (
            bool(derived(self._text(row)))
            + 2 * (_summary(row["synthesis"]) is not None)
            + 4 * (row["people"] not in ("original", "control"))
        )

    def _shown(self, place: int, row: Row) -> Row:
        about = {**row, "population": self.words.names[row["population"]], "rounded": True}
        about |= dict.fromkeys(("numerator", "denominator", "value", *BANDS))
        scale = self._report.headers.get(row["measure"], {}).get("scale")
        factor = 100 if scale == "percent" else 1
        if row["people"] not in ("original", "control"):
            return about | self._added(about, factor)
        if (summary := _summary(row["synthesis"])) is not None:
            return about | self._summed(about, summary)
        if sides := derived(self._text(row)):
            return about | self._derived(about, sides, factor)
        group = self._groups[who_of(row)]
        numerator, denominator = (
            None if figure is None else group.told(figure, row["synthesis"])
            for figure in self._sides.get(place, (None, None))
        )
        # Hide undefined numbers like small ones: they reveal that the denominator is 0.
        return about | _quotient(numerator, denominator, factor, row["unit"])

    def _summed(self, about: Row, summary: str) -> Row:
        """Return the numbers of a mean, min or max over single syntheses, computed from their
        published numbers.
        """
        name = label_name(about["synthesis"])
        labels = [label for label in self._labels if label_name(label) == name]
        beside = (self._told.about(about, synthesis=label) for label in labels)
        single = [told for told in beside if told is not None]
        if not single or any(told["value"] is None for told in single):
            return _HIDDEN
        value, low, high = (SUMMARIES[summary]([told[end] for told in single]) for end in VALUE)
        signs = {told.get("words", {}).get("value", "")[:1] for told in single}
        # one such number is enough to open the band of a min or max
        open_by = {"min": "<", "max": "≥"}.get(summary, "")
        sign = open_by if open_by in signs else signs.pop() if len(signs) == 1 else ""
        return {"words": _joined(sign, low, high, about["unit"])} | _valued(value, low, high)

    def _derived(self, about: Row, sides: str, factor: int) -> Row:
        """Return the numbers of a measure that combines other measures, computed from their
        published numbers. ``sides`` comes from `derived`.
        """
        names = sorted(templates.names_in(sides))
        every = [self._told.valued(about, measure=name, at=None) for name in names]
        found = [told for told in every if told is not None]
        if len(found) < len(names):
            return _HIDDEN
        ends = [["value"] * len(names), *product(("value_low", "value_high"), repeat=len(names))]
        with closing(sqlite3.connect(":memory:")) as calculator:

            def worked(ends: Sequence[str]) -> list[float]:
                values = [repr(float(told[end])) for told, end in zip(found, ends, strict=True)]
                text = templates.fill(sides, **dict(zip(names, values, strict=True)))
                return list(calculator.execute(f"SELECT {text}").fetchone())

            corners = [worked(each) for each in ends]
        values = [factor * top / bottom for top, bottom in corners if bottom]
        if len(values) < len(corners):
            return _HIDDEN
        numbers = dict(zip(("numerator", "denominator"), corners[0], strict=True))
        return numbers | _valued(values[0], min(values), max(values))

    def _added(self, about: Row, factor: int) -> Row:
        """Return the numbers of a difference to control, or of an adjusted risk, computed from
        published numbers.
        """
        own, other = (self._told.valued(about, people=who) for who in ("original", "control"))
        if own is None or other is None:
            return _HIDDEN
        opposite = ("value", "value_high", "value_low")
        pairs = [(own[one], other[two]) for one, two in zip(VALUE, opposite, strict=True)]
        if about["people"] == "difference":
            return _valued(*(risk - base for risk, base in pairs))
        if any(base >= factor for _, base in pairs):
            return _HIDDEN
        found = [(risk - base) / (factor - base) for risk, base in pairs]
        return _valued(found[0], min(found), max(found))

    # ---- all else
    # ----------------------------------------------------------------------------------------------

    def side(
        self, people: str, side: Mapping[str, Any], texts: Mapping[str, str] = PEOPLES
    ) -> dict[str, object]:
        """Return ``side``, about a file, with published numbers of records and classes (None if
        hidden).

        ``people`` is original or control. ``texts`` maps each number to the SQL that counts it.
        """
        return self._counted(
            words.named(side), people, texts, [name for name in texts if name in side]
        )

    def overlap(self) -> list[Row]:
        """Return how many classes and people the files share, and how many only the original has.
        The other counts of a row are hidden.
        """
        return [
            self._counted(row, "original", OVERLAP, [name for name in row if name != "synthesis"])
            for row in self._report.overlap
        ]

    def exclusions(self) -> list[Row]:
        """Return how many people the exclusions remove, if that number is published."""
        return [
            self._counted(row, "original", {"records": excluded()}, ["cells", "records"])
            for row in self._excluded()
        ]

    def _counted(
        self, row: Row, people: str, texts: Mapping[str, str], fields: Sequence[str]
    ) -> Row:
        told = {
            name: found
            for name, text in texts.items()
            if name in fields and (found := self._told_beside(people, text, row, name)) is not None
        }
        numbers = {name: told[name].shown if name in told else None for name in fields}
        lost = {name: HIDDEN for name in fields if name not in told}
        return {**row, **numbers, "words": lost | _words(told), "rounded": True}

    def assessment(self) -> list[Row]:
        """Return the state of each file and target: the worst state that agrees with the published
        numbers.
        """
        found: dict[tuple[Any, Any], dict[tuple[str, str], str]] = {}
        for row in self._report.assessment:
            # an assessment of the keys loses its target: the name would reveal which target a key
            # determines
            target = None if row["synthesis"] is None else row["target"]
            own = found.setdefault((row["synthesis"], target), {})
            for code, text, state in (
                words.told_of(each["code"]) for each in row["reasons"] if not is_note(each["code"])
            ):
                nobody = code == words.APART[0] and target is not None and not self._anybody(row)
                own[code, text] = NOT_ASSESSABLE if nobody else state
            if row["synthesis"] is not None and target is None:
                own.pop(words.FEW[:2], None)
                if (few := self._matched(row)) is not None:
                    own[words.FEW[:2]] = few
        return [
            {
                "synthesis": synthesis,
                "target": target,
                "state": max(
                    (*own.values(), *found.get((synthesis, None), {}).values()),
                    key=STATES.index,
                    default=ASSESSABLE,
                ),
                "reasons": [
                    {"code": code, "text": text, "state": state}
                    for (code, text), state in own.items()
                ],
            }
            for (synthesis, target), own in found.items()
        ]

    def _anybody(self, about: Row) -> bool:
        """Return True if published DiSCO or DCAP above 0 shows somebody's target level in the
        synthesis.
        """
        # Only these two: a user's own measure may count people whose level the file lacks.
        return any(
            row["measure"] in ("DiSCO", "DCAP")
            and (row["target"], row["synthesis"]) == (about["target"], about["synthesis"])
            for row in self._told
            if (row.get("numerator_low") or 0) > 0
        )

    def _matched(self, about: Row) -> str | None:
        """Return ``not assessable`` if, by the published numbers, the file may have nobody's keys.
        Return ``doubtful`` if it may have the keys of too few people, otherwise None.
        """
        found = [
            self._told_beside("original", OVERLAP["records_both"], row, "records_both")
            for row in self._report.overlap
            if row["synthesis"] == about["synthesis"]
        ]
        least = min((0 if told is None else told.low for told in found), default=0)
        group = self._groups.get(("original", False))
        if least == 0 or group is None:
            return NOT_ASSESSABLE
        wanted = float(str(self._report.scenario.get("matched", 0))) * group.people
        return DOUBTFUL if 100 * least < wanted else None

    def differences(self) -> list[Row]:
        """Return the published numbers of the original and control, their differences and adjusted
        risks. P values and intervals are hidden. Populations that are not published have no row.
        """
        found = []
        for row in self._report.differences:
            if row["population"] not in self.words.names:
                continue
            about = {**row, "population": self.words.names[row["population"]], "rounded": True}
            values = dict.fromkeys({*row} - {*PLACE, "note", "family", "unit"})
            texts = {}
            for people in ("original", "control", "difference", "adjusted"):
                told = self._told.valued(about, people=people) or {}
                values[people] = told.get("value")
                if "value" in told.get("words", {}):  # <2.62: the lowest multiples are joined
                    texts[people] = told["words"]["value"]
            # undefined numbers as well: they reveal that a denominator is 0
            texts |= {name: HIDDEN for name, value in values.items() if value is None}
            found.append({**about, **values, "words": texts})
        return found

    def policy(self) -> dict[str, object]:
        """Return the policy judged by published numbers, empty without a policy."""
        if not self._report.policy:
            return {}
        return PublishedPolicy(self._report, self.words, self._told, self.assessment()).policy()


def _excludable(scenario: Row) -> set[str]:
    """Return the targets whose measures leave out people by the settings of a scenario."""
    targets, missing = (
        {*listed(scenario.get("targets"))},
        {*listed(scenario.get("exclude_missing"))},
    )
    sizes = scenario.get("max_cell"), scenario.get("max_cell_syn")
    if missing & {*listed(scenario.get("keys"))} or any(size is not None for size in sizes):
        return targets
    of_levels = {target for target, _ in pairs(scenario.get("exclude_level"))}
    of_pairs = {pair["target"] for pair in listed(scenario.get("exclude_pair"))}
    return targets & (missing | of_levels | of_pairs)


def _summary(label: str) -> str | None:
    """Return the summary over syntheses that a label names (mean, min or max). None for a single
    synthesis or a pool.
    """
    last = label.rpartition(" ")[2]
    return last if last in SUMMARIES else None


def _quotient(
    numerator: Interval | None, denominator: Interval | None, factor: int, unit: str
) -> Row:
    """Return the rounded numbers of a row. Their quotient is included unless the denominator may be
    small, or one of the numbers is hidden.

    ``factor`` is 100 if the quotient is shown in percent, otherwise 1.
    """
    sides = {"numerator": numerator, "denominator": denominator}
    told = _told({name: side for name, side in sides.items() if side is not None})
    if (
        numerator is None
        or denominator is None
        or denominator.open_low
        or (numerator.open_low and numerator.open_high)
    ):
        return told | _HIDDEN
    low = factor * numerator.low / denominator.high
    high = factor * numerator.high / denominator.low
    value = factor * numerator.shown / denominator.shown
    if factor == 100:
        high, value = min(high, 100.0), min(value, 100.0)
    sign = "<" if numerator.open_low else "≥" if numerator.open_high else ""
    told["words"] |= _joined(sign, low, high, unit)
    return told | _valued(value, low, high)


def _joined(sign: str, low: float, high: float, unit: str) -> dict[str, str]:
    """Return the text that replaces a value whose band touches an end of the possible range: <2.62
    or ≥97.38. There is none without a ``sign``.
    """
    end = high if sign == "<" else low
    return {"value": f"{sign}{amount(end, unit).lstrip('<>')}"} if sign else {}


def _valued(value: float, low: float, high: float) -> Row:
    """Return the fields of a published value and the ends of its band."""
    return dict(zip(VALUE, (value, low, high), strict=True))


def _told(bands: Mapping[str, Interval]) -> Row:
    """Return the fields of a result row for these rounded numbers: shown, lowest and highest value
    of each, and words.
    """
    told: Row = {"words": _words(bands)}
    for name, found in bands.items():
        told |= {
            name: found.shown,
            f"{name}_low": found.low,
            f"{name}_high": None if found.high == inf else found.high,
        }
    return told


def _words(bands: Mapping[str, Interval]) -> dict[str, str]:
    """Return the texts that replace numbers, by name. A number has a text if its band touches an
    end of the possible range.
    """
    found = {}
    for name, told in bands.items():
        if told.open_low and not told.open_high:
            found[name] = f"<{amount(floor(told.high) + 1)}"
        elif told.open_high and not told.open_low:
            found[name] = f"≥{amount(floor(told.low))}"
        elif told.open_low:
            found[name] = HIDDEN
    return found
