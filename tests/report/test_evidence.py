"""The annex of evidence: what answers the headings of two frameworks, and that nothing answers is
said.
"""

import pytest

import sqlrisk
from sqlrisk.report.reading import read_report
from sqlrisk.report.signing import evidence
from tests.inputs.test_policy import command, files, plain
from tests.report.test_report import report, row

__all__ = ["files"]  # a fixture


def answered(report: sqlrisk.Report) -> dict[tuple[str, str], str]:
    return {
        (row["framework"], row["heading"]): row["says"]
        for row in evidence.rows(report)
        if row["answered"] == "yes"
    }


def test_every_measure_it_names_is_one() -> None:
    headings = [heading for framework in evidence.frameworks() for heading in framework["heading"]]
    named = {name for heading in headings for name in heading.get("measures", ())}
    assert named <= {measure.name for measure in sqlrisk.measures()}
    assert all(
        heading.keys() <= {"heading", "measures", "parts", "answered", "otherwise"}
        and heading["otherwise"]
        for heading in headings
    )


def test_the_largest_number_of_a_measure_answers() -> None:
    """By hand (tests/inputs/test_policy.py): DiSCO is 50 % of income, 62.5 % of job, of
    8 people.
    """
    found = answered(plain())
    assert found["WP216", "Inference"].startswith(
        "DiSCO 62.50 (job, synthesis 1; percent of original records)."
    )
    assert ("WP216", "Linkability") not in found
    linked = {row["heading"]: row for row in evidence.rows(plain()) if row["framework"] == "WP216"}[
        "Linkability"
    ]
    assert (linked["answered"], linked["measures"]) == ("no", [])
    assert linked["says"].startswith("Not measured: say which columns")
    assert found["NIST SP 800-188", "Data survey: what identifies, what is sensitive"] == (
        "Known to an intruder: sex, age. Wanted: income, job."
    )


def test_a_small_percentage_is_not_shown_as_0() -> None:
    found = answered(report([row("DiSCO", 0.0042, 1, target="income")]))
    assert found["WP216", "Inference"] == (
        "DiSCO 0.004 (income, synthesis 1; percent of original records)."
    )


def test_without_all_people_the_first_population_answers() -> None:
    every, women, uniques = (
        [row("DiSCO", value, 1, target="income", population=name)]
        for name, value in (("all", 10.0), ("women", 20.0), ("uniques", 30.0))
    )
    found = answered(report(women + uniques))
    assert found["WP216", "Inference"] == (
        "DiSCO 20.00 (income, synthesis 1, women; percent of original records)."
    )
    found = answered(report(every + women))
    assert found["WP216", "Inference"] == (
        "DiSCO 10.00 (income, synthesis 1; percent of original records)."
    )


def test_it_is_in_every_form_that_is_read_where_it_is_asked_for(tmp_path) -> None:
    report = plain().with_evidence()
    forms = [report.to_text(), report.to_markdown(), report.to_html()]
    assert all("Validating privacy protection" in form for form in forms)
    assert not any(
        "Validating privacy protection" in form for form in (plain().to_text(), plain().to_html())
    )
    report.to_json(tmp_path / "risk.json")
    assert (
        read_report(tmp_path / "risk.json").to_dict()["evidence"]
        == report.to_dict()["evidence"]
        == evidence.rows(report)
    )
    assert "evidence" not in plain().to_dict()


@pytest.mark.slow
def test_an_external_one_tells_rounded_numbers_alone() -> None:
    report = plain().with_evidence().external(3)
    said = " ".join(row["says"] for row in evidence.rows(report))
    told = [row["value"] for row in plain().results if row["measure"] in ("DiSCO", "DCAP", "repU")]
    exact = {f"{value:.2f}" for value in told if value % 100}
    assert report.to_dict()["evidence"] == evidence.rows(report)
    assert not [number for number in exact if f" {number} (" in said]


def test_an_external_one_does_not_say_that_what_it_hides_was_not_measured() -> None:
    rows = [
        row("DiSCO", 50.0, 500, 1000, target="income"),
        row("linked", 50.0, 500, 1000, target="sex/age"),
    ]
    made = report(rows, original={"source": "o", "records": 1000}, scenario={"targets": ["income"]})
    inside, outside = (
        {row["heading"]: (row["answered"], row["says"]) for row in evidence.rows(each)}
        for each in (made, made.external())
    )
    assert inside["Linkability"][0] == outside["Inference"][0] == "yes"
    assert outside["Linkability"] == ("no", "Measured, but no number of it is shown.")
    assert inside["Validating usefulness"][1] == "Not measured: add --utility all."
    assert outside["Validating usefulness"] == (
        "no",
        "Not measured, or not shown here: add --utility all.",
    )


def test_the_command_has_it(files) -> None:
    words = [
        "score",
        "orig.parquet",
        "syn.parquet",
        "--keys",
        "sex,age",
        "--targets",
        "income,job",
        "--evidence",
    ]
    assert "Opinion 05/2014" in command(files, *words)[1]
    code, _, err = command(files, *words, "--layout", "raab")
    assert (code, "--evidence needs a whole report" in err) == (2, True)
