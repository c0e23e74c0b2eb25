"""Every result with rows is a pandas, a polars and an Arrow table, with the same columns and the
same values.
"""

import ast
import gc
import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.people.held_records import ROWS, Records
from sqlrisk.common import temporary_files

ORIGINAL = pa.table(
    {"sex": ["F", "F", "M", "M", None], "age": [1, 1, 1, 2, 3], "ill": ["y", "y", "n", None, "y"]}
)
SYNTHETIC = pa.table(
    {"sex": ["F", "M", "M", "F"], "age": [1, 1, 2, 5], "ill": ["y", "y", "n", "n"]}
)
POLICY = 'name = "Board"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "An example."\n'
SCENARIO: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"]}


def results(folder: Path) -> dict[str, Any]:
    report = sqlrisk.score(
        ORIGINAL, [SYNTHETIC, ORIGINAL], **SCENARIO, distributions=True, trend=True
    )
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    for name, table in (("o.parquet", ORIGINAL), ("s.parquet", SYNTHETIC)):
        pq.write_table(table, folder / name)
    filed = sqlrisk.score(folder / "o.parquet", folder / "s.parquet", **SCENARIO)
    (folder / "manifest.json").write_text(json.dumps(filed.manifest()), encoding="utf-8")
    filed.to_json(folder / "risk.json")
    (folder / "risk.json.manifest.json").write_text(json.dumps(filed.manifest()), encoding="utf-8")
    return {
        "Report": report,
        "MeasureRows": report["DiSCO"],
        "Table": report.table("trends"),
        "Listing": report.cells("DiSCO"),
        "Records": sqlrisk.records(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Reports": sqlrisk.score_all({"one": SCENARIO}, ORIGINAL, SYNTHETIC),
        "Steps": sqlrisk.score_steps({"age.width": [1, 2]}, ORIGINAL, SYNTHETIC, **SCENARIO),
        "Explanation": sqlrisk.explain(ORIGINAL, SYNTHETIC, record=1, **SCENARIO),
        "Attacks": sqlrisk.attack(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Sweep": sqlrisk.sweep(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Reference": sqlrisk.reference(ORIGINAL, **SCENARIO, random=5),
        "Utility": sqlrisk.utility(ORIGINAL, SYNTHETIC),
        "Uniques": sqlrisk.uniques(ORIGINAL, keys=SCENARIO["keys"]),
        "Inspection": sqlrisk.inspect(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Protection": sqlrisk.protect(
            ORIGINAL, SYNTHETIC, output=folder / "out.parquet", **SCENARIO
        ),
        "Protections": sqlrisk.protect(
            ORIGINAL, [SYNTHETIC, ORIGINAL], output=folder / "protected", **SCENARIO
        ),
        "Halves": sqlrisk.split(ORIGINAL, output=folder / "halves", share=0.5, seed=1),
        "Recoding": sqlrisk.recode(
            ORIGINAL, SYNTHETIC, output=folder / "release", column={"age": {"top": 3}}, **SCENARIO
        ),
        "Verdicts": sqlrisk.check(report, folder / "policy.toml").verdicts(),
        "Diff": sqlrisk.diff(report, sqlrisk.score(ORIGINAL, ORIGINAL, **SCENARIO)),
        "Rerun": sqlrisk.rerun(folder / "manifest.json"),
        "Signatures": sqlrisk.sign(folder / "risk.json", "approve", by="A. Custodian"),
    }


@pytest.mark.slow
def test_every_result_is_a_table_in_each_library_and_on_the_screen(tmp_path: Path) -> None:
    found = results(tmp_path)
    public = {
        name
        for name in sqlrisk.__all__
        if isinstance(getattr(sqlrisk, name), type) and hasattr(getattr(sqlrisk, name), "to_json")
    }
    assert public <= set(found)
    for name, result in found.items():
        assert type(result).__name__ == name
        arrow, pandas, polars = result.to_arrow(), result.to_pandas(), result.to_polars()
        assert isinstance(arrow, pa.Table)
        assert isinstance(pandas, pd.DataFrame)
        assert isinstance(polars, pl.DataFrame)
        assert arrow.num_rows > 0
        assert arrow.column_names == list(pandas.columns) == polars.columns
        assert polars.to_dicts() == arrow.to_pylist()
        assert len(pandas) == arrow.num_rows
        assert pa.table(result).equals(arrow), name
        line, gap, *table = repr(result).splitlines()
        assert (line[0], line[-1], gap) == ("<", ">", "")
        # rows, or columns where rows are wider than the screen
        assert sum(line.startswith("  ") for line in table) > 1, name
        assert max(map(len, table)) <= 80
        assert "<table" in result._repr_html_()
        assert "<script" not in result._repr_html_()


def test_a_long_table_shows_its_first_rows_and_what_all_of_them_say() -> None:
    rows: list[tuple[object, ...]] = [
        ("a", number, 0.1234567, None, "yes") for number in range(1200)
    ]
    shown = repr(
        sqlrisk.Table("part", "p", "P", ["name", "n", "share", "none", "same"], rows)
    ).splitlines()
    assert [line.split() for line in shown[4:6]] == [["a", "0", "0.123457"], ["a", "1", "0.123457"]]
    assert shown[2].split() == ["name", "n", "share"]
    assert len([line for line in shown if line.startswith("  a ")]) == 10
    assert shown[-3:] == [
        "... and 1,190 more: to_pandas(), to_polars(), to_arrow() have all rows.",
        "",
        "In all rows: same yes.",
    ]


def test_rows_of_a_measure_are_had_by_number_as_from_a_list() -> None:
    found = sqlrisk.score(ORIGINAL, [SYNTHETIC, ORIGINAL], **SCENARIO)["DiSCO"]
    first, *_, last = rows = [*found]
    assert first != last
    assert (found[0], found[np.int64(-1)]) == (first, last)
    assert (found[1:3], found[::-1]) == (rows[1:3], rows[::-1])
    with pytest.raises(IndexError):
        found[len(found)]


def test_one_number_by_its_name_and_place() -> None:
    report = sqlrisk.score(ORIGINAL, [SYNTHETIC, ORIGINAL], **SCENARIO)
    rows = {row["synthesis"]: row for row in report["DiSCO"]}
    assert report.value("DiSCO", target="ill", synthesis=2) == rows["2"]["value"] == 100
    assert report["DiSCO"].value(synthesis="mean") == rows["mean"]["value"] == 70
    assert report.value("CAP_at_least", synthesis=1, at=0.5) is not None
    assert report._ipython_key_completions_()[0] == report.results[0]["measure"]
    weighted = sqlrisk.score(
        ORIGINAL.append_column("w", pa.array([1, 2, 1, 1, 1])),
        SYNTHETIC,
        **SCENARIO,
        weights="w",
        population={"men": "sex = M"},
    )
    # everybody, each counted once, unless told
    assert weighted.value("DiSCO") == rows["1"]["value"] == 40
    assert weighted.value("DiSCO", population="men", weighted=True) == 0
    for wanted, said in (
        (
            {},
            (
                r"^DiSCO has 6 numbers here; add synthesis=\.\.\. \('1', '2', 'mean', 'min', "
                r"'max', "
                r"'pooled 1-2'\)\.$"
            ),
        ),
        ({"synthesis": "meen"}, r"^DiSCO has no synthesis 'meen' \(did you mean 'mean'\?\)\.$"),
        ({"target": "x", "synthesis": 1}, r"^DiSCO has no target 'x'; it has 'ill'\.$"),
        ({"measure": "DISCO"}, r"no measure 'DISCO' \(did you mean 'DiSCO'"),
    ):
        with pytest.raises(sqlrisk.InputError, match=said):
            report.value(**({"measure": "DiSCO"} | wanted))


def test_records_without_a_file_are_a_stream_whose_file_goes_with_them(tmp_path: Path) -> None:
    sqlrisk.records(ORIGINAL, SYNTHETIC, tmp_path / "risk.parquet", **SCENARIO)
    written = pq.read_table(tmp_path / "risk.parquet")
    found = sqlrisk.records(ORIGINAL, SYNTHETIC, **SCENARIO, temp_directory=str(tmp_path))
    assert found.to_arrow().equals(written)
    assert (len(found), found.assessment[0]["state"]) == (5, "assessable")
    assert duckdb.from_arrow(found.reader()).aggregate("sum(correct_ill::INT)").fetchall() == [(2,)]
    reader = found.reader()
    (folder,) = (each for each in tmp_path.iterdir() if each.is_dir())
    assert folder.stat().st_mode & 0o777 == 0o700
    del found
    gc.collect()
    assert not folder.exists()
    assert reader.read_all().equals(written)
    with pytest.raises(sqlrisk.InputError):
        sqlrisk.records(
            ORIGINAL, SYNTHETIC, **SCENARIO, side="neither", temp_directory=str(tmp_path)
        )
    assert [each.name for each in tmp_path.iterdir()] == ["risk.parquet"]


def test_records_are_a_frame_in_the_first_minutes() -> None:
    found = sqlrisk.records(ORIGINAL, SYNTHETIC, **SCENARIO)
    whole = found.to_pandas()
    assert (found.columns, len(found)) == (list(whole.columns), 5)
    assert found._ipython_key_completions_() == found.columns
    assert repr(found).splitlines()[0] == "<Records: 5 rows of 14 columns, microdata>"
    pd.testing.assert_series_equal(found["cap_synthetic_ill"], whole["cap_synthetic_ill"])
    assert found["unique"].sum() == sum(row["unique"] for row in found) == 3
    pd.testing.assert_frame_equal(found.head(2), whole.iloc[:2])
    assert found.head().shape == whole.shape
    assert [*found] == found.to_arrow().to_pylist()
    assert pl.DataFrame(found).equals(found.to_polars())
    assert pd.DataFrame(found).shape == whole.shape
    assert duckdb.sql('SELECT SUM("unique"::INT) FROM found').fetchall() == [(3,)]
    with pytest.raises(sqlrisk.InputError, match=r"no column 'uniqe' \(did you mean 'unique'\?\)"):
        found["uniqe"]
    with pytest.raises(sqlrisk.InputError, match="takes the name of one column"):
        found[found["unique"]]


@pytest.mark.parametrize("kind", few(["int8", "int16", "uint64", "uint8", "float", "int32"], 2))
def test_a_copied_column_of_numbers_keeps_what_is_missing(kind: str) -> None:
    people = ORIGINAL.append_column("size", pa.array([1, None, 3, 4, 5]).cast(kind))
    found = sqlrisk.records(people, SYNTHETIC, **SCENARIO, with_columns=["size"])
    assert found["size"][1] is pd.NA
    assert found["size"].dropna().tolist() == [1, 3, 4, 5]
    assert found["size"].dtype.name.lower() == {"float": "float32"}.get(kind, kind)


def test_a_copied_column_of_long_texts_keeps_what_is_missing() -> None:
    people = ORIGINAL.append_column("town", pa.array(["a", None, "", "b", "a"], pa.large_string()))
    found = sqlrisk.records(people, SYNTHETIC, **SCENARIO, with_columns=["town"])
    assert found["town"][1] is pd.NA
    assert found["town"].dropna().tolist() == ["a", "", "b", "a"]


def test_a_loop_over_records_holds_a_batch_at_a_time(tmp_path: Path) -> None:
    rows = 1_000_000
    claim = temporary_files.claim_folder(tmp_path)
    draws = pa.array(np.random.default_rng(1).random(rows))
    pq.write_table(
        pa.table({"record": range(rows), "a": draws, "b": draws}),
        claim.path / ROWS,
        row_group_size=50_000,
        use_dictionary=False,
    )
    found, before, most = Records(claim, rows, []), pa.total_allocated_bytes(), 0
    for batch in found.reader():
        most = max(most, pa.total_allocated_bytes() - before)
        del batch
    assert 0 < most < (claim.path / ROWS).stat().st_size / 4
    assert found.head(70_000)["record"].tolist() == [*range(70_000)]
    assert (found.head(0).shape, found.head(rows + 1).shape) == ((0, 3), (rows, 3))


def test_a_column_of_records_is_found_by_its_whole_name() -> None:
    """Parquet readers take a point for the place of a field in another."""
    people = ORIGINAL.append_column("a", pa.array(range(5))).append_column(
        "a.b", pa.array([*"vwxyz"])
    )
    found = sqlrisk.records(people, SYNTHETIC, **SCENARIO, with_columns=["a.b", "a"])
    assert (found["a"].tolist(), found["a.b"].tolist()) == ([0, 1, 2, 3, 4], [*"vwxyz"])


TABLES: dict[str, Any] = {
    "pandas": SYNTHETIC.to_pandas(),
    "polars": pl.DataFrame(SYNTHETIC),
    "polars, lazy": pl.DataFrame(SYNTHETIC).lazy().filter(pl.col("age") > 0),
    "narwhals": nw.from_native(pl.DataFrame(SYNTHETIC)),
    "relation": duckdb.from_arrow(SYNTHETIC),
    "reader": SYNTHETIC.to_reader(),
}


@pytest.mark.parametrize("library", few(TABLES, 2))
def test_tables_of_every_library_give_the_same_numbers(library: str) -> None:
    found = sqlrisk.score(ORIGINAL, TABLES[library], **SCENARIO, measures=["DiSCO", "repU"])
    assert (
        found.results
        == sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures=["DiSCO", "repU"]).results
    )


def test_a_reader_is_refused_if_it_is_needed_again() -> None:
    def readers() -> tuple[Any, Any]:
        return ORIGINAL.to_reader(), SYNTHETIC.to_reader()

    report = sqlrisk.score(*readers(), **SCENARIO, measures=["DiSCO"])
    sets = {**SCENARIO, "keys": [["sex", "age"], ["sex"]]}
    for again in (
        lambda: report.cells("DiSCO"),
        lambda: sqlrisk.score(*readers(), **SCENARIO, utility=True),
        lambda: sqlrisk.score_all({"one": SCENARIO}, *readers(), utility=True),
        lambda: sqlrisk.tabulate("taub", *readers(), **sets),
    ):
        with pytest.raises(sqlrisk.InputError) as refused:
            again()
        assert refused.value.problems == [
            f"{role} (pyarrow.RecordBatchReader) can be read only once, and is needed again: pass "
            "a table, such as reader.read_all()."
            for role in ("the original", "synthesis 1")
        ]
    assert sqlrisk.tabulate("taub", *readers(), **SCENARIO).rows


def test_a_lazy_query_and_a_relation_read_what_is_asked_for_alone() -> None:
    def fail(_: pl.Series) -> pl.Series:
        raise AssertionError("a column that nobody asked for was read")

    lazy = (
        pl.DataFrame(SYNTHETIC)
        .lazy()
        .with_columns(other=pl.col("age").map_batches(fail, return_dtype=pl.Int64))
    )
    relation = duckdb.from_arrow(SYNTHETIC).project(
        "*, error('a column that nobody asked for was read') AS other"
    )
    for table in (lazy, relation):
        assert sqlrisk.score(ORIGINAL, table, **SCENARIO, measures=["DiSCO"]).value("DiSCO") == 40


@pytest.mark.slow
def test_columns_without_names_are_called_by_their_numbers() -> None:
    original, synthetic = (
        table.to_pandas().set_axis(range(3), axis=1) for table in (ORIGINAL, SYNTHETIC)
    )
    found = sqlrisk.score(
        original, synthetic, keys=original.columns[:2], targets=2, exclude_missing=[0], id=None
    )
    named = sqlrisk.score(
        ORIGINAL, SYNTHETIC, keys=["sex", "age"], targets="ill", exclude_missing=["sex"]
    )
    assert found.value("DiSCO", target=2) == named.value("DiSCO", target="ill") is not None
    assert (
        len(found.cells("DiSCO", target=2, synthesis=1))
        == len(named.cells("DiSCO", target="ill"))
        > 0
    )
    with pytest.raises(sqlrisk.InputError, match="keys: expected a list of names"):
        sqlrisk.score(original, synthetic, keys=[True])


def test_names_are_there_before_they_are_used() -> None:
    """For whoever completes them, and for type checkers, which read what no run imports."""
    assert set(sqlrisk.__all__) <= set(dir(sqlrisk))
    assert not [name for name in dir(sqlrisk) if name.startswith("_") and not name.startswith("__")]
    (block,) = (
        each for each in ast.parse(Path(str(sqlrisk.__file__)).read_text(encoding="utf-8")).body
        if isinstance(each, ast.If) and isinstance(each.test, ast.Name)
    )  # fmt: skip
    typed = {
        alias.asname or alias.name
        for each in block.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    assert typed | {
        "EngineError",
        "InputError",
        "PolicyError",
        "SqlriskError",
        "__version__",
    } == set(sqlrisk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        getattr(sqlrisk, "scores")  # noqa: B009 - a name that is none


def test_without_polars_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures=["UiO"])
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(sqlrisk.InputError, match="pip install polars"):
        report.to_polars()


def test_every_public_name_is_documented_and_typed() -> None:
    import inspect

    from sqlrisk.inputs.fields import rows

    for name in sqlrisk.__all__:
        public = getattr(sqlrisk, name)
        if name.startswith("__"):
            continue
        assert inspect.getdoc(public), name
        if inspect.isfunction(public):
            signature = inspect.signature(public)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(
                each.annotation is not inspect.Parameter.empty
                for each in signature.parameters.values()
            ), name
            document = inspect.getdoc(public) or ""
            assert "Raises:" in document, name
            # an option says itself what it is
            for parameter in signature.parameters.keys() - rows(public).keys():
                assert parameter in document + (inspect.getdoc(sqlrisk.score) or ""), (
                    name,
                    parameter,
                )
        elif inspect.isclass(public):
            for method, body in vars(public).items():
                if not method.startswith("_") and callable(body):
                    assert inspect.getdoc(getattr(public, method)), (name, method)


def test_arrays_and_indexes_are_lists() -> None:
    frame = pd.DataFrame({"sex": ["f", "m", "m"], "age": [1, 2, 2], "ill": ["y", "n", "y"]})
    asked: dict[str, Any] = {"keys": frame.columns[:2], "targets": ["ill"]}
    swept = sqlrisk.sweep(frame, frame, **asked, key_length=np.array([2, 1]))
    assert swept.scenario["key_length"] == [1, 2]
    assert sqlrisk.utility(frame, frame, ways=np.array([3, 1])).scenario["ways"] == [1, 3]
    excluding = {"exclude_missing": frame.columns[:2]}
    found = sqlrisk.tabulate("raab", frame, frame, **asked, **excluding)
    assert (
        found.rows
        == sqlrisk.tabulate("raab", frame, frame, **asked, exclude_missing="sex,age").rows
    )
    with pytest.raises(sqlrisk.InputError, match=r"key_length: expected numbers of keys"):
        sqlrisk.sweep(frame, frame, **asked, key_length=np.array([0]))
    report = sqlrisk.score(
        frame, frame, **asked, measures="class_size", class_sizes=np.array([2, 1])
    )
    assert report.scenario["class_sizes"] == [1, 2]
