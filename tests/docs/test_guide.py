"""The guide: its pages hold together, a terminal shows them, a browser shows them without any
network.
"""

import ast
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
import snapshots
from browser import chromium
from markdown_it.common.utils import escapeHtml

from sqlrisk.catalogue.reasons import reasons
from sqlrisk.common.errors import InputError
from sqlrisk.report import guide
from tests.cli.test_cli import sqlrisk as command

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "sqlrisk" / "guide"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
CONTENTS = {"start"}  # all of it is what next
NOTEBOOKS = {
    f"notebook_{path.stem}": path for path in sorted((ROOT / "data" / "notebooks").glob("*.ipynb"))
}
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_begins_with_its_title_and_what_it_answers(topic: str) -> None:
    title, gap, answers, end, *_ = PAGES[topic].splitlines()
    assert re.fullmatch(r"# \w.*", title)
    assert re.fullmatch(r"[A-Z][^.]*(al\.)?[^.]*\.", answers)
    assert gap == end == ""
    assert not re.findall(r"^# ", CODE.sub("", PAGES[topic]).partition("\n")[2], re.MULTILINE)


@pytest.mark.parametrize("topic", sorted({*PAGES} - CONTENTS))
def test_a_page_begins_with_an_example_and_ends_with_what_next(topic: str) -> None:
    text = PAGES[topic]
    assert re.search(r"^(    |```|`{1,2}[a-z])", text.partition("\n## ")[0], re.MULTILINE)
    _, told, links = text.rpartition("\n## Next\n\n")
    assert told
    assert all(re.match(r"- .*\]\(", line) for line in links.splitlines())


@pytest.mark.parametrize("topic", sorted({*PAGES} - {"api"}))
def test_python_keeps_its_lines(topic: str) -> None:
    """A program that wraps prose once joined the lines of an example."""
    for code in re.findall(
        r"^```python\n(?!>>>)(.*?)^```$", PAGES[topic], re.DOTALL | re.MULTILINE
    ):
        assert ast.parse(code).body


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_links_to_pages_alone(topic: str) -> None:
    """So that it reads the same in a checkout, in an installation and in a browser. Another test
    looks at the headings.
    """
    for target in re.findall(r"\]\(([^)]*)\)", CODE.sub("", PAGES[topic])):
        page, _, heading = target.partition("#")
        assert (page.removesuffix(".md") if page else heading and topic) in PAGES


def test_every_page_is_in_the_contents_by_the_time_that_it_takes() -> None:
    assert set(guide.pages()) == set(PAGES)
    assert len(guide.pages()) == len(PAGES)
    groups = [*dict.fromkeys(page.group for page in guide.pages().values())]
    assert groups[:2] == ["First minute", "First hour"]
    assert all(group.startswith("Reference: ") for group in groups[2:])


def test_every_reason_is_in_the_guide_with_its_state() -> None:
    table = re.findall(r"^\| `(\w+)` \| ([a-z ]+) \|", PAGES["files"], re.MULTILINE)
    assert sorted(table) == sorted((reason.name, reason.state) for reason in reasons())


def test_the_command_lists_the_pages() -> None:
    code, out, err = command("guide")
    assert (code, err) == (0, "")
    for topic, line in zip(guide.pages(), out.splitlines(), strict=True):
        assert line.split(maxsplit=1) == [topic, PAGES[topic].partition("\n")[0].removeprefix("# ")]


def test_the_command_shows_a_page_as_it_is_written() -> None:
    code, out, err = command("guide", "scoring")
    assert (code, err) == (0, "")
    assert out.startswith("# Choose keys and targets\n\nAsk a question")
    assert "A policy (`sqlrisk guide policy`) judges both" in out
    assert "<!--" not in command("guide", "scoring")[1]


def test_a_page_that_became_part_of_another_is_found_by_its_former_name() -> None:
    for former, topic in guide.FORMER.items():
        assert former not in PAGES
        assert guide.page(former).text == guide.page(topic).text
    code, out, err = command("guide", "aligned")
    assert (code, err) == (0, "")
    assert out.startswith("# ")
    assert "## Partially synthetic files" in out


def test_an_unknown_page_is_refused() -> None:
    code, out, err = command("guide", "recods")
    assert (code, out) == (2, "")
    assert "no page 'recods' (did you mean 'records' or 'recodes' or 'reports'?)" in err
    with pytest.raises(InputError, match="did you mean 'fuzzing'"):
        guide.page("fuzing")


@pytest.mark.parametrize(
    "topic", ["benchmarks", "faults", "fuzzing", "licenses", "supply chain", "testing"]
)
def test_topics_of_builders_show_what_users_need_and_name_the_file(topic: str) -> None:
    shown = guide.page(topic)
    assert shown.topic == "security"
    for path in guide.BUILDERS:
        assert (ROOT / path).is_file()
        assert path in shown.text


@pytest.mark.parametrize("topic", PAGES)
def test_a_terminal_keeps_the_lines_of_examples(topic: str) -> None:
    drawn = re.sub(r"\x1b\[[\d;]*m", "", guide.coloured(guide.pages()[topic], 80))
    lines = {line.rstrip() for line in drawn.splitlines()}
    for example in CODE.findall(PAGES[topic]):
        assert {line for line in example.splitlines()[1:-1] if len(line) <= 80} <= lines
    assert max(map(len, drawn.splitlines())) <= 80


@pytest.mark.slow
def test_the_questions_to_a_saved_run_have_the_answers_shown_golden(tmp_path: Path) -> None:
    *_, question = re.findall(
        r"^    sqlrisk (score .*?)\n    sqlrisk", PAGES["sql"], re.DOTALL | re.MULTILINE
    )
    words = shlex.split(
        question.replace("\\\n", " ").replace("risk.duckdb", str(tmp_path / "risk.duckdb"))
    )
    assert command(*words, "-q", folder=ROOT / "data" / "census")[0] == 0
    (block,) = re.findall(r"^```sql\n(.*?)^```", PAGES["sql"], re.DOTALL | re.MULTILINE)
    asked = re.findall(
        r"^-- \d+\. .*?\n(.*?);\n((?:--    [^\n]*\n)+)", block, re.DOTALL | re.MULTILINE
    )
    assert len(asked) == 7
    with duckdb.connect(str(tmp_path / "risk.duckdb"), read_only=True) as saved:
        for statement, shown in asked:
            rows = saved.execute(statement).fetchall()
            answer = "".join(f"--    {' | '.join(map(str, row))}\n" for row in rows)
            snapshots.passage(FOLDER / "sql.md", f"{statement};\n", shown, answer)


def test_the_site_is_written_to_a_new_folder_alone(tmp_path: Path) -> None:
    code, out, err = command("guide", "-o", "site", folder=tmp_path)
    assert (code, out, err) == (0, "", f"{len(PAGES)} pages in site; begin with index.html\n")
    site = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "site").iterdir()}
    assert site.keys() == {"index.html", *(f"{topic}.html" for topic in PAGES)}
    assert site["index.html"] == site["start.html"]
    assert command("guide", "-o", "site", folder=tmp_path)[0] == 2
    assert command("guide", "records", "-o", "other", folder=tmp_path)[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """What `sh scripts/docs` writes: the guide, the notebooks, and the pages for builders."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from docs import built

    return guide.browsed(built())


def test_no_link_leads_nowhere(tmp_path: Path, site: Mapping[str, str]) -> None:
    """By what `sh scripts/docs` looks at: the site, and the pages of the repository."""
    from links import dead

    for name, text in site.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert dead(tmp_path, ROOT) == []
    more = {*NOTEBOOKS, *(Path(path).stem for path in guide.BUILDERS)}
    assert site.keys() - guide.browsed().keys() == {f"{topic}.html" for topic in more}
    assert re.findall("<h2>(Notebooks|For builders)</h2>", site["index.html"]) == [
        "Notebooks",
        "For builders",
    ]
    assert all(f'<li><a href="{topic}.html">' in site["index.html"] for topic in more)
    page = tmp_path / "start.html"
    page.write_text(
        '<h1 id="a">A</h1><a href="#a"></a><a href="#b"></a><a href="records.html#c"></a><a '
        'href="d.html"></a>'
    )
    assert dead(tmp_path) == [f"{page}: {link}" for link in ("#b", "records.html#c", "d.html")]


def test_the_guide_links_to_files_of_the_source_code_on_the_site_alone(
    site: Mapping[str, str],
) -> None:
    """An installation has no such files."""
    for page, name, target in (
        ("python", "<code>data/notebooks/survey.ipynb</code>", "notebook_survey"),
        ("r", "<code>data/notebooks/synthpop.ipynb</code>", "notebook_synthpop"),
        ("security", "sql/docs/testing.md", "testing"),
        ("security", "data/licences.md", "licences"),
    ):
        link = f'<a href="{target}.html">{name}</a>'
        assert link in site[f"{page}.html"]
        installed = guide.browsed()[f"{page}.html"]
        assert name in installed
        assert link not in installed


@pytest.mark.parametrize("topic", NOTEBOOKS)
def test_the_site_shows_a_notebook_with_what_comes_out(topic: str, site: Mapping[str, str]) -> None:
    page, blocks = site[f"{topic}.html"], []
    for cell in json.loads(NOTEBOOKS[topic].read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            blocks.append(("python", "".join(cell["source"])))
            blocks += [("text", "".join(output["text"])) for output in cell["outputs"]]
    assert {language for language, _ in blocks} == {"python", "text"}
    expected = "".join(
        f'<pre><code class="language-{language}">{escapeHtml(text)}\n</code></pre>\n'
        for language, text in blocks
    )
    shown = re.findall(r'<pre><code class="language-(?:python|text)">.*?</pre>\n', page, re.DOTALL)
    assert "".join(shown) == expected
    assert not re.search(r"<(script|img|iframe|object|embed|link)\b|\ssrc=|url\(", page)
    assert "default-src 'none'" in page


def test_what_a_notebook_prints_cannot_become_part_of_the_page(
    tmp_path: Path, site: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what cannot be shown is not left out without a word."""
    import docs

    monkeypatch.setattr(docs, "ROOT", tmp_path)
    path, evil = tmp_path / "evil.ipynb", '```\n<script src="https://example.org/x.js"></script>'
    output: dict[str, object] = {"output_type": "stream", "name": "stdout", "text": [evil]}
    cells = [
        {"cell_type": "markdown", "source": ["# Evil\n", "<script>1</script>"]},
        {"cell_type": "code", "source": [evil], "outputs": [output]},
    ]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    page = guide.browsed([guide.Page("evil", "", docs.notebook(path))])["evil.html"]
    assert "<script" not in page
    assert page.count(f"{escapeHtml(evil)}\n</code></pre>") == 2
    output["data"] = {"text/html": output.pop("text")}
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    with pytest.raises(KeyError, match="text"):
        docs.notebook(path)


@pytest.mark.slow
def test_a_browser_shows_the_site_without_a_network(
    tmp_path: Path, site: Mapping[str, str]
) -> None:
    for name, text in site.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with chromium() as browser:
        for width, dark in ((1280, False), (400, True)):
            for path in sorted(tmp_path.iterdir()):
                browser.open(path, width=width, dark=dark, scripts=False)
                assert browser.requests() == [path.as_uri()]
                assert browser.complaints() == []
            browser.open(tmp_path / "measures.html", width=width, dark=dark)
            assert len(browser.requests()) == 1
            assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
            current = browser.run("return document.querySelector('[aria-current]').textContent")
            assert (
                current
                == browser.run("return document.querySelector('h1').textContent")
                == "Measures"
            )
            links = browser.run("return [...document.links].map(link => link.href)")
            assert {Path(link.partition("#")[0].removeprefix("file://")) for link in links} == {
                *tmp_path.iterdir()
            } - {tmp_path / "index.html"}
            assert browser.run("return document.querySelectorAll('main li').length") > 80
