"""People whom at least one of several files reveals, person by person, and what is said where
pooled numbers fall.
"""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from quickly import few
from worked import CASES, run

import sqlrisk
from tests.analyses.scores.test_populations import KEYS, POPULATIONS, file, rows_of

SYNTHETIC = {"cart": [file(2, 60), file(3, 60), file(4, 40)], "rf": [file(5, 60), file(6, 30)]}
LABELS = {
    f"{name} {number}": (name, [number - 1])
    for name, files in SYNTHETIC.items()
    for number in range(1, len(files) + 1)
}
LABELS |= {
    "cart pooled 1-2": ("cart", [0, 1]),
    "cart pooled 1-3": ("cart", [0, 1, 2]),
    "rf pooled 1-2": ("rf", [0, 1]),
}


def keys_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in KEYS)


def revealed(person: dict[str, Any], table: pa.Table, target: str) -> bool:
    """Whether all records of a file with the person's keys, and there are some, have the person's
    level.
    """
    alike = {row[target] for row in rows_of(table) if keys_of(row) == keys_of(person)}
    return alike == {person[target]}


@pytest.mark.parametrize("people", few(["original", "control"], 2))
def test_a_person_counts_once_whom_any_of_the_files_reveals(people: str) -> None:
    report = sqlrisk.score(
        file(1), SYNTHETIC, control=file(9, 90), keys=KEYS, targets=["ill"],
        measures=["union", "DiSCO", "repU"],
        populations="all", population={name: text for name, (text, _) in POPULATIONS.items()},
        weights="weight",
    )  # fmt: skip
    rows = rows_of(file(1) if people == "original" else file(9, 90))
    classes = Counter(map(keys_of, rows))
    records = {
        name: [Counter(map(keys_of, rows_of(table))) for table in files]
        for name, files in SYNTHETIC.items()
    }
    tells = {
        name: [[revealed(row, table, "ill") for row in rows] for table in files]
        for name, files in SYNTHETIC.items()
    }
    found = {
        tuple(
            row[name] for name in ("measure", "synthesis", "population", "people", "weighted")
        ): row
        for row in report.results
    }
    for label, (name, chosen) in LABELS.items():
        any_of = [
            any(tells[name][number][place] for number in chosen) for place in range(len(rows))
        ]
        alone = [
            classes[keys_of(row)] == 1 and any(records[name][n][keys_of(row)] == 1 for n in chosen)
            for row in rows
        ]
        for population, (_, holds) in {"all": ("", lambda _: True), **POPULATIONS}.items():
            for weighted in (False, True):
                for measure, counts in (("DiSCO_union", any_of), ("repU_union", alone)):
                    wanted = sum(
                        row["weight"] if weighted else 1
                        for row, yes in zip(rows, counts, strict=True)
                        if yes and holds(row)
                    )
                    row = found[measure, label, population, people, weighted]
                    assert row["numerator"] == pytest.approx(wanted), (
                        measure,
                        label,
                        population,
                        weighted,
                    )


def test_it_never_falls_with_more_files_and_is_the_measure_itself_of_one() -> None:
    report = sqlrisk.score(file(1), SYNTHETIC, keys=KEYS, targets=["ill", "income"])
    value = {
        (row["measure"], row["target"], row["synthesis"]): row["value"]
        for row in report.results
        if row["at"] is None
    }
    for plain, union in (("DiSCO", "DiSCO_union"), ("repU", "repU_union")):
        for target in (None,) if plain == "repU" else ("ill", "income"):
            for name in ("cart 1", "cart 2", "cart 3", "rf 1", "rf 2", "cart mean"):
                assert value[plain, target, name] == value[union, target, name]
            line = [
                value[union, target, name]
                for name in ("cart 1", "cart pooled 1-2", "cart pooled 1-3")
            ]
            assert line == sorted(line)
            assert line[-1] >= value[union, target, "cart max"]
            assert line[-1] >= value[plain, target, "cart pooled 1-3"]


@pytest.mark.slow
def test_it_is_there_where_files_are_pooled_and_the_usual_measures_are_asked_for() -> None:
    def families(synthetic: Any, **settings: Any) -> set[str]:
        return {
            row["family"]
            for row in sqlrisk.score(
                file(1), synthetic, keys=KEYS, targets=["ill"], **settings
            ).results
        }

    assert "union" in families([file(2), file(3)])
    assert "union" not in families(file(2))
    assert "union" not in families({"cart": file(2), "rf": file(3)})
    assert "union" not in families([file(2), file(3)], measures="attribute")
    assert families(file(2), measures="DiSCO_union") == {"union"}


@pytest.mark.slow
def test_a_pooled_number_that_falls_is_no_safer_release() -> None:
    """Of the case worked by hand: DiSCO is 3 and 2 of 9 people, pooled 1; at least one file reveals
    5.
    """
    case = CASES["disco_union"]
    text = " ".join(run(case, measures="identity,attribute,cap").to_text().split())
    assert (
        "Pooled, DiSCO of ill falls from 27.78 % (mean of the 2 files) to 11.11 %. From one file "
    ) in text
    assert text.count("More files do not make a release safer") == 1
    assert "DiSCO_union goes from 27.78 % to 55.56 % (those whom at least one reveals)." in text
    assert "TCAP_disclosive goes from" in text
    assert "DCAP goes from" in text
    report = run(case, measures="DiSCO")
    assert "11.11 %. Ask for DiSCO_union as well: those whom at least one reveals." in " ".join(
        report.to_text().split()
    )
    page = run(case, measures="identity,attribute,cap").to_html()
    assert page.count("More files do not make a release safer") == 1
    assert "55.56" in page
    assert "55.56" not in run(case, measures="identity,attribute,cap").to_html(level="external")
    same = sqlrisk.score(
        pa.table(case["original"]), [pa.table(case["synthetic"][0])] * 2, keys="town", targets="ill"
    )
    assert "Pooled, DiSCO" not in same.to_text()  # it does not fall where the files agree


def test_replicated_uniques_are_said_too() -> None:
    text = " ".join(
        run(CASES["repu_union"], measures="identity,attribute", populations="all").to_text().split()
    )
    assert "Pooled, repU falls from 25.00 % (mean of the 2 files) to 12.50 %" in text
    assert (
        "repU_union goes from 25.00 % to 37.50 % (the people who are unique in at least one of "
        "them, too)."
    ) in text
