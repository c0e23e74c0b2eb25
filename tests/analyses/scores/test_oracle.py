"""Numbers that other people's programs computed, and numbers that papers print, through the public
API.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few, some

import sqlrisk

SHARED = oracle.shared_cases()
DEMO = {case.name: case for case in oracle.demo_cases()}
OWN = [case for case in SHARED if case.name not in DEMO]
LEVELS = ("Level", "target_level", "key_level")
absent = pytest.mark.skipif(not SHARED, reason=oracle.ABSENT)


def agree(report: sqlrisk.Report, case: oracle.Case) -> list[str]:
    """Every disagreement of a report with a case, in words."""
    wrong = []
    values = {
        (row["measure"], row["target"], row["synthesis"]): row["value"] for row in report.results
    }
    for number, expected in enumerate(case.expected, start=1):
        for measure, value in expected.items():
            about = None if (measure, None, str(number)) in values else case.target
            mine = values[measure, about, str(number)]
            if mine != (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)):
                wrong.append(f"{measure} of synthesis {number} is {mine}, not {value}")
    for check, per_synthesis in case.checks.items():
        for number, rows in enumerate(per_synthesis, start=1):
            theirs = oracle.check_rows(check, rows)
            mine_rows = [row for row in report.checks[check] if row["synthesis"] == str(number)]
            if rounded(mine_rows) != rounded(theirs):
                wrong.append(f"{check} of synthesis {number} is {mine_rows}, not {theirs}")
            npairs = [row.get("npairs", 0) for row in mine_rows]
            if npairs != sorted(npairs, reverse=True):
                wrong.append(f"{check} of synthesis {number} is not ordered by npairs: {npairs}")
    return wrong


def rounded(rows: list[dict[str, Any]]) -> set[tuple[tuple[str, object], ...]]:
    """Rows as a set: levels as text, numbers to ten digits, without the columns that say which
    check it is.
    """

    def plain(column: str, value: Any) -> object:
        if column in LEVELS and value is not None:
            return str(value)
        return float(f"{value:.10g}") if isinstance(value, int | float) else value

    return {
        tuple(
            sorted(
                (column, plain(column, value))
                for column, value in row.items()
                if column not in ("target", "synthesis")
            )
        )
        for row in rows
    }


@absent
@pytest.mark.parametrize("case", some(OWN[::16], OWN), ids=lambda case: case.name)
def test_a_case_of_the_oracle(case: oracle.Case) -> None:
    assert (
        agree(sqlrisk.score(case.original, list(case.synthetic), **oracle.arguments(case)), case)
        == []
    )


@absent
def test_the_cases_are_here() -> None:
    assert len(OWN) > len(DEMO) > 0


@absent
@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in SHARED if case.name in DEMO], ids=lambda case: case.name
)
def test_a_census_case_is_that_of_the_oracle(case: oracle.Case) -> None:
    """So that it is asked once, from this repository alone."""
    own = DEMO[case.name]
    for name in ("original", "synthetic"):
        assert tables(getattr(own, name)) == tables(getattr(case, name))
    assert (own.scenario, own.expected, own.checks) == (case.scenario, case.expected, case.checks)


def tables(files: Path | Sequence[Path]) -> list[pa.Table]:
    return [pq.read_table(file) for file in ([files] if isinstance(files, Path) else files)]


@pytest.mark.parametrize(
    "case", some([*DEMO.values()][:1], DEMO.values()), ids=lambda case: case.name
)
def test_a_census_case_without_the_oracle(case: oracle.Case) -> None:
    assert (
        agree(sqlrisk.score(case.original, list(case.synthetic), **oracle.arguments(case)), case)
        == []
    )


# ------------------------------------------------------------------------------------- figures
# printed by Raab (2024)


def printed(case: str, target: str, **exclusions: Any) -> dict[str, float]:
    """Values by measure of one of the papers' files; keys as in the paper."""
    folder = oracle.ORACLE / "cases" / case
    report = sqlrisk.score(
        folder / "original.parquet",
        folder / "syn_1.parquet",
        keys=["sex", "age", "region", "placesize"],
        targets=[target],
        measures=["attribute", "cap", "protection"],
        **exclusions,
    )
    values = {row["measure"]: row["value"] for row in report.results if row["at"] is None}
    return values | {"classes_in_original": report.original["classes"]}


def figures(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads(
        (oracle.ORACLE / "published" / "published.json").read_text()
    )[name]
    return figures


def digits(number: float) -> int:
    """Decimals of a printed number."""
    return len(str(number).partition(".")[2])


@absent
def test_table_1() -> None:
    table = figures("raab_2024_table_1")
    values = printed("sd_paper_depress", table["target"])
    assert {measure: round(values[measure], 2) for measure in table["rows"][0]} == table["rows"][0]
    assert {
        measure: round(values[measure], digits(v)) for measure, v in table["also"].items()
    } == table["also"]


@absent
@pytest.mark.parametrize("target", few(["income", "depress", "ls", "marital", "workab"], 2))
def test_table_3(target: str) -> None:
    row, case = next(
        (value, name.rpartition("oracle/cases/")[2].rpartition("(")[2].rstrip(")"))
        for name, value in figures("raab_2024_table_3_all").items()
        if name.startswith(f"{target} (")
    )
    values = printed(case, target)
    assert [round(values["DiSCO"], 2), round(values["DCAP"], 2)] == row


@absent
def test_table_3_without_the_level_that_most_people_have() -> None:
    values = printed("sd_k4_workab", "workab", exclude_level={"workab": ["NO"]})
    left = figures("raab_2024_table_3_all")["workab with level NO excluded"]
    assert {measure: round(values[measure], 2) for measure in left} == left


@absent
def test_section_5() -> None:
    values = printed("sd_k4_workab", "workab", exclude_level={"workab": ["NO"]})
    (known,) = (v for k, v in figures("raab_2024_section_5").items() if k.startswith("R_known"))
    assert {measure: round(values[f"R_known_{measure}"], 2) for measure in known} == known
