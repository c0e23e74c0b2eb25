"""Special uniques: other people's numbers, a slow search that shares nothing with the SQL, a case
worked by hand.
"""

import json
import math
import random
import re
import stat
import subprocess
import tempfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb, factorial
from pathlib import Path
from typing import Any

import duckdb
import forks
import oracle
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quickly import some

import sqlrisk
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.scenario import WORK_LIMIT
from sqlrisk.plan import class_key
from sqlrisk.plan.columns import Column
from sqlrisk.plan.subsets import minimal_uniques

CASES = sorted(oracle.ORACLE.glob("suda/*/case.json"))
absent = pytest.mark.skipif(not CASES, reason=oracle.ABSENT)
# contributions there: the other program counts values that the same records hold wrongly
WRONG = {"free1_8"}
Record = tuple[object, ...]


def found(
    folder: Path, data: Any, keys: list[str], **more: Any
) -> tuple[sqlrisk.Uniques, list[dict[str, Any]]]:
    """The summary and the rows of a table, through real files."""
    pq.write_table(
        data if isinstance(data, pa.Table) else pa.table(data), folder / "people.parquet"
    )
    summary = sqlrisk.uniques(
        folder / "people.parquet", keys=keys, output=folder / "rows.parquet", **more
    )
    return summary, pq.read_table(folder / "rows.parquet").to_pylist()


# ---- the slow search
# --------------------------------------------------------------------------------------------------


def minimal_sets(records: list[Record], largest: int) -> list[list[tuple[int, ...]]]:
    """For every record its minimal unique sets of columns, by the definition; None is missing."""
    columns = range(len(records[0]))
    alone: list[set[tuple[int, ...]]] = [{()} if len(records) == 1 else set() for _ in records]
    for size in range(1, len(columns) + 1):
        for chosen in combinations(columns, size):
            values = [tuple(record[place] for place in chosen) for record in records]
            groups = Counter(value for value in values if None not in value)
            for number, value in enumerate(values):
                if groups[value] == 1:
                    alone[number].add(chosen)
    return [
        [
            chosen
            for chosen in sorted(each)
            if 0 < len(chosen) <= largest
            and not any(
                part in each for size in range(len(chosen)) for part in combinations(chosen, size)
            )
        ]
        for each in alone
    ]


def weight(keys: int, size: int, scoring: str) -> Fraction:
    if scoring == "elliot":
        return Fraction(math.prod(keys - j for j in range(size, keys)))
    return Fraction(
        (2 ** (keys - size) - 1) * factorial(size) * factorial(keys - size), factorial(keys)
    )


def slow(
    records: list[Record],
    *,
    max_size: int | None = None,
    fraction: float = 0.01,
    scoring: str = "elliot",
) -> list[tuple[Fraction, float, list[Fraction]]]:
    """For every record its score, its DIS-SUDA and the contribution of each column."""
    width = len(records[0])
    keys = max(width, 3)
    sets = minimal_sets(records, max_size or width)
    weights = [[weight(keys, len(chosen), scoring) for chosen in each] for each in sets]
    scores = [sum(each, Fraction(0)) for each in weights]
    pairs = 2 * sum(1 for n in Counter(records).values() if n == 2)
    power = 1 + (8 - keys) / 20
    total = sum(float(score) ** -power for score in scores if score)
    rows = []
    for score, each, weighted in zip(scores, sets, weights, strict=True):
        risk = (
            1 / (1 + pairs * (1 - fraction) / fraction / (float(score) ** power * total))
            if score
            else 0.0
        )
        own = [
            sum((w for s, w in zip(each, weighted, strict=True) if column in s), Fraction(0))
            for column in range(width)
        ]
        rows.append((score, risk, [part / score if score else Fraction(0) for part in own]))
    return rows


def agrees(
    rows: list[dict[str, Any]],
    expected: list[tuple[Fraction, float, list[Fraction]]],
    *,
    exact: bool,
) -> bool:
    """Whether the rows written are those of the slow search: whole scores to the last unit."""
    assert [row["record"] for row in rows] == list(range(1, len(expected) + 1))
    for row, (score, risk, contributions) in zip(rows, expected, strict=True):
        mine = row.pop("suda_score"), row.pop("dis_suda")
        del row["record"]
        if mine[0] != (score if exact else pytest.approx(float(score), rel=1e-12)) or mine[
            1
        ] != pytest.approx(risk, rel=1e-9):
            return False
        if list(row.values()) != [pytest.approx(float(each), rel=1e-12) for each in contributions]:
            return False
    return True


@given(st.data())
def test_it_agrees_with_a_slow_search(data: st.DataObject) -> None:
    """Missing values, duplicates, one key to five, class keys of several columns, all options."""
    width = data.draw(st.integers(1, 5))
    levels = [
        data.draw(st.sampled_from([[0], [0, 1], [0, 1, None], list(range(5)), [None, *range(9)]]))
        for _ in range(width)
    ]
    records: list[Record] = data.draw(
        st.lists(st.tuples(*map(st.sampled_from, levels)), min_size=1, max_size=40)
    )
    scoring = data.draw(st.sampled_from(["elliot", "ihsn"]))
    max_size = data.draw(st.sampled_from([None, 1, 2, 9]))
    fraction = data.draw(st.sampled_from([0.01, 0.3, 1.0]))
    keys = [f"key {number}" for number in range(width)]
    table = pa.table(
        {key: pa.array([record[n] for record in records], pa.int32()) for n, key in enumerate(keys)}
    )
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(class_key, "KEY_COLUMN_LIMIT", data.draw(st.sampled_from([2**62, 12])))
        options = {"max_size": max_size, "sampling_fraction": fraction, "scoring": scoring}
        summary, rows = found(Path(folder), table, keys, **options)
    expected = slow(records, max_size=max_size, fraction=fraction, scoring=scoring)
    assert agrees(rows, expected, exact=scoring == "elliot")

    scores = [score for score, _, _ in expected]
    classes = Counter(records)
    alone = [score for score, record in zip(scores, records, strict=True) if classes[record] == 1]
    bar = sorted(alone, reverse=True)[math.ceil(len(alone) / 10) - 1] if alone else math.inf
    sets = minimal_sets(records, max_size or width)
    assert (summary.records, summary.classes, summary.uniques) == (
        len(records),
        len(classes),
        len(alone),
    )
    assert summary.paired == 2 * sum(1 for n in classes.values() if n == 2)
    assert summary.special == sum(1 for score in alone if score >= bar)
    assert {row["keys"]: row["minimal_uniques"] for row in summary.sizes} == Counter(
        len(each) for s in sets for each in s
    )
    assert {row["keys"]: row["records"] for row in summary.sizes if row["records"]} == Counter(
        min(map(len, each)) for each in sets if each
    )
    assert sum(row["records"] for row in summary.scores) == sum(1 for score in scores if score)
    total = sum(scores)
    shares = (
        [sum(row[0] * row[2][place] for row in expected) * 100 / total for place in range(width)]
        if total
        else [None] * width
    )
    assert [row["percent"] for row in summary.contributions] == [
        None if share is None else pytest.approx(float(share), rel=1e-12) for share in shares
    ]


def test_a_wrong_row_would_be_seen(tmp_path: Path) -> None:
    records: list[Record] = [(1, 2), (1, 3), (1, 3), (2, 2)]
    for change in ({"suda_score": 1}, {"dis_suda": 0.5}, {"contribution_b": 0.5}, {}):
        _, rows = found(tmp_path, {"a": [1, 1, 1, 2], "b": [2, 3, 3, 2]}, ["a", "b"])
        rows[3] |= change
        assert agrees(rows, slow(records), exact=True) == (not change)


# ---- other people's numbers
# --------------------------------------------------------------------------------------------


@absent
@pytest.mark.parametrize("case", some(CASES[::6], CASES), ids=lambda path: path.parent.name)
def test_a_case_of_the_oracle(case: Path, tmp_path: Path) -> None:
    facts = json.loads(case.read_text())
    keys = facts["variables"]
    # The other program cuts numbers off at the point before it looks at them.
    cut = ", ".join(f'CAST(TRUNC("{key}") AS BIGINT) AS "{key}"' for key in keys)
    data = duckdb.sql(f"SELECT {cut} FROM '{case.parent}/data.parquet'").to_arrow_table()
    options: dict[str, Any] = {"sampling_fraction": facts["DisFraction"], "scoring": "elliot"}
    if facts["missing"] != -999:
        options["missing_value"] = facts["missing"]
    summary, rows = found(tmp_path, data, keys, **options)
    assert facts["original_scores"]
    theirs = pq.read_table(case.parent / "result.parquet").to_pylist()
    assert [row["suda_score"] for row in rows] == [row["score"] for row in theirs]
    assert [row["dis_suda"] for row in rows] == pytest.approx(
        [row["disScore"] for row in theirs], abs=1e-6
    )
    if case.parent.name in WRONG:
        records = [tuple(row.values()) for row in data.to_pylist()]
        assert agrees(rows, slow(records, fraction=facts["DisFraction"]), exact=True)
        return
    for key in keys:
        mine = [row[f"contribution_{key}"] for row in rows]
        assert mine == pytest.approx([row[f"contrib_{key}"] for row in theirs], abs=1e-12)
    assert [row["percent"] for row in summary.contributions] == pytest.approx(
        [row["contribution"] for row in facts["attribute_contributions"]], abs=1e-9
    )


@absent
def test_the_cases_are_here() -> None:
    assert len(CASES) > 1


# ---- by hand
# --------------------------------------------------------------------------------------------------

HAND: dict[str, list[Any]] = {
    "a": [1, 1, 2, 1, 1, 1],
    "b": [1, 1, 1, 2, 2, 1],
    "c": ["x", "x", "x", "x", "y", "y"],
}


def test_a_case_worked_by_hand(tmp_path: Path) -> None:
    """Records 1 and 2 are a pair. 3 alone has a = 2. 4 is alone with (b, c) = (2, x), 5 with (2,
    y), 6 with (1, y).

    With three keys a set of one key counts 2, one of two keys 1. The power of DIS-SUDA is 1 + 5/20.
    """
    summary, rows = found(tmp_path, HAND, ["a", "b", "c"])
    total = 2**-1.25 + 3
    assert [row["suda_score"] for row in rows] == [0, 0, 2, 1, 1, 1]
    assert [row["dis_suda"] for row in rows] == pytest.approx(
        [0, 0, 1 / (1 + 2 * 99 / (2**1.25 * total)), *[1 / (1 + 2 * 99 / total)] * 3], rel=1e-12
    )
    shares = [tuple(row[f"contribution_{key}"] for key in "abc") for row in rows]
    assert shares == [(0, 0, 0), (0, 0, 0), (1, 0, 0), (0, 1, 1), (0, 1, 1), (0, 1, 1)]
    assert [
        type(rows[2][name]) for name in ("record", "suda_score", "dis_suda", "contribution_a")
    ] == [int, int, float, float]
    assert summary.to_dict() == {
        "sqlrisk": sqlrisk.__version__,
        "schema": 1,
        "settings": {
            "keys": ["a", "b", "c"], "bins": {}, "special": {}, "column": {},
            "encoding": {}, "delimiter": {}, "decimal": {}, "quote": {}, "missing_value": [],
            "max_size": None,
            "sampling_fraction": 0.01, "scoring": "elliot", "work_limit": WORK_LIMIT,
        },
        "file": {"source": str(tmp_path / "people.parquet"), "records": 6, "classes": 5},
        "uniques": 4,
        "paired": 2,
        "dis": pytest.approx(4 * 0.01 / (4 * 0.01 + 2 * 0.99)),
        "special": {"records": 1, "suda_score_from": 2},
        "sizes": [{"keys": 1, "minimal_uniques": 1, "records": 1},
            {"keys": 2, "minimal_uniques": 3, "records": 3}],
        "scores": [
            {"suda_score": 2, "records": 1, "dis_suda": rows[2]["dis_suda"]},
            {"suda_score": 1, "records": 3, "dis_suda": rows[3]["dis_suda"]},
        ],
        "contributions": [{"key": "a", "percent": 40}, {"key": "b", "percent": 60},
            {"key": "c", "percent": 60}],
    }  # fmt: skip


def test_recodes_and_the_form_of_a_csv_file_are_among_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age;town\n12,5;a\n17,0;a\n31,0;b\n")
    found = sqlrisk.uniques(
        file, keys=["age", "town"], column="age.width=10", delimiter=";", decimal=","
    )
    assert found.uniques == 1
    settings = found.to_dict()["settings"]
    assert settings["column"] == {"age": {"width": "10"}}
    assert (settings["delimiter"], settings["decimal"]) == ({"all": ";"}, {"all": ","})


def test_lower_scores_than_the_highest_ten_are_counted() -> None:
    summary = sqlrisk.uniques(pa.table(HAND), keys=["a", "b", "c"])
    scores = [{**summary.scores[0], "suda_score": score} for score in range(12, 0, -1)]
    for lower in (2, 1):
        words = " ".join(replace(summary, scores=scores[2 - lower :]).to_text().split())
        assert f"Records with lower scores: {lower} (different scores: {lower})." in words


def test_the_other_weights(tmp_path: Path) -> None:
    """(2^(3-1) - 1) / 3 = 1 for one key of three, (2^(3-2) - 1) / 3 for two, 0 for all three."""
    _, rows = found(tmp_path, HAND, ["a", "b", "c"], scoring="ihsn")
    assert [row["suda_score"] for row in rows] == pytest.approx([0, 0, 1, 1 / 3, 1 / 3, 1 / 3])
    # every two keys are shared by nobody: sets of two
    three = {"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "c": [0, 0, 1, 1]}
    _, rows = found(tmp_path, three, ["a", "b", "c"], scoring="ihsn")
    assert [row["suda_score"] for row in rows] == [1, 1, 1, 1]


def test_a_set_of_all_keys_weighs_nothing_in_the_other_weights(tmp_path: Path) -> None:
    """Each pair of (0,0,0)'s levels is held by somebody else: it takes all three keys."""
    records: list[Record] = [
        (0, 0, 0),
        (0, 0, 1),
        (0, 0, 1),
        (0, 1, 0),
        (0, 1, 0),
        (1, 0, 0),
        (1, 0, 0),
    ]
    data = {name: [record[place] for record in records] for place, name in enumerate("abc")}
    summary, rows = found(tmp_path, data, ["a", "b", "c"], scoring="ihsn")
    assert rows[0] == {
        "record": 1, "suda_score": 0, "dis_suda": 0, "contribution_a": 0, "contribution_b": 0,
        "contribution_c": 0
    }  # fmt: skip
    assert summary.sizes == [{"keys": 3, "minimal_uniques": 1, "records": 1}]
    assert summary.scores == []
    assert "How many keys it takes" in summary.to_text()
    _, rows = found(tmp_path, data, ["a", "b", "c"])
    assert rows[0]["suda_score"] == 1


def test_a_smaller_search_does_not_change_the_weights(tmp_path: Path) -> None:
    _, rows = found(tmp_path, HAND, ["a", "b", "c"], max_size=1)
    assert [row["suda_score"] for row in rows] == [0, 0, 2, 0, 0, 0]
    assert rows[2]["dis_suda"] == pytest.approx(1 / (1 + 2 * 99))


@pytest.mark.parametrize(("keys", "score"), [(["a"], 2), (["a", "b"], 2)])
def test_one_or_two_keys_are_scored_as_three(tmp_path: Path, keys: list[str], score: int) -> None:
    _, rows = found(tmp_path, HAND, keys)
    assert [row["suda_score"] for row in rows] == [0, 0, score, 0, 0, 0]
    assert list(rows[0]) == [
        "record",
        "suda_score",
        "dis_suda",
        *(f"contribution_{key}" for key in keys),
    ]


def test_without_pairs_a_match_is_certain(tmp_path: Path) -> None:
    summary, rows = found(tmp_path, {"a": [1, 2, 3]}, ["a"])
    assert [row["dis_suda"] for row in rows] == [1, 1, 1]
    assert summary.dis == 1


def test_with_the_whole_population_a_match_is_certain(tmp_path: Path) -> None:
    summary, rows = found(tmp_path, {"a": [1, 2, 2]}, ["a"], sampling_fraction=1)
    assert [row["dis_suda"] for row in rows] == [1, 0, 0]
    assert summary.dis == 1


def test_nobody_is_unique(tmp_path: Path) -> None:
    summary, rows = found(tmp_path, {"a": [1, 1, 2, 2, 2]}, ["a"])
    assert [(row["suda_score"], row["dis_suda"], row["contribution_a"]) for row in rows] == [
        (0, 0, 0)
    ] * 5
    assert (
        summary.uniques,
        summary.paired,
        summary.dis,
        summary.special,
        summary.special_from,
    ) == (0, 2, 0, 0, None)
    assert (summary.sizes, summary.scores, summary.contributions) == (
        [],
        [],
        [{"key": "a", "percent": None}],
    )
    assert "No set of keys singles anybody out." in summary.to_text()
    neither, _ = found(tmp_path, {"a": [1, 1, 1]}, ["a"])
    assert neither.dis is None
    assert "no uniques and no pairs" in neither.to_markdown()


def test_a_constant_key_singles_nobody_out(tmp_path: Path) -> None:
    _, with_it = found(tmp_path, HAND | {"d": [7] * 6}, ["a", "b", "c", "d"])
    assert [row["contribution_d"] for row in with_it] == [0] * 6
    assert [row["suda_score"] for row in with_it] == [0, 0, 6, 2, 2, 2]


def test_the_only_record_needs_no_key_to_be_found(tmp_path: Path) -> None:
    """Nobody can be singled out in a file of one: already the empty set of keys finds
    the record.
    """
    summary, rows = found(tmp_path, {"a": [1], "b": [None]}, ["a", "b"])
    assert [row["suda_score"] for row in rows] == [0]
    assert (summary.uniques, summary.special, summary.special_from) == (1, 1, 0)


def test_missing_values_are_no_level(tmp_path: Path) -> None:
    """Record 1's b is missing: that singles nobody out, and is not like the b of record
    2 either.
    """
    data = {"a": [1, 1, 2, 2], "b": [None, 5, 5, math.nan]}
    summary, rows = found(tmp_path, data, ["a", "b"])
    assert [row["suda_score"] for row in rows] == [0, 1, 1, 0]
    assert summary.uniques == 4
    coded = {"a": [1, 1, 2, 2], "b": [-9.0, 5.0, 5.0, -9.0]}
    _, again = found(tmp_path, coded, ["a", "b"], missing_value="-9")
    assert [row["suda_score"] for row in again] == [0, 1, 1, 0]
    _, levels = found(tmp_path, coded, ["a", "b"])
    assert [row["suda_score"] for row in levels] == [1, 1, 1, 1]


def test_a_missing_value_of_some_keys_and_of_several_kinds(tmp_path: Path) -> None:
    """-9 is a number in one key and a text in the other; it cannot be a truth value."""
    data = {"a": [-9, 1, 2, 2], "b": ["-9", "x", "unknown", "x"], "c": [True, True, False, False]}
    _, rows = found(tmp_path, data, ["a", "b", "c"], missing_value=["-9", "unknown"])
    plain = {"a": [None, 1, 2, 2], "b": [None, "x", None, "x"], "c": [True, True, False, False]}
    _, expected = found(tmp_path, plain, ["a", "b", "c"])
    assert rows == expected
    assert rows[1]["suda_score"] > 0


@pytest.mark.parametrize(
    ("missing", "recode"),
    [
        ({"missing_value": "NA"}, {"bins": {"age": 3}}),
        ({"column": ["age.missing=NA", "age.bands=0,18,65"]}, {"column": ["age.bands=0,18,65"]}),
    ],
)
def test_texts_of_a_csv_file_that_mean_missing_leave_numbers(
    tmp_path: Path, missing: dict[str, Any], recode: dict[str, Any]
) -> None:
    ages, sexes = [5, None, 17, 18, 40, 41, 65, 70], list("mmfmffmf")
    rows = [f"{age or 'NA'},{sex}" for age, sex in zip(ages, sexes, strict=True)]
    (tmp_path / "o.csv").write_text("\n".join(["age,sex", *rows, ""]))
    sqlrisk.uniques(
        tmp_path / "o.csv",
        keys=["age", "sex"],
        output=tmp_path / "csv.parquet",
        **recode | missing,
    )
    _, expected = found(tmp_path, {"age": ages, "sex": sexes}, ["age", "sex"], **recode)
    assert pq.read_table(tmp_path / "csv.parquet").to_pylist() == expected
    assert expected[0]["suda_score"] > 0
    with pytest.raises(sqlrisk.InputError, match="no key holds the value 'na'"):
        sqlrisk.uniques(tmp_path / "o.csv", keys=["age", "sex"], missing_value=["NA", "na"])


def test_bins_and_special_values(tmp_path: Path) -> None:
    data = {"age": [20, 21, 22, 23, 24, 25, 26, -8], "sex": list("mmmmffff")}
    _, rows = found(tmp_path, data, ["age", "sex"], bins={"age": 3}, special={"age": [-8]})
    binned = {"age": [1, 1, 2, 2, 3, 3, 3, -8], "sex": list("mmmmffff")}
    _, expected = found(tmp_path, binned, ["age", "sex"])
    assert rows == expected
    assert rows[7]["suda_score"] == 2
    _, without = found(tmp_path, data, ["age", "sex"], bins={"age": 3}, missing_value=-8)
    assert [row["suda_score"] for row in without][7] == 0
    assert [row["suda_score"] for row in without][:7] == [row["suda_score"] for row in rows][:7]


def test_hostile_names(tmp_path: Path) -> None:
    names = ['a "b", {{ c }}', "record", "it's"]
    data = dict(zip(names, HAND.values(), strict=True))
    _, rows = found(tmp_path, data, names)
    assert list(rows[0])[3:] == [f"contribution_{name}" for name in names]
    assert [row["suda_score"] for row in rows] == [0, 0, 2, 1, 1, 1]


# ---- the weights, the work, the steps for other callers
# ------------------------------------------------------------------


@pytest.mark.parametrize("scoring", minimal_uniques.SCORINGS)
@pytest.mark.parametrize("keys", [1, 2, 3, 6, 12, 20, 24, 60])
def test_points_are_the_weights_without_their_common_factor(keys: int, scoring: str) -> None:
    for size in {1, min(keys, 3), keys}:
        weights = minimal_uniques.weights(keys, minimal_uniques.Search(size, scoring=scoring))
        assert [points * weights.unit for points in weights.points] == [
            weight(max(keys, 3), each, scoring) for each in range(1, size + 1)
        ]
        assert math.gcd(*weights.points) == 1
        if weights.whole:  # no record's points or score can leave a BIGINT
            most = max(comb(keys, each + 1) * points for each, points in enumerate(weights.points))
            assert most * weights.unit.numerator < 2**63


def test_scores_beyond_whole_numbers(tmp_path: Path) -> None:
    """25 keys: one that singles out a record counts 24!, which no BIGINT holds."""
    keys = [f"k{number}" for number in range(25)]
    data = {key: [1, 1, 2 if number < 2 else 1] for number, key in enumerate(keys)}
    _, rows = found(tmp_path, data, keys, max_size=1)
    assert [row["suda_score"] for row in rows] == pytest.approx(
        [0, 0, 2.0 * factorial(24)], rel=1e-15
    )
    assert rows[2]["contribution_k0"] == 0.5
    assert not minimal_uniques.weights(25, minimal_uniques.Search(1)).whole
    assert minimal_uniques.weights(20, minimal_uniques.Search()).whole


def test_the_search_is_refused_above_the_limit_with_the_way_out(tmp_path: Path) -> None:
    keys = [f"k{number}" for number in range(30)]
    with pytest.raises(
        sqlrisk.InputError,
        match=r"1,073,741,823 sets of up to 30 .* limit is 20,000,000,000: --max-size 6 stays",
    ):
        found(tmp_path, {key: [1, 2] for key in keys}, keys)
    assert not (tmp_path / "rows.parquet").exists()
    assert minimal_uniques.work(30, 6, 0) <= WORK_LIMIT < minimal_uniques.work(30, 7, 0)
    many = {key: list(range(20_000)) for key in "abc"}  # known only when the classes are counted
    with pytest.raises(
        sqlrisk.InputError,
        match=r"7 sets of up to 3 of the 3 keys takes about 140,000 .*--max-size 2 stays",
    ):
        found(tmp_path, many, list("abc"), work_limit=139_999)
    assert list(tmp_path.iterdir()) == [tmp_path / "people.parquet"]
    assert found(tmp_path, many, list("abc"), work_limit=120_000, max_size=2)[0].uniques == 20_000
    with pytest.raises(sqlrisk.InputError, match="name fewer keys, or raise --work-limit"):
        found(tmp_path, many, list("abc"), work_limit=1)


def test_the_steps_run_over_classes_of_any_file(tmp_path: Path) -> None:
    """As score does: the classes of several files, each with a count of its own, and tables kept
    apart by a suffix.
    """
    keys = [Column("k", number, name) for number, name in enumerate("abc", start=1)]
    rng = random.Random(5)  # noqa: S311 - no secret
    files = {
        name: [tuple(rng.choice([None, *range(1, 5)]) for _ in keys) for _ in range(30)]
        for name in ("n_orig", "n_control")
    }
    for sizes in ([5, 5, 5], None):
        key_columns = class_key.pack(keys, sizes)
        parts = [part for key_column in key_columns for part in key_column.parts]
        with DuckDB() as engine:
            columns = ", ".join(f"{key_column.name} BIGINT" for key_column in key_columns)
            engine.run(f"CREATE TABLE classes ({columns}, n_orig BIGINT, n_control BIGINT)")
            packed = {
                record: [
                    sum((record[parts.index(p)] or 0) * p.stride for p in key_column.parts)
                    for key_column in key_columns
                ]
                for file in files.values()
                for record in file
            }
            for record, digits in packed.items():
                counts = [files[name].count(record) for name in files]
                engine.run(
                    f"INSERT INTO classes VALUES ({', '.join(map(str, [*digits, *counts]))})"
                )
            for name, records in files.items():
                wanted = minimal_uniques.SpecialUniques(
                    key_columns, count=name, suffix=f"_of_{name}"
                )
                made: set[str] = set()
                for step in [*wanted.score_steps(), wanted.special_step()]:
                    engine.run(f"{'INSERT INTO' if step.table in made else 'CREATE TABLE'} "
                               f"{step.table} "
                               f"{'' if step.table in made else 'AS'}\n{step.sql}")  # fmt: skip
                    made.add(step.table)
                key = ", ".join(key_column.name for key_column in key_columns)
                scores = {
                    row[:-1]: row[-1]
                    for row in engine.run(
                        f"SELECT {key}, suda_score FROM {wanted.table('suda_scores')}"
                    )
                }
                expected = [score for score, _, _ in slow(records)]
                assert scores == {
                    tuple(packed[r]): s for r, s in zip(records, expected, strict=True) if s
                }
                alone = {
                    tuple(packed[r]): s
                    for r, s in zip(records, expected, strict=True)
                    if records.count(r) == 1
                }
                bar = sorted(alone.values(), reverse=True)[math.ceil(len(alone) / 10) - 1]
                special = set(engine.run(f"SELECT {key} FROM {wanted.table('special')}"))
                assert special == {each for each, score in alone.items() if score >= bar}
                assert len(alone) > 10


# ---- every source, its records in order
# ----------------------------------------------------------------------------------


def places(rows: list[dict[str, Any]]) -> list[int]:
    """The records with a score."""
    return [row["record"] for row in rows if row["suda_score"]]


SPREAD = {"a": [1] * 9 + [2] + [1] * 5 + [3], "file_index": [1] * 16}  # records 10 and 16 are alone


@pytest.mark.parametrize(
    "kind",
    ["parts", "folder", "hive", "csv", "csv parts", "arrow", "pandas", "polars", "hidden numbers"],
)
def test_records_are_numbered_through_any_source(kind: str, tmp_path: Path) -> None:
    whole = pa.table({"a": SPREAD["a"]})
    parts = [whole.slice(0, 4), whole.slice(4, 8), whole.slice(12)]
    folder = tmp_path / "parts"
    folder.mkdir()
    source: Any = str(folder / "*.parquet")
    if kind in ("parts", "folder"):
        for number, part in enumerate(parts):
            pq.write_table(part, folder / f"{number}.parquet")
        source = source if kind == "parts" else folder
    elif kind == "hive":
        for number, part in enumerate(parts):
            (folder / f"year={number}").mkdir()
            pq.write_table(part, folder / f"year={number}" / "part.parquet")
        source = folder
    elif kind == "csv":
        source = folder / "whole.csv"
        pa_csv.write_csv(whole, source)
    elif kind == "csv parts":  # the middle one begins in another way
        for number, part in enumerate(parts):
            more = part.append_column("b", pa.array(["x"] * len(part)))
            pa_csv.write_csv(
                more.select(["b", "a"]) if number == 1 else more, folder / f"{number}.csv"
            )
        source = folder
    elif kind == "arrow":
        source = whole
    elif kind == "pandas":
        source = whole.to_pandas().set_axis(range(100, 116))
    elif kind == "polars":
        import polars as pl

        source = pl.from_arrow(whole)
    else:
        source = folder / "whole.parquet"
        pq.write_table(pa.table({**SPREAD, "File_Row_Number": [5] * 16}), source)
    sqlrisk.uniques(source, keys=["a"], output=tmp_path / "rows.parquet")
    rows = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [row["record"] for row in rows] == list(range(1, 17))
    assert places(rows) == [10, 16]


@pytest.mark.parametrize("suffix", some(["parquet"], ["parquet", "csv"]))
def test_a_large_file_stays_in_order(suffix: str, tmp_path: Path) -> None:
    """Several row groups, several threads, more rows than the engine takes at a time."""
    rng = random.Random(3)  # noqa: S311 - no secret
    records = 300_000
    alone = sorted(rng.sample(range(records), 500))
    values = [place % 1000 for place in range(records)]
    for number, place in enumerate(alone):
        values[place] = 5000 + number
    source = tmp_path / f"people.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.table({"a": values}), source, row_group_size=50_000)
    else:
        pa_csv.write_csv(pa.table({"a": values}), source)
    sqlrisk.uniques(
        source, keys=["a"], output=tmp_path / "rows.csv", threads=2, memory_limit="300MB"
    )
    rows = duckdb.sql(f"SELECT record, suda_score FROM read_csv('{tmp_path}/rows.csv')").fetchall()
    assert [record for record, _ in rows] == list(range(1, records + 1))
    assert [record - 1 for record, score in rows if score] == alone


def test_two_files_with_other_keys_of_the_same_people_agree(tmp_path: Path) -> None:
    """The order of keys and of records changes no score."""
    rng = random.Random(8)  # noqa: S311 - no secret
    data = {key: [rng.choice([None, 1, 2, 3, 4]) for _ in range(200)] for key in "abcd"}
    _, rows = found(tmp_path, data, list("abcd"))
    order = rng.sample(range(200), 200)
    mixed = {key: [data[key][place] for place in order] for key in "dbac"}
    _, other = found(tmp_path, mixed, list("dbac"))
    for place, row in zip(order, other, strict=True):
        expected = rows[place]
        assert {name: each for name, each in row.items() if name != "record"} == {
            name: pytest.approx(each, rel=1e-12)
            for name, each in expected.items()
            if name != "record"
        }


# ---- what is refused, and privacy
# ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"keys": ["aa"]}, r"has no column 'aa' \(did you mean 'a'"),
        ({"keys": ["a", "a"]}, "'a' is named twice"),
        ({"keys": []}, "name at least one column"),
        ({"keys": None}, "--keys a,b,c"),
        ({"keys": ["a"], "bins": {"b": 3}}, "bins: 'b' is not a key"),
        ({"keys": ["c"], "bins": {"c": 3}}, "only numbers can be binned"),
        ({"keys": ["a"], "max_size": 0}, "max_size: expected a whole number of keys"),
        ({"keys": ["a"], "max_size": "two"}, "got 'two'"),
        (
            {"keys": ["a"], "sampling_fraction": 0},
            "sampling_fraction: expected .* over 0 and up to 1; got 0",
        ),
        ({"keys": ["a"], "sampling_fraction": 1.01}, "got 1.01"),
        ({"keys": ["a"], "sampling_fraction": "nan"}, "got 'nan'"),
        (
            {"keys": ["a"], "scoring": "eliot"},
            r"'eliot' \(did you mean 'elliot'\?\); it is elliot or ihsn",
        ),
        ({"keys": ["a"], "work_limit": -1}, "work_limit: expected"),
        ({"keys": ["a"], "missing_value": "-9"}, "missing_value: no key holds the value '-9'"),
        ({"keys": ["a"], "missing_value": "x"}, "missing_value: no key holds the value 'x'"),
        ({"keys": ["a"], "missing_value": [None]}, "missing_value: expected a value"),
        ({"keys": ["nested"]}, "lists or structures"),
    ],
)
def test_what_is_wrong_is_said(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    data = pa.table({**HAND, "nested": [[1]] * 6})
    pq.write_table(data, tmp_path / "people.parquet")
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.uniques(tmp_path / "people.parquet", **settings, output=tmp_path / "rows.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_every_problem_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(sqlrisk.InputError) as error:
        sqlrisk.uniques(
            tmp_path / "no.parquet",
            keys=[],
            max_size=0,
            sampling_fraction=2,
            scoring="x",
            work_limit=0,
        )
    assert len(error.value.problems) == 6


def test_an_empty_file_and_bad_outputs(tmp_path: Path) -> None:
    source = tmp_path / "people.parquet"
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), source)
    with pytest.raises(sqlrisk.InputError, match="has no records"):
        sqlrisk.uniques(source, keys=["a"])
    pq.write_table(pa.table(HAND), source)
    (tmp_path / "link.parquet").symlink_to(source)
    for output, message in (
        ("people.parquet", "is the input"),
        ("link.parquet", "is the input"),
        ("rows.json", "is json by its suffix; use one of .csv, .parquet."),
        ("rows", "no suffix"),
        ("", "Name the file to write"),
        ("no/rows.csv", "does not exist"),
    ):
        with pytest.raises(sqlrisk.InputError, match=message):
            sqlrisk.uniques(source, keys=["a"], output=output and tmp_path / output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.parquet", "people.parquet"]
    assert pq.read_table(source).num_rows == 6


def test_rows_do_not_replace_the_hierarchy_of_a_key(tmp_path: Path) -> None:
    groups, text = tmp_path / "groups.csv", "c,group\nx,all\ny,all\n"
    groups.write_text(text)
    how: dict[str, Any] = {"keys": ["a", "c"], "column": f"c.hierarchy={groups}"}
    with pytest.raises(sqlrisk.InputError, match="is the input"):
        sqlrisk.uniques(pa.table(HAND), output=groups, **how)
    assert groups.read_text() == text


def test_rows_are_private_and_replace_a_file_at_once(tmp_path: Path) -> None:
    pq.write_table(pa.table(HAND), tmp_path / "people.parquet")
    for name in ("rows.parquet", "rows.csv"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(0o644)
        sqlrisk.uniques(tmp_path / "people.parquet", keys=["a", "c"], output=tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    head, *lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert head == "record,suda_score,dis_suda,contribution_a,contribution_c"
    assert [line.split(",")[:2] for line in lines] == [
        ["1", "0"],
        ["2", "0"],
        ["3", "2"],
        ["4", "0"],
        ["5", "0"],
        ["6", "0"],
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "people.parquet",
        "rows.csv",
        "rows.parquet",
    ]


# ---- the command
# --------------------------------------------------------------------------------------------------


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forks.run("uniques", *words, cwd=cwd)


def test_the_command(tmp_path: Path) -> None:
    pq.write_table(pa.table(HAND), tmp_path / "people.parquet")
    shown = run("people.parquet", "--keys", "a,b", "--keys", "c", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "4 of 6 records (66.67 %)" in shown.stdout
    printed = run(
        "people.parquet", "--keys", "a,b,c", "--format", "json", "--scoring", "ihsn", cwd=tmp_path
    )
    assert json.loads(printed.stdout)["settings"]["scoring"] == "ihsn"
    wrote = run(
        "people.parquet", "--keys", "a,b,c", "-o", "rows.parquet", "--missing", "y", cwd=tmp_path
    )
    assert (wrote.returncode, wrote.stdout) == (0, "")
    assert "Disclosive" in wrote.stderr
    assert [row["suda_score"] for row in pq.read_table(tmp_path / "rows.parquet").to_pylist()] == [
        0,
        0,
        2,
        1,
        0,
        0,
    ]
    assert stat.S_IMODE((tmp_path / "rows.parquet").stat().st_mode) == 0o600
    summary = run("people.parquet", "--keys", "a,b,c", "-o", "summary.md", cwd=tmp_path)
    assert (summary.returncode, summary.stdout, summary.stderr) == (0, "", "")
    assert (tmp_path / "summary.md").read_text().startswith("# Special uniques")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["people.parquet"], "--keys"),
        (["--keys", "a"], "Name the file"),
        (["people.parquet", "--keys", "a", "--sampled", "1%"], "got '1%'"),
        (["people.parquet", "--keys", "a,b,c", "--work-limit", "40000"], "--max-size 1 stays"),
        (["people.parquet", "--keys", "a", "-o", "people.parquet"], "is the input"),
        (["people.parquet", "--keys", "a", "-o", "rows.parquet", "--format", "json"], "--format"),
        (["people.parquet", "--keys", "a", "--format", "csv"], "csv"),
    ],
)
def test_the_command_says_what_is_wrong(words: list[str], message: str, tmp_path: Path) -> None:
    pq.write_table(pa.table(HAND), tmp_path / "people.parquet")
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


@pytest.mark.slow
def test_what_the_guide_says_of_the_census() -> None:
    root = Path(__file__).resolve().parents[3]
    summary = sqlrisk.uniques(
        root / "data" / "census" / "original.parquet", keys="age,sex,race,marital_status,education"
    )
    done = re.search(r"^ +2 +(\d+) +(\d+) ", summary.to_text(), re.MULTILINE)
    assert done
    assert f"For {done[1]} people two" in (root / "sqlrisk" / "guide" / "records.md").read_text(
        encoding="utf-8"
    )
