"""Layouts: reports as the tables of papers, number by number those of `score`."""

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

import sqlrisk
from sqlrisk.report.papers import raab_taub
from tests.analyses.scores.test_populations import file
from tests.cli.test_cli import fails, files  # noqa: F401 - a fixture
from tests.cli.test_cli import sqlrisk as command_line
from tests.report.test_report import report as made
from tests.report.test_report import row

QUESTION: dict[str, Any] = {"keys": ["sex", "town"], "targets": ["income", "ill"]}
EXCLUSIONS: dict[str, Any] = {"exclude_level": {"ill": ["n"]}, "exclude_missing": ["town"]}


def values(report: sqlrisk.Report) -> dict[tuple[Any, ...], Any]:
    """(measure, target, population, synthesis) to value, of the original's people."""
    return {
        (row["measure"], row["target"], row["population"], row["synthesis"]): row["value"]
        for row in report.results
        if row["people"] == "original" and not row["weighted"]
    }


def lines(table: sqlrisk.Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, line, strict=True)) for line in table.rows]


def same(number: object) -> Any:
    return number if number is None else pytest.approx(number, rel=1e-12)


def test_a_table_without_blocks_of_its_own_is_one_grid() -> None:
    report = sqlrisk.score(file(1), file(2), **QUESTION, measures=["DCAP", "max_denom"])
    table = report.table("results")
    page = [line.split() for line in table.to_text(width=250).splitlines()]
    assert page[0] == ["Results"]
    for found in lines(table):
        words = next(words for words in page if words[:1] == [found["measure"]] and found["target"] in words)
        assert f"{found['value']:.4g}" in words
        assert "–" in words  # no method of a single synthesis, no point of DCAP


# ---- raab --------------------------------------------------------------------------------------------------

RAAB = ("Dorig", "DiSCO", "CAPd", "DCAP", "baseCAPd")


def test_raab_has_the_numbers_of_both_runs() -> None:
    table = sqlrisk.tabulate("raab", file(1), file(2), **QUESTION, **EXCLUSIONS)
    plain = values(sqlrisk.score(file(1), file(2), **QUESTION))
    after = values(sqlrisk.score(file(1), file(2), **QUESTION, **EXCLUSIONS))
    assert [(line["target"], line["counted"]) for line in lines(table)] == [
        (None, "all"), (None, "without missing town"),
        *((target, words) for target in sorted(["income", "ill"], key=lambda each: -plain["DiSCO", each, "all", "1"])
          for words in ("all", "without missing town" if target == "income" else "without n; missing town")),
    ]  # fmt: skip
    for line in lines(table):
        source = plain if line["counted"] == "all" else after
        names = ("UiO", "repU") if line["target"] is None else RAAB
        wanted = {name: source[name, line["target"], "all", "1"] for name in names}
        if line["counted"] != "all" and line["target"]:  # over the same people
            wanted["baseCAPd"] = after["baseCAPd_counted", line["target"], "all", "1"]
        assert [line[name] for name in names] == [same(value) for value in wanted.values()]
        assert {line[name] for name in {"UiO", "repU", *RAAB} - {*names}} == {None}
    page = [line.split() for line in table.to_text(width=80).splitlines()]
    place = next(number for number, words in enumerate(page) if words[:1] == ["ill"])
    assert page[place + 1][:4] == ["without", "n;", "missing", "town"]
    assert page[place + 1][5] == f"{after['DiSCO', 'ill', 'all', '1']:.2f}"
    assert plain["DiSCO", "ill", "all", "1"] != after["DiSCO", "ill", "all", "1"]
    assert [run["scenario"]["exclude_missing"] for run in table.runs] == [[], ["town"]]


def test_raab_without_exclusions_is_one_run() -> None:
    table = sqlrisk.tabulate("raab", file(1), file(2), **QUESTION)
    assert len(table.runs) == 1
    assert {line["counted"] for line in lines(table)} == {"all"}
    assert "without" not in table.to_text()


def test_raab_shows_the_mean_of_several_syntheses_by_name() -> None:
    synthetic = {"cart": [file(2), file(3)], "rf": [file(4)]}
    table = sqlrisk.tabulate("raab", file(1), synthetic, **QUESTION)
    assert [line["synthesis"] for line in lines(table)] == ["cart mean", "rf 1"] * 3
    found = values(sqlrisk.score(file(1), synthetic, **QUESTION))
    for line in lines(table):
        if line["target"]:
            assert line["DCAP"] == same(found["DCAP", line["target"], "all", line["synthesis"]])


def test_raab_in_print() -> None:
    results = [
        *(row(name, value) for name, value in (("UiO", 50.0), ("repU", 12.5))),
        *(row(name, value, target=target) for target, numbers in (("low", (1, 2, 3, 4, 5)), ("high", (6, 7.125, None, 9, 10)))
          for name, value in zip(RAAB, (n and float(n) for n in numbers), strict=True)),
    ]  # fmt: skip
    page = raab_taub.raab(made(results)).to_text(width=80)
    words = [line.split() for line in page.splitlines()]
    assert ["original", "synthetic"] in words
    assert ["everybody", "50.00", "12.50"] in words
    assert ["target", "Dorig", "DiSCO", "CAPd", "DCAP", "baseCAPd"] in words
    high, low = (words.index(line) for line in (["high", "6.00", "7.12", "–", "9.00", "10.00"],
                                                ["low", "1.00", "2.00", "3.00", "4.00", "5.00"]))  # fmt: skip
    assert high + 1 == low
    assert max(map(len, page.splitlines())) <= 80


# ---- taub --------------------------------------------------------------------------------------------------


def test_taub_has_the_numbers_of_each_key_set() -> None:
    synthetic = {"cart": [file(2), file(3), file(4)], "rf": [file(5)]}
    sets = [["sex", "town"], ["age"]]
    table = sqlrisk.tabulate("taub", file(1), synthetic, keys=sets, targets=["ill", "income"])
    rows = lines(table)
    blocks = [("original", None), ("baseline", None), ("cart", 1), ("cart", 2), ("cart", 3), ("rf", 1)]
    assert [(line["keys"], line["target"], line["file"], line["m"]) for line in rows] == [
        (keys, target, *block) for keys in ("sex, town", "age") for target in ("ill", "income") for block in blocks
    ]
    found = {
        ", ".join(keys): values(
            sqlrisk.score(file(1), synthetic, keys=keys, targets=["ill", "income"], measures="cap", populations="all,uniques")
        )
        for keys in sets
    }
    for line in rows:
        for population in ("all", "uniques"):
            for measure in ("DCAP", "DCAP_matched"):
                name = {"original": "CAPd", "baseline": "baseCAPd"}.get(line["file"], measure)
                m = line["m"] or 1
                label = "cart 1" if line["m"] is None else f"{line['file']} {m if m == 1 else f'pooled 1-{m}'}"
                wanted = found[line["keys"]][name, line["target"], population, label]
                assert line[f"{population}: {measure}"] == same(wanted), (line, population, measure)


def test_taub_takes_the_populations_that_it_is_given() -> None:
    table = sqlrisk.tabulate("taub", file(1), file(2), keys="sex,town", targets="ill", populations="all", by="region")
    assert [name for name in table.columns if name.endswith(": DCAP")][:2] == ["all: DCAP", "region missing: DCAP"]
    results = [
        row(measure, 10.0 * place + number, target="ill", population=population)
        for place, population in enumerate(("all", "uniques", "special"))
        for number, measure in enumerate(raab_taub.MEASURES["taub"])
    ]
    page = raab_taub.taub([made(results)]).to_text(width=120)
    assert [line.split() for line in page.splitlines()][3:5][0][1::3] == ["all", "uniques", "special"]
    assert ["m", "=", "1", "2.00", "3.00", "12.00", "13.00", "22.00", "23.00"] in [line.split() for line in page.splitlines()]


def test_weights_change_no_layout() -> None:
    alone = sqlrisk.tabulate("taub", file(1), [file(2), file(3)], keys="sex,town", targets="ill")
    more = sqlrisk.tabulate("taub", file(1), [file(2), file(3)], keys="sex,town", targets="ill", weights="weight")
    assert more.columns == alone.columns
    assert more.rows == [tuple(same(each) if isinstance(each, float) else each for each in line) for line in alone.rows]


@pytest.mark.parametrize("layout", ["raab", "taub"])
def test_a_layout_without_people_outside_refuses_them(layout: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=f"the layout '{layout}' has no people outside the synthesis"):
        sqlrisk.tabulate(layout, file(1), [file(2)], keys="sex,town", targets="ill", control=file(4))
    with pytest.raises(sqlrisk.InputError, match=f"the layout '{layout}' has no people outside the synthesis"):
        sqlrisk.tabulate(layout, file(1), [file(2)], keys="town", targets="ill", split="sex", split_in="f")


# ---- every form --------------------------------------------------------------------------------------------


def test_a_layout_in_every_form(tmp_path) -> None:
    table = sqlrisk.tabulate("taub", file(1), [file(2), file(3)], **QUESTION)
    document = json.loads(table.to_json())
    assert list(document) == ["sqlrisk", "assessment", "layout", "runs"]
    assert list(document["layout"]) == ["name", "title", "columns", "rows"]
    assert [tuple(line) for line in document["layout"]["rows"]] == table.rows
    assert document["runs"][0]["original"]["records"] == 150
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [float(each["all: DCAP"]) for each in rows] == [line["all: DCAP"] for line in lines(table)]
    assert "| target | file | all as 0 | all left out |" in table.to_markdown()
    table.to_parquet(tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").column_names == table.columns
    assert len(table.to_pandas()) == len(table) == 8
    assert repr(table) == "<Table taub: 8 rows>"


@pytest.mark.parametrize("layout", ["raab", "taub"])
def test_no_line_is_wider_than_asked_for(layout: str) -> None:
    table = sqlrisk.tabulate(layout, file(1), {"a longer name": [file(2), file(3)], "b": [file(4)]}, **QUESTION, **EXCLUSIONS)
    for width in (60, 80, 140):
        assert max(map(len, table.to_text(width=width).splitlines())) <= width


@pytest.mark.parametrize(
    ("settings", "message"),
    {
        "no layout": ({"layout": "raap"}, "There is no layout 'raap' (did you mean 'raab'?); there are raab, taub, taub4."),
        "measures": ({"layout": "raab", "measures": "DCAP"}, "measures: the layout 'raab' has its own measures"),
        "two sets": ({"layout": "raab", "keys": [["sex"], ["town"]]}, "keys: the layout 'raab' has one set of keys"),
        "no keys": ({"layout": "taub", "keys": None}, "Name the columns that an intruder may know"),
        "no column": ({"layout": "taub", "keys": [["sex"], ["twon"]]}, "no file has a column 'twon' (did you mean 'town'?)"),
        "setting": ({"layout": "taub", "maxcell": 3}, "There is no setting 'maxcell'"),
    }.values(),
)
def test_what_is_wrong_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.tabulate(original=file(1), synthetic=file(2), **{**QUESTION, **settings})
    assert message in str(caught.value)


# ---- the command line --------------------------------------------------------------------------------------


def test_the_command_line_lays_out(files) -> None:  # noqa: F811
    start = ["score", "orig.parquet", "syn.parquet", "syn2.parquet", "--targets", "income"]
    code, out, err = command_line(*start, "--keys", "sex,age", "--keys", "sex", "--layout", "taub", folder=files)
    assert code == 0
    assert err.startswith("Not assessable: Synthesis 2 (syn2.parquet) is a copy of the original: ")
    assert err.count("\n") == 1
    assert out.index("Keys: sex, age") < out.index("Keys: sex ")
    code, out, err = command_line(
        *start, "--keys", "sex", "--keys", "age", "--layout", "raab", "--max-cell", "1", "--format", "json", folder=files
    )
    assert code == 0
    document = json.loads(out)
    assert {row["state"] for row in document["assessment"]} == {"assessable", "not assessable"}
    assert [run["scenario"]["keys"] for run in document["runs"]] == [["sex", "age"], ["sex", "age"]]
    assert document["layout"]["name"] == "raab"
    code, out, err = command_line(*start, "--keys", "sex", "--layout", "taub", "-o", "taub.csv", "-q", folder=files)
    assert (code, out, err) == (0, "", "")
    assert (files / "taub.csv").read_text().startswith("keys,target,file,m,all: DCAP,")


def test_a_scenario_file_is_heard(files) -> None:  # noqa: F811
    (files / "s.toml").write_text(
        'original = "orig.parquet"\nsynthetic = ["syn.parquet"]\nkeys = [["sex"], ["age"]]\ntargets = ["income"]\nmax_cell = 2\n'
    )
    code, out, err = command_line("score", "--scenario", "s.toml", "--layout", "taub", "--format", "json", folder=files)
    assert (code, err) == (0, "")
    assert [run["scenario"]["keys"] for run in json.loads(out)["runs"]] == [["sex"], ["age"]]
    code, out, err = command_line(
        "score", "--scenario", "s.toml", "--layout", "raab", "--keys", "sex", "--format", "json", folder=files
    )
    assert (code, err) == (0, "")
    assert [run["scenario"]["max_cell"] for run in json.loads(out)["runs"]] == [None, 2]


def test_a_layout_is_a_table_of_its_own(files) -> None:  # noqa: F811
    start = ["score", "orig.parquet", "syn.parquet", "--keys", "sex", "--targets", "income", "--layout", "taub"]
    for more in (["--trend"], ["--distributions"], ["--part", "results"]):
        assert "--layout prints a table of its own" in fails(*start, *more, folder=files)
    assert "raab" in fails(*start[:-1], "other", folder=files)
    assert "measures" in fails(*start, "--measures", "DCAP", folder=files)
