"""SPSS, Stata, SAS, Excel, Arrow and ORC files: the numbers are those of the same table in Parquet,
to the last integer.
"""

import datetime as dt
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq
import pyreadstat
import pytest
import readers
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.engines.formats import reader_process

SECRET = "Kowalska"
PEOPLE = 2500
Numbers = list[tuple[object, ...]]
"""Measure, target, numerator, denominator."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def people(seed: int = 1) -> pd.DataFrame:
    """Return people whose columns have every kind of value: codes, fractions, missing ones, text,
    dates and times.
    """
    draw = np.random.default_rng(seed)
    codes = draw.integers(1, 4, PEOPLE).astype(float)
    codes[draw.random(PEOPLE) < 0.1] = np.nan
    moment = dt.datetime.fromisoformat("1999-12-31T23:59:58")
    born = [
        dt.date(1900, 3, 1) + dt.timedelta(int(days))
        for days in draw.integers(0, 40_000, PEOPLE) // 40 * 40
    ]
    return pd.DataFrame({
        "sex": codes,
        "income": draw.integers(-40, 40, PEOPLE) / 8,
        "town": draw.choice(["Łódź", "a", "bb b"], PEOPLE),
        "born": born,
        "seen": [moment + dt.timedelta(seconds=int(s)) for s in draw.integers(0, 9, PEOPLE)],
        "ill": draw.integers(0, 2, PEOPLE),
    })  # fmt: skip


def parquet(table: pd.DataFrame, name: str | Path = "truth.parquet") -> str | Path:
    """Write the truth: whole numbers as such, a missing one as NULL."""
    kinds = {
        "sex": pa.int64(),
        "income": pa.float64(),
        "town": pa.string(),
        "born": pa.date32(),
        "seen": pa.timestamp("us"),
    }
    arrays = {
        name: pa.array(list(table[name]), kinds.get(name, pa.int64()), from_pandas=True)
        for name in table.columns
    }
    pq.write_table(pa.table(arrays), name)
    return name


@pytest.fixture(scope="module")
def truths(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Numbers, Numbers]:
    """A folder with two Parquet files, and the numbers of the first beside the second and of the
    second beside the first.
    """
    folder = tmp_path_factory.mktemp("truths")
    paths = [parquet(people(seed), folder / f"{seed}.parquet") for seed in (1, 2)]
    return folder, numbers(*paths), numbers(*reversed(paths))


def numbers(
    original: Any, synthetic: Any, keys: str = "sex,income,town,born", **more: Any
) -> Numbers:
    asked: dict[str, Any] = {"keys": keys, "targets": "ill,seen", "measures": "UiO,iS,DiSCO,DCAP"}
    with unasked():
        report = sqlrisk.score(original, synthetic, **asked, **more)
    return [
        (row["measure"], row["target"], row["numerator"], row["denominator"])
        for row in report.results
    ]


def excel(table: pd.DataFrame, path: str) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("People")
    sheet.append(list(table.columns))
    for row in table.itertuples(index=False):
        sheet.append([None if value != value else value for value in row])
    book.save(path)


def stata(table: pd.DataFrame, path: str, **more: Any) -> None:
    """Write by pandas, which shares no code with what reads."""
    dates = {name: pd.to_datetime(table[name]) for name in ("born", "seen")}
    table.assign(**dates).to_stata(
        path, write_index=False, version=118, convert_dates={"born": "td", "seen": "tc"}, **more
    )


def arrow(table: pd.DataFrame) -> Any:
    return pq.read_table(parquet(table, "as.parquet"))


def stream(table: pd.DataFrame, path: str) -> None:
    held = arrow(table)
    with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, held.schema) as writer:
        writer.write_table(held, 700)


WRITERS: dict[str, Callable[[pd.DataFrame, str], object]] = {
    "a.sav": pyreadstat.write_sav,
    "a.zsav": lambda table, path: pyreadstat.write_sav(table, path, compress=True),
    "rows.sav": lambda table, path: pyreadstat.write_sav(table, path, row_compress=True),
    "a.dta": stata,
    "b.dta": pyreadstat.write_dta,
    "a.xpt": lambda table, path: pyreadstat.write_xport(table, path, file_format_version=8),
    "b.xpt": lambda table, path: pyreadstat.write_xport(table, path, file_format_version=5),
    "a.xlsx": excel,
    "a.feather": lambda table, path: pyarrow.feather.write_feather(arrow(table), path),
    "polars.arrow": lambda table, path: pl.from_arrow(arrow(table)).write_ipc(path),
    "stream.ipc": stream,
    "a.orc": lambda table, path: pyarrow.orc.write_table(arrow(table), path, stripe_size=2**16),
}


@pytest.mark.parametrize("name", some([*WRITERS][::6], WRITERS))
def test_the_numbers_are_those_of_parquet(name: str, truths: tuple[Path, Numbers, Numbers]) -> None:
    folder, truth, turned = truths
    WRITERS[name](people(1), name)
    assert numbers(name, folder / "2.parquet") == truth
    assert numbers(folder / "2.parquet", name) == turned
    found = sqlrisk.inspect(name, folder / "1.parquet", keys="sex,income", targets="ill").columns
    assert {row["column"]: row["type"] for row in found} == {
        "sex": "BIGINT",
        "income": "DOUBLE",
        "ill": "BIGINT",
    }


@pytest.mark.slow
def test_spss_portable_files() -> None:
    ours = people().drop(columns=["town"]).rename(columns=str.upper)
    pyreadstat.write_por(ours, "a.por")
    pq.write_table(pa.Table.from_pandas(ours, preserve_index=False), "a.parquet")
    asked: dict[str, Any] = {"keys": "SEX,INCOME,BORN", "targets": "ILL,SEEN"}
    ours_found, theirs = (
        sqlrisk.score(name, "a.parquet", **asked).results for name in ("a.por", "a.parquet")
    )
    assert [row["numerator"] for row in ours_found] == [row["numerator"] for row in theirs]


@pytest.mark.slow
@pytest.mark.parametrize("name", few(["a.sav", "a.zsav", "a.dta", "a.xpt"]))
def test_a_file_in_many_pieces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlrisk.engines import duckdb_sources

    ours = people()
    WRITERS[name](ours, name)
    monkeypatch.setattr(duckdb_sources, "_MOST_ROOM", 1)  # a thousand records each
    assert numbers(name, parquet(ours)) == numbers("truth.parquet", "truth.parquet")


def test_an_orc_file_of_another_program() -> None:
    data = Path(pa.__file__).parent / "tests" / "data" / "orc" / "decimal.orc"  # written by Java
    held = pyarrow.orc.read_table(data)
    Path("a.orc").write_bytes(data.read_bytes())
    pq.write_table(held.append_column("t", pa.array([1] * held.num_rows)), "b.parquet")
    pq.write_table(held, "c.parquet")
    (column,) = held.column_names
    counted = [
        sqlrisk.score(a, b, keys=[column], measures=["UiO", "iS"]).results
        for a, b in (("a.orc", "c.parquet"), ("c.parquet", "a.orc"))
    ]
    ours, theirs = ([row["numerator"] for row in rows] for rows in counted)
    assert ours == theirs


def test_missing_values_that_a_file_declares() -> None:
    table = pd.DataFrame(
        {
            "k": [1.0, 2.0, -8.0, -9.0, 97.0, 99.0, 3.0],
            "s": ["a", "NA", "b", "", "a", "b", "c"],
            "t": [1] * 7,
        }
    )
    pyreadstat.write_sav(
        table, "a.sav", missing_ranges={"k": [-8, {"lo": 97, "hi": 99}], "s": ["NA"]}
    )
    found = sqlrisk.score(
        "a.sav",
        "a.sav",
        keys=["k"],
        targets=["t"],
        measures=["UiO"],
        exclude_missing=["k"],
        missing="-9",
    )
    assert [
        (row["numerator"], row["denominator"]) for row in found.results if row["measure"] == "UiO"
    ] == [(3, 7)]
    odd = pd.DataFrame({"k": pd.Series([1, 2, "a", "z"], dtype=object), "t": [1, 1, 1, 1]})
    pyreadstat.write_dta(odd, "a.dta", missing_user_values={"k": ["a", "z"]})
    found = sqlrisk.score("a.dta", "a.dta", keys=["k"], targets=["t"], measures=["UiO"])
    # .a and .z are one level, the missing one
    assert [row["numerator"] for row in found.results] == [2]


def test_sheets() -> None:
    book = openpyxl.Workbook()
    first, second = book.active, book.create_sheet("Deux 2")
    first.append(["k", "t"])
    for sheet, keys in ((first, [1, 1, "x"]), (second, [None, 2.5, 3])):
        if sheet is second:
            sheet.append(["k", "t"])
        for key in keys:
            sheet.append([key, 1])
    book.save("a.xlsx")
    asked: dict[str, Any] = {"keys": ["k"], "targets": ["t"], "measures": ["UiO"]}
    assert [
        row["numerator"] for row in sqlrisk.score("a.xlsx#Deux 2", "a.xlsx#Deux 2", **asked).results
    ] == [3]
    assert [
        row["numerator"] for row in sqlrisk.score("a.xlsx#Sheet", "a.xlsx#Sheet", **asked).results
    ] == [1]
    for wrong in ("a.xlsx", "a.xlsx#Trois"):
        with pytest.raises(
            sqlrisk.InputError,
            match=r"has the sheets 'Sheet', 'Deux 2': name one of them, as in a\.xlsx#Sheet",
        ):
            sqlrisk.score(wrong, wrong, **asked)
    openpyxl.Workbook().save("empty.xlsx")
    with pytest.raises(sqlrisk.InputError, match=r"'empty\.xlsx' has no columns\."):
        sqlrisk.score("empty.xlsx", "empty.xlsx", **asked)
    Path("scenario.toml").write_text(
        'original = "a.xlsx#Deux 2"\nsynthetic = ["a.xlsx#Deux 2"]\nkeys = ["k"]\ntargets = ["t"]\n'
    )
    assert sqlrisk.score(scenario="scenario.toml").original["records"] == 3


@pytest.mark.parametrize(
    "name", few(["a.sav", "a.zsav", "a.dta", "a.xpt", "a.xlsx", "a.feather", "a.orc"])
)
@pytest.mark.parametrize("harm", ["cut", "other", "head"])
def test_damaged_files(name: str, harm: str) -> None:
    ours = people()
    parquet(ours)
    WRITERS[name](ours, name)
    data = Path(name).read_bytes()
    Path(name).write_bytes(
        {"cut": data[: len(data) // 2 - 7], "other": SECRET.encode() * 99, "head": data[:20]}[harm]
    )
    with pytest.raises(
        sqlrisk.InputError, match=rf"{name}' cannot be read: it is damaged"
    ) as caught:
        numbers("truth.parquet", name)
    assert SECRET not in str(caught.value)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("name", "head"), [("a.sav", b"ENCRYPTEDSAV"), ("a.xlsx", bytes.fromhex("d0cf11e0a1b11ae1"))]
)
def test_encrypted_files(name: str, head: bytes) -> None:
    Path(name).write_bytes(head + b"\0" * 4096)
    with pytest.raises(
        sqlrisk.InputError,
        match=rf"{name}' cannot be read: it is encrypted\. Save it without a password",
    ):
        numbers(parquet(people()), name)


@pytest.mark.parametrize(
    ("name", "package"), [("a.sav", "pyreadstat"), ("a.xlsx", "python_calamine")]
)
def test_a_format_without_its_package(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    WRITERS[name](people(), name)
    Path(f"{package}.py").write_text("raise ModuleNotFoundError")
    monkeypatch.syspath_prepend(Path.cwd())
    # a fork has imported the package
    monkeypatch.setattr(reader_process, "_started", readers.STARTED)
    with pytest.raises(sqlrisk.InputError, match=r"need the package .*: pip install '\w+<"):
        numbers(name, name)


def test_times_that_no_database_has_are_refused_by_name() -> None:
    table = pd.DataFrame(
        {"k": [dt.datetime.fromisoformat("2020-01-01T00:00:00")] * 3, "t": [1, 1, 1]}
    )
    pyreadstat.write_dta(table, "a.dta", variable_format={"k": "%tC"})
    asked: dict[str, Any] = {"keys": ["k"], "targets": ["t"]}
    with pytest.raises(
        sqlrisk.InputError, match=r"column 'k' of 'a\.dta' holds times that count leap seconds"
    ):
        sqlrisk.score("a.dta", "a.dta", **asked)
    pyreadstat.write_sav(
        pd.DataFrame({"k": [1.0, 90_000.0], "t": [1, 1]}), "a.sav", variable_format={"k": "TIME8"}
    )
    with pytest.raises(
        sqlrisk.InputError, match=r"column 'k' of 'a\.sav' holds times beyond a day"
    ):
        sqlrisk.score("a.sav", "a.sav", **asked)


def test_what_no_database_has_is_in_nobody_s_way() -> None:
    """Whole rows are compared without columns that no database holds, where nobody asks of them."""
    table = pd.DataFrame(
        {
            "k": [1.0, 2.0, 2.0],
            "long": [90_000.0, 1, 2],
            "far": [1.0, 1e15, 2],
            "t": [1, 0, 0],
            "v": [3, 4, 5],
        }
    )
    pyreadstat.write_sav(table, "a.sav", variable_format={"long": "TIME8", "far": "DATE11"})
    pyreadstat.write_sav(table, "b.sav", variable_format={"long": "TIME8", "far": "DATE11"})
    asked: dict[str, Any] = {"keys": ["k"], "targets": ["t"], "measures": ["UiO"]}
    report = sqlrisk.score("a.sav", "b.sav", **asked)
    assert [row["numerator"] for row in report.results] == [1]
    assert (
        "3 rows, 3 columns"
        in sqlrisk.inspect("a.sav", "b.sav", keys=["k"], targets=["t"]).to_text()
    )


@pytest.mark.parametrize(
    ("form", "value"),
    [("DATE11", 1e15), ("DATE11", -1e13), ("DATETIME20", 1e15), ("DATETIME20", np.inf)],
)
def test_dates_that_no_calendar_has_are_refused_by_name(form: str, value: float) -> None:
    pyreadstat.write_sav(
        pd.DataFrame({"k": [1e10, value], "t": [1, 1]}), "a.sav", variable_format={"k": form}
    )
    with pytest.raises(
        sqlrisk.InputError,
        match=r"column 'k' of 'a\.sav' holds dates before the year 1 or beyond 9999",
    ):
        sqlrisk.score("a.sav", "a.sav", keys=["k"], targets=["t"])


def in_latin_1() -> None:
    """Write a.sav, which says UTF-8 and is in another encoding, and the same in Parquet."""
    table = pd.DataFrame({"town": ["K?ln", "K?ln", "Bonn"], "ill": [1, 0, 1]})
    pyreadstat.write_sav(table, "a.sav")
    Path("a.sav").write_bytes(Path("a.sav").read_bytes().replace(b"K?ln", "Köln".encode("latin-1")))
    pq.write_table(pa.Table.from_pandas(table.replace("K?ln", "Köln")), "truth.parquet")


@pytest.mark.parametrize("encoding", few(["latin-1", "ISO8859_1", "cp1252", "iso-8859-15"]))
def test_an_encoding_that_a_file_does_not_say(encoding: str) -> None:
    in_latin_1()
    asked: dict[str, Any] = {"keys": ["town"], "targets": ["ill"], "measures": ["UiO", "iS"]}
    with pytest.raises(
        sqlrisk.InputError,
        match=r"'a\.sav' cannot be read: its text is not in .* says; name .* a\.sav=latin-1",
    ):
        sqlrisk.score("a.sav", "truth.parquet", **asked)
    truth = sqlrisk.score("truth.parquet", "truth.parquet", **asked).results
    assert (
        sqlrisk.score("a.sav", "truth.parquet", encoding={"a.sav": encoding}, **asked).results
        == truth
    )
    assert (
        sqlrisk.score(
            "a.sav", "a.sav", encoding=[f"original={encoding}", f"synthetic={encoding}"], **asked
        ).results
        == truth
    )


@pytest.mark.parametrize(
    "encoding", few(["utf-16", "utf-7", "utf-8-sig", "cp037", "mac-roman", "hz", "ascii"])
)
def test_an_encoding_that_no_such_file_has(encoding: str) -> None:
    in_latin_1()
    with pytest.raises(
        sqlrisk.InputError,
        match=rf"'a\.sav' cannot be read: its text is not in {encoding}; name another",
    ):
        sqlrisk.score(
            "a.sav", "a.sav", keys=["town"], targets=["ill"], encoding={"a.sav": encoding}
        )
    people(1).rename(columns=str.upper).drop(columns=["TOWN"]).pipe(pyreadstat.write_por, "a.por")
    with pytest.raises(
        sqlrisk.InputError, match=r"encoding: 'a\.por' is a portable file, which has no encoding"
    ):
        sqlrisk.score(
            "a.por", "a.por", keys=["SEX"], targets=["ILL"], encoding={"original": encoding}
        )


@pytest.mark.slow
def test_an_encoding_of_all_files_is_that_of_text_files() -> None:
    """Beside a CSV file in Latin-1 a file that says its encoding is read by that."""
    table = pd.DataFrame({"town": ["Köln", "Köln", "Bonn"], "ill": [1, 0, 1]})
    pyreadstat.write_sav(table, "a.sav")
    table.to_csv("a.csv", index=False, encoding="latin-1")
    asked: dict[str, Any] = {"keys": ["town"], "targets": ["ill"]}
    truth = sqlrisk.score(table, table, **asked).results
    assert sqlrisk.score("a.sav", "a.csv", encoding="latin-1", **asked).results == truth


def test_the_head_of_a_sheet_is_read_as_it_is_shown() -> None:
    book = openpyxl.Workbook()
    book.active.append([])  # no row is named by an empty one
    for row in (["k", 2020, dt.date(2020, 1, 2)], [1, "#N/A", "y"], [2, 5, "y"]):
        book.active.append(row)
    book.active["B3"].data_type = "e"
    book.save("a.xlsx")
    found = sqlrisk.inspect("a.xlsx", "a.xlsx", keys=["k", "2020"], targets=["2020-01-02"])
    assert [(row["column"], row["levels_original"]) for row in found.columns] == [
        ("k", 2),
        ("2020", 2),
        ("2020-01-02", 1),
    ]


@pytest.mark.slow
def test_a_folder_keeps_its_parquet_parts() -> None:
    ours = people()
    Path("parts").mkdir()
    parquet(ours, "parts/a.parquet")
    excel(ours, "parts/codebook.xlsx")
    Path("parts/README.txt").write_text("notes")
    assert numbers("parts", "parts") == numbers("parts/a.parquet", "parts/a.parquet")
    Path("others").mkdir()
    for number, half in enumerate((ours.iloc[:1000], ours.iloc[1000:])):
        pyreadstat.write_sav(half, f"others/{number}.sav")
    assert numbers("others", "parts") == numbers("parts", "parts")


LABELS = {1: "Male", 2: "Female", 3: "Not told"}


def labelled(name: str, values: dict[str, dict[int, str]]) -> pd.DataFrame:
    table = pd.DataFrame({
        "sex": [1, 1, 2, 3, 3, 4, 2, 1], "town": [7, 7, 7, 7, 8, 8, 8, 9],
        "ill": [0, 0, 1, 1, 1, 0, 0, 1]
    })  # fmt: skip
    pyreadstat.write_sav(table, name, variable_value_labels=values)
    return table


def test_labels_are_shown_and_codes_are_counted() -> None:
    table = labelled(
        "a.sav",
        {"sex": LABELS, "ill": {0: "no", 1: "yes"}, "town": {5: "nowhere", 7: "Here", 8: "Here"}},
    )
    table.to_csv("a.csv", index=False)
    asked: dict[str, Any] = {"keys": "sex,town", "targets": "ill"}
    ours, theirs = (
        sqlrisk.score(name, name, **asked, measures="iS,UiO,DiSCO") for name in ("a.sav", "a.csv")
    )
    assert [row["numerator"] for row in ours.results] == [
        row["numerator"] for row in theirs.results
    ]
    shown, plain = (sqlrisk.cells("DiSCO", name, name, **asked) for name in ("a.sav", "a.csv"))
    names: dict[str, dict[Any, str]] = {
        "sex": LABELS,
        "town": {7: "Here (7)", 8: "Here (8)"},
        "level": {0: "no", 1: "yes"},
    }
    assert shown.rows == [
        tuple(
            names[column].get(value, str(value)) if column in names else value
            for column, value in zip(plain.columns, row, strict=True)
        )
        for row in plain.rows
    ]
    assert "Female" in shown.to_text()
    assert "Here (7)" in shown.to_text()
    person = sqlrisk.explain("a.sav", "a.sav", record=3, **asked)
    assert "Female" in person.to_text()


@pytest.mark.slow
def test_a_label_may_be_typed_and_names_a_population() -> None:
    labelled("a.sav", {"sex": LABELS, "ill": {0: "no", 1: "yes"}})
    asked: dict[str, Any] = {"keys": "town", "targets": "ill", "measures": ["DiSCO"]}
    typed, coded = (
        sqlrisk.score("a.sav", "a.sav", **asked, exclude_level=f"ill={level}").results
        for level in ("no", "0")
    )
    assert typed == coded
    by = sqlrisk.score("a.sav", "a.sav", **asked, by=["sex"]).results
    assert {row["population"] for row in by} == {
        "all",
        "sex=Male",
        "sex=Female",
        "sex=Not told",
        "sex=4",
    }


@pytest.mark.slow
def test_levels_of_stata_and_bins_have_labels_too() -> None:
    table = pd.DataFrame(
        {
            "age": [*range(20), -8, -8, -9],
            "ill": pd.Categorical(["yes", "no"] * 11 + ["no"], ["yes", "no"]),
        }
    )
    table.to_stata("a.dta", write_index=False, value_labels={"age": {-8: "refused"}})
    asked: dict[str, Any] = {"keys": "age", "targets": "ill", "bins": "age=2", "special": "age=-8"}
    found = sqlrisk.cells("DiSCO", "a.dta", "a.dta", keys="age", targets="ill", limit=50)
    assert {row[found.columns.index("level")] for row in found.rows} == {"yes", "no"}
    people = {
        row["population"] for row in sqlrisk.score("a.dta", "a.dta", **asked, by=["age"]).results
    }
    assert "age=refused" in people


@pytest.mark.slow
def test_what_other_commands_make_of_them() -> None:
    labelled("a.sav", {"sex": LABELS, "ill": {0: "no", 1: "yes"}})
    seen = sqlrisk.lookup("a.sav", key={"sex": "Male", "town": "7"}, targets=["ill"])
    assert [(row[3], row[4]) for row in seen.rows] == [("no", 2)]
    for name in ("out.parquet", "out.csv"):
        sqlrisk.protect("a.sav", "a.sav", output=name, keys="sex,town")
        assert sqlrisk.score(name, name, keys="sex,town", targets="ill").original["records"] == 2
    assert pq.read_schema("out.parquet").types == [pa.int64()] * 3
    sqlrisk.score("a.sav", "a.sav", keys="sex,town", targets="ill", save="run.duckdb")
    for sex in ("1", "Male"):
        assert [
            row[3] for row in sqlrisk.lookup("run.duckdb", key={"sex": sex, "town": "7"}).rows
        ] == ["no"]
    listed, saved = (
        sqlrisk.cells("DiSCO", "a.sav", "a.sav", keys="sex,town", targets="ill"),
        sqlrisk.cells("DiSCO", "run.duckdb"),
    )
    assert saved.rows == listed.rows
    assert sqlrisk.query("run.duckdb", "SELECT DISTINCT sex FROM people ORDER BY sex").rows == [
        ("4",), ("Female",), ("Male",), ("Not told",)
    ]  # fmt: skip
    drafted = sqlrisk.init("a.sav", "a.sav")
    assert 'original = "a.sav"' in drafted
    assert "sex" in drafted


def test_a_draft_has_the_labels_of_the_file() -> None:
    frame = pd.DataFrame({"v1": [1.0, 2.0, 2.0], "v2": [30.0, 40.0, 40.5], "v3": ["a", "b", "b"]})
    pyreadstat.write_sav(frame, "a.sav", column_labels=['Sex "at" birth', "Hours\nworked", None])
    draft = sqlrisk.init("a.sav", "a.sav", "scenario.toml")
    columns = tomllib.loads(draft)["column"]
    assert columns["v1"]["label"] == 'Sex "at" birth'
    assert "label" not in columns["v3"]
    assert columns["v2"]["label"].split() == ["Hours", "worked"]
    assert (
        sqlrisk.score(scenario="scenario.toml").scenario["column"]["v1"]["label"]
        == 'Sex "at" birth'
    )


KINDS = {
    "pandas": lambda levels: pd.DataFrame({"k": pd.Categorical(levels, ["c", "b", "a"],
        ordered=True)}),
    "pandas numbers": lambda levels: pd.DataFrame({"k": pd.Categorical([{"a": 3, "b": 1}.get(each,
        each) for each in levels])}),
    "pandas text": lambda levels: pd.DataFrame({"k": pd.array(levels, "string")}),
    "pandas of Arrow": lambda levels: pd.DataFrame({"k": pd.array(levels,
        pd.ArrowDtype(pa.string()))}),
    "polars categorical": lambda levels: pl.DataFrame({"k": pl.Series(levels,
        dtype=pl.Categorical)}),
    "polars enum": lambda levels: pl.DataFrame({"k": pl.Series(levels,
        dtype=pl.Enum(["c", "b", "a", "never"]))}),
    "Arrow": lambda levels: pa.table({"k": pa.array(levels, pa.string()).dictionary_encode()}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_categories_of_python_are_levels(kind: str) -> None:
    made: Any = KINDS[kind]
    tables = [made(levels) for levels in (["a", "b", "b", None, "a", "a"], ["b", None, "b", "a"])]
    found = sqlrisk.score(*tables, keys=["k"], measures=["UiO", "repU"]).results
    assert [(row["measure"], row["numerator"]) for row in found] == [("UiO", 1), ("repU", 1)]
