"""Rules on results as users write them: a measure compared with a number or another measure.

Examples are ``DiSCO <= 5``, ``DiSCO:income <= 5`` for one target, ``CAP_at_least[0.9] <= 5`` for
some points, ``DiSCO <= baseCAPd`` and ``control_adjusted(DiSCO) <= 0.02``. Numbers are in the unit
of the results, such as percent. An adjusted risk is a proportion.

A utility measure has a number for each table. ``worst(S_pMSE) <= 10`` is about the worst table, and
``mean(S_pMSE) <= 3`` about the mean over tables. ``S_pMSE <= 10`` must hold for all tables, and so
for the worst. ``worst(S_pMSE)[2] <= 10`` is about tables of two columns.
"""

import math
import re
from dataclasses import dataclass

from sqlrisk.catalogue import utility
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import InputError

OPERATORS = ("<=", "<", ">=", ">")
ADJUSTED = "control_adjusted"
MEAN, WORST = OVER_TABLES = ("mean", "worst")
_NUMBER = r"-?\d{1,15}(?:\.\d{1,30})?"
_WORD = r"[^\W\d][^:<>=\[\](),]*?"
_NAME = rf"(?:(?:{'|'.join(OVER_TABLES)})\({_WORD}\)|{_WORD})"


def _side(name: str) -> str:
    points = rf"(?:\[(?P<{name}_at>\s*{_NUMBER}\s*(?:,\s*{_NUMBER}\s*)*)\])?"
    own_points = points.replace("_at>", "_adjusted_at>")
    adjusted = rf"{ADJUSTED}\(\s*(?P<{name}_adjusted>{_NAME})\s*{own_points}\s*\)"
    return rf"(?:{adjusted}|(?P<{name}>{_NAME})\s*{points})"


_RULE = re.compile(
    rf"\s*{_side('left')}\s*(?::\s*(?P<target>.+?))?\s*(?P<operator><=|>=|<|>)"
    rf"\s*(?:(?P<number>{_NUMBER})|{_side('right')})\s*"
)


def over_tables(statistic: str, measure: str) -> str:
    """Return the name of a utility measure's mean or worst value over tables."""
    return f"{statistic}({measure})"


@dataclass(frozen=True)
class Term:
    """A measure on one side of a rule.

    Attributes:
        measure: the measure's name in results, or ``mean(...)`` or ``worst(...)`` of a utility
            measure.
        at: the points of a curve, or the numbers of columns of utility tables. Empty for all.
        adjusted: True if the rule says ``control_adjusted(...)``: the risk beyond that of the
            people in the control file, a proportion.
    """

    measure: str
    at: tuple[float, ...] = ()
    adjusted: bool = False

    @property
    def of_tables(self) -> str:
        """The measure's name without ``mean()`` or ``worst()``. Other names are returned as they
        are.
        """
        function, _, measure = self.measure.removesuffix(")").partition("(")
        return measure if function in OVER_TABLES and measure else self.measure

    @property
    def people(self) -> str:
        """The value of ``people`` in the result rows that the side reads."""
        return "adjusted" if self.adjusted else "original"


@dataclass(frozen=True)
class Rule:
    """A rule of a policy, such as ``DiSCO:income <= 5``, split into its parts.

    ``text`` is the rule as written. ``target`` is None if the rule holds for every target.
    """

    text: str
    left: Term
    operator: str
    right: Term | float
    target: str | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The sides that are measures: the left one, and the right one unless it is a number."""
        return (self.left, self.right) if isinstance(self.right, Term) else (self.left,)

    def holds(self, value: float, limit: float) -> bool:
        """Return True if ``value`` meets ``limit``. Values that differ by rounding are equal."""
        # Sums of ratios agree to 1e-12 in any order. Equality must not depend on the order.
        if math.isclose(value, limit, rel_tol=1e-11, abs_tol=1e-12):
            return "=" in self.operator
        return value < limit if "<" in self.operator else value > limit


def read(text: str, setting: str) -> Rule:
    """Parse the text of a rule. Raises InputError if it is not a rule."""
    match = _RULE.fullmatch(text)
    right: Term | float | None = None
    if match is not None:
        right = _number(match["number"]) if match["number"] else _term(match, "right")
    if match is None or right is None or (isinstance(right, Term) and len(right.at) > 1):
        raise InputError(
            f"{setting}: cannot read the rule {text!r}; write MEASURE, one of "
            f"{', '.join(OPERATORS)}, and a number or a measure, as in 'DiSCO <= 5', "
            "'DiSCO:income <= 5' (one target), 'CAP_at_least[0.9] <= 5' (one point), 'DiSCO <= "
            f"baseCAPd' or '{ADJUSTED}(DiSCO) <= 0.02'."
        )
    return Rule(
        " ".join(text.split()), _term(match, "left"), match["operator"], right, match["target"]
    )


def _term(match: re.Match[str], side: str) -> Term:
    adjusted = match[f"{side}_adjusted"] is not None
    end = f"{side}_adjusted" if adjusted else side
    points = match[f"{end}_at"]
    return Term(
        _spelled(match[end]),
        tuple(float(point) for point in points.split(",")) if points else (),
        adjusted,
    )


def _spelled(name: str) -> str:
    """Return the correct spelling of a measure's name, also of a utility measure over tables."""
    function, _, measure = name.removesuffix(")").partition("(")
    if function in OVER_TABLES and measure:
        return over_tables(function, utility.spelled(measure))
    return catalog().spelled(name) if name in catalog() else utility.spelled(name)


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
