"""Mutants: each comparison, constant, operator and number of the SQL is changed, one at a time; a worked case must fail.

The mutants of a measure are measures of one's own, so that one run of a case computes all of them. Those of a stage, a table or a
macro take the place of its file, and each needs runs of its own, of the cases that fill most of it. No file of sql/ is changed.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import portable
import pytest
from mutants import Equivalent, Mutant, mutants, of_template
from worked import CASES, PARTS, Case, disagreements, measures, run

import sqlrisk
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure, catalog, column, load
from sqlrisk.common.resources import sql_folder

pytestmark = pytest.mark.slow

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
    Equivalent("n_orig [= → <=] 1", NOBODY, ("UiO", "UiOiS", "repU", "UiO-repU", "repU_union")),
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
OF_STAGES = (
    Equivalent("excluded_level [= → >=] 1", FLAG),
    Equivalent(".hit [= → <=] 1", "it is 1 or NULL"),
    Equivalent(".hit [= → >=] 1", "it is 1 or NULL"),
    Equivalent("level_code [= → <=] 0", NEGATIVE),
    Equivalent("MAX([counted_orig → people])", "max_denom reads it of cells that are counted, where both are alike"),
)
# Cases that go through the branches of a template, those that notice most at first, where others than the nearest are needed.
WITNESSES = {
    "stages/comparisons/distinct_cells.sql": [
        *("worse_protected_of_who_is_counted", "towns_that_look_alike", "one_person", "control_of_each_region", "gcap"),
        *("records_by_radius", "exclusions", "caps", "control", "capd", "max_denom_in_a_population"),
    ],
    "stages/comparisons/compared_cells.sql": [
        *("worse_protected_of_who_is_counted", "a_pair_left_out", "at_the_size_limit", "exclusions", "people_of_each_region"),
        *("control_of_each_region", "gcap", "population_risk", "neighbours_of_who_is_counted", "several_syntheses"),
        *("control_person_by_person", "who_is_counted", "control", "dsyn"),
    ],
    "stages/comparisons/excluded_cells.sql": [
        *("exclusions", "a_pair_left_out", "l_recursive", "population_risk_of_who_is_counted", "who_is_counted"),
        *("two_way_check", "size_limits", "at_the_size_limit"),
    ],
}
# The templates whose mutants are tried: a worked case notices each, or it is explained above.
TRIED = [
    *WITNESSES,
    *(f"stages/comparisons/{name}.sql" for name in ("population_cells", "excluded_pair", "seen_cells", "seen_classes")),
]
MOST = 8  # cases that a mutant of a template is tried with


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


@pytest.mark.parametrize("name", [measure.name for measure in catalog()])
def test_a_case_tells_every_mutant_from_the_measure(name: str, tmp_path: Path) -> None:
    measure = catalog()[name]
    known = [mutant for mutant in mutants_of(measure) if any(each.fits(name, mutant) for each in EQUIVALENT)]
    alive = surviving(measure, tmp_path)
    assert [mutant.change for mutant in alive if mutant not in known] == [], "no case notices"
    assert [mutant.change for mutant in known if mutant not in alive] == [], "a case notices what is said to be equivalent"


def test_every_equivalent_mutant_is_one() -> None:
    made = [(measure.name, mutant) for measure in catalog() for mutant in mutants_of(measure)]
    assert [each for each in EQUIVALENT if not any(each.fits(*one) for one in made)] == []
    of_stages = [(path, mutant) for path in TRIED for mutant in of_template(path)]
    assert [each for each in OF_STAGES if not any(each.fits(*one) for one in of_stages)] == []


@cache
def fillings() -> dict[str, dict[str, str]]:
    """By template and case what it is filled to; a macro is in all that its templates are filled to."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    usual = templates.stage
    noted: list[templates.Query] = []

    def noting(path: str, **names: Any) -> templates.Query:
        noted.append(usual(path, **names))
        return noted[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates, "stage", noting)
        for name, case in CASES.items():
            noted.clear()
            run(case)
            for query in noted:
                imported = re.findall(r'"(macros/\w+\.sql)"', (sql_folder() / query.path).read_text(encoding="utf-8"))
                for each in (query.path, *imported):
                    found[each][name] = f"{found[each].get(name, '')} {' '.join(query.split())}"
    return found


def witnesses(path: str) -> list[str]:
    """The cases that fill most lines of a template and ask for most measures, then those with most of the others."""
    lines = portable.template_text(sql_folder() / path)
    filled = {
        name: {*measures(CASES[name]), *(line for line in lines if line in text)} for name, text in fillings()[path].items()
    }
    chosen: list[str] = []
    missing = everything = set().union(*filled.values())
    while len(chosen) < min(MOST, len(filled)):
        chosen.append(max(filled.keys() - {*chosen}, key=lambda name: (len(filled[name] & missing), len(filled[name]), name)))
        missing = missing - filled[chosen[-1]] or everything
    return chosen


def notices(case: Case) -> bool:
    """Whether a case fails, if by nothing else than SQL that cannot be run."""
    try:
        return any(disagreements(case, run(case)))
    except (sqlrisk.SqlriskError, jinja2.TemplateError):
        return True


def put_in_place(patch: pytest.MonkeyPatch, path: str, text: str) -> None:
    """Let the templates be read with another text in the place of one file."""
    environment = templates._environment()
    usual, changed = environment.get_template, environment.from_string(text)
    patch.setattr(environment, "get_template", lambda name, *more: changed if name == path else usual(name, *more))


@pytest.mark.parametrize("path", TRIED)
def test_a_case_tells_every_mutant_from_the_template(path: str) -> None:
    names = WITNESSES.get(path) or witnesses(path)
    assert not any(notices(CASES[name]) for name in names)
    unnoticed = []
    for mutant in of_template(path):
        if not any(each.fits(path, mutant) for each in OF_STAGES):
            with pytest.MonkeyPatch.context() as patch:
                put_in_place(patch, path, mutant.mutated)
                noticed = next((name for name in names if notices(CASES[name])), None)
            if noticed is None:
                unnoticed.append(mutant.change)
            else:  # what noticed one is asked first of the next
                names = [noticed, *(name for name in names if name != noticed)]
    assert unnoticed == []
