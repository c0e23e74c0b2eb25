"""The numbers at a glance: a table of targets, the worst first, and the three criteria of an
anonymous file (singling out, linkability, inference).
"""

from collections.abc import Sequence
from itertools import product
from operator import itemgetter
from typing import Any

from sqlrisk.report import declared
from sqlrisk.report.blocks import Grid, GridColumn, Sentence, table
from sqlrisk.report.decision import sentences
from sqlrisk.report.declared import CERTAIN, GUESSED
from sqlrisk.report.findings import Findings, checked, of_everybody
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import (
    Row,
    base_of,
    baselines,
    capitalized,
    distinct,
    means,
    number_of,
    or_nothing,
    value_of,
)

ABOVE = {CERTAIN: "revealed for certain, %", GUESSED: "guessed right, %"}
IN_WORDS = (
    "Percent of all people, for several synthetic files their mean. By the original: what "
    "publishing the original itself would reveal. From its shares: a guess by somebody who knows "
    "only how common each level is."
)


def at_a_glance(report: Findings) -> Grid | None:
    """Return the table that Python shows for a report, or None if it would be empty."""
    names = {
        name for each in declared.of_targets(report.declared) for name in (each.name, each.original)
    }
    compared = any(row["measure"] in names for row in of_everybody(report))
    grid = glance(report) if compared else criteria(report)
    return grid if grid.rows else None


def rows_at_a_glance(report: Findings) -> dict[tuple[str, Any, str], Row]:
    """Return the unweighted rows of all people as a dict of (measure, target, synthesis) to row.

    Leave out rows at a point (``at``), such as a tau. Several syntheses are represented by their
    mean.
    """
    return _by_place([row for row in of_everybody(report) if row["at"] is None])


def _by_place(rows: Sequence[Row]) -> dict[tuple[str, Any, str], Row]:
    """Return (measure, target, synthesis or mean) -> row. Of several points, keep the last."""
    labels = means(rows)
    return {
        (str(row["measure"]), row["target"], str(row["synthesis"])): row
        for row in rows
        if row["synthesis"] in labels
    }


def glance(report: Findings, order: Sequence[object] = (), most: int | None = None) -> Grid:
    """Draw a row for each target and synthesis: baseline, original, synthetic, and the checks that
    flag the target.

    Targets in ``order`` come first. At most ``most`` targets are shown (None: all).
    """
    values, above = rows_at_a_glance(report), headings(report)
    measures = {measure for measure, _, _ in values}
    found = dict.fromkeys(
        target for measure, target, _ in values if target is not None and measure in above
    )
    targets = [
        *(each for each in order if each in found),
        *(each for each in found if each not in order),
    ][:most]
    labels = dict.fromkeys(label for _, _, label in values)
    flagged = flags(report)
    return table(
        [
            cells.label(0, "target"),
            cells.text("synthesis", itemgetter(1)) if len(labels) > 1 else None,
            *(
                cells.value(values, name, GridColumn(name, above=above[name]))
                for name in above
                if name in measures
            ),
            cells.text("flagged", lambda line: flagged.get(line[0], "")) if flagged else None,
        ],
        [*product(targets, labels)],
    )


def headings(report: Findings) -> dict[str, str]:
    """Return the heading above each measure that `glance` has a column for."""
    above = dict.fromkeys(baselines(report), "baseline")
    for each in declared.of_targets(report.declared):
        above |= dict.fromkeys((each.original, each.name), each.word)
    return above


def not_at_a_glance(report: Findings) -> list[Row]:
    """Return the result rows that `glance` does not show."""
    above = headings(report)
    at_a_glance = [
        id(row)
        for (measure, target, _), row in rows_at_a_glance(report).items()
        if target is not None and measure in above
    ]
    return [row for row in report.results if id(row) not in at_a_glance]


def in_words(report: Findings, order: Sequence[object]) -> Grid:
    """Draw a row for each target in ``order``, with headings in words: the percent of people whose
    level is revealed for certain, and the percent whose level is guessed right.
    """
    values = rows_at_a_glance(report)
    columns: dict[str, GridColumn] = {}
    # the first headline of each word
    leading = {each.word: each for each in reversed(declared.of_targets(report.declared))}
    for each in (leading[word] for word in ABOVE if word in leading):
        above = ABOVE[each.word]
        if each.baseline is not None:
            base = base_of(report, each.baseline)
            columns[base] = GridColumn("from its\nshares", above=above)
        columns[each.original] = GridColumn("by the\noriginal", above=above)
        columns[each.name] = GridColumn("by the\nsynthesis", above=above)
    measured = {measure for measure, _, _ in values}
    lines = [
        line
        for line in product(order, dict.fromkeys(label for *_, label in values))
        if any((name, *line) in values for name in columns)
    ]
    several = len({label for _, label in lines}) > 1

    def what(line: tuple[object, str]) -> str:
        return capitalized(sentences.in_words(report, line[0]))

    return table(
        [
            cells.text("what", what, once=True),
            cells.text("synthesis", itemgetter(1)) if several else None,
            *(
                cells.value(values, name, column)
                for name, column in columns.items()
                if name in measured
            ),
        ],
        lines,
        itemgetter(0) if several else None,
    )


def of_no_target(report: Findings) -> Sentence:
    """Return a sentence with the headline numbers about the keys, which have no target: for the
    original and for each synthesis (or their mean). Empty if there are none.
    """
    values = rows_at_a_glance(report)
    labels = dict.fromkeys(label for *_, label in values)
    said: list[str] = []
    for each in declared.headlines(report.declared):
        for label in labels:
            original, synthetic = (
                values.get((name, None, label)) for name in (each.original, each.name)
            )
            if original and synthetic:
                about = f"{label}: " if len(labels) > 1 else ""
                said += [
                    "; " if said else f"{report.declared[each.name]['finding']}: ",
                    f"{about}{each.original} ",
                    number_of(original, "value", "percent"),
                    f" (original), {each.name} ",
                    number_of(synthetic, "value", "percent"),
                    " (synthetic)",
                ]
    return Sentence(*said, "." if said else "")


def criteria(report: Findings) -> Grid:
    """Draw the measures of each criterion of an anonymous file, at the last point of several."""
    values = _by_place(of_everybody(report))
    of = declared.criteria(report.declared)
    lines = [
        (name, *place)
        for name, measures in of.items()
        for each in measures
        for place in values
        if place[0] == each
    ]
    several = len({label for _, _, label in values}) > 1
    return table(
        [
            cells.text("criterion", lambda line: line[0].capitalize(), once=True),
            cells.text("measure", itemgetter(1)),
            cells.text("target", lambda line: or_nothing(line[2])),
            cells.text("synthesis", itemgetter(3)) if several else None,
            (GridColumn("percent"), lambda line: value_of(values[line[1:]])),
            cells.text("in words", lambda line: _in_words(report, values[line[1:]])),
        ],
        lines,
        itemgetter(0),
    )


def _in_words(report: Findings, row: Row) -> str:
    """Return the title of a row's measure and the point at which it was computed."""
    title = str(report.headers.get(str(row["measure"]), {}).get("title", ""))
    return title if row["at"] is None else f"{title}: {row['at']:g}"


def flags(report: Findings) -> dict[Any, str]:
    """Return a dict of target to the checks that flag it: ``one-way``, ``two-way``, or both."""
    found: dict[Any, str] = {}
    for check, word in (("one_way", "one-way"), ("two_way", "two-way")):
        for target in distinct(checked(report, check), "target"):
            found[target] = f"{found[target]}, {word}" if target in found else word
    return found
