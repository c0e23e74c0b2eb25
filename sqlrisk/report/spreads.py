"""The spread of numbers between syntheses: how far two reports can differ by chance."""

import math
from collections.abc import Iterable
from statistics import fmean

from sqlrisk.common.student_t import quantile
from sqlrisk.report.wording import Row, label_name

WHOSE = ("measure", "at", "target", "population", "people", "weighted")


class Spreads:
    """How far each number can differ between two reports by chance. ``sides`` are the rows of both.
    ``confidence`` is a share, such as 0.95.

    Syntheses of one name are draws of one synthesizer, so their numbers have one variance. It is
    estimated within each report and pooled. Each report adds its number of draws less one to the
    degrees of freedom. The spread is Student's t times the standard error of the difference of the
    two numbers (Student's two-sample t-test).

    A mean has the variance of the mean of its draws. A pooled number, a minimum and a maximum have
    no replicates. They get the variance of one draw, which is too large if pooling averages draws.
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
        """True if a spread is known for any number: one report has several draws of it."""
        return any(len(draws) > 1 for side in self._draws for draws in side.values())

    def between(self, row: Row) -> float | None:
        """Return how far the number of a result row can differ between the two reports by chance,
        in the row's unit. The class has the formula.

        None if neither report has two draws of the number.
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
