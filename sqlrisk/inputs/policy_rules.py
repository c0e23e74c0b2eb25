"""A rule on results, as users write it: a measure against a number, or against another measure of
the same people.

``DiSCO <= 5``; of one target ``DiSCO:income <= 5``; at some points ``CAP_at_least[0.9] <= 5``;
``DiSCO <= baseCAPd``; ``control_adjusted(DiSCO) <= 0.02``. Numbers have the unit of the results:
percentages, but an adjusted risk is a proportion. A measure of utility has a number for each table:
``worst(S_pMSE) <= 10`` is about the worst of them, ``mean(S_pMSE) <= 3`` about their mean, ``S_pMSE
<= 10`` about all of them, and so about the worst; ``worst(S_pMSE)[2] <= 10`` about those of two
columns.
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
    """Return what the mean of a measure of utility over tables is called, or the worst."""
    return f"{statistic}({measure})"


@dataclass(frozen=True)
class Term:
    """One side of a rule: a measure, the points it is taken at (empty: all), and whether it is its
    risk adjusted by control.
    """

    measure: str
    at: tuple[float, ...] = ()
    adjusted: bool = False

    @property
    def of_tables(self) -> str:
        """The measure of utility that it is, where it is one."""
        function, _, measure = self.measure.removesuffix(")").partition("(")
        return measure if function in OVER_TABLES and measure else self.measure

    @property
    def people(self) -> str:
        """Whose rows of the results these are."""
        return "adjusted" if self.adjusted else "original"


@dataclass(frozen=True)
class Rule:
    """A rule that can be judged: ``text`` is how it was written, ``target`` the one it is about, or
    None.
    """

    text: str
    left: Term
    operator: str
    right: Term | float
    target: str | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """Its sides that are measures."""
        return (self.left, self.right) if isinstance(self.right, Term) else (self.left,)

    def holds(self, value: float, limit: float) -> bool:
        """Return whether ``value`` is within ``limit``; numbers that differ by rounding only are
        equal.
        """
        # Sums of ratios agree to 1e-12 whatever their order; equality must not depend on it.
        if math.isclose(value, limit, rel_tol=1e-11, abs_tol=1e-12):
            return "=" in self.operator
        return value < limit if "<" in self.operator else value > limit


def read(text: str, setting: str) -> Rule:
    """Read the rule that a text is. Raises InputError where it is none."""
    match = _RULE.fullmatch(text)
    right = (
        None
        if match is None
        else _number(match["number"])
        if match["number"]
        else _term(match, "right")
    )
    if match is None or right is None or (isinstance(right, Term) and len(right.at) > 1):
        raise InputError(
            f"{setting}: cannot read the rule {text!r}; write MEASURE, one of "
            f"{', '.join(OPERATORS)}, and a number or a measure, "
            "as in 'DiSCO <= 5', 'DiSCO:income <= 5' (one target), 'CAP_at_least[0.9] <= 5' (one "
            "point), 'DiSCO <= baseCAPd' or "
            f"'{ADJUSTED}(DiSCO) <= 0.02'."
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
    """Return a name in its own spelling: of a measure, or of one of utility, which may be over
    tables.
    """
    function, _, measure = name.removesuffix(")").partition("(")
    if function in OVER_TABLES and measure:
        return over_tables(function, utility.spelled(measure))
    return catalog().spelled(name) if name in catalog() else utility.spelled(name)


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
