"""What kind of number a measure is: its header names one, and the table here says what follows from it.

A new kind is a row of the table, and one of the table in sql/README.md.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

FRACTION = ("numerator", "denominator")
MADE_OF_MEASURES = "made of measures"
# Columns that count what is none of the people of the files.
_OF_NO_PEOPLE = {"synthetic", "counted_syn", "counted_universe", "n_predicates", "counted_predicates"}
_REAL = (
    "share_",
    "entropy_",
    "expected_",
    "chance_",
    "apart_",
)  # how columns begin that are no whole numbers; risks end in _risk


@dataclass(frozen=True)
class Kind:
    """What follows from the kind of a measure.

    Attributes:
        sides: what its SELECT gives; empty where that may be anything.
        whole: those of them that are whole numbers.
        of_people: whether it is about people: one of synthetic records has no population and no weighted form.
        of_control: whether control has it: one of synthetic records has it where it says which people they are like.
        weighable: whether numerator and denominator are sums over people, so that each can count by weight.
        proportion: whether it is a number of people among people, each of whom counts or does not.
        averaged: the column that counts the people whose values it is the mean of, so that it may say `each`; or empty.
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
    "ties of the least count": Kind(("least", "value"), whole=("least", "value")),
    "ties of the least value": Kind(("least", "value"), whole=("value",)),
    MADE_OF_MEASURES: Kind(()),
}


def inferred(texts: Mapping[str, str], least: str | None, *, of_measures: bool, each: bool) -> Kind:
    """Infer the kind of a measure whose header names none, by the columns that its sides name, one of them as ``{{ least }}``."""
    columns = {side: {least if least and name == "least" else name for name in _words(text)} for side, text in texts.items()}
    numerator, denominator = (columns.get(side, set()) for side in FRACTION)
    whole = tuple(
        side for side, names in columns.items() if not of_measures and (_whole(names) or (side == "value" and "least" in texts))
    )
    weighable = (
        not of_measures
        and any(name == "people" or name.startswith("counted_") for name in denominator)
        and "n_cells" not in denominator
        and "THEN 1 " not in texts["denominator"]  # rows are counted, not their people
    )
    summed = texts.get("numerator", "").startswith(("SUM(", "COALESCE(SUM("))
    of_people = not any(names & _OF_NO_PEOPLE for names in columns.values())
    return Kind(
        tuple(texts),
        whole,
        of_people=of_people,
        of_control=of_people,
        weighable=weighable,
        proportion=weighable and summed and not each and whole == FRACTION,
        averaged="counted_orig" if any(name.startswith("counted_orig") for name in numerator) else "people",
    )


def _whole(names: set[str]) -> bool:
    """Return whether a side that names these columns is a whole number."""
    return "DOUBLE" not in names and not any(name.startswith(_REAL) or name.endswith("_risk") for name in names)


def _words(sql: str) -> set[str]:
    """Return the names and other words of SQL."""
    words = shlex.shlex(sql)
    words.quotes = words.commenters = ""
    return set(words)
