"""The HTML report in a real browser: it shows the numbers of the JSON, asks for nothing, and can be
read by everybody.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import forks
import processes
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser import Browser, chromium
from quickly import few, some

import sqlrisk
from sqlrisk.inputs.policy import Clause, Policy
from sqlrisk.inputs.policy_rules import read as rule
from sqlrisk.report.blocks import Grid, GridColumn, Paragraph
from sqlrisk.report.external import audit
from sqlrisk.report.html import charts, look
from sqlrisk.report.html.page import _run_of, _sections, _settings
from sqlrisk.report.html.rendering import fragment, plain_page, render
from sqlrisk.report.section import Section
from sqlrisk.report.wording import HIDDEN, NOTHING, amount

ROOT = Path(__file__).resolve().parents[2]
CENSUS = ROOT / "data" / "census"
KEYS = ["age", "sex", "race", "marital_status", "education"]
HOSTILE = [
    "<script>alert(1)</script>",
    'x" onload="alert(2)',
    "\u202eabc",
    "a & b </style>",
    "{{ 7 * 7 }}",
    "'; DROP TABLE t; --",
]

pytestmark = pytest.mark.xdist_group("chromium")


@pytest.fixture(scope="module", autouse=True)
def fractions():
    """How many counts whole people prove hangs on time; a page is the same each time where
    fractions do for all.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit, "AGAIN", 0.0)
        yield


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The first records of the census and of a synthesis, in files."""
    folder = tmp_path_factory.mktemp("files")
    paths = [str(folder / f"{name}.parquet") for name in ("original", "cart_1")]
    for path in paths:
        pq.write_table(pq.read_table(CENSUS / Path(path).name).slice(0, 20_000), path)
    return paths


@pytest.fixture(scope="module")
def census(files):
    """One synthesis, with an exclusion, class sizes and shares."""
    return sqlrisk.score(
        *files,
        keys=KEYS,
        targets=["income", "country_birth"],
        measures=["identity", "attribute", "cap", "k_anonymity"],
        exclude_level={"country_birth": ["United-States"]},
        justification="Nearly everybody was born in the United-States.",
        distributions=True,
    )


BORN = "The country in which the person was born, as they told it"
LABEL = "<script>alert(1)</script> & \"label'"
# figures of what is asked beside keys and targets
BESIDE = {"links", "singled", "nearness", "roc", "presence", "map", "people"}


@pytest.fixture(scope="module")
def several():
    """Two methods, one of two syntheses; control; some measures of every family that has a figure;
    of some of the people.
    """
    names = ("original", "cart_1", "cart_2", "independent_1", "control")
    original, *cart, independent, control = (
        pq.read_table(CENSUS / f"{name}.parquet").slice(0, 3_000) for name in names
    )
    return sqlrisk.score(
        original,
        {"cart": cart, "independent": [independent]},
        control=control,
        keys=KEYS,
        targets=["income", "country_birth"],
        measures=[
            *(
                "UiO",
                "repU",
                "Dorig",
                "DiSCO",
                "CAPd",
                "DCAP",
                "CAP_at_least",
                "better_protected",
                "neighbours",
            ),
            *(
                "DiSCO_known_from_others",
                "DiSCO_own",
                "guess_coverage",
                "guess_precision",
                "guess_coverage_others",
                "guess_precision_others",
            ),
        ],
        column={"country_birth": {"label": BORN}},
        distributions=True,
        trend=True,
    )


@pytest.fixture(scope="module")
def beside():
    """What is asked beside keys and targets, and is drawn: links, predicates, whole rows,
    membership, a universe, utility.
    """
    original, synthetic, control = (
        pq.read_table(CENSUS / f"{name}.parquet").slice(0, 1_000)
        for name in ("original", "cart_1", "control")
    )
    return sqlrisk.score(
        original,
        synthetic,
        control=control,
        universe=pa.concat_tables([original, control]),
        keys=KEYS,
        targets=["income"],
        link=f"{KEYS[0]}/{KEYS[1]}",
        by="sex",
        measures=["linkability", "singling_out", "copies", "membership", "universe", "UiO", "repU"],
        utility=["age", "sex", "income"],
        maps=["UiO,mean(S_pMSE)"],
    )


@pytest.fixture(scope="module")
def figures(several, beside, census):
    """The figures of these reports by name."""
    reports = {"several": several, "beside": beside, "census": census}
    return {name: charts.figures(report) for name, report in reports.items()}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Names and levels that would like to be markup."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [(HOSTILE[n % 6], HOSTILE[(n // 6) % 6], HOSTILE[n % 5]) for n in range(300)]
    files = []
    for name in ("<b>original", "syn'&1"):
        path = folder / f"{name}.parquet"
        with duckdb.connect() as connection:
            connection.execute('CREATE TABLE t ("<i>key" TEXT, "k&2" TEXT, "<script>target" TEXT)')
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            connection.execute(
                f"COPY t TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)"
            )
        files.append(str(path))
    return sqlrisk.score(
        *files, keys=["<i>key", "k&2"], targets=["<script>target"], distributions=True,
        exclude_level={"<script>target": [HOSTILE[0]]}, justification=HOSTILE[1],
        column={"<script>target": {"label": LABEL}},
    )  # fmt: skip


class Reports(dict[str, sqlrisk.Report]):
    """Reports by name; the external one of each is made where a test asks for it: its audit may
    take many seconds.
    """

    def __missing__(self, name: str) -> sqlrisk.Report:
        return self.setdefault(name, self[name.removesuffix("-external")].external())


class Pages(dict[str, Path]):
    """Files of pages by name; most are written where a test asks for them."""

    def __init__(
        self, reports: Reports, results: dict[str, Any], folder: Path, attacked: dict[str, Any]
    ) -> None:
        super().__init__()
        self._reports, self._results, self._folder = reports, results, folder
        self._attacked = attacked

    def __missing__(self, name: str) -> Path:
        path = self._folder / f"{name}.html"
        if name == "attacked":
            beside = {part: made() for part, made in self._attacked.items()}
            self._reports["census"].to_html(path, **beside)
        else:
            made = self._results if name in (*RESULTS, *CHANGES) else self._reports
            made[name].to_html(path)
        return self.setdefault(name, path)


@pytest.fixture(scope="module")
def reports(census, several, hostile):
    return Reports(census=census, several=several, hostile=hostile)


class Results(dict[str, Any]):
    """Results of other commands, of few people, each with every figure that it can have; each is
    made where a test asks for it. Files are written to a folder.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Any:
        return self.setdefault(name, asked_results(self)[name]())


def asked_results(results: Results) -> dict[str, Callable[[], Any]]:
    """How each of the results is made."""
    original, cart, independent = (
        pq.read_table(CENSUS / f"{name}.parquet").slice(0, 1_500)
        for name in ("original", "cart_1", "independent_1")
    )
    files = {"cart": [cart], "independent": [independent]}
    question: dict[str, Any] = {"keys": ["age", "sex", "race"], "targets": ["income"]}
    return {
        "attack": lambda: sqlrisk.attack(
            original, files, **question, attackers="baselines,exact_match,naive_bayes"
        ),
        "sweep": lambda: sqlrisk.sweep(
            original, files, **question, attackers="baselines,naive_bayes", reference=True
        ),
        "hittmeir": lambda: results["sweep"].table("hittmeir"),
        "uniques": lambda: sqlrisk.uniques(original, keys=[*KEYS, "country_birth"]),
        "reference": lambda: sqlrisk.reference(
            original, keys=["sex"], targets=["income"], random=300
        ),
        "utility": lambda: sqlrisk.utility(
            original, files, columns=[*KEYS, "income", "country_birth"]
        ),
        "diff": lambda: sqlrisk.diff(
            *(sqlrisk.score(original, made, **question) for made in (cart, independent))
        ),
        "protect": lambda: sqlrisk.protect(
            original, cart, **question, output=str(results.folder / "protected.parquet")
        ),
        "intruders": lambda: sqlrisk.score_all(
            {"neighbour": {"keys": KEYS[:4]}, "<i>employer": {"keys": ["sex", "education"]}},
            original,
            [cart, independent],
            targets=["income", "country_birth"],
            distributions=True,
            policy=Policy("Board", (Clause(rule("DiSCO <= 100", "rule"), "Why."),)),
        ),
    }


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def pages(reports, results, census, files, tmp_path_factory):
    question = {"keys": ["sex", "race"], "targets": ["income"]}
    attacked = {
        "attacks": lambda: sqlrisk.attack(*files, **question),
        "sweep": lambda: sqlrisk.sweep(*files, **question),
        "uniques": lambda: sqlrisk.uniques(files[0], keys=["sex", "race", "age"]),
    }
    return Pages(reports, results, tmp_path_factory.mktemp("pages"), attacked)


@pytest.mark.slow
def test_an_external_page_has_no_attackers(census, files, tmp_path) -> None:
    attacks = sqlrisk.attack(*files, keys=["sex", "race"], targets=["income"])
    with pytest.raises(sqlrisk.InputError, match="an external report is made without them"):
        census.to_html(tmp_path / "refused.html", level="external", attacks=attacks)


NAMES = [
    *(f"{name}{level}" for name in ("census", "several", "hostile") for level in ("", "-external")),
    "attacked",
]
RESULTS = ["attack", "sweep", "hittmeir", "uniques", "reference", "utility", "intruders"]
NAMES += RESULTS
CHANGES = ["diff", "protect"]
QUICK = ["several", "hostile-external", "census"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", some(QUICK, NAMES))
def test_it_fits_asks_for_nothing_and_nothing_goes_wrong(
    name, width, pages, browser: Browser
) -> None:
    browser.complaints()
    browser.requests()
    browser.open(pages[name], width=width)
    assert browser.complaints() == []
    assert browser.requests() == [pages[name].as_uri()]
    inside, around = browser.run(
        "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
    )
    assert inside <= around
    spilled = browser.run("""
        const boxes = document.querySelectorAll("p, li, dt, dd, th, td, h1, h2, h3, figcaption");
        return [...boxes]
          .filter(e => e.scrollWidth > e.clientWidth + 1)
          .filter(e => getComputedStyle(e).display !== "inline")
          .map(e => e.textContent)""")
    assert spilled == []
    # folded on a phone
    assert browser.run("return document.querySelector('nav details').open") == (width > 640)
    # What is wider than the page stands in a box of its own that can be moved with the keyboard,
    # with a shadow where it goes on.
    fixed = browser.run("""
        const shaded = e => getComputedStyle(e).backgroundImage.includes("gradient");
        return [...document.querySelectorAll(".scroll")]
          .filter(e => e.scrollWidth > e.clientWidth)
          .filter(e => e.tabIndex !== 0 || !shaded(e)).length""")
    assert fixed == 0


@pytest.mark.parametrize("name", some(["several"], ["several", *RESULTS]))
def test_letters_of_the_figures_stay_inside_and_apart(name, pages, browser: Browser) -> None:
    browser.open(pages[name], width=390)
    outside = browser.run("""
        const width = document.documentElement.clientWidth;
        return [...document.querySelectorAll(".drawing text")].filter(e => {
          const box = e.getBoundingClientRect();
          return box.width > 0 && (box.left < 0 || box.right > width);
        }).map(e => e.textContent)""")
    assert outside == []
    together = browser.run("""
        const found = [];
        const meet = (p, q) =>
          Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
          && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3;
        for (const figure of document.querySelectorAll(".drawing svg")) {
          const texts = [...figure.querySelectorAll("text")].filter(e => e.textContent.trim())
            .map(e => [e.textContent, e.getBoundingClientRect()]);
          texts.forEach(([a, p], place) => texts.slice(place + 1).forEach(([b, q]) => {
            if (meet(p, q)) found.push(a + " / " + b);
          }));
        }
        return found""")
    assert together == []


@pytest.mark.parametrize("width", some([390], [1280, 390]))
def test_every_figure_has_letters_of_11_points(
    width, figures, beside, pages, tmp_path, browser: Browser
) -> None:
    drawn = {each.name.split(" ")[0] for of_report in figures.values() for each in of_report}
    assert drawn | {"policy"} == {*charts.FIGURES}  # several intruders have that of the policy
    beside.to_html(tmp_path / "beside.html")
    for path in (
        *(pages[name] for name in ("several", "census", "intruders")),
        tmp_path / "beside.html",
    ):
        browser.open(path, width=width)
        sizes = letters(browser)
        assert len(sizes) > 50
        assert min(sizes) >= 11, path


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["uniques", "diff"], [*RESULTS, *CHANGES]))
def test_figures_of_results_have_letters_of_11_points(name, pages, browser: Browser) -> None:
    for width in (1280, 390):
        browser.open(pages[name], width=width)
        sizes = letters(browser)
        assert len(sizes) > 5
        assert min(sizes) >= 11


def letters(browser: Browser) -> list[float]:
    """The sizes in points of the letters in the figures of an open page."""
    sizes = browser.run("""
        return [...document.querySelectorAll(".drawing svg")].flatMap(svg => {
          const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return [...svg.querySelectorAll("text")].filter(e => e.textContent.trim())
            .map(e => scale * parseFloat(getComputedStyle(e).fontSize));
        })""")
    return [size * 72 / 96 for size in sizes]


@pytest.mark.parametrize(("width", "wide"), [(1280, 448), (390, 358)])
def test_the_figure_of_page_one_is_large(width, wide, pages, browser: Browser) -> None:
    browser.open(pages["several"], width=width)
    drawn = browser.run("""
        return [...document.querySelectorAll(".verdict .drawing svg")]
          .map(e => e.getBoundingClientRect().width)""")
    assert drawn == [wide]


@pytest.mark.slow
@pytest.mark.parametrize("inside", [True, False])
def test_no_verdict_is_cut_at_1200_pixels(inside, several, tmp_path, browser: Browser) -> None:
    """Neither inside nor in the external report, whose rows say why they are for review."""
    policy = tmp_path / "policy.toml"
    rules = ("DiSCO:country_birth <= 60.125", "repU <= 0", "control_adjusted(DiSCO) <= 0.00125")
    policy.write_text(
        'name = "of the board"\n'
        + "".join(f'[[rule]]\nrule = "{rule}"\nreason = "so"\n' for rule in rules)
    )
    judged = sqlrisk.check(several, str(policy))
    (judged if inside else judged.external()).to_html(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", width=1200)
    tables, cut = browser.run("""
        const boxes = [...document.querySelectorAll("#policy .scroll, #policy table")];
        return [boxes.length, boxes.filter(e => e.scrollWidth > e.clientWidth + 1).length]""")
    assert tables >= 2
    assert cut == 0


@pytest.mark.parametrize("name", some(QUICK[:1], NAMES))
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_contrast_is_enough(name, dark, pages, browser: Browser) -> None:
    """WCAG AA: 4.5 for text; 3 for what figures draw."""
    browser.open(pages[name], dark=dark)
    paper = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark
    weak = browser.run("""
        const parse = c => c.match(/[\\d.]+/g).map(Number);
        const light = c => {
          const [r, g, b] = parse(c).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ratio = (a, b) => {
          const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
          return (x + 0.05) / (y + 0.05);
        };
        const ground = e => {
          for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if ((parse(c)[3] ?? 1) > 0) return c;
          }
          return "rgb(255, 255, 255)";
        };
        const all = selector => [...document.querySelectorAll(selector)];
        const texts = all("body *").filter(e => !e.closest("script, style, svg")
          && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
        const weak = texts.filter(e => ratio(getComputedStyle(e).color, ground(e)) < 4.5);
        const letters = all("svg text")
          .filter(e => ratio(getComputedStyle(e).fill, ground(e)) < 4.5);
        const drawn = all(".mark-symbol path, .mark-line path, .mark-tick path");
        const marks = drawn.filter(e => {
          const style = getComputedStyle(e);
          return ![style.fill, style.stroke].some(c => c !== "none" && ratio(c, ground(e)) >= 3);
        });
        return [...weak, ...letters, ...marks].map(e => e.outerHTML.slice(0, 200))""")
    assert weak == []


# how the words of a figure with several numbers name the one that matters
FINDING = re.compile(
    r"\b(Highest|Most( often right| beyond chance)?|What changed|Before and after): "
    r"|The most with |the largest of |\. From .* to |beyond the limit|never in it|the original: "
)


@pytest.mark.parametrize("name", some(QUICK, NAMES))
def test_structure_is_that_of_an_accessible_page(name, pages, browser: Browser) -> None:
    browser.open(pages[name])
    levels = browser.run(
        "return [...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert browser.run("return document.documentElement.lang") == "en"
    links = browser.run("return [...document.querySelectorAll('nav a')].map(e => e.hash.slice(1))")
    assert links == browser.run(
        "return [...document.querySelectorAll('main > section')].map(e => e.id)"
    )
    words = browser.run(
        "return [...document.querySelectorAll('.drawing')].map(e => [e.getAttribute('role'), "
        "e.ariaLabel])"
    )
    assert all(role == "img" for role, _ in words)
    assert [said for _, said in words if "; " in said and not FINDING.search(said)] == []
    nameless = browser.run("""
        return [...document.querySelectorAll("button, input, [role=region]")]
          .filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).length""")
    assert nameless == 0


def read(document: object, pointer: str) -> object:
    """What a JSON pointer (RFC 6901) leads to."""
    for step in pointer.split("/")[1:]:
        document = (
            document[int(step)]
            if isinstance(document, list)
            else document[step.replace("~1", "/").replace("~0", "~")]
        )
    return document


@pytest.mark.parametrize("name", some(QUICK, NAMES[:6]))
def test_every_number_is_that_of_the_json(name, reports, pages, browser: Browser) -> None:
    document = json.loads(reports[name].to_json())
    browser.open(pages[name])
    shown = browser.run("""
        return [...document.querySelectorAll("data")]
          .map(e => [e.dataset.source, e.value, e.textContent])""")
    assert len(shown) > 60
    for source, value, text in shown:
        found = read(document, source)
        assert json.loads(value) == found, source
        if found is None:
            assert text in (HIDDEN, NOTHING), source
        else:
            if source.startswith("/differences/") and "adjusted" in source:
                assert isinstance(found, int | float)
                found = 100 * found  # a proportion, which is told in percent
            rounded = (
                text.removeprefix("about ").removeprefix("fewer than ").removesuffix(" or more")
            )
            ends = name.endswith("external") and (text[0] in "<≥" or rounded != text)
            assert rounded in readings(found) or ends, (source, found, text)
    # A table's number is one of these, or there is none.
    rest = browser.run("""
        const sections = "section:not(#cells, #findings, #settings, #policy)";
        return [...document.querySelectorAll(`${sections} td.number`)]
          .filter(e => !e.querySelector("data")).map(e => e.textContent)""")
    assert set(rest) <= {NOTHING}


def readings(number: float) -> set[str]:
    """The ways in which a number may be written."""
    return {
        *(amount(number, unit) for unit in ("", "percent")),
        *(f"{number:.{digits}f}" for digits in (2, 3, 4)),
        *({"<0.0001", "<0.001"} if 0 <= number < 0.001 else set()),
    }


@pytest.mark.parametrize("which", few(["several", "beside"]))
def test_figures_show_the_numbers_of_the_json(which, figures, request) -> None:
    names = {
        "several": set(charts.FIGURES) - BESIDE - {"sizes", "policy"},
        "beside": BESIDE | {"replicated"},
    }[which]
    report = request.getfixturevalue(which)
    document = json.loads(report.to_json())
    known = {round(value, 9) for value in numbers(document)}
    for row in document.get("differences", ()):  # the ends of the intervals of both groups
        sides = [(row[f"{side}_rate"], row[f"{side}_error"]) for side in ("original", "control")]
        known |= {
            round(100 * rate + sign * 100 * error, 9)
            for rate, error in sides
            if error is not None
            for sign in (-1, 1)
        }
    assert {figure.name.split(" ")[0] for figure in figures[which]} == names
    for figure in figures[which]:
        drawn = [value for data in data_of(figure.chart.to_dict()) for value in numbers(data)]
        assert drawn, figure.name
        # syntheses are counted here
        assert {round(value, 9) for value in drawn} <= known | {1.0, 2.0, 3.0}, figure.name


@pytest.mark.slow
def test_a_page_has_every_figure_that_plot_has(several, figures) -> None:
    sections = _sections(several, _run_of(several), inside=True)
    parts = [part for section in sections for part in section.parts]
    parts += [part for article in parts for part in getattr(article, "blocks", ())]
    names = [part.name for part in parts if isinstance(part, look.Figure)]
    assert sorted(names) == sorted(["decision", *(each.name for each in figures["several"])])


@pytest.mark.parametrize(
    ("name", "drawn"),
    few(
        {
            "attack": ["attackers income", "attackers files income"],
            "sweep": [
                *("sweep lattice income cart 1", "sweep lattice income independent 1"),
                *(
                    "sweep UiO",
                    "sweep Dorig and DiSCO, income",
                    "sweep baseCAPd, CAPd and DCAP, income",
                ),
                *("sweep naive_bayes and majority, income", "sweep files income 3"),
                *("sweep adds income cart 1", "sweep adds income independent 1"),
            ],
            "hittmeir": [f"sweep files income {size}" for size in (1, 2, 3)],
            "uniques": ["uniques sizes", "uniques keys"],
            "reference": ["reference income DCAP", "reference income DCAP_matched"],
            "utility": ["utility columns", "utility pairs cart 1", "utility pairs independent 1"],
        }.items(),
        5,
    ),
)
def test_figures_of_results_show_their_numbers(name, drawn, results) -> None:
    figures = [figure for each in results[name]._figures().values() for figure in each]
    assert [figure.name for figure in figures] == drawn
    document = json.loads(results["sweep" if name == "hittmeir" else name].to_json())
    known = {round(value, 9) for value in numbers(document)}
    if name == "uniques":
        known |= {
            round(100 * row["records"] / document["file"]["records"], 9)
            for row in document["sizes"]
        }
    for figure in figures:
        rows = [row for rows in data_of(figure.chart.to_dict()) for row in rows]
        told = [
            row[field]
            for row in rows
            for field in ("percent", "value", "mean", "low", "high", "tables", "mark")
            if field in row
        ]
        assert told
        assert {round(value, 9) for value in told} <= known
        assert all(
            word in figure.words
            for row in rows
            for word in [str(row.get("who", row.get("key", "")))]
        )


def numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def data_of(value: object) -> list[Any]:
    """The rows that a chart is drawn from."""
    if isinstance(value, list):
        return [found for each in value for found in data_of(each)]
    if not isinstance(value, dict):
        return []
    return [
        rows
        for name, each in value.items()
        for rows in ([each["values"]] if name == "data" else data_of(each))
    ]


@pytest.mark.parametrize("name", some(QUICK, ["several", "several-external"]))
def test_it_can_be_read_without_scripts_and_prints_on_a4(name, pages, browser: Browser) -> None:
    browser.open(pages[name], scripts=False)
    printed = browser.pdf()
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", printed)
    assert len(boxes) > 3
    assert {(round(float(w)), round(float(h))) for w, h in boxes} <= {
        (595, 842),
        (594, 841),
        (596, 842),
        (595, 841),
    }
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    # The tables are there, without the buttons and fields that scripts add.
    assert browser.run("return document.querySelectorAll('button, input').length") == 0
    assert browser.run("return document.querySelectorAll('td').length") > 100


def test_nothing_is_cut_off_on_paper(pages, browser: Browser) -> None:
    browser.open(pages["several"], width=664)  # 210 mm less the margins, in pixels
    browser.ask("Emulation.setEmulatedMedia", media="print")
    cut = browser.run("""
        const width = document.documentElement.clientWidth;
        return [...document.querySelectorAll("table, figure")]
          .filter(e => e.getBoundingClientRect().right > width + 1)
          .map(e => e.textContent.slice(0, 80))""")
    browser.ask("Emulation.setEmulatedMedia", media="")
    assert cut == []


@pytest.mark.slow
def test_tables_are_sorted_and_filtered_by_keyboard(pages, browser: Browser) -> None:
    browser.open(pages["census"])
    column = """
        const table = [...document.querySelectorAll("#checks table")].at(-1);
        return [...table.querySelectorAll("tbody td:nth-child(5) data")].map(e => e.value)"""
    before = [float(text) for text in browser.run(column)]
    assert before == sorted(before, reverse=True)
    browser.run(
        "[...document.querySelectorAll('#checks table')].at(-1).querySelectorAll('th "
        "button')[4].focus()"
    )
    browser.driver.switch_to.active_element.send_keys("\n")
    after = [float(text) for text in browser.run(column)]
    assert after == sorted(before)
    state = "return [...document.querySelectorAll('#checks th[aria-sort]')].map(e => e.ariaSort)"
    assert browser.run(state) == ["ascending"]
    browser.driver.switch_to.active_element.send_keys("\n")
    assert browser.run(state) == ["descending"]
    field = browser.run("return document.querySelector('#checks .filter input')")
    field.send_keys("female")
    left = browser.run("""
        const table = [...document.querySelectorAll("#checks table")].at(-1);
        return [...table.querySelectorAll("tbody tr:not([hidden])")]
          .map(e => e.textContent.toLowerCase())""")
    assert 0 < len(left) < len(before)
    assert all("female" in text for text in left)


def test_numbers_without_their_source_are_sorted_by_size(tmp_path: Path, browser: Browser) -> None:
    values = ["1,234", "999", "-1,000.5", "12,345,678", "7"]
    grid = Grid(
        [GridColumn("column", label=True), GridColumn("levels")],
        [[f"column {number}", value] for number, value in enumerate(values)],
    )
    page = tmp_path / "page.html"
    page.write_text(plain_page([grid]), encoding="utf-8")
    browser.open(page)
    browser.run("document.querySelectorAll('th button')[1].click()")
    shown = browser.run("return [...document.querySelectorAll('tbody td')].map(e => e.textContent)")
    assert shown == ["-1,000.5", "7", "999", "1,234", "12,345,678"]


def test_names_and_levels_stay_text(pages, browser: Browser) -> None:
    browser.open(pages["hostile"])
    text = browser.run("return document.body.textContent")
    assert "<script>target" in text
    assert "{{ 7 * 7 }}" in text
    assert "\u202e" not in text
    assert "\\u202eabc" in text
    assert browser.run("return document.querySelectorAll('script').length") == 1
    assert browser.run("return document.querySelectorAll('[onload]').length") == 0
    assert {*shown_labels(browser)} == {LABEL}


def shown_labels(browser: Browser) -> list[str]:
    """Return the labels below the names of columns in tables."""
    shown: list[str] = browser.run(
        "return [...document.querySelectorAll('tbody small')].map(e => e.textContent)"
    )
    return shown


def test_a_label_stands_once_and_only_with_the_name_of_a_column() -> None:
    grid = Grid(
        [GridColumn("target", label=True), GridColumn("level", label=True), GridColumn("k<1")],
        [["k<1", "k<1", "2"], ["k<1", "sex", "3"], ["sex", "k<1", "k<1"]],
    )
    page = render(
        "page.html.j2", {}, labels={"k<1": 'A "b" <i>'}, sections=[Section("a", "A", [grid])]
    )
    label = "A &#34;b&#34; &lt;i&gt;"
    assert page.count(f'k&lt;1 <small title="{label}">{label}</small>') == 1
    assert page.count(f'class="number" title="{label}">k&lt;1</th>') == 1
    assert page.count(label) == 3
    assert "<small" not in render("page.html.j2", {}, sections=[Section("a", "A", [grid])])


def test_labels_stand_below_the_names_of_targets_in_tables_and_figures(
    pages, browser: Browser
) -> None:
    """Once for a name that is in several rows; a name without a label has none."""
    browser.open(pages["several"])
    assert {*shown_labels(browser)} == {BORN}
    beside = browser.run("""
        return [...document.querySelectorAll("tbody small")]
          .map(e => [e.previousSibling.textContent.trim(), e.title])""")
    assert {(name.strip(), title) for name, title in beside} == {("country_birth", BORN)}
    in_figures = browser.run("""
        return [...document.querySelectorAll("svg text")]
          .map(e => [...e.querySelectorAll("tspan")].map(part => part.textContent))""")
    names = [lines for lines in in_figures if lines[:1] == ["country_birth"]]
    assert len(names) > 3
    assert all(" ".join(lines[1:]).startswith(BORN[:9]) for lines in names)


class Words(HTMLParser):
    """All that a page holds: texts and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            value for name, value in attrs if value is not None and name not in ("d", "transform")
        ]


def test_an_external_page_shows_no_label(pages) -> None:
    page, external = (
        pages[name].read_text(encoding="utf-8") for name in ("hostile", "hostile-external")
    )
    words, others = Words(), Words()
    words.feed(page)
    others.feed(external)
    assert "<small" in page
    assert "<small" not in external
    assert LABEL in words.found
    assert not any(LABEL in each for each in others.found)


def test_an_external_page_is_that_of_the_external_report(hostile, pages) -> None:
    assert hostile.to_html(level="external") == pages["hostile-external"].read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", some(QUICK, NAMES[:4]))
def test_the_external_report_names_no_level(name, pages) -> None:
    levels = {
        str(level)
        for column in ("country_birth", "marital_status", "race", "education")
        for (level,) in duckdb.sql(
            f"SELECT DISTINCT {column} FROM '{CENSUS}/original.parquet' WHERE {column} IS NOT NULL"
        ).fetchall()
        if len(str(level)) > 4
    }
    assert len(levels) > 40
    words = Words()
    words.feed(pages[name].read_text(encoding="utf-8"))
    text = " ".join(words.found).replace("\u200b", "")
    named = {each for each in levels if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)}
    assert bool(named) is (not name.endswith("external")), named


def test_the_internal_report_says_that_it_is_disclosive_and_lists_cells(
    pages, browser: Browser
) -> None:
    browser.open(pages["census"])
    assert "disclosive" in browser.run("return document.querySelector('.banner').textContent")
    assert browser.run("return document.querySelectorAll('#cells tbody tr').length") == 20
    assert "Nearly everybody was born" in browser.run(
        "return document.querySelector('#scenario').textContent"
    )
    browser.open(pages["census-external"])
    assert "External report" in browser.run("return document.querySelector('.banner').textContent")
    assert browser.run("return document.querySelector('#cells')") is None
    assert "born in the (a level)" in browser.run(
        "return document.querySelector('#scenario').textContent"
    )


@pytest.mark.slow
def test_a_run_that_listed_cells_is_not_run_again_for_its_page(census, pages) -> None:
    def rerun(*_: object, **__: object) -> None:
        raise AssertionError("the page ran the question again")

    listed = [census.cells(name, synthesis="1", limit=10, worth=True) for name in ("DiSCO", "repU")]
    kept = replace(census, listings=listed, rerun=rerun)
    assert census.listings == []
    assert kept.to_html() == pages["census"].read_text(encoding="utf-8")
    assert kept.to_html(level="external") == pages["census-external"].read_text(encoding="utf-8")


@pytest.mark.slow
def test_attackers_and_sweeps_are_shown_where_they_are_given(pages, browser: Browser) -> None:
    browser.open(pages["attacked"])
    assert "majority" in browser.run("return document.querySelector('#attackers').textContent")
    drawn = [
        browser.run(f"return document.querySelectorAll('#{part} svg').length")
        for part in ("attackers", "sweep", "uniques")
    ]
    assert drawn == [2, 6, 2]
    assert browser.run("return document.querySelectorAll('#sweep td').length") > 10
    assert "are special (SUDA)" in browser.run(
        "return document.querySelector('#criteria').textContent"
    )
    browser.open(pages["census"])
    assert (
        browser.run("return document.querySelectorAll('#attackers, #sweep, #uniques').length") == 0
    )
    assert "were not searched for" in browser.run(
        "return document.querySelector('#criteria').textContent"
    )


def test_contents_follow_what_there_is(census) -> None:
    bare = replace(
        census,
        distributions=[],
        shares=[],
        rerun=None,
        checks={},
        results=[r for r in census.results if r["family"] == "cap"],
    )
    text = bare.to_html()
    assert 'href="#persons"' not in text
    assert 'href="#cells"' not in text
    assert 'href="#family-cap"' in text
    assert "Not measured" in text  # linkability
    assert (
        text.index('id="sign-off"')
        < text.index('id="findings"')
        < text.index('class="annex"')
        < text.index('id="numbers"')
    )
    for section in (
        "decision",
        "sign-off",
        "findings",
        "numbers",
        "scenario",
        "criteria",
        "checks",
        "meaning",
        "settings",
    ):
        assert f'<section id="{section}"' in text


def test_settings_leave_out_what_is_empty(census) -> None:
    def settings(column: dict[str, Any]) -> dict[str, str]:
        scenario = {**census.scenario, "membership_epsilon": 0.0, "column": column}
        grid = next(iter(_settings(replace(census, scenario=scenario))))
        return dict(grid.rows)

    assert "column" not in (told := settings({"age": {}, "sex": {}}))
    assert told["membership_epsilon"] == "0.0"
    assert settings({"age": {"role": "key"}, "sex": {}})["column"] == "age: role: key"


def test_a_policy_is_shown_first(census) -> None:
    disco = next(row for row in census.results if row["measure"] == "DiSCO")
    verdict = {
        name: disco[name]
        for name in (
            "measure",
            "at",
            "target",
            "synthesis",
            "population",
            "people",
            "weighted",
            "value",
            "unit",
        )
    }
    verdict |= {
        "rule": "DiSCO <= 5",
        "verdict": "fail",
        "limit": 5,
        "reason": "Known in Xanadu.",
        "exception": None,
    }
    policy = {
        "name": "Board",
        "about": "Releases",
        "source": "Minutes",
        "verdict": "fail",
        "verdicts": [verdict],
    }
    text = replace(census, policy=policy, rerun=None).to_html()  # without cells
    assert (
        text.index("Board: not met, so it does not allow the release.")
        < text.index('id="findings"')
        < text.index('id="policy"')
    )
    assert "Not met. Numbers judged: 1; pass 0, review 0, fail 1." in text
    assert 'class="judged fail"' in text
    assert "DiSCO &lt;= 5" in text
    assert 'data-source="/policy/verdicts/0/value"' in text


def test_a_notebook_shows_a_table_and_a_chart(census) -> None:
    table = census._repr_html_()
    assert table.count("<tr>") >= 3
    assert amount(census["DiSCO"].rows[0]["value"], "percent") in table
    assert "<script" not in table
    import altair as alt

    assert isinstance(census.plot("sizes"), alt.Chart)
    assert isinstance(census.plot(), alt.VConcatChart)
    assert census.plot("persons").to_dict()["vconcat"]
    with pytest.raises(sqlrisk.InputError, match=r"no figure 'arrow' \(did you mean 'arrows'"):
        census.plot("arrow")
    with pytest.raises(sqlrisk.InputError, match="needs two syntheses"):
        census.plot("pools")


def command(*words: str, folder: Path, **more: str) -> forks.Done:
    return forks.run(*words, cwd=folder, env={**os.environ, **more})


@pytest.mark.slow
def test_the_command_line_writes_it(tmp_path) -> None:
    files = [str(CENSUS / name) for name in ("original.parquet", "cart_1.parquet")]
    start = ["score", *files, "--keys", "sex,race", "--targets", "income"]
    done = command(
        *start, "-o", "risk.html", "--report", "external", "--threshold", "20", folder=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert (
        done.stderr.split(". ")[0] == "You can share risk.html and risk.html.external-manifest.json"
    )
    assert "Keep risk.html.manifest.json" in done.stderr
    told = json.loads((tmp_path / "risk.html.external-manifest.json").read_text())
    assert not {"command", "call", "seconds", "stages"} & told.keys()
    assert (told["inputs"][0]["name"], told["inputs"][0]["records"]) == ("original.parquet", 199520)
    text = (tmp_path / "risk.html").read_text()
    assert "multiple of 20" in text
    # a page asks what every other form asks: more figures are asked for
    assert "People by the size of their class" not in text
    done = command(
        *start, "-o", "risk.html", "--measures", "DiSCO,class_size", "--distributions",
        folder=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = (tmp_path / "risk.html").read_text()
    assert "People by the size of their class" in text
    assert "Correct attribution person by person" in text
    for words, said in (
        (["-o", "x.json", "--report", "internal"], "add -o risk.html"),
        (
            ["-o", "x.csv", "--part", "results", "--report", "external"],
            "leave out --layout, --part and --steps",
        ),
        (["-o", "x.html", "--threshold", "5"], "add --report external"),
        (["-o", "x.json", "--threshold", "5"], "add --report external"),
        (["--report", "external", "--threshold", "0"], "3 or more; got 0"),
        (["--report", "external", "--threshold", "2"], "3 or more; got 2"),
        (["--justification", "why"], "nothing is excluded"),
    ):
        done = command(*start, *words, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "risk.html", "risk.html.external-manifest.json", "risk.html.manifest.json",
    ]  # fmt: skip


def test_without_the_library_it_says_what_to_install_before_the_run(tmp_path) -> None:
    """A PDF needs more, and one message names all of it, also if a page is written first."""
    packages = ["altair", "pypdf", "vl-convert", "weasyprint"]
    for outputs, wanted in (
        (["-o", "risk.html"], packages[::2]),
        (["-o", "risk.pdf"], packages),
        (["-o", "risk.html", "-o", "risk.pdf"], packages),
    ):
        words = ["score", "missing.parquet", "also.parquet", "--keys", "sex", *outputs]
        done = processes.sqlrisk(
            *words,
            folder=tmp_path,
            program=processes.without("altair", "vl_convert", "weasyprint", "pypdf"),
        )
        assert done.status == 2
        assert [name for name in packages if name in done.err.partition("pip install ")[2]] == [
            *wanted
        ]
        assert not [*tmp_path.iterdir()]


def test_no_line_ends_inside_a_short_level() -> None:
    drawn = fragment([Paragraph("Of income “- 50 <” and “a level of many words”.")], "")
    assert 'Of income <span class="short">“- 50 &lt;”</span> and “a level of many words”.' in drawn


def test_the_summary_says_what_is_revealed_of_whom() -> None:
    people = pa.table({"k": ["a", "a", "b", "c"], "t": ["5 % off", "n", "5 % off", "5 % off"]})
    page = sqlrisk.score(
        people, people.slice(2), keys="k", targets="t", measures="attribute,cap"
    ).to_html()
    text = re.sub(r"<[^>]+>", "", page)
    assert "2 (50.00\N{NO-BREAK SPACE}%)" in text  # the sign begins no line
    assert "5 % off" in text  # what a user wrote stays as it is
    assert "5\N{NO-BREAK SPACE}% off" not in text
    text = re.sub(r"\s+", " ", text)
    assert (
        "Of 4 people, 2 (50.00 %) would have t revealed, correctly, by someone who knows k and "
        "holds only the"
    ) in text
    assert (
        "Publishing the original would reveal it for 50.00 % of all people. A guess is "
        "right for 62.50 % of all people" in text
    )
