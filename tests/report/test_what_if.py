"""What-if in the internal page, in a real browser: each choice has the numbers of a score that is
asked the same.
"""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser import Browser, chromium
from quickly import some
from waiting import until

import sqlrisk
from sqlrisk.analyses.scores import what_if
from sqlrisk.report.html import cube

pytestmark = pytest.mark.xdist_group("chromium")
KEYS = ["age", "town", "sex"]
MEASURES = ["repU", "DiSCO", "DCAP"]
TOWNS = ["Ayr", "Bo", "Cis", "Dol", "Other", "<b>x</b>", None]


def people(seed: int, records: int = 400) -> pa.Table:
    drawn = random.Random(seed)  # noqa: S311
    towns = drawn.choices(TOWNS, [40, 20, 9, 3, 5, 2, 4], k=records)
    ages = [drawn.choice([None, *range(-3, 60)]) for _ in range(records)]
    return pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "town": towns,
            "sex": drawn.choices("fm", k=records),
            "ill": [
                drawn.choice(["no", "no", "yes", None]) if age is None or age > 20 else "no"
                for age in ages
            ],
            "job": drawn.choices(["cook", "vet", "none"], [5, 1, 9], k=records),
        }
    )


FILES = (people(1), [people(2), people(3, 500)])
QUESTION: dict[str, Any] = {
    "targets": ["ill", "job"],
    "measures": MEASURES,
    "exclude_level": {"job": ["none"]},
}


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("what_if") / "risk.html"
    sqlrisk.score(*FILES, keys=KEYS, cube=True, **QUESTION).to_html(path)
    return path


def scored(keys: list[str], **more: Any) -> dict[tuple[str, str, str], float]:
    report = sqlrisk.score(*FILES, keys=keys, **{**QUESTION, **more})
    return {
        (row["measure"], row["target"] or "", f"synthesis {row['synthesis']}"): row["numerator"]
        for row in report.results
        if row["synthesis"] in ("1", "2") and row["measure"] in MEASURES
    }


# What is chosen in the form: boxes without a tick, steps of lists by their place, levels that are
# left out; then what is asked.
CHOICES: Mapping[str, tuple[list[int], dict[int, str], dict[int, list[str]], dict[str, Any]]] = {
    "as it was asked": ([], {}, {}, {}),
    "fewer keys": ([1], {}, {}, {"keys": ["age", "sex"]}),
    "one key": ([0, 2], {}, {}, {"keys": ["town"]}),
    "bands": ([], {0: "10"}, {}, {"column": {"age": {"width": 10}}}),
    "rare levels": (
        [2],
        {1: "20"},
        {},
        {"keys": ["age", "town"], "column": {"town": {"rare": 20}}},
    ),
    "levels left out": (
        [],
        {},
        {0: ["(missing)", "no"], 1: []},
        {"exclude_level": {"ill": ["no"]}, "exclude_missing": ["ill"]},
    ),
    "all of it": (
        [2],
        {0: "20", 1: "50"},
        {0: ["yes"], 1: ["vet", "none"]},
        {
            "keys": ["age", "town"],
            "column": {"age": {"width": 20}, "town": {"rare": 50}},
            "exclude_level": {"ill": ["yes"], "job": ["vet", "none"]},
        },
    ),
}


@pytest.mark.parametrize("choice", some(["all of it"], CHOICES))
def test_a_choice_has_the_numbers_of_a_score(choice: str, page: Path, browser: Browser) -> None:
    unticked, steps, left, asked = CHOICES[choice]
    browser.complaints()
    browser.requests()
    browser.open(page)
    until(lambda: browser.run("return !!document.querySelector('#what-if tbody tr')"))
    found = browser.run(
        """
        const [unticked, steps, left] = arguments;
        const lines = [...document.querySelectorAll("#what-if fieldset:first-of-type p")];
        for (const place of unticked) lines[place].querySelector("input").checked = false;
        for (const [place, step] of Object.entries(steps))
          lines[place].querySelector("select").value = step;
        const lists = [...document.querySelectorAll("#what-if select[multiple]")];
        for (const [place, levels] of Object.entries(left))
          for (const option of lists[place].options)
            option.selected = levels.includes(option.textContent);
        document.querySelector("#what-if form").dispatchEvent(new Event("change"));
        return [...document.querySelectorAll("#what-if tbody tr")].map(e => [
          e.dataset.measure, e.dataset.target, e.cells[2].textContent,
          Number(e.dataset.numerator), e.textContent]);""",
        unticked, {str(place): step for place, step in steps.items()},
        {str(place): levels for place, levels in left.items()},
    )  # fmt: skip
    wanted = scored(**{"keys": KEYS, **asked})
    numbers = {(measure, target, file): number for measure, target, file, number, _ in found}
    assert numbers.keys() == wanted.keys()
    for name, number in wanted.items():
        assert numbers[name] == (
            number if name[0] != "DCAP" else pytest.approx(number, rel=1e-12)
        ), name
    assert any(text.endswith("0.00") is False for *_, text in found) or choice == "as it was asked"
    assert browser.complaints() == []
    assert browser.requests() == [page.as_uri()]


@pytest.mark.slow
def test_each_of_several_intruders_has_a_form_of_its_own(tmp_path: Path, browser: Browser) -> None:
    """The one who knows less begins with the numbers that the other has with fewer keys."""
    keys = {"neighbour": KEYS, "stranger": ["town", "sex"]}
    scenarios = {name: {"keys": own} for name, own in keys.items()}
    reports = sqlrisk.score_all(scenarios, *FILES, cube=True, **QUESTION)
    reports.to_html(tmp_path / "risk.html")
    assert "what-if-counts" not in reports._printed().to_html()
    browser.open(tmp_path / "risk.html")
    until(
        lambda: browser.run("""
        return document.querySelectorAll(".what-if").length === 2
          && [1, 2].every(e => document.querySelector(`#intruder-${e}-what-if td`))""")
    )
    found = browser.run("""
        const form = document.querySelector("#intruder-1-what-if form");
        form.querySelector("input").checked = false;
        form.dispatchEvent(new Event("change"));
        return [1, 2].map(number =>
          [...document.querySelectorAll(`#intruder-${number}-what-if tbody tr`)].map(e => [
            e.dataset.measure, e.dataset.target, e.cells[2].textContent,
            Number(e.dataset.numerator)]));""")
    wanted = scored(keys["stranger"])
    for lines in found:
        numbers = {(measure, target, file): number for measure, target, file, number in lines}
        assert numbers == pytest.approx(wanted, rel=1e-12)
    browser.ask("Emulation.setEmulatedMedia", media="print")
    shown = "return getComputedStyle(document.querySelector('#intruder-2-what-if')).display"
    assert browser.run(shown) == "none"
    browser.ask("Emulation.setEmulatedMedia", media="")


def test_paper_has_no_what_if(page: Path, browser: Browser) -> None:
    browser.open(page)
    shown = (
        "return [...document.querySelectorAll('#what-if, #meaning')].map(e => "
        "getComputedStyle(e).display)"
    )
    assert browser.run(shown) == ["block", "block"]
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.run(shown) == ["none", "block"]
    browser.ask("Emulation.setEmulatedMedia", media="")


@pytest.mark.slow
def test_a_pdf_holds_no_cube_and_alone_it_counts_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlrisk.cli.main import main
    from sqlrisk.report.html import printing

    printed: list[str] = []
    counted: list[object] = []
    real = what_if.count

    def print_page(page: str) -> bytes:
        printed.append(page)
        return b"%PDF"

    def count(*of: Any) -> Any:
        counted.append(of)
        return real(*of)

    monkeypatch.setattr(printing, "print_page", print_page)
    monkeypatch.setattr(what_if, "count", count)
    names = [str(tmp_path / f"{name}.parquet") for name in ("original", "synthetic")]
    for table, name in zip((people(1), people(2)), names, strict=True):
        pq.write_table(table, name)
    for outputs, pages, cubes in ((["pdf"], 1, 0), (["html", "pdf"], 2, 1)):
        files = [part for end in outputs for part in ("-o", str(tmp_path / f"risk.{end}"))]
        code = main(["score", *names, "--keys", "age,sex", "--targets", "ill", *files, "--quiet"])
        assert (code, len(printed), len(counted)) == (0, pages, cubes)
    assert 'class="what-if-counts"' in (tmp_path / "risk.html").read_text()
    assert not any("what-if-counts" in page or "DecompressionStream" in page for page in printed)


def test_without_the_cube_the_page_of_the_command_has_no_form_and_no_counts(
    tmp_path: Path,
) -> None:
    from sqlrisk.cli.main import main

    names = [str(tmp_path / f"{name}.parquet") for name in ("original", "synthetic")]
    for table, name in zip((people(1), people(2)), names, strict=True):
        pq.write_table(table, name)
    asked = [*names, "--keys", "age,sex", "--targets", "ill", "--quiet"]
    for options, there in (([], True), (["--no-cube"], False)):
        path = tmp_path / "risk.html"
        assert main(["score", *asked, *options, "-o", str(path)]) == 0
        page = path.read_text(encoding="utf-8")
        for part in ('class="what-if-counts"', 'class="what-if-form"', "DecompressionStream"):
            assert (part in page) is there, part


@pytest.mark.slow
def test_the_page_says_what_it_carries_or_why_not(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = sqlrisk.score(*FILES, keys=KEYS, cube=True, **QUESTION)
    assert report.cube is not None
    assert "cube" not in report.to_dict()
    text = page.read_text(encoding="utf-8")
    assert (
        f"the counts of {report.cube.cells:,} cells ({round(len(report.cube.packed) / 1000, 1)} KB)"
        in text.replace("\n", " ")
    )
    assert report.cube.packed in text
    assert "what-if-counts" not in sqlrisk.score(*FILES, keys=KEYS, **QUESTION).to_html()
    assert "what-if-counts" not in report.to_html(level="external")
    cells = report.cube.cells
    # Of whom no file here is made (control) there are rows, too: they count against the limit, and
    # no cell is cut off for them.
    monkeypatch.setattr(what_if, "CELLS", cells + 5)
    beside = sqlrisk.score(*FILES, keys=KEYS, cube=True, control=people(9, 3000), **QUESTION).cube
    assert beside is not None
    assert beside.left_out == f"it would need more than {cells + 5:,} cells"
    for limit, why in ((cells - 1, f"it would need more than {cells - 1:,} cells"), (cells, "")):
        monkeypatch.setattr(what_if, "CELLS", limit)
        found = sqlrisk.score(*FILES, keys=KEYS, cube=True, **QUESTION)
        assert found.cube is not None
        assert found.cube.left_out == why
    monkeypatch.setattr(cube, "BYTES", 10)
    assert cube.Cube({"a": [1]}, 3).fitting().left_out == "its 3 cells take more than 0 KB"
    bare = sqlrisk.score(*FILES, keys=KEYS, cube=True, **{**QUESTION, "max_cell": 5})
    assert (
        "is left out: it cannot recompute the exclusion of pairs, missing keys or large cells"
        in bare.to_html()
    )
    assert 'class="what-if-counts"' not in bare.to_html()
