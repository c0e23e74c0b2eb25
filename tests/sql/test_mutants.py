"""Mutants of measures: each comparison, constant, operator and number is changed, one at a time; a
worked case must fail.

They are measures of one's own, so that one run of a case computes those of a whole family. No file
of sql/ is changed. Mutants of stages, tables and macros are tried in test_template_mutants.py.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from mutants import Mutant, equivalents, mutants
from unassessed import unasked
from worked import CASES, PARTS, Case, disagreements, measures, run

import sqlrisk
from sqlrisk.catalogue.measures import Measure, catalog, column, load

MEASURES = [measure.name for measure in catalog()]
FEW = MEASURES[::8]
SQL_OF_HEADER = re.compile(r'^(risky|each|among|least|at) *= *"?(.*?)"?$', re.MULTILINE)


def mutants_of(measure: Measure) -> Iterator[Mutant]:
    """All mutants of a measure: of its SELECT, and of the SQL in its header."""
    text = measure.path.read_text(encoding="utf-8")
    header, _, _ = text.partition("---*/")
    for match in SQL_OF_HEADER.finditer(header):
        # A scenario has such points of its own; what is made of measures has theirs.
        if match[1] != "at" or not (measure.at_setting or measure.stage == "results"):
            yield from mutants(text, *match.span(2))
    yield from mutants(text, len(header))


def as_measures(measure: Measure, folder: Path) -> dict[str, Mutant]:
    """The mutants of a measure as measures in a folder, by name; without those that the catalogue
    refuses.
    """
    made = {}
    for number, mutant in enumerate(mutants_of(measure)):
        name = f"{measure.name}.{number}"
        path = folder / f"{column(name)}.sql"
        path.write_text(
            re.sub(r"^name .*$", f'name = "{name}"', mutant.mutated, count=1, flags=re.MULTILINE),
            encoding="utf-8",
        )
        try:
            load(path, "own")
        except sqlrisk.InputError:
            path.unlink()
        else:
            made[name] = mutant
    return made


def about(case: Case, measure: str, name: str) -> Case:
    """What a case says about a measure, said of another."""
    rows = {
        part: [row | {"measure": name} for row in case.get(part, []) if row["measure"] == measure]
        for part in PARTS
    }
    return {"scenario": case["scenario"], **rows}


def reports_of(case: Case, names: list[str], folder: Path) -> dict[str, sqlrisk.Report]:
    """The report with each measure; a measure that cannot be computed (a sum that is infinite, as
    whole number) has none.
    """
    try:
        return dict.fromkeys(names, run(case, measures=names, measures_from=str(folder)))
    except sqlrisk.InputError:
        half = len(names) // 2
        return (
            reports_of(case, names[:half], folder) | reports_of(case, names[half:], folder)
            if half
            else {}
        )


@pytest.fixture(scope="module")
def asked(request: pytest.FixtureRequest) -> frozenset[str]:
    """The measures that this run of the tests is about."""
    return frozenset(
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.path == request.path
        and "name" in item.fixturenames
    )


@cache
def surviving(family: str, asked: frozenset[str]) -> Mapping[str, list[Mutant]]:
    """By measure of a family that is asked for, the mutants that every case about it agrees with.

    A case is run once for all of them.
    """
    with TemporaryDirectory() as place, unasked():
        folder = Path(place)
        alive = {
            each.name: as_measures(each, folder)
            for each in catalog()
            if each.family == family and each.name in asked
        }
        assert all(alive.values())
        for case in CASES.values():
            left = [each for each in measures(case) if alive.get(each)]
            names = [name for each in left for name in alive[each]]
            reports = reports_of(case, names, folder) if names else {}
            for each in left:
                for name in [*alive[each]]:
                    if name not in reports or any(
                        disagreements(about(case, each, name), reports[name])
                    ):
                        del alive[each][name]
                        (folder / f"{column(name)}.sql").unlink()  # is read no more
    return {each: [*unnoticed.values()] for each, unnoticed in alive.items()}


def by_family() -> Iterator[Any]:
    """Each measure, in one process with those of its family; all but few are slow."""
    for measure in catalog():
        group = pytest.mark.xdist_group(f"mutants of {measure.family}")
        yield pytest.param(
            measure.name, marks=[group] if measure.name in FEW else [group, pytest.mark.slow]
        )


@pytest.mark.parametrize("name", [*by_family()])
def test_a_case_tells_every_mutant_from_the_measure(name: str, asked: frozenset[str]) -> None:
    measure = catalog()[name]
    alive = surviving(measure.family, asked)[name]
    assert [mutant.change for mutant in alive if not mutant.explained] == [], "no case notices"
    noticed = [mutant for mutant in mutants_of(measure) if mutant not in alive]
    assert [mutant.change for mutant in noticed if mutant.explained] == [], (
        "a case notices what a comment says to be equivalent"
    )


def test_every_comment_explains_a_mutant() -> None:
    idle = []
    for measure in catalog():
        made = [*mutants_of(measure)]
        said = equivalents(measure.path.read_text(encoding="utf-8"))
        idle += [(measure.name, each.change) for each in said if not any(map(each.fits, made))]
    assert idle == []
