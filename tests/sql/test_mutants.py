"""Mutants of measures: each comparison, constant, operator and number is changed, one at a time; a worked case must fail.

They are measures of one's own, so that one run of a case computes all of them. No file of sql/ is changed. Mutants of stages,
tables and macros are tried in test_template_mutants.py.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutants import Equivalent, Mutant, mutants
from quickly import some
from worked import CASES, PARTS, Case, disagreements, measures, run

import sqlrisk
from sqlrisk.catalogue.measures import Measure, catalog, column, load

MEASURES = [measure.name for measure in catalog()]
SQL_OF_HEADER = re.compile(r'^(risky|each|among|least|at) *= *"?(.*?)"?$', re.MULTILINE)

# What changes no result, as long as the stages are what they are. A case that tells it apart makes the entry wrong.
ENCLOSED = "a cell has no more records than its class"
NOBODY = "where the file has no record nobody is counted, and 0 is added"
ASKED = "the same is asked beside it"
NEGATIVE = "no count is below 0"
FLAG = "it is 0 or 1"
WITHOUT_CLASS = "the class has no synthetic record then: its share is NULL and adds nothing"
LEAST = "nothing is less than the least"
EQUIVALENT = (
    Equivalent("n_syn [= → >=] n_syn_class", ENCLOSED),
    Equivalent("n_orig [= → >=] n_orig_class", ENCLOSED),
    Equivalent("n_orig [= → <=] 1", NOBODY, ("UiO", "UiOiS", "repU", "UiO-repU", "repU_union", "UiOiS_near", "repU_near")),
    Equivalent("n_orig_reached [= → <=] 1", "a person is within their own reach", ("UiO_near",)),
    Equivalent("n_orig_reached [= → >=] n_orig_class_reached", ENCLOSED),
    Equivalent("n_syn [= → <=] 1", NOBODY, ("UiS", "repU_syn")),
    Equivalent("n_orig [> → >=] 0", NOBODY),
    Equivalent("n_orig_class [> → >=] 0", NOBODY, ("DiS",)),
    Equivalent("n_syn [> → >=] 0", NOBODY, ("Dsyn",)),
    Equivalent("n_syn > 0 AND [n_orig → n_syn] > 0", f"{ASKED}; {NOBODY}"),
    Equivalent("AND [n_syn → n_orig] > 0 AND n_orig > 0", f"{ASKED}; {WITHOUT_CLASS}", ("CAP_at_least",)),
    Equivalent("n_syn [> → >=] 0", WITHOUT_CLASS, ("CAP_at_least",)),
    Equivalent("AND [counted_orig → people] > 0 THEN counted_orig", NOBODY, ("mean_denom",)),
    Equivalent("counted_orig [> → >=] 0 THEN counted_orig", NOBODY, ("mean_denom",)),
    Equivalent("counted_orig > 0 THEN [counted_orig → people]", "a cell is counted whole or not at all", ("mean_denom",)),
    Equivalent("_class [= → <=] 0", NEGATIVE),
    Equivalent("n_base [= → <=] 0", NEGATIVE),
    Equivalent("n_syn [= → <=] 0", NEGATIVE),
    Equivalent("OR [n_syn_class → n_syn] = 0 AND n_base > 0", "the first condition holds then, too", ("better_protected",)),
    Equivalent(
        "AND ([n_syn_class → n_syn] > 0 OR n_base = 0)", "0 = n_base * n_syn_class then, so one is 0", ("equally_protected",)
    ),
    Equivalent("close_orig [= → >=] 1", FLAG),
    Equivalent("close_syn [= → >=] 1", FLAG),
    Equivalent("found [= → >=] 1", FLAG),
    Equivalent("found [= → <=] 0", FLAG),
    Equivalent("n_candidates [= → <=] 1 AND found = 1", "a record that is found is a candidate", ("true_match_rate",)),
    Equivalent("[= → <=] counted_lowest", LEAST),
    Equivalent("[= → <=] share_lowest", LEAST),
    Equivalent("people [> → >=] 0 AND", "nobody has no share, and NULL is not equal", ("min_DCAP_matched_cells",)),
    Equivalent("expected_shuffled ELSE 0 END), [0 → 1])", "no pass is without classes"),
    Equivalent("population_risk), [0 → 1])", "every person has a risk", ("population_risk",)),
)


def mutants_of(measure: Measure) -> Iterator[Mutant]:
    """All mutants of a measure: of its SELECT, and of the SQL in its header."""
    header, _, _ = measure.sql.partition("---*/")
    for match in SQL_OF_HEADER.finditer(header):
        if match[1] != "at" or not measure.at_setting:  # a scenario has such points of its own
            yield from mutants(measure.sql, *match.span(2))
    yield from mutants(measure.sql, len(header))


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
    known = [mutant for mutant in mutants_of(measure) if any(each.fits(name, mutant) for each in EQUIVALENT)]
    alive = surviving(measure, tmp_path)
    assert [mutant.change for mutant in alive if mutant not in known] == [], "no case notices"
    assert [mutant.change for mutant in known if mutant not in alive] == [], "a case notices what is said to be equivalent"


def test_every_equivalent_mutant_is_one() -> None:
    made = [(measure.name, mutant) for measure in catalog() for mutant in mutants_of(measure)]
    assert [each for each in EQUIVALENT if not any(each.fits(*one) for one in made)] == []
