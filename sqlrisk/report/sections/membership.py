"""Blocks about membership (can an intruder show that a person was in the synthesis?): the area
under each ROC curve, and the rates of its thresholds.
"""

from collections.abc import Callable, Iterator, Sequence

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Items, Number, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import (
    Row,
    count,
    number_of,
    precise,
    representatives,
    shown,
    synthesis_name,
    varying,
)

WORDS = (
    (
        "The score of a person is how many synthetic records have their keys. AUC is the share of "
        "pairs in which the person in the synthesis has the higher one, ties half; 0.5 is chance. "
        "Its interval is DeLong's, that of the rates Wilson's: both are about other people drawn "
        "alike, not about another draw of the synthesizer."
    ),
    (
        "A threshold flags all people with one score together. False and true are the rates of "
        "the lowest threshold with no more false positives than are allowed. Drawn: true "
        "positives at the very rate that is allowed, on the straight line between two thresholds, "
        "as if people with one score were flagged by lot. Chance is the rate of false positives "
        "itself."
    ),
    (
        "Precision: how many of those whom the threshold flags were in the synthesis, if so many "
        "percent of the people asked about were; chance is that percentage. JSON holds the whole "
        "curve, and the precision of what is drawn."
    ),
)
EPSILON = (
    "Where a file is made with differential privacy, nobody calls people in it members more than "
    "e^epsilon times as often as people out of it, plus delta. The true rate is taken at the "
    "lower end of its interval, the false one at the upper end (Clopper & Pearson), for all "
    "thresholds of a curve together (Bonferroni), not for all curves. This takes people for "
    "independent trials, though one file was made, of all of them: an audit would make many. 0 "
    "says nothing, least of all that the file is private."
)


def blocks(report: Findings) -> Iterator[Block]:
    """Yield the areas under the curves, the rates of thresholds, and how to read both. For several
    syntheses, the rates are for their widest pools.
    """
    rows = report.membership
    level = f"{100 * count(report.scenario.get('confidence')):g} % interval"
    yield Heading("Membership: the curve and its thresholds")
    yield _areas(rows, level)
    widest = representatives(str(row["synthesis"]) for row in rows)
    for row in (row for row in rows if row["synthesis"] in widest):
        if whose := curve_name(rows, row):
            yield Paragraph(f"By {whose}:")
        yield _rates(row["rates"], level)
    if (delta := report.scenario.get("membership_epsilon")) is not None:
        yield Paragraph(f"A lower bound of epsilon of differential privacy, at delta = {delta:g}:")
        yield _epsilon(rows)
    yield Items(
        [*WORDS, *([EPSILON] if delta is not None else []), *_too_strict(rows[0]), *_sampled(rows)],
        quiet=True,
    )


def curve_name(rows: Sequence[Row], row: Row) -> str:
    """Return the name of a row's curve, made from its columns, synthesis and population: ``all
    shared columns, synthesis 1, women``.
    """
    names = {
        "columns": f"{row['columns']}{' columns' * (row['columns'] != 'keys')}",
        "score": shown(row["score"]),
        "synthesis": synthesis_name(row["synthesis"]),
        "population": shown(row["population"]),
    }
    return ", ".join(names[name] for name in varying(rows, names))


def _areas(rows: Sequence[Row], level: str) -> Grid:
    """Draw a row for each synthesis and population: the people compared, and the area under the
    curve.
    """
    return table(
        [
            *map(cells.label, varying(rows, ("columns", "score", "synthesis", "population"))),
            *(
                cells.number(name, name.replace("_", " "))
                for name in ("people_in", "people_out", "scores")
            ),
            (GridColumn("AUC"), lambda row: precise(row, "auc", ".4f")),
            (GridColumn("from", above=level), lambda row: precise(row, "auc_low", ".4f")),
            (GridColumn("to", above=level), lambda row: precise(row, "auc_high", ".4f")),
        ],
        rows,
    )


def _rates(rates: Sequence[Row], level: str) -> Grid:
    """Draw the thresholds of one curve: a row for each allowed rate of false positives, in percent.
    ``level`` names the interval.
    """
    fields = (("false", "false_positives"), ("true", "true_positives"), ("drawn", "interpolated"))
    return table(
        [
            (GridColumn("allowed", label=True), lambda rate: f"{rate['at']:g} %"),
            *((GridColumn(name, above="positives"), _percent(field)) for name, field in fields),
            (GridColumn("from", above=level), _percent("true_low")),
            (GridColumn("to", above=level), _percent("true_high")),
            *(
                (GridColumn(f"{each['base_rate']:g} %", above="precision at"), _precision(place))
                for place, each in enumerate(rates[0]["precision"])
            ),
        ],
        rates,
    )


def _epsilon(rows: Sequence[Row]) -> Grid:
    """Draw a row for each curve: the lower bound of epsilon, and the ends of the intervals of the
    true and the false positive rate that it is computed from.
    """
    return table(
        [
            *map(cells.label, varying(rows, ("columns", "score", "synthesis", "population"))),
            (GridColumn("thresholds"), lambda row: number_of(row["epsilon"], "thresholds")),
            (
                GridColumn("true", above="rates"),
                lambda row: number_of(row["epsilon"], "true_low", "percent"),
            ),
            (
                GridColumn("false", above="rates"),
                lambda row: number_of(row["epsilon"], "false_high", "percent"),
            ),
            (GridColumn("epsilon"), lambda row: precise(row["epsilon"], "bound", ".4f")),
        ],
        rows,
    )


def _percent(field: str) -> Callable[[Row], Number]:
    return lambda row: number_of(row, field, "percent")


def _precision(place: int) -> Callable[[Row], Number]:
    return lambda rate: number_of(rate["precision"][place], "value", "percent")


def _too_strict(row: Row) -> Iterator[str]:
    """Yield a note if no threshold has as few false positives as allowed."""
    strict = [rate for rate in row["rates"] if not rate["flagged_in"] and not rate["flagged_out"]]
    first = row["curve"][1]
    if strict:
        yield (
            f"No threshold has {strict[-1]['at']:g} % false positives or fewer: the people with "
            f"the highest score alone are {first['false_positives']:.2f} % of the people out, and "
            f"one person is {100 / row['people_out']:.2g} %. Nobody is flagged there, which does "
            "not say that nobody could be."
        )


def _sampled(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a note if only some of the rows were compared."""
    if least := [row["looked_at"] for row in rows if row["looked_at"] < 1]:
        yield (
            f"By all shared columns: 1 in {1 / least[0]:,.0f} of the different rows were looked "
            "at, with all people and records that have them; --every-record looks at all."
        )
