"""Round figures to multiples of a step. A rounded figure reveals only its band: the range of
numbers that round to the same multiple.

Round to the nearest multiple, halves up. Rounding is not random, since repeated reports would
average random rounding out. If the first or the last band of the possible range has at most
``step`` numbers, it is merged with its neighbor. So nobody learns more about a count near 0, or
near the maximum, than about any other. With a step of 10 there is no band of 0 to 4, but one of 0
to 14, shown as "<15".
"""

from dataclasses import dataclass
from math import ceil, floor, inf


@dataclass(frozen=True)
class Interval:
    """The band of a number: the exact number lies between ``low`` and ``high``, and ``shown`` is
    the rounded number.

    ``open_low`` and ``open_high`` are True if the band reaches an end of the possible range. The
    text then names only the other end.
    """

    low: float
    high: float
    shown: float
    open_low: bool = False
    open_high: bool = False

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low, -self.shown, self.open_high, self.open_low)


def band(number: float, step: int, whole: float = inf, *, counts: bool = True) -> Interval:
    """Return the band of a number between 0 and its maximum ``whole`` (infinity if there is none).

    ``step`` is the step of the grid. If ``counts`` is True, the number is an integer (people or
    records) and the band has integer ends.
    """
    unit = 1 if counts else 0
    multiple = floor(number / step + 0.5) * step
    # the last multiple whose band up to ``whole`` contains more than ``step`` numbers
    last = floor((whole + unit - 1) / step - 0.5) * step if whole < inf else multiple + 2 * step
    if last < 2 * step:
        return Interval(
            0, whole, floor(whole / step / 2 + 0.5) * step, open_low=True, open_high=True
        )
    if multiple <= step:
        return Interval(0, _edges(step, step, unit)[1], step, open_low=True)
    if multiple >= last:
        return Interval(_edges(last, step, unit)[0], whole, last, open_high=True)
    return Interval(*_edges(multiple, step, unit), multiple)


def _edges(multiple: int, step: int, unit: int) -> tuple[float, float]:
    """Return the ends of the numbers that round to a multiple. ``unit`` is 1 for integers, or 0."""
    low, high = multiple - step / 2, multiple + step / 2
    return (max(ceil(low), 0), ceil(high) - 1) if unit else (max(low, 0), high)
