"""Random small tables: every number equals the slow oracle's, and the measures keep their promises
to each other.
"""

import datetime as dt
import math
import random
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import reference
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from quickly import few, some
from reference import Question

import sqlrisk

Table = dict[str, list[Any]]
Row = dict[str, Any]
Place = tuple[str, Fraction | None, str | None, str]  # measure, at, target, synthesis

EVERY_FAMILY = list(sqlrisk.measures().families)
# Whole rows and sets of keys are counted by slow programs of their own, in test_copies.py and
# test_linkability.py.
OF_KEYS = [family for family in EVERY_FAMILY if family not in ("copies", "singling_out")]
# separators, quotes, templates, SQL, patterns, and the names that the stages use themselves
HOSTILE = (
    *("a | b", "a", "a,b", "a=b", '"', "'", "''", '""', "`", "a\nb", " ", " a", "\\", "\\n", "\t",
        ";", "--", "/*"),
    *("{{ 7*7 }}", "{% raw %}", "{#", "%", "%s", "$1", "?", ":x", "@",
        "x'); DROP TABLE records; --", "SELECT", "NULL"),
    *("ü", "ß", "日本", "\U0001f600", "e\u0301", "é", "0", "00", "1e3", "nan", "true", "(missing)",
        "Missing", "rowid"),
    *("k1", "t1", "n_orig", "n_syn", "n_syn_1", "counted_orig", "class_key", "file", "cells",
        "classes", "records"),
    *("levels", "level_code", "value", "code", "low", "high", "people", "target", "comparison",
        "levels.value"),
)  # fmt: skip
TYPES = {
    "int": [pa.int64(), pa.int32(), pa.int8(), pa.float64()],
    "float": [pa.float64()],
    "text": [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    "bool": [pa.bool_()],
    "date": [pa.date32()],
}
VALUES: dict[str, list[Any]] = {
    "int": [None, 0, 1, 2, 3, 5, 8, 13, -8],
    "float": [None, math.nan, 0.0, -0.0, 0.5, 1.0, -2.25, 1e300],
    "text": [None, "", *HOSTILE],
    "bool": [None, True, False],
    "date": [None, dt.date(1900, 2, 28), dt.date(2000, 2, 29)],
}


@dataclass(frozen=True)
class World:
    """Tables with their Arrow types, and a question about them."""

    original: Table
    syntheses: tuple[Table, ...]
    types: tuple[dict[str, pa.DataType], ...]  # of the original, then of each synthesis
    question: Question

    def arrow(self) -> tuple[pa.Table, list[pa.Table]]:
        tables = (self.original, *self.syntheses)
        original, *syntheses = (
            arrow(table, types) for table, types in zip(tables, self.types, strict=True)
        )
        return original, syntheses

    def score(self, **options: Any) -> sqlrisk.Report:
        original, syntheses = self.arrow()
        return sqlrisk.score(original, syntheses, **(arguments(self.question) | options))

    def answer(self) -> reference.Answer:
        return reference.score(self.original, self.syntheses, self.question)


def arrow(table: Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """An Arrow table in which NaN stays NaN."""
    return pa.table(
        {name: pa.array(table[name], type=types[name], from_pandas=False) for name in table}
    )


def arguments(question: Question) -> dict[str, Any]:
    """The question as keyword arguments of sqlrisk.score."""
    pair = ("target", "target_level", "key", "key_level")
    return {
        "keys": list(question.keys),
        "targets": list(question.targets),
        "bins": dict(question.bins),
        "special": {column: list(values) for column, values in question.special.items()},
        "exclude_level": {
            target: list(levels) for target, levels in question.exclude_level.items()
        },
        "exclude_missing": list(question.exclude_missing),
        "exclude_pair": [dict(zip(pair, each, strict=True)) for each in question.exclude_pair],
        "max_cell": question.max_cell,
        "max_cell_syn": question.max_cell_syn,
        "one_way": question.one_way,
        "two_way": question.two_way,
        "measures": OF_KEYS,
    }


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    least_syntheses: int = 1,
    most_syntheses: int = 3,
    exclusions: bool = True,
    bins: bool = True,
    kinds: Sequence[str] = tuple(TYPES),
    texts: st.SearchStrategy[str] | None = None,
) -> World:
    """Small tables with few levels per column, so that classes meet; hostile names; a random
    scenario.

    One target and few syntheses are drawn more often: each more of them costs as much as the first,
    and shows little more. ``texts`` are the names and the levels of texts, in the place of
    ``HOSTILE``.
    """
    n_keys, n_targets = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2]))
    names = draw(
        st.lists(
            st.sampled_from(HOSTILE) if texts is None else texts,
            min_size=n_keys + n_targets,
            max_size=n_keys + n_targets,
            unique_by=str.casefold,
        )
    )
    keys, targets = tuple(names[:n_keys]), tuple(names[n_keys:])
    kind = {name: draw(st.sampled_from(kinds)) for name in names}
    values = {name: st.sampled_from(each) for name, each in VALUES.items()} | (
        {} if texts is None else {"text": st.none() | texts}
    )
    domain = {
        name: draw(
            st.lists(values[kind[name]], min_size=1, max_size=8 if kind[name] == "int" else 3)
        )
        for name in names
    }

    def table() -> Table:
        n = draw(st.integers(1, 14))
        return {
            name: draw(st.lists(st.sampled_from(domain[name]), min_size=n, max_size=n))
            for name in names
        }

    original = table()
    counts = [
        n for n in range(least_syntheses, most_syntheses + 1) for _ in range(n, most_syntheses + 1)
    ]
    syntheses = tuple(table() for _ in range(draw(st.sampled_from(counts))))
    types = tuple(
        {name: draw(st.sampled_from(TYPES[kind[name]])) for name in names}
        for _ in (original, *syntheses)
    )
    there = {name: present(t[name] for t in (original, *syntheses)) for name in names}
    question = Question(
        keys,
        targets,
        one_way=(draw(st.integers(0, 3)), draw(st.integers(0, 90))),
        two_way=(draw(st.integers(0, 2)), draw(st.integers(0, 90))),
    )
    if bins:
        binned = {
            name: draw(st.integers(2, 4))
            for name in names
            if kind[name] == "int" and draw(st.booleans())
        }
        special = {
            name: [draw(st.sampled_from(there[name]))]
            for name in binned
            if bool(there[name]) and draw(st.booleans())
        }
        question = replace(question, bins=binned, special=special)
    if exclusions:
        pairs = [
            (t, draw(st.sampled_from(there[t])), k, draw(st.sampled_from(there[k])))
            for t in targets
            for k in keys
            if bool(there[t] and there[k]) and draw(st.booleans())
        ]
        question = replace(
            question,
            exclude_level={
                t: [draw(st.sampled_from(there[t]))]
                for t in targets
                if bool(there[t]) and draw(st.booleans())
            },
            exclude_missing=tuple(draw(st.lists(st.sampled_from(names), unique=True))),
            exclude_pair=tuple(pairs),
            max_cell=draw(st.none() | st.integers(1, 4)),
            max_cell_syn=draw(st.none() | st.integers(1, 4)),
        )
    return World(original, syntheses, types, question)


def present(columns: Iterable[list[Any]]) -> list[Any]:
    """The levels that a person can type: neither missing nor NaN."""
    return sorted(
        {value for column in columns for value in column if value is not None and not_nan(value)}
    )


def not_nan(value: object) -> bool:
    return not (isinstance(value, float) and math.isnan(value))


# --------------------------------------------------------------------------------------------------
# comparing


def number(value: reference.Number | None, *, tolerance: float = 1e-12) -> object:
    """What a report must show: a whole number exactly, a fraction to 1e-12 (differences of
    percentages absolutely).
    """
    return None if value is None else pytest.approx(float(value), rel=tolerance, abs=1e-11)


def by_key(rows: Iterable[Row]) -> dict[Place, Row]:
    """Rows of results by measure, at, target, synthesis."""
    return {
        (
            row["measure"],
            None if row["at"] is None else Fraction(str(row["at"])),
            row["target"],
            row["synthesis"],
        ): row
        for row in counted_again(rows)
    }


def counted_again(rows: Iterable[Row]) -> list[Row]:
    """Rows of what the slow oracle counts; ordered closeness is counted place by place in
    test_universe.
    """
    return [row for row in rows if not row["measure"].startswith("t_closeness_ordered")]


def differences(report: sqlrisk.Report, answer: reference.Answer, question: Question) -> list[str]:
    """Every place where a report and the slow oracle disagree."""
    wrong = []
    found = by_key(report.results)
    assert len(found) == len(counted_again(report.results)), "rows of results are not unique"
    expected = {
        key: row
        for key, row in answer.results.items()
        if not key[0].startswith("R_known") or question.excludes
    }
    alone = found.keys() ^ expected.keys()
    wrong += [f"{key} is only in the {'report' if key in found else 'oracle'}" for key in alone]
    for key in found.keys() & expected.keys():
        for field, value in zip(("numerator", "denominator", "value"), expected[key], strict=True):
            mine = found[key][field]
            whole = field != "value" and isinstance(value, int) and isinstance(mine, int)
            if mine != (value if whole else number(value)) or (
                isinstance(mine, float) and not math.isfinite(mine)
            ):
                wrong.append(f"{field} of {key} is {mine}, not {value}")
    for name, theirs in (("one_way", answer.one_way), ("two_way", answer.two_way)):
        if set(map(shown, report.checks[name])) != set(map(shown, theirs)) or len(
            report.checks[name]
        ) != len(theirs):
            wrong.append(f"{name} is {report.checks[name]}, not {theirs}")
    exclusions = {
        (row["reason"], row["target"], row["synthesis"], row["side"]): (
            row["cells"],
            row["records"],
        )
        for row in report.exclusions
    }
    if exclusions != answer.exclusions:
        wrong.append(f"exclusions are {exclusions}, not {answer.exclusions}")
    levels = {
        (row["column"], row["synthesis"]): (row["only_original"], row["only_synthetic"])
        for row in report.levels
    }
    if levels != answer.levels:
        wrong.append(f"levels are {levels}, not {answer.levels}")
    overlap = {
        row["synthesis"]: {name: n for name, n in row.items() if name != "synthesis"}
        for row in report.overlap
    }
    if overlap != answer.overlap:
        wrong.append(f"overlap is {overlap}, not {answer.overlap}")
    classes = (report.original["classes"], *(each["classes"] for each in report.synthetic))
    if classes != answer.classes:
        wrong.append(f"classes are {classes}, not {answer.classes}")
    return wrong


def shown(row: Mapping[str, Any]) -> tuple[tuple[str, object], ...]:
    """A row of a check, comparable: a level by its text, a number to ten digits however it is
    written.
    """

    def plain(value: Any) -> object:
        if value is None:
            return None
        try:
            return f"{float(value) + 0.0:.10g}"  # -0.0 and 0.0 are one level
        except (TypeError, ValueError):  # a text, a date, a bin
            return str(value)

    return tuple(
        (column, plain(str(value).lower() if isinstance(value, bool) else value))
        for column, value in sorted(row.items())
    )


def values(report: sqlrisk.Report, synthesis: str = "1") -> dict[tuple[str, str | None], Any]:
    """Values by measure and target of one synthesis; the tau family aside."""
    return {
        (row["measure"], row["target"]): row["value"]
        for row in report.results
        if row["synthesis"] == synthesis and row["at"] is None
    }


def told(world: World, names: Container[str]) -> dict[Place, reference.Row]:
    """What the slow oracle says of these syntheses."""
    return {place: row for place, row in world.answer().results.items() if place[3] in names}


def agree(
    found: Mapping[Place, Row], expected: Mapping[Place, reference.Row], names: Container[str]
) -> bool:
    """Rows of these syntheses are the slow oracle's."""
    fields = ("numerator", "denominator", "value")
    return {place for place in found if place[3] in names} == expected.keys() and all(
        found[place][field] == number(value)
        for place, row in expected.items()
        for field, value in zip(fields, row, strict=True)
    )


def same(rows: Iterable[Row], others: Iterable[Row]) -> bool:
    """Rows are the same, numbers to 1e-12, whatever their order."""
    mine, theirs = by_key(rows), by_key(others)
    fields = ("numerator", "denominator", "value")
    return mine.keys() == theirs.keys() and all(
        row[field]
        == (
            None
            if theirs[key][field] is None
            else pytest.approx(theirs[key][field], rel=1e-12, abs=1e-11)
        )
        for key, row in mine.items()
        for field in fields
    )


def promises_are_kept(report: sqlrisk.Report, question: Question) -> None:
    """Some measures are never larger than others, and the tau family falls from DCAP to DiSCO."""
    for synthesis in ("1", "2", "3", "pooled 1-2", "pooled 1-3", "min", "max"):
        value = values(report, synthesis)
        if not value:
            continue
        assert rising(0, value["repU", None], value["UiOiS", None], value["UiO", None], 100)
        for target in question.targets:
            of = {measure: v for (measure, about), v in value.items() if about == target}
            assert rising(0, of["DiSDiO"], of["DiSCO"], of["DiS"], of["iS"], 100)
            assert rising(of["DiSCO"], of["DCAP"], of["iS"])
            assert rising(of["DCAP"], of["DCAP_matched"], 100)
            assert rising(of["DiSDiO"], of["Dorig"], of["CAPd"], 100)
            if synthesis not in ("min", "max"):
                assert rising(of["DiSCO"], of["TCAP"], of["TCAP_disclosive"], 100)
            places = {"measure": "CAP_at_least", "target": target, "synthesis": synthesis}
            family = [row["value"] for row in report.results if row.items() >= places.items()]
            assert rising(of["DiSCO"], *reversed(family), of["DCAP"])
            assert family[-1] == pytest.approx(of["DiSCO"], rel=1e-12)


def rising(*numbers: float | None) -> bool:
    """The numbers that have a value do not fall, up to rounding."""
    have = [n for n in numbers if n is not None]
    return all(low <= high + 1e-9 for low, high in pairwise(have))


# ---------------------------------------------------------------------------------------- against
# the slow oracle


@examples(20)
@given(worlds())
def test_every_row_equals_the_slow_oracle(world: World) -> None:
    report, question = world.score(), world.question
    assert differences(report, world.answer(), question) == []
    promises_are_kept(report, question)
    plain = replace(
        question,
        exclude_level={},
        exclude_missing=(),
        exclude_pair=(),
        max_cell=None,
        max_cell_syn=None,
    )
    whole = replace(world, question=plain).answer().results if question.excludes else {}
    wanted = {key: row for key, row in whole.items() if not key[0].startswith("R_known")}
    found = by_key(report.without_exclusions)
    assert found.keys() == wanted.keys()
    assert [key for key, row in found.items() if row["value"] != number(wanted[key][2])] == []


@examples(25)
@given(worlds(kinds=["text"], bins=False))
@pytest.mark.slow
def test_hostile_names_and_values(world: World) -> None:
    report = world.score()
    assert differences(report, world.answer(), world.question) == []
    promises_are_kept(report, world.question)


@examples(25)
@given(worlds(kinds=["int"], most_syntheses=2))
@pytest.mark.slow
def test_bins(world: World) -> None:
    report = world.score()
    assert differences(report, world.answer(), world.question) == []
    promises_are_kept(report, world.question)


@pytest.mark.parametrize(
    "level",
    few(["a\nb", "a \n\n b", "\r\n", "levels.value", "'", "{{ 7*7 }}", "{% raw %}", "--", "/*"], 5),
    ids=repr,
)
def test_a_hostile_level_is_excluded_as_it_is_typed(level: str) -> None:
    """Literals pass through templates: no filter may touch what stands between the quotes."""
    table = pa.table({"k": [level, level, "other"], "t": [level, level, "other"]})
    pair = {"target": "t", "target_level": level, "key": "k", "key_level": level}
    for excluded in ({"exclude_pair": [pair]}, {"exclude_level": {"t": [level]}}):
        report = sqlrisk.score(table, table, keys=["k"], targets=["t"], measures=["iS"], **excluded)
        assert report.results[0]["numerator"] == 1, excluded


def test_separators_never_merge_classes() -> None:
    original = {"x": ["a | b", "a"], "y": ["c", "b | c"], "t": ["1", "2"]}
    report = sqlrisk.score(pa.table(original), pa.table(original), keys=["x", "y"], targets=["t"])
    assert report.original["classes"] == 2
    assert report["UiO"].rows[0]["numerator"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("levels", some([40], [2, 5, 20, 40]), ids=lambda n: f"{n}^30 classes")
def test_thirty_keys(levels: int) -> None:
    """Level products of 2^47, 2^77, 2^131 and 2^160: one, two, three key columns of a class key."""
    rng = random.Random(levels)  # noqa: S311
    keys = [f"k{i}" for i in range(30)]
    people = [[rng.randrange(levels) for _ in keys] for _ in range(max(levels, 30))]
    for level in range(levels):  # every level occurs, so that the product is as large as it says
        people[level] = [level] * len(keys)

    def table(records: list[list[int]]) -> Table:
        return {key: [record[i] for record in records] for i, key in enumerate(keys)} | {
            "t": [record[0] % 3 for record in records]
        }

    other = [
        rng.choice(people) if rng.random() < 0.7 else [rng.randrange(levels) for _ in keys]
        for _ in range(80)
    ]
    # differs in the last key alone
    near = [[*person[:-1], (person[-1] + 1) % levels] for person in people]
    original, synthetic = table(people + people[:5]), table(other + near)
    question = Question(tuple(keys), ("t",))
    report = sqlrisk.score(
        pa.table(original), pa.table(synthetic), keys=keys, targets=["t"], measures=OF_KEYS
    )
    assert differences(report, reference.score(original, [synthetic], question), question) == []


# --------------------------------------------------------------------------------------------------
# invariance


@examples(12)
@given(worlds(most_syntheses=2), st.randoms(use_true_random=False))
def test_order_of_rows_keys_and_columns_changes_nothing(world: World, rng: random.Random) -> None:
    original, syntheses = world.arrow()

    def shuffled(table: pa.Table) -> pa.Table:
        rows = rng.sample(range(table.num_rows), table.num_rows)
        return table.take(rows).select(rng.sample(table.column_names, table.num_columns))

    options = arguments(world.question)
    options["keys"] = rng.sample(options["keys"], len(options["keys"]))
    other = sqlrisk.score(shuffled(original), [shuffled(table) for table in syntheses], **options)
    assert differences(other, world.answer(), world.question) == []


@pytest.mark.slow
@examples(8)
@given(worlds(least_syntheses=2), st.randoms(use_true_random=False))
def test_permuting_the_syntheses_permutes_their_rows_only(world: World, rng: random.Random) -> None:
    original, syntheses = world.arrow()
    _, *others = permutations(range(len(syntheses)))  # the first is their own order
    order = rng.choice(others)
    other = by_key(
        sqlrisk.score(original, [syntheses[i] for i in order], **arguments(world.question)).results
    )
    new_name = {str(i + 1): str(place + 1) for place, i in enumerate(order)}
    # the other prefixes hold other files
    kept = {*new_name, "mean", "min", "max", f"pooled 1-{len(order)}"}
    assert agree(
        other,
        {(*of, new_name.get(name, name)): row for (*of, name), row in told(world, kept).items()},
        kept,
    )


@pytest.mark.slow
@examples(10)
@given(worlds(least_syntheses=2))
def test_pooling_is_scoring_one_concatenated_file(world: World) -> None:
    pooled = {
        name: [value for table in world.syntheses for value in table[name]]
        for name in world.original
    }
    types = {name: pa.float64() if t == pa.int64() else t for name, t in world.types[0].items()}
    one = replace(world, syntheses=(pooled,), types=(world.types[0], types)).score()
    label = f"pooled 1-{len(world.syntheses)}"
    # Who is revealed by at least one file depends on where a file ends; breaks of bins come from
    # all files together.
    rows = by_key(row for row in one.results if row["family"] != "union")
    wanted = {
        (*of, "1"): row
        for (*of, _), row in told(world, {label}).items()
        if not of[0].endswith("_union")
    }
    assert agree(rows, wanted, {"1"})


@pytest.mark.slow
def test_rows_come_in_the_promised_order() -> None:
    table = pa.table({"b": [1, 2], "a": [1, 1], "z": [1, 2]})
    report = sqlrisk.score(
        table, [table, table], keys=["b"], targets=["z", "a"], measures=["cap", "DiSCO", "identity"]
    )
    place = {measure.name: i for i, measure in enumerate(sqlrisk.measures())}
    labels = ["1", "2", "mean", "min", "max", "pooled 1-2"]
    order = [
        (
            place[row["measure"]],
            row["at"] or 0,
            ["z", "a", None].index(row["target"]),
            labels.index(row["synthesis"]),
        )
        for row in report.results
    ]
    assert order == sorted(order)


# --------------------------------------------------------------------------------------------------
# known cases


@examples(8)
@given(worlds(exclusions=False))
def test_a_synthesis_that_is_the_original(world: World) -> None:
    value = values(replace(world, syntheses=(world.original,), types=world.types[:1] * 2).score())
    assert value["repU", None] == value["UiOiS", None] == value["UiO", None] == value["UiS", None]
    for target in world.question.targets:
        assert value["iS", target] == 100
        assert (
            value["DiSCO", target]
            == value["Dorig", target]
            == value["DiSDiO", target]
            == value["DiS", target]
            == value["Dsyn", target]
        )
        assert value["DCAP", target] == pytest.approx(value["CAPd", target], rel=1e-12)
        assert value["CAPs", target] == pytest.approx(value["CAPd", target], rel=1e-12)


@examples(8)
@given(worlds(exclusions=False, bins=False, kinds=["text"]))
def test_nobody_is_found(world: World) -> None:
    key = world.question.keys[0]
    tables = tuple(table | {key: ["nowhere"] * len(table[key])} for table in world.syntheses)
    value = values(replace(world, syntheses=tables).score())
    assert value["UiOiS", None] == value["repU", None] == 0
    for target in world.question.targets:
        assert [value[measure, target] for measure in ("iS", "DiS", "DiSCO", "DiSDiO", "DCAP")] == [
            0
        ] * 5
        matched = ("DCAP_matched", "TCAP", "TCAP_disclosive", "TCAP_scaled")
        assert [value[measure, target] for measure in matched] == [None] * 4
        denominators = ("max_denom", "mean_denom", "max_denom_syn", "mean_denom_syn")
        assert [value[measure, target] for measure in denominators] == [None] * 4


@pytest.mark.slow
@examples(8)
@given(worlds(exclusions=False))
def test_a_size_limit_of_one_leaves_the_uniques(world: World) -> None:
    limited = replace(world, question=replace(world.question, max_cell=1))
    report = limited.score()
    for synthesis in (str(i + 1) for i in range(len(world.syntheses))):
        value = values(report, synthesis)
        assert {value["Dorig", target] for target in world.question.targets} == {value["UiO", None]}


# ------------------------------------------------------------------------------------ the same
# people, stored otherwise

STORED = pa.table(
    {
        "sex": ["f", "m", "", None, "f", "a,b", '"', "007"],
        "age": [30, 41, None, 30, -8, 41, 0, 7],
        "ill": ["y", "n", "y", "y", None, "", "n", "y"],
    }
)


@pytest.mark.parametrize(
    "form", some(["folder"], ["parquet", "csv", "folder", "glob", "pandas", "polars", "relation"])
)
def test_the_same_people_however_they_are_stored(tmp_path: Path, form: str) -> None:
    other = STORED.slice(2)
    expected = sqlrisk.score(
        STORED, other, keys=["sex", "age"], targets=["ill"], measures=EVERY_FAMILY
    )
    with duckdb.connect() as connection:
        pair = [
            stored(table, form, tmp_path / str(n), connection)
            for n, table in enumerate((STORED, other))
        ]
        report = sqlrisk.score(
            pair[0], pair[1:], keys=["sex", "age"], targets=["ill"], measures=EVERY_FAMILY
        )
    assert same(report.results, expected.results)


def csv_text(value: object) -> str:
    return "" if value is None else '"' + str(value).replace('"', '""') + '"'


def stored(table: pa.Table, form: str, folder: Path, connection: duckdb.DuckDBPyConnection) -> Any:
    """The table in another form; the files of one in two parts."""
    folder.mkdir()
    if form == "csv":  # quotes tell an empty text from a missing one
        quoted = [[csv_text(value) for value in column.to_pylist()] for column in table.columns]
        rows = [",".join(row) for row in zip(*quoted, strict=True)]
        (folder / "people.csv").write_text("\n".join([",".join(table.column_names), *rows]) + "\n")
        return folder / "people.csv"
    if form in ("parquet", "folder", "glob"):
        parts = [table] if form == "parquet" else [table.slice(0, 3), table.slice(3)]
        for n, part in enumerate(parts):
            pq.write_table(part, folder / f"part_{n}.parquet")
        return {
            "parquet": folder / "part_0.parquet",
            "folder": folder,
            "glob": str(folder / "part_*.parquet"),
        }[form]
    if form == "pandas":
        return table.to_pandas()
    if form == "polars":
        return pl.from_arrow(table)
    connection.register(f"people_{folder.name}", table)
    return connection.table(f"people_{folder.name}")


@pytest.mark.parametrize(
    ("mine", "theirs"),
    few([
        (pa.array([1, 2, None]), pa.array([1.0, 2.0, math.nan])),
        (pa.array([1, 2, None], pa.int8()), pa.array([1, 2, None], pa.uint64())),
        (pa.array([1, 2, None]), pa.array([Decimal("1.00"), Decimal("2.00"), None])),
        (pa.array([0.1, 2, None], pa.float32()), pa.array([0.1, 2, None], pa.float64())),
        (pa.array(["a", "b", None]), pa.array(["b", "a", None]).dictionary_encode()),
        (pa.array(["a", "b", None]), pa.array(["a", "b", None], pa.large_string())),
        (pa.array([dt.date(2000, 1, 1), None]), pa.array([dt.datetime(2000, 1, 1), None])),  # noqa: DTZ001
        (pa.array([True, False, None]), pa.array([1, 0, None])),
        (pa.array([1, 2]), pa.array([None, None])),
    ]),
    ids=["float", "unsigned", "decimal", "single", "category", "large", "timestamp", "boolean",
        "nothing"],
)  # fmt: skip
def test_types_that_meet(mine: pa.Array, theirs: pa.Array) -> None:
    original, synthetic = (pa.table({"k": each, "t": [1] * len(each)}) for each in (mine, theirs))
    report = sqlrisk.score(original, synthetic, keys=["k"], targets=["t"], measures=["iS"])
    nothing = theirs.null_count == len(theirs)
    assert report.results[0]["numerator"] == (0 if nothing else len(mine))


@pytest.mark.slow
def test_a_timestamp_in_the_night_is_another_level() -> None:
    days = pa.table({"k": [dt.date(2000, 1, 1)], "t": [1]})
    nights = pa.table({"k": [dt.datetime(2000, 1, 1, 1)], "t": [1]})  # noqa: DTZ001
    assert (
        sqlrisk.score(days, nights, keys=["k"], targets=["t"], measures=["iS"]).results[0][
            "numerator"
        ]
        == 0
    )
