"""Kinds of numbers: a measure's header names its kind, and this table says what follows from it.

A new kind is a row here and in the table of sql/docs/measures.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

FRACTION = ("numerator", "denominator")
MADE_OF_MEASURES = "made of measures"


@dataclass(frozen=True)
class Kind:
    """What follows from the kind of a measure.

    Attributes:
        sides: the columns of its SELECT; empty if these may be any.
        whole: those that are whole numbers.
        of_people: True if it is about people; others have no populations and no weighted form.
        of_control: True if control has it. A measure of synthetic records has it if it says which
            people they are like.
        weighable: True if numerator and denominator are sums over people, and can be weighted.
        proportion: True if it is a number of people among people, each of whom counts or does not.
        averaged: the column of the people whose values are averaged, if it may have `each`; or
            empty.
    """

    sides: tuple[str, ...] = FRACTION
    whole: tuple[str, ...] = ()
    of_people: bool = True
    of_control: bool = True
    weighable: bool = False
    proportion: bool = False
    averaged: str = ""


KINDS: Mapping[str, Kind] = {
    "proportion of people": Kind(whole=FRACTION, weighable=True, proportion=True),
    "difference of proportions": Kind(whole=FRACTION, weighable=True, averaged="counted_orig"),
    "mean over people": Kind(whole=("denominator",), weighable=True, averaged="counted_orig"),
    "mean over all people": Kind(whole=("denominator",), weighable=True, averaged="people"),
    "ratio of sums over people": Kind(weighable=True),
    "fewest people": Kind(whole=FRACTION, weighable=True),
    "mean over tries": Kind(whole=("denominator",)),
    "people per cell": Kind(whole=FRACTION),
    "proportion of rows": Kind(whole=FRACTION),
    "proportion of synthetic records": Kind(whole=FRACTION, of_people=False, of_control=False),
    "mean over synthetic records": Kind(whole=("denominator",), of_people=False, of_control=False),
    "synthetic records per cell": Kind(whole=FRACTION, of_people=False, of_control=False),
    "proportion of records like people": Kind(whole=FRACTION, of_people=False),
    "mean over records like people": Kind(whole=("denominator",), of_people=False),
    "proportion of predicates": Kind(whole=FRACTION, of_people=False),
    "proportion of pairs of people": Kind(whole=FRACTION),
    "proportion at a threshold": Kind(whole=FRACTION),
    "rate between thresholds": Kind(whole=("denominator",)),
    "precision at a threshold": Kind(),
    "share of the universe": Kind(whole=FRACTION, of_people=False),
    "extreme count": Kind(("value",), whole=("value",)),
    "extreme value": Kind(("value",)),
    "extreme count of records": Kind(
        ("value",), whole=("value",), of_people=False, of_control=False
    ),
    "extreme value of records": Kind(("value",), of_people=False, of_control=False),
    "ties of the least count": Kind(("least", "value"), whole=("least", "value")),
    "ties of the least value": Kind(("least", "value"), whole=("value",)),
    MADE_OF_MEASURES: Kind(()),
}
