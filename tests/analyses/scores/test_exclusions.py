"""The numbers without exclusions, beside those with them: the same as those of a run that leaves
nobody out.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import sqlrisk
from tests.analyses.scores.test_populations import KEYS, POPULATIONS, file

EVERY: dict[str, Any] = {
    "keys": KEYS,
    "targets": ["ill", "income"],
    # of which nobody is left out
    "measures": [family for family in sqlrisk.measures().families if family != "copies"],
    "populations": "all,uniques",
    "population": {"west": POPULATIONS["west"][0]},
    "weights": "weight",
    "within": "income=1",
    "aligned": True,
    "assume": "saturated",
    "prior": 1,
}
EXCLUDED: list[dict[str, Any]] = [
    {"exclude_level": {"ill": ["n"]}},
    {"exclude_missing": ["town", "ill"], "max_cell": 2},
    {
        "exclude_pair": [{"target": "ill", "target_level": "y", "key": "sex", "key_level": "f"}],
        "max_cell_syn": 1,
    },
]


@cache
def score(who: str, excluded: int | None = None) -> sqlrisk.Report:
    """Score two files, each and pooled, of the people by sex; or one of them beside control."""
    more = EXCLUDED[excluded] if excluded is not None else {}
    about: dict[str, Any] = {"by": ["sex"]} if who == "alone" else {"control": file(4, 60)}
    syntheses = [file(2, 90), file(3, 90)] if who == "alone" else [file(2, 90)]
    return sqlrisk.score(file(1, 90), syntheses, **EVERY, **about, **more)


@pytest.mark.parametrize(
    ("who", "excluded"),
    [*(("alone", number) for number in range(len(EXCLUDED))), ("control", 1)],
    ids=lambda value: value if isinstance(value, str) else "+".join(EXCLUDED[value]),
)
@pytest.mark.slow
def test_they_are_the_numbers_of_a_run_without_exclusions(excluded: int, who: str) -> None:
    whole, report = score(who), score(who, excluded)
    numbers = ("numerator", "denominator", "value")
    about = [[row[name] for name in row if name not in numbers] for row in whole.results]
    assert [
        [row[name] for name in row if name not in numbers] for row in report.without_exclusions
    ] == about
    for mine, theirs in zip(report.without_exclusions, whole.results, strict=True):
        for name in numbers:
            wanted = theirs[name]
            assert mine[name] == (
                wanted if wanted is None else pytest.approx(wanted, rel=1e-12, abs=1e-12)
            ), (name, theirs)
    assert report.results != report.without_exclusions
    assert whole.without_exclusions == []
    assert "without_exclusions" not in whole.to_dict()
    assert report.to_dict()["without_exclusions"] == report.without_exclusions


def test_what_is_asked_for_alone_is_told_with_who_is_left_out() -> None:
    report = sqlrisk.score(
        file(1), file(2), keys=["sex"], targets=["ill"], measures="DiSCO", **EXCLUDED[0]
    )
    assert [row["measure"] for row in report.results] == ["DiSCO", "excluded", "excluded_identity"]
    plain = sqlrisk.score(file(1), file(2), keys=["sex"], targets=["ill"], measures="DiSCO")
    assert [row["measure"] for row in plain.results] == ["DiSCO"]
    several = sqlrisk.score_all(
        {"a": EXCLUDED[0], "b": {}},
        file(1),
        file(2),
        keys=["sex"],
        targets=["ill"],
        measures="DiSCO",
    )
    assert several["a"].results == report.results
    assert several["a"].without_exclusions == report.without_exclusions
    assert several["b"].results == plain.results


def test_the_sentence_says_who_is_left_out_and_the_number_with_them() -> None:
    """By hand: y is left out, 3 of 5 people; DiSCO is 1 (b n) with exclusions and 3 (a y twice, b
    n) without.
    """
    people = {"town": ["a", "a", "b", "b", "c"], "ill": ["y", "y", "n", "y", "m"]}
    synthetic = {"town": ["a", "b"], "ill": ["y", "n"]}
    report = sqlrisk.score(
        pa.table(people), pa.table(synthetic), keys="town", targets="ill", exclude_level="ill=y"
    )
    text = " ".join(report.to_text().split())
    assert "Of 5 people, 1 (20.00 %) would have ill revealed" in text
    assert (
        "This leaves out 3 people (60.00 % of all) who are not counted; with them it is 3 "
        "(60.00 %)." in text
    )
    # the reservations have both numbers of the worst finding that leaves somebody out
    both = "Left out: ill is “y”. Ill: 20.00 % without them, 60.00 % with them."
    assert text.count(both) == 1
    # CAPd and DCAP, which count nobody of y, are a n 1/2, b n 1/2 and c m 1; b n 1
    assert "would reveal it for 20.00 % of all people, counting nobody left out." in text
    assert "Counting nobody left out, a guess is right for " in text
    page = report.to_html()
    assert page.count("who are not counted; with them it is") == 2
    assert 'data-source="/without_exclusions/' in page
    assert "who are not counted; with them it is" in report.to_markdown()
    unique = replace(
        report,
        results=[
            {**row, "value": 99.0, "numerator": 5} if row["measure"] == "repU" else row
            for row in report.results
        ],
    )
    assert "Left out: ill is “y”. Ill: 20.00 % without" in " ".join(unique.to_text().split())
    told = replace(report, without_exclusions=[])  # of an older sqlrisk
    assert "without them" not in told.to_text()
    assert "This leaves out" not in told.to_text()
    outside = report.to_html(level="external")
    assert "without_exclusions" not in outside
    assert "with them it is" not in outside
    assert "The numbers with them are not in an external report." in outside


def test_a_mean_has_no_number_of_people_and_who_is_excluded_has_no_exclusions() -> None:
    """By hand: of 4 people, y has a share of 1/2 and n of 1/2; with y left out, n's is 2 * 1/2."""
    people = pa.table({"town": ["a"] * 4, "ill": ["y", "y", "n", "n"]})
    guessed, counts = (
        " ".join(
            sqlrisk.score(
                people, people, keys="town", targets="ill", exclude_level="ill=y", measures=measure
            )
            .to_text()
            .split()
        )
        for measure in ("DCAP", "max_denom")
    )
    assert "would be right for 25.00 % of 4 people on average" in guessed
    left = "This leaves out 2 people (50.00 % of all) who are not counted; with them it is"
    assert f"{left} 50.00 %." in guessed
    assert "Of 4 people, 2 (50.00 %) are excluded from the numbers of ill." in counts
    assert "This leaves out" not in counts
