"""The report: rows, sentences and every form they take."""

import csv
import io
import json
import os
import re
import stat
from dataclasses import replace
from datetime import date
from decimal import Decimal
from operator import itemgetter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import format_of, replacing
from sqlrisk.inputs.scenario import read
from sqlrisk.report.blocks import Grid, GridColumn, Heading, Items, Paragraph, table
from sqlrisk.report.columns import COLUMNS
from sqlrisk.report.decision import sentences
from sqlrisk.report.formats.markdown import escaped, markdown
from sqlrisk.report.formats.screen import LINES, fitting
from sqlrisk.report.formats.tabular import to_arrow, to_csv
from sqlrisk.report.formats.text import in_encoding, text
from sqlrisk.report.listing import Listing
from sqlrisk.report.measure_catalogue import listed
from sqlrisk.report.report import Report
from sqlrisk.report.wording import amount, shown

TEXTS = {measure.name: measure.sql for measure in catalog()}
UNITS = {measure.name: measure.unit for measure in catalog()}
FAMILIES = {measure.name: measure.family for measure in catalog()}


def row(measure, value, numerator=None, denominator=8, **more):
    return {
        "measure": measure, "family": FAMILIES[measure], "at": None, "target": None,
        "synthesis": "1",
        "population": "all", "people": "original", "weighted": False, "numerator": numerator,
        "denominator": denominator, "value": value, "unit": UNITS[measure], **more,
    }  # fmt: skip


def report(results, **more):
    settings = {
        "keys": ["sex", "age"], "targets": ["income"], "bins": {"age": 10},
        "special": {"age": ["-8"]},
        "exclude_level": {"income": ["none"]}, "exclude_missing": [], "max_cell": 5,
        "max_cell_syn": None,
        "exclude_pair": [{"target": "income", "target_level": "hi", "key": "sex",
            "key_level": "F"}],
    }  # fmt: skip
    files = {
        "original": {"source": "original.parquet", "records": 8, "classes": 6},
        "synthetic": [{"source": "syn.parquet", "records": 6, "classes": 5, "synthesis": "1"}],
    }
    return Report(**{"scenario": settings, **files, "results": results, "texts": TEXTS, **more})


ONE = [
    row("UiO", 50.0, 4),
    row("repU", 25.0, 2),
    row("Dorig", 75.0, 6, target="income"),
    row("DiSCO", 50.0, 4, target="income"),
    row("baseCAPd", 40.625, 26, 64, target="income"),
    row("CAPd", 87.5, 7, target="income"),
    row("TCAP_disclosive", None, 0, 0, target="income"),
]
SEVERAL = [
    row(name, value, numerator, denominator, target="income", synthesis=synthesis)
    for name in ("Dorig", "DiSCO")
    for synthesis, value, numerator, denominator in [
        ("1", 50.0, 4, 8), ("2", 75.0, 6, 8), ("mean", 62.5, None, None), ("min", 50.0, None, None),
        ("max", 75.0, None, None), ("pooled 1-2", 25.0, 2, 8),
    ]
]  # fmt: skip


def line_with(page, *words):
    found = [line for line in page.splitlines() if all(word in line for word in words)]
    assert found, f"no line with {words} in\n{page}"
    return found[0]


# ---- numbers and names for reading
# -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (37.774, "percent of original records", "37.77"),
        (0.0, "percent of original records", "0.00"),
        (0.004, "percent of original records", "0.004"),
        (0.00043, "percent of original records", "0.0004"),
        (0.00004, "percent of original records", "<0.0001"),
        (-0.004, "percent of the way", "-0.004"),
        (-0.00004, "percent of the way", ">-0.0001"),
        (-3.2, "percent of the way", "-3.20"),
        (99.998, "percent of original records", "99.998"),
        (99.99997, "percent of original records", ">99.9999"),
        (100.004, "percent of the way", "100.004"),
        (100.0, "percent of original records", "100.00"),
        (100, "percent of original records", "100.00"),
        (199523, "people per cell", "199,523"),
        (12.345678, "people per cell", "12.35"),
        (None, "percent of original records", "–"),
    ],
)
def test_amount(value, unit, said):
    assert amount(value, unit) == said


def test_names_are_one_printable_line():
    assert shown(None) == "(missing)"
    assert shown("") == '""'
    assert shown("a\nb\x1b[31m\u202e") == "a\\nb\\x1b[31m\\u202e"
    assert shown("żółć | 日本") == "żółć | 日本"


# ---- text
# --------------------------------------------------------------------------------------------------


def test_bins_that_are_no_quantiles_are_said_to_be_of_equal_width():
    values = [0] * 16 + [5, 20, 30, 40]
    table = pa.table({"wage": values, "age": [*range(20)], "ill": ["y", "n"] * 10})
    found = sqlrisk.score(
        table, table, keys=["wage", "age"], targets=["ill"], bins={"wage": 4, "age": 4}
    )
    for each in (found, replace(found, scenario={**found.scenario, "bins": ["wage=4", "age=4"]})):
        page = " ".join(each.to_text(width=80).split())
        assert (
            "wage in 4 bins of equal width (quantiles leave fewer than 3 bins), "
            "age in 4 quantile bins"
        ) in page
    assert found.to_dict()["equal_width"] == ["wage"]


def test_what_somebody_has_of_many_keys_is_their_values():
    few = report([row("iS_near", 50.0, 4)])
    many = replace(few, scenario={**few.scenario, "keys": ["sex", "age", "town", "race"]})
    ((_, of_few),), ((_, of_many),) = ([*sentences.of_rows(each)] for each in (few, many))
    assert str(of_few).endswith("within the tolerance of their sex and age.")
    assert str(of_many).endswith("within the tolerance of their values of these columns.")


@pytest.mark.parametrize("files", [2, 5, 6])
def test_few_syntheses_are_shown_each_many_by_their_range(files):
    """As table 1 of Raab 2024: a row for each of five; with their mean, and the widest pool."""
    pools = [f"pooled 1-{n}" for n in range(2, files + 1)]
    labels = [*(str(n) for n in range(1, files + 1)), "mean", "min", "max", *pools]
    results = [
        row(name, 10.0 * place, target="income", synthesis=label)
        for name in ("Dorig", "DiSCO")
        for place, label in enumerate(labels)
    ]
    synthetic = [
        {"source": f"{n}.parquet", "records": 6, "classes": 5, "synthesis": str(n)}
        for n in range(1, files + 1)
    ]
    made = report(results, synthetic=synthetic)
    page = made.to_text(width=80)
    told = [*labels[:files], "mean"] if files < 6 else ["mean", "min", "max"]
    wanted = [
        [*label.split(), *[f"{10.0 * labels.index(label):.2f}"] * 2] for label in (*told, pools[-1])
    ]
    lines = [
        line.split()
        for line in page[page.index("Attributes: ") :].splitlines()[4 : 4 + len(wanted)]
    ]
    assert lines == [["income", *wanted[0]], *wanted[1:]]
    assert ("more than 5 syntheses" in page) is (files == 6)
    marked = made.to_markdown()
    assert all(f" {' '.join(words)} | {value} | {value} |" in marked for *words, value, _ in wanted)


def test_named_syntheses_keep_their_names():
    results = [
        row("DiSCO", 50.0, 4, target="income", synthesis=label) for label in ("cart 1", "rf 1")
    ]
    files = [
        {"source": f"{n}.parquet", "records": 6, "classes": 5,
            "synthesis": f"{n} 1"} for n in ("cart", "rf")
    ]  # fmt: skip
    page = report(results, synthetic=files).to_text(width=80)
    assert line_with(page, "cart 1", "50.00")
    assert line_with(page, "rf 1", "50.00")
    assert line_with(page, "cart 1", "cart.parquet")


@pytest.mark.parametrize("width", few([40, 60, 80, 100, 140], 2))
def test_no_line_is_wider_than_asked_for(width):
    results = [
        row(
            measure,
            12.345,
            1,
            target=None if FAMILIES[measure] == "identity" else target,
            synthesis=synthesis,
        )
        for measure in TEXTS
        for target in ("income", "a_column_with_a_rather_long_name", "日本語の列")
        for synthesis in ("1", "mean", "min", "max", "pooled 1-3")
    ]
    page = report(results).to_text(width=width)
    from rich.cells import cell_len

    assert max(cell_len(line) for line in page.splitlines()) <= width
    assert page.count("12.35") >= len(TEXTS)


def test_plain_text_has_no_escapes_and_colour_adds_them():
    assert "\x1b" not in report(ONE).to_text()
    assert "\x1b[" in report(ONE).to_text(colour=True)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", report(ONE).to_text(colour=True))
    assert bare.split() == report(ONE).to_text().split()


def test_checks_are_told():
    one_way = [
        {"target": "income", "synthesis": s, "Level": None, "All": 8, "PctLevelAll": 50.0,
            "totalDisclosive": 60,
         "nLevelDis": 58, "PctLevelDis": 96.6}
        for s in ("1", "2", "3")
    ]  # fmt: skip
    two_way = [
        {"target": "income", "synthesis": "1", "target_level": "hi", "key": "sex",
            "key_level": f"level {n}",
         "npairs": 100 - n, "key_target_total": 9, "key_total": 10, "PctTargetKeyLevel": 90.0}
        for n in range(14)
    ]  # fmt: skip
    checks = {"one_way": one_way, "two_way": two_way}
    page = report(ONE, checks=checks).to_text(width=100)
    page = page[page.index("One-way check") :]
    assert line_with(page, "(missing)", "96.60").split()[1:] == [
        "1",
        "to",
        "3",
        "(missing)",
        "60",
        "58",
        "96.60",
        "50.00",
    ]
    assert "level 9 " in page
    assert "level 10" not in page
    assert "4 more pairs" in page


def determined(levels):
    """Rows of the two-way check: levels of sex that nearly determine a level of income."""
    return [
        {"target": "income", "synthesis": "1", "target_level": "hi", "key": "sex",
         "key_level": level, "npairs": 100 - place, "PctTargetKeyLevel": 90.0}
        for place, level in enumerate(levels)
    ]  # fmt: skip


def test_a_missing_level_and_an_empty_text_are_two_pairs():
    page = report(ONE, checks={"two_way": determined([None, ""])}).to_text(width=100)
    page = page[page.index("Two-way check") :]
    assert line_with(page, "(missing)").split()[-3:] == ["(missing)", "100", "90.00"]
    assert line_with(page, '""').split()[-3:] == ['""', "99", "90.00"]


def test_one_more_pair_than_the_first_ten_is_in_the_singular():
    page = report(ONE, checks={"two_way": determined(range(11))}).to_text(width=100)
    assert "\n1 more pair: --format json lists all.\n" in page


def test_hostile_names_are_shown_as_they_are():
    name = "[bold]x[/bold] {{ 7*7 }} <b>|\x1b[2J"
    results = [row("DiSCO", 50.0, 4, target=name)]
    page = report(results).to_text(width=140)
    assert "[bold]x[/bold] {{ 7*7 }} <b>|\\x1b[2J" in page
    marked = report(results).to_markdown()
    assert r"\[bold\]x\[/bold\] {{ 7\*7 }} \<b\>\|\\x1b\[2J" in marked


def test_in_encoding_replaces_what_is_lacking():
    assert in_encoding("── – …", "ascii") == "-- - ..."
    assert in_encoding("ż", "ascii") == "\\u017c"
    assert in_encoding("── ż", "utf-8") == "── ż"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("count", [1, 3, 9])
@pytest.mark.parametrize("above", ["", "people of working age"])
def test_a_grid_keeps_its_order_and_its_words_within_the_width(width, count, above):
    names = [f"{'n' if number % 2 else 'text'}{number}" for number in range(2 * count)]
    columns = [
        GridColumn(name, label=not number % 2, above=above if number % 3 else "")
        for number, name in enumerate(names)
    ]
    rows = [
        [f"United-States-{row} of" if column.label else "12.34" for column in columns]
        for row in range(3)
    ]
    page = text([Grid(columns, rows)], width=width)
    assert max(map(len, page.splitlines())) <= width
    words = page.split()
    assert [*dict.fromkeys(word for word in words if word in names)] == names
    assert words.count("12.34") == 3 * count  # each number once
    assert {word for row in rows for value in row for word in value.split()} <= {*words}


def test_a_row_too_wide_stands_vertically():
    columns = [
        GridColumn("town", label=True, once=True),
        GridColumn("DCAP", above="synthetic", label=False),
        GridColumn("note", label=True),
    ]
    rows = [["Ay", "1.00", "w" * 30], ["", "22.00", "x"], ["Be", "3.00", "y"]]
    assert text([Grid(columns, rows, frozenset({0, 2}))], width=40).splitlines() == [
        "  town            Ay",
        "  synthetic DCAP  1.00",
        f"  note            {'w' * 22}",
        f"                  {'w' * 8}",
        "",
        "  town            Ay",
        "  synthetic DCAP  22.00",
        "  note            x",
        "",
        "  town            Be",
        "  synthetic DCAP  3.00",
        "  note            y",
    ]


def test_rows_that_stand_vertically_stand_beside_each_other_if_they_fit():
    columns = [GridColumn("target", label=True), *(GridColumn(f"number{n}") for n in range(9))]
    page = text([Grid(columns, [["income", *["12.34"] * 9], ["ill", *["5.67"] * 9]])], width=50)
    assert page.splitlines() == [
        "  target   income  ill",
        *(f"  number{n}  12.34   5.67" for n in range(9)),
    ]


def test_a_grid_without_headings_begins_with_its_names():
    page = text([Grid([GridColumn("level", label=True), GridColumn("n")], [["a", "1"]])])
    assert page.splitlines() == ["  level  n", "  ────────", "  a      1"]


# ---- programs
# ----------------------------------------------------------------------------------------------


def test_json_is_the_contract():
    document = json.loads(report(ONE).to_json())
    assert list(document) == [
        "sqlrisk", "schema", "assessment", "copies", "columns", "scenario", "original", "synthetic",
        "results", "checks",
        "exclusions", "levels", "overlap", "engine",
    ]  # fmt: skip
    assert list(document["results"][0]) == list(COLUMNS)
    assert document["results"][0]["numerator"] == 4
    assert isinstance(document["results"][0]["numerator"], int)
    assert document["results"][-1]["value"] is None
    assert document["checks"] == {"one_way": [], "two_way": []}


def test_json_has_no_nan():
    assert "NaN" not in report([row("DiSCO", float("nan"), 4, target="income")]).to_json()


def test_csv_holds_the_result_rows():
    rows = list(csv.DictReader(io.StringIO(report(ONE).to_csv())))
    assert [each["measure"] for each in rows] == [each["measure"] for each in ONE]
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["numerator"], rows[0]["value"], rows[0]["target"], rows[0]["weighted"]) == (
        "4",
        "50.0",
        "",
        "false",
    )
    assert rows[-1]["value"] == ""


def test_csv_tells_empty_text_from_missing():
    assert to_csv(["a", "b"], [[None, ""], ['q"', "x,\ny"]]) == 'a,b\n,""\n"q""","x,\ny"\n'
    # readers skip an empty line, but not a quoted text
    one = to_csv(["a"], [["x"], [None], [""], ["y"]])
    assert one == 'a\nx\n""\n""\ny\n'
    assert [each["a"] for each in csv.DictReader(io.StringIO(one))] == ["x", "", "", "y"]


def test_tables_have_one_type_per_column_and_no_nan():
    table = report(ONE).to_arrow()
    assert table.column_names == list(COLUMNS)
    assert str(table.schema.field("value").type) == "double"
    assert table.column("value").to_pylist()[-1] is None
    frame = report(ONE).to_pandas()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["value"].isna().sum() == 1
    assert frame.loc[0, "value"] == 50.0
    assert repr(frame.loc[0, "target"]) == "<NA>"
    empty = report([]).to_pandas()
    assert list(empty.columns) == list(COLUMNS)


def test_what_writes_a_file_returns_its_path(tmp_path):
    """In place of a text that a notebook would show all of."""
    import pyarrow.parquet as pq

    full = report(ONE)
    for form in ("json", "csv", "markdown", "html"):
        path = tmp_path / f"r.{form}"
        assert getattr(full, f"to_{form}")(path) == str(path)
        assert path.read_text(encoding="utf-8") == getattr(full, f"to_{form}")()
    path = tmp_path / "r.parquet"
    assert full.to_parquet(path) == str(path)
    assert pq.read_table(path).equals(full.to_arrow())
    path = tmp_path / "r.png"
    assert full.to_png(path) == str(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert len([*tmp_path.iterdir()]) == 6


def test_markdown_is_github_tables():
    page = report(ONE).to_markdown()
    assert page.startswith("# Disclosure risk of synthetic data\n")
    assert (
        "| target | original Dorig | synthetic DiSCO |\n| --- | ---: | ---: |\n| income | 75.00 | "
        "50.00 |"
    ) in page
    assert escaped("DCAP_matched _x_ a|b") == r"DCAP_matched \_x\_ a\|b"


def test_labels_do_not_act_as_markup_at_the_start_or_end_of_a_line():
    labels = ["# of children", "1. How is your health?", "2) a", "+ b", "- 50000.", "---", "    c"]
    blocks = [Heading("Item #"), *map(Paragraph, labels), Items([*labels, "-1.2", "1.5 %", "d #e"])]
    lines = [r"\# of children", r"1\. How is your health?", r"2\) a", r"\+ b", r"\- 50000."]
    lines += [r"\---", "c"]
    assert [line for line in markdown(blocks).splitlines() if line] == [
        r"## Item \#",
        *lines,
        *(f"- {line}" for line in [*lines, "-1.2", "1.5 %", r"d \#e"]),
    ]
    # nothing begins a list in a cell
    cells = Grid([GridColumn("level", label=True)], [["- 50000."], ["-1.2"]])
    assert markdown([cells]).splitlines()[2:] == ["| - 50000. |", "| -1.2 |"]


def test_one_measure_of_a_report():
    rows = report(ONE)["DiSCO"]
    assert (rows.name, len(rows), rows.rows[0]["value"]) == ("DiSCO", 1, 50.0)
    assert rows.sql == TEXTS["DiSCO"]
    assert list(rows.to_pandas()["measure"]) == ["DiSCO"]
    with pytest.raises(InputError, match=r"no measure 'Disco' \(did you mean 'DiSCO'"):
        report(ONE)["Disco"]
    with pytest.raises(KeyError):
        report(ONE)["Disco"]
    with pytest.raises(InputError, match=r"no measure 0; it has UiO, "):
        report(ONE)[0]
    assert "DiSCO" in report(ONE)
    assert "Disco" not in report(ONE)
    assert [*report(ONE)] == [each["measure"] for each in ONE]


def test_python_shows_a_line_and_the_numbers():
    line, _, *table = repr(report(ONE)).splitlines()
    assert line == "<Report of 1 synthetic file>"
    assert any("DiSCO" in each for each in table)
    assert repr(report(ONE)["DiSCO"]).startswith(
        "<DiSCO: 1 row>\n\n  measure  numerator  denominator  value\n"
    )


def test_cells_come_from_the_run():
    listing = Listing("DiSCO", "title", ["sex", "n_orig"], [("F", 2)])
    asked = {}

    def rerun(measure, **more):
        asked.update(more, measure=measure)
        return listing

    assessment = [{"synthesis": "1", "target": None, "state": "doubtful", "reasons": []}]
    of_copies = replace(report(ONE, rerun=rerun), assessment=assessment)
    found = of_copies.cells("DiSCO", target="income")
    assert found == listing
    assert found.assessment == assessment  # which is not counted anew
    assert asked == {"measure": "DiSCO", "target": "income", "synthesis": "1", "limit": 20}
    with pytest.raises(InputError, match="not made by a run"):
        report(ONE).cells("DiSCO")


def test_a_listing_in_every_form(tmp_path):
    columns = ["born", "sex", "target", "level", "n_orig"]
    cells = [
        (date(1990, 1, 2), "F", "income", None, 12345),
        (None, "", "income", Decimal("1.50"), 1),
    ]
    listing = Listing("DiSCO", "Disclosive in synthetic", columns, cells)
    page = listing.to_text(width=80)
    assert "disclosive" in page
    assert line_with(page, "1990-01-02").split() == [
        "1990-01-02",
        "F",
        "income",
        "(missing)",
        "12345",
    ]
    document = json.loads(listing.to_json())
    assert document["disclosive"] is True
    assert document["rows"] == [
        ["1990-01-02", "F", "income", None, 12345],
        [None, "", "income", "1.50", 1],
    ]
    assert listing.to_csv().splitlines()[1:] == ["1990-01-02,F,income,,12345", ',"",income,1.50,1']
    assert "| 1990-01-02 | F | income | (missing) | 12345 |" in listing.to_markdown()
    listing.to_parquet(tmp_path / "cells.parquet")
    assert list(listing.to_pandas().columns) == columns
    assert "No cell is risky" in Listing("DiSCO", "t", columns, []).to_text()


def test_the_order_of_a_listing_is_told_by_the_names_of_its_counts():
    """Also if a key has such a name, and whatever stands behind the counts."""
    counts = ["n_orig", "n_syn"]
    classes = Listing("UiO", "t", ["n_orig_class", "level", *counts], [], by="n_orig")
    alike = replace(classes, rows=[("a", None, 1, 2), ("b", "x", 1, 3)])
    assert alike._order() == (
        "Classes with the most people come first. 2 of the 2 listed tie, and their order means "
        "nothing."
    )
    of_cells = ["n_syn", "target", "level", *counts, "n_orig_class", "n_syn_class", "note"]
    cells = Listing("DiSCO", "t", of_cells, [], by="n_syn")
    first = (1, "income", "x", 5, 2, 7, 7, "")
    apart = replace(cells, rows=[first, (1, "income", None, 5, 2, 7, 7, "")])
    said = "Cells with the most synthetic records come first, those without a level last."
    assert apart._order() == said  # a missing level is a place of its own
    assert replace(apart, rows=[first, (1, "income", "y", 5, 3, 7, 7, "")])._order() == said
    tied = replace(apart, rows=[first, (2, "income", "y", 4, 2, 9, 9, "")])
    assert tied._order().startswith(f"{said} 2 of the 2 listed tie")


def test_a_finding_has_its_cells_also_if_a_key_is_named_target():
    names = ["target", "n_orig", "n_syn"]
    classes = Listing("repU", "t", names, [("a", 1, 1), ("b", 1, 1)])
    assert [line[0] for line in classes.of(None, 1).rows] == ["a"]
    cells = Listing("DiSCO", "t", ["target", *names], [("a", "ill", 1, 1), ("b", "pet", 2, 3)])
    grid = cells.of("pet", 3)
    assert [column.name for column in grid.columns] == ["target", "people", "synthetic"]
    assert grid.rows == [["b", "2", "3"]]
    assert cells.of("job", 3) is None


def test_mixed_levels_become_text():
    assert to_arrow(["a"], [["[1,2)"], [-8], [None]]).column("a").to_pylist() == [
        "[1,2)",
        "-8",
        None,
    ]


def test_whole_numbers_beyond_64_bits_are_decimals_and_longer_ones_text(tmp_path):
    for number, kind, value in [
        (2**63 - 1, pa.int64(), 2**63 - 1),
        (-(2**63), pa.int64(), -(2**63)),
        (2**63, pa.decimal128(38, 0), Decimal(2**63)),
        (10**38 - 1, pa.decimal128(38, 0), Decimal(10**38 - 1)),
        (-(10**38), pa.string(), f"-1{'0' * 38}"),
    ]:
        listing = Listing("DiSCO", "title", ["id", "n_orig"], [(number, 1), (None, 2), (7, 3)])
        column = listing.to_arrow()["id"]
        small = str(7) if kind == pa.string() else 7
        assert (column.type, column.to_pylist()) == (kind, [value, None, small])
        listing.to_parquet(tmp_path / "cells.parquet")
        assert pq.read_table(tmp_path / "cells.parquet")["id"].to_pylist() == column.to_pylist()
        assert listing.to_pandas()["id"][0] == listing.to_polars()["id"][0] == value


@pytest.mark.parametrize("width", [80, 140])
def test_the_list_of_measures(width):
    measures = list(catalog())
    page = listed(measures, "text", width=width)
    words = " ".join(page.split())
    for measure in measures:
        assert measure.name in words
    assert max(map(len, page.splitlines())) <= width
    assert [each["name"] for each in json.loads(listed(measures, "json"))] == [
        measure.name for measure in measures
    ]
    assert len(list(csv.reader(io.StringIO(listed(measures, "csv"))))) == len(measures) + 1
    assert "| measure | title | unit | formula | source |" in listed(measures, "markdown")


# ---- files
# -------------------------------------------------------------------------------------------------


def test_the_justification_stands_beside_the_exclusions():
    made = report(ONE)
    made = replace(made, scenario={**made.scenario, "justification": "Everybody\nknows."})
    assert re.search(r"because +Everybody\\nknows\.", made.to_text())
    assert json.loads(made.to_json())["scenario"]["justification"] == "Everybody\nknows."
    with pytest.raises(InputError, match=r"justification: .* nothing is excluded"):
        read({"keys": ["a"], "justification": "why"})


def test_format_by_suffix():
    assert [format_of(f"x{s}") for s in (".txt", ".JSON", ".csv", ".md", ".html", ".pdf",
        ".parquet")] == [
        "text", "json", "csv", "markdown", "html", "pdf", "parquet",
    ]  # fmt: skip
    with pytest.raises(
        InputError,
        match=r"unknown suffix '.xlsx'; use one of .txt, .json, .csv, .md, .html, .pdf, .parquet",
    ):
        format_of("x.xlsx")
    with pytest.raises(InputError, match="no suffix"):
        format_of("x")
    with pytest.raises(InputError, match=r"Name the file to write \(-o FILE\)"):
        format_of("")
    with pytest.raises(InputError, match="csv by its suffix, but --format says json"):
        format_of("x.csv", "json")


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as file:  # noqa: PT012
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


def test_a_link_is_written_through(tmp_path):
    path, link = tmp_path / "out.json", tmp_path / "link.json"
    path.write_text("old")
    link.symlink_to(path)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_text() == "new"


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_file_modes(tmp_path):
    """A result is its owner's alone, but for that of an external report."""
    table = pa.table({"sex": ["F", "F", "M", "M"], "ill": ["y", "n", "y", "y"]})
    internal = sqlrisk.score(table, table, keys=["sex"], measures=["DiSCO"])
    mask = os.umask(0o022)
    try:
        for told, mode in ((internal, 0o600), (internal.external(), 0o644)):
            for made in (told, told.table("results")):
                for form in ("json", "csv", "markdown", "html", "parquet"):
                    getattr(made, f"to_{form}")(tmp_path / form)
                    assert oct(stat.S_IMODE((tmp_path / form).stat().st_mode)) == oct(mode), (
                        made,
                        form,
                    )
        internal.to_html(tmp_path / "external", level="external")
        assert stat.S_IMODE((tmp_path / "external").stat().st_mode) == 0o644
    finally:
        os.umask(mask)


def test_a_table_says_what_a_group_has_in_common_once():
    rows = [("a", 1), ("a", 2), ("b", 1), ("a", 1)]
    cells = [
        (GridColumn("letter", label=True, once=True), itemgetter(0)),
        (GridColumn("number"), lambda row: str(row[1])),
        None,
    ]
    grouped = table(cells, rows, itemgetter(0))
    assert grouped.rows == [["a", "1"], ["", "2"], ["b", "1"], ["a", "1"]]
    assert grouped.starts == {0, 2, 3}
    assert [row[0] for row in table(cells, rows).rows] == ["a", "a", "b", "a"]


def test_columns_under_one_heading_stay_together():
    grid = Grid(
        [
            GridColumn("a"),
            GridColumn("b", above="x"),
            GridColumn("c", above="x"),
            GridColumn("d"),
            GridColumn("e", above="x"),
        ],
        [],
    )
    assert grid.groups() == [[0], [1, 2], [3], [4]]


# ---- exclusions
# --------------------------------------------------------------------------------------------

PEOPLE = pa.table(
    {
        "k": ["a"] * 8 + ["b", "c"],
        "j": ["x", "z"] * 5,
        "t": ["y"] * 8 + ["n", "y"],
        "u": [*range(9), 20],
    }
)
ASKED = {
    "keys": "k,j",
    "targets": "t,u",
    "within": {"u": "1"},
    "measures": "baseCAPd,baseCAPd_within,DCAP,CAP_within",
}


@pytest.mark.parametrize("ask", few([sqlrisk.score, sqlrisk.sweep], 2))
@pytest.mark.parametrize("excluded", [{}, {"exclude_level": {"t": ["y"], "u": ["1"]}}])
def test_a_baseline_is_over_the_same_people_as_the_numbers_beside_it(ask, excluded):
    made = ask(PEOPLE, PEOPLE.slice(1), **ASKED, **excluded)
    wanted = (
        {"baseCAPd_counted", "baseCAPd_counted_within"}
        if excluded
        else {"baseCAPd", "baseCAPd_within"}
    )
    heads = {
        column.name
        for block in made._blocks()
        if isinstance(block, Grid)
        for column in block.columns
    }
    heads_of_page = {
        re.sub(r"<[^>]+>|\s", "", head)
        for head in re.findall(r'<th scope="col"[^>]*>.*?</th>', made.to_html())
    }
    for names in (heads, heads_of_page):
        assert {name for name in names if name.startswith("baseCAPd")} == wanted
    rows = made.results if isinstance(made, sqlrisk.Report) else made.summary
    assert {row["measure"] for row in rows if row["measure"].startswith("baseCAPd")} == {
        "baseCAPd",
        "baseCAPd_within",
    } | wanted
    # 9 of 10 have y: .9 * .9 + .1 * .1
    assert ("82.00 % of 10" in made.to_text()) == (ask is sqlrisk.score and not excluded)


def test_a_screen_has_whole_sections_and_names_those_left_out():
    def section(title, lines):
        return [Heading(title), Items([str(line) for line in range(lines)])]

    title = Heading("Title", 1)
    every = [title, *section("A", 10), *section("B", 60), *section("C", 15), *section("D", 12)]
    shown = fitting(every, (), 80)
    assert shown[:-1] == [title, *section("A", 10), *section("C", 15)]
    assert shown[-1].text == "Not shown: B; D. Everything: --verbose (Python: to_text())."
    assert len(text(shown, width=80).splitlines()) <= LINES
    shown = fitting(every, ("D",), 80)
    assert shown[:-1] == [title, *section("A", 10), *section("D", 12)]
    more = [*every, *section("E", 60), *section("F", 60)]
    assert fitting(more, (), 80)[-1].text.startswith("Not shown: B; D; E and 1 more.")
    assert fitting(every[:3], (), 80) == every[:3]
    assert fitting([title], (), 80) == [title]


def test_a_screen_has_the_first_rows_of_what_matters_most():
    def section(title, rows):
        return [Heading(title), table([(GridColumn("n"), str)], range(rows))]

    def rows(block):
        return [row for (row,) in block.rows]

    title = Heading("Title", 1)
    every = [title, *section("A", 5), *section("B", 99), *section("C", 4)]
    assert [each.text for each in fitting(every, (), 80) if isinstance(each, Heading)] == [
        *("Title", "A", "C")
    ]
    shown = fitting(every, ("B",), 80)
    assert rows(shown[4]) == [str(row) for row in range(len(rows(shown[4])))]
    assert shown[5].text == f"The first {len(rows(shown[4]))} of 99."
    assert len(text(shown, width=80).splitlines()) == LINES - 1  # the last line is one of two
    opening = [title, *section("A", 99), *section("B", 1)]
    shown = fitting(opening, (), 80)
    assert [each.text for each in shown[3:]] == [
        f"The first {len(rows(shown[2]))} of 99.",
        "Not shown: B. Everything: --verbose (Python: to_text()).",
    ]
    assert len(text(shown, width=80).splitlines()) == LINES - 1  # the last line is one of two
