"""Two releases compared: what is worse, what is better, what cannot be said."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.inputs.policy import Clause, Policy
from sqlrisk.inputs.policy_rules import read
from sqlrisk.report import spreads
from sqlrisk.report.declared import sense
from sqlrisk.report.results.diffs import COLUMNS, OUTCOMES, RISKIER, SAFER, _number, diff
from tests.inputs.test_policy import ORIGINAL, SYNTHETIC, command, files, scored

__all__ = ["files"]  # a fixture


def outcomes(found: sqlrisk.Diff) -> dict[tuple[Any, ...], str]:
    """(measure, target) -> outcome of rows at no point."""
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return {(row["measure"], row["target"]): row["outcome"] for row in rows if row["at"] is None}


def test_what_got_worse_by_each_measure_s_own_word(files: Path) -> None:
    """The second release is the original itself. By hand: DiSCO of income rises from 50 to 75, of
    job from 62.5 to 100.
    """
    families = {"measures": "identity,attribute,cap,protection,l_diversity"}
    old, new = scored(files, **families), scored(files, "syn2.parquet", **families)
    found = sqlrisk.diff(old, new)
    said = outcomes(found)
    rows = {(row["measure"], row["target"]): row for row in found.worse}
    assert said["DiSCO", "income"] == "worse"
    row = rows["DiSCO", "income"]
    assert (row["old"], row["new"], row["change"]) == (50.0, 75.0, 25.0)
    assert said["repU", None] == "worse"
    # What the synthesis protects from fell; what is of the original alone is the same; who is
    # apparent only is neither.
    assert said["Dorig-DiSCO", "job"] == said["UiO-repU", None] == "worse"
    assert (
        said["UiO", None]
        == said["Dorig", "job"]
        == said["baseCAPd", "job"]
        == said["l_distinct", "job"]
        == "equal"
    )
    assert said["UiS", None] == "changed"
    back = outcomes(sqlrisk.diff(new, old))
    assert {"worse": "better", "better": "worse"}.get(said["DiSCO", "income"]) == back[
        "DiSCO", "income"
    ]
    assert all(
        {"worse": "better", "better": "worse"}.get(each, each) == back[place]
        for place, each in said.items()
    )
    assert found.settings == []
    assert found.comparable
    assert set(outcomes(sqlrisk.diff(old, old)).values()) == {"equal"}


def test_the_words_that_say_which_way_is_worse() -> None:
    """Each measure's header decides; a new wording has to be looked at."""
    measures = sqlrisk.measures()
    senses = {each.name: sense({"higher": each.higher, **each.shown}) for each in measures}
    safer = {name for name, said in senses.items() if said in SAFER}
    assert safer == {
        *(
            "better_protected",
            "CAPd-DCAP",
            "Dorig-DiSCO",
            "UiO-repU",
            "l_distinct",
            "l_entropy",
            "l_recursive",
        ),
        *("false_match_rate", "DCAP_below_others"),
        *("k_map", "k_map_strict", "k_map_syn", "k_map_strict_syn"),
    }
    riskier = {name for name, said in senses.items() if said in RISKIER}
    assert {"repU", "UiO", "iS", "DiSCO", "DCAP", "worse_protected", "reidentifications"} < riskier
    assert not riskier & {
        "Dsyn",
        "UiS",
        "baseCAPd",
        "class_size",
        "equally_protected",
        "min_DCAP",
        "l_distinct_people",
    }


def test_a_line_names_its_target_if_there_are_several_and_what_is_compared(files: Path) -> None:
    old, new = (scored(files, file, measures="DiSCO") for file in ("syn.parquet", "syn2.parquet"))
    assert "compared by their labels" not in sqlrisk.diff(old, new).to_text()
    two = replace(new, synthetic=new.synthetic * 2, results=new.results[:1])
    text = " ".join(sqlrisk.diff(old, two).to_text().split())
    assert "synthesis 1 of the old result with synthesis 1 of the new" in text
    assert "measure target old new change DiSCO income 50 75 25" in re.sub(" ?─+ ?", " ", text)


def test_rows_of_one_side_and_numbers_that_are_not_defined(files: Path) -> None:
    # nobody matches
    pq.write_table(pa.table({**SYNTHETIC, "age": [1, 2, 3, 4, 5, 6]}), files / "none.parquet")
    old, new = (
        scored(files, measures="DCAP_matched,repU"),
        scored(files, "none.parquet", measures="DCAP_matched,DCAP"),
    )
    found = sqlrisk.diff(old, new)
    assert outcomes(found) == {
        ("DCAP", "income"): "only new", ("DCAP", "job"): "only new", ("repU", None): "only old",
        ("DCAP_matched", "income"): "changed", ("DCAP_matched", "job"): "changed",
    }  # fmt: skip
    assert found.comparable  # which measures there are changes none of them
    assert [row[COLUMNS.index("change")] for row in found.rows] == [None] * 5
    assert outcomes(sqlrisk.diff(new, new))["DCAP_matched", "job"] == "equal"


def test_what_one_result_has_alone_is_counted_by_the_label_that_the_other_lacks(
    files: Path,
) -> None:
    """Many syntheses give thousands of such numbers."""
    one = scored(files, measures="DiSCO,repU")
    several = scored(files, "syn.parquet", "syn2.parquet", measures="DiSCO,repU,UiO")
    found = sqlrisk.diff(one, several)
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    added = [row for row in rows if row["outcome"] == "only new"]
    further = [row for row in added if row["synthesis"] != "1"]
    lines = [line.split() for line in found.to_text().split("\n")]
    (synthesis,) = [line for line in lines if line[:2] == ["synthesis", "2,"]]
    assert synthesis[2:4] == ["mean,", "min,"]
    assert int(synthesis[-1]) == len(further) > 4
    assert ["measure", "UiO", "1"] in lines
    assert len(added) == len(further) + 1


def test_large_numbers_are_written_out() -> None:
    """Sums of weights, and people of a cell, are often above 100,000."""
    written: dict[tuple[str, object], str] = {
        ("old", 123456.25): "123,456", ("old", 1234567): "1,234,567", ("new", 84.7962): "84.796",
        ("change", 1234.5): "1,234", ("change", -0.02713): "-0.0271", ("spread", None): "–",
    }  # fmt: skip
    assert {each: _number(each[1], each[0]) for each in written} == written


def test_the_verdict_of_a_policy_is_said_if_it_is_another(files: Path) -> None:
    """Equal numbers may be judged by two policies."""
    report = scored(files, measures="DiSCO")
    strict, mild = (
        report.judged(Policy("Board", (Clause(read(f"DiSCO <= {most}", "rule"), "Why."),)))
        for most in (0, 100)
    )
    text = " ".join(sqlrisk.diff(mild, strict).to_text().split())
    assert "The verdict of the policy was pass, and is fail now." in text
    assert "policy: pass new" in text
    assert "verdict of the policy" not in sqlrisk.diff(mild, mild).to_text()


@pytest.mark.slow
def test_control_is_put_at_risk_by_no_synthesis(files: Path) -> None:
    settings = {"control": str(files / "other.parquet"), "measures": "DiSCO"}
    found = sqlrisk.diff(scored(files, **settings), scored(files, "syn2.parquet", **settings))
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    assert {row["outcome"] for row in rows if row["people"] == "control"} <= {"changed", "equal"}
    assert "worse" in {row["outcome"] for row in rows if row["people"] == "original"}


def test_settings_that_differ_come_first(files: Path) -> None:
    pq.write_table(
        pa.table({name: values[:7] for name, values in ORIGINAL.items()}), files / "fewer.parquet"
    )
    old = scored(files)
    new = sqlrisk.score(str(files / "fewer.parquet"), str(files / "syn.parquet"), keys="sex",
        targets="income,job",
                        exclude_level="job=a", measures="DiSCO")  # fmt: skip
    found = sqlrisk.diff(old, new)
    assert [name for name, _, _ in found.settings] == [
        "keys",
        "exclude_level",
        "measures",
        "records of the original",
    ]
    assert not found.comparable
    text = " ".join(found.to_text().split())
    assert "Numbers of different questions cannot be compared" in text
    assert text.index("Differences in the question") < text.index("Only in the old result")
    assert "Numbers of different questions" not in sqlrisk.diff(old, old).to_text()


@pytest.mark.slow
def test_another_control_or_universe_is_another_question(files: Path) -> None:
    people = {name: str(files / f"{name}.parquet") for name in ("orig", "other")}
    asked = {"measures": "repU,k_map"}
    old, new = (scored(files, **asked, control=each, universe=each) for each in people.values())
    found = sqlrisk.diff(old, new)
    assert found.settings == [
        ("records of control", 8, 6),
        ("classes of control", 6, 5),
        ("records of the universe", 8, 6),
    ]
    assert not found.comparable
    # Numbers of a control that only one result has are only there.
    found = sqlrisk.diff(scored(files, measures="repU"), replace(old, universe=None))
    assert [name for name, _, _ in found.settings] == ["measures"]


@pytest.mark.parametrize(
    "more",
    few(
        [
            {"justification": "Job a is public."},
            {"copied": 60},
            {"matched": 30},
            {"every_record": True},
            {"set_sizes": [1, 2]},
            {"base_rates": [1, 20]},
        ]
    ),
    ids=str,
)
def test_settings_that_change_no_number_leave_results_comparable(
    files: Path, more: dict[str, Any]
) -> None:
    asked = {"exclude_level": "job=a", "measures": "DiSCO"}
    found = sqlrisk.diff(scored(files, **asked), scored(files, **asked, **more))
    assert [name for name, _, _ in found.settings] == [*more]
    assert found.comparable
    assert "Numbers of different questions" not in found.to_text()


@pytest.mark.slow
def test_another_program_may_be_asked_the_same_question(files: Path) -> None:
    old = scored(files)
    new = replace(old, version="9.9", engine={"name": "PostgreSQL", "version": "18"})
    found = sqlrisk.diff(old, new)
    assert found.settings[0] == ("version of sqlrisk", sqlrisk.__version__, "9.9")
    assert found.settings[1][::2] == ("engine", "PostgreSQL 18")
    assert found.comparable


@pytest.mark.parametrize("suffix", few([".txt", ".csv", ".md", ".parquet", ".json"]))
def test_the_command(files: Path, suffix: str) -> None:
    scored(files).to_json(files / "old.json")
    scored(files, "syn2.parquet").to_json(files / "new.json")
    assert command(files, "diff", "old.json", "new.json", "-o", f"d{suffix}") == (0, "", "")
    if suffix == ".parquet":
        assert tuple(pq.read_table(files / "d.parquet").column_names) == COLUMNS
        return
    text = (files / f"d{suffix}").read_text(encoding="utf-8")
    assert "worse" in text
    if suffix == ".json":
        document = json.loads(text)
        assert list(document) == ["sqlrisk", "schema", "old", "new", "settings", "outcomes", "rows"]
        assert list(document["outcomes"]) == list(OUTCOMES)
        assert sum(document["outcomes"].values()) == len(document["rows"])
        assert list(document["rows"][0]) == list(COLUMNS)


def test_exit_status_of_a_worse_release_if_asked(files: Path) -> None:
    scored(files).to_json(files / "old.json")
    scored(files, "syn2.parquet").to_json(files / "new.json")
    assert command(files, "diff", "old.json", "new.json")[0] == 0
    code, out, err = command(files, "diff", "old.json", "new.json", "--fail-if-worse")
    assert (code, err) == (1, "")
    assert "Worse: more risk than before" in out
    assert command(files, "diff", "new.json", "new.json", "--fail-if-worse")[0] == 0
    code, out, err = command(files, "diff", "old.json", "none.json")
    assert (code, out) == (2, "")
    assert "cannot be read" in err


@pytest.mark.slow
def test_what_can_be_assessed_less_is_not_better(files: Path) -> None:
    """The new file has other codes for a key: nobody is found, and every number of risk falls to
    nothing.
    """
    original, synthetic = pa.table(ORIGINAL), pa.table(SYNTHETIC)
    for name, table, written in (
        ("orig", original, "{}"),
        ("syn", synthetic, "{}"),
        ("coded", synthetic, "age {}"),
    ):
        ages = pa.array([written.format(age) for age in table["age"].to_pylist()])
        pq.write_table(
            table.set_column(table.column_names.index("age"), "age", ages),
            files / f"{name}.parquet",
        )
    scored(files).to_json(files / "old.json")
    scored(files, "coded.parquet").to_json(files / "new.json")
    found = sqlrisk.diff(files / "old.json", files / "new.json")
    assert (found.worse, found.less_assessable) == ([], True)
    assert found.files[1]["assessment"] == "not assessable"
    assert json.loads(found.to_json())["new"]["assessment"] == "not assessable"
    code, out, _ = command(files, "diff", "old.json", "new.json", "--fail-if-worse")
    assert code == 1
    assert "The new files are less assessable than the old" in " ".join(out.split())
    assert (
        command(files, "diff", "new.json", "old.json", "--fail-if-worse", "--tolerance", "1000")[0]
        == 0
    )
    assert command(files, "diff", "new.json", "new.json", "--fail-if-worse")[0] == 0


# ---- what two draws of one synthesizer differ by
# ---------------------------------------------------------------------


def drawn(report: sqlrisk.Report, *values: float, name: str = "") -> sqlrisk.Report:
    """The report with these values of DiSCO of job, one a synthesis, and their mean, least,
    greatest and a pooled number.
    """
    (row,) = [row for row in report["DiSCO"].rows if row["target"] == "job"]
    labels = [*map(str, range(1, len(values) + 1)), "mean", "min", "max", "pooled 1-2"]
    several = [*values, sum(values) / len(values), min(values), max(values), max(values)]
    rows = [
        {**row, "synthesis": f"{name} {label}".strip(), "value": value}
        for label, value in zip(labels, several, strict=True)
    ]
    return replace(report, results=rows if len(values) > 1 else rows[:1])


def by_synthesis(found: sqlrisk.Diff) -> dict[Any, dict[str, Any]]:
    return {
        row["synthesis"]: row
        for row in (dict(zip(found.columns, each, strict=True)) for each in found.rows)
    }


@pytest.mark.slow
def test_a_change_within_the_spread_is_no_difference(files: Path) -> None:
    """By hand: 10, 12 and 13, 15: variance (1 + 1 + 1 + 1) / 2 = 2, t of 2 degrees of freedom
    4.3027.

    The means differ by 3, the bound is 4.3027 * sqrt(2 * (1/2 + 1/2)) = 6.085; of one draw 4.3027 *
    sqrt(2 * 2) = 8.605.
    """
    report = scored(files, measures="DiSCO")
    found = by_synthesis(sqlrisk.diff(drawn(report, 10.0, 12.0), drawn(report, 13.0, 15.0)))
    assert {name: row["outcome"] for name, row in found.items()} == dict.fromkeys(
        found, "no difference"
    )
    assert found["mean"]["spread"] == pytest.approx(4.302652729911275 * 2**0.5)
    assert (
        found["1"]["spread"]
        == found["pooled 1-2"]["spread"]
        == found["max"]["spread"]
        == pytest.approx(4.302652729911275 * 2)
    )
    found = by_synthesis(sqlrisk.diff(drawn(report, 10.0, 12.0), drawn(report, 18.0, 20.0)))
    assert {name: row["outcome"] for name, row in found.items()} == {
        **dict.fromkeys(("1", "2", "min", "max", "pooled 1-2"), "no difference"), "mean": "worse",
    }  # fmt: skip
    assert (
        by_synthesis(sqlrisk.diff(drawn(report, 18.0, 20.0), drawn(report, 10.0, 12.0)))["mean"][
            "outcome"
        ]
        == "better"
    )


@pytest.mark.parametrize(("confidence", "share"), [(0.95, "5"), (0.8, "20"), (0.999, "0.1")])
def test_how_many_changes_are_by_chance_is_told(files: Path, confidence: float, share: str) -> None:
    """The confidence of the new result gives the bounds, so it gives this share, too."""
    old = drawn(scored(files, measures="DiSCO"), 10.0, 12.0)
    new = replace(old, scenario={**old.scenario, "confidence": confidence})
    for found in (
        sqlrisk.diff(old, new),
        sqlrisk.diff(sqlrisk.Reports({"one": old}), sqlrisk.Reports({"one": new})),
    ):
        text = " ".join(found.to_text().split())
        assert f"only by the draw, {share} % are still called changed." in text


@pytest.mark.slow
def test_one_synthesis_alone_is_held_against_the_draws_of_the_other_result(files: Path) -> None:
    report = scored(files, measures="DiSCO")
    found = by_synthesis(sqlrisk.diff(drawn(report, 10.0, 12.0, 14.0), drawn(report, 15.0)))
    assert found["1"]["spread"] == pytest.approx(4.302652729911275 * (4 * 2) ** 0.5)
    assert found["1"]["outcome"] == "no difference"
    alone = sqlrisk.diff(drawn(report, 10.0), drawn(report, 15.0))
    assert by_synthesis(alone)["1"]["spread"] is None
    assert by_synthesis(alone)["1"]["outcome"] == "worse"
    assert "so it is unknown how much two draws of one synthesizer differ" in " ".join(
        alone.to_text().split()
    )
    other = sqlrisk.diff(drawn(report, 10.0, 12.0, name="rf"), drawn(report, 15.0, name="cart"))
    # another synthesizer's draws tell nothing
    assert by_synthesis(other)["cart 1"]["spread"] is None


def test_what_does_not_vary_is_worse_by_any_change(files: Path) -> None:
    report = scored(files, measures="DiSCO")
    found = by_synthesis(sqlrisk.diff(drawn(report, 10.0, 10.0), drawn(report, 10.5, 10.5)))
    assert {row["outcome"] for row in found.values()} == {"worse"}
    assert (
        by_synthesis(sqlrisk.diff(drawn(report, 10.0, 10.0), drawn(report, 10.0, 10.0)))["1"][
            "outcome"
        ]
        == "equal"
    )


@pytest.mark.parametrize("seed", few(range(20), 4))
def test_means_differ_where_student_s_test_says_so(files: Path, seed: int) -> None:
    from scipy import stats

    rng = np.random.default_rng(seed)
    old, new = (
        rng.normal(50 + shift, 2, rng.integers(2, 6)).tolist()
        for shift in (0, 4 * int(rng.integers(2)))
    )
    report = scored(files, measures="DiSCO")
    outcome = by_synthesis(sqlrisk.diff(drawn(report, *old), drawn(report, *new)))["mean"][
        "outcome"
    ]
    assert (outcome == "no difference") == (stats.ttest_ind(old, new).pvalue >= 0.05)


def test_of_draws_of_one_synthesiser_at_most_one_in_twenty_differs() -> None:
    """Of means just so many; of single, least, greatest and pooled numbers, whose bound is wider,
    fewer.
    """
    rng = np.random.default_rng(1)
    about = {
        "measure": "DiSCO",
        "at": None,
        "target": "t",
        "population": "all",
        "people": "original",
        "weighted": False,
    }
    missed = {"1": 0, "mean": 0, "max": 0}
    for _ in range(4000):
        sides = rng.normal(10, 1, (2, 3)).tolist()
        rows = [
            [{**about, "synthesis": str(n), "value": value} for n, value in enumerate(side, 1)]
            for side in sides
        ]
        known = spreads.Spreads(rows, 0.95)
        for name, number in (
            ("1", lambda side: side[0]),
            ("mean", lambda side: sum(side) / 3),
            ("max", max),
        ):
            bound = known.between({**about, "synthesis": name})
            missed[name] += abs(number(sides[0]) - number(sides[1])) > bound
    assert 0.04 < missed["mean"] / 4000 < 0.06
    assert missed["1"] / 4000 <= 0.05
    assert missed["max"] / 4000 <= 0.05


@pytest.mark.slow
def test_a_tolerance(files: Path) -> None:
    for name, synthetic in (("old", "syn.parquet"), ("new", "syn2.parquet")):
        # the second is a copy
        replace(scored(files, synthetic), assessment=[]).to_json(files / f"{name}.json")
    # DiSCO of job rises from 62.5 to 100
    for tolerance, code in (("37.4", 1), ("37.5", 0), ("100", 0), ("0", 1)):
        done = command(
            files, "diff", "old.json", "new.json", "--fail-if-worse", "--tolerance", tolerance
        )
        found = sqlrisk.diff(files / "old.json", files / "new.json", tolerance=tolerance)
        assert ("DiSCO", "job") not in {
            (row["measure"], row["target"]) for row in found.worse
        } or code == 1
        assert done[0] == int(bool(found.worse))
        assert outcomes(found)["DiSCO", "job"] == ("no difference" if code == 0 else "worse")
    for wrong in ("-1", "x", "nan"):
        code, out, err = command(files, "diff", "old.json", "new.json", "--tolerance", wrong)
        assert (code, out) == (2, "")
        assert "tolerance: expected a number, 0 or more" in err


@pytest.mark.slow
def test_a_measure_of_one_s_own_says_which_way_is_worse_in_python(files: Path) -> None:
    """A report has the headers of its measures; JSON has not, so there a change is only
    a change.
    """
    folder = files / "own"
    folder.mkdir()
    shipped = next(measure for measure in sqlrisk.measures() if measure.name == "DiSCO").sql
    (folder / "mine.sql").write_text(shipped.replace('"DiSCO"', '"mine"'), encoding="utf-8")
    settings = {"measures": "mine", "measures_from": str(folder)}
    reports = scored(files, **settings), scored(files, "syn2.parquet", **settings)
    assert outcomes(diff(*reports))["mine", "income"] == "worse"
    for name, report in zip(("old", "new"), reports, strict=True):
        report.to_json(files / f"{name}.json")
    assert (
        outcomes(sqlrisk.diff(files / "old.json", files / "new.json"))["mine", "income"]
        == "changed"
    )
