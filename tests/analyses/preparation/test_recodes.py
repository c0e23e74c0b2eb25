"""Recodes: files that were recoded beforehand have the numbers that the dictionary
makes of them.
"""

import gzip
import random
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.common.errors import InputError

PLACES = "level,county,country\n1,North,All\n2,North,All\n3,South,All\n4,South,All\n5,Isles,All\n"
JOBS = ["bus", "train", "nurse", "vet", "smith", "Other"]


def people(seed: int, records: int = 400) -> pd.DataFrame:
    """A file with a column for each recode."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    day = date(1930, 1, 1)
    return pd.DataFrame(
        {
            "age": [rng.choice([None, -8, *range(-3, 100)]) for _ in range(records)],
            "born": [day + timedelta(days=rng.randrange(30000)) for _ in range(records)],
            "job": [
                rng.choice(JOBS if rng.random() < 0.97 else ["a", "b", "c"]) for _ in range(records)
            ],
            "place": [rng.choice([1, 2, 3, 4]) for _ in range(records)],
            "income": [rng.uniform(-20, 99) for _ in range(records)],
            "ill": [rng.choice(["yes", "no", None]) for _ in range(records)],
        }
    )


ORIGINAL, SYNTHETIC = people(1), people(2)
AT = date(2021, 3, 21)


def band(number: float, *begins: float) -> str | None:
    """The band that a number is in, by hand; None for a missing one."""
    if number != number:
        return None
    return f"from {max([each for each in begins if each <= number], default='below')}"


def ages(days: "pd.Series[Any]") -> list[int]:
    """Full years on a day."""
    return [AT.year - day.year - ((day.month, day.day) > (AT.month, AT.day)) for day in days]


def quarters(days: "pd.Series[Any]") -> list[str]:
    return [f"{day.year} {(day.month + 2) // 3}" for day in days]


def joined(original: "pd.Series[Any]", column: "pd.Series[Any]", least: int) -> list[object]:
    """Levels of fewer people than that, be they none, as one; a missing one stays."""
    people_of = original.value_counts()
    return [
        value if pd.isna(value) or people_of.get(value, 0) >= least else "Other" for value in column
    ]


def as_texts(levels: list[object]) -> list[str | None]:
    return [None if pd.isna(level) else str(level) for level in levels]


def transport(jobs: "pd.Series[Any]") -> "pd.Series[Any]":
    return jobs.replace({"bus": "Transport", "train": "Transport"})


COUNTIES = {1: "North", 2: "North", 3: "South", 4: "South"}
# column -> what the dictionary says of it, and what that makes of a file's column (beside the
# original's).
RECODES: Mapping[str, tuple[dict[str, Any], Any]] = {
    "bands": ({"age": {"bands": [0, 18, 65], "bottom": 0, "missing": [-8]}}, lambda f, _: bands(f)),
    "top and bottom": (
        {"age": {"top": 80, "bottom": 5}},
        lambda f, _: f.assign(age=[a if a != a else min(max(a, 4), 80) for a in f.age]),
    ),
    "width": (
        {"income": {"width": 20}},
        lambda f, _: f.assign(income=[int(i // 20) for i in f.income]),
    ),
    "year": ({"born": {"date": "year"}}, lambda f, _: f.assign(born=[day.year for day in f.born])),
    "quarter": ({"born": {"date": "quarter"}}, lambda f, _: f.assign(born=quarters(f.born))),
    "month": (
        {"born": {"date": "month"}},
        lambda f, _: f.assign(born=[f"{day:%Y %m}" for day in f.born]),
    ),
    "age": ({"born": {"age_at": str(AT)}}, lambda f, _: f.assign(born=ages(f.born))),
    "age in bands": (
        {"born": {"age_at": str(AT), "bands": [0, 18, 65]}},
        lambda f, _: f.assign(born=[band(age, 0, 18, 65) for age in ages(f.born)]),
    ),
    "merge": (
        {"job": {"merge": {"Transport": ["bus", "train"]}}},
        lambda f, _: f.assign(job=transport(f.job)),
    ),
    "merged, rare": (
        {"job": {"merge": {"Transport": ["bus", "train"]}, "rare": 20}},
        lambda f, o: f.assign(job=joined(transport(o.job), transport(f.job), 20)),
    ),
    "rare numbers": (
        {"age": {"rare": 8, "rare_as": "few"}},
        lambda f, o: f.assign(age=as_texts(joined(o.age, f.age, 8))),
    ),
    "merged numbers, bands": (
        {"age": {"merge": {"unknown": [-8, -3]}, "bands": [-2, 40]}},
        lambda f, _: f.assign(age=["unknown" if a in (-8, -3) else band(a, -2, 40) for a in f.age]),
    ),
    "hierarchy": (
        {"place": {"hierarchy": "places.csv"}},
        lambda f, _: f.assign(place=f.place.map(COUNTIES)),
    ),
    "hierarchy, as it is": ({"place": {"hierarchy": "places.csv", "step": 0}}, lambda f, _: f),
    "everything": (
        {
            "age": {"bands": [0, 18, 65], "bottom": 0, "missing": [-8]},
            "born": {"date": "quarter"},
            "job": {"merge": {"Transport": ["bus", "train"]}, "rare": 20},
            "place": {"hierarchy": "places.csv", "step": 1},
            "income": {"width": 20},
        },
        lambda f, o: bands(f).assign(
            born=quarters(f.born),
            job=joined(transport(o.job), transport(f.job), 20),
            place=f.place.map(COUNTIES),
            income=[int(i // 20) for i in f.income],
        ),
    ),
}


def bands(file: pd.DataFrame) -> pd.DataFrame:
    return file.assign(age=[band(float("nan") if a == -8 else a, 0, 18, 65) for a in file.age])


QUESTION: dict[str, Any] = {
    "keys": ["age", "born", "place"],
    "targets": ["job", "income", "ill"],
    "measures": "UiO,repU,DiSCO,Dorig,DCAP,TCAP,GCAP,class_size,excluded",
    "exclude_missing": ["age", "ill"],
    "populations": "all,uniques,special",
    "by": ["place", "ill"],
}


def numbers(report: sqlrisk.Report, *, by: bool = True) -> list[tuple[object, ...]]:
    """All numbers, whatever the levels are called; what is no whole number but for the order in
    which it is added.
    """
    rows = [row for row in report.results if by or "=" not in str(row["population"])]
    named = [
        (row["measure"], row["at"], row["target"], str(row["population"]).partition("=")[0], row)
        for row in rows
    ]
    return sorted(
        (
            (
                *map(str, place),
                *(
                    f"{row[name]:.9g}" if isinstance(row[name], float) else row[name]
                    for name in NUMBERS
                ),
            )
            for *place, row in named
        ),
        key=str,
    )


NUMBERS = ("numerator", "denominator", "value")


@pytest.mark.slow
@pytest.mark.parametrize("case", some([*RECODES][:1], RECODES))
def test_files_that_were_recoded_beforehand_have_the_same_numbers(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("places.csv").write_text(PLACES)
    column, recode = RECODES[case]
    binned = {} if "income" in column else {"bins": {"income": 4}}
    found = sqlrisk.score(ORIGINAL, SYNTHETIC, column=column, **QUESTION, **binned)
    expected = sqlrisk.score(
        recode(ORIGINAL, ORIGINAL), recode(SYNTHETIC, ORIGINAL), **QUESTION, **binned
    )
    assert numbers(found) == numbers(expected)
    assert any(row["numerator"] for row in found.results)


# Recodes that leave numbers, then bins: what is said of the columns, and what that makes of a file
# before its bins are cut.
BINNED: Mapping[str, tuple[dict[str, Any], Any]] = {
    "top and bottom, special": (
        {
            "column": {"age": {"top": 80, "bottom": 5}},
            "bins": {"age": 4},
            "special": {"age": ["-8"]},
        },
        lambda f: f.assign(age=[a if a != a or a == -8 else min(max(a, 5), 80) for a in f.age]),
    ),
    "missing, top": (
        {"column": {"age": {"top": 65, "missing": [-8, -3]}}, "bins": {"age": 3}},
        lambda f: f.assign(age=[None if a in (-8, -3) else min(a, 65) for a in f.age]),
    ),
    "width": (
        {"column": {"income": {"width": 20, "bottom": 0}}, "bins": {"income": 3}},
        lambda f: f.assign(income=[max(i // 20 * 20, 0) for i in f.income]),
    ),
    "age": (
        {"column": {"born": {"age_at": str(AT)}}, "bins": {"born": 5}},
        lambda f: f.assign(born=ages(f.born)),
    ),
    "age with a top, special": (
        {
            "column": {"born": {"age_at": str(AT), "top": 60}},
            "bins": {"born": 4},
            "special": {"born": ["1950-06-01"]},
        },
        lambda f: f.assign(
            born=[
                -1 if b == date(1950, 6, 1) else min(a, 60)
                for a, b in zip(ages(f.born), f.born, strict=True)
            ]
        ),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", few(BINNED, 9))
def test_bins_are_cut_of_what_recodes_leave(case: str) -> None:
    said, recode = BINNED[case]
    files = [
        file.assign(born=[date(1950, 6, 1) if n % 50 == 0 else b for n, b in enumerate(file.born)])
        for file in (ORIGINAL, SYNTHETIC)
    ]
    special = {"special": {"born": ["-1"]}} if "born" in said.get("special", {}) else {}
    found = sqlrisk.score(*files, **{**QUESTION, **said})
    before = {
        **QUESTION,
        **{name: value for name, value in said.items() if name != "column"},
        **special,
    }
    assert numbers(found) == numbers(sqlrisk.score(*map(recode, files), **before))


@pytest.mark.slow
def test_levels_of_recodes_and_bins_are_named_by_numbers() -> None:
    """A typed number is the bin that holds it; a condition compares numbers by themselves, whatever
    the bins.
    """
    asked: dict[str, Any] = QUESTION | {
        "targets": ["income", "ill"],
        "by": ["born"],
        "bins": {"born": 4, "income": 3},
    }
    asked |= {
        "populations": [],
        "population": {"old": "born >= 65 AND income >= 20", "one": "born IN (30, 31)"},
    }
    asked |= {"exclude_level": {"income": ["30"]}, "exclude_pair": ["ill=yes,born=40"]}
    column = {"born": {"age_at": str(AT)}, "income": {"top": 60}}
    found = sqlrisk.score(
        ORIGINAL, SYNTHETIC, column=column, **asked | {"exclude_level": {"income": ["60"]}}
    )
    recoded = [
        f.assign(born=ages(f.born), income=f.income.clip(upper=60)) for f in (ORIGINAL, SYNTHETIC)
    ]
    assert numbers(found) == numbers(
        sqlrisk.score(*recoded, **asked | {"exclude_level": {"income": ["60"]}})
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "text", "people"),
    few([
        # [0,30) has 0 and 20, [30,60] has 40, 60 and 60
        ({"width": 20}, "39", 2), ({"width": 20}, "35", 2), ({"width": 20}, "79", 3),
        # [5,32.5) has 5, [32.5,60] has 39, 45, 60 and 60
        ({"top": 60}, "65", 4),
        # [20,40) has 20 and 20, [40,60] has 40, 60 and 60
        ({"width": 20, "bottom": 20, "top": 60}, "7", 2),
        ({"width": 20, "bottom": 20, "top": 60}, "99", 3),
    ]),
)  # fmt: skip
@pytest.mark.parametrize("column", ["income", "born"])
def test_a_typed_number_is_in_the_bin_of_its_band(
    column: str, entry: dict[str, int], text: str, people: int
) -> None:
    incomes = [5, 39, 45, 70, 71]
    table = pd.DataFrame(
        {"key": 1, "income": incomes, "born": [date(AT.year - each, 1, 1) for each in incomes]}
    )
    report = sqlrisk.score(
        table, table, keys=["key"], targets=[column], measures=["DiSCO"], bins={column: 2},
        column={column: entry | ({"age_at": str(AT)} if column == "born" else {})},
        exclude_level={column: [text]},
    )  # fmt: skip
    assert [row["records"] for row in report.exclusions if row["side"] == "original"] == [people]


def test_a_recoded_level_is_named_in_conditions_and_exclusions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("places.csv").write_text(PLACES)
    column, recode = RECODES["everything"]
    asked: dict[str, Any] = QUESTION | {"by": [], "targets": ["income", "ill"]}
    mine: dict[str, Any] = {
        "population": {
            "some": "place = North AND age IN ('18-64', 65+) AND job <> Transport",
            "later": "born >= 1950-Q3 AND income >= 20",
            "middle": "age = [18,65) AND income IN ([20,40),[40,60))",
        },
        "exclude_level": "income=[20,40),income=-20",
        "exclude_pair": ["ill=yes,age=<0", "ill=no,age=30"],
    }
    theirs: dict[str, Any] = {
        "population": {
            "some": "place = North AND age IN ('from 18', 'from 65') AND job <> Transport",
            "later": "born >= '1950 3' AND income >= 1",
            "middle": "age = 'from 18' AND income IN (1, 2)",
        },
        "exclude_level": {"income": ["1", "-1"]},
        "exclude_pair": ["ill=yes,age=from below", "ill=no,age=from 18"],
    }
    found = sqlrisk.score(ORIGINAL, SYNTHETIC, column=column, **asked, **mine)
    expected = sqlrisk.score(
        recode(ORIGINAL, ORIGINAL), recode(SYNTHETIC, ORIGINAL), **asked, **theirs
    )
    assert numbers(found) == numbers(expected)


@pytest.mark.slow
def test_an_age_is_compared_as_a_number() -> None:
    recode = RECODES["age"][1]
    asked: dict[str, Any] = QUESTION | {
        "populations": [],
        "population": {"old": "born >= 65", "one": "born IN (30, 31)"},
    }
    found = sqlrisk.score(ORIGINAL, SYNTHETIC, column=["born.age_at=2021-03-21"], **asked)
    assert numbers(found) == numbers(
        sqlrisk.score(recode(ORIGINAL, None), recode(SYNTHETIC, None), **asked)
    )


COMPILED = """
keys = ["age", "born", "place"]
targets = ["job", "income"]
measures = ["identity", "DiSCO", "DCAP"]
population = { some = "place = North AND age = 18-64", later = "born >= 1950-Q1" }
exclude_level = { job = ["Other"] }
column.age = { bands = [0, 18, 65], bottom = 0, missing = [-8] }
column.born = { date = "quarter" }
column.job = { merge = { Transport = ["bus", "train"] }, rare = 20 }
column.place = { hierarchy = "places.csv" }
column.income = { width = 20 }
"""


@pytest.mark.parametrize(
    "bins", few(["bins = { income = 3 }\nspecial = { income = [-8] }\n", ""], 2)
)
def test_compiled_sql_recodes_alike(
    bins: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("places.csv").write_text(PLACES)
    Path("scenario.toml").write_text(bins + COMPILED)
    scripts = sqlrisk.compile_sql(
        "original",
        "synthetic",
        scenario="scenario.toml",
        types="place=BIGINT,age=DOUBLE,job=VARCHAR",
    )
    with duckdb.connect() as database:
        for name, file in (("original", ORIGINAL), ("synthetic", SYNTHETIC)):
            database.from_df(file).create(name)
        for name in sorted(scripts)[:5]:  # the sixth drops what they made
            database.execute(scripts[name])
        database.execute("SELECT measure, target, population, value FROM sqlrisk_results")
        found = {tuple(place): value for *place, value in database.fetchall()}
    report = sqlrisk.score(ORIGINAL, SYNTHETIC, scenario="scenario.toml")
    for row in report.results:
        assert found[row["measure"], row["target"], row["population"]] == pytest.approx(
            row["value"], rel=1e-12
        )


SMALL = pd.DataFrame(
    {
        "age": [3, 25, 31, 44, 91, 91],
        "born": [
            "2018-01-05",
            "1996-04-01",
            "1990-12-31",
            "1977-02-28",
            "1930-03-21",
            "1930-03-22",
        ],
        "job": ["bus", "train", "nurse", "vet", "vet", "bus"],
        "place": ["N1", "N2", "S1", "S1", "N1", "N1"],
        "ill": ["yes", "no", "no", "yes", "no", "no"],
    }
)
DICTIONARY: dict[str, Any] = {
    "age": {"bands": [0, 20, 40], "top": 90},
    "born": {"date": "quarter"},
    "job": {"merge": {"Transport": ["bus", "train"]}, "rare": 2},
    "place": {"hierarchy": "places.csv"},
}
KEYS = ["age", "born", "job", "place"]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hierarchy in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("places.csv").write_text(
        "level,county,country\nN1,North,All\nN2,North,All\nS1,South,All\n"
    )
    return tmp_path


@pytest.mark.slow
def test_a_hierarchy_is_written_as_other_csv_files_may_be(places: Path) -> None:
    text = (
        Path("places.csv").read_text().replace("North", "Norden; \xfcber allem").replace(",", "\t")
    )
    Path("places.csv.gz").write_bytes(gzip.compress(text.encode("latin-1")))
    asked: dict[str, Any] = {"keys": ["place"], "targets": ["ill"], "measures": ["UiO"]}
    wanted = sqlrisk.score(SMALL, SMALL, column={"place": {"hierarchy": "places.csv"}}, **asked)
    again = {"column": {"place": {"hierarchy": "places.csv.gz"}}}
    found = sqlrisk.score(SMALL, SMALL, encoding={"hierarchy": "latin-1"}, **again, **asked)
    assert numbers(found) == numbers(wanted)
    with pytest.raises(
        sqlrisk.InputError, match=r"column\.place\.hierarchy: .*line 2 is not UTF-8 text"
    ):
        sqlrisk.score(SMALL, SMALL, **again, **asked)


def test_a_hierarchy_of_numbers_may_have_other_levels(places: Path) -> None:
    lines = "3,young\n25,young\n31,middle\n44,old\n91,old\n99,old\nNA,unknown\nx,old\n"
    Path("ages.csv").write_text(f"age,group\n{lines}")
    report = sqlrisk.score(
        SMALL, SMALL, keys=["age"], targets=["ill"], measures=["UiO"], by=["age"],
        column={"age": {"hierarchy": "ages.csv"}},
    )  # fmt: skip
    people = {row["population"]: row["denominator"] for row in report.results}
    assert people == {"all": 6, "age=young": 2, "age=middle": 1, "age=old": 3}


LEVELS = [
    ("90+", "1930-Q1", "Transport", "North", 1, 1), ("90+", "1930-Q1", "vet", "North", 1, 1),
    ("[0,20)", "2018-Q1", "Transport", "North", 1, 1),
    ("[20,40)", "1990-Q4", "Other", "South", 1, 1),
    ("[20,40)", "1996-Q2", "Transport", "North", 1, 1),
    ("[40,90)", "1977-Q1", "vet", "South", 1, 1),
]  # fmt: skip


def test_levels_are_shown_as_people_read_them(places: Path) -> None:
    saved = str(places / "run.duckdb")
    question: dict[str, Any] = {"keys": KEYS, "targets": ["ill"], "column": DICTIONARY}
    assert sorted(sqlrisk.cells("repU", SMALL, SMALL, **question).rows) == LEVELS
    sqlrisk.score(SMALL, SMALL, **question, save=saved)
    Path("places.csv").unlink()  # a saved run reads no file
    assert sorted(sqlrisk.cells("repU", saved).rows) == LEVELS
    found = sqlrisk.lookup(
        saved, key={"age": "90+", "place": "North", "job": "Transport", "born": "1930-Q1"}
    )
    assert [row[:5] for row in found.rows] == [("ill", "1", 0, "no", 1)]
    labels = sqlrisk.query(saved, "SELECT level FROM labels_k1 WHERE code > 0 ORDER BY code")
    assert labels.rows == [("[0,20)",), ("[20,40)",), ("[40,90)",), ("90+",)]


@pytest.mark.slow
def test_several_scenarios_recode_a_column_each_in_its_way(places: Path) -> None:
    SMALL.to_csv("o.csv", index=False)
    Path("scenario.toml").write_text(
        'original = "o.csv"\nsynthetic = "o.csv"\nkeys = ["age", "place"]\ntargets = '
        '["ill"]\nmeasures = ["UiO"]\n'
        'population = { north = "place = North" }\n[column.place]\nhierarchy = "places.csv"\n'
        "[scenario.fine]\n[scenario.coarse.column.age]\nbands = [0, 40]\n"
        "[scenario.wide.column]\nage.bands = [0, 20, 40]\nplace.step = 2\n"
        "[scenario.wide]\npopulation = { north = 'place = All' }\n"
    )
    reports = sqlrisk.score_all("scenario.toml")
    counts = {
        name: [row["numerator"] for row in reports[name].results]
        for name in ("fine", "coarse", "wide")
    }
    assert counts == {"fine": [4, 2], "coarse": [2, 0], "wide": [1, 1]}


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (
            {"age": {"bands": [4, 40]}},
            ["column.age: 1 value has no level: they are below the first band, which begins at 4"],
        ),
        (
            {"born": {"date": "year"}, "job": {"date": "year"}},
            ["column.job: 4 values have no level: they are not dates, as in"],
        ),
        (
            {"born": {"age_at": "1980-01-01", "bands": [0]}},
            ["column.born: 3 values have no level: they are not dates, as in"],
        ),
        (
            {"place": {"hierarchy": "lacking.csv"}},
            ["column.place: 2 values have no level: no line of 'lacking.csv' has them"],
        ),
        (
            {"job": {"merge": {"x": ["bus", "tram"]}}},
            ["column.job.merge: the column has no level 'tram' in any file"],
        ),
        (
            {"job": {"bands": [1]}},
            ["column.job: 'job' is VARCHAR; only numbers and ages have bands"],
        ),
        ({"age": {"date": "month"}}, ["column.age: 'age' is BIGINT; only a date has a month."]),
        (
            {"age": {"merge": {"30": ["31"]}}},
            ["column.age: the group '30' of a column of numbers is a number itself"],
        ),
        (
            {"age": {"merge": {"x": ["y"]}}},
            ["The column 'age' is BIGINT; 'y' cannot be one of its levels."],
        ),
        ({"jobb": {"rare": 3}}, ["column.jobb: no file has this column (did you mean 'job'?)."]),
        (
            {"age": {"bands": [4]}, "place": {"merge": {"x": ["y"]}}},
            ["column.age: 1 value has no level", "column.place.merge: the column has no level 'y'"],
        ),
    ],
)
def test_what_the_data_do_not_allow_is_said_at_once(
    places: Path, column: object, says: list[str]
) -> None:
    Path("lacking.csv").write_text("level,county\nN2,North\n")
    with pytest.raises(InputError) as caught:
        sqlrisk.score(SMALL, SMALL, keys=KEYS, targets=["ill"], column=column)
    assert len(caught.value.problems) == len(says)
    for problem, start in zip(caught.value.problems, says, strict=True):
        assert problem.startswith(start)
    assert not any(value in str(caught.value) for value in ("1977", "N1", "S1", "nurse"))


def test_a_population_of_a_level_of_nobody_is_refused(places: Path) -> None:
    with pytest.raises(
        InputError,
        match="population 'x': nobody has 'Nurth' in the column 'place'; check its spelling",
    ):
        sqlrisk.score(
            SMALL,
            SMALL,
            keys=["age"],
            targets=["ill"],
            column=DICTIONARY,
            population={"x": "place = Nurth"},
        )


@pytest.mark.parametrize(
    ("period", "condition"),
    [
        ("year", "born >= 1990-01-01"),
        ("year", "born >= 1990-01"),
        ("quarter", "born > 1990"),
        ("month", "born < 1990-13"),
    ],
)
def test_a_period_is_compared_only_with_its_like(period: str, condition: str) -> None:
    """As texts, 1990 is before 1990-01-01: nobody born in that year would be young."""
    column, text = {"born": {"date": period}}, condition.rpartition(" ")[2]
    says = f"^population 'young': The column 'born' is recoded to a {period}; '{text}' is none"
    with pytest.raises(InputError, match=says):
        sqlrisk.score(
            SMALL, SMALL, keys="age", targets="ill", column=column, population={"young": condition}
        )


@pytest.mark.parametrize("period", ["year", "quarter", "month"])
def test_a_year_is_before_all_of_its_periods(period: str) -> None:
    report = sqlrisk.score(
        SMALL, SMALL, keys="age", targets="ill", measures="UiO", column={"born": {"date": period}},
        population={"young": "born >= 1990", "old": "born < 1990"},
    )  # fmt: skip
    found = {row["population"]: row["denominator"] for row in report.results}
    assert found == {"all": 6, "young": 3, "old": 3}


def test_a_column_has_missing_values_of_its_own(places: Path) -> None:
    Path("o.csv").write_text("age,size,ill\n5,none,yes\nnone,3,no\n7,4,no\n")
    asked: dict[str, Any] = {"keys": ["age", "size"], "targets": ["ill"], "measures": ["UiO"]}
    found = sqlrisk.cells(
        "repU", "o.csv", "o.csv", **asked, column=["age.missing=none", "age.bands=0,6"]
    )
    assert sorted(found.rows, key=str) == [
        ("6+", "4", 1, 1),
        ("[0,6)", "none", 1, 1),
        (None, "3", 1, 1),
    ]
