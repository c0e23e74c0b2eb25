"""GCAP and what goes with it: the nearest synthetic records, found by sets of keys or by pairs."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import reference
from examples import examples
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle import ABSENT, ORACLE
from portable import Passes
from quickly import few, some

import sqlrisk
from sqlrisk.analyses import neighbours
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.inputs.request import ask

GCAP = sorted(ORACLE.glob("gcap/*/case.json"))
CAP = sorted(ORACLE.glob("sdmetrics/*/case.json"))
absent = pytest.mark.skipif(not GCAP, reason=ABSENT)
MEASURES = ["GCAP", "records_by_radius", "accuracy_GCAP"]
# what a pair and a row take, so that one side is always the cheaper
ALWAYS = {"sets": (10**9, 1), "pairs": (0, 1)}


@pytest.fixture(params=["sets", "pairs"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    pair, row = ALWAYS[request.param]
    monkeypatch.setattr(neighbours, "PAIR", pair)
    monkeypatch.setattr(neighbours, "ROW", row)
    return str(request.param)


def found(report: sqlrisk.Report, synthesis: str = "1") -> dict[tuple[str, object], Any]:
    """Rows by measure and point."""
    return {
        (row["measure"], row["at"]): row for row in report.results if row["synthesis"] == synthesis
    }


@absent
@pytest.mark.parametrize("case", some(GCAP[:1], GCAP), ids=lambda case: case.parent.name)
def test_a_case_of_the_oracle(case: Path, way: str) -> None:
    text = json.loads(case.read_text())
    rows = found(
        sqlrisk.score(
            case.parent / "original.parquet",
            case.parent / "syn_1.parquet",
            keys=text["scenario"]["keys"],
            targets=[text["scenario"]["target"]],
            measures=["neighbours", "DCAP", "DCAP_matched"],
        )
    )
    by_radius = text["expected"].pop("records_by_radius")
    assert {name: rows[name, None]["value"] for name in text["expected"]} == pytest.approx(
        text["expected"], rel=1e-9
    )
    counted = {
        str(at): row["numerator"]
        for (name, at), row in rows.items()
        if name == "records_by_radius" and row["numerator"]
    }
    assert counted == by_radius


@absent
@pytest.mark.parametrize("case", few(CAP, 5), ids=lambda case: case.parent.name)
def test_the_scores_of_sdmetrics(case: Path, tmp_path: Path) -> None:
    """CategoricalCAP and its kin are 1 - ours; several sensitive columns are one target, their
    values joined.
    """
    text = json.loads(case.read_text())
    files = []
    for name in ("original", "syn_1"):
        frame = pq.read_table(case.parent / f"{name}.parquet").to_pandas()[
            [*text["keys"], *text["sensitive"]]
        ]
        frame = frame.astype("object").where(frame.notna(), None)
        frame["joined"] = [
            repr(tuple(row)) for row in frame[text["sensitive"]].itertuples(index=False)
        ]
        for key in text["keys"]:
            frame[key] = [None if value is None else str(value) for value in frame[key]]
        files.append(tmp_path / f"{name}.parquet")
        frame.to_parquet(files[-1])
    rows = found(
        sqlrisk.score(
            *files, keys=text["keys"], targets=["joined"], measures=["DCAP", "DCAP_matched", "GCAP"]
        )
    )
    theirs = {
        "CategoricalZeroCAP": "DCAP",
        "CategoricalCAP": "DCAP_matched",
        "CategoricalGeneralizedCAP": "GCAP",
    }
    for name, ours in theirs.items():
        assert 1 - rows[ours, None]["value"] / 100 == pytest.approx(
            text["expected"][name], rel=1e-9, abs=1e-12
        )


LEVELS = st.sampled_from([None, "a", "b", "c", "d"])
ROWS = st.lists(
    st.tuples(LEVELS, LEVELS, LEVELS, st.sampled_from([None, "x", "y", "z"])),
    min_size=1,
    max_size=25,
)


def table(rows: list[tuple[Any, ...]]) -> pa.Table:
    names = ("k", "l", "m", "t")
    return pa.table(
        {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)}
    )


@settings(
    examples(10),
    phases=[Phase.generate],
    suppress_health_check=[*settings().suppress_health_check, HealthCheck.function_scoped_fixture],
)
@given(original=ROWS, one=ROWS, two=ROWS)
def test_random_tables_with_missing_levels(way: str, original: Any, one: Any, two: Any) -> None:
    tables = [table(rows) for rows in (original, one, two)]
    asked: dict[str, Any] = {
        "keys": ["k", "l", "m"],
        "targets": ["t"],
        "exclude_level": {"t": ["x"]},
    }
    if not any(row[3] == "x" for rows in (original, one, two) for row in rows):
        del asked["exclude_level"]
    with Passes(3) as engine:
        report = scoring.score(
            ask(tables[0], tables[1:], {**asked, "measures": MEASURES}), Session(engine)
        )
    plain = [each.to_pydict() for each in tables]
    question = reference.Question(
        ("k", "l", "m"), ("t",), exclude_level=asked.get("exclude_level", {})
    )
    answer = reference.score(plain[0], plain[1:], question)
    row: dict[str, Any]
    for row in report.results:
        if row["synthesis"] in ("mean", "min", "max"):
            continue
        at = None if row["at"] is None else Fraction(str(row["at"]))
        top, bottom, value = answer.results[row["measure"], at, "t", row["synthesis"]]
        assert (row["numerator"], row["denominator"]) == (
            pytest.approx(float(top or 0), rel=1e-12, abs=1e-12),
            bottom,
        )
        assert row["value"] == pytest.approx(float(value or 0), rel=1e-12, abs=1e-12)


def people(seed: int, count: int) -> pa.Table:
    """People of whom some have no equal in another seed."""
    rows = [
        [(i * (7 + seed) * (j + 3) // 5 + i // 7) % (5 + 3 * j) for i in range(count)]
        for j in range(4)
    ]
    return pa.table(
        {
            "k": rows[0],
            "l": rows[1],
            "m": rows[2],
            "t": [value % 3 for value in rows[3]],
            "w": [1.5] * count,
        }
    )


def nearest_by_hand(original: pa.Table, synthetic: pa.Table) -> list[tuple[int, Fraction]]:
    """Of each person the radius, and the share of their level there."""
    records = Counter(zip(*(synthetic[name].to_pylist() for name in "klmt"), strict=True))
    persons = []
    for *keys, level in zip(*(original[name].to_pylist() for name in "klmt"), strict=True):
        distances = {
            record: sum(a != b for a, b in zip(keys, record[:3], strict=True)) for record in records
        }
        radius = min(distances.values())
        near = {record: n for record, n in records.items() if distances[record] == radius}
        hit = sum(n for record, n in near.items() if record[3] == level)
        persons.append((radius, Fraction(hit, sum(near.values()))))
    return persons


def test_populations_weights_and_control_are_sums_over_their_people(way: str) -> None:
    original, control, synthetic = people(0, 90), people(3, 60), people(1, 70)
    report = sqlrisk.score(
        original, synthetic, control=control, keys=["k", "l", "m"], targets=["t"],
        measures=["GCAP", "records_by_radius"],
        weights="w", population={"low": "k <= 1"},
    )  # fmt: skip
    rows: dict[Any, dict[str, Any]] = {
        (r["measure"], r["at"], r["population"], r["people"], r["weighted"]): r
        for r in report.results
    }
    for name, file in (("original", original), ("control", control)):
        persons = nearest_by_hand(file, synthetic)
        low = [person for person, k in zip(persons, file["k"].to_pylist(), strict=True) if k <= 1]
        assert 0 < len(low) < len(persons)
        assert {radius for radius, _ in persons} > {0}
        for population, chosen in (("all", persons), ("low", low)):
            row = rows["GCAP", None, population, name, False]
            assert row["denominator"] == len(chosen)
            assert row["numerator"] == pytest.approx(
                float(sum(share for _, share in chosen)), rel=1e-12
            )
            for radius in range(4):
                row = rows["records_by_radius", radius, population, name, False]
                assert (row["numerator"], row["denominator"]) == (
                    sum(r == radius for r, _ in chosen),
                    len(chosen),
                )
    weighted = rows["GCAP", None, "all", "original", True]
    plain = rows["GCAP", None, "all", "original", False]
    assert weighted["denominator"] == pytest.approx(1.5 * 90)
    assert weighted["numerator"] == pytest.approx(1.5 * plain["numerator"], rel=1e-12)
    difference = rows["GCAP", None, "all", "difference", False]
    assert difference["value"] == pytest.approx(
        plain["value"] - rows["GCAP", None, "all", "control", False]["value"]
    )


def test_keys_in_two_numbers(way: str) -> None:
    """Sixteen keys of many levels do not fit one class key; one of them differs here and there."""
    names = [f"k{number}" for number in range(16)]
    rows = {name: [(i * (j + 1)) % 40 for i in range(40)] for j, name in enumerate(names)}
    original = pa.table(rows | {"t": [i % 2 for i in range(40)]})
    moved = {**rows, "k3": [(value + (i % 3 == 0)) % 40 for i, value in enumerate(rows["k3"])]}
    synthetic = pa.table(moved | {"t": [i % 2 for i in range(40)]})
    report = found(sqlrisk.score(original, synthetic, keys=names, targets=["t"], measures=MEASURES))
    assert report["GCAP", None]["value"] == 100
    assert [report["records_by_radius", radius]["numerator"] for radius in (0, 1, 2, 16)] == [
        26,
        14,
        0,
        0,
    ]


def noted(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[tuple[str, tuple[Any, ...]]]:
    """A list that the calls of some functions of the search are added to, with what
    they are given.
    """
    calls: list[tuple[str, tuple[Any, ...]]] = []

    def note(name: str, function: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            calls.append((name, given))
            return function(*given, **more)

        return call

    for name in names:
        monkeypatch.setattr(neighbours, name, note(name, getattr(neighbours, name)))
    return calls


def test_both_ways_are_taken_in_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """First by sets of keys, then by pairs, for the few that are left."""
    taken = noted(monkeypatch, "by_sets", "by_pairs")
    count = 3000
    rows = {
        "k": [i % 97 for i in range(count)],
        "l": [i % 31 for i in range(count)],
        "m": [i % 7 for i in range(count)],
    }
    original = pa.table(rows | {"t": [i % 2 for i in range(count)]})
    synthetic = pa.table(
        {**rows, "m": [6 - i % 7 for i in range(count)], "t": [i % 2 for i in range(count)]}
    )
    odd = pa.table({"k": [1000], "l": [1000], "m": [3], "t": [0]})
    report = found(
        sqlrisk.score(
            pa.concat_tables([original, odd]),
            synthetic,
            keys=["k", "l", "m"],
            targets=["t"],
            measures=MEASURES,
        )
    )
    assert [(name, given[2]) for name, given in taken] == [("by_sets", 1), ("by_pairs", 2)]
    assert report["records_by_radius", 2]["numerator"] == 1
    persons = nearest_by_hand(pa.concat_tables([original.slice(0, 50), odd]), synthetic)
    assert [radius for radius, _ in persons][-1] == 2


def test_too_much_work_is_refused_with_the_estimate(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "sets":
        monkeypatch.setattr(neighbours, "PAIR", 10**6)
        monkeypatch.setattr(neighbours, "ROW", 1)
    asked: dict[str, Any] = {"keys": ["k", "l", "m"], "targets": ["t"], "measures": ["GCAP"]}
    if way == "pairs":
        monkeypatch.setattr(neighbours, "PAIR", 1)
        monkeypatch.setattr(neighbours, "ROW", 10**6)
    with pytest.raises(
        sqlrisk.InputError,
        match=r"no synthetic record within 0 of 3 keys.*the limit is 10: .*--work-limit",
    ):
        sqlrisk.score(people(0, 90), people(1, 70), **asked, work_limit=10)
    assert (
        found(sqlrisk.score(people(0, 90), people(1, 70), **asked, work_limit=10**6))["GCAP", None][
            "denominator"
        ]
        == 90
    )


@pytest.mark.slow
def test_the_rows_that_sets_find_are_counted_where_their_bound_passes_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound of radius 1 is 3 sets times the classes times 3 levels; really there are fewer
    pairs.
    """
    monkeypatch.setattr(neighbours, "PAIR", 10**6)
    monkeypatch.setattr(neighbours, "ROW", 1)
    asked: dict[str, Any] = {"keys": ["k", "l", "m"], "targets": ["t"], "measures": ["GCAP"]}
    counted = noted(monkeypatch, "_pairs_met")
    monkeypatch.setattr(neighbours, "_most_found", lambda *_: 10**12)
    report = sqlrisk.score(people(0, 90), people(1, 70), **asked, work_limit=100_000)
    assert counted
    persons = nearest_by_hand(people(0, 90), people(1, 70))
    assert found(report)["GCAP", None]["numerator"] == pytest.approx(
        float(sum(share for _, share in persons)), rel=1e-12
    )


@pytest.mark.slow
def test_pairs_are_taken_where_the_sets_would_find_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One key never agrees, the other always: the sets of radius 1 find every pair, at more steps
    each.
    """
    monkeypatch.setattr(neighbours, "LEAST", 0)
    count = 300
    original = pa.table({"a": list(range(count)), "b": [1] * count, "t": list(range(count))})
    synthetic = pa.table(
        {"a": list(range(count, 2 * count)), "b": [1] * count, "t": list(range(count))}
    )
    taken = noted(monkeypatch, "by_sets", "by_pairs", "_pairs_met")
    asked: dict[str, Any] = {
        "keys": ["a", "b"],
        "targets": ["t"],
        "measures": ["GCAP"],
        "work_limit": 100_000,
    }
    report = found(sqlrisk.score(original, synthetic, **asked))
    assert [name for name, _ in taken] == ["_pairs_met", "by_pairs"]
    assert report["GCAP", None]["value"] == pytest.approx(100 / count)


def test_a_measure_of_neighbours_adds_them_to_records(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"keys": ["k", "l"], "targets": ["t"]}
    for name, more in (("asked", {"gcap": True}), ("measured", {"measures": ["GCAP"]})):
        sqlrisk.records(people(0, 40), people(1, 40), tmp_path / f"{name}.parquet", **asked, **more)
    assert pq.read_table(tmp_path / "asked.parquet").equals(
        pq.read_table(tmp_path / "measured.parquet")
    )
    assert "gcap_t" in pq.read_schema(tmp_path / "measured.parquet").names
