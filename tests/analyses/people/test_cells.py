"""Listings of risky cells: the cells behind a number, of the right target, and all of them."""

import pyarrow as pa
import pytest
from quickly import few

import sqlrisk

ORIGINAL = pa.table(
    {
        "town": ["a", "a", "a", "b", "b", "c", "d"],
        "ill": ["y", "y", "n", "n", "n", "y", None],
        "paid": ["low", "low", "low", "top", "low", "low", "top"],
    }
)
SYNTHETIC = pa.table(
    {
        "town": ["a", "a", "b", "c", "c", "d"],
        "ill": ["y", "y", "n", "n", "n", None],
        "paid": ["low", "top", "low", "low", "low", "top"],
    }
)
QUESTION = {"keys": ["town"], "targets": ["ill", "paid"]}


def listed(measure: str, **more: object) -> list[tuple[object, ...]]:
    return sqlrisk.cells(measure, ORIGINAL, SYNTHETIC, **QUESTION, **more).rows


def test_the_cells_of_disco() -> None:
    """By hand: town, target, level, people, synthetic records, and both of the class; most people
    first.
    """
    assert listed("DiSCO") == [
        ("a", "ill", "y", 2, 2, 3, 2),
        ("b", "ill", "n", 2, 1, 2, 1),
        ("b", "paid", "low", 1, 1, 2, 1),
        ("c", "paid", "low", 1, 2, 1, 2),
        ("d", "paid", "top", 1, 1, 1, 1),
        ("d", "ill", None, 1, 1, 1, 1),  # without a level: last
    ]


@pytest.mark.parametrize("target", ["ill", "paid"])
def test_a_target_alone_lists_its_own_cells(target: str) -> None:
    assert listed("DiSCO", target=target) == [row for row in listed("DiSCO") if row[1] == target]


@pytest.mark.parametrize("measure", few(["Dorig", "DiSCO", "DiSDiO", "iS"], 2))
def test_the_people_of_all_cells_are_the_numerator(measure: str) -> None:
    report = sqlrisk.score(ORIGINAL, SYNTHETIC, **QUESTION, measures=[measure])
    for row in report[measure].rows:
        cells = report.cells(measure, target=str(row["target"]), limit=100)
        assert sum(cell[cells.columns.index("n_orig")] for cell in cells.rows) == row["numerator"]


@pytest.mark.slow
def test_dis_lists_classes_whose_one_level_is_wrong_too() -> None:
    """Town c: all synthetic records say n, the one person is y: in DiS, not in DiSCO."""
    assert ("c", "ill", "n", 0, 2, 1, 2) in listed("DiS")
    report = sqlrisk.score(ORIGINAL, SYNTHETIC, **QUESTION, measures=["DiS"])
    cells = report.cells("DiS", target="ill")
    assert (
        sum(cell[cells.columns.index("n_orig_class")] for cell in cells.rows)
        == report["DiS"].rows[0]["numerator"]
    )


def test_an_identity_measure_lists_classes() -> None:
    listing = sqlrisk.cells("repU", ORIGINAL, SYNTHETIC, **QUESTION)
    assert listing.columns == ["town", "n_orig", "n_syn"]
    assert listing.rows == [("d", 1, 1)]


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (
            "DiSCO",
            "people come first, those without a level last. 5 of the 6 listed tie",
        ),
        ("DiS", "Cells with the most people with these keys come first"),
        ("repU", "Classes with the most people come first. ─"),
    ],
)
def test_it_says_what_comes_first_and_how_many_tie(measure: str, words: str) -> None:
    """Two cells of DiSCO have two people, three have one, and one has no level."""
    listing = sqlrisk.cells(measure, ORIGINAL, SYNTHETIC, **QUESTION)
    assert words in " ".join(listing.to_text(width=300).split())


def test_the_limit_takes_the_largest() -> None:
    assert listed("DiSCO", limit=2) == listed("DiSCO")[:2]


def test_an_average_has_no_cells() -> None:
    with pytest.raises(sqlrisk.InputError, match="no cells to list"):
        listed("DCAP")


# F has three people without a level, M two ill ones, X one well one. All are revealed: 3 cells.
PEOPLE = pa.table(
    {"sex": ["F", "F", "F", "M", "M", "X"], "ill": [None, None, None, "yes", "yes", "no"]}
)


def test_a_cell_without_a_level_is_listed_last_however_many_people_it_has() -> None:
    found = sqlrisk.cells("DiSCO", PEOPLE, PEOPLE, keys="sex", targets="ill").rows
    assert [(sex, level, people) for sex, _, level, people, *_ in found] == [
        ("M", "yes", 2),
        ("X", "no", 1),
        ("F", None, 3),
    ]
    (first,) = sqlrisk.cells("DiSCO", PEOPLE, PEOPLE, keys="sex", targets="ill", limit=1).rows
    assert first[2] == "yes"


def test_cells_worth_looking_at_first_have_a_level() -> None:
    """Of a page, which begins with what few people have: one is well, two are ill; of three nobody
    knows.
    """
    few = pa.table(
        {"sex": ["F", "M", "M", "X", "X", "X"], "ill": [None, "yes", "yes", "no", "no", "no"]}
    )
    report = sqlrisk.score(few, few, keys="sex", targets="ill", listings=True)
    (cells,) = (each for each in report.listings if each.measure == "DiSCO")
    assert [row[2] for row in cells.rows] == ["yes", "no", None]
