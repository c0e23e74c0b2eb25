"""Measures are named by their headers: what Python does with one follows from what its
file says.
"""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

import sqlrisk
from sqlrisk.catalogue.measures import HEADLINES, catalog
from sqlrisk.report.declared import declared, headlines, names_in

PACKAGE = Path(sqlrisk.__file__).parent
# Who means a measure, and why.
MEANT = {
    "inputs/request.py": (
        "who is left out is said beside every number with exclusions: `excluded` is what "
        "exclusions are"
    ),
    "plan/totals.py": "the one-way and two-way checks are, by definition, of what DiSCO counts",
    "analyses/people/protection.py": (
        "protect takes out replicated uniques, which is what repU counts"
    ),
    "analyses/statistics/random_tables.py": (
        "random tables are compared with two averages that a stage makes"
    ),
    "report/external/release.py": (
        "what an external report may conclude of levels follows from these two and from nobody's "
        "own"
    ),
    "report/papers/*.py": "the tables of a paper have the measures of that paper",
}
# Names of columns, tables and reasons, too.
OTHER_THINGS = {"excluded", "population_risk", "l_recursive", "singled_out", "copied_records"}


def constants(path: Path) -> Iterator[str]:
    """The texts of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_module_names_a_measure_but_those_that_mean_it() -> None:
    names = {measure.name for measure in catalog()} - OTHER_THINGS
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if not names.isdisjoint(constants(path))
    }
    meant = {pattern for pattern in MEANT if any(fnmatch(path, pattern) for path in found)}
    assert [
        path for path in sorted(found) if not any(fnmatch(path, pattern) for pattern in MEANT)
    ] == []
    assert meant == {*MEANT}


@pytest.mark.parametrize(
    ("figure", "named"),
    [("curves", "CAP_at_least"), ("nearness", "people_within or records_within")],
)
def test_a_figure_that_lacks_rows_names_what_it_draws(figure: str, named: str) -> None:
    assert names_in(declared({}), figure)["any"] == named


@pytest.mark.parametrize(
    ("figure", "family"),
    [("accuracies", "neighbours"), ("links", "linkability"), ("roc", "membership")],
)
def test_a_figure_that_lacks_rows_names_its_family(figure: str, family: str) -> None:
    assert names_in(declared({}), figure)["family"] == family


def test_each_kind_of_headline_is_there_once() -> None:
    found = headlines(declared({}))
    assert sorted(each.word for each in found) == sorted(HEADLINES)
    assert [(each.original, each.name) for each in found] == [
        ("UiO", "repU"),
        ("Dorig", "DiSCO"),
        ("CAPd", "DCAP"),
    ]
    assert names_in(declared({}), "people")["headlines"] == "DiSCO, DCAP or repU"
