"""Mutants: each comparison, constant, operator and number in the SQL is changed, one at a time; a case worked by hand must fail.

The mutants of a measure are measures of one's own, so that one run of a case computes all of them. No file of sql/ is changed.
"""

import re
from pathlib import Path

import pytest
from mutants import Mutant, mutants
from worked import CASES, PARTS, Case, disagreements, measures, run

import sqlrisk
from sqlrisk.catalog import Measure, catalog, column, load

pytestmark = pytest.mark.slow

_SQL_OF_HEADER = re.compile(r'^(?:risky|each|among|least|at) *= *"?(.*?)"?$', re.MULTILINE)


def mutants_of(measure: Measure) -> list[Mutant]:
    """All mutants of a measure: of its SELECT, and of the SQL in its header."""
    header, _, _ = measure.sql.partition("---*/")
    places = [match.span(1) for match in _SQL_OF_HEADER.finditer(header)]
    return [mutant for span in (*places, (measure.sql.index("SELECT"), None)) for mutant in mutants(measure.sql, *span)]


def own(measure: Measure, changes: list[Mutant], folder: Path) -> dict[str, Mutant]:
    """The mutants as measures of one's own in a folder, by name. What the catalogue refuses is no measure."""
    made = {}
    for number, mutant in enumerate(changes):
        name = f"{measure.name}.{number}"
        path = folder / f"{column(name)}.sql"
        path.write_text(re.sub(r'^name .*$', f'name = "{name}"', mutant.mutated, count=1, flags=re.MULTILINE), encoding="utf-8")
        try:
            load(path, "own")
        except sqlrisk.InputError:
            path.unlink()
        else:
            made[name] = mutant
    return made


def about(case: Case, measure: str, name: str) -> Case:
    """What a case says about a measure, said of another."""
    parts = {part: [row | {"measure": name} for row in case.get(part, []) if row["measure"] == measure] for part in PARTS}
    return {"scenario": case["scenario"], **parts}


def surviving(measure: Measure, folder: Path) -> dict[str, Mutant]:
    """The mutants that all cases about a measure agree with, by name."""
    alive = own(measure, mutants_of(measure), folder)
    for case in CASES.values():
        if alive and measure.name in measures(case):
            report = run(case, measures=[measure.name, *alive], measures_from=str(folder))
            alive = {name: mutant for name, mutant in alive.items() if not any(disagreements(about(case, measure.name, name), report))}
    return alive
