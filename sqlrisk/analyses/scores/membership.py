"""Read how well a score detects who was in the synthesis: the ROC curve of each comparison, its
area and its rates.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sqlrisk.analyses.level_names import population_names
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.statistics import epsilon
from sqlrisk.engines.engine import SqlRow
from sqlrisk.plan import assessment, membership
from sqlrisk.plan.counted_measures import BY_RECORD
from sqlrisk.plan.layout import Layout

AREA = ("people_in", "people_out", "scores", "auc", "auc_error", "auc_low", "auc_high")
RATE = (
    "flagged_in", "flagged_out", "true_positives", "true_low", "true_high", "false_positives",
    "false_low", "false_high", "interpolated",
)  # fmt: skip
POINT = ("score", "flagged_in", "flagged_out", "false_positives", "true_positives")
NOBODY = dict(zip(POINT, (None, 0, 0, 0.0, 0.0), strict=True))


def read(layout: Layout, session: Session) -> Rows:
    """Return a row for each set of columns, score, synthesis (single or pooled) and population.
    Empty without a measure of membership.

    A score flags people with a high value as members. Rates are in percent, ``auc`` is from 0 to 1.

    - ``columns``: the columns that must match, ``keys`` or ``all shared``. ``looked_at``: the share
      of rows that were compared.
    - ``score``: ``share`` is the share of the synthetic records that match a person. The ratios in
      ``sqlrisk.inputs.settings.RATIOS`` compare this share with the share in half of control.
      ``share, same people`` is the share itself, but only of the people whom the ratios score.
    - ``auc``: the area under the curve, with standard error and interval (DeLong).
    - ``rates``: one row for each allowed rate of false positives (``at``). The row describes the
      lowest threshold whose rate is not higher: the people flagged, and the rates with Wilson
      intervals. ``interpolated`` is the rate of true positives at exactly the allowed rate.
      ``precision`` is given for each base rate, at the threshold and interpolated.
    - ``curve``: the points of the curve, from nobody flagged, by falling threshold. The ``score``
      of a point is its threshold: a ratio, or for a share the number of synthetic records. It is
      None at the first point.
    - ``epsilon``: the result of `epsilon.lower_bound`, only if the user requested it.
    """
    populations = population_names(layout, session)
    rows: Rows = []
    for counts, shown in _by_keys(layout, populations):
        about = {"columns": "keys", "score": "share", "looked_at": 1.0}
        rows += _read(layout, session, counts, shown, about)
    if rows and membership.ROWS in session.tables:
        looked_at = assessment.rows_of(layout).whole.share
        rows += _read(
            layout,
            session,
            membership.ROWS,
            {0: "all"},
            {"columns": "all shared", "score": "share", "looked_at": looked_at},
        )
    for ratio in layout.ratios:
        about = {"columns": "keys", "score": ratio.name, "looked_at": 1.0}
        rows += _read(
            layout, session, membership.ratio_scores(layout, BY_RECORD, ratio), {0: "all"}, about
        )
    return rows


def areas(layout: Layout, populations: Mapping[int, str], session: Session) -> Rows:
    """Return a row with the area under each curve of the keys. ``populations`` maps numbers to
    names.
    """
    return [
        row
        for counts, shown in _by_keys(layout, populations)
        for row in _areas(layout, session, counts, shown, {}).values()
    ]


def _by_keys(
    layout: Layout, populations: Mapping[int, str]
) -> Iterator[tuple[str, dict[int, str]]]:
    """Yield each table that counts people by their score on the keys, and the populations (number
    -> name) to read from it.
    """
    for basis in layout.counts.bases:
        if layout.counts.of("thresholds", basis).columns:
            shown = {
                number: name for number, name in populations.items() if basis.everybody or number
            }
            yield basis.table("score_counts"), shown


def _areas(
    layout: Layout,
    session: Session,
    counts: str,
    populations: Mapping[int, str],
    about: Mapping[str, Any],
) -> dict[tuple[int, int], dict[str, Any]]:
    """Read the area under each curve, by (comparison, population) in ascending order.

    ``counts`` is the table of people by score. Each result begins with the columns ``about``.
    """
    labels = {comparison.number: comparison.label for comparison in layout.of_original}
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for number, population, *numbers in sorted(
        session.fetch(membership.areas(layout, counts)), key=lambda row: row[:2]
    ):
        if population in populations:
            whose = {**about, "synthesis": labels[number], "population": populations[population]}
            found[number, population] = {**whose, **dict(zip(AREA, numbers, strict=True))}
    return found


def _read(
    layout: Layout,
    session: Session,
    counts: str,
    populations: Mapping[int, str],
    about: Mapping[str, Any],
) -> Rows:
    """Read the areas, rates and curves, in the order of comparisons and populations.

    ``counts`` and ``about`` are those of `_areas`.
    """
    found = _areas(layout, session, counts, populations, about)
    for row in found.values():
        row |= {"rates": [], "curve": [NOBODY]}
    for place, *numbers in _by_place(session.fetch(membership.rates(layout, counts)), found):
        found[place]["rates"].append(_rate(layout, *numbers))
    for place, *numbers in _by_place(session.fetch(membership.curve(layout, counts)), found):
        found[place]["curve"].append(dict(zip(POINT, numbers, strict=True)))
    for row in found.values():
        row["rates"].sort(key=lambda rate: rate["at"])
        row["curve"].sort(key=lambda point: (point["flagged_out"], point["flagged_in"]))
        if (delta := layout.scenario.membership_epsilon) is not None:
            sides = row["people_in"], row["people_out"]
            row["epsilon"] = epsilon.lower_bound(
                row["curve"], *sides, delta=delta, confidence=layout.scenario.confidence
            )
    return [*found.values()]


def _by_place(rows: Sequence[SqlRow], known: Collection[tuple[int, int]]) -> Iterator[SqlRow]:
    """Yield ((comparison, population), *others) for rows of known comparisons and populations."""
    return (
        ((number, population), *numbers)
        for number, population, *numbers in rows
        if (number, population) in known
    )


def _rate(layout: Layout, allowed: int, among: int, *numbers: Any) -> dict[str, Any]:
    """Return the row of one allowed rate of false positives.

    The rate is ``allowed`` / ``among``. ``numbers`` are those in `RATE`, then the precision at each
    base rate: at the threshold, and interpolated.
    """
    bases = layout.scenario.base_rates
    precision = [
        {"base_rate": base, "value": value, "interpolated": drawn}
        for base, value, drawn in zip(
            bases, numbers[len(RATE) :: 2], numbers[len(RATE) + 1 :: 2], strict=True
        )
    ]
    return {
        "at": float(Fraction(100 * allowed, among)),
        **dict(zip(RATE, numbers, strict=False)),
        "precision": precision,
    }
