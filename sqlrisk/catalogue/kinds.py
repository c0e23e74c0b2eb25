"""Kinds of numbers. A measure's header names a kind, such as ``mean over people``. The table
``KINDS`` gives the properties of each kind: columns, populations, control, weights.

To add a kind, add a row to ``KINDS`` and to the table in sql/docs/measures.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

FRACTION = ("numerator", "denominator")
MADE_OF_MEASURES = "made of measures"


@dataclass(frozen=True)
class MeasureKind:
    """The properties of all measures of a kind.

    Attributes:
        sides: the columns of the measure's SELECT. Empty if any columns are allowed.
        whole: the columns in ``sides`` that hold whole numbers.
        of_people: True for measures about people. Others have no populations and no weighted form.
        of_control: True if the measure can be computed for control. A measure of synthetic records
            can be, if it compares them with people, for example by distance.
        weighable: True if numerator and denominator are sums over people, and can be weighted.
        proportion: True if the measure is a share of people, and each person counts as 0 or 1.
        bounded: False if a weighable measure can be above 1, so that it has no adjusted risk.
        averaged: if the header may have `each`, the column that counts the people whose values are
            averaged. Otherwise empty.
    """

    sides: tuple[str, ...] = FRACTION
    whole: tuple[str, ...] = ()
    of_people: bool = True
    of_control: bool = True
    weighable: bool = False
    proportion: bool = False
    bounded: bool = True
    averaged: str = ""


KINDS: Mapping[str, MeasureKind] = {
    "proportion of people": MeasureKind(whole=FRACTION, weighable=True, proportion=True),
    "difference of proportions": MeasureKind(
        whole=FRACTION, weighable=True, averaged="counted_orig"
    ),
    "mean over people": MeasureKind(
        whole=("denominator",), weighable=True, averaged="counted_orig"
    ),
    "mean count over people": MeasureKind(
        whole=("denominator",), weighable=True, bounded=False, averaged="counted_orig"
    ),
    "mean over all people": MeasureKind(whole=("denominator",), weighable=True, averaged="people"),
    "ratio of sums over people": MeasureKind(weighable=True),
    "fewest people": MeasureKind(whole=FRACTION, weighable=True),
    "fewest or most people of classes": MeasureKind(whole=FRACTION, weighable=True),
    "mean over tries": MeasureKind(whole=("denominator",)),
    "people per cell": MeasureKind(whole=FRACTION),
    "proportion of rows": MeasureKind(whole=FRACTION),
    "proportion of synthetic records": MeasureKind(
        whole=FRACTION, of_people=False, of_control=False
    ),
    "mean over synthetic records": MeasureKind(
        whole=("denominator",), of_people=False, of_control=False
    ),
    "synthetic records per cell": MeasureKind(whole=FRACTION, of_people=False, of_control=False),
    "proportion of records like people": MeasureKind(whole=FRACTION, of_people=False),
    "mean over records like people": MeasureKind(whole=("denominator",), of_people=False),
    "proportion of predicates": MeasureKind(whole=FRACTION, of_people=False),
    "proportion of pairs of people": MeasureKind(whole=FRACTION),
    "proportion at a threshold": MeasureKind(whole=FRACTION),
    "rate between thresholds": MeasureKind(whole=("denominator",)),
    "precision at a threshold": MeasureKind(),
    "share of the universe": MeasureKind(whole=FRACTION, of_people=False, of_control=False),
    "extreme count": MeasureKind(("value",), whole=("value",)),
    "extreme value": MeasureKind(("value",)),
    "extreme count of records": MeasureKind(
        ("value",), whole=("value",), of_people=False, of_control=False
    ),
    "extreme value of records": MeasureKind(("value",), of_people=False, of_control=False),
    "ties of the least count": MeasureKind(("least", "value"), whole=("least", "value")),
    "ties of the least value": MeasureKind(("least", "value"), whole=("value",)),
    MADE_OF_MEASURES: MeasureKind(()),
}
