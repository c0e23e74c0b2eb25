"""Mutants of measures: each comparison, constant, operator and number is changed, one at a time; a worked case must fail.

They are measures of one's own, so that one run of a case computes all of them. No file of sql/ is changed. Mutants of stages,
tables and macros are tried in test_template_mutants.py.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutants import Mutant, equivalents, mutants
from quickly import some
from worked import CASES, PARTS, Case, disagreements, measures, run

import sqlrisk
from sqlrisk.catalogue.measures import Measure, catalog, column, load

MEASURES = [measure.name for measure in catalog()]
SQL_OF_HEADER = re.compile(r'^(risky|each|among|least|at) *= *"?(.*?)"?$', re.MULTILINE)


def mutants_of(measure: Measure) -> Iterator[Mutant]:
    """All mutants of a measure: of its SELECT, and of the SQL in its header."""
    text = measure.path.read_text(encoding="utf-8")
    header, _, _ = text.partition("---*/")
    for match in SQL_OF_HEADER.finditer(header):
        if match[1] != "at" or not measure.at_setting:  # a scenario has such points of its own
            yield from mutants(text, *match.span(2))
    yield from mutants(text, len(header))


def as_measures(measure: Measure, folder: Path) -> dict[str, Mutant]:
    """The mutants of a measure as measures in a folder, by name; without those that the catalogue refuses."""
    made = {}
    for number, mutant in enumerate(mutants_of(measure)):
        name = f"{measure.name}.{number}"
        path = folder / f"{column(name)}.sql"
        path.write_text(re.sub(r"^name .*$", f'name = "{name}"', mutant.mutated, count=1, flags=re.MULTILINE), encoding="utf-8")
        try:
            load(path, "own")
        except sqlrisk.InputError:
            path.unlink()
        else:
            made[name] = mutant
    return made


def about(case: Case, measure: str, name: str) -> Case:
    """What a case says about a measure, said of another."""
    rows = {part: [row | {"measure": name} for row in case.get(part, []) if row["measure"] == measure] for part in PARTS}
    return {"scenario": case["scenario"], **rows}


def surviving(measure: Measure, folder: Path) -> list[Mutant]:
    """The mutants that every case about the measure agrees with."""
    alive = as_measures(measure, folder)
    assert alive
    for case in CASES.values():
        if measure.name in measures(case):
            report = run(case, measures=[*alive], measures_from=str(folder))
            alive = {
                name: mutant for name, mutant in alive.items() if not any(disagreements(about(case, measure.name, name), report))
            }
        if not alive:
            break
    return [*alive.values()]


@pytest.mark.parametrize("name", some(MEASURES[::8], MEASURES))
def test_a_case_tells_every_mutant_from_the_measure(name: str, tmp_path: Path) -> None:
    measure = catalog()[name]
    alive = surviving(measure, tmp_path)
    assert [mutant.change for mutant in alive if not mutant.explained] == [], "no case notices"
    noticed = [mutant for mutant in mutants_of(measure) if mutant not in alive]
    assert [mutant.change for mutant in noticed if mutant.explained] == [], "a case notices what a comment says to be equivalent"


def test_every_comment_explains_a_mutant() -> None:
    idle = []
    for measure in catalog():
        made = [*mutants_of(measure)]
        said = equivalents(measure.path.read_text(encoding="utf-8"))
        idle += [(measure.name, each.change) for each in said if not any(map(each.fits, made))]
    assert idle == []
