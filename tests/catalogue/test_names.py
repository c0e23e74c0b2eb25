"""Measures are named by their headers: what Python does with one follows from what its
file says.
"""

import ast
import re
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
    "catalogue/measures.py": (
        "the one-way and two-way checks are, by definition, of what DiSCO counts"
    ),
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
    "report/sections/worst_sets.py": "it tells of the area that is the number membership_AUC",
    "report/papers/*.py": "the tables of a paper have the measures of that paper",
}
# Help and messages that show how to write a measure, or say which measures an option is about.
EXAMPLES = (
    "analyses/scores/risk_utility.py", "api/*.py", "cli/*.py", "inputs/fields.py",
    "inputs/policy_rules.py",
)  # fmt: skip
# Names of columns, tables and reasons, too.
OTHER_THINGS = {"excluded", "population_risk", "l_recursive", "singled_out", "copied_records"}


def texts(path: Path) -> Iterator[str]:
    """The texts of a module but its docstrings."""
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
    strings = (node for node in nodes if isinstance(node, ast.Constant) and node not in docstrings)
    return (node.value for node in strings if isinstance(node.value, str))


def test_a_family_is_no_measure_and_names_its_own() -> None:
    with pytest.raises(sqlrisk.InputError, match=r"^'Singling_out' is a family .* singled_out, "):
        sqlrisk.measures()["Singling_out"]


def test_no_module_names_a_measure_but_those_that_mean_it() -> None:
    names = {measure.name for measure in catalog()} - OTHER_THINGS
    found, used = [], set()
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        for text in texts(path):
            if names.isdisjoint({text, *re.findall(r"\w+", text)}):
                continue
            allowed = MEANT if text in names else (*MEANT, *EXAMPLES)
            meant = [pattern for pattern in allowed if fnmatch(module, pattern)]
            used |= {*meant}
            found += [] if meant else [(module, text)]
    assert found == []
    assert used == {*MEANT, *EXAMPLES}


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
