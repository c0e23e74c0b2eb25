"""Many questions about the same files: each answer is that of the function of its name, and files
are read and encoded once.
"""

import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.engines.duckdb import DuckDB

QUESTION: dict[str, Any] = {"keys": ["town", "age", "sex"], "targets": ["ill", "job"]}
ANSWERS: dict[str, tuple[Callable[[sqlrisk.Release], Any], Callable[..., Any]]] = {
    "score": (lambda r: r.score(), sqlrisk.score),
    "other measures": (
        lambda r: r.score(["CAP_at_least", "iS", "near_keys"]),
        lambda *files, **how: sqlrisk.score(
            *files, **{**how, "measures": ["CAP_at_least", "iS", "near_keys"]}
        ),
    ),
    "cells": (
        lambda r: r.cells("DiSCO", limit=7),
        lambda *files, **how: sqlrisk.cells("DiSCO", *files, **how, limit=7),
    ),
    "records": (
        lambda r: r.records(synthesis="2", suda=True),
        lambda *files, **how: sqlrisk.records(*files, **how, synthesis="2", suda=True),
    ),
    "sweep": (
        lambda r: r.sweep(key_length=[1, 3], reference=True),
        lambda *files, **how: sqlrisk.sweep(*files, **how, key_length=[1, 3], reference=True),
    ),
    "inspect": (lambda r: r.inspect(), sqlrisk.inspect),
    "explain": (
        lambda r: r.explain(3),
        lambda *files, **how: sqlrisk.explain(*files, **how, record=3),
    ),
}


def people(seed: int, rows: int = 200) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "town": draw.choice(["a", "b", "c", None], rows),
            "age": draw.integers(20, 30, rows),
            "sex": draw.choice(["f", "m"], rows),
            "ill": draw.choice(["yes", "no"], rows),
            "job": draw.choice(["vet", "cook", "none"], rows),
        }
    )


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str]]:
    """An original as Parquet, a synthesis as CSV, and another as Parquet."""
    monkeypatch.chdir(tmp_path)
    people(1).to_parquet("original.parquet", index=False)
    people(2).to_csv("one.csv", index=False)
    people(3).to_parquet("two.parquet", index=False)
    return "original.parquet", ["one.csv", "two.parquet"]


def plain(answer: Any) -> Any:
    """An answer without what differs from run to run."""
    if isinstance(answer, sqlrisk.Records):
        return answer.to_arrow().to_pylist()
    document = answer.to_dict()
    for name in ("engine", "reproduce"):
        document.pop(name, None)
    return document


def alike(one: Any, other: Any) -> bool:
    """Whether two answers are the same, but for the order in which shares were added."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(
        one == other
        or (isinstance(one, float) and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9))
    )


SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "who is counted": {
        "exclude_level": "ill=no",
        "population": "women: sex = 'f'",
        "by": ["town"],
        "max_cell": 3,
    },
    "bins": {"bins": "age=3", "special": "age=20", "missing": "c"},
}


@pytest.mark.parametrize("settings", some(["who is counted"], SETTINGS))
def test_each_answer_is_that_of_its_function(files: tuple[str, list[str]], settings: str) -> None:
    question = {**QUESTION, **SETTINGS[settings]}
    with sqlrisk.Release(*files, **question) as release:
        expected = {name: plain(each(*files, **question)) for name, (_, each) in ANSWERS.items()}
        for name in [*ANSWERS, *[*ANSWERS][:3]]:
            assert alike(plain(ANSWERS[name][0](release)), expected[name]), name
        assert release.query("SELECT COUNT(*) FROM people").rows == [(200,)]
        assert release.query("SELECT COUNT(*) FROM record_risk WHERE synthesis = '1'").rows == [
            (200,)
        ]


def test_a_synthesis_and_a_target_may_be_numbers() -> None:
    frame = pd.DataFrame({0: ["x", "y"], 1: ["a", "b"]})
    asked: dict[str, Any] = {"keys": [0], "targets": [1]}
    with sqlrisk.Release(frame, [frame, frame[:1]], **asked) as release:
        found = release.cells("DiSCO", synthesis=2, target=1)
        assert [row[:3] for row in found.rows] == [("x", "1", "a")]
        assert release.explain(1, synthesis=2).synthesis == "2"
        with pytest.raises(sqlrisk.InputError, match="There is no synthesis '4'"):
            release.cells("DiSCO", synthesis=4)
        with pytest.raises(sqlrisk.InputError, match="'3' is not a target of the scenario"):
            release.cells("DiSCO", target=3)


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_sweep_asks_every_number_of_keys(files: tuple[str, list[str]], settings: str) -> None:
    question = {**QUESTION, **SETTINGS[settings]}
    with sqlrisk.Release(*files, **question) as release:
        expected = plain(sqlrisk.sweep(*files, **question, reference=True))
        for _ in range(2):
            assert alike(plain(release.sweep(reference=True)), expected)


@pytest.mark.slow
def test_control_and_a_universe_are_asked_too(files: tuple[str, list[str]]) -> None:
    beside = {"control": people(4, 150), "universe": people(5, 900)[["town", "age", "sex"]]}
    scored = plain(sqlrisk.score(*files, **beside, **QUESTION))
    with sqlrisk.Release(*files, **beside, **QUESTION) as release:
        for _ in range(2):
            assert alike(plain(release.score()), scored)
        assert alike(
            plain(release.inspect()),
            plain(sqlrisk.inspect(*files, control=beside["control"], **QUESTION)),
        )


@pytest.mark.parametrize("first", few(["records", "inspect", "cells", "explain", "sweep"], 5))
def test_any_question_may_be_the_first(files: tuple[str, list[str]], first: str) -> None:
    """The first question opens control and the universe for all, even if it reads neither."""
    people(4, 150).to_csv("control.csv", index=False)
    people(5, 900)[["town", "age", "sex"]].to_parquet("universe.parquet", index=False)
    beside = {"control": "control.csv", "universe": "universe.parquet"}
    ask, function = ANSWERS[first]
    own = {"control": "control.csv"} if first in ("inspect", "sweep") else {}
    answer = plain(function(*files, **own, **QUESTION))
    scored = plain(sqlrisk.score(*files, **beside, **QUESTION))
    with sqlrisk.Release(*files, **beside, **QUESTION) as release:
        for _ in range(2):
            assert alike(plain(ask(release)), answer)
            assert alike(plain(release.score()), scored)
        assert release.query("SELECT SUM(n_universe) FROM classes").rows == [(900,)]
        people(6, 150).to_csv("control.csv", index=False)
        with pytest.raises(sqlrisk.InputError, match=r"control\.csv' changed during the run"):
            ask(release)


@pytest.mark.parametrize("first", few(["cells", "records", "explain", "sweep", "inspect"], 5))
def test_a_query_may_be_the_second_question(files: tuple[str, list[str]], first: str) -> None:
    with sqlrisk.Release(*files, **QUESTION) as release:
        ANSWERS[first][0](release)
        assert release.query("SELECT COUNT(*) FROM people").rows == [(200,)]


def test_files_are_read_and_encoded_once(files: tuple[str, list[str]]) -> None:
    run: list[str] = []
    with sqlrisk.Release(
        *files, **QUESTION, trace=lambda sql, _: run.append(sql.split(" AS")[0])
    ) as release:
        release.score()
        first = [*run]
        run.clear()
        release.score(["iS"])
    made = {sql for sql in first if "TABLE" in sql}
    encoded = {
        "CREATE TABLE levels_k1",
        "CREATE TEMPORARY TABLE records",
        "CREATE TABLE log_shares",
        "CREATE TABLE files",
    }
    assert encoded <= made
    assert not encoded & {*run}
    assert "CREATE TEMPORARY TABLE classes" not in run


@pytest.mark.slow
def test_in_several_passes(files: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: 3)
    monkeypatch.setattr(DuckDB, "fits_in_memory", lambda *_: False)
    with sqlrisk.Release(*files, **QUESTION) as release:
        for asked in (release.score, release.score, release.inspect):
            assert alike(
                plain(asked()), plain(getattr(sqlrisk, asked.__name__)(*files, **QUESTION))
            )


@pytest.mark.slow
@pytest.mark.parametrize("fits", few([True, False]))
def test_records_in_parts_are_replaced(
    files: tuple[str, list[str]], fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    question: dict[str, Any] = {"keys": ["town", "sex"], "targets": ["ill"], "measures": "DiSCO"}
    swept = plain(sqlrisk.sweep(*files, **question, key_length=1))
    copied = plain(sqlrisk.score(*files, **{**question, "measures": "copies"}))
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: 3)
    with sqlrisk.Release(*files, **question) as release:
        for answered, expected in (
            (lambda: release.sweep(key_length=1), swept),
            (lambda: release.score("copies"), copied),
        ):
            monkeypatch.setattr(DuckDB, "fits_in_memory", lambda *_: False)
            release.score()
            monkeypatch.setattr(DuckDB, "fits_in_memory", lambda *_: fits)
            assert alike(plain(answered()), expected)


def on_a_server(engine: Any, files: tuple[str, list[str]]) -> None:
    with sqlrisk.Release(*files, **QUESTION, engine=engine) as release:
        asked = ("score", "cells", "other measures")
        expected = {name: plain(ANSWERS[name][1](*files, **QUESTION)) for name in asked}
        for name in (*asked, "score"):
            assert alike(plain(ANSWERS[name][0](release)), expected[name]), name


@pytest.mark.slow
def test_on_postgresql(files: tuple[str, list[str]], postgres_server: Any) -> None:
    on_a_server(postgres_server.address(), files)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_on_spark(files: tuple[str, list[str]], spark: Any) -> None:
    on_a_server(spark, files)


def test_records_are_written_after_another_question(
    files: tuple[str, list[str]], tmp_path: Path
) -> None:
    with sqlrisk.Release(*files, **QUESTION) as release:
        release.inspect()
        for name in ("rows.parquet", "rows.csv"):
            assert release.records(tmp_path / name) == 200
    sqlrisk.records(*files, "expected.csv", **QUESTION)
    assert Path("rows.csv").read_bytes() == Path("expected.csv").read_bytes()
    assert Path("rows.csv").stat().st_mode & 0o777 == Path("expected.csv").stat().st_mode & 0o777


def test_a_refusal_leaves_it_open(files: tuple[str, list[str]]) -> None:
    with sqlrisk.Release(*files, **QUESTION) as release:
        with pytest.raises(sqlrisk.InputError, match="no synthesis '9'"):
            release.cells("DiSCO", synthesis="9")
        expected = sqlrisk.score(*files, **QUESTION, measures="DiSCO").results
        assert alike(release.score("DiSCO").results, expected)
        with pytest.raises(sqlrisk.InputError, match="DiSC"):
            release.score("DiSC")
        assert alike(release.score("DiSCO").results, expected)
    with pytest.raises(sqlrisk.InputError, match="no file has a column 'agee'"):
        sqlrisk.Release(*files, keys=["agee"]).score()
    closed = sqlrisk.Release(*files, **QUESTION)
    closed.close()
    assert alike(closed.score("DiSCO").results, expected)  # it reads the files again
    closed.close()


@pytest.mark.parametrize(
    ("ask", "names"),
    few(
        [
            (lambda r: r.sweep(keys=["town", "age"]), "keys"),
            (
                lambda r: r.records(targets=["job"], exclude_level="job=vet"),
                "exclude_level, targets",
            ),
            (lambda r: r.sweep(memory_limit="1GB"), "machine"),
        ]
    ),
)
def test_other_settings_are_refused(
    files: tuple[str, list[str]], ask: Callable[[sqlrisk.Release], Any], names: str
) -> None:
    """Its records are of its keys: an answer would be about other columns than those that were
    asked for.
    """
    with sqlrisk.Release(*files, **QUESTION) as release:
        release.score("DiSCO")
        with pytest.raises(
            sqlrisk.InputError, match=f"^{names}: all questions of a Release share these settings"
        ):
            ask(release)
        assert alike(
            plain(release.score("iS")), plain(sqlrisk.score(*files, **QUESTION, measures="iS"))
        )
    with pytest.raises(TypeError, match="kyes"):
        sqlrisk.Release(*files, kyes=["town"])


@pytest.mark.slow
def test_after_an_interruption_it_begins_anew(
    files: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # as of many records, whose comparisons are counted one by one
    monkeypatch.setattr("sqlrisk.plan.layout.FEW_RECORDS", 0)
    stop: list[str] = []

    def trace(sql: str, _: float) -> None:
        if stop and stop[0] in sql:
            stop.clear()
            raise KeyboardInterrupt

    expected = sqlrisk.score(*files, **QUESTION).results
    with sqlrisk.Release(*files, **QUESTION, trace=trace) as release:
        for word in ("TABLE records", "TABLE cell_parts", "INSERT INTO cell_parts"):
            stop.append(word)
            with pytest.raises(KeyboardInterrupt):
                release.score(["CAP_at_least", "iS"])
            assert alike(release.score().results, expected)


@pytest.mark.slow
def test_a_manifest_has_the_sql_that_numbers_rest_on(files: tuple[str, list[str]]) -> None:
    with sqlrisk.Release(*files, **QUESTION) as release:
        release.inspect()
        reports = [release.score() for _ in range(2)]
    manifests: list[Any] = [report.manifest() for report in reports]
    texts = [{each["text"] for each in manifest["sql"]} for manifest in manifests]
    made = [{text for text in every if text.startswith(("CREATE", "INSERT"))} for every in texts]
    assert made[0] == made[1]
    tables = {text.split(" AS")[0] for text in made[1]}
    assert {
        "CREATE TABLE levels_k1",
        "CREATE TABLE distinct_rows",
        "CREATE TABLE copies",
        "CREATE TEMPORARY TABLE records",
    } <= tables
    again = sqlrisk.rerun(write(reports[1], "manifest.json"))
    assert alike(again.report.results, reports[1].results)


def write(report: sqlrisk.Report, path: str) -> str:
    Path(path).write_text(json.dumps(report.manifest()), encoding="utf-8")
    return path


@pytest.mark.parametrize("opened", [False, True])
def test_threads_ask_one_after_the_other(files: tuple[str, list[str]], opened: bool) -> None:
    names = ["score", "other measures", "cells", "inspect"]
    expected = {name: plain(ANSWERS[name][1](*files, **QUESTION)) for name in names}
    with sqlrisk.Release(*files, **QUESTION) as release, ThreadPoolExecutor(4) as threads:
        if opened:
            release.score("DiSCO")
        answers = threads.map(lambda name: plain(ANSWERS[name][0](release)), names)
        for name, answer in zip(names, answers, strict=True):
            assert alike(answer, expected[name]), name


def test_a_file_that_changed_is_told(files: tuple[str, list[str]]) -> None:
    with sqlrisk.Release(*files, **QUESTION) as release:
        release.score("DiSCO")
        people(9, 220).to_csv("one.csv", index=False)
        with pytest.raises(sqlrisk.InputError, match=r"one\.csv' changed during the run"):
            release.score("DiSCO")


@pytest.mark.slow
def test_without_keys_it_is_inspected(files: tuple[str, list[str]]) -> None:
    with sqlrisk.Release(*files) as release:
        assert alike(plain(release.inspect()), plain(sqlrisk.inspect(*files)))
        with pytest.raises(sqlrisk.InputError, match="Name the columns"):
            release.score()
