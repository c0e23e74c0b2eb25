"""What a column's type says of its values: numbers of 4 bytes, and instants, in every format and in
every time zone.
"""

import datetime as dt
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
import transport
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.engines import duckdb_sources
from sqlrisk.plan import assessment

AMOUNTS = [38.6, 0.1, 37.25, 2.7, 38.6, 41.1, 0.3, 1e-5]
SINGLE = pa.table({"amount": pa.array(AMOUNTS, pa.float32()), "ill": list("abababab")})
DOUBLE = pa.table({"amount": AMOUNTS, "ill": list("abababab")})
MOMENTS = [
    *map(dt.datetime.fromisoformat, ("2019-12-31 23:30", "2020-01-01 00:30", "2021-06-01 12:00")),
    None,
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def single(form: str) -> Any:
    """Return a table, or write a file, with numbers of 4 bytes."""
    match form:
        case "parquet":
            pq.write_table(SINGLE, "single.parquet")
        case "dta":
            SINGLE.to_pandas().to_stata("single.dta", write_index=False)
        case "feather":
            pyarrow.feather.write_feather(SINGLE, "single.feather")
        case "orc":
            pyarrow.orc.write_table(SINGLE, "single.orc")
        case "pandas":
            return SINGLE.to_pandas()
        case _:
            return SINGLE
    return f"single.{form}"


FORMS = ("parquet", "dta", "feather", "orc", "pandas", "arrow")


@pytest.fixture
def without_assessment() -> Iterator[None]:
    """What these tests look at is the same where no file is assessed."""
    with unasked():
        yield


@pytest.mark.parametrize(
    "asked",
    few([
        {}, {"bins": {"amount": 3}}, {"column": {"amount": {"bands": ["0", "0.1", "2.7", "38.6"]}}},
        {"bins": {"amount": 3}, "special": {"amount": ["38.6"]}},
        {"exclude_level": {"amount": ["38.6"]}},
        {"within": {"amount": "0.2"}},
    ], 6),
)  # fmt: skip
@pytest.mark.parametrize("form", some(["dta"], FORMS))
def test_a_number_of_four_bytes_is_that_of_its_shortest_text(
    form: str, asked: dict[str, Any]
) -> None:
    DOUBLE.to_pandas().to_csv("double.csv", index=False)
    way = (
        {"keys": ["ill"], "targets": ["amount"]}
        if {"within", "exclude_level"} & {*asked}
        else {"keys": ["amount"]}
    )

    def numbers(original: Any, synthetic: Any) -> list[tuple[object, ...]]:
        report = sqlrisk.score(
            original, synthetic, **way, **asked, measures=["iS", "UiO", "DiSCO", "DCAP"]
        )
        excluded = [(row["side"], row["records"]) for row in report.exclusions]
        return [
            *((row["measure"], row["target"], row["numerator"]) for row in report.results),
            *excluded,
        ]

    expected = numbers(DOUBLE, DOUBLE)
    assert numbers(single(form), "double.csv") == expected
    assert numbers("double.csv", single(form)) == expected
    assert numbers(single(form), single(form)) == expected


@pytest.mark.usefixtures("without_assessment")
@pytest.mark.parametrize(
    "bins",
    some(
        [{}], [{}, {"bins": {"amount": 3}}, {"column": {"amount": {"bands": ["0", "2.7", "38.6"]}}}]
    ),
)
@pytest.mark.parametrize("form", few(FORMS))
def test_a_number_of_four_bytes_is_shown_so(form: str, bins: dict[str, Any]) -> None:
    def levels(table: Any) -> list[object]:
        shown = sqlrisk.cells("DiSCO", table, table, keys=["amount"], targets=["ill"], **bins)
        return [row[0] for row in shown.rows]

    assert levels(single(form)) == levels(DOUBLE)


def test_a_column_of_stata_that_is_whole_is_one_of_whole_numbers() -> None:
    whole = pd.DataFrame({"age": pd.array([20, 21, 2**24], "float32"), "ill": ["a", "b", "a"]})
    whole.to_stata("whole.dta", write_index=False)
    report = sqlrisk.score(
        "whole.dta", pa.table({"age": [20, 21, 2**24], "ill": ["a", "b", "b"]}), keys=["age"]
    )
    assert report.columns[0]["type"] == "BIGINT"


# ---- numbers that SAS cut


def cut_by(*files: Any, **more: Any) -> list[tuple[str | None, str]]:
    """Return the synthesis and the sentence of each doubt that says so."""
    report = sqlrisk.score(
        *files, **{"keys": ["amount", "age"], "targets": ["ill"], "measures": ["UiO"], **more}
    )
    found = [
        (row["synthesis"], each)
        for row in report.assessment
        for each in row["reasons"]
        if row["target"] is None
    ]
    assert all(each["state"] == "doubtful" for _, each in found if each["code"] == "cut_numbers")
    return [(synthesis, each["text"]) for synthesis, each in found if each["code"] == "cut_numbers"]


@pytest.mark.slow
def test_numbers_that_sas_cut_are_a_doubt() -> None:
    """In 4 bytes 38.6 has become 38.59999; whole numbers stay, in 3 bytes too."""
    numbers = {
        "amount": [0.1, 38.6, 2.5, -1.25] * 3,
        "age": [20, 31, 47, 65] * 3,
        "ill": [0, 1, 1, 0, 1, 0] * 2,
    }
    widths = {"cut": (4, 3), "same": (4, 3), "narrow": (3, 3), "full": (8, 8)}
    cut, same, narrow, full = (
        transport.write(
            f"{name}.xpt",
            {each: (width, numbers[each]) for each, width in zip(numbers, (*both, 8), strict=True)},
        )
        for name, both in widths.items()
    )
    table = pa.table({name: pa.array(each, pa.float64()) for name, each in numbers.items()})
    assert (
        cut_by(cut, same) == cut_by(full, full) == cut_by(full, table) == cut_by(table, full) == []
    )
    for files in ((cut, full), (full, cut), (cut, table), (table, cut)):
        ((synthesis, text),) = cut_by(*files)
        assert synthesis is not None
        assert text.startswith("amount: a SAS file stores its numbers in 4 bytes, which cuts them")
    assert ["3 bytes" in text for _, text in cut_by(cut, narrow)] == [True]
    for made in (same, cut):  # the original itself is a file like any other
        assert [synthesis for synthesis, _ in cut_by(cut, made, control=full)] == [None]
    assert cut_by(cut, full, keys=["age"], targets=["amount"], within={"amount": "0.001"}) == []
    assert "A column has few levels in common" in str(
        sqlrisk.score(cut, full, keys=["amount"]).external().assessment
    )


# ---- instants


def instants(zone: str | None) -> pa.Table:
    """Return a table of the same instants, as one of a time zone; without one they are the times in
    UTC.
    """
    return pa.table(
        {"seen": pa.array(MOMENTS, pa.timestamp("us", zone)), "ill": ["a", "b", "a", "b"]}
    )


@pytest.fixture(params=some(["America/New_York"], ["America/New_York", "Asia/Tokyo"]))
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Set the time zone of the machine."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("level", "people"),
    few([
        ("2019-12-31 23:30:00", 1), ("2020-01-01T00:30:00+01:00", 1),
        ("2019-12-31 18:30:00-05:00", 1),
        ("2020-01-01T00:30:00Z", 1), ("2019-12-31 23:30:00+00", 1), ("2020-01-01 00:30", 1),
    ]),
)  # fmt: skip
def test_a_typed_instant_is_in_utc_unless_it_says_another(
    level: str, people: int, elsewhere: str
) -> None:
    pq.write_table(instants(elsewhere), "there.parquet")
    report = sqlrisk.score(
        "there.parquet",
        instants("UTC"),
        keys=["ill"],
        targets=["seen"],
        exclude_level={"seen": [level]},
        measures=["DiSCO"],
    )
    assert [(row["side"], row["records"]) for row in report.exclusions] == [
        ("original", people),
        ("synthetic", people),
    ]


def test_instants_meet_and_are_shown_in_utc(elsewhere: str) -> None:
    pyarrow.feather.write_feather(instants(elsewhere), "there.feather")
    listing = sqlrisk.cells(
        "DiSCO",
        "there.feather",
        instants("Europe/Zurich").to_pandas(),
        keys=["seen"],
        targets=["ill"],
    )
    moments = ["2019-12-31 23:30:00+00", "2020-01-01 00:30:00+00", "2021-06-01 12:00:00+00"]
    assert [row[0] for row in listing.rows] == [None, *moments]


@pytest.mark.parametrize(
    ("period", "levels"),
    few([("year", ["2019", "2020", "2021"]), ("month", ["2019-12", "2020-01", "2021-06"])], 2),
)
def test_instants_are_cut_in_utc(period: str, levels: list[str], elsewhere: str) -> None:
    pq.write_table(instants(elsewhere), "there.parquet")
    cut = {"seen": {"date": period}}
    listing = sqlrisk.cells(
        "DiSCO", "there.parquet", instants("UTC"), keys=["seen"], targets=["ill"], column=cut
    )
    assert [row[0] for row in listing.rows] == [None, *levels]


@pytest.mark.parametrize("other", [pa.timestamp("us"), pa.timestamp("ns"), pa.date32()])
def test_an_instant_meets_no_time_without_a_zone(other: pa.DataType) -> None:
    plain = pa.table({"seen": pa.array(MOMENTS, other), "ill": ["a", "b", "a", "b"]})
    for files in ((instants("UTC"), plain), (plain, instants("UTC"))):
        with pytest.raises(
            sqlrisk.InputError, match="Times with and without a time zone cannot be compared"
        ):
            sqlrisk.score(*files, keys=["seen"])


def test_a_time_without_a_zone_has_no_offset() -> None:
    plain = instants(None)
    with pytest.raises(sqlrisk.InputError, match="cannot be one of its levels"):
        sqlrisk.score(
            plain, plain, keys=["ill"], exclude_level={"seen": ["2020-01-01 00:30:00+01:00"]}
        )


@pytest.mark.slow
def test_what_is_written_is_the_same_everywhere() -> None:
    pq.write_table(instants("Europe/Zurich"), "there.parquet")
    sqlrisk.protect("there.parquet", "there.parquet", output="here.csv", keys=["ill"])
    command = ("protect", "there.parquet", "there.parquet", "--keys", "ill", "-o", "elsewhere.csv")
    subprocess.run(
        [sys.executable, "-m", "sqlrisk", *command],
        env={**os.environ, "TZ": "America/New_York"},
        capture_output=True,
        check=True,
    )
    written = Path("here.csv").read_text("utf-8")
    assert Path("elsewhere.csv").read_text("utf-8") == written
    assert "2019-12-31 23:30:00+00" in written


HALF_AN_HOUR_APART = dt.timezone(dt.timedelta(hours=-5, minutes=-30))
WITH_OFFSET: list[Callable[[dt.datetime], str]] = [
    lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}Z",
    lambda moment: moment.astimezone(dt.timezone(dt.timedelta(hours=2))).isoformat(),
    lambda moment: f"{moment.astimezone(HALF_AN_HOUR_APART):%Y-%m-%d %H:%M:%S%z}",
    lambda moment: f"{moment:%Y-%m-%d %H:%M}+00",  # PostgreSQL
    lambda moment: f"{moment:%Y-%m-%d %H:%M:%S} UTC",  # BigQuery
    lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}.000Z",  # JavaScript
]  # fmt: skip


def texts_of(form: Callable[[dt.datetime], str], name: str) -> str:
    """Write the instants as texts."""
    texts = ["" if moment is None else form(moment.replace(tzinfo=dt.UTC)) for moment in MOMENTS]
    Path(name).write_text(
        "seen,ill\n" + "".join(f"{text},{ill}\n" for text, ill in zip(texts, "abab", strict=True))
    )
    return name


@pytest.mark.usefixtures("without_assessment")
@pytest.mark.parametrize("form", few(WITH_OFFSET, 6))
def test_texts_with_an_offset_are_instants(
    form: Callable[[dt.datetime], str], elsewhere: str
) -> None:
    """Beside a file that keeps them, and where CSV files alone have them, each with
    another offset.
    """
    there, plain = texts_of(form, "there.csv"), texts_of(WITH_OFFSET[0], "plain.csv")
    pq.write_table(instants("UTC"), "kept.parquet")
    pairs = ((there, "kept.parquet"), (there, plain), ("kept.parquet", there), (there, there))
    recodes: list[tuple[dict[str, Any], Sequence[tuple[str, str]]]] = [
        ({}, pairs),
        ({"column": {"seen": {"date": "year"}}}, pairs[:2]),
        ({"exclude_level": {"seen": ["2020-01-01T01:30:00+01:00"]}}, pairs[:2]),
    ]
    asked: dict[str, Any] = {"keys": ["ill"], "targets": ["seen"], "measures": ["DiSCO", "UiO"]}
    for more, those in recodes:
        expected = sqlrisk.score("kept.parquet", "kept.parquet", **asked, **more)
        for files in those:
            report = sqlrisk.score(*files, **asked, **more)
            assert report.results == expected.results
            assert report.exclusions == expected.exclusions
    listing = sqlrisk.cells("DiSCO", there, plain, keys=["seen"], targets=["ill"])
    assert (
        listing.rows
        == sqlrisk.cells(
            "DiSCO", "kept.parquet", "kept.parquet", keys=["seen"], targets=["ill"]
        ).rows
        != []
    )
    assert Path(there).read_text() == Path(texts_of(form, "again.csv")).read_text()
    sqlrisk.protect("kept.parquet", there, output="out.csv", keys=["ill"])
    # as they are stored
    assert Path("out.csv").read_text().replace('"', "") == Path(there).read_text()


@pytest.mark.slow
def test_texts_with_an_offset_meet_no_time_without_one() -> None:
    zoned, plain = (
        texts_of(WITH_OFFSET[1], "zoned.csv"),
        texts_of(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}", "plain.csv"),
    )
    mixed = texts_of(
        lambda moment: WITH_OFFSET[0](moment) if moment.year == 2019 else f"{moment:%Y-%m-%d}",
        "mixed.csv",
    )
    for files in (
        (zoned, plain),
        (plain, zoned),
        (zoned, instants(None)),
        (instants("UTC"), plain),
    ):
        with pytest.raises(
            sqlrisk.InputError, match="Times with and without a time zone cannot be compared"
        ):
            sqlrisk.score(*files, keys=["seen"])
    with pytest.raises(
        sqlrisk.InputError,
        match=r"written 2021-03-31 10:15:00\+02:00 in CSV.* 'mixed.csv' in another form is in "
        "line 3",
    ):
        sqlrisk.score(instants("UTC"), mixed, keys=["seen"])
    # where another has text it is text
    for one in (mixed, pa.table({"seen": pa.array(["2020-01-01T00:00:00Z"]), "ill": ["a"]})):
        report = sqlrisk.score(one, zoned, keys=["seen"])
        assert report.columns[0]["type"] == "VARCHAR"


# ---- many columns


def survey(seed: int, columns: int) -> pd.DataFrame:
    """Return a table of many columns, of every third of which the values are no numbers."""
    draw = np.random.default_rng(seed)
    levels = {True: np.array([0.125, 0.25, 0.375]), False: np.array(["a", "b"])}
    answers = {f"q{number}": draw.choice(levels[number % 3 > 0], 40) for number in range(columns)}
    return pd.DataFrame(
        {"town": draw.choice(["a", "b", "c"], 40), "ill": draw.choice(["y", "n"], 40), **answers}
    )


def nearly(table: pd.DataFrame, change: str) -> pd.DataFrame:
    """Return a table with a column changed, or numbers by little."""
    if change == "rounded":
        return table.assign(**{name: table[name] + 1e-6 for name in table.select_dtypes("number")})
    return (
        table
        if change == "copy"
        else table.assign(**{change: table[change].sample(frac=1, random_state=1).to_numpy()})
    )


@pytest.mark.slow
@pytest.mark.parametrize("change", some(["rounded"], ["copy", "q0", "q10", "rounded", "town"]))
def test_in_parts_of_columns_the_same_is_found(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = survey(1, 12)
    found = []
    for together in (100, 4, 3, 1):
        monkeypatch.setattr(assessment, "TOGETHER", together)
        report = sqlrisk.inspect(table, nearly(table, change), keys=["town"], targets=["ill"])
        found.append(
            (
                report.assessment,
                [{**row, "independent": round(row["independent"], 9)} for row in report.copies],
            )
        )
    assert found[1:] == found[:1] * 3
    assert found[0][0][0]["reasons"]


KINDS = {
    "short": ["1", " +20", "-3"],
    "long": ["1", "1234567890123456", "2"],
    "huge": ["1", "1234567890123456789012", "2"],
    "decimals": ["1", "2.5", ""],
    "text": ["1", "x", "y"],
    "mixed": ["1", "2", "x"],
    "codes": ["1", "007", "2"],
    "dates": ["2021-03-31", "2020-01-01", ""],
    "nothing": ["", "", ""],
    "whole": ["1", "", "2"],
}


@pytest.mark.slow
def test_types_of_a_wide_csv_file_are_those_of_a_narrow_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [",".join(KINDS), *(",".join(row) for row in zip(*KINDS.values(), strict=True))]
    Path("a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    keys = [name for name in KINDS if name != "mixed"]
    found = []
    for together in (50, 4, 1):
        monkeypatch.setattr(duckdb_sources, "_TOGETHER", together)
        found.append(
            {
                row["column"]: row["type"]
                for row in sqlrisk.inspect("a.csv", "a.csv", keys=keys).columns
            }
        )
    assert found[1:] == found[:1] * 2
    text = dict.fromkeys(("text", "mixed", "codes", "dates", "nothing"), "VARCHAR")
    assert found[0] == {
        "short": "BIGINT",
        "long": "BIGINT",
        "huge": "HUGEINT",
        "decimals": "DOUBLE",
        "whole": "BIGINT",
        **text,
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", some(["pandas"], ["pandas", "csv"]))
def test_more_columns_than_an_engine_adds_up(form: str) -> None:
    table = survey(1, 1100)
    files: list[Any] = [table, nearly(table, "q700")]
    if form == "csv":
        for number, file in enumerate(files):
            file.to_csv(f"{number}.csv", index=False)
        files = ["0.csv", "1.csv"]
    report = sqlrisk.inspect(*files, keys=["town"], targets=["ill"], memory_limit="1GB")
    assert [reason["code"] for reason in report.assessment[0]["reasons"]] == ["near_copy"]
    assert "without the column q700" in report.assessment[0]["reasons"][0]["text"]
