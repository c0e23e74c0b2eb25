"""A statistician's own measure is one SQL file in a folder: no Python. What is wrong in such a file
is said clearly.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sqlrisk
from sqlrisk.catalogue import families
from sqlrisk.catalogue.measures import catalog
from sqlrisk.report.decision.page_one import decide_on
from sqlrisk.report.html import charts, result_charts

ORIGINAL = pa.table(
    {"sex": ["f", "f", "m", "m", "m"], "age": [1, 1, 1, 2, 3], "ill": ["y", "y", "n", "n", "y"]}
)
SYNTHETIC = pa.table(
    {"sex": ["f", "m", "m", "m"], "age": [1, 1, 2, 2], "ill": ["y", "y", "n", "y"]}
)
SCENARIO: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"]}
FILE = """/*---
name    = "Wrong-guess"
title   = "Disclosive in synthetic, wrong in original"
formula = "100 * sum of d_tq in classes that are disclosive at another level / N_d"
source  = "ours"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more people wrongly exposed"
order   = 1
says    = "Of {denominator} people, {numerator} ({value} %) would have a wrong {target} by {keys}."
raises  = "Small synthetic classes."
do      = "Warn of wrong guesses."
risky   = "n_syn = 0 AND n_syn_class = 1 AND n_orig > 0"
---*/
SELECT
    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the one file."""
    (tmp_path / "wrong_guess.sql").write_text(FILE, encoding="utf-8")
    return tmp_path


def test_one_file_is_a_measure(folder: Path) -> None:
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=["Wrong-guess"], measures_from=str(folder)
    )
    (row,) = report.results
    # The man of 1 is the only one of five whose single synthetic twin has another level.
    assert (row["measure"], row["family"], row["target"], row["synthesis"]) == (
        "Wrong-guess",
        "own",
        "ill",
        "1",
    )
    assert (row["numerator"], row["denominator"], row["value"]) == (1, 5, 20.0)
    assert row["unit"] == "percent of original records"


def test_a_file_that_was_edited_is_read_again(folder: Path) -> None:
    how: dict[str, Any] = {**SCENARIO, "measures": ["Wrong-guess"], "measures_from": str(folder)}
    before = sqlrisk.score(ORIGINAL, SYNTHETIC, **how)
    (folder / "wrong_guess.sql").write_text(
        FILE.replace("n_syn = 0 AND", "n_syn >= 0 AND"), encoding="utf-8"
    )
    after = sqlrisk.score(ORIGINAL, SYNTHETIC, **how)
    # The women of 1 have one synthetic twin, the man of 1 has another.
    assert [before.value("Wrong-guess"), after.value("Wrong-guess")] == [20.0, 60.0]
    assert "n_syn >= 0 AND" in after["Wrong-guess"].sql


def shown_by(folder: Path, **keys: str) -> None:
    """Gives the one measure keys that say how it is shown."""
    lines = "".join(f"{key} = {text}\n" for key, text in keys.items())
    (folder / "wrong_guess.sql").write_text(
        FILE.replace("raises ", f"{lines}raises "), encoding="utf-8"
    )


def test_a_column_stands_below_the_side_that_its_header_names(folder: Path) -> None:
    shown_by(folder, above='"synthetic"')
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=["Wrong-guess"], measures_from=str(folder)
    )
    assert re.search(r"synthetic *\n *(Wrong-\n)? *target +(Wrong-)?guess *\n", report.to_text())


LEADING = {
    "headline": '"certain"',
    "of_original": '"Dorig"',
    "criterion": '"inference"',
    "finding": '"Wrong: {target}"',
    "finding_figures": '["arrows"]',
    "keep": "1",
}


def test_a_measure_of_ones_own_leads_a_report(folder: Path) -> None:
    shown_by(folder, **LEADING)
    names = ["Wrong-guess", "Dorig"]
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=names, measures_from=str(folder), listings=True
    )
    text, page = report.to_text(), report.to_html()
    assert re.search(
        r"• Wrong: ill: Of 5 people, 1 \(20\.00 %\) would have a wrong ill", " ".join(text.split())
    )
    # Each combination of sex and age has one level in the original.
    assert "Publishing the original would reveal it for 100.00 % of all people." in " ".join(
        text.split()
    )
    assert [listing.measure for listing in report.listings] == ["Wrong-guess"]
    assert [each.name for each in charts.figures(report)] == [
        "arrows Dorig 1",
        "slopes Wrong-guess ill",
    ]
    assert re.search(r'<th scope="row" class="short">Inference</th>', page)
    assert decide_on(report).findings[0].title == "Wrong: ill"


@pytest.mark.slow
def test_a_measure_of_ones_own_is_drawn_beside_ours(tmp_path: Path) -> None:
    (tmp_path / "sure.sql").write_text(
        catalog()["CAP_at_least"].sql.replace('"CAP_at_least"', '"sure"'), encoding="utf-8"
    )
    names = ["CAP_at_least", "sure"]
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=names, measures_from=str(tmp_path)
    )
    ours, own = charts.figures(report)
    assert (ours.name, own.name) == ("curves ill", "curves ill sure")
    assert own.words == ours.words.replace("CAP_at_least", "sure")


@pytest.mark.slow
def test_a_sweep_draws_a_measure_of_ones_own(folder: Path) -> None:
    shown_by(folder, **LEADING)
    found = sqlrisk.sweep(
        ORIGINAL,
        SYNTHETIC,
        **SCENARIO,
        measures=["Wrong-guess", "Dorig"],
        measures_from=str(folder),
    )
    assert found.sort == "Wrong-guess"
    assert [each.title for each in result_charts.by_length(found)] == [
        "Dorig, ill",
        "Dorig and Wrong-guess, ill",
    ]


FAMILY = """title   = "Harm: who would be taken for somebody else"
limits  = "Who would believe it."
figures = ["sizes"]
"""


def of_a_family(folder: Path, said: str) -> sqlrisk.Report:
    """A report of the one measure in a family ``harm``, of which its file says this."""
    (folder / "harm").mkdir()
    (folder / "harm" / "wrong_guess.sql").write_text(FILE, encoding="utf-8")
    (folder / "harm" / "family.toml").write_text(said, encoding="utf-8")
    return sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=["harm"], measures_from=str(folder)
    )


def test_a_family_of_ones_own_has_a_title_and_limits(tmp_path: Path) -> None:
    report = of_a_family(tmp_path, FAMILY)
    assert "Harm: who would be taken for somebody else" in report.to_text()
    assert "Limits: Who would believe it." in report.to_html()
    assert report.external().family("harm").figures == ("sizes",)
    names = [Path(path).name for each in inputs_of(report) for path in each]
    assert names == ["family.toml", "wrong_guess.sql"]


def inputs_of(report: sqlrisk.Report) -> list[list[str]]:
    """The files of each folder of measures that the manifest of a report names."""
    trail: Any = report.trail
    return [[*each.paths] for each in trail.inputs if each.role == "measures"]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (FAMILY.replace("limits ", "limit "), "harm/family.toml: it lacks 'limits'."),
        (
            FAMILY.replace("limits ", "limit "),
            "harm/family.toml: unknown key 'limit' (did you mean 'limits'?).",
        ),
        (
            FAMILY.replace("sizes", "size"),
            "harm/family.toml: there is no figure 'size' (did you mean 'sizes'?).",
        ),
        (
            FAMILY.replace("title   = ", "title   = 1 # "),
            "harm/family.toml: 'title' must be a str.",
        ),
    ],
)
def test_a_defect_of_a_family_is_one_clear_message(said: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(sqlrisk.InputError) as raised:
        of_a_family(tmp_path, said)
    assert problem in raised.value.problems


def test_a_family_that_is_shipped_is_described_once(tmp_path: Path) -> None:
    (tmp_path / "cap").mkdir()
    (tmp_path / "cap" / "wrong_guess.sql").write_text(FILE, encoding="utf-8")
    (tmp_path / "cap" / "family.toml").write_text(FAMILY, encoding="utf-8")
    with pytest.raises(
        sqlrisk.InputError, match=r"cap/family\.toml: the family 'cap' comes with sqlrisk"
    ):
        sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(tmp_path))


def test_each_shipped_family_is_described() -> None:
    described = families.shipped()
    assert [*described] == [*catalog().families]
    assert sorted(each.section for each in described.values()) == [*range(1, len(described) + 1)]
    assert all(each.limits != families.OWN_LIMITS for each in described.values())
    assert tuple(charts.FIGURES) == families.FIGURES
    assert {name for each in catalog() for name in each.shown.get("figures", ())} == {
        *families.OF_MEASURES
    }


def test_it_comes_with_the_others_when_none_is_named(folder: Path) -> None:
    report = sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(folder))
    names = list(dict.fromkeys(row["measure"] for row in report.results))
    assert names[-1] == "Wrong-guess"
    assert "DiSCO" in names
    assert report.scenario["measures"] == ["identity", "attribute", "cap", "own"]


def test_its_cells_are_listed(folder: Path) -> None:
    listing = sqlrisk.cells(
        "Wrong-guess", ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(folder)
    )
    assert [dict(zip(listing.columns, row, strict=True)) for row in listing.rows] == [
        {
            "sex": "m",
            "age": 1,
            "target": "ill",
            "level": "n",
            "n_orig": 1,
            "n_syn": 0,
            "n_orig_class": 1,
            "n_syn_class": 1,
        }
    ]


def test_its_sql_is_printed(folder: Path) -> None:
    assert "another level" in sqlrisk.sql("Wrong-guess", one=True, measures_from=str(folder))
    assert "wrong_guess_numerator" in sqlrisk.sql(
        "Wrong-guess", **SCENARIO, measures_from=str(folder)
    )


def test_the_command_line_takes_the_folder(folder: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(ORIGINAL, folder / "original.parquet")
    pq.write_table(SYNTHETIC, folder / "synthetic.parquet")
    command = (
        "-m sqlrisk score original.parquet synthetic.parquet --keys sex,age --targets ill "
        "--measures Wrong-guess"
    )
    arguments = [sys.executable, *command.split(), "--measures-from", ".", "--format", "csv"]
    done = subprocess.run(
        arguments,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(sqlrisk.__file__).parents[1])},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^Wrong-guess,own,.*,1,5,20\.0,", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_a_folder_of_folders_is_one_family_each(tmp_path: Path) -> None:
    (tmp_path / "harm").mkdir()
    (tmp_path / "harm" / "wrong_guess.sql").write_text(FILE, encoding="utf-8")
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=["harm"], measures_from=str(tmp_path)
    )
    assert {(row["family"], row["value"]) for row in report.results} == {("harm", 20.0)}


@pytest.mark.slow
def test_measures_over_classes_and_of_others(tmp_path: Path) -> None:
    classes = FILE.replace("Wrong-guess", "Rare").replace("{{ cells }}", "{{ classes }}")
    classes = re.sub('risky   = ".*"', 'risky   = "n_orig < 3 AND n_syn > 0"', classes)
    (tmp_path / "rare.sql").write_text(classes, encoding="utf-8")
    other = re.sub(
        "\nrisky .*",
        "",
        FILE.replace("Wrong-guess", "Gain").replace("proportion of people", "made of measures"),
    )
    other = other.partition("SELECT")[0] + (
        "SELECT\n    {{ DCAP }} - {{ baseCAPd }} AS numerator,\n    100 AS denominator\nFROM {{ "
        "results }}\n"
    )
    (tmp_path / "gain.sql").write_text(other, encoding="utf-8")
    names = ["Rare", "Gain", "DCAP", "baseCAPd"]
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=names, measures_from=str(tmp_path)
    )
    rows: dict[object, Any] = {row["measure"]: row for row in report.results}
    assert (rows["Rare"]["numerator"], rows["Rare"]["denominator"], rows["Rare"]["target"]) == (
        4,
        5,
        None,
    )
    assert rows["Gain"]["value"] == pytest.approx(
        rows["DCAP"]["value"] - rows["baseCAPd"]["value"], rel=1e-12
    )


@pytest.mark.slow
def test_measures_over_profiles(tmp_path: Path) -> None:
    """Women of 1: y twice, one level; men of 1: n; men of 2: n; men of 3: y."""
    head = re.sub("\nrisky .*", "", FILE).partition("SELECT")[0]
    head = head.replace('scale   = "percent"', 'scale   = "count"').replace(
        "proportion of people", "ties of the least count"
    )
    levels = head.replace("ties of the least count", "extreme count")
    levels = levels.replace("raises ", 'reads   = ["spread"]\ntheme   = "spread"\nraises ')
    largest = "SELECT\n    MAX(n_levels_orig) AS value\nFROM {{ profiles }}\n"
    (tmp_path / "most_levels.sql").write_text(
        levels.replace("Wrong-guess", "most_levels") + largest, encoding="utf-8"
    )
    ties = (
        "SELECT\n    MIN(n_orig) AS least,\n    SUM(CASE WHEN n_orig = 1 THEN 1 ELSE 0 END) AS "
        "value\nFROM {{ profiles }}\n"
    )
    (tmp_path / "smallest.sql").write_text(
        head.replace("Wrong-guess", "smallest") + ties, encoding="utf-8"
    )
    report = sqlrisk.score(
        ORIGINAL, SYNTHETIC, **SCENARIO, measures=["own"], measures_from=str(tmp_path)
    )
    assert {row["measure"]: row["value"] for row in report.results} == {
        "most_levels": 1,
        "smallest": 3,
    }


NUMERATOR = "    SUM(CASE WHEN {{ risky }} THEN counted_orig ELSE 0 END) AS numerator,\n"
DEFECTS: dict[str, tuple[Callable[[str], str], str]] = {
    "no header": (lambda text: text.partition("---*/\n")[2], "header between"),
    "bad TOML": (lambda text: text.replace('"ours"', "ours"), "not TOML"),
    "unknown key": (
        lambda text: text.replace("order ", 'hihger = "x"\norder '),
        "'hihger' (did you mean 'higher'",
    ),
    "no title": (lambda text: re.sub("title .*\n", "", text), "lacks 'title'"),
    "a number for a text": (lambda text: text.replace('"ours"', "7"), "'source' must be"),
    "a text for a number": (lambda text: text.replace("= 1\n", '= "1"\n'), "'order' must be"),
    "unknown scale": (lambda text: text.replace('"percent"', '"permille"'), "'permille'"),
    "name of another file": (
        lambda text: text.replace("Wrong-guess", "Right-guess"),
        "right_guess.sql",
    ),
    "unknown name in braces": (
        lambda text: text.replace("{{ risky }}", "{{ riksy }}"),
        "{{ riksy }}",
    ),
    "no risky condition": (lambda text: re.sub("\nrisky .*", "", text), "{{ risky }}"),
    "no numerator": (lambda text: text.replace(NUMERATOR, ""), "AS numerator"),
    "no stage": (lambda text: text.replace("{{ cells }}", "cells"), "FROM {{ stage }}"),
    "unknown stage": (lambda text: text.replace("{{ cells }}", "{{ cell }}"), "'cell'"),
    "a measure of none": (
        lambda text: (
            text.replace("{{ cells }}", "{{ results }}")
            .replace("{{ risky }}", "{{ DISCO }} > 1")
            .replace("proportion of people", "made of measures")
        ),
        "{{ DISCO }}",
    ),
    "a setting of points that there is not": (
        lambda text: text.replace("order ", 'at_setting = "class_size"\norder '),
        "'class_size' is not one of class_sizes",
    ),
    "a condition over profiles": (
        lambda text: text.replace("{{ cells }}", "{{ profiles }}"),
        "'risky' is a condition on cells",
    ),
    "the least over cells": (
        lambda text: text.replace("order ", 'least = "counted_low"\norder '),
        "'least' must be one of counted_low, share_low, and only measures over profiles have it",
    ),
    "an average": (
        lambda text: text.replace("    SUM(CASE", "    AVG(CASE"),
        "only those add up over parts of the data",
    ),
    "no kind": (
        lambda text: re.sub("kind .*\n", "", text),
        "lacks 'kind'",
    ),
    "columns that it does not say it reads": (
        lambda text: text.replace("SUM(people)", "SUM(people * share_others)"),
        (
            "its SQL reads share_others, a column made only for measures that declare it: add "
            "'others' to 'reads'"
        ),
    ),
    "a group of columns that there is not": (
        lambda text: text.replace("order ", 'reads = ["levels"]\norder '),
        "reads: 'levels' is not one of spread, closeness, others, draws, each file",
    ),
    "a theme that it does not say": (
        lambda text: text.replace("SUM(people)", "SUM(people * share_level)"),
        (
            "its SQL reads facts about a person, which the audit of external reports must know: "
            "say theme = 'levels'"
        ),
    ),
    "a kind that there is not": (
        lambda text: text.replace('"proportion of people"', '"proportion of peple"'),
        "'proportion of peple' is not one of proportion of people, ",
    ),
    "a kind of another form": (
        lambda text: text.replace('"proportion of people"', '"extreme count"'),
        "a measure of the kind 'extreme count' has value, not numerator and denominator",
    ),
    "a kind of another stage": (
        lambda text: text.replace('"proportion of people"', '"made of measures"'),
        "measures over results have the kind 'made of measures', and no others have it",
    ),
    "a value of each in no mean": (
        lambda text: text.replace("order ", 'each = "share_syn"\norder '),
        "'each' is a person's value in a mean, but the kind 'proportion of people' is not a mean",
    ),
    "a need that there is not": (
        lambda text: text.replace("order ", 'needs = "wieghts"\norder '),
        "'wieghts' is not one of",
    ),
    "a sum of what describes a cell": (
        lambda text: text.replace("THEN counted_orig", "THEN n_orig"),
        "sums n_orig or n_syn",
    ),
    "risky by what nobody sees": (
        lambda text: text.replace("n_orig > 0", "share_orig > 0"),
        "'risky' may look only at",
    ),
    "a value of each over results": (
        lambda text: (
            re.sub("\nrisky .*", '\neach = "1"', text)
            .replace("{{ risky }}", "{{ DiSCO }} > 1")
            .replace("cells", "results")
            .replace("proportion of people", "made of measures")
        ),
        "'each' is a person's value in a mean",
    ),
    "a side that there is not": (
        lambda text: text.replace("order ", 'above = "sythetic"\norder '),
        "above 'sythetic' is not one of original, baseline, synthetic (did you mean 'synthetic'",
    ),
    "a sense that only its words say": (
        lambda text: text.replace("more people wrongly exposed", "more risk; 0 is chance"),
        "'higher' begins with 'more risk' and says more: add sense = 'more risk'",
    ),
    "a headline of no original": (
        lambda text: text.replace("order ", 'headline = "certain"\norder '),
        "a headline needs 'of_original'",
    ),
    "a headline of the keys": (
        lambda text: text.replace("order ", 'headline = "unique"\nof_original = "UiO"\norder '),
        (
            "use 'unique' for a measure of the keys only, 'certain' or 'guessed' for a measure of "
            "a target"
        ),
    ),
    "a headline without cells": (
        lambda text: re.sub(
            r"\nrisky .*", "\n" + 'headline = "certain"\nof_original = "Dorig"', text
        ).replace("{{ risky }}", "n_syn = 0"),
        "a headline that is 'certain' lists cells, so it needs 'risky'",
    ),
    "the original's measure that there is not": (
        lambda text: text.replace("order ", 'of_original = "Dorg"\norder '),
        "of_original: there is no measure 'Dorg' (did you mean 'Dorig'?)",
    ),
    "a figure that there is not": (
        lambda text: text.replace("order ", 'figures = ["curve"]\norder '),
        "(did you mean 'curves'?)",
    ),
    "a figure of points that there are not": (
        lambda text: text.replace("order ", 'figures = ["curves"]\norder '),
        "figures: 'curves' draws the points of a measure, so it needs 'at'",
    ),
    "a point that is no number": (
        lambda text: text.replace("order ", 'at = ["a"]\norder '),
        "at: 'a' is not a number such as 5 or 0.95",
    ),
    "a figure that draws no measure": (
        lambda text: text.replace("order ", 'figures = ["roc"]\norder '),
        (
            "figures: 'roc' is not one of curves, sizes, presence, radii, guesses, singled, "
            "nearness, "
            "accuracies, others, links"
        ),
    ),
    "no name of a measure": (
        lambda text: text.replace("order ", "pooled = [[1]]\norder "),
        "pooled: expected names of measures",
    ),
    "a measure that says nothing of itself": (
        lambda text: text.replace("order ", 'pooled = ["DCAP"]\norder '),
        "and DCAP has none",
    ),
    "points that nothing uses": (lambda text: text.replace("order ", "at = [0.5]\norder "), "'at'"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_one_clear_message(defect: str, folder: Path) -> None:
    spoil, words = DEFECTS[defect]
    file = folder / "wrong_guess.sql"
    assert spoil(FILE) != FILE
    file.write_text(spoil(FILE), encoding="utf-8")
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(folder))
    (problem,) = raised.value.problems
    assert problem.startswith("wrong_guess.sql: ")
    assert words in problem


def test_an_empty_folder_and_a_taken_name(tmp_path: Path) -> None:
    with pytest.raises(sqlrisk.InputError, match=r"No \.sql file"):
        sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(tmp_path))
    (tmp_path / "disco.sql").write_text(FILE.replace("Wrong-guess", "DiSCO"), encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match="'DiSCO'; give yours another name"):
        sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(tmp_path))


def test_a_column_that_the_stage_lacks_stops_the_run(folder: Path) -> None:
    """Only the engine can see it; the message holds no value of a record."""
    file = folder / "wrong_guess.sql"
    file.write_text(FILE.replace("counted_orig ELSE", "no_such_column ELSE"), encoding="utf-8")
    with pytest.raises(sqlrisk.EngineError):
        sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(folder))


def test_a_name_that_differs_only_in_case_is_taken(tmp_path: Path) -> None:
    (tmp_path / "disco.sql").write_text(FILE.replace("Wrong-guess", "disco"), encoding="utf-8")
    with pytest.raises(
        sqlrisk.InputError, match="Two files define the measure 'DiSCO' or 'disco'; give yours"
    ):
        sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIO, measures_from=str(tmp_path))
