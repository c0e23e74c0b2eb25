"""Hostile input: whatever the fuzzer makes is counted as the slow oracle counts it, or refused in
the program's own words.
"""

import datetime as dt
import json
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import reference
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from processes import Done
from processes import sqlrisk as command_line
from quickly import few
from reference import Question

import sqlrisk
from sqlrisk.catalogue.measures import catalog
from tests.analyses.scores.test_properties import World, arguments, differences, worlds

MARKER = "Kowalska"  # a level of the people; no message may repeat it
PEOPLE = pa.table(
    {"sex": ["f", "m", "f", MARKER], "age": [30, 41, 52, 8712], "ill": ["y", "n", "y", MARKER]}
)
QUESTION: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"]}

PIECES = (
    *(
        '"',
        "'",
        "`",
        ";",
        "--",
        "/*",
        "*/",
        "{{ 7*7 }}",
        "{% raw %}",
        "{#",
        "#}",
        "\\",
        "%s",
        "$1",
        "?",
        ",",
        "=",
        "[",
        "]",
        "#",
    ),
    *(
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "\u2028",
        "\u200f",
        "\u202e",
        "\ufeff",
        "e\u0301",
        "\U0001f600",
    ),
    *("a", "A", " ", "0", "NULL", "nan", "x'); DROP TABLE records; --", "long " * 2000),
)
TEXTS = (
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), min_size=1, max_size=4)
    .map("".join)
    .filter(str.strip)
)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder of one example alone."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def refusal(message: str) -> str:
    """A message that is clear: sentences, without a level of the people and without a traceback."""
    assert message.strip()
    assert MARKER not in message
    assert "Traceback" not in message
    return message


# -------------------------------------------------------------------------------------------------
# names and levels


@examples(25)
@given(worlds(kinds=["text"], bins=False, texts=TEXTS, most_syntheses=2))
@pytest.mark.slow
def test_names_and_levels(world: World) -> None:
    """A NUL in a level of the data is a character like others; nobody can write one in SQL, as a
    name or as what is excluded.
    """
    asked = arguments(world.question)
    if "\\u0000" in json.dumps(asked):
        with pytest.raises(sqlrisk.InputError, match="NUL"):
            world.score()
    else:
        assert differences(world.score(), world.answer(), world.question) == []


LABELS = st.none() | st.integers(0, 2)
# two keys, a target, an income
PERSON = st.tuples(LABELS, LABELS, LABELS, st.none() | st.integers(0, 9))
FILE = st.lists(PERSON, min_size=6, max_size=6)


@examples(8)
@given(
    names=st.lists(
        TEXTS.filter(lambda text: "\0" not in text), min_size=4, max_size=4, unique_by=str.casefold
    ),
    levels=st.lists(TEXTS, min_size=3, max_size=3, unique=True),
    files=st.lists(FILE, min_size=2, max_size=3),
    control=st.none() | FILE,
)
def test_names_and_levels_are_labels(
    names: list[str], levels: list[str], files: list[list[Any]], control: list[Any] | None
) -> None:
    """Every measure, but those of weights and near keys, says of hostile names and levels what it
    says of plain ones.
    """

    def table(people: Sequence[Any], columns: Sequence[str], texts: Sequence[str]) -> pa.Table:
        *labels, incomes = zip(*people, strict=True)
        data = [
            pa.array([None if each is None else texts[each] for each in column], pa.string())
            for column in labels
        ]
        return pa.table([*data, pa.array(incomes, pa.int64())], [*columns])

    def found(columns: Sequence[str], texts: Sequence[str]) -> dict[Any, Any]:
        original, *syntheses = (table(people, columns, texts) for people in files)
        *keys, target, income = columns
        more = {"aligned": True} if control is None else {"control": table(control, columns, texts)}
        report = sqlrisk.score(
            original, syntheses, keys=keys, targets=[target, income], within={income: "1"},
            assume="saturated", prior=1,
            measures=catalog().families, universe=original.select(keys), **more,
        )  # fmt: skip
        # They need weights, a key that is a number, sides to link, control, aligned files.
        unasked = {
            "population_risk",
            "near_keys",
            "numeric_keys",
            "linkability",
            "membership" if control is None else "matches",
        }
        assert {row["family"] for row in report.results} == set(catalog().families) - unasked
        place = {None: None, target: 0, income: 1}
        return {
            (row["measure"], row["at"], place[row["target"]], row["synthesis"], row["people"]): [
                each if isinstance(each, int | None) else pytest.approx(each, rel=1e-12, abs=1e-11)
                for each in (row["numerator"], row["denominator"], row["value"])
            ]
            for row in report.results
        }

    assert found(names, levels) == found(["sex", "town", "ill", "income"], ["a", "b", "c"])


# --------------------------------------------------------------------------------------------------
# types

UTC = dt.UTC
# Levels that a careless cast would make one.
SCORED: dict[str, tuple[pa.DataType, Sequence[Any]]] = {
    "decimal(38)": (
        pa.decimal128(38, 0),
        [Decimal(10**37), Decimal(10**37 + 1), Decimal(1 - 10**38)],
    ),
    "decimal(38,38)": (
        pa.decimal128(38, 38),
        [Decimal(1).scaleb(-38), Decimal(2).scaleb(-38), Decimal(0)],
    ),
    "uint64": (pa.uint64(), [2**64 - 1, 2**64 - 2, 2**63, 0]),
    "int64": (pa.int64(), [2**63 - 1, 2**63 - 2, -(2**63), 0]),
    "time zone": (
        pa.timestamp("us", "UTC"),
        [dt.datetime(2020, 1, 1, 0, 0, 0, n, tzinfo=UTC) for n in range(3)],
    ),
    "another time zone": (pa.timestamp("ns", "Europe/Zurich"), [0, 1, 2**62]),
    "nanoseconds": (pa.timestamp("ns"), [0, 1, 2**62]),
    "time of day": (pa.time64("ns"), [0, 1, 2]),
    "categories": (pa.dictionary(pa.int8(), pa.string()), ["a", "A", "", "\0"]),
    "categories of numbers": (pa.dictionary(pa.int32(), pa.int64()), [2**60, 2**60 + 1, 0]),
    "bytes": (pa.binary(), [b"", b"\0", b"\0\0", b"\xff"]),
    "bytes of a length": (pa.binary(2), [b"\0\0", b"\xff\0", b"ab"]),
    "half": (pa.float16(), [0.5, 1.0, 65504.0]),
    "single": (pa.float32(), [0.1, 0.10000001, math.inf, -math.inf]),
    "long texts": (pa.large_string(), ["x" * 10_000, "x" * 10_000 + "y", "x" * 9_999]),
    "truth": (pa.bool_(), [True, False]),
    "nothing": (pa.null(), []),
}
REFUSED: dict[str, tuple[pa.DataType, Sequence[Any]]] = {
    "list": (pa.list_(pa.string()), [[MARKER], []]),
    "fixed list": (pa.list_(pa.string(), 1), [[MARKER], ["a"]]),
    "structure": (pa.struct({"a": pa.string()}), [{"a": MARKER}, {"a": "b"}]),
    "map": (pa.map_(pa.string(), pa.int8()), [[(MARKER, 1)], []]),
    "list of maps": (pa.list_(pa.map_(pa.string(), pa.int8())), [[[(MARKER, 1)]], []]),
    "decimal(76)": (pa.decimal256(76, 1), [Decimal(10**50), Decimal(10**50 + 1)]),
}


@examples(25)
@given(st.data())
def test_a_type_is_counted_exactly(data: st.DataObject) -> None:
    """Levels are what the values say: the oracle counts their numbers, whatever they are of."""
    kinds = [data.draw(st.sampled_from(sorted(SCORED)), label=role) for role in ("key", "target")]

    def records() -> list[tuple[int | None, ...]]:
        codes = [
            st.none() | st.integers(0, len(SCORED[kind][1]) - 1) if SCORED[kind][1] else st.none()
            for kind in kinds
        ]
        return data.draw(st.lists(st.tuples(*codes), min_size=1, max_size=8))

    files = [records() for _ in range(2)]
    with folder() as place:
        for number, rows in enumerate(files):
            columns = [
                pa.array(
                    [None if code is None else SCORED[kind][1][code] for code in codes],
                    SCORED[kind][0],
                    from_pandas=False,
                )
                for kind, codes in zip(kinds, zip(*rows, strict=True), strict=True)
            ]
            pq.write_table(pa.table(columns, names=["k", "t"]), place / f"{number}.parquet")
        question = Question(("k",), ("t",), one_way=(99, 99), two_way=(99, 99))
        report = sqlrisk.score(place / "0.parquet", place / "1.parquet", **arguments(question))
    coded = [dict(zip("kt", map(list, zip(*rows, strict=True)), strict=True)) for rows in files]
    assert differences(report, reference.score(coded[0], coded[1:], question), question) == []


@pytest.mark.parametrize(("role", "kind"), few(product(("keys", "targets"), REFUSED), 5))
def test_a_type_is_refused(tmp_path: Path, role: str, kind: str) -> None:
    of_kind, values = REFUSED[kind]
    table = pa.table({"a": pa.array(values, of_kind), "b": [1, 2]})
    pq.write_table(table, tmp_path / "people.parquet")
    asked = (
        {"keys": ["a"], "targets": ["b"]} if role == "keys" else {"keys": ["b"], "targets": ["a"]}
    )
    for people in (table, tmp_path / "people.parquet"):
        with pytest.raises(sqlrisk.InputError, match=r"The column 'a' of ") as caught:
            sqlrisk.score(people, people, **asked)
        assert "10000" not in refusal(str(caught.value))


@pytest.mark.parametrize(
    "value",
    [
        "INTERVAL 1 MONTH",
        "INTERVAL 30 DAY",
        "[INTERVAL 1 DAY]",
        "union_value(a := 1)",
        "1::VARIANT",
    ],
)
def test_a_type_of_the_engine_is_refused(tmp_path: Path, value: str) -> None:
    duckdb.sql(f"SELECT {value} AS a, 1 AS b").write_parquet(str(tmp_path / "people.parquet"))
    with pytest.raises(sqlrisk.InputError, match=r"The column 'a' of "):
        sqlrisk.score(
            tmp_path / "people.parquet", tmp_path / "people.parquet", keys=["a"], targets=["b"]
        )


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_a_duration_is_refused(unit: str) -> None:
    """The engine has microseconds only: two that differ by a nanosecond would be one level."""
    table = pa.table({"a": pa.array([1, 2], pa.duration(unit)), "b": [1, 2]})
    with pytest.raises(sqlrisk.InputError, match=r"The column 'a' of .* holds INTERVAL"):
        sqlrisk.score(table, table, keys=["a"], targets=["b"])


def test_a_column_that_is_not_asked_for_may_be_anything() -> None:
    other = {name: pa.array(values, of_kind) for name, (of_kind, values) in REFUSED.items()}
    table = pa.table({"a": [1, 2], "b": [1, 2], **other})
    assert (
        sqlrisk.score(table, table, keys=["a"], targets=["b"], measures=["iS"]).results[0][
            "numerator"
        ]
        == 2
    )


@pytest.mark.parametrize(
    ("of_kind", "values"),
    few([
        (pa.int64(), [2**53 + 1, 2**53 + 2, 1, 0]),
        (pa.uint64(), [2**64 - 1, 2**64 - 2, 1, 0]),
        (pa.decimal128(38, 0), [Decimal(10**38 - 1), Decimal(10**38 - 2), Decimal(1), Decimal(0)]),
        (
            pa.decimal128(20, 5),
            [Decimal("10000000000.00001"), Decimal("10000000000.00002"), Decimal(1), Decimal(0)],
        ),
    ]),
    ids=str,
)  # fmt: skip
def test_bins_of_long_numbers_are_refused(of_kind: pa.DataType, values: Sequence[Any]) -> None:
    table = pa.table({"a": pa.array(values, of_kind), "b": [1, 2, 1, 2]})
    with pytest.raises(
        sqlrisk.InputError, match=r"bins: 'a' has numbers in the original .* with more digits"
    ):
        sqlrisk.score(table, table, keys=["a"], targets=["b"], bins={"a": 3})
    short = table.slice(2)
    assert (
        sqlrisk.score(
            short, short, keys=["a"], targets=["b"], bins={"a": 3}, measures=["UiO"]
        ).results[0]["numerator"]
        == 2
    )


def test_weights_without_a_sum_are_refused() -> None:
    table = PEOPLE.append_column("weight", pa.array([1.7e308, 1.7e308, 1.0, 1.0]))
    with pytest.raises(
        sqlrisk.InputError,
        match=r"weights: the weights of the original .* have a sum beyond the largest number",
    ):
        sqlrisk.score(table, PEOPLE, weights="weight", **QUESTION)


# --------------------------------------------------------------------------------------------------
# bombs of levels


@pytest.mark.slow
def test_levels_that_unpack_to_a_thousand_times_their_file(tmp_path: Path) -> None:
    """150 MB of levels in some kB, and a memory limit that they do not fit: the right number or the
    engine's error.
    """
    levels = pa.array(["x" * 500_000 + str(number) for number in range(300)], pa.large_string())
    pq.write_table(
        pa.table({"k": levels, "t": [1] * 300}),
        tmp_path / "bomb.parquet",
        compression="zstd",
        row_group_size=10,
    )
    assert (tmp_path / "bomb.parquet").stat().st_size < 10**6
    try:
        report = sqlrisk.score(
            *[tmp_path / "bomb.parquet"] * 2,
            keys=["k"],
            targets=["t"],
            measures=["UiO", "iS"],
            memory_limit="400MB",
        )
    except sqlrisk.EngineError as error:
        assert "memory" in refusal(str(error))  # noqa: PT017 - either is right
    else:
        assert {row["numerator"] for row in report.results} == {300}


@pytest.mark.slow
def test_records_that_unpack_to_a_thousand_times_their_file(tmp_path: Path) -> None:
    """Dictionaries and runs: as many records as a country has people, in some kB."""
    rows = 3_000_000
    for name, n in (("original", rows), ("synthetic", 2 * rows)):
        one = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int8()), [MARKER])
        pq.write_table(pa.table({"k": one, "t": one}), tmp_path / f"{name}.parquet")
        assert (tmp_path / f"{name}.parquet").stat().st_size < n / 100
    report = sqlrisk.score(
        tmp_path / "original.parquet",
        tmp_path / "synthetic.parquet",
        keys=["k"],
        targets=["t"],
        measures=["DiSCO"],
    )
    assert report.results[0]["numerator"] == rows


# --------------------------------------------------------------------------------------------
# scenario and policy files

SETTINGS = (
    *(
        "keys",
        "targets",
        "bins",
        "special",
        "within",
        "within_floor",
        "exclude_level",
        "exclude_missing",
        "exclude_pair",
    ),
    *(
        "max_cell",
        "max_cell_syn",
        "justification",
        "one_way",
        "two_way",
        "measures",
        "class_sizes",
        "populations",
        "population",
    ),
    *(
        "by",
        "weights",
        "split",
        "split_in",
        "id",
        "aligned",
        "assume",
        "prior",
        "intruder_prior",
        "confidence",
    ),
    *("distributions", "trend"),
    *("work_limit", "scenario", "missing"),
)
WORDS = st.sampled_from(
    [
        "sex",
        "age",
        "ill",
        "f",
        "30",
        "y",
        "DiSCO",
        "DCAP",
        "all",
        "age=2",
        "ill=y,sex=f",
        "age>30",
        "sex = 'f'",
        "5%",
        "1e-400",
    ]
)
NUMBERS = (
    st.integers(-2, 10)
    | st.integers()
    | st.floats()
    | st.sampled_from([10**30, 2**63, 1e308, 5e-324])
)
VALUES = st.recursive(
    st.booleans() | NUMBERS | WORDS | TEXTS | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | TEXTS, inner, max_size=2),
    max_leaves=5,
)


def toml(value: object) -> str:
    """A value as TOML writes it; its texts as JSON does, which is nearly the same."""
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{json.dumps(name)} = {toml(each)}" for name, each in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return (
        value.isoformat()
        if isinstance(value, dt.date)
        else str(value)
        if isinstance(value, float)
        else json.dumps(value)
    )


def document(tables: Mapping[str, object]) -> bytes:
    return "\n".join(
        f"{json.dumps(name)} = {toml(value)}" for name, value in tables.items()
    ).encode()


SCENARIOS = st.binary(max_size=50) | st.dictionaries(
    st.sampled_from(SETTINGS) | TEXTS, VALUES, max_size=4
).map(lambda given: document({**QUESTION, **given}))


@examples(150)
@given(SCENARIOS)
@example(b"a = " + b"[" * 3000)
@example(b"a = " + b"{a = " * 2000)
@example(b"max_cell = " + b"9" * 5000)
@example(b'keys = ["sex"]\nmeasures = ["iS"]\ntargets = ["ill"]\nbaseline = {ill = "\\u0000"}')
@example(b'original = "\\u0000"')
def test_a_scenario_file(text: bytes) -> None:
    with folder() as place:
        (place / "scenario.toml").write_bytes(text)
        try:
            report = sqlrisk.score(PEOPLE, PEOPLE, scenario=place / "scenario.toml")
        except sqlrisk.InputError as error:
            refusal(str(error))
        else:
            for row in report.results:
                assert all(
                    row[field] is None or math.isfinite(row[field])
                    for field in ("numerator", "denominator", "value")
                ), row


RULES = st.lists(
    st.sampled_from(
        [
            "DiSCO",
            "DCAP",
            "CAPd",
            "repU",
            "<=",
            "<",
            ">",
            "=",
            "5",
            "1e999",
            "-",
            "+",
            "*",
            "(",
            ")",
            "[ill]",
            "@0.5",
        ]
    )
    | TEXTS,
    max_size=6,
).map(" ".join)
CLAUSES = st.fixed_dictionaries(
    {"rule": RULES | VALUES, "reason": TEXTS},
    optional=dict.fromkeys(
        ("targets", "populations", "syntheses", "verdict", "exception", "other"), VALUES
    ),
)
POLICIES = st.binary(max_size=50) | st.lists(
    CLAUSES | st.just({"rule": "DiSCO <= 5", "reason": "x"}), max_size=3
).map(lambda rules: document({"name": "p", "rule": rules}))


@lru_cache(maxsize=1)
def scored() -> sqlrisk.Report:
    # a copy would pass no policy
    return sqlrisk.score(PEOPLE, PEOPLE.take([0, 0, 1, 3]), **QUESTION)


@examples(200)
@given(POLICIES)
@example(b"a = " + b"[" * 3000)
@example(b'name = "p"\n[[rule]]\nreason = "x"\nrule = "DiSCO <= ' + b"9" * 5000 + b'"')
def test_a_policy_file(text: bytes) -> None:
    with folder() as place:
        (place / "policy.toml").write_bytes(text)
        try:
            verdicts = sqlrisk.check(scored(), place / "policy.toml").policy
        except sqlrisk.InputError as error:
            refusal(str(error))
        else:
            assert verdicts is not None
            assert verdicts["verdict"] in ("pass", "review", "fail")


@pytest.mark.parametrize("name", ["a\0b", "", "x" * 5000], ids=["NUL", "empty", "long"])
def test_a_file_that_no_file_can_be_named(name: str) -> None:
    for option in (
        {"scenario": name},
        {"policy": name},
        {"measures_from": name},
        {"control": name},
    ):
        with pytest.raises(sqlrisk.InputError):
            sqlrisk.score(PEOPLE, PEOPLE, **QUESTION, **option)
    for ending in ("", ".parquet", "*.csv", "#a"):
        with pytest.raises(sqlrisk.InputError):
            sqlrisk.score(name + ending, PEOPLE, **QUESTION)
        with pytest.raises(sqlrisk.InputError):
            sqlrisk.score(PEOPLE, PEOPLE, scenario=name + ending)
    with pytest.raises(sqlrisk.InputError):
        sqlrisk.query(name, "SELECT 1")
    if name:
        with pytest.raises(sqlrisk.InputError, match="this is not a valid file name"):
            sqlrisk.score(PEOPLE, PEOPLE, **QUESTION, save=f"{name}.duckdb")


def test_a_measure_of_ones_own_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes.sql").write_bytes(b"/*---\n\xff\n---*/\nSELECT 1")
    with pytest.raises(sqlrisk.InputError, match=r"bytes\.sql is not UTF-8 text"):
        sqlrisk.score(PEOPLE, PEOPLE, **QUESTION, measures_from=str(tmp_path))


# -------------------------------------------------------------------------------------------------
# saved databases

STATEMENT = "SELECT * FROM results ORDER BY ALL"


@lru_cache(maxsize=1)
def saved() -> tuple[bytes, str]:
    """A saved run, and the answer that it gives."""
    with folder() as place:
        path = place / "risk.duckdb"
        sqlrisk.score(PEOPLE, PEOPLE, **QUESTION, save=str(path))
        return path.read_bytes(), asked(place).out


def asked(place: Path) -> Done:
    """The answer by a process of its own, which a database that the engine cannot bear may end."""
    return command_line("query", "risk.duckdb", STATEMENT, "--format", "csv", folder=place)


@examples(15)
@given(
    st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=20
    ),
    st.none() | st.floats(0, 1),
    st.booleans(),
)
def test_a_saved_database_with_other_bytes(
    flips: Sequence[tuple[float, int]], cut: float | None, head: bool
) -> None:
    """The answer it was saved with, or an error: no other answer."""
    whole, answer = saved()
    changed = bytearray(whole if cut is None else whole[: int(cut * len(whole))])
    for where, bits in flips:
        if changed:
            changed[int(where * (min(len(changed), 12_288) if head else len(changed)))] ^= bits
    with folder() as place:
        (place / "risk.duckdb").write_bytes(changed)
        done = asked(place)
        assert done.status in (0, 2, 3), done.err
        assert done.out == ("" if done.status else answer)
        assert done.status == 0 or refusal(done.err)


DAMAGED = (
    *(
        "",
        "{",
        "null",
        "[]",
        "{}",
        '{"version": 1}',
        '{"version": [1]}',
        "[" * 100_000,
        '{"version": 1, "scenario": []}',
    ),
    (
        '{"version": 1, "scenario": {"keys": [[3]]}, "syntheses": [], "control": 0, "baselines": '
        "[], "
        '"records": []}'
    ),
    (
        '{"version": 1, "scenario": {"keys": ["sex"], "targets": ["ill"]}, "syntheses": 3, '
        '"control": '
        "0}"
    ),
)


@pytest.mark.parametrize("document", few(DAMAGED), ids=lambda text: text[:30])
def test_a_saved_database_that_says_something_else_of_itself(tmp_path: Path, document: str) -> None:
    path = tmp_path / "risk.duckdb"
    path.write_bytes(saved()[0])
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE about SET document = ?", [document])
    with pytest.raises(sqlrisk.InputError):
        sqlrisk.query(str(path), STATEMENT)
