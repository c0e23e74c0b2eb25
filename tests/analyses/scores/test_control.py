"""What the synthesis added: original against control, with other people's intervals and tests, and
each person's own values.
"""

import json
import random
import sys
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal, getcontext
from itertools import product
from pathlib import Path
from typing import Any

import oracle
import people as slow
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import catalog
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask
from sqlrisk.report.blocks import Grid
from sqlrisk.report.papers.taub_section4 import COLUMNS, differential
from tests.analyses.scores.test_populations import KEYS, POPULATIONS, TARGETS, file, rows_of

absent = pytest.mark.skipif(not oracle.ORACLE.exists(), reason=oracle.ABSENT)
Values = Sequence[float]


def added(report: sqlrisk.Report) -> list[dict[str, Any]]:
    """What the synthesis added, as rows to reckon with."""
    return list(report.differences)


def place(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        row[name] for name in ("measure", "at", "target", "synthesis", "population", "weighted")
    )


# ---- proportions: Wilson's rates, and the error of the adjusted risk
# -------------------------------------------------


def attack(n: int, successes: int, control: int) -> dict[str, Any]:
    """The row of DiSCO where it is right for some of n people, and for some of n people
    of control.
    """
    found = [*range(successes), *range(n, n + control)]
    report = sqlrisk.score(
        pa.table({"key": range(n), "ill": ["y"] * n}),
        pa.table({"key": [-1, *found], "ill": ["y"] * (1 + len(found))}),
        control=pa.table({"key": range(n, 2 * n), "ill": ["y"] * n}),
        keys="key",
        targets="ill",
        measures="DiSCO",
        confidence=attack.level,  # type: ignore[attr-defined]
    )
    (row,) = added(report)
    assert report["DiSCO"].rows[0]["numerator"] == successes
    return row


def confidence_cases() -> list[Any]:
    path = oracle.ORACLE / "anonymeter" / "confidence.json"
    return json.loads(path.read_text()) if path.exists() else [None]


@absent
@pytest.mark.parametrize("case", few(confidence_cases()))
def test_intervals_of_anonymeter(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers are clipped to 0 to 1, ours are not; its risk is our adjusted_centre."""
    monkeypatch.setattr(attack, "level", case["confidence_level"], raising=False)
    row = attack(case["n_attacks"], case["n_success"], case["n_control"] or 0)

    def clipped(*numbers: float) -> list[Any]:
        return [pytest.approx(min(max(number, 0), 1), rel=1e-9, abs=1e-12) for number in numbers]

    rate, error = row["original_rate"], row["original_error"]
    assert [rate, error] == pytest.approx(case["attack_rate"], rel=1e-12)
    if case["n_control"] is None:
        assert [case["risk"], *case["risk_ci"]] == clipped(rate, rate - error, rate + error)
        return
    assert [row["control_rate"], row["control_error"]] == pytest.approx(
        case["control_rate"], rel=1e-12
    )
    assert [case["risk"], *case["risk_ci"]] == clipped(
        row["adjusted_centre"], row["adjusted_low"], row["adjusted_high"]
    )
    assert (row["adjusted_low"] + row["adjusted_high"]) / 2 == pytest.approx(row["adjusted_centre"])
    assert row["adjusted_high"] - row["adjusted_centre"] == pytest.approx(row["adjusted_error"])


@pytest.mark.parametrize(
    ("n", "successes", "control", "adjusted"),
    [
        (4, 3, 2, 1 / 2),
        (4, 2, 3, -1.0),
        (4, 4, 3, 1.0),
        (4, 0, 0, 0.0),
        (5, 2, 2, 0.0),
        (4, 1, 4, None),
        (4, 4, 4, None),
    ],
)
def test_the_adjusted_risk_is_of_the_raw_shares(
    n: int, successes: int, control: int, adjusted: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(r - c) / (1 - c); nothing where control leaves nothing, and negative where
    control has more.
    """
    monkeypatch.setattr(attack, "level", None, raising=False)
    row = attack(n, successes, control)
    assert row["adjusted"] == (None if adjusted is None else pytest.approx(adjusted, abs=1e-15))
    assert row["difference"] == pytest.approx(100 * (successes - control) / n)
    assert (row["original"], row["control"]) == (100 * successes / n, 100 * control / n)


@pytest.mark.slow
def test_certainty_in_a_sum_of_ratios_leaves_nothing() -> None:
    """Weighted by people, a mean of ones may miss 1 by the last digits."""
    rng = random.Random(1)  # noqa: S311 - no secret
    town = [str(number % 50) for number in range(400)]
    table = pa.table({"town": town, "ill": town, "weight": [rng.random() / 3 for _ in town]})
    half = table.filter(pa.array([number % 2 == 0 for number in range(400)]))
    report = sqlrisk.score(
        half,
        table,
        control=table,
        keys="town",
        targets="ill",
        weights="weight",
        measures="DCAP,DiSCO",
    )
    assert [row["control"] for row in added(report)] == [pytest.approx(100)] * 4
    assert [row["adjusted"] for row in added(report)] == [None] * 4
    assert [row["t"] for row in added(report)] == [None] * 4


# ---- means: every person's value, and other people's test
# ------------------------------------------------------------


def values(each: slow.Person, measure: str, at: float | None, counted: bool) -> float:
    """A person's value in a mean."""
    if measure == "baseCAPd":  # ignores exclusions
        return float(each.cap_baseline)
    if not counted:
        return 0.0
    if measure == "baseCAPd_counted":
        return float(each.cap_baseline)
    if measure == "CAP_at_least":
        return (
            float(each.cap_synthetic or 0)
            if each.cap_synthetic and float(each.cap_synthetic) >= float(at or 0)
            else 0.0
        )
    if measure == "CAPd-DCAP":
        return float(each.cap_original - (each.cap_synthetic or 0))
    if measure == "Dorig-DiSCO":
        return float(int(each.disclosive_original) - int(each.correct))
    return float(each.value(measure))


MEANS = [each.name for each in catalog() if each.each is not None and each.stage == "cells"]


class Passes(DuckDB):
    wanted = 1

    def passes(self, *counts: Any, **named: Any) -> int:
        return self.wanted


def chosen() -> dict[str, Callable[[slow.Person, dict[str, Any]], bool]]:
    """Populations by name."""
    found: dict[str, Callable[[slow.Person, dict[str, Any]], bool]] = {
        "all": lambda person, row: True,
        "uniques": lambda person, row: person.n_orig_class == 1,
        "old": lambda person, row: POPULATIONS["old"][1](row),
        "sex missing": lambda person, row: row["sex"] is None,
    }
    return found | {f"sex={sex}": lambda person, row, sex=sex: row["sex"] == sex for sex in "fm"}


@pytest.mark.slow
@pytest.mark.parametrize("passes", [1, 7])
@pytest.mark.parametrize(
    ("settings", "excluded"),
    [
        ({}, lambda row: False),
        (
            {"exclude_level": {"ill": ["y"]}, "exclude_missing": ["town"]},
            lambda row: row["ill"] == "y" or row["town"] is None,
        ),
    ],
    ids=["everybody", "exclusions"],
)
def test_welch_of_every_person_s_value(
    passes: int, settings: dict[str, Any], excluded: Any
) -> None:
    question = ask(
        file(1),
        [file(2), file(3)],
        {
            "keys": KEYS,
            "targets": ["ill"],
            "measures": MEANS,
            "populations": "all,uniques",
            "by": "sex",
            **settings,
        }
        | {"population": {"old": POPULATIONS["old"][0]}},
        control=file(4, 90),
    )
    with Passes() as engine:
        engine.wanted = passes
        report = scoring.score(question, Session(engine))
    original, control = rows_of(file(1)), rows_of(file(4, 90))
    seen = 0
    for synthesis, seeds in {"1": [2], "2": [3], "pooled 1-2": [2, 3]}.items():
        synthetic = [row for seed in seeds for row in rows_of(file(seed))]
        groups = [
            list(zip(slow.people(group, original, synthetic, KEYS, "ill"), group, strict=True))
            for group in (original, control)
        ]
        for row in added(report):
            if row["synthesis"] != synthesis:
                continue
            test = chosen()[row["population"]]
            first, second = (
                [
                    values(person, row["measure"], row["at"], not excluded(each))
                    for person, each in group
                    if test(person, each) and person.among(row["measure"])
                ]
                for group in groups
            )
            if not (first and second):  # nobody has others among those who are alone
                assert [row["original_rate"], row["control_rate"]] == [
                    sum(each) / len(each) if each else None for each in (first, second)
                ]
                assert (row["t"], row["df"], row["p"]) == (None, None, None)
                continue
            assert row["original_rate"] == pytest.approx(sum(first) / len(first), abs=1e-12)
            assert row["control_rate"] == pytest.approx(sum(second) / len(second), abs=1e-12)
            assert row["original"] == pytest.approx(100 * sum(first) / len(first), abs=1e-10)
            if not (spread(first) or spread(second)):
                assert (row["t"], row["df"], row["p"]) == (None, None, None)
                continue
            theirs = welch(first, second)
            assert row["t"] == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9), place(row)
            assert row["df"] == pytest.approx(theirs.df, rel=1e-9), place(row)
            assert row["p"] == pytest.approx(theirs.pvalue, rel=1e-7), place(row)
            errors = [
                1.959963984540054 * (spread(group) / len(group)) ** 0.5 for group in (first, second)
            ]
            assert [row["original_error"], row["control_error"]] == pytest.approx(
                errors, rel=1e-9, abs=1e-12
            )
            mean, other = sum(first) / len(first), sum(second) / len(second)
            assert row["adjusted"] == pytest.approx((mean - other) / (1 - other), abs=1e-12)
            wide = (errors[0] / (1 - other)) ** 2 + (errors[1] * (mean - 1) / (1 - other) ** 2) ** 2
            assert row["adjusted_error"] == pytest.approx(wide**0.5, rel=1e-9, abs=1e-12)
            seen += 1
    assert seen > 150


def test_p_needs_no_library_of_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = {each for each in sys.modules if each.partition(".")[0] in ("scipy", "sklearn")}
    for name in {*loaded, "scipy", "sklearn"}:
        monkeypatch.setitem(sys.modules, name, None)  # whoever imports it fails
    report = sqlrisk.score(
        file(1), file(2), control=file(4, 90), keys=KEYS, targets=["ill"], measures="DiSCO,DCAP"
    )
    (found,) = (row["p"] for row in added(report) if row["measure"] == "DCAP")
    assert 0 < found < 1
    assert f"{found:.4f}" in report.to_text(width=130)


def welch(first: Values, second: Values) -> Any:
    """Scipy's test; it warns where the values of one group are all the same."""
    from scipy.stats import ttest_ind

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return ttest_ind(first, second, equal_var=False)


def spread(numbers: Values) -> float:
    """The variance, 0 where it is only rounding."""
    mean = sum(numbers) / len(numbers)
    found = sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)
    return found if found > 1e-24 else 0.0


@pytest.mark.parametrize(
    ("seeds", "settings"),
    [
        pytest.param([2, 3], {}, marks=pytest.mark.slow),
        (
            [2],
            {"exclude_level": {"ill": ["y"]}, "max_cell": 7, "exclude_missing": ["town", "income"]},
        ),
    ],
    ids=["pooled", "exclusions"],
)
@pytest.mark.slow
def test_each_person_s_value_makes_the_measure(seeds: list[int], settings: dict[str, Any]) -> None:
    """What a header says of one person, summed, is what the SELECT sums, for every measure and
    population.
    """
    report = sqlrisk.score(
        file(1), [file(seed) for seed in seeds], control=file(4, 90), keys=[*KEYS, "age"],
        targets=TARGETS, by="sex",
        weights="weight", measures=catalog().families, populations="all,uniques",
        within="income=1,age=3", link="sex,town/age",
        universe=file(5, 300), **settings,
    )  # fmt: skip
    means = {measure.name: measure.factor for measure in catalog() if measure.each is not None}
    found = [row for row in added(report) if row["measure"] in means and not row["weighted"]]
    assert {row["measure"] for row in found} == set(means)
    for row in found:
        for side in ("original", "control"):
            rate, value = row[f"{side}_rate"], row[side]
            assert (rate is None) == (value is None)
            if rate is not None:
                assert means[row["measure"]] * rate == pytest.approx(value, rel=1e-12, abs=1e-11), (
                    place(row)
                )


def test_no_interval_where_there_is_none_to_have() -> None:
    """A count, a mean count, a mean over cells, a bound, a measure made of others, a weighted
    row.
    """
    report = sqlrisk.score(
        file(1),
        file(2),
        control=file(4, 90),
        keys=KEYS,
        targets=["ill"],
        weights="weight",
        measures="max_denom,mean_denom,GCAP_no_higher,copies_per_person,DCAP_scaled,DCAP",
    )
    rows_of_each = {(row["measure"], row["weighted"]): row for row in added(report)}
    weighable = ("GCAP_no_higher", "copies_per_person", "DCAP_scaled", "DCAP")
    assert set(rows_of_each) == {("max_denom", False), ("mean_denom", False)} | {
        *product(weighable, (False, True))
    }
    assert rows_of_each["DCAP", False]["p"] is not None
    for key, row in rows_of_each.items():
        if key != ("DCAP", False):
            assert {
                row[name]
                for name in (
                    "original_rate",
                    "control_error",
                    "adjusted_low",
                    "adjusted_error",
                    "t",
                    "df",
                    "p",
                )
            } == {None}
    biggest = rows_of_each["max_denom", False]
    assert biggest["difference"] == biggest["original"] - biggest["control"]
    assert isinstance(biggest["difference"], int)
    for key, row in rows_of_each.items():
        if key[0] in ("max_denom", "mean_denom", "copies_per_person"):
            assert row["adjusted"] is None
            continue
        r, c = row["original"] / 100, row["control"] / 100
        assert row["adjusted"] == pytest.approx((r - c) / (1 - c), rel=1e-12)


# ---- the rows of results
# ---------------------------------------------------------------------------------------------


def test_the_result_rows_of_what_was_added() -> None:
    report = sqlrisk.score(
        file(1),
        [file(2), file(3)],
        control=file(4, 90),
        keys=KEYS,
        targets=["ill"],
        weights="weight",
        by="sex",
        measures="UiS,repU,DCAP,max_denom",
    )
    first = [
        row
        for row in report.results
        if row["synthesis"] == "1" and row["population"] == "all" and row["measure"] == "DCAP"
    ]
    assert [(row["people"], row["weighted"]) for row in first] == [
        (who, weighted)
        for who in ("original", "control", "difference", "adjusted")
        for weighted in (False, True)
    ]
    assert {row["unit"] for row in first} == {
        "percent of original records",
        "proportion of what is left above control",
    }
    keys = [
        tuple(
            row[name]
            for name in ("measure", "at", "target", "synthesis", "population", "people", "weighted")
        )
        for row in report.results
    ]
    assert len(set(keys)) == len(keys)
    new: list[dict[str, Any]] = [
        row for row in report.results if row["people"] in ("difference", "adjusted")
    ]
    assert {row["synthesis"] for row in new} == {"1", "2", "pooled 1-2"}
    assert {row["measure"] for row in new} == {"repU", "DCAP", "max_denom"}
    assert {row["measure"] for row in new if row["people"] == "adjusted"} == {"repU", "DCAP"}
    assert {row[side] for row in new for side in ("numerator", "denominator")} == {None}
    found = {place(row): row for row in added(report)}
    assert all(row["value"] == found[place(row)][row["people"]] for row in new)
    assert len(report.to_pandas()) == len(report.results)
    document: dict[str, Any] = report.to_dict()
    assert [each["measure"] for each in document["differences"]] == [
        row["measure"] for row in added(report)
    ]
    assert list(document)[9:11] == ["results", "differences"]


def test_without_control_there_is_nothing_of_it() -> None:
    statements: list[str] = []
    report = sqlrisk.score(
        file(1), file(2), keys=KEYS, targets=["ill"], trace=lambda sql, _: statements.append(sql)
    )
    assert added(report) == []
    assert "differences" not in report.to_dict()
    assert not any("moments" in statement for statement in statements)
    assert "Added risk" not in report.to_text()


@pytest.mark.slow
def test_a_population_without_people_has_no_numbers() -> None:
    report = sqlrisk.score(
        file(1),
        file(2),
        control=file(4, 90),
        keys=KEYS,
        targets=["ill"],
        measures="DCAP,DiSCO",
        population={"nobody": "age < 0"},
    )
    nobody = [row for row in added(report) if row["population"] == "nobody"]
    assert [row["measure"] for row in nobody] == ["DiSCO", "DCAP"]
    for row in nobody:
        assert {
            value
            for name, value in row.items()
            if name not in ("measure", "target", "synthesis", "population", "weighted")
        } == {None}


# ---- how it reads
# --------------------------------------------------------------------------------------------------


def test_the_text_says_what_it_means() -> None:
    settings: dict[str, Any] = {
        "keys": KEYS,
        "targets": ["ill"],
        "measures": "repU,DiSCO,DCAP",
        "confidence": 0.9,
    }
    report = sqlrisk.score(file(1), [file(2), file(3)], control=file(4, 90), **settings)
    words = report.to_text(width=130)
    assert "with its 90 % interval" in " ".join(words.split())
    assert "If as much is revealed about them, the synthesis did not add the risk" in " ".join(
        words.split()
    )
    section = words[words.index("Added risk") :]
    row = next(
        r for r in added(report) if r["measure"] == "DCAP" and r["synthesis"] == "pooled 1-2"
    )
    line = next(
        line.replace(",", "").split()
        for line in section.splitlines()
        if line.split()[:1] == ["DCAP"]
    )
    numbers = [row[name] for name in ("original", "control", "difference")]
    numbers += [100 * row[name] for name in ("adjusted", "adjusted_low", "adjusted_high")]
    assert line == ["DCAP", *(f"{number:.2f}" for number in numbers), f"{row['p']:.4f}"]
    first = next(
        r for r in added(report) if r["measure"] == "DiSCO" and r["synthesis"] == "pooled 1-2"
    )
    said = [
        (
            f"Ill, by the files pooled, is revealed for {first['original']:.2f} % of the people in "
            "the synthesis, and "
            f"for {first['control']:.2f} % of people who were not in it"
        )
    ]
    by_chance = first["adjusted_low"] <= 0 <= first["adjusted_high"]
    said.append(
        "Chance may explain this difference" if by_chance else "which chance does not explain"
    )
    assert all(each in said_before_rows(report) for each in said)
    assert "Of people who were not in the synthesis, the same is revealed for " in " ".join(
        words[: words.index("Reservations")].split()
    )
    del settings["confidence"]
    alone = sqlrisk.score(file(1), [file(2), file(3)], **settings).to_text(width=130)
    shared = [part.split("──")[0] for part in alone.split("\n\n")[2:]]
    # findings speak of control, too
    shared = [part for part in shared if "Notes" not in part and "•" not in part]
    assert len(shared) > 5
    assert all(part in words for part in shared)  # the other tables are of the original


def of_one_town(right: int, people: int) -> pa.Table:
    return pa.table({"town": ["a"] * right + ["b"] * (people - right), "ill": ["y"] * people})


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        # all of 3 are right, and 1 of 2: p is 0.5, though the interval of adjusted is 100 to 100
        (((3, 3), (1, 2)), ". Chance may explain this difference."),
        (((300, 300), (100, 200)), ". That is 50.00 points more, which chance does not explain."),
        (((100, 200), (300, 300)), ". That is 50.00 points less, which chance does not explain."),
        # everybody and nobody: there is no variance, and no test
        (((3, 3), (0, 3)), "% of people who were not in it."),
    ],
)
def test_means_are_judged_by_their_test(sides: Any, said: str) -> None:
    inside, outside = (of_one_town(*side) for side in sides)
    synthetic = pa.table({"town": ["a"], "ill": ["y"]})
    report = sqlrisk.score(
        inside, synthetic, control=outside, keys="town", targets="ill", measures="DCAP"
    )
    (row,) = report.differences
    words = said_before_rows(report)
    assert said in words
    assert words.count("hance") == (row["p"] is not None)


def test_the_rows_that_decide_come_first() -> None:
    report = sqlrisk.score(
        file(1), file(2), control=file(4, 90), keys=KEYS, targets=["ill"],
        measures="Dorig,CAPd,baseCAPd,DCAP,DiSCO",
    )  # fmt: skip
    section = report.to_text(width=130).partition("Added risk")[2]
    table = [line.split()[0] for line in section.splitlines() if line.startswith("  ")]
    measures = [each for each in table if each in {row["measure"] for row in added(report)}]
    assert measures[:2] == ["DiSCO", "DCAP"]
    assert {*measures} >= {"Dorig", "CAPd"}


@pytest.mark.slow
def test_an_external_report_says_nothing_of_chance() -> None:
    """It has the two shares, rounded, and no interval: nobody can say from it what
    chance explains.
    """
    sides = [pa.concat_tables([file(seed, rows)] * 9) for seed, rows in ((1, 60), (2, 60), (4, 90))]
    report = sqlrisk.score(
        sides[0], sides[1], control=sides[2], keys=KEYS[:1], targets=["ill"], measures="DiSCO,DCAP"
    )
    inside, outside = (said_before_rows(each) for each in (report, report.external()))
    assert all("of people who were not in it" in said for said in (inside, outside))
    assert "Chance may explain this difference" in inside
    assert "hance" not in outside
    # fewer than 15 of about 540 and 810 people: as page one says it
    assert "revealed for <2.62 % of the people in the synthesis, and for <1.74 % of" in outside


def said_before_rows(report: sqlrisk.Report) -> str:
    """Return what the section about control says before the rows of its table."""
    _, heading, rest = report.to_text().partition("\nAdded risk ─")
    said, rows, _ = rest.partition("\n  measure  original  control ")
    assert heading
    assert rows
    return " ".join(said.split())


# ---- taub4
# --------------------------------------------------------------------------------------------------


def rows(report: sqlrisk.Report) -> list[dict[str, Any]]:
    table = differential(report)
    assert table.columns == list(COLUMNS)
    return [dict(zip(COLUMNS, row, strict=True)) for row in table.rows]


def halves(report: sqlrisk.Report) -> list[list[str]]:
    """Those in the synthesis and those outside: records and classes, as they are told."""
    grid = differential(report).blocks[1]
    assert isinstance(grid, Grid)
    return [[row[0], *row[2:]] for row in grid.rows]


def test_taub4_has_both_rules_by_number_of_pooled_syntheses() -> None:
    report = sqlrisk.score(
        file(1),
        [file(2), file(3), file(5)],
        control=file(4, 90),
        keys=KEYS,
        targets=TARGETS,
        measures="DCAP,DCAP_matched",
    )
    assert halves(report) == [
        ["in", "150", str(report.original["classes"])],
        ["out", "90", str(report.control["classes"])],
    ]
    table = rows(report)
    assert [(row["target"], row["m"]) for row in table] == [
        (target, m) for target in TARGETS for m in (1, 2, 3)
    ]
    original, control = rows_of(file(1)), rows_of(file(4, 90))
    for row in table:
        synthetic = [each for seed in [2, 3, 5][: row["m"]] for each in rows_of(file(seed))]
        halves_of = [
            slow.people(group, original, synthetic, KEYS, row["target"])
            for group in (original, control)
        ]
        for rule, matched in (("zero", False), ("left_out", True)):
            first, second = (
                [float(p.cap_synthetic or 0) for p in half if not matched or p.n_syn_class]
                for half in halves_of
            )
            theirs = welch(first, second)
            means = 100 * sum(first) / len(first), 100 * sum(second) / len(second)
            assert (row[f"{rule}_in"], row[f"{rule}_out"]) == pytest.approx(means, rel=1e-12)
            assert row[f"{rule}_difference"] == pytest.approx(means[0] - means[1], rel=1e-9)
            assert [row[f"{rule}_{name}"] for name in ("t", "df", "p")] == pytest.approx(
                [theirs.statistic, theirs.df, theirs.pvalue], rel=1e-9
            )


@pytest.mark.slow
def test_taub4_of_a_split_by_name_and_population() -> None:
    methods = {"cart": [file(2), file(3)], "my rf": [file(5)]}
    report = sqlrisk.score(
        file(1),
        methods,
        split="region",
        split_in="east",
        keys=KEYS,
        targets=["ill"],
        by="sex",
        measures="DCAP,DCAP_matched",
    )
    table = rows(report)
    populations = [row["population"] for row in added(report)[:1]] + [
        "sex missing",
        "sex=f",
        "sex=m",
    ]
    assert [(row["population"], row["method"], row["m"]) for row in table] == [
        (population, method, m)
        for population in populations
        for method, m in (("cart", 1), ("cart", 2), ("my rf", 1))
    ]
    words = differential(report).to_text(width=150)
    assert sum(int(records) for _, records, _ in halves(report)) == 150
    assert "sex=f        cart" in words
    assert f"{table[0]['zero_in']:.2f}  {table[0]['zero_out']:.2f}" in words
    assert words.count("non-matches left out") == 1


@pytest.mark.parametrize(("control", "measures"), [(None, "cap"), (4, "DCAP")])
def test_taub4_needs_control_and_both_rules(control: int | None, measures: str) -> None:
    report = sqlrisk.score(
        file(1),
        file(2),
        keys=KEYS,
        targets=["ill"],
        measures=measures,
        control=control and file(control),
    )
    with pytest.raises(sqlrisk.InputError, match=r"taub4 compares .* --control FILE"):
        differential(report)


# ---- a measure of one's own
# ------------------------------------------------------------------------------------------

OWN = """/*---
name    = "half"
title   = "Half of what DCAP counts"
formula = "an example"
source  = "an example"
scale   = "percent"
kind    = "mean over people"
unit    = "percent"
higher  = "more risk"
order   = 1
says    = "{value}"
raises  = "Nothing."
do      = "Nothing."
risky   = "n_syn > 0 AND n_orig > 0"
EXTRA
---*/
SELECT
    COALESCE(SUM(CASE WHEN {{ risky }} THEN counted_orig * share_syn / 2 ELSE 0 END), 0)
        AS numerator,
    SUM(CASE WHEN n_syn_class > 0 THEN people ELSE 0 END) AS denominator
FROM {{ cells }}
"""


def own(folder: Path, extra: str, body: tuple[str, str] = ("", "")) -> Path:
    (folder / "half.sql").write_text(OWN.replace("EXTRA", extra).replace(*body))
    return folder


@pytest.mark.slow
def test_a_measure_of_one_s_own_has_means(tmp_path: Path) -> None:
    extra = """each = "CASE WHEN {{ risky }} THEN share_syn / 2 END"\namong = "n_syn_class > 0" """
    settings: dict[str, Any] = {"keys": KEYS, "targets": ["ill"], "control": file(4, 90)}
    report = sqlrisk.score(
        file(1),
        file(2),
        measures="half,DCAP_matched",
        measures_from=str(own(tmp_path, extra)),
        **settings,
    )
    published, mine = added(report)
    assert mine["original"] == pytest.approx(published["original"] / 2)
    assert (mine["t"], mine["df"]) == pytest.approx((published["t"], published["df"]))
    assert mine["original_error"] == pytest.approx(published["original_error"] / 2)


@pytest.mark.parametrize(
    ("extra", "body", "message"),
    [
        ('among = "n_syn > 0"', ("", ""), "'among' says whose mean it is, so it needs 'each'"),
        ('each = "share_syn / 2"', ("", ""), r"with 'each' the denominator must be SUM\(people\)"),
        (
            'each = "share_syn"\namong = "n_syn > 0"',
            ("", ""),
            r"must be SUM\(CASE WHEN n_syn > 0 THEN people ELSE 0 END\)",
        ),
        (
            'each = "counted_orig"\namong = "n_syn_class > 0"',
            ("", ""),
            "may look only at one person's cell",
        ),
        ('each = "{{ no }}"\namong = "n_syn_class > 0"', ("", ""), "nothing fills {{ no }}"),
        (
            'each = "1"\namong = "n_syn_class > 0"',
            ("counted_orig", "counted_syn"),
            "must sum counted_orig or people",
        ),
        ("each = 1", ("", ""), "'each' must be a str"),
    ],
)
def test_a_value_that_does_not_fit_the_measure_is_refused(
    tmp_path: Path, extra: str, body: tuple[str, str], message: str
) -> None:
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.measures(str(own(tmp_path, extra, body)))


# ---- population risk
# -------------------------------------------------------------------------------------------------


def sdc(name: str) -> tuple[dict[str, Any], pa.Table, pa.Table]:
    folder = oracle.ORACLE / "sdcrisk" / name
    data = pq.read_table(folder / "data.parquet")
    # What is asked is of keys alone, but a scenario has a target.
    return (
        json.loads((folder / "case.json").read_text()),
        data.append_column("a target", [[0] * len(data)]),
        pq.read_table(folder / "result.parquet"),
    )


def risk(data: pa.Table, case: dict[str, Any], **settings: Any) -> dict[str, dict[str, Any]]:
    """The counted rows of the population risk, by population."""
    question = {
        "keys": case["keys"],
        "targets": ["a target"],
        "weights": case["weight"],
        "measures": "population_risk",
    }
    report = sqlrisk.score(data, data, **question, **settings)
    rows = [row for row in report.results if row["family"] == "population_risk"]
    return {row["population"]: row for row in rows if not row["weighted"]}


@absent
@pytest.mark.parametrize("name", ["francdat", "free1", "testdata_k5", "testdata_k7"])
def test_population_risk_of_sdcmicro(name: str) -> None:
    case, data, result = sdc(name)
    by = case["keys"][0]
    found = risk(data, case, by=by)
    assert found["all"]["numerator"] == pytest.approx(case["indiv_expected_reid"], rel=1e-12)
    assert found["all"]["value"] == pytest.approx(100 * case["indiv_global_risk"], rel=1e-12)
    assert found["all"]["denominator"] == case["n"]
    levels = data[by].to_pylist()
    for level in set(levels):
        expected = sum(
            each
            for each, own in zip(result["indivRisk"].to_pylist(), levels, strict=True)
            if own == level
        )
        assert found[f"{by}={level}" if level is not None else f"{by} missing"][
            "numerator"
        ] == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
@absent
def test_population_risk_of_people_without_missing_keys() -> None:
    """A missing key is a level here. In this case of theirs (alpha 0) it matches no complete one
    either; else it matches all.
    """
    case, data, result = sdc("testdata_NA_alpha0")
    complete = [
        all(value is not None for value in row)
        for row in zip(*(data[key].to_pylist() for key in case["keys"]), strict=True)
    ]
    expected = sum(
        each for each, own in zip(result["indivRisk"].to_pylist(), complete, strict=True) if own
    )
    found = risk(data.filter(pa.array(complete)), case)["all"]
    assert found["denominator"] == sum(complete) > 500
    assert found["numerator"] == pytest.approx(expected, rel=1e-10)
    left = risk(data, case, exclude_missing=case["keys"])["all"]
    assert left["numerator"] == pytest.approx(expected, rel=1e-10)
    assert left["denominator"] == case["n"]


def exact_risk(n: int, weight: float) -> float:
    """The risk of one person, in 60 digits."""
    getcontext().prec = 60
    if weight <= n:
        return 1 / n
    p = Decimal(n) / Decimal(weight)
    odds, log = p / (1 - p), -p.ln()
    return float({1: odds * log, 2: odds - odds * odds * log}.get(n, p / (n - (1 - p))))


def test_population_risk_at_every_share() -> None:
    """Also where nearly everybody was sampled, where the published form loses its digits, and where
    weights are below 1.
    """
    shares = [
        1e-9,
        0.01,
        0.5,
        0.98,
        0.9899999,
        0.9900001,
        0.999,
        0.9999999,
        1 - 1e-12,
        1.0,
        1.5,
        4.0,
    ]
    towns = {f"{n} at {share}": [1 / share] * n for n in (1, 2, 3, 10) for share in shares}
    people = [(town, weight) for town, weights in towns.items() for weight in weights]
    data = pa.table(
        {
            "town": [town for town, _ in people],
            "a target": [0] * len(people),
            "weight": [each for _, each in people],
        }
    )
    found = risk(data, {"keys": ["town"], "weight": "weight"}, by="town")
    for town, weights in towns.items():
        n = len(weights)
        assert found[f"town={town}"]["numerator"] == pytest.approx(
            n * exact_risk(n, sum(weights)), rel=1e-10
        ), town


@pytest.mark.slow
def test_population_risk_without_a_population_is_one_in_the_class() -> None:
    table = file(1)
    ones = table.set_column(
        table.column_names.index("weight"), "weight", pa.array([1.0] * len(table))
    )
    found = sqlrisk.score(
        ones, ones, keys=KEYS, targets=["ill"], weights="weight", measures="population_risk"
    ).results
    classes = len({(row["sex"], row["town"]) for row in rows_of(ones)})
    assert [(row["numerator"], row["weighted"]) for row in found] == [
        (pytest.approx(classes), False),
        (pytest.approx(classes), True),
    ]
    assert pc.sum(ones["weight"]).as_py() == found[0]["denominator"] == 150


@pytest.mark.slow
def test_population_risk_of_control_has_its_own_weights() -> None:
    report = sqlrisk.score(
        file(1),
        file(2),
        control=file(4, 90),
        keys=KEYS,
        targets=["ill"],
        weights="weight",
        by="sex",
        measures="population_risk",
    )
    row = next(
        each for each in added(report) if each["population"] == "sex=f" and not each["weighted"]
    )
    per_person = []
    for group in (rows_of(file(1)), rows_of(file(4, 90))):
        totals: dict[Any, list[float]] = {}
        for each in group:
            totals.setdefault((each["sex"], each["town"]), []).append(each["weight"])
        own = [totals[each["sex"], each["town"]] for each in group if each["sex"] == "f"]
        per_person.append([exact_risk(len(weights), sum(weights)) for weights in own])
    theirs = welch(*per_person)
    assert row["original"] == pytest.approx(
        100 * sum(per_person[0]) / len(per_person[0]), rel=1e-10
    )
    assert (row["t"], row["df"], row["p"]) == pytest.approx(
        (theirs.statistic, theirs.df, theirs.pvalue), rel=1e-8
    )
