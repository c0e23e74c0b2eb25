"""Utility: tables of columns against those of the original, by hand, by a slow second way, and by
other people's programs.
"""

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import snapshots
import tables
from oracle import ABSENT, ORACLE
from quickly import few, some

import sqlrisk
from sqlrisk.analyses import subsets
from sqlrisk.analyses.scores import utility
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.utility import utility_measures
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.plan.subsets import utility as plan
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command_line

COLUMNS = ("sex", "town", "ill")
NAMES = [each.name for each in utility_measures()]
ORIGINAL = pa.table({"sex": ["m", "m", "m", "f"], "town": ["a", "a", "b", "b"]})
SYNTHETIC = pa.table({"sex": ["m", "m", "f", "f"], "town": ["a", "b", "b", "b"]})


def people(seed: int, size: int = 60) -> pa.Table:
    """Records with few levels, some of them missing."""
    draw = random.Random(seed)  # noqa: S311 - test data
    levels = {"sex": ["m", "f"], "town": ["a", "b", "c", None], "ill": [1, 2, 3, 4, 5, None]}
    return pa.table({name: [draw.choice(of) for _ in range(size)] for name, of in levels.items()})


def rows_of(table: pa.Table, columns: Sequence[str], *, complete: bool = False) -> list[tables.Row]:
    rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
    return [row for row in rows if None not in row] if complete else rows


def by_table(found: sqlrisk.Utility) -> dict[tuple[tuple[str, ...], str], dict[str, Any]]:
    return {(tuple(row["columns"]), row["synthesis"]): row for row in found.tables}


def near(found: object, expected: float | None) -> bool:
    """Whether two numbers are the same to 1e-9; both may be undefined."""
    if found is None or expected is None:
        return found is expected
    return isinstance(found, int | float) and math.isclose(
        found, expected, rel_tol=1e-9, abs_tol=1e-12
    )


def test_a_case_worked_by_hand() -> None:
    found = sqlrisk.utility(ORIGINAL, SYNTHETIC, measures="all")
    row = by_table(found)[("sex",), "1"]
    # three men and a woman, two and two synthetic: scores 2/5 and 2/3, half of all records
    # synthetic
    assert row["cells"] == 2
    assert row["pMSE"] == pytest.approx((5 * 0.1**2 + 3 * (1 / 6) ** 2) / 8)
    assert row["VW"] == row["S_pMSE"] == pytest.approx(1 / 2.5 + 1 / 1.5)
    assert row["FT"] == pytest.approx(4 * (8 - 2 * math.sqrt(6) - 2 * math.sqrt(2)))
    assert row["G"] == pytest.approx(4 * math.log(4 / 3))
    assert (row["SPECKS"], row["U"], row["PO50"]) == (0.25, 6 + 3 + 1, 12.5)
    assert (row["MabsDD"], row["TVD"], row["ContingencySimilarity"]) == (0.5, 0.25, 0.75)
    assert row["dBhatt"] == pytest.approx(math.sqrt(1 - math.sqrt(3 / 8) - math.sqrt(1 / 8)))
    # of ma, mb, fb 2, 1, 1 people, and 1, 1, 2 synthetic records
    both = by_table(found)[("sex", "town"), "1"]
    assert (both["cells"], both["TVD"]) == (3, 0.25)
    means = {(each["ways"], each["statistic"]): each["TVD"] for each in found.overall}
    assert means == {
        (1, "mean"): 0.25,
        (1, "min"): 0.25,
        (1, "max"): 0.25,
        (2, "mean"): 0.25,
        (2, "min"): 0.25,
        (2, "max"): 0.25,
    }


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("passes", some([3], [1, 3]))
def test_every_number_is_that_of_the_slow_oracle(passes: int, complete: bool) -> None:
    original, syntheses = people(1), [people(2), people(3, size=25), people(1)]
    asked = utility.ask(
        (original, syntheses),
        {},
        columns=COLUMNS,
        ways=[1, 2, 3],
        groups=0,
        complete=complete,
        measures="all",
    )

    class Passes(DuckDB):
        """Counts in so many passes."""

        def passes(self, *_: Any, **__: Any) -> int:
            return passes

    with Passes() as engine:
        found = utility.compare(asked, Session(engine))
    rows = by_table(found)
    assert len(rows) == 7 * 4
    for columns in (chosen for size in (1, 2, 3) for chosen in combinations(COLUMNS, size)):
        each = []
        for number, synthesis in enumerate(syntheses, start=1):
            sides = (rows_of(table, columns, complete=complete) for table in (original, synthesis))
            expected = tables.utility(*sides)
            assert [
                name for name in NAMES if not near(rows[columns, str(number)][name], expected[name])
            ] == []
            each.append(expected)
        for name in NAMES:
            values = [one[name] for one in each if one[name] is not None]
            assert near(rows[columns, "mean"][name], sum(values) / len(values) if values else None)


def test_means_over_tables_and_columns() -> None:
    found = sqlrisk.utility(
        people(1), [people(2), people(3)], columns=COLUMNS, ways="1,2,3", measures="S_pMSE,JSD"
    )
    for ways in (1, 2, 3):
        for label in ("1", "2", "mean"):
            those = [
                row for row in found.tables if (row["ways"], row["synthesis"]) == (ways, label)
            ]
            for statistic, of in (
                ("mean", lambda values: sum(values) / len(values)),
                ("min", min),
                ("max", max),
            ):
                (row,) = (
                    each
                    for each in found.overall
                    if (each["ways"], each["synthesis"], each["statistic"])
                    == (ways, label, statistic)
                )
                assert all(
                    near(row[name], of([each[name] for each in those]))
                    for name in ("S_pMSE", "JSD")
                )
            for column in COLUMNS:
                (row,) = (
                    each
                    for each in found.by_column
                    if (each["column"], each["ways"], each["synthesis"]) == (column, ways, label)
                )
                with_it = [each["JSD"] for each in those if column in each["columns"]]
                assert near(row["JSD"], sum(with_it) / len(with_it))


@pytest.mark.slow
def test_missing_values_are_counted_in_each_file() -> None:
    original, synthetic = people(1), people(2, size=25)
    found = sqlrisk.utility(original, synthetic)
    for row in found.missing:
        table = original if row["file"] == "original" else synthetic
        assert (row["records"], row["percent"]) == (
            table[row["column"]].null_count,
            100 * table[row["column"]].null_count / len(table),
        )
    assert found.lacking == ["town", "ill"]


def test_the_statements_are_the_golden_ones() -> None:
    told: list[str] = []
    sqlrisk.utility(
        ORIGINAL,
        [SYNTHETIC, ORIGINAL],
        ways=2,
        measures="all",
        trace=lambda sql, _: told.append(sql),
    )
    made = (
        "table_counts",
        "scored_counts",
        "utility_results",
        "utility_tables",
        "utility_columns",
        "n_missing",
    )
    own = [
        sql
        for sql in told
        if any(name in sql for name in made)
        and not sql.startswith(("SELECT measure, synthesis, table", "DROP"))
    ]
    assert len(own) == 4 + 3
    snapshots.compare("utility.sql", ";\n\n".join(own) + ";\n")


def reference() -> Iterator[Any]:
    if ORACLE.exists():
        written = json.loads((ORACLE / "utility" / "cases.json").read_text(encoding="utf-8"))
        yield from ({**case, "statistics": written["statistics"]} for case in written["cases"])


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", few(reference(), 5), ids=lambda case: case["case"])
def test_synthpop_has_the_same_values(case: Mapping[str, Any]) -> None:
    words = case["scenario"]
    folder = ORACLE / words["data"]
    found = sqlrisk.utility(
        folder / f"{words['original']}.parquet",
        [folder / f"{name}.parquet" for name in words["syntheses"]],
        columns=words["columns"],
        ways=words["table_sizes"],
        groups=words["number_bins"]["groups"],
        complete="left out" in words["missing"],
        measures="all",
    )
    assert set(found.scenario["grouped"]) == set(words["number_bins"]["columns"])
    rows = by_table(found)
    # A random number of synthetic records gives synthpop one degree of freedom more.
    other = (
        ("df", "S_pMSE", "S_FT", "S_G", "S_WMabsDD") if words["random_number_of_records"] else ()
    )
    compared = 0
    for table in case["tables"]:
        columns = tuple(sorted(table["columns"], key=words["columns"].index))
        for number, values in enumerate(table["values"], start=1):
            row = rows[columns, str(number)]
            named = {**row, "df": row["cells"] - 1}
            for name, value in zip(case["statistics"], values, strict=True):
                if name in named and name not in other:
                    assert near(named[name], value) or (
                        name == "dBhatt" and abs(named[name] - value) < 3e-8
                    ), (columns, name)
                    compared += 1
    assert compared >= 13 * len(case["tables"])


@pytest.mark.slow
def test_tables_of_fewer_columns_are_counted_from_those_of_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, synthetic = people(1, 500), people(2, 500)
    kept: list[int] = []
    plain = subsets._kept

    def noting(*given: Any) -> Iterator[Any]:
        found = list(plain(*given))
        kept.append(len(found))
        return iter(found)

    monkeypatch.setattr(subsets, "_kept", noting)
    merged = sqlrisk.utility(original, synthetic, ways=[1, 2])
    assert sum(kept) > 0
    monkeypatch.setattr(subsets, "_kept", lambda *_: iter(()))
    assert sqlrisk.utility(original, synthetic, ways=[1, 2]).to_dict() == merged.to_dict()


@pytest.mark.slow
def test_what_a_scenario_file_says_of_columns_holds(tmp_path: Path) -> None:
    table = (
        people(1)
        .append_column("person", pa.array(range(60)))
        .append_column("weight", pa.array([1.5] * 60))
    )
    pq.write_table(table, tmp_path / "o.parquet")
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        f"original = {str(tmp_path / 'o.parquet')!r}\nkeys = ['sex']\nid = 'person'\nweights = "
        "'weight'\nmeasures = ['UiO']\n"
        "[column.ill]\nbands = [1, 3]\n",
        encoding="utf-8",
    )
    found = sqlrisk.utility(None, table, scenario=str(scenario), measures=["cells"])
    assert found.scenario["columns"] == ["sex", "town", "ill"]
    assert found.scenario["grouped"] == []
    assert by_table(found)[("ill",), "1"]["cells"] == 3  # two bands and missing
    named = sqlrisk.utility(
        None,
        table,
        scenario=str(scenario),
        columns="ill,person",
        bins="person=4",
        measures=["cells"],
    )
    assert by_table(named)[("person",), "1"]["cells"] == 4


@pytest.mark.slow
def test_one_file_against_itself_is_perfect() -> None:
    (row,) = sqlrisk.utility(people(1), people(1), columns="sex", ways=1, measures="all").tables
    assert {name: row[name] for name in ("pMSE", "S_pMSE", "FT", "TVD", "dBhatt")} == dict.fromkeys(
        ("pMSE", "S_pMSE", "FT", "TVD", "dBhatt"), 0
    )
    assert (row["ContingencySimilarity"], row["U"]) == (1, 1800)


def numbers(seed: int, size: int = 400) -> pa.Table:
    """Columns of numbers that hang together, some far from 0, some missing, one of them coded, one
    with one number alone.
    """
    draw = np.random.default_rng(seed)
    age = draw.integers(0, 90, size)
    income = np.where(
        draw.random(size) < 0.3, -8, np.round(1e6 + 900 * age + draw.normal(0, 4000, size), 2)
    )
    return pa.table(
        {
            "age": pa.array(age),
            "income": pa.array(income, mask=draw.random(size) < 0.1),
            "score": pa.array(
                draw.normal(-1e-3, 1e-4, size) + age / 1e6, mask=draw.random(size) < 0.2
            ),
            "region": pa.array(draw.integers(1, 5, size)),
            "same": pa.array([0.1] * size),
            "town": pa.array([f"t{each}" for each in draw.integers(0, 3, size)]),
        }
    )


@pytest.mark.slow
def test_special_values_of_a_tolerance_are_about_risk(tmp_path: Path) -> None:
    """A scenario with a tolerance measures the utility that it has without one."""
    original, synthetic = numbers(1), numbers(2)
    asked: dict[str, Any] = {"keys": ["age"], "targets": ["income"], "measures": ["DiSCO"]}
    near = {"within": {"income": 2}, "special": {"income": [-8]}}
    columns = ["age", "income"]
    plain, found = (
        sqlrisk.score(original, synthetic, **asked, **more, utility=columns).table("utility").rows
        for more in ({}, near)
    )
    assert found
    assert found == plain
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('within = "income=2"\nspecial = "income=-8"\ntargets = "income"\n')
    compared = sqlrisk.utility(original, synthetic, scenario=scenario, columns=columns)
    assert compared.results == sqlrisk.utility(original, synthetic, columns=columns).results


def test_none_stands_for_the_default() -> None:
    files, columns = (numbers(1), numbers(2)), ["age", "town"]
    found = sqlrisk.utility(*files, columns=columns, groups=None, top=None, work_limit=None)
    assert found.to_dict() == sqlrisk.utility(*files, columns=columns).to_dict()


def test_an_infinite_value_is_in_the_last_group() -> None:
    """Groups of equal width are 0.8 wide, as without it."""
    table = pa.table({"x": [0.0] * 30 + [1.0, 2.0, 3.0, 4.0, math.inf]})
    found = sqlrisk.utility(table, table, ways=1, measures="cells")
    assert by_table(found)[("x",), "1"]["cells"] == 5


def test_infinite_quantiles_differ_from_finite_ones_only() -> None:
    ends, finite = [-math.inf, *map(float, range(9)), math.inf], list(map(float, range(11)))
    original, *syntheses = (pa.table({"x": values}) for values in (ends, ends, finite))
    found = sqlrisk.utility(original, syntheses, ways=1)
    assert [
        (row["file"], row["value"], row["difference"])
        for row in found.quantiles
        if row["percent"] in (5, 95)
    ] == [
        ("original", -math.inf, 0),
        ("1", -math.inf, 0),
        ("2", 0.5, math.inf),
        ("original", math.inf, 0),
        ("1", math.inf, 0),
        ("2", 9.5, -math.inf),
    ]


def test_correlations_and_quantiles_are_those_of_numpy() -> None:
    """Of the numbers as they are, whatever bins and bands tables have; a special value is no
    number, a group is none either.
    """
    original, syntheses = numbers(1), [numbers(2), numbers(3, 151)]
    found = sqlrisk.utility(
        original, syntheses, bins="income=4", special="income=-8",
        column=["age.bands=0,18,65", "region.merge.north=1,2"],
        measures="cells",
    )  # fmt: skip
    cells = {
        name: by_table(found)[(name,), "1"]["cells"]
        for name in ("age", "income", "region", "score")
    }
    # with a special value, and missing ones
    assert cells == {"age": 3, "income": 4 + 2, "region": 3, "score": 5 + 1}
    assert found.scenario["grouped"] == ["score", "same"]
    files = dict(zip(("original", "1", "2"), (original, *syntheses), strict=True))
    plain = {
        (label, name): np.array(
            [np.nan if each in (None, -8) else float(each) for each in table[name].to_pylist()]
        )
        for label, table in files.items()
        for name in ("age", "income", "score", "same")
    }
    assert {row["column"] for row in found.quantiles} == {"age", "income", "score", "same"}
    for row in found.quantiles:
        sides = [
            np.nanquantile(plain[label, row["column"]], row["percent"] / 100)
            for label in (row["file"], "original")
        ]
        assert row["value"] == pytest.approx(sides[0], rel=1e-12)
        assert row["difference"] == pytest.approx(sides[0] - sides[1], rel=1e-9, abs=1e-9)
    assert len(found.correlations) == 6 * 3
    for row in found.correlations:
        one, other = row["columns"]
        both = {
            label: ~np.isnan(plain[label, one]) & ~np.isnan(plain[label, other]) for label in files
        }
        assert row["records"] == both[row["file"]].sum()
        if "same" in row["columns"]:
            assert row["value"] is row["difference"] is None
            continue
        mine, its = (
            np.corrcoef(plain[label, one][both[label]], plain[label, other][both[label]])[0, 1]
            for label in (row["file"], "original")
        )
        assert row["value"] == pytest.approx(mine, abs=1e-9)
        assert row["difference"] == pytest.approx(mine - its, abs=1e-9)
    text = found.to_text()
    assert "Correlations ──" in text
    assert "Quantiles ──" in text
    assert sqlrisk.utility(original, syntheses, ways=1).correlations == []
    assert (
        "Correlations" not in sqlrisk.utility(original, syntheses, columns="town", ways=1).to_text()
    )


@pytest.mark.slow
def test_many_pairs_of_numbers_are_summed_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sqlrisk.utility(numbers(1), numbers(2))
    monkeypatch.setattr(plan, "TOGETHER", 2)
    assert sqlrisk.utility(numbers(1), numbers(2)).correlations == whole.correlations


@pytest.mark.slow
def test_every_form_holds_the_rows(tmp_path: Path) -> None:
    found = sqlrisk.utility(people(1), {"cart": [people(2), people(3)]}, columns=COLUMNS)
    assert found.to_arrow().num_rows == len(found.tables) == 6 * 3
    assert found.to_arrow()["columns"].to_pylist()[-1] == ["town", "ill"]
    assert found.table("tables").to_csv().splitlines()[-1].startswith('"town,ill",2,cart mean,')
    assert json.loads(found.to_json())["tables"] == found.tables
    text = found.to_text()
    for words in (
        "one-way",
        "By column",
        "The mean over the two-way tables with this column.",
        "town, ill",
        "Missing values",
        "cart mean",
    ):
        assert words in text
    assert "S_pMSE" in found.to_markdown()
    assert "S_pMSE" in found.to_html()
    assert repr(found).splitlines()[0] == "<Utility: 6 tables, 6 measures>"
    with pytest.raises(
        sqlrisk.InputError, match=r"no part 'table' of utility \(did you mean 'tables'\?\)"
    ):
        found.table("table")


@pytest.mark.slow
def test_the_worst_tables_come_first() -> None:
    found = sqlrisk.utility(people(1), people(2), columns=COLUMNS, top=2)
    assert [row["S_pMSE"] for row in found.worst] == sorted(
        (row["S_pMSE"] for row in found.tables), reverse=True
    )[:2]
    alike = sqlrisk.utility(
        people(1), people(2), columns=COLUMNS, measures="all", sort="ContingencySimilarity"
    ).worst
    assert [row["TVD"] for row in alike] == sorted((row["TVD"] for row in alike), reverse=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"columns": "sex,toun"},
            r"columns: the original .* has no column 'toun' \(did you mean 'town'\?\)",
        ),
        ({"columns": "sex,sex"}, "columns: the column 'sex' is named twice"),
        ({"columns": "sex"}, "ways: a table of 2 columns needs more columns; columns names only 1"),
        ({"ways": 4}, "ways: a table has 1, 2 or 3 columns, as in 1,2; got 4"),
        (
            {"measures": "pMS"},
            r"measures: there is no utility measure 'pMS' \(did you mean 'pMSE' or 'S_pMSE'\?\)",
        ),
        ({"sort": "TCAP"}, r"sort: cannot sort by 'TCAP'.*; measured are pMSE, S_pMSE"),
        ({"groups": -1}, "groups: expected a whole number of groups, 0 or more; got -1"),
        (
            {"work_limit": 10},
            (
                r"Comparing 6 tables of 3 columns takes about 600,000 steps .*; the limit is 10: "
                r"name "
                r"fewer --columns"
            ),
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(settings: Mapping[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.utility(people(1), people(2), **settings)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(people(1), "o.parquet")
    pq.write_table(people(2), "s.parquet")
    code, out, err = command_line(
        "utility",
        "o.parquet",
        "s.parquet",
        "--columns",
        "sex,town",
        "--measures",
        "pMSE,TVD",
        "--sort",
        "TVD",
    )
    assert (code, err) == (0, "")
    assert "By TVD" in out
    code, out, _ = command_line(
        "utility", "o.parquet", "s.parquet", "--part", "missing", "--format", "csv"
    )
    assert (code, out.splitlines()[0]) == (0, "column,file,records,percent")
    assert command_line("utility", "o.parquet", "s.parquet", "-o", "tables.parquet")[0] == 0
    assert pq.read_table("tables.parquet").num_rows == 6
    assert "ways" in fails(
        "utility", "o.parquet", "s.parquet", "--ways", "1,5", "-o", "no.csv", folder=tmp_path
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    few(
        [
            ("age.width=10", "age.top=80"),
            ("age.width=10", "age.width=20"),
            ("age.bands=0,18,65", "age.merge.young=1,2"),
            ("age.width=10", "age.bands=0,18,65"),
        ],
        2,
    ),
)
def test_utility_recodes_no_column_that_two_scenarios_recode_differently(
    first: str, second: str, tmp_path: Path
) -> None:
    """Entries that were merged one by one would make a recode of no scenario, or an invalid one."""
    for name, file in (("original", numbers(1)), ("synthetic", numbers(2))):
        pq.write_table(file, tmp_path / f"{name}.parquet")
    found = []
    for recodes in (("", ""), (first, second)):
        (tmp_path / "scenarios.toml").write_text(
            "original = 'original.parquet'\nsynthetic = 'synthetic.parquet'\nmeasures = ['repU']\n"
            + "".join(
                f"[scenario.{name}]\nkeys = ['age', 'town']\n"
                + (f"column = ['{recode}', 'age.label=Age']\n" if recode else "")
                for name, recode in zip(("first", "second"), recodes, strict=True)
            )
        )
        report = sqlrisk.score_all(str(tmp_path / "scenarios.toml"), utility="all")
        found.append(report.table("utility").rows)
    assert found[0]
    assert found[1] == found[0]
