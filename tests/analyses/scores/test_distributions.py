"""How CAP and lift are distributed over people, against every person's own numbers, counted one by
one.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import people as slow
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from quickly import few

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask
from sqlrisk.plan import result_queries
from sqlrisk.report.sections.distributions import bar
from tests.analyses.scores.test_populations import file, region, rows_of
from tests.analyses.scores.test_properties import World, worlds
from tests.cli.test_cli import fails, files  # noqa: F401 - a fixture
from tests.cli.test_cli import sqlrisk as command_line

KEYS, TARGETS = ["sex", "town"], ["ill", "income"]
QUESTION: dict[str, Any] = {
    "keys": KEYS,
    "targets": TARGETS,
    "measures": "CAPd,DCAP,DCAP_matched",
    "distributions": True,
}
PERCENTS = (0, 5, 10, 25, 50, 75, 90, 95, 100)
CAP_ENDS = [(Fraction(n, 10), Fraction(n + 1, 10)) for n in range(10)]

Rows = list[dict[str, Any]]
Amounts = list[tuple[Fraction, Fraction]]  # amount, and the weight of the person who has it


def every(report: sqlrisk.Report) -> Rows:
    """The distributions of a report."""
    return list(report.distributions)


def amounts(persons: Sequence[tuple[slow.Person, Fraction]]) -> dict[str, Amounts]:
    """Each quantity's amounts."""
    found: dict[str, Amounts] = {
        "cap_original": [],
        "cap_synthetic": [],
        "cap_synthetic_matched": [],
        "lift": [],
    }
    for person, weight in persons:
        synthetic = person.cap_synthetic or Fraction(0)
        found["cap_original"].append((person.cap_original, weight))
        found["cap_synthetic"].append((synthetic, weight))
        if person.cap_synthetic is not None:
            found["cap_synthetic_matched"].append((person.cap_synthetic, weight))
        if person.cap_baseline:
            found["lift"].append((synthetic / person.cap_baseline, weight))
    return {
        name: [(amount, weight) for amount, weight in each if weight]
        for name, each in found.items()
    }


def quantile(have: Amounts, percent: int) -> float | None:
    """The least amount that so many percent have or stay below; the amounts are in order."""
    total, upto = sum(weight for _, weight in have), Fraction(0)
    for amount, weight in have:
        upto += weight
        if 100 * upto >= percent * total:
            return float(amount)
    return None


def bins_of(histogram: Rows) -> list[Callable[[Fraction], bool]]:
    """Whether a bin holds an amount, of each as the report says it; an amount with a bin of its own
    is in no other.
    """
    ends = [
        tuple(None if each[end] is None else Fraction(str(each[end])) for end in ("low", "high"))
        for each in histogram
    ]
    alone = {low for low, high in ends if low == high}
    return [
        lambda amount, low=low, high=high: (
            low == amount
            if low == high
            else amount not in alone and low <= amount and (high is None or amount < high)
        )
        for low, high in ends
    ]


def agree(row: dict[str, Any], have: Amounts) -> None:
    """A row of the report says what these people have."""
    together: dict[Fraction, Fraction] = {}
    for amount, weight in have:
        together[amount] = together.get(amount, Fraction(0)) + weight
    have = sorted(together.items())
    total = sum(weight for _, weight in have)
    assert row["counted"] == (
        pytest.approx(float(total), rel=1e-12) if isinstance(row["counted"], float) else total
    )
    mean = sum(amount * weight for amount, weight in have) / total if total else None
    assert row["mean"] == (None if mean is None else pytest.approx(float(mean), rel=1e-12))
    assert [each["percent"] for each in row["quantiles"]] == list(PERCENTS)
    assert [each["value"] for each in row["quantiles"]] == [
        quantile(have, percent) for percent in PERCENTS
    ]
    for each, inside in zip(row["histogram"], bins_of(row["histogram"]), strict=True):
        held = sum(weight for amount, weight in have if inside(amount))
        assert each["counted"] == pytest.approx(float(held), rel=1e-12), each
    assert sum(each["counted"] for each in row["histogram"]) == pytest.approx(
        float(total), rel=1e-12
    )


def test_every_number_is_that_of_its_people() -> None:
    report = sqlrisk.score(
        file(1), [file(2), file(3)], populations="all,uniques",
        population={"old": "age >= 40", "nobody": "age < 0"}, by="region",
        weights="weight", control=file(4, 90), **QUESTION,
    )  # fmt: skip
    original = rows_of(file(1))
    chosen: dict[str, Callable[[Any], bool]] = {
        "all": lambda each: True,
        "uniques": lambda each: each[0].n_orig_class == 1,
        "old": lambda each: (each[1]["age"] or 0) >= 40,
        "nobody": lambda each: False,
    }
    for level in {row["region"] for row in original}:
        name = "region missing" if level is None else f"region={level}"
        chosen[name] = lambda each, level=level: each[1]["region"] == level
    seeds = {"1": [2], "2": [3], "pooled 1-2": [2, 3]}

    @cache
    def counted(people: str, synthesis: str, target: str) -> list[Any]:
        """The people with what the slow enumeration finds of each."""
        asked = original if people == "original" else rows_of(file(4, 90))
        synthetic = [each for seed in seeds[synthesis] for each in rows_of(file(seed))]
        return list(zip(slow.people(asked, original, synthetic, KEYS, target), asked, strict=True))

    seen = set()
    for row in every(report):
        weighed = [
            (person, Fraction(each["weight"]) if row["weighted"] else Fraction(1))
            for person, each in counted(row["people"], row["synthesis"], row["target"])
            if chosen[row["population"]]((person, each))
        ]
        agree(row, amounts(weighed)[row["of"]])
        seen.add(
            tuple(
                row[name]
                for name in ("target", "synthesis", "population", "people", "weighted", "of")
            )
        )
    assert len(seen) == len(report.distributions) == 2 * 3 * len(chosen) * 2 * 2 * 4
    assert region(original[0]) in (True, False)


@pytest.mark.slow
@given(worlds(exclusions=False, most_syntheses=2))
def test_the_means_are_the_measures(world: World) -> None:
    report = world.score(distributions=True)
    values: dict[Any, Any] = {
        (row["measure"], row["target"], row["synthesis"]): row["value"] for row in report.results
    }
    for row in every(report):
        measure = {
            "cap_original": "CAPd",
            "cap_synthetic": "DCAP",
            "cap_synthetic_matched": "DCAP_matched",
        }.get(row["of"])
        if measure:
            value = values[measure, row["target"], row["synthesis"]]
            assert row["mean"] == (
                None if value is None else pytest.approx(value / 100, rel=1e-12, abs=1e-15)
            )


@pytest.mark.slow
@pytest.mark.parametrize("passes", [2, pytest.param(7, marks=pytest.mark.slow)])
def test_passes_add_up(passes: int) -> None:
    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return passes

    question = ask(file(1), [file(2), file(3)], {**QUESTION, "by": "sex", "max_cell": "6"})
    with DuckDB() as engine:
        whole = every(scoring.score(question, Session(engine)))
    with Passes() as engine:
        parts = every(scoring.score(question, Session(engine)))
    assert parts == [
        row | {"mean": row["mean"] and pytest.approx(row["mean"], rel=1e-12)} for row in whole
    ]


@pytest.mark.slow
def test_excluded_people_are_in_no_distribution() -> None:
    settings = QUESTION | {"targets": ["ill"], "exclude_level": {"ill": ["n"]}}
    rows = every(sqlrisk.score(file(1), file(2), **settings))
    original = rows_of(file(1))
    persons = slow.people(original, original, rows_of(file(2)), KEYS, "ill")
    left = [
        (person, Fraction(1))
        for person, row in zip(persons, original, strict=True)
        if row["ill"] != "n"
    ]
    for row in rows:
        agree(row, amounts(left)[row["of"]])


def test_a_worked_example() -> None:
    """Ten people: shares 1/10 of ten synthetic records meet the edge of a bin; equal shares of
    other sizes are one amount.
    """
    original = pa.table(
        {"k": ["a"] * 6 + ["b"] * 3 + ["c"], "t": ["y", *"nnnnn", "y", "y", "n", "y"]}
    )
    synthetic = pa.table(
        {"k": ["a"] * 10 + ["b"] * 20, "t": ["y"] + ["n"] * 9 + ["y"] * 2 + ["n"] * 18}
    )
    rows = every(
        sqlrisk.score(
            original, synthetic, keys="k", targets="t", measures="DCAP", distributions=True
        )
    )
    of = {row["of"]: row for row in rows}
    # CAP: y in a and in b 0.1 (1 + 2 people), n in a and in b 0.9 (5 + 1), y in c no match (1)
    histogram = {
        each["bin"]: each["counted"] for each in of["cap_synthetic"]["histogram"] if each["counted"]
    }
    assert histogram == {"[0,0.1)": 1, "[0.1,0.2)": 3, "[0.9,1)": 6}
    assert of["cap_synthetic"]["mean"] == pytest.approx((3 * 0.1 + 6 * 0.9) / 10)
    assert of["cap_synthetic_matched"]["counted"] == 9
    values = {each["percent"]: each["value"] for each in of["cap_synthetic"]["quantiles"]}
    assert (values[0], values[10], values[25], values[50], values[100]) == (0.0, 0.0, 0.1, 0.9, 0.9)
    # baseline: y 4/10, n 6/10; lift 0.25 (3), 1.5 (6), 0 (1)
    lifts = {each["bin"]: each["counted"] for each in of["lift"]["histogram"] if each["counted"]}
    assert lifts == {"0": 1, "(0,0.5)": 3, "[1.5,2)": 6}


@pytest.mark.slow
def test_a_quantile_by_weight_is_not_moved_by_rounding() -> None:
    """Three of four people have no match: their weights of 0.3 add up to 0.8999999999999999."""
    original = pa.table({"k": [*"abcd"], "t": [*"yyyy"], "weight": [0.3] * 4})
    synthetic = pa.table({"k": ["d"], "t": ["y"]})
    asked = {"keys": "k", "targets": "t", "measures": "DCAP", "weights": "weight"}
    rows = every(sqlrisk.score(original, synthetic, distributions=True, **asked))
    for row in (row for row in rows if row["of"] == "cap_synthetic"):
        values = {each["percent"]: each["value"] for each in row["quantiles"]}
        assert (values[75], values[90]) == (0.0, 1.0)


@pytest.mark.slow
def test_a_given_baseline_is_that_of_the_lift(tmp_path) -> None:
    pq.write_table(
        pa.table({"level": ["y", "n", "x"], "share": [0.25, 0.0, 0.75]}), tmp_path / "ill.parquet"
    )
    table = pa.table({"k": ["a", "a", "b"], "t": ["y", "n", "y"]})
    given = {"t": str(tmp_path / "ill.parquet")}
    rows = every(
        sqlrisk.score(
            table, table, keys="k", targets="t", measures="DCAP", distributions=True, baseline=given
        )
    )
    lift = next(row for row in rows if row["of"] == "lift")
    # n has no share, so no lift
    assert (lift["counted"], lift["mean"], lift["quantiles"][0]["value"]) == (2, 3.0, 2.0)


@pytest.mark.slow
def test_the_thousands_of_a_lift_are_separated(tmp_path) -> None:
    pq.write_table(
        pa.table({"level": ["y", "n"], "share": [0.0001, 0.9999]}), tmp_path / "ill.parquet"
    )
    table = pa.table({"k": ["a", "a", "b"], "t": ["y", "n", "y"]})
    asked = {"keys": "k", "targets": "t", "baseline": {"t": str(tmp_path / "ill.parquet")}}
    report = sqlrisk.score(table, table, measures="DCAP", distributions=True, **asked)
    assert "10,000.00" in report.to_text(width=160)
    assert "10,000.00 times the baseline (lift)" in " ".join(
        sqlrisk.explain(table, table, record=3, **asked).to_text().split()
    )


@pytest.mark.slow
def test_nothing_is_computed_unasked() -> None:
    report = sqlrisk.score(file(1), file(2), **QUESTION | {"distributions": False})
    assert report.distributions == []
    assert "distributions" not in report.to_dict()
    with pytest.raises(
        sqlrisk.InputError, match=r"no distributions: ask for them with --distributions"
    ):
        report.table("distributions")
    with pytest.raises(
        sqlrisk.InputError,
        match=r"no part 'distribution' of a report \(did you mean 'distributions'",
    ):
        report.table("distribution")
    statements: list[str] = []
    sqlrisk.score(
        file(1),
        file(2),
        trace=lambda sql, _: statements.append(sql),
        **QUESTION | {"distributions": False},
    )
    assert not [sql for sql in statements if "person_caps" in sql]


def test_the_bins_cover_every_amount_once() -> None:
    for bins in (result_queries.CAP_BINS, result_queries.LIFT_BINS):
        assert [each.number for each in bins] == list(range(len(bins)))
        for each, following in pairwise(bins):
            assert each.high == following.low
    assert [each.text for each in result_queries.LIFT_BINS][:3] == ["0", "(0,0.5)", "[0.5,1)"]
    assert [each.text for each in result_queries.CAP_BINS][-2:] == ["[0.9,1)", "1"]
    assert result_queries.LIFT_BINS[-1].text == "[100,...)"


# ---- print
# -------------------------------------------------------------------------------------------------


def test_a_bar_is_as_long_as_its_share() -> None:
    assert (bar(0, 50), bar(50, 50), bar(25, 50), bar(0.001, 50), bar(5, 0)) == (
        "",
        "█" * 20,
        "█" * 10,
        "▏",
        "",
    )


@pytest.mark.parametrize("width", few([40, 80, 120]))
def test_text_draws_the_widest_pool(width: int) -> None:
    report = sqlrisk.score(file(1), [file(2), file(3)], populations="all,uniques", **QUESTION)
    page = report.to_text(width=width)
    part = page[page.index("Person by person") :]
    assert max(map(len, part.splitlines())) <= width
    assert "ill, pooled 1-2: 150 people" in page
    assert "ill, synthesis 1" not in page
    row = next(
        row
        for row in every(report)
        if (row["synthesis"], row["of"]) == ("pooled 1-2", "cap_original")
    )
    share = 100 * row["histogram"][-1]["counted"] / 150
    assert f"{share:.2f}" in part.split()
    assert "█" in page
    assert "| CAP | original percent | original of people |" in report.to_markdown()


@pytest.mark.slow
def test_csv_and_json_hold_every_number() -> None:
    report = sqlrisk.score(file(1), [file(2), file(3)], **QUESTION)
    table = report.table("distributions")
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert len(rows) == sum(
        2 + len(row["quantiles"]) + len(row["histogram"]) for row in every(report)
    )
    mean = next(row for row in rows if row["statistic"] == "mean" and row["of"] == "lift")
    assert float(mean["value"]) == next(row["mean"] for row in every(report) if row["of"] == "lift")
    document = json.loads(report.to_json())
    assert document["distributions"] == report.distributions
    assert document["scenario"]["distributions"] is True
    assert table.to_pandas()["value"].notna().sum() == sum(row["value"] != "" for row in rows)


@pytest.mark.slow
def test_the_command_line_asks_for_them(files) -> None:  # noqa: F811
    start = ["score", "orig.parquet", "syn.parquet", "--keys", "sex,age", "--targets", "income"]
    code, out, err = command_line(*start, "--distributions", folder=files)
    assert (code, err) == (0, "")
    assert "Person by person" in out
    code, out, err = command_line(
        *start, "--part", "distributions", "-o", "d.parquet", folder=files
    )
    assert (code, out, err) == (0, "", "")
    table = pq.read_table(files / "d.parquet")
    assert table.column_names[-5:] == ["statistic", "percent", "low", "high", "value"]
    (files / "s.toml").write_text("distributions = true\n")
    code, out, err = command_line(*start, "--scenario", "s.toml", "--format", "json", folder=files)
    assert json.loads(out)["distributions"]
    (files / "s.toml").write_text('distributions = "yes"\n')
    assert "expected true or false" in fails(*start, "--scenario", "s.toml", folder=files)
    code, out, _ = command_line(*start, "--distributions", folder=files, PYTHONIOENCODING="ascii")
    assert code == 0
    assert "###" in out


# ---- shares of levels
# --------------------------------------------------------------------------------------------------


def test_shares_count_the_levels_of_every_file() -> None:
    levels = [str(n % 13) if n % 13 else None for n in range(400)]
    more = [*levels[:50], "only here"]
    original, synthetic = (
        pa.table({"k": ["k"] * len(each), "t": pa.array(each, pa.string())})
        for each in (levels, more)
    )
    report = sqlrisk.score(
        original, [synthetic, original], keys="k", targets="t", measures="DCAP", distributions=True
    )
    for label, records in (("original", levels), ("1", more), ("2", levels)):
        own = [row for row in report.shares if row["file"] == label]
        shown = [row for row in own if not row["rest"]]
        counts = Counter(records)
        assert len(shown) == 10
        assert {row["level"]: row["records"] for row in shown} == {
            row["level"]: counts[row["level"]] for row in shown
        }
        assert sum(row["records"] for row in own) == len(records)
        assert sum(row["percent"] for row in own) == pytest.approx(100)
        assert [row["rest"] for row in own] == [False] * 10 + [True]
    first = [row for row in report.shares if row["file"] == "original" and not row["rest"]]
    assert [row["records"] for row in first] == sorted(
        (row["records"] for row in first), reverse=True
    )
    assert report.to_dict()["shares"] == report.shares
