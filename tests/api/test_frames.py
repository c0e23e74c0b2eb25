"""Every result with rows is a pandas, a polars and an Arrow table, with the same columns and the same values."""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sqlrisk

ORIGINAL = pa.table({"sex": ["F", "F", "M", "M", None], "age": [1, 1, 1, 2, 3], "ill": ["y", "y", "n", None, "y"]})
SYNTHETIC = pa.table({"sex": ["F", "M", "M", "F"], "age": [1, 1, 2, 5], "ill": ["y", "y", "n", "n"]})
POLICY = 'name = "Board"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "An example."\n'
SCENARIO: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"]}


def results(folder: Path) -> dict[str, Any]:
    report = sqlrisk.score(ORIGINAL, [SYNTHETIC, ORIGINAL], **SCENARIO, distributions=True, trend=True)
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    for name, table in (("o.parquet", ORIGINAL), ("s.parquet", SYNTHETIC)):
        pq.write_table(table, folder / name)
    filed = sqlrisk.score(folder / "o.parquet", folder / "s.parquet", **SCENARIO)
    (folder / "manifest.json").write_text(json.dumps(filed.manifest()), encoding="utf-8")
    return {
        "Report": report,
        "MeasureRows": report["DiSCO"],
        "Table": report.table("trends"),
        "Listing": report.cells("DiSCO"),
        "Reports": sqlrisk.score_all({"one": SCENARIO}, ORIGINAL, SYNTHETIC),
        "Explanation": sqlrisk.explain(ORIGINAL, SYNTHETIC, record=1, **SCENARIO),
        "Attacks": sqlrisk.attack(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Sweep": sqlrisk.sweep(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Reference": sqlrisk.reference(ORIGINAL, **SCENARIO, random=5),
        "Uniques": sqlrisk.uniques(ORIGINAL, keys=SCENARIO["keys"]),
        "Inspection": sqlrisk.inspect(ORIGINAL, SYNTHETIC, **SCENARIO),
        "Protection": sqlrisk.protect(SYNTHETIC, folder / "out.parquet", original=ORIGINAL, **SCENARIO),
        "Recoding": sqlrisk.recode(ORIGINAL, SYNTHETIC, output=folder / "release", column={"age": {"top": 3}}, **SCENARIO),
        "Verdicts": sqlrisk.check(report, folder / "policy.toml").verdicts(),
        "Diff": sqlrisk.diff(report, sqlrisk.score(ORIGINAL, ORIGINAL, **SCENARIO)),
        "Rerun": sqlrisk.rerun(folder / "manifest.json"),
    }


def test_every_result_is_a_table_three_times(tmp_path: Path) -> None:
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


def test_without_polars_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures=["UiO"])
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(sqlrisk.InputError, match="pip install polars"):
        report.to_polars()


def test_every_public_name_is_documented_and_typed() -> None:
    import inspect

    for name in sqlrisk.__all__:
        public = getattr(sqlrisk, name)
        if name.startswith("__"):
            continue
        assert inspect.getdoc(public), name
        if inspect.isfunction(public):
            signature = inspect.signature(public)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(each.annotation is not inspect.Parameter.empty for each in signature.parameters.values()), name
            document = inspect.getdoc(public) or ""
            assert "Raises:" in document, name
            for parameter in signature.parameters:
                assert parameter in document + (inspect.getdoc(sqlrisk.score) or ""), (name, parameter)
        elif inspect.isclass(public):
            for method, body in vars(public).items():
                if not method.startswith("_") and callable(body):
                    assert inspect.getdoc(getattr(public, method)), (name, method)
