"""The pages of sql/ are true: the example measure runs from a folder, and their lists are those of
the files.
"""

import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
import snapshots
import sqlglot

import sqlrisk
from sqlrisk.catalogue import families, measures, reasons, templates
from sqlrisk.catalogue.kinds import FRACTION, KINDS
from sqlrisk.common.resources import sql_folder
from sqlrisk.plan import assessment, comparisons
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Comparison, Layout

SQL = sql_folder()
MEASURES = SQL / "docs" / "measures.md"
PAGES = (SQL / "README.md", *sorted((SQL / "docs").glob("*.md")))
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
CODE = re.compile(r"`([^`]+)`")
ROAD = TEXT.partition("```text\n")[2].partition("```")[0]
MAIN_ROAD = " > ".join(
    re.findall(r"^[A-Z]+ {2,}([a-z_]+(?: > [a-z_]+)*) {2}", ROAD, re.MULTILINE)
).split(" > ")
PLAIN: Any = SimpleNamespace(excludes=False, exclude_missing=(), weights=None, near_keys=[])
KEY, TARGET = Column("k", 1, "sex"), Column("t", 1, "income")
ONE = Comparison(1, "1", "", (File(1, "synthetic"),), single=True, people=File(0, "original"))
LAYOUT = Layout(
    PLAIN, (ONE.people, *ONE.members), (KEY,), (TARGET,), (ONE,), (), key_columns=pack([KEY], None)
)
STAGES = {
    **{
        stage: comparisons.Cells(LAYOUT, (ONE,), (TARGET,)).read_by(stage)
        for stage in ("cells", "within")
    },
    "profiles": comparisons.Cells(LAYOUT, (ONE,), (TARGET,)).profiles(),
    "classes": comparisons.compared_classes(LAYOUT, [ONE]),
}
ROWS = assessment.Rows(LAYOUT.files, (KEY,), records=10, everything=True)
READ_BY_REASONS = [
    *assessment.copies(ROWS, LAYOUT),
    *assessment.level_sides(LAYOUT, [0], ["as_they_are"]),
    assessment.label_sides({(0, 0): ""}),
    assessment.look_alikes([assessment.LookAlike("levels_look_alike", 1, 0, 0, 3)]),
    assessment.cut_numbers({(1, 0): 4}),
    assessment.matched_people(LAYOUT),
    assessment.determined(LAYOUT.parts, LAYOUT.targets, "records", into="determined"),
    assessment.empty_rows(ROWS, LAYOUT.files, LAYOUT),
]


def block(language: str) -> str:
    """The only example in that language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return str(found)


def first_column(heading: str) -> set[str]:
    """The names in the first column of the table that starts so."""
    table = TEXT.partition(f"\n{heading}\n")[2].partition("\n\n")[0]
    return {name for line in table.splitlines() for name in CODE.findall(line.split("|")[1])}


def own(folder: Path, text: str) -> Path:
    (folder / "majority.sql").write_text(text, encoding="utf-8")
    return folder


def test_the_example_measure_runs_from_a_folder_and_agrees_with_its_case(tmp_path: Path) -> None:
    case = tomllib.loads(block("toml"))
    people, synthetic = (
        pa.table(case["original"]),
        [pa.table(columns) for columns in case["synthetic"]],
    )
    folder = str(own(tmp_path, block("sql")))
    report = sqlrisk.score(
        people, synthetic, measures=["own"], measures_from=folder, **case["scenario"]
    )
    (row,) = report.results
    (expected,) = case["results"]
    assert {name: row[name] for name in expected} == expected
    assert report.cells("majority", target="ill").rows == [("a", "ill", "y", 2, 2, 3, 3)]


def test_the_guide_shows_the_same_example() -> None:
    assert block("sql") in (Path(sqlrisk.__file__).parent / "guide" / "measures.md").read_text(
        encoding="utf-8"
    )


def test_an_example_with_a_header_key_that_the_table_lacks_is_refused(tmp_path: Path) -> None:
    folder = own(tmp_path, block("sql").replace("unit ", "units"))
    with pytest.raises(sqlrisk.InputError, match="units"):
        measures.load(folder / "majority.sql", "own")


def test_the_table_of_header_keys_is_complete() -> None:
    assert first_column("| key | what it holds |") == {*measures._REQUIRED, *measures._OPTIONAL}
    assert first_column("| key of a family | what it holds |") == {
        *families._REQUIRED,
        *families._OPTIONAL,
    }
    assert first_column("| key for reports | what it holds |") == {*measures._SHOWN}


def test_the_golden_table_of_kinds() -> None:
    head = "| whole | weighted | populations |\n|---|---|---|---|---|\n"
    shown = MEASURES.read_text(encoding="utf-8").partition(head)[2].partition("\n\n")[0]
    meanings = {CODE.findall(line)[0]: line.split("|")[2] for line in shown.splitlines()}
    assert meanings.keys() == KINDS.keys()
    sides = {FRACTION: "both", ("least", "value"): "both", (): ""}
    text = ""
    for name, meaning in meanings.items():
        kind = KINDS[name]
        facts = (
            sides.get(kind.whole, " ".join(kind.whole)),
            "yes" if kind.weighable else "",
            "yes" if kind.of_people and kind.sides else "",
        )
        text += f"| `{name}` |{meaning}| {' | '.join(facts)} |\n".replace("  ", " ")
    snapshots.passage(MEASURES, head, f"{shown}\n", text)


@pytest.mark.parametrize("stage", STAGES)
def test_the_golden_columns_of_a_stage(stage: str) -> None:
    """That it offers to a measure."""
    table = TEXT.partition("\n| table | columns | a row |\n")[2].partition("\n\n")[0]
    ((names, offered),) = (
        line.split("|")[1:3]
        for line in table.splitlines()
        if stage in CODE.findall(line.split("|")[1])
    )
    query: Any = sqlglot.parse_one(STAGES[stage], dialect="duckdb")
    columns = ", ".join(f"`{name}`" for name in query.named_selects if name != "class_key")
    snapshots.passage(MEASURES, f"|{names}|", offered, f" {columns} ")


def test_the_table_of_header_keys_of_a_reason_is_complete() -> None:
    assert first_column("| header of a reason | what it holds |") == {
        *reasons._REQUIRED,
        *reasons._OPTIONAL,
    }


def test_the_columns_offered_to_a_reason_are_those_of_its_table() -> None:
    assert {step.table for step in READ_BY_REASONS} == {*reasons.TABLES}
    rows = TEXT.partition("\n| table | rows | columns |\n")[2].partition("\n\n")[0].splitlines()[1:]
    offered = {CODE.findall(line)[0]: line.split("|")[3] for line in rows}
    for step in READ_BY_REASONS:
        query: Any = sqlglot.parse_one(step.sql, dialect="duckdb")
        named = {
            name
            for name in CODE.findall(re.sub(r"\([^)]*\)", "", offered[step.table]))
            if not name.startswith("{{")
        }
        assert named == {*query.find(sqlglot.exp.Select).named_selects}


def test_every_measure_is_compared_with_its_paper_and_with_other_programs() -> None:
    named = first_column("| measures | paper | elsewhere |")
    assert named == {measure.name for measure in measures.catalog()}


def test_every_measure_says_its_source_in_both_places() -> None:
    """Whose paper the page names, the measure's file names too."""
    table = TEXT.partition("\n| measures | paper | elsewhere |\n")[2].partition("\n\n")[0]
    known = {measure.name: measure for measure in measures.catalog()}
    for line in table.splitlines()[1:]:
        _, names, paper, *_ = line.split("|")
        for author in re.findall(
            r"Raab|Taub|Elliot|Hittmeir|Baillargeon|Machanavajjhala|Franconi|Reiter & Mitra|Wang",
            paper,
        ):
            assert any(author in known[name].source for name in CODE.findall(names)), (
                author,
                names,
            )


def test_the_glossary_has_each_word_once_and_what_python_computes_is_where_it_says() -> None:
    glossary = (
        TEXT.partition("\n| standard term | here | what it is | symbols |\n")[2]
        .partition("\n\n")[0]
        .splitlines()[1:]
    )
    words = [line.split("|")[1].strip() for line in glossary]
    assert len(words) == len(set(words)) > 20
    listed = (SQL / "docs" / "python.md").read_text(encoding="utf-8")
    named = {SQL.parent / path for path in CODE.findall(listed) if path.endswith(".py")}
    computing = re.compile(
        r"^ *(import|from) (numpy|scipy|sklearn|random|statistics)\b", re.MULTILINE
    )
    libraries = {
        path
        for path in (SQL.parent / "sqlrisk").rglob("*.py")
        if computing.search(path.read_text(encoding="utf-8"))
    }
    assert libraries <= named
    assert [
        path
        for path in named - libraries
        if not re.search(r" [-*/<>]=? ", path.read_text(encoding="utf-8"))
    ] == []


@cache
def reads() -> dict[str, set[str]]:
    """What each table reads, by the header of its file: the words there."""
    paths = [
        path for folder in ("stages", "tables", "uniques") for path in (SQL / folder).rglob("*.sql")
    ]
    heads = {path.stem: templates.header(path.relative_to(SQL).as_posix()) for path in paths}
    return {name: set(re.findall(r"\w+", head["reads"])) for name, head in heads.items()}


def below(table: str) -> set[str]:
    """All that a table is made from, step by step."""
    found, new = set[str](), {table}
    while new:
        new = {name for each in new for name in reads().get(each, ())} - found
        found |= new
    return found


def test_the_main_road_is_that_of_the_heads() -> None:
    assert (MAIN_ROAD[0], MAIN_ROAD[-1]) == ("values", "summaries")
    for before, after in pairwise(MAIN_ROAD):
        assert before in reads()[after], f"{after} does not read {before}"


def test_side_roads_are_those_of_the_heads() -> None:
    """Each end is made from a table of the main road; what is on the way is read for an end."""
    rows = (
        TEXT.partition("\n| question | leaves at | tables on the way | ends at |\n")[2]
        .partition("\n\n")[0]
        .splitlines()[1:]
    )
    roads = [[CODE.findall(cell) for cell in line.split("|")[2:5]] for line in rows]
    assert len(roads) > 15
    for leaves, way, ends in roads:
        assert {*leaves, *way, *ends} <= reads().keys()
        assert [end for end in ends if leaves and not below(end) & {*leaves}] == []
        assert [each for each in way if not any(each in below(end) for end in ends)] == []
    folders = re.findall(r"(?:stages/\w+|attackers|reasons)(?= *[/,;|])", "\n".join(rows))
    assert [name for name in folders if not (SQL / name).is_dir()] == []


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page ends with."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_to_a_heading_that_is_there(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8"))
    found = [(page.parent / path if path else page, heading) for path, heading in links]
    assert [path for path, _ in found if not path.exists()] == []
    assert [
        (path.name, heading) for path, heading in found if heading and heading not in anchors(path)
    ] == []


def test_the_first_page_is_short() -> None:
    assert len((SQL / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_glossary_is_of_the_words_that_are_used() -> None:
    """Where the standard term is another, ours stands beside it."""
    rows = TEXT.partition("\n| standard term | here | what it is | symbols |\n|---|---|---|---|\n")[
        2
    ].partition("\n\n")[0]
    here = dict(tuple(each.strip() for each in line.split("|")[1:3]) for line in rows.splitlines())
    assert here["quasi-identifier, key variable"] == "key"
    assert here["sensitive attribute"] == "target"
    assert [word for word, ours in here.items() if word == ours] == []


def test_the_main_road_is_the_order_of_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many records. The page says what differs for few."""
    monkeypatch.setattr("sqlrisk.plan.layout.FEW_RECORDS", 0)
    people = pa.table({"town": ["a", "b"], "ill": ["y", "n"], "job": ["y", "n"]})
    ordered = sqlrisk.sql(None, people, [people, people], keys=["town"], stages=True)
    run = [
        Path(path).stem
        for line in ordered.splitlines()
        if " < " in line or line.endswith(".sql")
        for path in line.split(" < ")[::-1]
    ]
    rest = iter(run)
    assert [name for name in MAIN_ROAD if name in rest] == MAIN_ROAD


def test_every_stage_and_table_is_named() -> None:
    words = set(re.findall(r"\w+", TEXT))
    assert {
        path.stem for folder in ("stages", "tables") for path in (SQL / folder).rglob("*.sql")
    } - words == set()


def test_every_column_that_a_measure_reads_is_explained() -> None:
    bodies = [
        " ".join([measure.risky or "", *measure.aggregates.values()])
        for measure in measures.catalog()
    ]
    used = {
        name
        for body in bodies
        for name in re.findall(r"\b[a-z]+(?:_[a-z]+)*\b", re.sub(r"\{\{.*?\}\}", "", body))
    }
    explained = first_column("| column | meaning | in formulas |")
    assert used - explained == set()
    assert {"n_orig", "n_syn", "people", "counted_orig"} <= used
