"""The line of each measure over the number of pooled syntheses, against a published one and against
scipy.
"""

import json
import math
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlrisk
from sqlrisk.common.student_t import p_value
from sqlrisk.plan import result_queries
from sqlrisk.plan.columns import File
from sqlrisk.plan.layout import Comparison
from tests.analyses.scores.test_populations import file
from tests.cli.test_cli import files  # noqa: F401 - a fixture
from tests.cli.test_cli import sqlrisk as command_line

QUESTION: dict[str, Any] = {"keys": ["sex", "town"], "targets": ["ill", "income"], "trend": True}
NAMES = ("points", "slope", "slope_error", "t", "intercept", "intercept_error", "intercept_t")
# their Table 1: CART, non-matches as zero
TAUB = [0.334, 0.393, 0.416, 0.435, 0.443, 0.448, 0.453, 0.459, 0.463, 0.465]


def line(values: list[float | None]) -> dict[str, Any] | None:
    """The line that the SQL fits to a measure with these values at m = 1, 2, ...; None where it
    fits none.
    """
    files_of = tuple(File(number, "") for number in range(len(values) + 1))
    points = [
        Comparison(number, "", "", files_of[1 : number + 1], number == 1, files_of[0])
        for number in range(1, len(values) + 1)
    ]
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE results (measure VARCHAR, point DOUBLE, target INT, comparison INT, "
            "population INT, weighted INT, value DOUBLE)"
        )
        connection.executemany(
            "INSERT INTO results VALUES ('other', 0.5, 1, ?, 0, 0, ?)",
            [(number, number**2) for number in range(1, 99)],
        )
        connection.executemany(
            "INSERT INTO results VALUES ('DCAP', NULL, 1, ?, 0, 0, ?)",
            list(enumerate(values, start=1)),
        )
        rows = connection.execute(
            f"SELECT * FROM ({result_queries.trend(points)}) AS found WHERE measure = 'DCAP'"
        ).fetchall()
    return dict(zip(NAMES, rows[0][5:], strict=True)) if rows else None


def test_the_line_of_taub_2018() -> None:
    found = line(TAUB)
    assert found is not None
    assert (round(found["intercept"], 5), round(found["slope"], 6)) == (0.36613, 0.011776)


@pytest.mark.skipif(not oracle.ORACLE.exists(), reason=oracle.ABSENT)
def test_the_published_trend() -> None:
    published = json.loads((oracle.ORACLE / "published" / "published.json").read_text())[
        "taub_2018_trend"
    ]
    assert published["y"] == TAUB
    found = line(published["y"])
    assert found is not None
    assert round(found["intercept"], 5) == published["intercept"]
    assert round(found["slope"], 6) == published["slope"]


@given(st.lists(st.floats(-1000, 1000).map(lambda y: round(y, 3)), min_size=3, max_size=12))
def test_a_line_is_that_of_scipy(values: list[float]) -> None:
    from scipy import stats

    found = line(list(values))
    assert found is not None
    if len(set(values)) == 1:
        assert found == {
            "points": len(values), "slope": 0, "slope_error": 0, "t": None, "intercept": values[0],
            "intercept_error": 0,
            "intercept_t": None,
        }  # fmt: skip
        return
    theirs = stats.linregress(np.arange(1, len(values) + 1), values)
    scale = max(map(abs, values))
    assert found["slope"] == pytest.approx(theirs.slope, rel=1e-9, abs=1e-12 * scale)
    assert found["intercept"] == pytest.approx(theirs.intercept, rel=1e-9, abs=1e-12 * scale)
    assert found["slope_error"] == pytest.approx(theirs.stderr, rel=1e-6, abs=1e-9 * scale)
    assert found["intercept_error"] == pytest.approx(
        theirs.intercept_stderr, rel=1e-6, abs=1e-9 * scale
    )
    if found["slope_error"] > 1e-6 * scale:
        assert found["t"] == pytest.approx(theirs.slope / theirs.stderr, rel=1e-5, abs=1e-9)
        p = p_value(found["t"], len(values) - 2)
        assert p == pytest.approx(theirs.pvalue, rel=1e-4, abs=1e-9)
        assert found["intercept_t"] == pytest.approx(
            theirs.intercept / theirs.intercept_stderr, rel=1e-5, abs=1e-9
        )


def test_p_is_that_of_student() -> None:
    """Twice the tail of Student's t: with one degree of freedom that of Cauchy, 1/2 -
    atan(t)/pi.
    """
    for t in (0.0, 0.5, -1.0, 12.7062047364):
        assert p_value(t, 1) == pytest.approx(1 - 2 * math.atan(abs(t)) / math.pi, rel=1e-9)
    assert p_value(2.2281388519649385, 10) == pytest.approx(0.05, rel=1e-9)
    assert p_value(None, 10) is None
    assert p_value(1.0, 0) is None


@pytest.mark.parametrize("values", [[1.0], [1.0, 4.0]])
def test_below_three_points_there_is_no_line(values: list[float]) -> None:
    assert line(list(values)) == dict.fromkeys(NAMES) | {"points": len(values)}


def test_a_measure_without_a_value_at_some_point_has_no_line() -> None:
    assert line([1.0, None, 2.0, 3.0]) is None
    assert line([1.0, 2.0, 4.0, 3.0]) is not None


def test_sums_that_differ_in_their_last_digits_alone_do_not_change() -> None:
    found = line([78.82, 78.82 + 3e-14, 78.82 - 2e-14])
    assert found is not None
    assert (found["slope"], found["slope_error"], found["t"]) == (0, 0, None)


WHOSE = ("measure", "at", "target", "population", "people", "weighted")


def by_line(report: sqlrisk.Report) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The values of a report by their synthesis, of each line."""
    values: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in report.results:
        values.setdefault(tuple(row[name] for name in WHOSE), {})[row["synthesis"]] = row["value"]
    return values


def fitted(values: dict[str, Any], row: dict[str, Any]) -> Any:
    """The line of scipy through the rows of a report that a trend is about."""
    from scipy import stats

    prefix = f"{row['method']} " if row["method"] else ""
    labels = [f"{prefix}1", *(f"{prefix}pooled 1-{m}" for m in range(2, row["points"] + 1))]
    return stats.linregress(range(1, row["points"] + 1), [values[label] for label in labels])


@pytest.mark.slow
def test_each_measure_has_the_line_of_its_rows() -> None:
    from scipy import stats

    report = sqlrisk.score(
        file(1),
        {"cart": [file(seed) for seed in (2, 3, 4)], "rf": [file(seed) for seed in (5, 6, 7, 8)]},
        by="sex",
        weights="weight",
        control=file(9),
        **QUESTION,
    )
    known = {
        (row["method"], row["population"], row["people"], row["weighted"]) for row in report.trends
    }
    assert {("cart", "all", "original", False), ("rf", "sex=f", "control", True)} <= known
    assert {row["points"] for row in report.trends if row["method"] == "rf"} == {4}
    assert {row["measure"] for row in report.trends} >= {"DCAP", "repU", "DiSCO", "CAP_at_least"}
    moving = 0
    rows: list[Any] = list(report.trends)
    values = by_line(report)
    for row in rows:
        theirs = fitted(values[tuple(row[name] for name in WHOSE)], row)
        assert row["slope"] == pytest.approx(theirs.slope, rel=1e-9, abs=1e-9), row
        assert row["intercept"] == pytest.approx(theirs.intercept, rel=1e-9), row
        assert row["df"] == row["points"] - 2
        assert "nested" in row["note"]
        if row["t"] is not None and row["slope_error"] > 1e-6:
            moving += 1
            assert row["p"] == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12), row
            t = theirs.intercept / theirs.intercept_stderr
            assert row["intercept_t"] == pytest.approx(t, rel=1e-6), row
            assert row["intercept_p"] == pytest.approx(
                2 * stats.t.sf(abs(t), row["df"]), rel=1e-6, abs=1e-12
            ), row
    assert moving > 50
    caps = [row for row in rows if row["measure"] in ("CAPd", "UiO", "Dorig")]
    assert caps
    assert all(
        (row["slope"], row["t"], row["p"], row["intercept_p"]) == (0, None, None, None)
        for row in caps
    )


def test_text_says_that_p_is_descriptive() -> None:
    report = sqlrisk.score(file(1), [file(2), file(3), file(4)], **QUESTION)
    page = report.to_text(width=100)
    words = " ".join(page.split())
    assert "Trend: what each further synthesis adds" in words
    assert "p is descriptive: the pooled files are nested" in words
    row = next(
        row for row in report.trends if (row["measure"], row["target"]) == ("DCAP", "income")
    )
    assert any(
        line.split()[:6:5] == ["DCAP", f"{row['slope']:.3f}"]
        and line.split()[2] == f"{row['intercept']:.3f}"
        for line in page.splitlines()
    )
    assert "| intercept p | slope value | slope std error |" in report.to_markdown()
    document = json.loads(report.to_json())
    assert document["trends"] == report.trends
    assert report.table("trends").to_csv().splitlines()[0].startswith("measure,at,target,method,")


@pytest.mark.slow
def test_two_syntheses_have_no_trend_and_the_text_says_so() -> None:
    report = sqlrisk.score(file(1), [file(2), file(3)], **QUESTION)
    assert {row["slope"] for row in report.trends} == {None}
    assert "A line needs three syntheses or more." in report.to_text()


@pytest.mark.slow
def test_copies_of_one_synthesis_change_nothing_and_the_text_says_so() -> None:
    report = sqlrisk.score(file(1), [file(2)] * 3, **QUESTION, measures=["DCAP"])
    assert {row["slope"] for row in report.trends} == {0}
    assert "No measure changes with the number of pooled syntheses." in report.to_text()


def test_lines_of_weighted_people_are_told_apart_and_a_small_p_is_no_zero() -> None:
    report = sqlrisk.score(file(1), [file(2), file(3), file(4)], **QUESTION, measures=["DCAP"])
    (row, *_) = (row for row in report.trends if row["slope"])
    shown = replace(
        report, trends=[row | {"p": 0.0004, "weighted": weighted} for weighted in (False, True)]
    ).to_text(width=120)
    found = [
        line.split()
        for line in shown.splitlines()
        if line.strip().startswith("DCAP ") and "<0.001" in line
    ]
    assert [[word for word in words if word in ("counted", "weighted")] for words in found] == [
        ["counted"],
        ["weighted"],
    ]


def test_nothing_is_fitted_unasked() -> None:
    report = sqlrisk.score(file(1), [file(2), file(3), file(4)], **QUESTION | {"trend": False})
    assert report.trends == []
    assert "trends" not in report.to_dict()
    assert "Trend" not in report.to_text()


def test_the_command_line_asks_for_it(files) -> None:  # noqa: F811
    three = ["syn.parquet", "syn2.parquet", "syn.parquet"]
    start = [
        "score",
        "orig.parquet",
        *three,
        "--keys",
        "sex,age",
        "--targets",
        "income",
        "--measures",
        "DCAP,DiSCO",
        "-q",
    ]
    code, out, err = command_line(*start, "--trend", "--format", "json", folder=files)
    assert (code, err) == (0, "")
    assert [row["measure"] for row in json.loads(out)["trends"]] == ["DiSCO", "DCAP"]
    code, out, err = command_line(*start, "--part", "trends", "--format", "csv", folder=files)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 3
