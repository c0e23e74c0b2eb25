"""What tables of pandas, polars and Arrow hold and no database does: its text, its digits, its
number, or a refusal by name.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from quickly import few

import sqlrisk

PLACES = [0, 1, 1, 2, 3, 3, 3, 4]  # of the level of each person
SECRET = "Kowalska"
BREAKS = [0, 10, 20, 30, 40, 50]
MONTHS = pd.PeriodIndex([f"2020-0{place + 1}" for place in PLACES], freq="M")
BANDS = pd.cut(pd.Series(PLACES) * 10 + 5, BREAKS)  # ordered categories
BIG, HUGE = 10**20, 10**45


def arrow(column: Any) -> pa.Table:
    return pa.Table.from_pandas(pd.DataFrame({"k": column}))


def pandas(column: Any) -> pd.DataFrame:
    return pd.DataFrame({"k": column})


def numbers(least: int) -> list[int]:
    return [least + place for place in PLACES]


def decimals(least: int) -> list[Decimal]:
    return [*map(Decimal, numbers(least))]


BAND_TEXTS = [f"({BREAKS[place]}, {BREAKS[place + 1]}]" for place in PLACES]
MONTH_TEXTS = [f"2020-0{place + 1}" for place in PLACES]
HALVES = np.array(PLACES, dtype="float16") / np.float16(10)
UNSIGNED = f"SELECT {2**128 - 10}::UHUGEINT + unnest({PLACES})::UHUGEINT AS k"
MIXED = [2**63, *numbers(-7)[1:]]
TENTHS = [place / 10 for place in PLACES]
EXACT_TENTHS = [Decimal(place) / 10 for place in PLACES]
LEVELS = pa.DictionaryArray.from_arrays(
    pa.array(PLACES), pa.array(np.arange(5, dtype="float16") / np.float16(10))
)

# A table that is hard to read, and what it holds in plain types.
ALIKE: dict[str, tuple[Callable[[], Any], Any]] = {
    "pandas, cut": (lambda: pandas(BANDS), BAND_TEXTS),
    "pandas, intervals": (lambda: pandas(BANDS.astype(pd.IntervalDtype(np.int64, "right"))),
        BAND_TEXTS),
    "pandas, objects that are intervals": (lambda: pandas(BANDS.astype(object)), BAND_TEXTS),
    "pandas, periods": (lambda: pandas(MONTHS), MONTH_TEXTS),
    "pandas, categories of periods": (lambda: pandas(pd.Series(MONTHS).astype("category")),
        MONTH_TEXTS),
    "pandas, objects that are periods": (lambda: pandas(pd.Series(MONTHS).astype(object)),
        MONTH_TEXTS),
    "narwhals over pandas, periods": (lambda: nw.from_native(pandas(MONTHS)), MONTH_TEXTS),
    "Arrow, cut": (lambda: arrow(BANDS), BAND_TEXTS),
    "Arrow, intervals": (lambda: arrow(BANDS.astype(pd.IntervalDtype(np.int64, "right"))),
        BAND_TEXTS),
    "Arrow, periods": (lambda: arrow(MONTHS), MONTH_TEXTS),
    "Arrow, a reader of periods": (lambda: arrow(MONTHS).to_reader(), MONTH_TEXTS),
    "pandas, beyond 64 bits": (lambda: pandas(numbers(BIG)), decimals(BIG)),
    "pandas, sparse": (lambda: pandas(pd.arrays.SparseArray(PLACES)), PLACES),
    "pandas, sparse texts": (lambda: pandas(pd.arrays.SparseArray(MONTH_TEXTS)), MONTH_TEXTS),
    "pandas, unsigned and not": (lambda: pandas(pd.Series(MIXED, dtype=object)), MIXED),
    "pandas, categories beyond 64 bits": (
        lambda: pandas(pd.Series(numbers(BIG)).astype("category")), decimals(BIG)),
    "pandas, beyond 128 bits": (lambda: pandas(numbers(HUGE)), [*map(str, numbers(HUGE))]),
    "polars, 128 bits": (lambda: pl.DataFrame({"k": pl.Series(numbers(BIG), dtype=pl.Int128)}),
        decimals(BIG)),
    "polars, lazy, 128 bits": (lambda: pl.LazyFrame({"k": pl.Series(numbers(-3), dtype=pl.Int128)}),
        numbers(-3)),
    "polars, 39 digits": (lambda: pl.DataFrame({"k": pl.Series(numbers(10**38), dtype=pl.Int128)}),
        [*map(str, numbers(10**38))]),
    "Arrow, 256 bits": (lambda: pa.table({"k": pa.array(decimals(HUGE), pa.decimal256(60, 0))}),
        [*map(str, numbers(HUGE))]),
    "Arrow, decimals that fit": (lambda: pa.table({"k": pa.array(EXACT_TENTHS,
        pa.decimal256(20, 1))}), EXACT_TENTHS),
    "relation, unsigned 128 bits": (lambda: duckdb.sql(UNSIGNED),
        [*map(str, numbers(2**128 - 10))]),
    "pandas, 2 bytes": (lambda: pandas(HALVES), TENTHS),
    "polars, 2 bytes": (lambda: pl.DataFrame({"k": pl.Series(TENTHS, dtype=pl.Float16)}), TENTHS),
    "Arrow, 2 bytes": (lambda: pa.table({"k": pa.array(HALVES)}), TENTHS),
    "Arrow, levels of 2 bytes": (lambda: pa.table({"k": LEVELS}), TENTHS),
}  # fmt: skip


def with_target(table: Any) -> Any:
    """The table with a target of one level."""
    if isinstance(table, pa.RecordBatchReader):
        return with_target(table.read_all()).to_reader()
    if isinstance(table, pa.Table):
        return table.append_column("t", pa.array(["a"] * table.num_rows))
    if isinstance(table, pl.DataFrame | pl.LazyFrame):
        return table.with_columns(t=pl.lit("a"))
    if isinstance(table, duckdb.DuckDBPyRelation):
        return table.project("k, 'a' AS t")
    return (
        table.with_columns(t=nw.lit("a"))
        if isinstance(table, nw.DataFrame)
        else table.assign(t="a")
    )


@pytest.mark.parametrize("case", few(ALIKE, 4))
def test_what_no_database_has_is_counted_as_what_it_is(case: str) -> None:
    made, values = ALIKE[case]
    counts = Counter(values)
    # one person is not in it, in plain types
    released = [value for value in values if value != values[0]]
    plain = pa.table({"k": released, "t": ["a"] * len(released)})
    report = sqlrisk.score(
        with_target(made()), plain, keys=["k"], targets=["t"], measures=["UiO", "iS", "DiSCO"]
    )
    rows = {row["measure"]: row for row in report.results}
    assert (rows["UiO"]["denominator"], rows["UiO"]["numerator"]) == (
        len(values),
        sum(n == 1 for n in counts.values()),
    )
    assert rows["iS"]["numerator"] == len(released)
    if "reader" in case:  # it is read once, and cells are counted anew
        return
    cells = report.cells("DiSCO").to_arrow().to_pylist()
    assert {str(cell["k"]): cell["n_orig"] for cell in cells} == {
        str(value): counts[value] for value in released
    }


@pytest.mark.parametrize(
    "made",
    few(
        [
            lambda: pandas(MONTHS),
            lambda: arrow(MONTHS),
            lambda: pandas(pd.Series(MONTHS).astype("category")),
        ]
    ),
)
def test_a_missing_period_is_a_missing_value(made: Callable[[], Any]) -> None:
    table = with_target(made())
    gone = pd.PeriodIndex([None, *MONTHS[1:]], freq="M")
    hole = table.assign(k=gone) if isinstance(table, pd.DataFrame) else with_target(arrow(gone))
    plain = pa.table({"k": [None, *MONTH_TEXTS[1:]], "t": ["a"] * len(PLACES)})
    assert numbers_of(hole, plain) == numbers_of(plain, plain)


def numbers_of(original: Any, synthetic: Any) -> object:
    asked: dict[str, Any] = {"keys": ["k"], "targets": ["t"], "measures": ["UiO", "iS", "DiSCO"]}
    return sqlrisk.score(original, synthetic, **asked).results


@pytest.mark.slow
def test_levels_of_bands_have_their_order() -> None:
    told = pd.cut(pd.Series([1, 9, 50, 101]), [0, 5, 20, 100, 1000])  # as texts they sort otherwise
    for table in (pandas(told), arrow(told)):
        report = sqlrisk.score(
            with_target(table),
            with_target(table),
            keys=["k"],
            targets=["t"],
            by=["k"],
            measures=["UiO"],
        )
        shown = [
            str(row["level"]) for row in report.results if row.get("level") is not None
        ] or report.to_text()
        places = [str(shown).index(str(each)) for each in told]
        assert places == sorted(places)


def test_objects_of_polars_are_refused_by_name() -> None:
    objects = pl.DataFrame(
        {"k": pl.Series([SECRET, {SECRET}], dtype=pl.Object), "t": "a", "u": [1, 2]}
    )
    for table in (objects, objects.lazy(), nw.from_native(objects)):
        with pytest.raises(
            sqlrisk.InputError, match=r"column 'k' of the original .* no database has"
        ) as caught:
            sqlrisk.score(table, table, keys=["k"], targets=["t"])
        assert SECRET not in str(caught.value)
        # nobody asks for the objects
        report = sqlrisk.score(table, table, keys=["u"], targets=["t"], measures=["UiO"])
        assert report.original["columns"] == report.synthetic[0]["columns"] == ["k"]


@pytest.mark.parametrize(
    "column",
    few(
        [
            pd.Series([SECRET, 1], dtype=object),
            pd.Series([SECRET, 1], dtype="category"),
            pd.Series([1j, 2j]),
            pd.Series([HUGE, 1.5], dtype=object),
            pd.Series([Decimal("1e-70"), Decimal(1)], dtype=object),
        ]
    ),
)
def test_what_the_search_for_copies_cannot_convert_is_left_out_and_told(column: Any) -> None:
    table = pd.DataFrame({"k": [1, 2], "t": ["a", "b"], "u": column})
    whole = pa.table({"k": [1, 2], "t": ["a", "b"], "u": [1, 2]})
    report = sqlrisk.score(table, whole, keys=["k"], targets=["t"], measures=["UiO"])
    assert report.original["columns"] == ["u"]
    assert "columns" not in report.synthetic[0]
    inputs: Any = report.manifest()["inputs"]
    assert inputs[0]["columns"] == ["u"]
    said = "pandas.DataFrame: the column u, which the database cannot hold"
    assert said in report.to_text().replace("\n", " ")
    inspection = sqlrisk.inspect(table, table, keys=["k"], targets=["t"])
    assert [each.get("columns") for each in inspection.files] == [["u"], ["u"]]
    with pytest.raises(
        sqlrisk.InputError, match=r"'u' of the original .* Make it one type"
    ) as caught:
        sqlrisk.score(table, table, keys=["u"], targets=["t"])
    assert SECRET not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    few(
        [
            "pandas, cut",
            "pandas, intervals",
            "pandas, periods",
            "pandas, beyond 64 bits",
            "pandas, 2 bytes",
            "pandas, sparse",
        ],
    ),
)
def test_a_protected_table_has_the_values_that_are_counted(case: str, tmp_path: Path) -> None:
    made, values = ALIKE[case]
    output = tmp_path / "out.parquet"
    original = with_target(made())
    sqlrisk.protect(original, original, output=output, keys=["k"], targets=["t"])
    unique = {value for value, n in Counter(values).items() if n == 1}
    assert [*pd.read_parquet(output)["k"]] == [value for value in values if value not in unique]
    if isinstance(original, pd.DataFrame):
        unnamed = original.set_axis([0, 1], axis=1)
        sqlrisk.protect(
            unnamed, unnamed, output=tmp_path / "unnamed.parquet", keys=[0], targets=[1]
        )
        assert [*pd.read_parquet(tmp_path / "unnamed.parquet").iloc[:, 0]] == [
            *pd.read_parquet(output)["k"]
        ]
        assert original.equals(with_target(made()))  # the table itself is left alone


def test_a_file_of_arrow_is_read_alike(tmp_path: Path) -> None:
    feather.write_feather(
        pa.table({"k": pa.array(HALVES), "t": ["a"] * len(PLACES)}), str(tmp_path / "a.feather")
    )
    plain = pa.table({"k": TENTHS, "t": ["a"] * len(PLACES)})
    assert numbers_of(tmp_path / "a.feather", plain) == numbers_of(plain, plain)


@pytest.mark.parametrize("column", [pd.Series([SECRET, 1], dtype="category"), [1j, 2j]])
def test_what_no_file_holds_is_not_written_without_a_word(column: Any, tmp_path: Path) -> None:
    table = pd.DataFrame({"k": [1, 2], "t": ["a", "b"], "u": column})
    with pytest.raises(sqlrisk.InputError, match="cannot be written") as caught:
        sqlrisk.protect(table, table, output=tmp_path / "never.parquet", keys=["k"], targets=["t"])
    assert SECRET not in str(caught.value)


PERIODS = """
import sqlrisk
for name in ("months.parquet", "months.feather"):
    try:
        cells = sqlrisk.cells("UiO", name, name, keys=["k"], targets=["t"], limit=9)
        print(sorted(row[0] for row in cells.rows))
    except sqlrisk.InputError as error:
        print(error)
report = sqlrisk.score("months.parquet", "months.parquet", keys=["t"], targets=["u"])
print(report["UiO"].rows[0]["value"])
"""


@pytest.mark.slow
def test_periods_that_pandas_wrote_are_no_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Parquet they are refused, in Feather their text, whether the program has imported pandas
    or not.
    """
    monkeypatch.chdir(tmp_path)
    table = pandas(MONTHS).assign(t=PLACES, u=PLACES)
    table.to_parquet("months.parquet")
    table.to_feather("months.feather")
    names = "'k' of 'months.parquet'"
    for before in (
        "",
        (
            "import pandas as pd; pd.DataFrame({'k': pd.period_range('2020', "
            "periods=2)}).to_feather('x')"
        ),
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"{before}\n{PERIODS}"],
            capture_output=True,
            text=True,
            check=True,
        )
        refused, texts, rest = done.stdout.splitlines()
        assert refused.startswith(
            f"The column {names} holds periods of pandas (M), which Parquet stores as whole "
            "numbers."
        )
        assert texts == str(
            sorted(set(MONTH_TEXTS) - {text for text in MONTH_TEXTS if MONTH_TEXTS.count(text) > 1})
        )
        assert rest == "37.5"  # of other columns numbers are as they were
    texts_of = pd.DataFrame({"k": MONTHS.astype(str), "t": PLACES, "u": PLACES})
    texts_of.to_parquet("months.parquet")
    assert numbers_of("months.parquet", "months.feather") == numbers_of(texts_of, texts_of)


@pytest.mark.parametrize("schema", ["!", "AAAA"])
def test_a_parquet_file_whose_arrow_schema_is_broken_is_refused(
    tmp_path: Path, schema: str
) -> None:
    path = str(tmp_path / "broken.parquet")
    duckdb.sql("SELECT 1 AS a, 2 AS b").write_parquet(path)
    assert sqlrisk.score(path, path, keys=["a"], targets=["b"], measures=["UiO"]).results
    duckdb.execute(
        f"COPY (SELECT 1 AS a, 2 AS b) TO '{path}' (FORMAT parquet, KV_METADATA {{'ARROW:schema': "
        f"'{schema}'}})"
    )
    with pytest.raises(sqlrisk.InputError, match=r"broken\.parquet' cannot be read: it is broken"):
        sqlrisk.score(path, path, keys=["a"], targets=["b"])
