"""Blocks about membership (can an intruder show that a person was in the synthesis?): the area
under each ROC curve, and the rates of its thresholds.
"""

from collections.abc import Callable, Iterator, Sequence

from sqlrisk.report.blocks import (
    Block,
    Cell,
    Grid,
    GridColumn,
    Heading,
    Items,
    Number,
    Paragraph,
    table,
)
from sqlrisk.report.findings import Findings
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import (
    Row,
    interval,
    number_of,
    percent,
    precise,
    representatives,
    shown,
    synthesis_name,
    varying,
)

WORDS = (
    (
        "A person's score is the number of synthetic records with their keys. AUC is the share of "
        "pairs in which the person in the synthesis has a higher score than the one who was not, "
        "ties counted half; 0.5 is chance. The intervals of AUC (DeLong) and of the rates "
        "(Wilson) cover another sample of people, not another draw of the synthesizer."
    ),
    (
        "A threshold flags everybody with its score or a higher one as a member. False and true "
        "are the rates of the lowest threshold with at most the allowed false positives. Drawn: "
        "true positives at exactly the allowed rate, on the straight line between two thresholds, "
        "as if some people with the same score were flagged by lot. By chance, the true rate "
        "equals the false rate."
    ),
    (
        "Precision: percent of the flagged people who were in the synthesis, if the percentage "
        "above was in it among all people asked about; chance is this percentage. JSON has "
        "the whole curve, and the precision of the drawn rate."
    ),
)
CURVE = ("columns", "score", "synthesis", "population")  # fields that tell curves apart
EPSILON = (
    "If a file was made with differential privacy, nobody can call people in the synthesis "
    "members more than e^epsilon times as often as people out of it, plus delta. The true rate is "
    "taken at the lower end of its interval, the false rate at the upper end (Clopper & Pearson), "
    "jointly for all thresholds of one curve (Bonferroni), not for all curves. This treats people "
    "as independent trials, though all are in the one file that was made: a real audit would make "
    "many files. A bound of 0 says nothing, least of all that the file is private."
)


def blocks(report: Findings) -> Iterator[Block]:
    """Yield the areas under the curves, the rates of thresholds, and how to read both. For several
    syntheses, the rates are for their widest pools.
    """
    rows = report.membership
    level = interval(report.scenario)
    yield Heading("Membership: the curve and its thresholds")
    yield _areas(rows, level)
    widest = representatives(str(row["synthesis"]) for row in rows)
    for row in (row for row in rows if row["synthesis"] in widest):
        if whose := curve_name(rows, row):
            yield Paragraph(f"By {whose}:")
        yield _rates(row["rates"], level)
        yield from _too_strict(row)
    if (delta := report.scenario.get("membership_epsilon")) is not None:
        yield Paragraph(f"A lower bound of epsilon of differential privacy, at delta = {delta:g}:")
        yield _epsilon(rows)
    yield Items(
        [*WORDS, *([EPSILON] if delta is not None else []), *_sampled(rows)],
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
    """Draw a row for each curve: the people compared, and the area under the curve."""
    return table(
        [
            *map(cells.label, varying(rows, CURVE)),
            *(
                cells.number(name, name.replace("_", " "))
                for name in ("people_in", "people_out", "scores")
            ),
            *auc_columns(level),
        ],
        rows,
    )


def auc_columns(level: str) -> list[Cell[Row]]:
    """Return the columns of the AUC and the ends of its interval, under the heading ``level``."""
    return [
        (GridColumn("AUC"), lambda row: precise(row, "auc", ".4f")),
        (GridColumn("from", above=level), lambda row: precise(row, "auc_low", ".4f")),
        (GridColumn("to", above=level), lambda row: precise(row, "auc_high", ".4f")),
    ]


def _rates(rates: Sequence[Row], level: str) -> Grid:
    """Draw a row for each allowed rate of false positives. ``level`` names the interval."""
    fields = (("false", "false_positives"), ("true", "true_positives"), ("drawn", "interpolated"))
    return table(
        [
            cells.text("allowed", lambda rate: f"{rate['at']:g} %"),
            *(cells.number(field, name, "percent", "positives") for name, field in fields),
            cells.number("true_low", "from", "percent", level),
            cells.number("true_high", "to", "percent", level),
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
    ends = (("true", "true_low"), ("false", "false_high"))
    return table(
        [
            *map(cells.label, varying(rows, CURVE)),
            (GridColumn("thresholds"), lambda row: number_of(row["epsilon"], "thresholds")),
            *((GridColumn(word, above="rates"), _rate(field)) for word, field in ends),
            (GridColumn("epsilon"), lambda row: precise(row["epsilon"], "bound", ".4f")),
        ],
        rows,
    )


def _rate(field: str) -> Callable[[Row], Number]:
    return lambda row: number_of(row["epsilon"], field, "percent")


def _precision(place: int) -> Callable[[Row], Number]:
    return lambda rate: number_of(rate["precision"][place], "value", "percent")


def _too_strict(row: Row) -> Iterator[Paragraph]:
    """Yield a note if no threshold has as few false positives as allowed."""
    strict = [rate for rate in row["rates"] if not rate["flagged_in"] and not rate["flagged_out"]]
    first = row["curve"][1]
    if strict:
        yield Paragraph(
            f"No threshold has {strict[-1]['at']:g} % false positives or fewer: those with the "
            f"highest score are already {percent(first['false_positives'])} of the people out of "
            f"the synthesis, and one person is {percent(100 / row['people_out'])}. So nobody is "
            "flagged at this rate. This does not mean that no member can be recognized.",
            quiet=True,
        )


def _sampled(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a note if only some of the rows were compared."""
    if least := [row["looked_at"] for row in rows if row["looked_at"] < 1]:
        yield (
            f"By all shared columns: only 1 in {1 / least[0]:,.0f} of the different rows was "
            "compared, with all people and records that have it. --every-record compares all."
        )
