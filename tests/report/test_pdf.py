"""A page as PDF: tagged for readers of screens, with its language, its title and what its figures
show in words.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from quickly import few

import sqlrisk
from sqlrisk.common.errors import InputError, PolicyError
from sqlrisk.inputs.release import SAID
from tests.inputs.test_policy import ORIGINAL, SYNTHETIC
from tests.report.test_intruders import KEYS, ROWS
from tests.report.test_report import report as report_of
from tests.report.test_report import row


@pytest.fixture(scope="module")
def report() -> sqlrisk.Report:
    named = [pa.table(file).rename_columns({"job": 'a "<b>job"'}) for file in (ORIGINAL, SYNTHETIC)]
    told = {name: f"{words}: a sentence of some length" for name, words in SAID.items()}
    return sqlrisk.score(
        *named, keys=["sex", "age"], targets=["income", 'a "<b>job"'], release=told,
        measures="UiO,repU,Dorig,DiSCO,baseCAPd,CAPd,DCAP",
    )  # fmt: skip


@pytest.fixture(scope="module")
def pdf(report: sqlrisk.Report, tmp_path_factory: pytest.TempPathFactory) -> Any:
    from pypdf import PdfReader

    path = tmp_path_factory.mktemp("pdf") / "risk.pdf"
    assert report.to_pdf(path) == str(path)
    return PdfReader(path)


def elements(node: Any) -> Iterator[Any]:
    """Yield the elements of the tree of tags, in the order in which a reader of screens
    says them.
    """
    node = node.get_object()
    if isinstance(node, list):
        for each in node:
            yield from elements(each)
    elif isinstance(node, dict) and "/S" in node:
        yield node
        if "/K" in node:
            yield from elements(node["/K"])


def test_it_is_tagged(pdf: Any) -> None:
    root = pdf.trailer["/Root"]
    assert (
        root["/Lang"],
        root["/MarkInfo"]["/Marked"],
        root["/ViewerPreferences"]["/DisplayDocTitle"],
    ) == ("en", True, True)
    assert pdf.metadata.title == "Disclosure risk of synthetic data"
    assert b'pdfuaid:part="1"' in root["/Metadata"].get_object().get_data()
    tags = [*elements(root["/StructTreeRoot"]["/K"])]
    count = Counter(tag["/S"] for tag in tags)
    assert count["/H1"] == 1
    assert min(count[name] for name in ("/H2", "/P", "/Table", "/TH", "/TD", "/LI")) > 5
    assert len(pdf.outline) > 0


def test_each_figure_says_what_it_shows(report: sqlrisk.Report, pdf: Any) -> None:
    told = [
        str(tag["/Alt"])
        for tag in elements(pdf.trailer["/Root"]["/StructTreeRoot"]["/K"])
        if tag["/S"] == "/Figure"
    ]
    assert len(told) == report.to_html().count("<svg") > 3
    assert any('a "<b>job": original' in words for words in told)


@pytest.mark.slow
def test_two_pages_stand_alone(report: sqlrisk.Report, pdf: Any) -> None:
    first, second, third, *_ = (" ".join(page.extract_text().split()) for page in pdf.pages)
    for words in (*SAID.values(), "What worries us", "rightly and for certain", "Reservations"):
        assert words in first
    assert "What was not measured may still be a risk." in first
    for words in ("The numbers in words", "approve with conditions", "Date, signature"):
        assert words in f"{first} {second}"
    assert f"Fingerprint of the numbers: {report.manifest()['results_sha256']}" in second
    assert third.startswith("Findings, worst first")


def test_page_one_has_the_picture_and_page_two_the_fingerprint_on_one_line(
    report: sqlrisk.Report, pdf: Any
) -> None:
    first, second = (page.extract_text().splitlines() for page in pdf.pages[:2])
    assert "Hollow bar: what the original itself would reveal." in " ".join(first)
    assert "75.00 → 50.00" in first  # a row of the picture
    assert f"Fingerprint of the numbers: {report.manifest()['results_sha256']}" in second


@pytest.mark.slow
@pytest.mark.parametrize(("targets", "most"), [(3, 6), (142, 12)])
def test_few_sheets_come_before_the_annex(targets: int, most: int, tmp_path: Path) -> None:
    """Of three syntheses and eight keys. With 142 targets the files have 150 columns. The attached
    page is below 1.5 MB.
    """
    from pypdf import PdfReader

    keys = [f"k{number}" for number in range(8)]
    drawn = np.random.default_rng(150)

    def people() -> pa.Table:
        columns = {name: drawn.choice(["a", "b"], 300) for name in keys}
        for number in range(targets):
            columns[f"a_question_{number}"] = drawn.choice(["yes", "no", "never", "both"], 300)
        return pa.table(columns)

    original, *syntheses = (people() for _ in range(4))
    told = {name: f"{words}: a sentence of some length" for name, words in SAID.items()}
    report = sqlrisk.score(original, syntheses, keys=keys, listings=True, release=told)
    report.to_pdf(tmp_path / "risk.pdf")
    printed = PdfReader(tmp_path / "risk.pdf")
    annex = "Cells worth looking at"
    (heading,) = (each for each in headings(printed.outline) if each.title == annex)
    place: Any = printed.get_destination_page_number(heading)
    first = " ".join(printed.pages[place].extract_text().split())
    assert place + (not first.startswith(annex)) <= most
    assert len(printed.pages) > place + 4
    (page,) = printed.attachments["page.html"]
    assert 100_000 < len(page) < 1_500_000


def headings(outline: Any) -> Iterator[Any]:
    """Yield the headings of an outline, in order."""
    for each in outline:
        yield from headings(each) if isinstance(each, list) else [each]


@pytest.mark.slow
def test_two_pages_stand_alone_for_two_intruders(tmp_path: Path) -> None:
    """The decision; the signature and the policy with its figure. Then a chapter for each."""
    from pypdf import PdfReader

    for name, file in (("original", ORIGINAL), ("synthetic", SYNTHETIC)):
        parquet.write_table(pa.table(file), tmp_path / f"{name}.parquet")
    (tmp_path / "two.toml").write_text(
        'original = "original.parquet"\nsynthetic = ["synthetic.parquet", "synthetic.parquet"]\n'
        'targets = ["income", "job"]\n'
        '[scenario.neighbour]\nkeys = ["sex", "age"]\n[scenario.employer]\nkeys = ["age"]\n'
    )
    (tmp_path / "policy.toml").write_text(
        'name = "Board"\n'
        + "".join(
            f'[[rule]]\nrule = "{rule}"\nreason = "The board decided it."\n'
            for rule in ("DiSCO <= 1", "repU <= 1", "DCAP <= 5")
        )
    )
    with pytest.raises(PolicyError) as unmet:
        sqlrisk.score_all(str(tmp_path / "two.toml"), policy=str(tmp_path / "policy.toml"))
    unmet.value.report.to_pdf(tmp_path / "two.pdf")
    pages = [
        " ".join(page.extract_text().split()) for page in PdfReader(tmp_path / "two.pdf").pages
    ]
    first, second, third, *_, last = pages
    assert "What worries us most" in first
    assert "Reservations" in first
    for words in (
        "Date, signature",
        "Fingerprint of the numbers: ",
        "Not met.",
        "Each rule against its limit",
    ):
        assert words in second
    assert "Intruder neighbour" in third
    assert "Versions" in last


@pytest.mark.parametrize("height", few([250, 400], 2))
@pytest.mark.slow
def test_the_figure_of_page_one_may_stand_at_the_foot_of_a_page(height: int) -> None:
    """WeasyPrint failed if long labels pushed it there. It is a float in a single report."""
    from sqlrisk.report.html.printing import print_page

    dorig = row("Dorig", 50.0, 500, 1000, target="income")
    every = {
        name: report_of([*rows, dorig], scenario={"keys": KEYS[name]})
        for name, rows in ROWS.items()
    }
    for each in (sqlrisk.Reports(every), *every.values()):
        before, figure, after = each.to_html().partition('<div class="figures"')
        assert figure
        space = f'<div style="height: {height}pt"></div>'
        assert print_page(before + space + figure + after).startswith(b"%PDF")


def test_letters_have_9_points_at_least_and_those_of_figures_11(pdf: Any) -> None:
    found: dict[bool, list[float]] = {True: [], False: []}
    for page in pdf.pages:
        for size, drawn, across in letters(page):
            found[drawn].append(size)
            assert 17 / 25.4 * 72 <= across <= (210 - 17) / 25.4 * 72  # within the margins
    text, figures = found[False], found[True]
    assert len(text) > 200
    assert len(figures) > 200
    assert min(text) >= 8.99
    assert min(figures) >= 11


def letters(page: Any) -> Iterator[tuple[float, bool, float]]:
    """Yield the size of each text of a page in points on paper, whether it is in a figure, and how
    far it is from the left edge.
    """
    from pypdf.generic import ContentStream

    def times(first: Sequence[float], then: Sequence[float]) -> list[float]:
        a, b, c, d, e, f = then
        pairs = [first[place : place + 2] for place in (0, 2, 4)]
        product = [each for x, y in pairs for each in (a * x + c * y, b * x + d * y)]
        return [*product[:4], product[4] + e, product[5] + f]

    def drawn(
        content: Any, resources: Any, scale: Sequence[float], inside: bool
    ) -> Iterator[tuple[float, bool, float]]:
        kept, tags, size, place = [], [inside], 0.0, scale
        for operands, operator in content.operations:
            match operator:
                case b"q":
                    kept.append((scale, size))
                case b"Q":
                    scale, size = kept.pop()
                case b"cm":
                    scale = times([float(each) for each in operands], scale)
                case b"BDC" | b"BMC":
                    tags.append(tags[-1] or operands[0] == "/Figure")
                case b"EMC":
                    tags.pop()
                case b"Tf":
                    size = float(operands[1])
                case b"Tm":
                    place = [float(each) for each in operands]
                case b"Tj" | b"TJ":
                    whole = times(place, scale)
                    yield math.hypot(*whole[2:4]) * size, tags[-1], whole[4]
                case b"Do" if (part := resources["/XObject"][operands[0]])["/Subtype"] == "/Form":
                    own = ContentStream(part, None)
                    yield from drawn(own, part.get("/Resources", resources), scale, tags[-1])

    yield from drawn(page.get_contents(), page["/Resources"], (1, 0, 0, 1, 0, 0), inside=False)


def test_each_line_of_a_label_is_aligned_by_itself() -> None:
    from pypdf import PdfReader

    from sqlrisk.report.html.printing import print_page

    look = 'text-anchor="end" transform="translate(150,30)" font-size="15px"'

    def drawn(label: str) -> bytes:
        """The operators of the page that show a label."""
        page = print_page(
            '<html lang="en"><head><title>t</title></head><body><svg xmlns="http://www.w3.org/2000/'
            f'svg" width="200" height="90">{label}</svg></body></html>'
        )
        data: bytes = PdfReader(BytesIO(page)).pages[0].get_contents().get_data()
        return data

    lines = ("pay", "54.19 to 53.74", "of all")
    apart = "".join(f'<text {look} y="{17 * k}">{line}</text>' for k, line in enumerate(lines))
    rest = "".join(f'<tspan x="0" dy="17">{line}</tspan>' for line in lines[1:])
    assert drawn(f"<text {look}><tspan>{lines[0]}</tspan>{rest}</text>") == drawn(apart)
    assert drawn(apart) != drawn(apart.replace('"end"', '"start"'))


def test_the_logo_is_printed_and_no_file_is_read(tmp_path: Path) -> None:
    from PIL import Image
    from pypdf import PdfReader

    from sqlrisk.report.html.printing import print_page

    Image.new("RGB", (3, 2), "red").save(tmp_path / "logo.png")
    Image.new("RGB", (7, 5), "red").save(tmp_path / "private.png")
    private = (tmp_path / "private.png").as_uri()
    files = (pa.table(file) for file in (ORIGINAL, SYNTHETIC))
    page = sqlrisk.score(
        *files, keys="sex", targets="income", measures="DiSCO", release=f"logo={tmp_path}/logo.png"
    ).to_html()
    data = print_page(page.replace("</main>", f'<img src="{private}" alt="private"></main>'))
    sheets = PdfReader(BytesIO(data)).pages
    assert {image.image.size for sheet in sheets for image in sheet.images} == {(3, 2)}


def test_a_long_name_of_a_population_may_break() -> None:
    """So that a wide table of subgroups fits the paper."""
    people = pa.table({"town": ["Niederösterreich", "Wien"] * 4, "ill": ["yes", "no"] * 4})
    page = sqlrisk.score(
        people, people, keys="town", targets="ill", by="town", measures="DiSCO"
    ).to_html()
    assert "town=<wbr>Niederösterreich</td>" in page
    assert "town=Wien</td>" in page


@pytest.mark.slow
def test_tables_keep_their_lines(pdf: Any) -> None:
    """Each row ends in a line: strokes or thin boxes of the colour of the grid, #e4e8ec, behind the
    numbers.
    """
    grid = [round(int(pair, 16) / 255, 2) for pair in ("e4", "e8", "ec")]
    colours = 0
    for page in pdf.pages:
        for operands, operator in page.get_contents().operations:
            colour = (
                [round(float(each), 2) for each in operands[:3]]
                if operator in (b"rg", b"RG", b"scn", b"SCN")
                else []
            )
            colours += colour == grid
    rows = sum(
        tag["/S"] == "/TR" for tag in elements(pdf.trailer["/Root"]["/StructTreeRoot"]["/K"])
    )
    assert colours >= rows > 50


def test_without_its_library_one_message_says_what_to_install(
    report: sqlrisk.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    monkeypatch.delitem(sys.modules, "sqlrisk.report.html.printing", raising=False)
    with pytest.raises(
        InputError, match=r"A PDF needs WeasyPrint and pypdf: pip install .* 'weasyprint<"
    ):
        report.to_pdf()
