"""Whether files can be assessed: what is counted, by slow independent counts; each reason, on files
made to have it.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import duckdb
import forks
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quickly import few, some

import sqlrisk
from sqlrisk.analyses import assessment as analysis
from sqlrisk.analyses.people import explanations
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.reasons import STATES
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask
from sqlrisk.plan import assessment as plan

ORACLE = Path(__file__).parents[4] / "shared" / "oracle"
TOWNS = ["Aston", "Bury", "Corby", "Derby", "Ely"]
KEYS, TARGETS = ["town", "sex", "born"], ["ill", "pay"]
QUESTION: dict[str, Any] = {"keys": KEYS, "targets": TARGETS}


def people(seed: int, count: int = 300) -> dict[str, list[Any]]:
    """People of a survey. Two draws share no more rows than chance gives: pay tells nearly
    everybody apart.
    """
    draw = random.Random(seed)  # noqa: S311 - test data
    return {
        "town": draw.choices(TOWNS, k=count),
        "sex": draw.choices(["f", "m"], k=count),
        "born": [
            f"19{draw.randint(40, 49)}-0{draw.randint(1, 2)}-1{draw.randint(4, 5)}"
            for _ in range(count)
        ],
        "ill": draw.choices(["no", "no", "yes", None], k=count),
        "pay": [draw.randint(100, 119) * 1000 + draw.randint(0, 4) for _ in range(count)],
    }


ORIGINAL = people(1)


def changed(columns: dict[str, list[Any]], **changes: Callable[[Any], Any]) -> dict[str, list[Any]]:
    """The columns, with some of them written differently."""
    return columns | {
        name: [each and change(each) for each in columns[name]] for name, change in changes.items()
    }


def picked(places: list[int], columns: dict[str, list[Any]] = ORIGINAL) -> dict[str, list[Any]]:
    """Some of the rows, in an order."""
    return {name: [values[place] for place in places] for name, values in columns.items()}


def codes(original: Any, synthetic: Any, **settings: Any) -> list[tuple[str | None, str, str]]:
    """What is found, in short: target, state and code of each reason."""
    found = sqlrisk.inspect(pa.table(original), pa.table(synthetic), **QUESTION | settings)
    return [
        (row["target"], row["state"], reason["code"])
        for row in found.assessment
        for reason in row["reasons"]
    ]


def texts(original: Any, synthetic: Any, **settings: Any) -> str:
    """The sentences of all reasons."""
    found = sqlrisk.inspect(pa.table(original), pa.table(synthetic), **QUESTION | settings)
    return "\n".join(reason["text"] for row in found.assessment for reason in row["reasons"])


# ---- copies


def rows_of(columns: dict[str, list[Any]]) -> Counter[tuple[Any, ...]]:
    """How often each row is there."""
    return Counter(zip(*columns.values(), strict=True))


def counted(original: dict[str, list[Any]], synthetic: dict[str, list[Any]]) -> dict[str, int]:
    """Whose rows are in both files, counted in Python."""
    mine, theirs = rows_of(original), rows_of(synthetic)
    return {
        "people": sum(mine.values()),
        "records": sum(theirs.values()),
        "people_released": sum(n for row, n in mine.items() if row in theirs),
        "records_of_people": sum(n for row, n in theirs.items() if row in mine),
        "uniques": sum(n == 1 for n in mine.values()),
        "pairs": sum(n == 2 for n in mine.values()),
        "uniques_released": sum(n == 1 and row in theirs for row, n in mine.items()),
    }


def independent(original: dict[str, list[Any]]) -> Fraction:
    """The chance that independent columns with the original's shares give a row of a person."""
    shares = [Counter(values) for values in original.values()]
    size = len(next(iter(original.values())))
    return sum(
        (
            prod(Fraction(share[value], size) for share, value in zip(shares, row, strict=True))
            for row in rows_of(original)
        ),
        Fraction(0),
    )


TABLES = st.integers(1, 12).flatmap(
    lambda size: st.fixed_dictionaries(
        {
            "k": st.lists(st.sampled_from(["a", "b", None]), min_size=size, max_size=size),
            "x": st.lists(
                st.sampled_from([0.0, 0.1, 1.0, 10.0, float("nan"), None]),
                min_size=size,
                max_size=size,
            ),
            "t": st.lists(st.sampled_from([1, 2]), min_size=size, max_size=size),
        }
    )
)
TYPES = pa.schema({"k": pa.string(), "x": pa.float64(), "t": pa.int64()})


@given(TABLES, TABLES, TABLES)
def test_whole_rows_are_counted_as_in_python(original: Any, synthetic: Any, control: Any) -> None:
    files = [pa.table(each, TYPES) for each in (original, synthetic, control)]
    found = sqlrisk.inspect(files[0], files[1], control=files[2], keys=["k"], targets=["t"]).copies
    plain = [
        {"k": each["k"], "x": [None if x != x else x for x in each["x"]], "t": each["t"]}
        for each in (original, synthetic, control)
    ]
    assert [row["who"] for row in found] == ["original", "control"]
    for row, mine in zip(found, (plain[0], plain[2]), strict=True):
        assert {name: row[name] for name in counted(mine, plain[1])} == counted(mine, plain[1])
        assert (row["columns"], row["looked_at"]) == (3, 1)
        assert row["independent"] == pytest.approx(float(independent(plain[0])), abs=1e-12)


@pytest.mark.skipif(not ORACLE.is_dir(), reason="the oracle is not there")
@pytest.mark.parametrize("number", few(range(12), 6))
def test_whole_rows_are_counted_as_by_another_program(number: int) -> None:
    case = json.loads((ORACLE / "copies" / "cases.json").read_text())["cases"][number]
    asked = case["scenario"]
    files = [
        pq.read_table(ORACLE / asked["data"] / f"{asked[role]}.parquet", columns=asked["columns"])
        for role in ("original", "synthesis", "control")
    ]
    found = sqlrisk.inspect(
        *files[:2], control=files[2], keys=asked["columns"][0], targets=asked["columns"][-1]
    ).copies
    for row in found:
        there, back = (
            case["expected"][name]
            for name in (f"{row['who']}_in_synthetic", f"synthetic_in_{row['who']}")
        )
        assert (row["people_released"], row["uniques_released"]) == (
            there["records_found"],
            there["unique_found"],
        )
        assert row["records_of_people"] == back["records_found"]
        assert row["people_released"] == pytest.approx(there["share"] * row["people"], abs=1e-6)


def test_an_ordinary_file_is_assessable_without_a_word() -> None:
    found = sqlrisk.score(pa.table(ORIGINAL), pa.table(people(2)), **QUESTION)
    assert found.assessment == [
        {"synthesis": "1", "target": target, "state": "assessable", "reasons": []}
        for target in (None, *TARGETS)
    ]


def test_a_copy_is_found_in_any_order() -> None:
    shuffled = picked(random.Random(5).sample(range(300), 300))  # noqa: S311 - test data
    assert codes(ORIGINAL, shuffled) == [(None, "not assessable", "copy_of_original")]
    assert "has exactly the same rows, in the same or another order (300 rows, 5 columns)" in texts(
        ORIGINAL, shuffled
    )
    # one more than the original has: what is left is that the rows of people are there
    twice = picked([*range(300), 0])
    assert codes(ORIGINAL, twice) == [(None, "not assessable", "copied_records")]


@pytest.mark.slow
def test_a_copy_with_new_ids_and_weights_is_one() -> None:
    named = ORIGINAL | {"person": list(range(300)), "w": [1.0, 2.0, 3.0] * 100}
    shuffled = picked(random.Random(5).sample(range(300), 300), named)  # noqa: S311 - test data
    shuffled |= {"person": list(range(1000, 1300)), "w": named["w"]}
    copy = (None, "not assessable", "copy_of_original")
    assert copy not in codes(named, shuffled)
    assert codes(named, shuffled, id="person", weights="w") == [copy]
    roles = {"person": {"role": "identifier"}, "w": {"role": "weight"}}
    assert codes(named, shuffled, column=roles) == [copy]
    # without keys, every column that says something is looked at
    every: dict[str, Any] = {"keys": None, "targets": None}
    told = texts(named, shuffled, **every)
    assert "if it only names records, say so: --column person.role=identifier." in told
    assert codes(named, shuffled, **every, column=roles) == [copy]


def test_a_copy_whose_missing_values_are_written_out_is_one() -> None:
    written = ORIGINAL | {"ill": [each or "unknown" for each in ORIGINAL["ill"]]}
    assert (None, "not assessable", "copy_of_original") not in codes(ORIGINAL, written)
    assert codes(ORIGINAL, written, missing=["unknown"]) == [
        (None, "not assessable", "copy_of_original")
    ]


def test_a_copy_without_anybody_alone_is_told_by_equal_counts() -> None:
    coarse = {name: ORIGINAL[name] for name in ("sex", "ill")}
    asked = {"keys": ["sex"], "targets": ["ill"]}
    assert [code for *_, code in codes(coarse, coarse, **asked)] == ["copy_of_original"]
    other = {name: people(2)[name] for name in ("sex", "ill")}
    assert codes(coarse, other, **asked) == []


def test_a_sample_is_found_and_half_of_the_uniques_are_a_copy() -> None:
    alone = [
        place
        for place, row in enumerate(zip(*ORIGINAL.values(), strict=True))
        if rows_of(ORIGINAL)[row] == 1
    ]
    assert len(alone) > 200
    assert (None, "not assessable", "sample_of_original") in codes(ORIGINAL, picked(alone[:40]))
    assert (None, "not assessable", "sample_of_original") not in codes(ORIGINAL, picked(alone[:9]))
    strange = people(2)

    def mixed(count: int) -> dict[str, list[Any]]:
        return {
            name: picked(alone[:count])[name] + strange[name][: 300 - count] for name in ORIGINAL
        }

    # By chance a draw of as many people would meet 2 * pairs of them; of the others half.
    uniques, pairs = (sum(n == times for n in rows_of(ORIGINAL).values()) for times in (1, 2))
    needed = 2 * pairs + (uniques - 2 * pairs) / 2
    half = next(
        count
        for count in range(300)
        if counted(ORIGINAL, mixed(count))["uniques_released"] >= needed
    )
    assert (None, "not assessable", "copied_records") in codes(ORIGINAL, mixed(half))
    assert "copied_records" not in [code for *_, code in codes(ORIGINAL, mixed(half - 1))]
    assert "copied_records" in [code for *_, code in codes(ORIGINAL, mixed(half - 1), copied=49)]


@pytest.mark.parametrize(
    ("changes", "says"),
    few(
        [
            (
                {"town": lambda each: TOWNS[(TOWNS.index(each) + 1) % 5]},
                "without the column town, it holds the record of 100.00 %",
            ),
            (
                {"pay": lambda each: each + 10},
                "with numbers rounded to 3 digits, it holds the record of",
            ),
            (
                {"pay": lambda each: each + 2000},
                "with numbers rounded to 2 digits, it holds the record of",
            ),
        ]
    ),
    ids=["a column", "3 digits", "2 digits"],
)
def test_a_near_copy_is_found_with_what_shows_it(changes: dict[str, Any], says: str) -> None:
    # Of two columns that break a copy together, only the rounding undoes both.
    both = {} if "town" in changes else {"weight": [100000 + 3 * place for place in range(300)]}
    other = (
        {} if "town" in changes else {"weight": [100000 + 3 * place + 1 for place in range(300)]}
    )
    original, synthetic = {**ORIGINAL, **both}, {**changed(ORIGINAL, **changes), **other}
    assert (None, "not assessable", "near_copy") in codes(original, synthetic)
    assert says in texts(original, synthetic)


def parts_of_two_types(folder: Path) -> str:
    """A folder of Parquet whose parts hold a column as numbers and as texts."""
    folder.mkdir()
    for number, values in enumerate(([1] * 150, ["a"] * 150)):
        part = pa.table(
            {name: column[150 * number :][:150] for name, column in ORIGINAL.items()}
            | {"odd": values}
        )
        pq.write_table(part, folder / f"{number}.parquet")
    return str(folder)


@pytest.mark.parametrize(
    "form",
    [
        *("frame", "parts", "interval"),
        pytest.param("interval on postgresql", marks=pytest.mark.slow),
        pytest.param(
            "interval on spark", marks=[pytest.mark.xdist_group("spark"), pytest.mark.slow]
        ),
    ],
)
def test_an_unasked_column_that_cannot_be_read_is_left_out(
    form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The others are compared all the same: a copy is found."""
    where: dict[str, Any] = {}
    wait = pa.array([pa.MonthDayNano([0, day, 0]) for day in range(300)])
    # DuckDB reads it
    original: Any = pa.table(ORIGINAL | {"fine": [*range(300)]}).append_column("odd", wait)
    match form:
        case "frame":
            original = pd.DataFrame(ORIGINAL | {"odd": [1, "a"] * 150, "fine": range(300)})
        case "parts":
            original = parts_of_two_types(tmp_path / "parts")
        case "interval on postgresql":
            where = {"engine": request.getfixturevalue("postgres_server").address()}
        case "interval on spark":
            where = {"engine": request.getfixturevalue("spark")}
    found = sqlrisk.inspect(original, original, **QUESTION, **where)
    assert {reason["code"] for row in found.assessment for reason in row["reasons"]} == {
        "copy_of_original"
    }
    (row,) = found.copies
    assert row["columns"] == len(ORIGINAL) + {"parts": 0, "interval": 2}.get(form, 1)


def test_exchanged_files_are_told_by_control() -> None:
    mixed = {name: picked([*range(140)])[name] + people(3)[name] for name in ORIGINAL}
    found = sqlrisk.inspect(
        pa.table(people(2)), pa.table(mixed), control=pa.table(ORIGINAL), **QUESTION
    )
    assert [
        (row["state"], reason["code"]) for row in found.assessment for reason in row["reasons"]
    ] == [("doubtful", "exchanged")]


@pytest.mark.slow
@pytest.mark.parametrize("everything", some([False], [False, True]))
@pytest.mark.parametrize(
    ("size", "most"), [("ALL_LOOKED_AT", 1000), ("ALL_VALUES", 4000 * len(ORIGINAL))]
)
def test_large_files_are_looked_at_by_sample(
    monkeypatch: pytest.MonkeyPatch, size: str, most: int, everything: bool
) -> None:
    monkeypatch.setattr(plan, size, most)
    monkeypatch.setattr(plan, "LOOKED_AT", 1000)
    monkeypatch.setattr(plan, "CHANGED", 1000)
    original = people(1, 4001)
    near = changed(original, town=lambda each: TOWNS[(TOWNS.index(each) + 1) % 5])
    share = 1 if everything else 1 / 8
    for synthetic, code in ((original, "copy_of_original"), (near, "near_copy")):
        found = sqlrisk.inspect(
            pa.table(original), pa.table(synthetic), **QUESTION, every_record=everything
        )
        assert [reason["code"] for row in found.assessment for reason in row["reasons"]] == [code]
        (row,) = found.copies
        assert row["looked_at"] == share
        assert share / 2 < row["people"] / 4001 <= 2 * share
        sampled = "1 in 8 rows" in texts(original, synthetic, every_record=everything)
        assert sampled == (code == "near_copy" or not everything)
    assert codes(original, people(2, 4001), every_record=everything) == []


# ---- without keys


def found_without_keys(
    original: Any, synthetic: Any, **more: Any
) -> list[tuple[str | None, str, str]]:
    """What is found where nobody says what an intruder knows: target, state and code of each
    reason.
    """
    found = sqlrisk.inspect(original, synthetic, **more)
    return [
        (row["target"], reason["state"], reason["code"])
        for row in found.assessment
        for reason in row["reasons"]
    ]


@pytest.mark.parametrize(
    ("synthetic", "codes"),
    few(
        [
            (ORIGINAL, [(None, "not assessable", "copy_of_original")]),
            (picked([*range(80)]), [(None, "not assessable", "sample_of_original")]),
            (
                changed(ORIGINAL, town=str.upper),
                [
                    (None, "not assessable", "near_copy"),
                    ("town", "not assessable", "no_level_in_common"),
                ],
            ),
            (
                changed(people(2), born=lambda each: each.replace("-", "/")),
                [("born", "not assessable", "no_level_in_common")],
            ),
            (
                changed(people(2), town=lambda each: each.upper() if each != "Ely" else each),
                [("town", "doubtful", "levels_apart")],
            ),
            (people(2), []),
        ]
    ),
    ids=["copy", "sample", "near copy", "dates", "some levels", "nothing"],
)
@pytest.mark.parametrize("form", few(["table", "parquet", "csv", "postgresql"], 4))
def test_what_needs_no_keys_is_answered_without(
    synthetic: Any, codes: list[Any], form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    files: list[Any] = [pa.table(ORIGINAL), pa.table(synthetic)]
    if form in ("parquet", "csv"):
        for number, table in enumerate(files):
            files[number] = tmp_path / f"{number}.{form}"
            (pq.write_table if form == "parquet" else pcsv.write_csv)(table, files[number])
    where = (
        {"engine": request.getfixturevalue("postgres_server").address()}
        if form == "postgresql"
        else {}
    )
    assert found_without_keys(*files, **where) == codes
    if codes and codes[0][0] is None:  # what a target comes to is never better than its file
        assert {row["state"] for row in sqlrisk.inspect(*files, **where).assessment} == {
            "not assessable"
        }


def test_without_keys_targets_alone_may_be_named() -> None:
    synthetic = changed(people(2), town=str.upper, sex=str.upper)
    found = sqlrisk.inspect(pa.table(ORIGINAL), pa.table(synthetic), targets=["town", "ill"])
    assert [row["column"] for row in found.columns] == ["town", "ill"]
    assert [(row["target"], row["state"]) for row in found.assessment] == [
        (None, "assessable"),
        ("town", "not assessable"),
        ("ill", "assessable"),
    ]
    assert "classes" not in {*found.original, *found.synthetic[0]}  # which are of keys
    named = sqlrisk.inspect(pa.table(ORIGINAL), pa.table(synthetic), keys=["town"], targets=["ill"])
    for form in ("to_text", "to_markdown", "to_html"):
        told = ["No keys were named" in getattr(each, form)() for each in (found, named)]
        assert told == [True, False], form


def test_without_keys_columns_that_do_not_compare_are_left_out() -> None:
    own = pa.table(ORIGINAL | {"list": [[1]] * 300, "other": [1] * 300})
    found = sqlrisk.inspect(own, pa.table(people(2) | {"list": [[1]] * 300, "other": ["a"] * 300}))
    assert [row["column"] for row in found.columns] == [*ORIGINAL]
    with pytest.raises(
        sqlrisk.InputError, match="no column in common whose values can be compared"
    ):
        sqlrisk.inspect(own.select(["list"]), own.select(["list"]))
    with pytest.raises(
        sqlrisk.InputError, match="no column in common whose values can be compared"
    ):
        sqlrisk.inspect(own.select(["town"]), own.select(["sex"]))


@pytest.mark.slow
def test_without_keys_control_and_many_columns_are_looked_at() -> None:
    mixed = {name: picked([*range(140)])[name] + people(3)[name] for name in ORIGINAL}
    files = [pa.table(people(2)), pa.table(mixed)]
    assert found_without_keys(*files, control=pa.table(ORIGINAL)) == [
        (None, "doubtful", "exchanged")
    ]
    wide = {f"c{number}": ["a", "b"] * 20 for number in range(plan.TOGETHER + 5)}
    apart = wide | {name: ["A", "B"] * 20 for name in ("c2", f"c{plan.TOGETHER + 2}")}
    found = found_without_keys(pa.table(wide), pa.table(apart))
    assert [target for target, _, code in found if code == "no_level_in_common"] == [
        "c2",
        f"c{plan.TOGETHER + 2}",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("synthetic", "of_file", "of_pay"),
    few(
        [
            (
                changed(people(2), pay=lambda each: each + 100 if each % 1000 else each),
                "assessable",
                "doubtful",
            ),
            (ORIGINAL, "not assessable", "not assessable"),
            (changed(people(2), born=lambda each: each + " "), "not assessable", "not assessable"),
        ]
    ),
    ids=["doubtful", "copy", "dates"],
)
def test_a_target_is_never_assessable_where_its_file_is_not(
    synthetic: dict[str, list[Any]], of_file: str, of_pay: str
) -> None:
    """Reasons stay where they are found, each with its own state; an external report and every
    command say the same.
    """
    report = sqlrisk.score(pa.table(ORIGINAL), pa.table(synthetic), **QUESTION)
    states = {row["target"]: row["state"] for row in report.assessment}
    assert (states[None], states["pay"]) == (of_file, of_pay)
    assert STATES.index(states["ill"]) >= STATES.index(of_file)
    outside = {row["target"]: row["state"] for row in report.external().assessment}
    assert all(STATES.index(state) >= STATES.index(outside[None]) for state in outside.values())
    for row in report.assessment:
        assert all(
            STATES.index(reason["state"]) <= STATES.index(row["state"]) for reason in row["reasons"]
        )
    swept = sqlrisk.sweep(
        pa.table(ORIGINAL), pa.table(synthetic), key_length=1, **QUESTION
    ).assessment
    assert {row["target"]: row["state"] for row in swept}["ill"] == states["ill"]


@pytest.mark.slow
def test_a_doubt_beside_a_copy_is_told_as_a_doubt(tmp_path: Path) -> None:
    """In text, and by a policy that accepts the copy: the target's own doubt is what is left."""
    synthetic = changed(ORIGINAL, pay=lambda each: each + 10 if each % 1000 > 1 else each)
    report = sqlrisk.score(pa.table(ORIGINAL), pa.table(synthetic), **QUESTION)
    states = {
        reason["code"]: reason["state"] for row in report.assessment for reason in row["reasons"]
    }
    assert states == {"near_copy": "not assessable", "levels_apart": "doubtful"}
    assert "Doubtful: pay:" in report.to_text()
    policy = tmp_path / "policy.toml"
    accept = '[[accept]]\ncode = "near_copy"\ntext = "A test."\n'
    policy.write_text(f'name = "p"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "r"\n{accept}')
    assert sqlrisk.check(report, policy).policy["verdict"] == "review"
    copy = sqlrisk.score(pa.table(ORIGINAL), pa.table(ORIGINAL), **QUESTION)
    policy.write_text(policy.read_text().replace("near_copy", "copy_of_original"))
    assert sqlrisk.check(copy, policy).policy["verdict"] == "pass"


# ---- levels


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        pytest.param(
            str.upper,
            "written in capitals in one file, in small letters in the other",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda each: f"{each} ",
            "written with blanks at the start or end in one file",
            marks=pytest.mark.slow,
        ),
        (
            lambda each: str(TOWNS.index(each)),
            "both have the same number of levels: perhaps codes in one file, labels in the other",
        ),
    ],
    ids=["case", "blanks", "codes"],
)
def test_levels_of_two_languages_are_told_with_their_cause(
    change: Callable[[str], str], cause: str
) -> None:
    synthetic = changed(people(2), town=change)
    reasons = ["no_level_in_common", *(["levels_look_alike"] if "blanks" in cause else [])]
    assert codes(ORIGINAL, synthetic) == [
        (None, "not assessable", each) for each in ("no_matches", *reasons)
    ]
    assert cause in texts(ORIGINAL, synthetic)
    told = {"keys": ["sex"], "targets": ["town", "ill"]}
    assert codes(ORIGINAL, synthetic, **told) == [
        ("town", "not assessable", each) for each in reasons
    ]
    assert "blanks" in cause or not any(town in texts(ORIGINAL, synthetic) for town in TOWNS)


def test_very_many_levels_are_not_looked_at_for_ways_of_writing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    synthetic = changed(people(2), town=str.upper)
    monkeypatch.setattr(analysis, "FOLDED", len(TOWNS))
    assert "capitals" in texts(ORIGINAL, synthetic)
    monkeypatch.setattr(analysis, "FOLDED", len(TOWNS) - 1)
    assert "capitals" not in texts(ORIGINAL, synthetic)
    assert (None, "not assessable", "no_level_in_common") in codes(ORIGINAL, synthetic)


@pytest.mark.parametrize(
    ("levels", "change", "cause"),
    few(
        [
            (["01", "02", "10"], lambda each: each.lstrip("0"), "with leading zeros in one file"),
            (
                ["1,5", "2,25", "0,5"],
                lambda each: each.replace(",", "."),
                "with a decimal comma in one file, a point in the other",
            ),
            (["10", "2", "7"], lambda each: f"{each}.0", "as text, with decimals in one file"),
            (
                ["1940-02-14", "1941-12-01"],
                lambda each: f"{each[8:]}.{each[5:7]}.{each[:4]}",
                "as dates in two formats",
            ),
            (
                ["1940-02-14", "1941-12-01"],
                lambda each: f"{each[5:7]}/{each[8:]}/{each[:4]}",
                "as dates in two formats",
            ),
        ]
    ),
    ids=["zeros", "comma", "decimals", "dates", "American dates"],
)
def test_the_cause_is_named(levels: list[str], change: Callable[[str], str], cause: str) -> None:
    place = random.Random(3).choices(levels, k=300)  # noqa: S311 - test data
    told = texts(ORIGINAL | {"town": place}, people(2) | {"town": [change(each) for each in place]})
    assert "town: " in told
    assert f"they are written {cause}." in told


# ---- empty records


def emptied(
    columns: dict[str, list[Any]], count: int, blank: str | None = None
) -> dict[str, list[Any]]:
    """The columns with as many records behind them that say nothing, their texts blank."""
    texts = {
        name for name, values in columns.items() if any(isinstance(each, str) for each in values)
    }
    return {
        name: values + [blank if name in texts else None] * count
        for name, values in columns.items()
    }


MANY = (
    "each of the 5 columns that all files have, ids and weights left out. They count as records. "
    "If they stand for nobody, remove them from the file."
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "blank", some([" \u00a0"], [None, "", "  ", "\t", "\r\n", "\u3000", " \u00a0"])
)
def test_many_empty_records_are_a_doubt(blank: str | None) -> None:
    """From ten on, if they are a hundredth."""
    few, many = emptied(people(2), 9, blank), emptied(people(2), 10, blank)
    assert codes(emptied(ORIGINAL, 9, blank), few) == []
    assert codes(ORIGINAL, many) == [(None, "doubtful", "many_empty_rows")]
    amount = "3.23 % of the records of"  # 10 of 310
    end = f"are empty: missing, an empty text or blanks in {MANY}"
    assert texts(ORIGINAL, many) == f"{amount} synthesis 1 (pyarrow.Table) {end}"
    assert (
        texts(emptied(ORIGINAL, 10, blank), few) == f"{amount} the original (pyarrow.Table) {end}"
    )
    control = pa.table(emptied(people(3), 10, blank))
    assert texts(ORIGINAL, people(2), control=control) == f"{amount} control (pyarrow.Table) {end}"


@pytest.mark.slow
def test_a_hundredth_of_many_records_is_a_doubt() -> None:
    large = people(4, 1980)
    assert codes(emptied(large, 20), people(5, 1000)) == [(None, "doubtful", "many_empty_rows")]
    assert codes(emptied(people(4, 1981), 20), people(5, 1000)) == []


@pytest.mark.slow
def test_a_record_that_says_something_is_not_empty() -> None:
    """Where nobody asks of it, too; and a missing value of the one column that all files have is no
    record without one.
    """
    said = emptied(people(2), 10)
    beside = {"beside": [None] * 300 + [0.0] * 10}
    assert codes({**ORIGINAL, "beside": [1.5] * 300}, {**said, **beside}) == []
    asked: Any = {"keys": ["town"], "targets": None}
    assert codes({"town": ORIGINAL["town"]}, {"town": said["town"]}, **asked) == []


@pytest.mark.slow
def test_empty_records_of_several_files_and_in_recoded_columns() -> None:
    """Each file for itself, also without keys; and where the keys are cut, or ages, or have a
    tolerance.
    """
    files = [pa.table(each) for each in (emptied(people(2), 10), people(3), emptied(people(4), 30))]
    for asked in (
        QUESTION,
        {},
        {"keys": ["pay", "town"], "bins": {"pay": 4}},
        {"keys": ["pay"], "within": {"pay": 500}},
    ):
        found = sqlrisk.inspect(pa.table(ORIGINAL), files, **asked)
        rows = [
            (row["synthesis"], reason["code"])
            for row in found.assessment
            for reason in row["reasons"]
        ]
        assert [number for number, code in rows if code == "many_empty_rows"] == ["1", "3"]


@pytest.mark.slow
def test_a_word_for_a_missing_value_makes_a_record_empty() -> None:
    synthetic = emptied(people(2), 10, "NA") | {"pay": people(2)["pay"] + [-9] * 10}
    assert "many_empty_rows" not in [code for *_, code in codes(ORIGINAL, synthetic)]
    assert "many_empty_rows" in [
        code for *_, code in codes(ORIGINAL, synthetic, missing=["NA", "-9"])
    ]


@pytest.mark.slow
def test_a_text_for_missing_values_is_named_and_some_levels_apart_are_doubtful() -> None:
    synthetic = people(2) | {"ill": [each or "NA" for each in people(2)["ill"]]}
    assert codes(ORIGINAL, synthetic) == [("ill", "doubtful", "written_differently")]
    assert "they are written with a text for missing values (NA and the like) in one file" in texts(
        ORIGINAL, synthetic
    )
    few = people(2) | {
        "ill": [
            each or ("NA" if place < 30 else None) for place, each in enumerate(people(2)["ill"])
        ]
    }
    assert few["ill"].count("NA") < 15  # below 5 percent
    assert codes(ORIGINAL, few) == []
    most = changed(people(2), town=lambda each: "Epsom" if each > "B" else each)
    assert (None, "doubtful", "levels_apart") in codes(ORIGINAL, most)
    less = changed(people(2), town=lambda each: "Epsom" if each > "D" else each)
    assert codes(ORIGINAL, less) == []


# ---- keys


def test_few_matches_are_doubtful() -> None:
    cut = changed(people(2), born=lambda each: each if each[3] < "2" else f"X{each}")
    found = sqlrisk.score(pa.table(ORIGINAL), pa.table(cut), **QUESTION)
    ((row,),) = [[row for row in found["iS"].rows if row["target"] == "ill"]]
    assert 0 < row["value"] < 30
    reasons = {reason["code"] for each in found.assessment for reason in each["reasons"]}
    assert ("few_matches" in reasons) == (row["value"] < 20)
    assert "few_matches" in {code for *_, code in codes(ORIGINAL, cut, matched=30)}
    assert f"Only {row['value']:.2f} % of the people" in texts(ORIGINAL, cut, matched=30)


def test_keys_that_are_none_are_told_once() -> None:
    def numbered(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {**columns, "number": [*range(300)], "land": ["UK"] * 300}

    asked = {"keys": ["town", "number", "land"], "targets": ["ill"]}
    syntheses = [pa.table(numbered(people(seed))) for seed in (2, 3)]
    found = sqlrisk.inspect(pa.table(numbered(ORIGINAL)), syntheses, **asked)
    of_original = [row for row in found.assessment if row["synthesis"] is None]
    assert [
        (reason["code"], reason["text"].split(" ")[0])
        for row in of_original
        for reason in row["reasons"]
    ] == [
        ("key_names_people", "number"),
        ("constant_key", "land"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "looked_at"),
    # Only five towns make so few classes that the sample holds nobody.
    [(KEYS, 300), (KEYS, 30), (["town"], 30)],
)
def test_a_key_that_determines_a_target_is_told(
    monkeypatch: pytest.MonkeyPatch, keys: list[str], looked_at: int
) -> None:
    monkeypatch.setattr(plan, "LOOKED_AT", looked_at)
    first, second = (
        each | {"ill": ["yes" if town < "C" else "no" for town in each["town"]]}
        for each in (ORIGINAL, people(2))
    )
    assert codes(first, second, keys=keys) == [("ill", "doubtful", "key_determines_target")]
    assert "town determines ill" in texts(first, second, keys=keys)
    first["ill"][0] = "yes" if first["ill"][0] == "no" else "no"  # one person is enough
    assert codes(first, second, keys=keys) == []


# ---- every command that counts synthetic files against an original

ON_FILES = ["--keys", ",".join(KEYS), "--targets", ",".join(TARGETS)]
COMMANDS = {
    "score": ["score", "original.parquet", "made.parquet", "--verbose"],
    "a part": ["score", "original.parquet", "made.parquet", "--part", "results"],
    "a layout": ["score", "original.parquet", "made.parquet", "--layout", "raab"],
    "sweep": ["sweep", "original.parquet", "made.parquet"],
    "a layout of a sweep": ["sweep", "original.parquet", "made.parquet", "--layout", "hittmeir"],
    "attack": ["attack", "original.parquet", "made.parquet"],
    "baselines": ["attack", "original.parquet", "made.parquet", "--attackers", "majority"],
    "cells": ["cells", "DiSCO", "original.parquet", "made.parquet"],
    "explain": ["explain", "--record", "7", "original.parquet", "made.parquet"],
    "protect": ["protect", "original.parquet", "made.parquet", "-o", "safe.parquet"],
    "rows of a sweep": ["sweep", "original.parquet", "made.parquet", "-o", "subsets.parquet"],
    "records": ["records", "original.parquet", "made.parquet", "-o", "risk.parquet"],
}
ROWS_ALONE = ("rows of a sweep", "records")  # which write no result that could say it
SHUFFLED = picked(random.Random(5).sample(range(300), 300))  # noqa: S311 - test data
MADE = {
    "a copy": SHUFFLED,
    "other codes": changed(people(2), town=str.upper),
    "an ordinary file": people(2),
}


def said(assessment: list[dict[str, Any]]) -> list[str]:
    """The lines on stderr: the state and the text of each reason."""
    return [
        f"{row['state'].capitalize()}: {reason['text']}"
        for row in assessment
        for reason in row["reasons"]
    ]


def saved(folder: Path, made: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Write the original and a file made of it; return what `score` says of them."""
    files = [str(folder / f"{name}.parquet") for name in ("original", "made")]
    for columns, path in zip((ORIGINAL, made), files, strict=True):
        pq.write_table(pa.table(columns), path)
    return sqlrisk.score(*files, **QUESTION).assessment


@pytest.mark.parametrize("made", some(["a copy"], MADE))
@pytest.mark.parametrize("command", some(("records",), COMMANDS))
def test_each_command_says_what_score_says(command: str, made: str, tmp_path: Path) -> None:
    expected = saved(tmp_path, MADE[made])
    assert {row["state"] for row in expected if row["target"] is None} == {
        "assessable" if made == "an ordinary file" else "not assessable"
    }
    words = [*COMMANDS[command], *ON_FILES]
    # what else a command says there
    notes = ["records in ", "subsets of the keys in ", "Disclosive: "]
    for quiet in (True, False):
        form = [] if command in ROWS_ALONE else ["--format", "json" if quiet else "text"]
        done = forks.run(*words, *form, *(["-q"] if quiet else []), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        told = [
            line for line in done.stderr.splitlines() if not any(note in line for note in notes)
        ]
        assert told == ([] if quiet else said(expected))
        if quiet and form:
            document = json.loads(done.stdout)
            assert list(document)[:3] == ["sqlrisk", "schema", "assessment"]
            assert document["assessment"] == expected
        elif form:
            text = " ".join(done.stdout.split())
            assert text.count("Can these files be assessed?") == 1
            assert ("Assessable: nothing was found" in text) == (made == "an ordinary file")
            for line in said(expected):
                assert line in text.replace(" • ", " ")


@pytest.mark.parametrize("made", few(MADE))
def test_the_exit_status_of_inspect_is_what_it_says(made: str, tmp_path: Path) -> None:
    saved(tmp_path, MADE[made])
    words = ["inspect", "original.parquet", "made.parquet", *ON_FILES]
    statuses = [forks.run(*words, *more, cwd=tmp_path).returncode for more in ([], ["--exit-zero"])]
    assert statuses == [0 if made == "an ordinary file" else 1, 0]


def test_records_return_the_assessment_with_their_number(tmp_path: Path) -> None:
    expected = saved(tmp_path, MADE["a copy"])
    files = [str(tmp_path / f"{name}.parquet") for name in ("original", "made", "risk")]
    count = sqlrisk.records(*files, **QUESTION)
    assert (count, count.assessment) == (300, expected)
    side = sqlrisk.records(*files, **QUESTION, side="synthetic")
    assert side.assessment == expected


@pytest.mark.slow
def test_a_sweep_speaks_of_the_sets_that_it_asks_for() -> None:
    """Where no subset has all keys, nothing is said of combinations; what columns show, and what is
    of all keys, is said.
    """
    of_codes = pa.table(MADE["other codes"])
    single = sqlrisk.sweep(
        pa.table(ORIGINAL), of_codes, **QUESTION, key_length=1, measures=["DCAP"]
    ).assessment
    assert [reason["code"] for row in single for reason in row["reasons"]] == ["no_level_in_common"]
    both = sqlrisk.sweep(
        pa.table(ORIGINAL),
        of_codes,
        **QUESTION,
        key_length="1,3",
        measures=["DCAP"],
        reference=True,
    )
    assert both.assessment == sqlrisk.inspect(pa.table(ORIGINAL), of_codes, **QUESTION).assessment
    files = [
        pa.table(each | {"ill": ["yes" if town < "C" else "no" for town in each["town"]]})
        for each in (ORIGINAL, people(2))
    ]
    for sizes in (2, "2,3"):
        found = sqlrisk.sweep(*files, **QUESTION, key_length=sizes, measures=["DCAP"]).assessment
        assert [reason["code"] for row in found for reason in row["reasons"]] == [
            "key_determines_target"
        ]


@pytest.mark.slow
def test_an_explanation_looks_at_the_classes_of_all_passes() -> None:
    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return 5

    few = changed(people(2), born=lambda each: each if each[3] < "2" else f"X{each}")
    question = ask(pa.table(ORIGINAL), pa.table(few), QUESTION | {"matched": 40})
    expected = sqlrisk.inspect(pa.table(ORIGINAL), pa.table(few), **QUESTION, matched=40).assessment
    assert "few_matches" in {reason["code"] for row in expected for reason in row["reasons"]}
    with Passes() as engine:
        assert explanations.explain(question, Session(engine), 7).assessment == expected


@pytest.mark.parametrize(
    "command",
    some(("attack",), ["attack", "baselines", "sweep", "cells", "explain", "protect", "records"]),
)
def test_a_scenario_sets_its_limits(command: str, tmp_path: Path) -> None:
    saved(tmp_path, people(2))
    (tmp_path / "limits.toml").write_text("matched = 100\n", encoding="utf-8")
    done = forks.run(*COMMANDS[command], *ON_FILES, "--scenario", "limits.toml", cwd=tmp_path)
    assert done.returncode == 0
    assert "Doubtful: Only " in done.stderr


@pytest.mark.slow
def test_what_has_no_synthetic_file_has_nothing_to_assess(tmp_path: Path) -> None:
    pq.write_table(pa.table(ORIGINAL), tmp_path / "original.parquet")
    words = [
        "protect",
        "--side",
        "original",
        "original.parquet",
        "-o",
        "safe.parquet",
        "--keys",
        ",".join(KEYS),
    ]
    done = forks.run(*words, "--format", "json", "-q", cwd=tmp_path)
    assert (done.returncode, done.stderr, json.loads(done.stdout)["assessment"]) == (0, "", [])
    for command in (
        ["lookup", "original.parquet", "--key", "town=Ely"],
        ["uniques", "original.parquet", "--keys", "town,pay"],
    ):
        done = forks.run(*command, "--format", "json", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "assessment" not in json.loads(done.stdout)


@pytest.mark.parametrize("former", few([False, True]))
def test_a_saved_run_has_kept_it(former: bool, tmp_path: Path) -> None:
    """It is read, never counted anew; one of a former version has none, and says nothing."""
    expected = saved(tmp_path, MADE["a copy"])
    done = forks.run(
        "score", "original.parquet", "made.parquet", *ON_FILES, "--save", "run.duckdb", cwd=tmp_path
    )
    assert done.returncode == 0
    if former:
        with duckdb.connect(tmp_path / "run.duckdb") as database:
            ((document,),) = database.execute("SELECT document FROM about").fetchall()
            about = json.loads(document)
            assert about.pop("assessment") == expected
            database.execute("UPDATE about SET document = ?", [json.dumps(about)])
    for words in (
        ["cells", "DiSCO", "run.duckdb"],
        ["lookup", "run.duckdb", "--key", "town=Ely"],
        ["query", "run.duckdb", "SELECT COUNT(*) FROM people"],
    ):
        done = forks.run(*words, "--format", "json", cwd=tmp_path)
        assert done.returncode == 0
        document = json.loads(done.stdout)
        told = [line for line in done.stderr.splitlines() if not line.startswith("Disclosive: ")]
        assert (document.get("assessment"), told) == (
            (None, []) if former else (expected, said(expected))
        )
        text = forks.run(*words, cwd=tmp_path).stdout
        assert ("is a copy of the original" in " ".join(text.split())) != former


def test_missing_values_of_one_column_are_missing_where_rows_are_compared(tmp_path: Path) -> None:
    people = {
        "k": [f"k {each}" for each in range(30)],
        **{
            name: [-9 if each // 10 == place else each % 4 for each in range(30)]
            for place, name in enumerate("xyz")
        },
    }
    pq.write_table(pa.table(people), tmp_path / "o.parquet")
    pcsv.write_csv(pa.table(people), tmp_path / "s.csv")
    report = sqlrisk.score(
        str(tmp_path / "o.parquet"), str(tmp_path / "s.csv"), keys="k", targets="x,y,z",
        column={name: {"missing": ["-9"]} for name in "xyz"}, measures="DiSCO",
    )  # fmt: skip
    assert "copy_of_original" in {
        reason["code"] for row in report.assessment for reason in row["reasons"]
    }
