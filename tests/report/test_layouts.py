"""Layouts: reports as the tables of papers, number by number those of `score`."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.report.papers import raab_taub, taub_regressions
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
        words = next(
            words for words in page if words[:1] == [found["measure"]] and found["target"] in words
        )
        assert f"{found['value']:.4g}" in words
        assert "–" in words  # no method of a single synthesis, no point of DCAP


# ---- raab
# --------------------------------------------------------------------------------------------------

RAAB = ("Dorig", "DiSCO", "CAPd", "DCAP", "baseCAPd")


def test_raab_has_the_numbers_of_both_runs() -> None:
    table = sqlrisk.tabulate("raab", file(1), file(2), **QUESTION, **EXCLUSIONS)
    plain = values(sqlrisk.score(file(1), file(2), **QUESTION))
    after = values(sqlrisk.score(file(1), file(2), **QUESTION, **EXCLUSIONS))
    assert [(line["target"], line["counted"]) for line in lines(table)] == [
        (None, "all"), (None, "without missing town"),
        *((target, words) for target in sorted(["income", "ill"],
            key=lambda each: -plain["DiSCO", each, "all", "1"])
          for words in ("all", f"without {'' if target == 'income' else 'n; '}missing town")),
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


@pytest.mark.slow
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
        *(row(name, value, target=target) for target,
            numbers in (("low", (1, 2, 3, 4, 5)), ("high", (6, 7.125, None, 9, 10)))
          for name, value in zip(RAAB, (n and float(n) for n in numbers), strict=True)),
    ]  # fmt: skip
    page = raab_taub.raab(made(results)).to_text(width=80)
    words = [line.split() for line in page.splitlines()]
    assert ["original", "synthetic"] in words
    assert ["everybody", "50.00", "12.50"] in words
    assert ["target", "Dorig", "DiSCO", "CAPd", "DCAP", "baseCAPd"] in words
    high, low = (words.index(line) for line in (["high", "6.00", "7.12", "–", "9.00", "10.00"],
                                                ["low", "1.00", "2.00", "3.00", "4.00",
                                                    "5.00"]))  # fmt: skip
    assert high + 1 == low
    assert max(map(len, page.splitlines())) <= 80


# ---- raab, tables 2 and 3
# ----------------------------------------------------------------------------------

SCENARIOS: dict[str, dict[str, Any]] = {
    "everybody": {"keys": ["sex", "town"], "targets": ["income", "ill"]},
    "no n": {
        "keys": ["sex", "town"],
        "targets": ["income", "ill"],
        "exclude_level": {"ill": ["n"]},
    },
    "few keys": {"keys": ["sex"], "targets": ["ill"], "max_cell": 20},
}


@pytest.mark.slow
def test_raab2_puts_scenarios_side_by_side(tmp_path) -> None:
    names = [str(tmp_path / f"{seed}.parquet") for seed in (1, 2, 3)]
    for seed, name in enumerate(names, start=1):
        pq.write_table(file(seed), name)
    said = [f"original = '{names[0]}'\nsynthetic = ['{names[1]}', '{names[2]}']"]
    for name, settings in SCENARIOS.items():
        said += [
            f"[scenario.'{name}']",
            *(f"{key} = {toml(value)}" for key, value in settings.items()),
        ]
    (tmp_path / "s.toml").write_text("\n".join(said))
    found = {
        name: values(sqlrisk.score(names[0], names[1:], **settings))
        for name, settings in SCENARIOS.items()
    }
    table = sqlrisk.tabulate("raab2", scenario=str(tmp_path / "s.toml"))
    assert table.columns == ["target", "file", "measure", "synthesis", *SCENARIOS]
    first = found["everybody"]
    targets = sorted(["income", "ill"], key=lambda each: -first["DiSCO", each, "all", "mean"])
    of_target = [
        ("original", "Dorig"),
        ("synthetic", "DiSCO"),
        ("original", "CAPd"),
        ("synthetic", "DCAP"),
        ("baseline", "baseCAPd"),
    ]
    assert [(line["target"], line["file"], line["measure"]) for line in lines(table)] == [
        (None, "original", "UiO"), (None, "synthetic", "repU"),
        *((target, *each) for target in targets for each in of_target)
    ]  # fmt: skip
    for line in lines(table):
        assert line["synthesis"] == "mean"
        for name in SCENARIOS:
            counted = line["measure"] == "baseCAPd" and name != "everybody"
            place = (
                "baseCAPd_counted" if counted else line["measure"],
                line["target"],
                "all",
                "mean",
            )
            assert line[name] == same(found[name].get(place)), (line, name)
    page = [line.split() for line in table.to_text(width=100).splitlines()]
    assert ["target", "file", "measure", "everybody", "no", "n", "few", "keys"] in page
    assert ["no", "n", "sex,", "town", "income,", "ill", "ill", "is", "n"][:4] in [
        words[:4] for words in page
    ]
    income = next(words for words in page if words[:3] == ["income", "original", "Dorig"])
    assert income[3:] == [
        f"{found[name]['Dorig', 'income', 'all', 'mean']:.2f}" for name in ("everybody", "no n")
    ] + ["–"]
    assert [run["scenario"]["max_cell"] for run in table.runs] == [None, None, 20]
    code, out, err = command_line(
        "score", "--scenario", "s.toml", "--layout", "raab2", "--format", "csv", folder=tmp_path
    )
    assert (code, out, err) == (0, table.to_csv(), "")
    for more in (["--scenario", "s.toml#no n"], ["s.toml", "--keys", "sex"]):
        assert "raab2 puts scenarios side by side: give a file of several" in fails(
            "score", *more, "--layout", "raab2", folder=tmp_path
        )
    assert "--layout (except raab2)" in fails(
        "score", "--scenario", "s.toml", "--layout", "raab", folder=tmp_path
    )
    assert "the layout 'raab2' has no people outside the synthesis" in fails(
        "score", "--scenario", "s.toml", "--layout", "raab2", "--control", names[2], folder=tmp_path
    )


def toml(value: object) -> str:
    """A setting as TOML; JSON's lists, numbers and texts are TOML's."""
    pairs = (
        [f"{name} = {json.dumps(each)}" for name, each in value.items()]
        if isinstance(value, dict)
        else None
    )
    return json.dumps(value) if pairs is None else f"{{ {', '.join(pairs)} }}"


@pytest.mark.slow
def test_raab3_has_people_in_the_synthesis_and_outside() -> None:
    table = sqlrisk.tabulate(
        "raab3", file(1), [file(2), file(3)], control=file(4), **QUESTION, **EXCLUSIONS
    )
    plain, after = (
        sqlrisk.score(file(1), [file(2), file(3)], control=file(4), **QUESTION, **more).differences
        for more in ({}, EXCLUSIONS)
    )
    assert {(line["target"], line["counted"]) for line in lines(table)} == {
        ("income", "all"), ("income", "without missing town"), ("ill", "all"),
        ("ill", "without n; missing town"),
    }  # fmt: skip
    for line in lines(table):
        rows = {
            (row["measure"], row["target"], row["synthesis"]): row
            for row in (plain if line["counted"] == "all" else after)
        }
        assert line["synthesis"] == "pooled 1-2"
        for measure in ("DiSCO", "DCAP"):
            row = rows[measure, line["target"], "pooled 1-2"]
            told = [line[f"{measure}_{side}"] for side in ("All", "Train", "Ctrl", "R")]
            assert told == [
                None,
                *(same(row[side]) for side in ("original", "control", "adjusted")),
            ]
    page = [line.split() for line in table.to_text().splitlines()]
    assert ["target", "Train", "Ctrl", "R", "Train", "Ctrl", "R"] in page
    assert "If a name has several syntheses, they are pooled." in " ".join(table.to_text().split())


@pytest.mark.slow
def test_raab3_tells_everybody_where_a_synthesis_is_of_everybody() -> None:
    halves: dict[str, Any] = {**QUESTION, "split": "half", "split_in": "in"}
    people = file(1).append_column("half", [["in", "out"] * 75])
    whole, half = file(3), file(2)
    table = sqlrisk.tabulate("raab3", people, {"all": [whole], "train": [half]}, **halves)
    everybody = values(sqlrisk.score(people, whole, **QUESTION))
    inside = values(sqlrisk.score(people, half, **halves))
    assert len(table.runs) == 2
    for line in lines(table):
        for measure in ("DiSCO", "DCAP"):
            assert line[f"{measure}_All"] == same(everybody[measure, line["target"], "all", "1"])
            assert line[f"{measure}_Train"] == same(inside[measure, line["target"], "all", "1"])
    assert ["target", "All", "Train", "Ctrl", "R", "All", "Train", "Ctrl", "R"] in map(
        str.split, table.to_text().splitlines()
    )
    for syntheses, more in (
        ({"all": [whole]}, halves),
        ({"all": [whole], "train": [half]}, {**QUESTION, "control": file(4)}),
    ):
        with pytest.raises(sqlrisk.InputError, match="the synthesis named all is of all people"):
            sqlrisk.tabulate("raab3", people, syntheses, **more)
    with pytest.raises(
        sqlrisk.InputError, match=r"raab3 compares people in the synthesis with .* --control FILE"
    ):
        sqlrisk.tabulate("raab3", file(1), file(2), **QUESTION)


# ---- taub
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_taub_has_the_numbers_of_each_key_set() -> None:
    synthetic = {"cart": [file(2), file(3), file(4)], "rf": [file(5)]}
    sets = [["sex", "town"], ["age"]]
    table = sqlrisk.tabulate("taub", file(1), synthetic, keys=sets, targets=["ill", "income"])
    rows = lines(table)
    blocks = [
        ("original", None),
        ("baseline", None),
        ("cart", 1),
        ("cart", 2),
        ("cart", 3),
        ("rf", 1),
    ]
    assert [(line["keys"], line["target"], line["file"], line["m"]) for line in rows] == [
        (keys, target, *block)
        for keys in ("sex, town", "age")
        for target in ("ill", "income")
        for block in blocks
    ]
    found = {
        ", ".join(keys): values(
            sqlrisk.score(
                file(1),
                synthetic,
                keys=keys,
                targets=["ill", "income"],
                measures="cap",
                populations="all,uniques",
            )
        )
        for keys in sets
    }
    for line in rows:
        for population in ("all", "uniques"):
            for measure in ("DCAP", "DCAP_matched"):
                name = {"original": "CAPd", "baseline": "baseCAPd"}.get(line["file"], measure)
                m = line["m"] or 1
                label = (
                    "cart 1"
                    if line["m"] is None
                    else f"{line['file']} {m if m == 1 else f'pooled 1-{m}'}"
                )
                wanted = found[line["keys"]][name, line["target"], population, label]
                assert line[f"{population}: {measure}"] == same(wanted), (line, population, measure)


def test_taub_takes_the_populations_that_it_is_given() -> None:
    table = sqlrisk.tabulate(
        "taub", file(1), file(2), keys="sex,town", targets="ill", populations="all", by="region"
    )
    assert [name for name in table.columns if name.endswith(": DCAP")][:2] == [
        "all: DCAP",
        "region missing: DCAP",
    ]
    results = [
        row(measure, 10.0 * place + number, target="ill", population=population)
        for place, population in enumerate(("all", "uniques", "special"))
        for number, measure in enumerate(raab_taub.MEASURES["taub"])
    ]
    page = raab_taub.taub([made(results)]).to_text(width=120)
    assert [line.split() for line in page.splitlines()][3:5][0][1::3] == [
        "all",
        "uniques",
        "special",
    ]
    assert ["m", "=", "1", "2.00", "3.00", "12.00", "13.00", "22.00", "23.00"] in [
        line.split() for line in page.splitlines()
    ]


@pytest.mark.slow
def test_weights_change_no_layout() -> None:
    alone = sqlrisk.tabulate("taub", file(1), [file(2), file(3)], keys="sex,town", targets="ill")
    more = sqlrisk.tabulate(
        "taub", file(1), [file(2), file(3)], keys="sex,town", targets="ill", weights="weight"
    )
    assert more.columns == alone.columns
    assert more.rows == [
        tuple(same(each) if isinstance(each, float) else each for each in line)
        for line in alone.rows
    ]


@pytest.mark.slow
def test_taub2_has_the_line_of_each_population_and_rule() -> None:
    """The numbers are those of --trend; stars by p, errors below, a table for each name of
    syntheses.
    """
    synthetic = {
        "cart": [file(2), file(3), file(4)],
        "rf": [file(seed) for seed in (5, 6, 7, 8)],
        "one": [file(9)],
    }
    sets = [["sex", "town"], ["age"]]
    table = sqlrisk.tabulate(
        "taub2", file(1), synthetic, keys=sets, targets=["ill", "income"], weights="weight"
    )
    rows, known = lines(table), set()
    for keys in sets:
        asked: dict[str, Any] = {
            "keys": keys,
            "targets": ["ill", "income"],
            "weights": "weight",
            "trend": True,
        }
        report = sqlrisk.score(
            file(1),
            synthetic,
            **asked,
            populations="all,uniques,special",
            measures="DCAP,DCAP_matched",
        )
        for each in report.trends:
            if not each["weighted"]:
                known.add(tuple({**each, "keys": ", ".join(keys)}[name] for name in table.columns))
    assert {tuple(line.values()) for line in rows} == known
    # key sets, targets, names, populations (nobody is special), rules
    assert len(known) == len(rows) == 2 * 2 * 3 * 2 * 2
    assert {line["slope"] for line in rows if line["method"] == "one"} == {None}
    assert table.to_text(width=100).count("; synthesis: rf") == 4


def test_taub2_marks_p_by_stars_and_prints_errors_below() -> None:
    line = {
        "measure": "DCAP", "at": None, "target": "ill", "method": None, "population": "all",
        "people": "original",
        "weighted": False, "points": 3, "intercept": 36.613, "intercept_error": 0.58,
        "intercept_t": 63.0, "intercept_p": 0.0009,
        "slope": 1.1776, "slope_error": 0.0934, "t": 12.6, "df": 1, "p": 0.009,
        "note": "p is descriptive.",
    }  # fmt: skip
    left_out = {
        "measure": "DCAP_matched",
        "intercept_p": None,
        "slope": 0.0,
        "slope_error": 0.0,
        "p": 0.05,
    }
    of_uniques = {"population": "uniques", "intercept_p": 0.001, "p": 0.0499, "slope": -2.0}
    nobody = dict.fromkeys(
        ("intercept", "intercept_error", "slope", "slope_error", "p", "intercept_p")
    )
    trends = [
        line,
        line | left_out,
        line | of_uniques,
        line | of_uniques | {"measure": "DCAP_matched"} | nobody,
    ]
    control = line | {"people": "control", "slope": 99.0}
    found = made([row("DCAP", 1.0, target="ill")])
    table = taub_regressions.regressions(
        [replace(found, trends=[*trends, control, line | {"weighted": True, "slope": 99.0}])]
    )
    page = [
        words
        for words in (words.split() for words in table.to_text(width=80).splitlines())
        if words
    ]
    start = page.index(["intercept", "36.613***", "36.613", "36.613**", "–"])
    assert page[start + 1 : start + 4] == [
        ["(0.580)", "(0.580)", "(0.580)"],
        ["m", "1.178**", "0.000", "-2.000*", "–"],
        ["(0.093)", "(0.000)", "(0.093)"],
    ]
    assert "99" not in table.to_text()


@pytest.mark.slow
def test_taub2_needs_three_syntheses() -> None:
    with pytest.raises(
        sqlrisk.InputError, match=r"taub2 draws a line .* for which three are needed"
    ):
        sqlrisk.tabulate("taub2", file(1), [file(2), file(3)], **QUESTION)


@pytest.mark.parametrize("layout", ["raab", "taub"])
def test_a_layout_without_people_outside_refuses_them(layout: str) -> None:
    with pytest.raises(
        sqlrisk.InputError, match=f"the layout '{layout}' has no people outside the synthesis"
    ):
        sqlrisk.tabulate(
            layout, file(1), [file(2)], keys="sex,town", targets="ill", control=file(4)
        )
    with pytest.raises(
        sqlrisk.InputError, match=f"the layout '{layout}' has no people outside the synthesis"
    ):
        sqlrisk.tabulate(
            layout, file(1), [file(2)], keys="town", targets="ill", split="sex", split_in="f"
        )


# ---- every form
# --------------------------------------------------------------------------------------------


def test_a_layout_in_every_form(tmp_path) -> None:
    table = sqlrisk.tabulate("taub", file(1), [file(2), file(3)], **QUESTION)
    document = json.loads(table.to_json())
    assert list(document) == ["sqlrisk", "schema", "assessment", "layout", "runs"]
    assert list(document["layout"]) == ["name", "title", "columns", "rows"]
    assert [tuple(line) for line in document["layout"]["rows"]] == table.rows
    assert document["runs"][0]["original"]["records"] == 150
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [float(each["all: DCAP"]) for each in rows] == [
        line["all: DCAP"] for line in lines(table)
    ]
    assert "| target | file | all as 0 | all left out |" in table.to_markdown()
    table.to_parquet(tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").column_names == table.columns
    assert len(table.to_pandas()) == len(table) == 8
    assert repr(table).startswith("<Table taub: 8 rows>\n")


@pytest.mark.parametrize("layout", few(["raab", "taub"], 2))
def test_no_line_is_wider_than_asked_for(layout: str) -> None:
    table = sqlrisk.tabulate(
        layout,
        file(1),
        {"a longer name": [file(2), file(3)], "b": [file(4)]},
        **QUESTION,
        **EXCLUSIONS,
    )
    for width in (60, 80, 140):
        assert max(map(len, table.to_text(width=width).splitlines())) <= width


@pytest.mark.parametrize(
    ("settings", "message"),
    {
        "no layout": (
            {"layout": "raap"},
            (
                "(did you mean 'raab' or 'raab3' or 'raab2'?); there are raab, raab2, raab3, taub, "
                "taub2, taub4."
            ),
        ),
        "measures": (
            {"layout": "raab", "measures": "DCAP"},
            "measures: the layout 'raab' has its own measures",
        ),
        "two sets": (
            {"layout": "raab", "keys": [["sex"], ["town"]]},
            "keys: the layout 'raab' has one set of keys",
        ),
        "no keys": ({"layout": "taub", "keys": None}, "Name the columns that an intruder may know"),
        "no column": (
            {"layout": "taub", "keys": [["sex"], ["twon"]]},
            "no file has a column 'twon' (did you mean 'town'?)",
        ),
        "setting": ({"layout": "taub", "maxcell": 3}, "There is no setting 'maxcell'"),
    }.values(),
)
def test_what_is_wrong_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.tabulate(original=file(1), synthetic=file(2), **{**QUESTION, **settings})
    assert message in str(caught.value)


# ---- the command line
# --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_line_lays_out(files) -> None:  # noqa: F811
    start = ["score", "orig.parquet", "syn.parquet", "syn2.parquet", "--targets", "income"]
    sets = ["--key-set", "sex,age", "--key-set", "sex"]
    code, out, err = command_line(*start, *sets, "--layout", "taub", folder=files)
    assert code == 0
    assert err.startswith("Not assessable: Synthesis 2 (syn2.parquet) is a copy of the original: ")
    assert err.count("\n") == 1
    assert out.index("Keys: sex, age") < out.index("Keys: sex ")
    _, former, err = command_line(
        *start,
        *["--keys" if each == "--key-set" else each for each in sets],
        "--layout",
        "taub",
        folder=files,
    )
    assert former == out
    assert err.startswith(
        "Each --keys is a set of keys of its own here. Write --key-set for each: in the next "
        "version several --keys are one set, as without --layout.\n"
    )
    for wrong in (
        [*sets, "--layout", "raab", "--keys", "sex"],
        sets,
        [*sets, "--layout", "taub", "--keys", "sex"],
    ):
        assert (
            "--key-set needs --layout taub or taub2"
            in command_line(*start, *wrong, folder=files)[2]
        )
    code, out, err = command_line(
        *start,
        "--keys",
        "sex",
        "--keys",
        "age",
        "--layout",
        "raab",
        "--max-cell",
        "1",
        "--format",
        "json",
        folder=files,
    )
    assert code == 0
    document = json.loads(out)
    assert {row["state"] for row in document["assessment"]} == {"assessable", "not assessable"}
    assert [run["scenario"]["keys"] for run in document["runs"]] == [["sex", "age"], ["sex", "age"]]
    assert document["layout"]["name"] == "raab"
    code, out, err = command_line(
        *start, "--keys", "sex", "--layout", "taub", "-o", "taub.csv", "-q", folder=files
    )
    assert (code, out, err) == (0, "", "")
    assert (files / "taub.csv").read_text().startswith("keys,target,file,m,all: DCAP,")


@pytest.mark.slow
def test_a_scenario_file_is_heard(files) -> None:  # noqa: F811
    (files / "s.toml").write_text(
        'original = "orig.parquet"\nsynthetic = ["syn.parquet"]\nkeys = [["sex"], '
        '["age"]]\ntargets = ["income"]\nmax_cell = 2\n'
    )
    code, out, err = command_line(
        "score", "--scenario", "s.toml", "--layout", "taub", "--format", "json", folder=files
    )
    assert (code, err) == (0, "")
    assert [run["scenario"]["keys"] for run in json.loads(out)["runs"]] == [["sex"], ["age"]]
    code, out, err = command_line(
        "score",
        "--scenario",
        "s.toml",
        "--layout",
        "raab",
        "--keys",
        "sex",
        "--format",
        "json",
        folder=files,
    )
    assert (code, err) == (0, "")
    assert [run["scenario"]["max_cell"] for run in json.loads(out)["runs"]] == [None, 2]


def test_a_layout_is_a_table_of_its_own(files) -> None:  # noqa: F811
    start = [
        "score",
        "orig.parquet",
        "syn.parquet",
        "--keys",
        "sex",
        "--targets",
        "income",
        "--layout",
        "taub",
    ]
    for more in (["--trend"], ["--distributions"], ["--part", "results"]):
        assert "--layout prints its own table" in fails(*start, *more, folder=files)
    assert "raab" in fails(*start[:-1], "other", folder=files)
    assert "measures" in fails(*start, "--measures", "DCAP", folder=files)
