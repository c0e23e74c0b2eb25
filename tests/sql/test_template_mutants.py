"""Mutants of stages, tables and macros: each comparison, constant, operator and number is changed; a witness must notice.

A witness is a run whose numbers are known (tests/support/witnesses.py). It is recorded once. A mutant of a template is tried with
the witnesses of the template: of each, what the change reaches is run again, and the witness notices when the program is told
other rows than before, or the SQL cannot be run. No file of sql/ is changed.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import replay
from mutants import Equivalent, Mutant, mutants
from witnesses import WITNESSES

from sqlrisk.common.resources import sql_folder

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("template mutants")]  # a witness is recorded once, in one process

# What changes no result, as long as the other stages are what they are.
NEGATIVE = "no count and no code is below 0"
FLAG = "it is 0 or 1"
FOUND = "it is 1 or NULL"
ALIKE = "it is the same in all rows of the group"
EXTREME = "nothing is beyond the least or the most"
PART = "a level has no more records than its class"
NOBODY = "in a class without people nobody is counted"
LONE = "a class of one record has the mode that a class without a row is given"
UNFREQUENT = "a level without records is no mode of a class with some"
UNFLAGGED = "it adds a level of which nobody is disclosed: the check asks for more than its threshold, which is 0 or more"
EQUIVALENT = (
    Equivalent("excluded_level [= → >=] 1", FLAG),
    Equivalent(".hit [= → <=] 1", FOUND, ("stages/comparisons/excluded_cells.sql",)),
    Equivalent(".hit [= → >=] 1", FOUND, ("stages/comparisons/excluded_cells.sql",)),
    Equivalent("seen.level_code [= → <=] 0", NEGATIVE),
    Equivalent("{{ class_size }} [= → <=] 1", "a class has a record"),
    Equivalent("n_syn [= → <=] 0", NEGATIVE, ("tables/overlap.sql",)),
    Equivalent("n_orig [= → <=] 0", NEGATIVE, ("tables/overlap.sql",)),
    Equivalent("synthetic [= → <=] 0", NEGATIVE, ("tables/one_sided_levels.sql",)),
    Equivalent("original [= → <=] 0", NEGATIVE, ("tables/one_sided_levels.sql",)),
    Equivalent("[SUM → MAX](", "a sum of counts is 0 where the greatest is", ("tables/one_sided_levels.sql",)),
    Equivalent("distance [= → <=] smallest", EXTREME),
    Equivalent("distance AS [radius → n_orig]", "the rows are read by place", ("tables/lookup.sql",)),
    Equivalent("[MAX → MIN](n_all) AS n_counted", ALIKE),
    Equivalent("[MAX → MIN](all_", ALIKE, ("stages/results/moments.sql", "stages/results/combined_moments.sql")),
    Equivalent("[MAX → MIN](mean_", ALIKE, ("stages/results/moments.sql",)),
    Equivalent("[MAX → MIN](near.found_at)", ALIKE),
    Equivalent("SUM([counted_orig → people])", "a cell is counted wholly or not", ("stages/results/disclosive_levels.sql",)),
    Equivalent("AND [counted_orig → people] > 0", UNFLAGGED, ("stages/results/disclosive_levels.sql",)),
    Equivalent("AND counted_orig [> → >=] 0", UNFLAGGED, ("stages/results/disclosive_levels.sql",)),
    Equivalent("of_syn [= → >=] most_syn", EXTREME),
    Equivalent("of_orig [= → >=] most_orig", EXTREME),
    Equivalent("n_disclosed [= → >=] n_top", EXTREME),
    Equivalent("counted_here [= → <=] counted_low", EXTREME),
    Equivalent("n_top_{{ t }} [= → >=] class_syn", PART),
    Equivalent("n_syn_{{ t }} [= → >=] class_syn", PART),
    Equivalent("n_syn_{{ t }} [= → >=] n_top_{{ t }}", EXTREME),
    Equivalent("n_near_{{ t }} [= → >=] n_near_top_{{ t }}", EXTREME),
    Equivalent("[1 → 2] AS hit FROM {{ cells }}", "only whether it is 0 is asked"),
    Equivalent("COALESCE(known.hit, 0) [= → <=] 0", FLAG),
    Equivalent("file [= → <=] {{ original.number }}", "the original is the file 0", ("stages/aligned/candidates.sql",)),
    Equivalent("n_orig_class [> → >=] 0", "in a class without people nobody is looked for", ("stages/aligned/candidates.sql",)),
    Equivalent("[1 → 2] AS hit FROM {{ found }}", "only whether it is 0 is asked"),
    Equivalent("COALESCE(found.hit, 0) [= → <=] 0", FLAG),
    Equivalent("{{ found }} WHERE radius [= → <=]", "a class that was found nearer is not among the open ones any more"),
    Equivalent("{{ found }} WHERE radius [= → >=]", "nobody is sought further before the next radius"),
    Equivalent("{{ records_of(comparison.members) }} [= → <=] 0", NEGATIVE, ("stages/nearest/unmatched_classes.sql",)),
    Equivalent("{{ records_of(people_files) }} [> → >=] 0", NOBODY, ("stages/nearest/unmatched_classes.sql",)),
    Equivalent('{{ records_of(people_files, "cells", "_class") }} [> → >=] 0', NOBODY, ("stages/nearest/same_key_cells.sql",)),
    Equivalent("[MAX → MIN](n_most) AS n_top", ALIKE),
    Equivalent("n_syn [= → >=] n_most", EXTREME),
    Equivalent("n_syn_class [> → >=] 1 AND n_syn > 0", LONE, ("stages/people/modes.sql",)),
    Equivalent("n_syn_class > [1 → 0] AND n_syn > 0", LONE, ("stages/people/modes.sql",)),
    Equivalent("n_syn_class > 1 [AND → OR] n_syn > 0", f"{LONE}; {UNFREQUENT}", ("stages/people/modes.sql",)),
    Equivalent("n_syn_class > 1 AND n_syn [> → >=] 0", UNFREQUENT, ("stages/people/modes.sql",)),
    Equivalent("COALESCE(above.upto_orig, [0 → 1])", "an interval ends at a level: at its own, if at no later one"),
)

# The templates that are tried: at most how many of their mutants are neither noticed nor explained yet,
# and the witnesses. Those of seven more are tried in test_mutants.py.
TRIED: dict[str, tuple[int, tuple[str, ...]]] = {
    "macros/counts.sql": (0, ("risky cells", "exclusions")),
    "macros/numbers.sql": (0, ("dsyn", "several_syntheses", "one_way_check, in passes", "population risk of 10 at 1.5")),
    "macros/record.sql": (1, ("explain",)),
    "macros/record_risk.sql": (4, ("explain",)),
    "macros/tolerance.sql": (0, ("within, whole", "within, share of a double")),
    "stages/aligned/candidates.sql": (1, ("aligned, populations", "aligned, ties")),
    "stages/aligned/found_candidates.sql": (1, ("aligned, populations", "aligned, ties")),
    "stages/aligned/matches.sql": (0, ("aligned, ties", "aligned, populations")),
    "stages/aligned/population_matches.sql": (0, ("aligned, populations",)),
    "stages/comparisons/compared_classes.sql": (2, ("exclusions", "several_syntheses", "dsyn")),
    "stages/comparisons/level_totals.sql": (
        4,
        (
            "levels_of_who_is_counted",
            "accuracy_mode_orig",
            "accuracy_uniform",
            "accuracy_mode",
            "bounds_of_who_is_counted",
            "least cells",
        ),
    ),
    "stages/comparisons/population_classes.sql": (2, ("population risk of 1 at 0.98999",)),
    "stages/comparisons/sampled_classes.sql": (
        32,
        (
            "population risk of 2 at 0.9900001",
            "population risk of 2 at 0.5",
            "population risk of 1 at 0.5",
            "population risk of 3 at 0.5",
            "population risk of 2 at 0.98",
        ),
    ),
    "stages/encoding/files.sql": (0, ("risky cells",)),
    "stages/encoding/values.sql": (1, ("risky cells",)),
    "stages/nearest/near_key_cells.sql": (1, ("nearest by sets, populations", "records_by_radius")),
    "stages/nearest/near_key_levels.sql": (4, ("neighbours_of_who_is_counted", "nearest by pairs, keys in two numbers")),
    "stages/nearest/neighbours.sql": (1, ("nearest by sets, keys in two numbers", "nearest by sets, populations")),
    "stages/nearest/neighbours_by_pairs.sql": (2, ("records_by_radius",)),
    "stages/nearest/same_key_cells.sql": (
        0,
        ("nearest by pairs, keys in two numbers", "records_by_radius", "neighbours_of_who_is_counted"),
    ),
    "stages/nearest/unmatched_classes.sql": (1, ("nearest by sets, keys in two numbers",)),
    "stages/people/cells_of_record.sql": (0, ("explain", "within, records")),
    "stages/people/modes.sql": (0, ("within, records", "explain", "records, special uniques")),
    "stages/results/alike_values.sql": (0, ("control_person_by_person",)),
    "stages/results/cap_counts.sql": (1, ("distributions, uniques", "distributions by hand")),
    "stages/results/disclosive_levels.sql": (0, ("flags of populations",)),
    "stages/results/excluded.sql": (0, ("exclusions", "bounds_of_who_is_counted")),
    "stages/results/least_results.sql": (2, ("bounds_of_who_is_counted", "min_dcap_matched_cells")),
    "stages/results/moments.sql": (5, ("control_person_by_person",)),
    "stages/results/pairs.sql": (7, ("certainty",)),
    "tables/distributions.sql": (0, ("distributions by hand", "shares of levels", "distributions, uniques")),
    "tables/histograms.sql": (1, ("shares of levels",)),
    "tables/least_cells.sql": (6, ("least cells",)),
    "tables/listing.sql": (0, ("risky cells",)),
    "tables/lookup.sql": (0, ("lookup",)),
    "tables/one_sided_levels.sql": (0, ("dsyn", "shares of levels", "distributions by hand")),
    "tables/one_way.sql": (9, ("one_way_tie", "one_way_check, in passes", "two_way_check", "accuracy_mode_orig", "bins")),
    "tables/overlap.sql": (2, ("dsyn", "distributions by hand", "sweep, keys", "exclusions", "distributions, uniques")),
    "tables/reference_averages.sql": (3, ("reference",)),
    "tables/risky_cells.sql": (1, ("risky cells",)),
    "tables/smallest_cells.sql": (2, ("least cells",)),
}


def mutants_of(path: str) -> list[Mutant]:
    """All mutants of a template under sql/, without its header."""
    text = (sql_folder() / path).read_text(encoding="utf-8")
    return [*mutants(text, max(text.find("---*/"), 0))]


@cache
def recorded(name: str) -> replay.Recording:
    """What a witness tells the database."""
    with TemporaryDirectory() as folder:
        return replay.record(lambda: WITNESSES[name](Path(folder)))


def unnoticed(path: str, names: tuple[str, ...]) -> list[str]:
    """The mutants of a template that no witness tells from it, of those that are not known to be equivalent."""
    chosen, left = [recorded(name) for name in names], []
    for mutant in mutants_of(path):
        if any(each.fits(path, mutant) for each in EQUIVALENT):
            continue
        with pytest.MonkeyPatch.context() as patch:
            replay.replaced(patch, path, mutant.mutated)
            noticed = next((each for each in chosen if each.tells(path)), None)
        if noticed is None:
            left.append(mutant.change)
        else:  # what noticed one is asked first of the next
            chosen = [noticed, *(each for each in chosen if each is not noticed)]
    return left


@pytest.mark.parametrize("path", TRIED)
def test_a_witness_tells_every_mutant_from_the_template(path: str) -> None:
    number, names = TRIED[path]
    left = unnoticed(path, names)
    assert len(left) <= number, left


def test_every_equivalent_mutant_is_one() -> None:
    paths = [str(path.relative_to(sql_folder())) for path in sql_folder().rglob("*.sql")]
    made = [(path, mutant) for path in paths if not path.startswith("measures") for mutant in mutants_of(path)]
    assert [each for each in EQUIVALENT if not any(each.fits(*one) for one in made)] == []
