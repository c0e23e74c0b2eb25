"""What the original tells of a person without the person's own record: record by record, and
against the reference values.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from oracle import ABSENT, ORACLE, reference_values
from quickly import few, some

import sqlrisk
from tests.analyses.scores.test_populations import KEYS, POPULATIONS, file, rows_of
from tests.docs.test_readme import CENSUS
from tests.docs.test_readme import KEYS as CENSUS_KEYS

SYNTHETIC = [file(2, 60), file(3, 200)]
LABELS = {"1": [0], "2": [1], "pooled 1-2": [0, 1]}
Row = Mapping[str, Any]

# the word of the reference values -> the measure, and the field that has it
WORDS = {
    "CAPd_others_as_zero": ("CAPd_others", "value"),
    "CAPd_others_left_out": ("CAPd_others_left_out", "value"),
    "people_in_a_class_of_one": ("UiO", "numerator"),
    "DCAP": ("DCAP", "value"),
    "DiSCO": ("DiSCO", "value"),
    "DiSCO_known_from_others": ("DiSCO_known_from_others", "value"),
    "DiSCO_own": ("DiSCO_own", "value"),
    "people_known": ("DiSCO_known_from_others", "numerator"),
    "people_own": ("DiSCO_own", "numerator"),
    "people_DCAP_above_others": ("DCAP_above_others", "numerator"),
    "people_DCAP_below_others": ("DCAP_below_others", "numerator"),
    "DCAP_less_CAPd_others": ("DCAP-CAPd_others", "value"),
    "Dorig": ("Dorig", "value"),
    # whoever is alone with their keys is revealed by their own record
    "Dorig_own": ("UiO", "value"),
}


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", few(reference_values("others"), 5))
def test_the_reference_values_are_met(case: dict[str, Any]) -> None:
    scenario, expected = case["scenario"], case["expected"]
    files = [
        ORACLE / scenario["data"] / f"{scenario[name]}.parquet"
        for name in ("original", "synthesis")
    ]
    asked = {"keys": scenario["keys"], "targets": [scenario["target"]]}
    report = sqlrisk.score(*files, **asked, measures=["others", "UiO", "DCAP", "DiSCO", "Dorig"])
    found = {row["measure"]: row for row in report.results}
    for word, (measure, field) in WORDS.items():
        assert found[measure][field] == pytest.approx(expected[word], rel=1e-9, abs=1e-9), (
            scenario,
            word,
        )


@pytest.mark.skipif(
    not (CENSUS / "control.parquet").exists(), reason="the census files are not here"
)
def test_the_census_is_split_into_what_others_tell_and_what_is_ones_own() -> None:
    files = [CENSUS / f"{name}.parquet" for name in ("original", "cart_1")]
    report = sqlrisk.score(
        *files, keys=CENSUS_KEYS, targets=["country_birth", "income"],
        measures=["others", "DiSCO", "CAPd"],
        control=CENSUS / "control.parquet",
    )  # fmt: skip
    found = {(row["measure"], row["target"], row["people"]): row["value"] for row in report.results}
    split = ("DiSCO", "DiSCO_known_from_others", "DiSCO_own")
    shown = {
        target: [round(found[name, target, "original"], 2) for name in split]
        for target in ("country_birth", "income")
    }
    assert shown == {"country_birth": [11.46, 6.65, 4.82], "income": [53.45, 45.37, 8.08]}
    born = [
        found[name, "country_birth", "original"]
        for name in ("CAPd", "CAPd_others", "CAPd_others_left_out")
    ]
    assert [round(value, 2) for value in born] == [85.17, 80.35, 83.23]
    # Nobody of control is in the original, so that it tells of them what it tells of anybody else.
    assert found["CAPd_others", "income", "control"] == found["CAPd", "income", "control"]
    assert (
        abs(found["CAPd_others", "income", "control"] - found["CAPd_others", "income", "original"])
        < 0.05
    )


def keys_of(row: Row) -> tuple[Any, ...]:
    return tuple(row[key] for key in KEYS)


def alike(rows: Sequence[Row], person: Row, target: str) -> Counter[Any]:
    """The levels of the records with a person's keys."""
    return Counter(row[target] for row in rows if keys_of(row) == keys_of(person))


def part(levels: Counter[Any], level: object) -> Fraction:
    return Fraction(levels[level], levels.total()) if levels.total() else Fraction(0)


def told(
    person: Row, others: Counter[Any], synthetic: Counter[Any], target: str
) -> dict[str, tuple[Fraction, bool]]:
    """What a person adds to each numerator, and whether they are in the denominator."""
    level = person[target]
    known, guessed = part(others, level), part(synthetic, level)
    revealed = guessed == 1
    guesses: dict[str, tuple[Fraction, bool]] = {}
    for name, levels in (("", synthetic), ("_others", others)):
        top = [each for each, count in levels.items() if count == max(levels.values())]
        for tau in (Fraction(1, 2), Fraction(1)):
            sure = levels.total() > 0 and part(levels, top[0]) >= tau
            guesses[f"guess_coverage{name} {float(tau)}"] = (Fraction(sure), True)
            guesses[f"guess_precision{name} {float(tau)}"] = (
                Fraction(sure and level in top, len(top) or 1),
                sure,
            )
    return guesses | {
        "CAPd_others": (known, True),
        "CAPd_others_left_out": (known, others.total() > 0),
        "DCAP-CAPd_others": (guessed - known, True),
        "DCAP_above_others": (Fraction(guessed > known), True),
        "DCAP_below_others": (Fraction(guessed < known), True),
        "DiSCO_known_from_others": (Fraction(revealed and known == 1), True),
        "DiSCO_own": (Fraction(revealed and known < 1), True),
    }


@pytest.mark.parametrize("people", some(["original"], ["original", "control"]))
@pytest.mark.slow
def test_each_record_is_taken_out_in_turn(people: str) -> None:
    report = sqlrisk.score(
        file(1), SYNTHETIC, control=file(9, 90), keys=KEYS, targets=["ill"],
        measures=["others", "guesses"],
        exclude_missing=["ill"],
        populations="all", population={name: text for name, (text, _) in POPULATIONS.items()},
        weights="weight",
    )  # fmt: skip
    original = rows_of(file(1))
    persons = original if people == "original" else rows_of(file(9, 90))
    place = ("synthesis", "population", "people", "weighted")
    found = {
        (
            f"{row['measure']} {row['at']}" if row["at"] else row["measure"],
            *(row[name] for name in place),
        ): row
        for row in report.results
    }
    for label, chosen in LABELS.items():
        synthetic = [row for number in chosen for row in rows_of(SYNTHETIC[number])]
        each = []
        for person in persons:
            others = [row for row in original if row is not person]
            each.append(
                told(person, alike(others, person, "ill"), alike(synthetic, person, "ill"), "ill")
            )
        for population, (_, holds) in {"all": ("", lambda _: True), **POPULATIONS}.items():
            for weighted in (False, True):
                for measure in each[0]:
                    top, bottom = Fraction(0), Fraction(0)
                    for person, values in zip(persons, each, strict=True):
                        worth = Fraction(person["weight"] if weighted else 1) * holds(person)
                        value, among = values[measure]
                        top += worth * value if person["ill"] is not None else 0
                        bottom += worth if among else 0
                    row = found[measure, label, population, people, weighted]
                    told_of = (row["numerator"], row["denominator"])
                    wanted = (float(top), float(bottom))
                    assert told_of == pytest.approx(wanted, rel=1e-12, abs=1e-12), (
                        measure,
                        label,
                        population,
                    )


@pytest.mark.slow
def test_the_two_parts_are_disco_for_every_file_and_pool() -> None:
    report = sqlrisk.score(
        file(1), SYNTHETIC, keys=KEYS, targets=["ill", "income"], measures=["others", "DiSCO"]
    )
    found = {
        (row["measure"], row["target"], row["synthesis"]): row["numerator"]
        for row in report.results
    }
    for target in ("ill", "income"):
        for label in LABELS:
            parts = [
                found[name, target, label] for name in ("DiSCO_known_from_others", "DiSCO_own")
            ]
            assert sum(parts) == found["DiSCO", target, label]
        assert found["DiSCO", target, "1"] > 0


@pytest.mark.slow
def test_the_people_of_each_part_are_listed() -> None:
    cells = {
        name: sqlrisk.cells(name, file(1), file(2), keys=KEYS, targets=["ill"], limit=500).rows
        for name in ("DiSCO", "DiSCO_known_from_others", "DiSCO_own", "DCAP_above_others")
    }
    parts = cells["DiSCO_known_from_others"] + cells["DiSCO_own"]
    assert len(parts) == len(cells["DiSCO"]) > 0
    assert all(row in cells["DiSCO"] for row in parts)
    assert all(row in cells["DCAP_above_others"] for row in cells["DiSCO_own"])


# What anonymity_loss_coefficient 1.0.32, its authors' program, makes of the coverage and precision
# of the guesses below, to the four places that it gives: by the file, and by the others.
OF_ITS_AUTHORS = {
    "PRC": [0.8930, 0.9046, 0.9143, 0.9198, 0.9240, 0.9317, 0.8753],
    "PRC_others": [0.8951, 0.9056, 0.9138, 0.9185, 0.9217, 0.9264, 0.8460],
    "ALC": [0.0711],
}


def test_guesses_come_to_what_the_program_of_its_authors_says() -> None:
    keys = ["age", "sex", "race", "marital_status", "education"]
    files = (CENSUS / f"{name}.parquet" for name in ("original", "cart_1"))
    report = sqlrisk.score(*files, keys=keys, targets="country_birth", measures="guesses")
    for name, expected in OF_ITS_AUTHORS.items():
        found = [row["value"] for row in report.results if row["measure"] == name]
        assert found == pytest.approx(expected, abs=5e-5 + 1e-9)
