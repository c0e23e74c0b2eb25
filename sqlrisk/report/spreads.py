"""How far numbers of two reports may lie apart although both are of draws of one synthesiser: the
spread between syntheses.
"""

import math
from collections.abc import Iterable
from statistics import fmean

from sqlrisk.common.student_t import quantile
from sqlrisk.report.wording import Row, label_name

WHOSE = ("measure", "at", "target", "population", "people", "weighted")


class Spreads:
    """The spread of each number between the syntheses of a name, from those of both reports.

    Draws of one synthesiser have one variance. It is estimated within the reports, with a degree of
    freedom for each synthesis but one of each, and two numbers differ by chance up to Student's t
    times the standard error of their difference (the two-sample t-test of Student). A mean counts
    as its draws. A pooled number, the least and the greatest have no replicate: each is given the
    variance of one draw, which is more than its own where pooling averages.
    """

    def __init__(self, sides: Iterable[Iterable[Row]], confidence: float) -> None:
        self.confidence = confidence
        self._draws: list[dict[object, list[float | None]]] = []
        for rows in sides:
            self._draws.append({})
            for row in rows:
                if str(row["synthesis"]).split(" ")[-1].isdecimal():
                    self._draws[-1].setdefault(_group(row), []).append(row["value"])

    @property
    def known(self) -> bool:
        """Whether any number has several draws in one report."""
        return any(len(draws) > 1 for side in self._draws for draws in side.values())

    def between(self, row: Row) -> float | None:
        """Return how far a number of the one report and of the other differ by chance; None where
        that is not known.
        """
        sides = [
            [draw for draw in side.get(_group(row), []) if draw is not None] for side in self._draws
        ]
        freedom = sum(len(draws) - 1 for draws in sides if draws)
        if freedom < 1:
            return None
        squares = math.fsum(
            (draw - fmean(draws)) ** 2 for draws in sides if draws for draw in draws
        )
        is_mean = str(row["synthesis"]).split(" ")[-1] == "mean"
        parts = math.fsum(1 / (len(draws) if is_mean and draws else 1) for draws in sides)
        return quantile(self.confidence, freedom) * math.sqrt(squares / freedom * parts)


def _group(row: Row) -> tuple[object, ...]:
    return (*(row[name] for name in WHOSE), label_name(str(row["synthesis"])))
