"""What kind of number a measure is: its header names one, and the table here says what follows from
it.

A new kind is a row of the table, and one of the table in sql/docs/measures.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

FRACTION = ("numerator", "denominator")
MADE_OF_MEASURES = "made of measures"


@dataclass(frozen=True)
class Kind:
    """What follows from the kind of a measure.

    Attributes:
        sides: what its SELECT gives; empty where that may be anything.
        whole: those of them that are whole numbers.
        of_people: whether it is about people: one of synthetic records has no population and no
            weighted form.
        of_control: whether control has it: one of synthetic records has it where it says which
            people they are like.
        weighable: whether numerator and denominator are sums over people, so that each can count by
            weight.
        proportion: whether it is a number of people among people, each of whom counts or does not.
        averaged: the column that counts the people whose values it is the mean of, so that it may
            say `each`; or empty.
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
