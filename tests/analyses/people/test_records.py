"""Risk per record: each row against the person's own numbers, and sums over rows against the
measures.
"""

import json
import math
import random
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import oracle
import people as slow
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from agreement import agree
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.people import record_risk
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask
from tests.cli.test_cli import fails

KEYS, TARGETS = ["sex", "town"], ["ill", "in come"]
SETTINGS: dict[str, Any] = {"keys": KEYS, "targets": TARGETS}


def file(seed: int, rows: int = 400) -> pa.Table:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "sex": rng.choices(["f", "m", None], [5, 5, 1], k=rows),
            "town": rng.choices([*range(60), None], k=rows),
            "ill": rng.choices(["y", "n", None], [2, 6, 1], k=rows),
            "in come": rng.choices([1.5, 2.0, float("nan")], k=rows),
            "weight": rng.choices([1.0, 2.5, 40.0], k=rows),
        }
    )


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    return [{k: None if v != v else v for k, v in row.items()} for row in table.to_pylist()]


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    names = [str(tmp_path / name) for name in ("o.parquet", "s1.parquet", "s2.parquet")]
    for seed, name in enumerate(names, start=1):
        pq.write_table(file(seed), name, row_group_size=37)
    return names


def written(paths: list[str], output: Path, **settings: Any) -> list[dict[str, Any]]:
    count = sqlrisk.records(paths[0], paths[1:], output, **SETTINGS, **settings)
    rows: list[dict[str, Any]] = pq.read_table(output).to_pylist()
    assert count == len(rows)
    return rows


@pytest.mark.parametrize(("synthesis", "seeds"), few([("1", [2]), (None, [2, 3])], 2))
def test_each_row_is_that_person(
    paths: list[str], tmp_path: Path, synthesis: str | None, seeds: list[int]
) -> None:
    found = written(paths, tmp_path / "r.parquet", synthesis=synthesis, measures="others")
    original = rows_of(file(1))
    synthetic = [row for seed in seeds for row in rows_of(file(seed))]
    assert [row["record"] for row in found] == list(range(1, 401))
    for target in TARGETS:
        for row, person in zip(
            found, slow.people(original, original, synthetic, KEYS, target), strict=True
        ):
            lift = (
                None if person.cap_synthetic is None else person.cap_synthetic / person.cap_baseline
            )
            expected: dict[str, Any] = {
                "n_orig_class": person.n_orig_class,
                "n_syn_class": person.n_syn_class,
                "unique": person.n_orig_class == 1,
                "replicated_unique": person.n_orig_class == 1 == person.n_syn_class,
                f"cap_original_{target}": person.cap_original,
                f"cap_synthetic_{target}": person.cap_synthetic,
                f"cap_baseline_{target}": person.cap_baseline,
                f"lift_{target}": lift,
                f"disclosive_synthetic_{target}": person.disclosive_synthetic,
                f"correct_{target}": person.correct,
                f"top_share_{target}": person.top_share,
                f"predicted_share_{target}": person.predicted_share,
                f"excluded_{target}": None,
                f"cap_others_{target}": person.cap_others,
                f"known_from_others_{target}": person.correct and person.cap_others == 1,
            }
            assert {name: row[name] for name in expected} == {
                name: pytest.approx(float(value), rel=1e-15)
                if isinstance(value, Fraction)
                else value
                for name, value in expected.items()
            }


EXCLUSIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "some": {"exclude_level": {"ill": ["y"]}, "exclude_missing": ["sex", "in come"], "max_cell": 4},
}


@pytest.mark.parametrize("excluded", few(EXCLUSIONS, 2))
@pytest.mark.parametrize("synthesis", ["2", "pooled 1-2"])
def test_sums_over_rows_are_the_measures(
    paths: list[str], tmp_path: Path, excluded: str, synthesis: str
) -> None:
    more = EXCLUSIONS[excluded]
    measures = "identity,attribute,cap,others"
    rows = written(paths, tmp_path / "r.parquet", synthesis=synthesis, measures=measures, **more)
    report = sqlrisk.score(paths[0], paths[1:], **SETTINGS, measures=measures, **more)
    found = {
        (r["measure"], r["target"]): r
        for r in report.results
        if r["synthesis"] == synthesis and r["at"] is None
    }
    for target in TARGETS:
        counted = [row for row in rows if row[f"excluded_{target}"] is None]
        assert excluded == "none" or len(counted) < len(rows)
        sums: dict[str, Any] = {
            "iS": sum(row["n_syn_class"] > 0 for row in counted),
            "Dorig": sum(row[f"cap_original_{target}"] == 1 for row in counted),
            "DiS": sum(row[f"disclosive_synthetic_{target}"] for row in counted),
            "DiSCO": sum(row[f"correct_{target}"] for row in counted),
            "DiSDiO": sum(
                row[f"correct_{target}"] and row[f"cap_original_{target}"] == 1 for row in counted
            ),
            "baseCAPd": sum(row[f"cap_baseline_{target}"] for row in rows),
            "baseCAPd_counted": sum(row[f"cap_baseline_{target}"] for row in counted),
            "CAPd": sum(row[f"cap_original_{target}"] for row in counted),
            "DCAP": sum(row[f"cap_synthetic_{target}"] or 0 for row in counted),
            "TCAP": sum(row[f"correct_{target}"] for row in counted),
            "CAPd_others": sum(row[f"cap_others_{target}"] or 0 for row in counted),
            "DiSCO_known_from_others": sum(row[f"known_from_others_{target}"] for row in counted),
        }
        for measure, total in sums.items():
            assert found[measure, target]["numerator"] == pytest.approx(total, rel=1e-12), measure
        matched = sum(row["n_syn_class"] > 0 for row in rows)
        assert (
            found["DCAP_matched", target]["denominator"]
            == found["TCAP", target]["denominator"]
            == matched
        )
        if excluded == "none":
            uniques = {
                "UiO": sum(row["unique"] for row in rows),
                "UiOiS": sum(row["unique"] and row["n_syn_class"] > 0 for row in rows),
                "repU": sum(row["replicated_unique"] for row in rows),
            }
            assert {name: found[name, None]["numerator"] for name in uniques} == uniques


@pytest.mark.parametrize("synthesis", few(["2", None], 2))
def test_the_synthetic_side(paths: list[str], tmp_path: Path, synthesis: str | None) -> None:
    rows = written(paths, tmp_path / "r.parquet", synthesis=synthesis, side="synthetic")
    seeds = [3] if synthesis else [2, 3]
    synthetic = [row for seed in seeds for row in rows_of(file(seed))]
    original = rows_of(file(1))
    assert len(rows) == len(synthetic) == 400 * len(seeds)
    if synthesis is None:
        assert [(row["synthesis"], row["record"]) for row in rows] == [
            (s, n) for s in (1, 2) for n in range(1, 401)
        ]
    for row, record in zip(rows, synthetic, strict=True):
        same = [each for each in synthetic if all(each[key] == record[key] for key in KEYS)]
        people = sum(all(each[key] == record[key] for key in KEYS) for each in original)
        assert (row["n_orig_class"], row["n_syn_class"]) == (people, len(same))
        assert row["replicated_unique"] == (people == 1 == len(same))
        for target in TARGETS:
            agreeing = sum(each[target] == record[target] for each in same)
            assert row[f"weap_{target}"] == pytest.approx(agreeing / len(same), rel=1e-15)


@pytest.mark.slow
def test_passes_and_forms_write_the_same(paths: list[str], tmp_path: Path) -> None:
    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return 5

    whole = written(paths, tmp_path / "whole.parquet", exclude_missing="sex")
    question = ask(paths[0], paths[1:], SETTINGS | {"exclude_missing": "sex"})
    (tmp_path / "parts.parquet").touch()
    with Passes() as engine:
        record_risk.write(question, Session(engine), str(tmp_path / "parts.parquet"), "parquet")
    assert pq.read_table(tmp_path / "parts.parquet").to_pylist() == whole
    sqlrisk.records(paths[0], paths[1:], tmp_path / "r.csv", exclude_missing="sex", **SETTINGS)
    text = pa.csv.read_csv(tmp_path / "r.csv").to_pylist()
    assert [row["record"] for row in text] == [row["record"] for row in whole]
    assert [row["cap_original_ill"] for row in text] == [row["cap_original_ill"] for row in whole]
    sqlrisk.records(
        file(1), [file(2), file(3)], tmp_path / "t.parquet", exclude_missing="sex", **SETTINGS
    )
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == whole


@pytest.mark.slow
def test_many_targets_are_met_one_after_the_other() -> None:
    """All pairs of what two targets have in a class would be 50 * 50 rows of each record's, and of
    twelve targets no end.
    """
    rng = random.Random(1)  # noqa: S311 - no secret
    names = [f"t{number}" for number in range(12)]
    original, synthetic = (
        pa.table(
            {
                "key": rng.choices(range(20), k=2000),
                **{name: [int(50 * rng.random() ** 3) for _ in range(2000)] for name in names},
            }
        )
        for _ in range(2)
    )
    alone, all_of = (
        sqlrisk.records(original, synthetic, keys=["key"], targets=targets).to_arrow()
        for targets in (names[-1:], names)
    )
    assert alone.num_rows == 2000
    assert all_of.select(alone.column_names) == alone


@pytest.mark.slow
def test_parts_of_a_file_are_numbered_on(tmp_path: Path) -> None:
    table = file(1)
    for part in range(4):
        pq.write_table(table.slice(100 * part, 100), tmp_path / f"part_{part}.parquet")
    pq.write_table(table, tmp_path / "whole.parquet")
    for name in ("part_*", "whole"):
        sqlrisk.records(
            str(tmp_path / f"{name}.parquet"),
            file(2),
            tmp_path / f"{name[0]}.out.parquet",
            **SETTINGS,
        )
    assert pq.read_table(tmp_path / "p.out.parquet").equals(
        pq.read_table(tmp_path / "w.out.parquet")
    )


def test_weights_give_the_risk_in_the_population(paths: list[str], tmp_path: Path) -> None:
    rows = written(paths, tmp_path / "r.parquet", weights="weight")
    original = rows_of(file(1))
    for row, person in zip(rows, original, strict=True):
        same = [each for each in original if all(each[key] == person[key] for key in KEYS)]
        assert 0 < row["population_risk"] <= 1 / len(same)
        if sum(each["weight"] for each in same) == len(same):
            assert row["population_risk"] == pytest.approx(1 / len(same), rel=1e-15)


def test_the_file_is_its_owners_alone_and_never_an_input(paths: list[str], tmp_path: Path) -> None:
    rows = written(paths, tmp_path / "r.parquet")
    assert not any("others" in name for name in rows[0])  # which a measure asks for
    assert stat.S_IMODE((tmp_path / "r.parquet").stat().st_mode) == 0o600
    before = Path(paths[1]).read_bytes()
    with pytest.raises(sqlrisk.InputError, match="is the input"):
        sqlrisk.records(paths[0], paths[1:], paths[1], **SETTINGS)
    assert Path(paths[1]).read_bytes() == before


def test_rows_do_not_replace_a_baseline_or_a_hierarchy(paths: list[str], tmp_path: Path) -> None:
    shares, groups = tmp_path / "shares.csv", tmp_path / "groups.csv"
    shares.write_text("level,share\ny,0.3\nn,0.7\n")
    groups.write_text("sex,group\nf,all\nm,all\n")
    asked: dict[str, Any] = {"original": paths[0], "synthetic": paths[1:], "keys": ["sex"]}
    asked |= {"baseline": f"ill={shares}", "column": f"sex.hierarchy={groups}"}
    targets = {"one": {"targets": ["in come"]}, "two": {"targets": ["ill"]}}
    scenarios = {"scenario": several(tmp_path, asked, targets)}
    for output, how in (
        (shares, asked | targets["two"]),
        (groups, asked | targets["two"]),
        (shares, scenarios),  # only the second scenario uses it
    ):
        before = output.read_bytes()
        with pytest.raises(sqlrisk.InputError, match="is the input"):
            sqlrisk.records(**how, output=output)
        assert output.read_bytes() == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"synthesis": "3"}, "There is no synthesis '3'"),
        ({"side": "orginal"}, "side: 'orginal' is not one of original, synthetic"),
        ({"output": "r.json"}, "is json by its suffix; use one of .csv, .parquet."),
        ({"exclude_level": {"ill": ["z"]}}, "has no level 'z' in any file"),
        ({"id": "in come"}, "id: .* records of .* have no id in the column 'in come'"),
        ({"id": "weight"}, "id: the column 'weight' of .* has .* different ids for 400 records"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    paths: list[str], tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    output = tmp_path / settings.get("output", "r.parquet")
    more = {name: value for name, value in settings.items() if name != "output"}
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.records(paths[0], paths[1:], output, **SETTINGS, **more)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "o.parquet",
        "s1.parquet",
        "s2.parquet",
    ]


@pytest.mark.slow
def test_methods_are_never_pooled(paths: list[str], tmp_path: Path) -> None:
    with pytest.raises(sqlrisk.InputError, match="methods are never pooled"):
        sqlrisk.records(
            paths[0], {"cart": paths[1], "rf": paths[2]}, tmp_path / "r.parquet", **SETTINGS
        )
    assert sqlrisk.records(
        paths[0],
        {"cart": paths[1], "rf": paths[2]},
        tmp_path / "r.parquet",
        synthesis="rf 1",
        **SETTINGS,
    )


@pytest.mark.slow
def test_special_uniques_beside_the_rest(paths: list[str], tmp_path: Path) -> None:
    rows = written(paths, tmp_path / "r.parquet", suda=True)
    sqlrisk.uniques(paths[0], keys=KEYS, output=tmp_path / "u.parquet")
    alone = pq.read_table(tmp_path / "u.parquet").to_pylist()
    assert any(row["suda_score"] for row in alone)
    assert [{name: row[name] for name in alone[0]} for row in rows] == alone


def test_a_column_names_the_records(tmp_path: Path) -> None:
    names = [f"person {number * 7919 % 400}" for number in range(400)]
    table = file(1).append_column("name", pa.array(names))
    settings: dict[str, Any] = {"keys": KEYS, "id": "name"}
    sqlrisk.records(table, file(2), tmp_path / "r.parquet", targets=["ill"], **settings)
    numbered = tmp_path / "n.parquet"
    sqlrisk.records(table, file(2), numbered, keys=KEYS, targets=["ill"])
    named, plain = (pq.read_table(path).to_pylist() for path in (tmp_path / "r.parquet", numbered))
    assert [row["record"] for row in named] == names
    assert [row | {"record": 0} for row in named] == [row | {"record": 0} for row in plain]
    report = sqlrisk.score(
        table, file(2).append_column("name", pa.array(names)), measures="DiSCO", **settings
    )
    # an id is no target by default
    assert {row["target"] for row in report.results} == {"ill", "in come", "weight"}


@pytest.mark.parametrize("settings", few([{"suda": True}, {"diversity": True}, {"id": "ill"}]))
def test_synthetic_records_are_nobody(
    paths: list[str], tmp_path: Path, settings: dict[str, Any]
) -> None:
    with pytest.raises(
        sqlrisk.InputError, match=f"{next(iter(settings))}: it applies only to people"
    ):
        sqlrisk.records(
            paths[0], paths[1:], tmp_path / "r.parquet", keys=KEYS, side="synthetic", **settings
        )


PEOPLE = {
    "sex": ["f", "f", "m"],
    "ill": ["y", "n", "y"],
    "region": ["n", None, "s"],
    "visits": [[1], [2, 3], None],
    "unique": [4, 5, 6],
}
SYNTHESES = [
    pa.table({"sex": ["m", "f"], "ill": ["y", "y"], "w": [0.5, 0.25]}),
    pa.table({"sex": ["f"], "ill": ["y"], "w": [7]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "columns", "rows"),
    [
        # Both women are met by two synthetic records that say y, and so is right of the first; the
        # man by one.
        (
            "original",
            ["region", "visits"],
            [(1, "n", [1], 2, True), (2, None, [2, 3], 2, False), (3, "s", None, 1, True)],
        ),
        ("synthetic", ["w"], [(1, 1, 0.5, 1, 1.0), (2, 1, 0.25, 2, 1.0), (1, 2, 7.0, 2, 1.0)]),
    ],
)
def test_columns_of_the_file_are_beside_the_risk(
    tmp_path: Path, side: str, columns: list[str], rows: list[tuple[Any, ...]]
) -> None:
    path = tmp_path / "o.parquet"
    pq.write_table(pa.table(PEOPLE), path, row_group_size=1)
    told = [*columns, "n_syn_class", "correct_ill" if side == "original" else "weap_ill"]
    found = sqlrisk.records(
        path, SYNTHESES, keys=["sex"], targets=["ill"], side=side, with_columns=columns
    ).to_arrow()
    named = ["record"] if side == "original" else ["record", "synthesis"]
    assert found.column_names[: len(named) + len(columns)] == [*named, *columns]
    assert [(*map(row.get, named), *map(row.get, told)) for row in found.to_pylist()] == rows


@pytest.mark.slow
def test_columns_of_a_csv_file_are_as_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("sex,code,seen,paid\nf,007,2020-01-02,1.50\nm,010,,-9\n")
    settings: dict[str, Any] = {
        "keys": ["sex"],
        "targets": ["paid"],
        "missing": ["-9"],
        "with_columns": "code,seen,paid",
    }
    sqlrisk.records(
        tmp_path / "o.csv", pa.table({"sex": ["f"], "paid": [1.5]}), tmp_path / "r.csv", **settings
    )
    lines = [line.split(",")[:4] for line in (tmp_path / "r.csv").read_text().splitlines()]
    assert lines == [
        ["record", "code", "seen", "paid"],
        ["1", "007", "2020-01-02", "1.5"],
        ["2", "010", "", ""],
    ]


@pytest.mark.parametrize(
    ("side", "columns", "message"),
    [
        ("original", "regoin", r"with: .* has no column 'regoin' \(did you mean 'region'\?\)"),
        (
            "original",
            "region,Unique",
            "with: the result already has a column 'Unique'; leave out the file's column",
        ),
        ("original", "correct_ill", "with: the result already has a column 'correct_ill'"),
        ("original", "region,sex,region", "with: the column 'region' is named twice"),
        ("synthetic", "region", "with: .* has no column 'region'"),
        (
            "synthetic",
            "w",
            (
                "The column 'w' has types that cannot be compared: numbers in synthesis 1, text in "
                "synthesis 2"
            ),
        ),
    ],
)
def test_columns_that_cannot_be_beside_the_risk(side: str, columns: str, message: str) -> None:
    people = pa.table(PEOPLE | {"correct_ill": [1, 2, 3], "Unique": [1, 2, 3]}).drop_columns(
        "unique"
    )
    files = [SYNTHESES[0], SYNTHESES[1].set_column(2, "w", pa.array(["x"]))]
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.records(
            people, files, keys=["sex"], targets=["ill"], side=side, with_columns=columns
        )


@pytest.mark.slow
def test_open_files_have_the_columns_that_they_were_read_with() -> None:
    with sqlrisk.Release(pa.table(PEOPLE), SYNTHESES, keys=["sex"], targets=["ill"]) as release:
        assert release.records(with_columns="region").to_arrow().column("region").to_pylist() == [
            "n",
            None,
            "s",
        ]
        assert release.records(with_columns="sex").to_arrow().column("sex").to_pylist() == [
            "f",
            "f",
            "m",
        ]
        with pytest.raises(
            sqlrisk.InputError,
            match="opened without the column 'visits'; name it in the first question",
        ):
            release.records(with_columns="visits")


def several(folder: Path, head: dict[str, Any], scenarios: dict[str, dict[str, Any]]) -> str:
    """Write a scenario file of several scenarios. Lists and texts are written as in JSON."""
    tables = [
        ("", head),
        *((f"[scenario.{json.dumps(name)}]", each) for name, each in scenarios.items()),
    ]
    lines = [
        line
        for heading, said in tables
        for line in (heading, *(f"{name} = {json.dumps(value)}" for name, value in said.items()))
    ]
    path = folder / "several.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def plain(rows: pa.Table) -> list[dict[str, Any]]:
    return [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
        for row in rows.to_pylist()
    ]


def each_has_its_own_rows(file: str, names: list[str], **how: Any) -> None:
    """The rows of each scenario are those of its own run, in order; columns of others are NULL."""
    together = sqlrisk.records(scenario=file, **how).to_arrow()
    assert list(dict.fromkeys(together.column("scenario").to_pylist())) == names
    alone = {name: sqlrisk.records(scenario=f"{file}#{name}", **how).to_arrow() for name in names}
    assert together.column_names[: alone[names[0]].num_columns + 1] == [
        "scenario", *alone[names[0]].column_names
    ]  # fmt: skip
    assert together.num_rows == sum(each.num_rows for each in alone.values())
    for name, own in alone.items():
        rows = [row for row in plain(together) if row["scenario"] == name]
        nothing = dict.fromkeys({*together.column_names} - {*own.column_names})
        expected = [{"scenario": name, **row, **nothing} | {"scenario": name} for row in plain(own)]
        assert agree(rows, expected)


HOW: list[dict[str, Any]] = [
    {},
    {"synthesis": "2", "with_columns": ["town"], "measures": "others"},
    {"suda": True, "gcap": True, "diversity": True},
    {"side": "synthetic", "with_columns": ["sex", "town"]},
    {"weights": "weight", "by": ["sex"], "population": {"some": "sex = f"}},
    {"id": "person"},
]
ENGINES = ("files", "a database")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    """A folder, and by engine the settings that name its files or the tables of its database."""
    folder = tmp_path_factory.mktemp("several")
    names = ["o", "s1", "s2"]
    with duckdb.connect(folder / "house.duckdb") as connection:
        for seed, name in enumerate(names, start=1):
            table = file(seed, 60).append_column("person", pa.array(range(7, 67)))
            pq.write_table(table, folder / f"{name}.parquet")
            connection.execute(f"CREATE TABLE {name} AS FROM '{folder / name}.parquet'")
    return folder, {
        "files": {"original": "o.parquet", "synthetic": ["s1.parquet", "s2.parquet"]},
        "a database": {"original": "o", "synthetic": ["s1", "s2"]},
    }


@examples(12)
@given(data=st.data())
def test_each_of_several_scenarios_has_the_rows_of_its_own_run(
    places: tuple[Path, dict[str, dict[str, Any]]], data: st.DataObject
) -> None:
    folder, named = places
    columns = ["sex", "town", "ill", "in come"]
    scenarios: dict[str, dict[str, Any]] = {}
    for name in data.draw(st.sampled_from([["b", "a"], ["one", "the 'other'", "third"]])):
        mixed = data.draw(st.permutations(columns))
        keys, targets = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
        scenarios[name] = {"keys": mixed[:keys], "targets": mixed[keys:][:targets]}
        if data.draw(st.booleans()):
            scenarios[name]["exclude_missing"] = data.draw(st.lists(st.sampled_from(mixed[:keys])))
    engine = data.draw(st.sampled_from(ENGINES))
    how: dict[str, Any] = data.draw(st.sampled_from(HOW))
    if engine == "a database":
        how = {**how, "engine": str(folder / "house.duckdb")}
    each_has_its_own_rows(several(folder, named[engine], scenarios), [*scenarios], **how)


@pytest.mark.slow
def test_several_scenarios_bin_and_recode_each_in_its_way(
    places: tuple[Path, dict[str, dict[str, Any]]],
) -> None:
    folder, named = places
    scenarios: dict[str, dict[str, Any]] = {
        "neighbour": {"keys": ["sex", "town"], "targets": ["ill"], "bins": ["town=4"]},
        "colleague": {"keys": ["town"], "targets": ["ill", "in come"], "column": ["town.width=20"]},
        "near": {
            "keys": ["sex", "town"],
            "targets": ["in come"],
            "within": ["town=3", "in come=1"],
        },
    }
    head = {**named["files"], "universe": "s1.parquet", "control": "s2.parquet"}
    each_has_its_own_rows(several(folder, head, scenarios), [*scenarios], with_columns="weight")


@pytest.mark.slow
def test_several_scenarios_are_written_in_passes_and_in_order(
    places: tuple[Path, dict[str, dict[str, Any]]], tmp_path: Path
) -> None:
    """Many records, so that several threads would write them in any order."""

    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return 3

    people = pa.table({"k": [number % 977 for number in range(300_000)], "t": [0, 1] * 150_000})
    questions = {
        name: ask(people, people, {"keys": ["k"], "targets": ["t"]}) for name in ("z", "a")
    }
    with Passes(threads=4) as engine:
        count = record_risk.write_all(
            questions,
            Session(engine),
            str(tmp_path / "r.csv"),
            "csv",
            record_risk.Wanted(with_columns="k"),
        )
    assert (count, count.scenarios) == (600_000, ("z", "a"))
    found = pa.csv.read_csv(tmp_path / "r.csv")
    assert found.column("scenario").to_pylist() == ["z"] * 300_000 + ["a"] * 300_000
    assert found.column("record").to_pylist() == [*range(1, 300_001)] * 2
    assert found.column("k").to_pylist() == people.column("k").to_pylist() * 2


def test_several_scenarios_copy_a_column_whatever_its_name(
    places: tuple[Path, dict[str, dict[str, Any]]], tmp_path: Path
) -> None:
    """Also one that DuckDB gives to the rows of Parquet files."""
    folder, named = places
    people = pq.read_table(folder / "o.parquet")
    people = people.append_column("file_index", pa.array(range(60, 0, -1)))
    pq.write_table(people, tmp_path / "o.parquet")
    head = {**named["files"], "original": str(tmp_path / "o.parquet")}
    path = several(folder, head, {"a": {"keys": ["sex"]}, "b": {"keys": ["town"]}})
    found = sqlrisk.records(scenario=path, targets=["ill"], with_columns="file_index").to_arrow()
    assert found.column("file_index").to_pylist() == [*range(60, 0, -1)] * 2
    assert found.column("record").to_pylist() == [*range(1, 61)] * 2
    assert not [name for name in found.column_names if name.startswith("sqlrisk")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "message"),
    few(
        [
            (["--with", "scenario"], "with: the result already has a column 'scenario'"),
            (["--with", "sqlrisk_file"], "with: the result already has a column 'sqlrisk_file'"),
            (["--with", "wieght"], "has no column 'wieght' (did you mean 'weight'?)"),
            (["--which", "7"], "There is no synthesis '7'; there are 1, 2, pooled 1-2."),
            (["--side", "synthetic", "--suda"], "suda: it applies only to people"),
            (["--id", "sex"], "id: the column 'sex' of"),
        ],
        2,
    ),
)
def test_what_several_scenarios_cannot_have_is_said_once(
    places: tuple[Path, dict[str, dict[str, Any]]],
    tmp_path: Path,
    more: list[str],
    message: str,
) -> None:
    folder, _ = places
    for name in ("o", "s1", "s2"):
        table = pq.read_table(folder / f"{name}.parquet")
        for column in ("scenario", "sqlrisk_file"):
            table = table.append_column(column, pa.array(["x"] * len(table)))
        pq.write_table(table, tmp_path / f"{name}.parquet")
    head = {"original": "o.parquet", "synthetic": ["s1.parquet", "s2.parquet"]}
    own = {"keys": ["town"], "targets": ["ill"]}
    several(tmp_path, head, {"one": own, "two": {**own, "keys": ["sex"]}})
    said = fails("records", "--scenario", "several.toml", *more, "-o", "risk.csv", folder=tmp_path)
    assert message in said
    assert said.count(message) == 1


def test_open_files_answer_one_scenario(places: tuple[Path, dict[str, dict[str, Any]]]) -> None:
    folder, named = places
    path = several(folder, named["files"], {"a": {"keys": ["sex"]}, "b": {"keys": ["town"]}})
    with (
        sqlrisk.Release(scenario=path) as release,
        pytest.raises(sqlrisk.InputError, match=r"holds several scenarios: a, b\. Name one, as"),
    ):
        release.records()


SDCMICRO = oracle.ORACLE / "sdcrisk"
CASES = sorted(path.parent.name for path in SDCMICRO.glob("*/case.json"))


@pytest.mark.skipif(not CASES, reason=oracle.ABSENT)
@pytest.mark.parametrize("name", few(CASES))
def test_sdcmicro_says_the_same_of_each_person(tmp_path: Path, name: str) -> None:
    """Its missing keys match everything: people in classes that an incomplete record could belong
    to are left out, and so are people in classes with a missing target, which it counts as a level
    of its own each time.
    """
    case = json.loads((SDCMICRO / name / "case.json").read_text())
    data = pq.read_table(SDCMICRO / name / "data.parquet")
    said = pq.read_table(SDCMICRO / name / "result.parquet").to_pylist()
    keys, weights = case["keys"], case["weight"]
    targets = [case["ldiv_vars"]] if isinstance(case["ldiv_vars"], str) else case["ldiv_vars"] or []
    filled = data.append_column("nothing", pa.array([0] * len(data)))
    asked = {"keys": keys, "targets": targets or ["nothing"], "weights": weights, "diversity": True}
    sqlrisk.records(filled, filled, tmp_path / "r.parquet", **asked)
    rows = pq.read_table(tmp_path / "r.parquet").to_pylist()
    people = data.to_pylist()
    classes = [tuple(person[key] for key in keys) for person in people]
    wild = {q for q in classes if None in q}
    could = {
        q: any(all(None in (a, b) or a == b for a, b in zip(q, w, strict=True)) for w in wild)
        for q in dict.fromkeys(classes)
    }
    missing = {
        target: {q for q, person in zip(classes, people, strict=True) if person[target] is None}
        for target in targets
    }
    compared = 0
    for row, other, q in zip(rows, said, classes, strict=True):
        if could[q]:
            continue
        compared += 1
        assert row["n_orig_class"] == other["fk"]
        risk = row["population_risk"] if weights else 1 / row["n_orig_class"]
        assert risk == pytest.approx(other["indivRisk"], rel=1e-9)
        for target in targets:
            if q not in missing[target]:
                found = [row[f"l_{word}_{target}"] for word in ("distinct", "entropy", "recursive")]
                words = ("Distinct", "Entropy", "Recursive")
                assert found == pytest.approx(
                    [other[f"ld_{target}_{word}_Ldiversity"] for word in words], rel=1e-9
                )
    # With missing values in every key nearly all classes could be anybody's.
    assert compared > len(rows) / 2 or name.startswith("testdata_NA")


@pytest.mark.parametrize("synthesis", some([None], ["2", None]))
@pytest.mark.slow
def test_the_nearest_synthetic_records_of_each_person(
    paths: list[str], tmp_path: Path, synthesis: str | None
) -> None:
    rows = written(paths, tmp_path / "r.parquet", synthesis=synthesis, gcap=True)
    synthetic = [row for seed in ([3] if synthesis else [2, 3]) for row in rows_of(file(seed))]
    for row, person in zip(rows, rows_of(file(1)), strict=True):
        distances = [sum(each[key] != person[key] for key in KEYS) for each in synthetic]
        near = [
            each
            for each, distance in zip(synthetic, distances, strict=True)
            if distance == min(distances)
        ]
        assert row["radius"] == min(distances)
        for target in TARGETS:
            levels = [each[target] for each in near]
            most = max(map(levels.count, levels))
            modal = {level for level in levels if levels.count(level) == most}
            assert row[f"gcap_{target}"] == pytest.approx(
                levels.count(person[target]) / len(near), rel=1e-15
            )
            assert row[f"gcap_vote_{target}"] == ((person[target] in modal) / len(modal))
    report = sqlrisk.score(paths[0], paths[1:], **SETTINGS, measures=["GCAP", "accuracy_GCAP"])
    found = {
        (r["measure"], r["target"]): r["numerator"]
        for r in report.results
        if r["synthesis"] == (synthesis or "pooled 1-2")
    }
    for target in TARGETS:
        assert found["GCAP", target] == pytest.approx(
            sum(row[f"gcap_{target}"] for row in rows), rel=1e-12
        )
        assert found["accuracy_GCAP", target] == pytest.approx(
            sum(row[f"gcap_vote_{target}"] for row in rows), rel=1e-12
        )
