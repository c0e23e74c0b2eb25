"""Mutants of stages, tables and macros: each comparison, constant, operator and number is changed;
a witness must notice.

A witness is a run whose numbers are known (tests/support/witnesses.py). It is recorded once. A
mutant of a template is tried with the witnesses of the template: of each, what the change reaches
is run again, and the witness notices when the program is told other rows than before, or the SQL
cannot be run. No file of sql/ is changed.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import replay
from mutants import equivalents, of_template
from quickly import some
from small_tables import BY_HAND
from witnesses import WITNESSES, Witness

from sqlrisk.common.resources import sql_folder

# What notices the mutants that the small tables of a template do not, by template.
RUNS: Mapping[str, Sequence[str]] = {
    "attackers/uniform.sql": ("attack: uniform",),
    "macros/counts.sql": ("exclusions", "disco_union", "repu_union"),
    "macros/profiles.sql": ("together, within", "closeness", "closeness_of_one_level"),
    "macros/record_risk.sql": ("explain",),
    "macros/together.sql": ("together, within", "membership_of_who_is_counted"),
    "macros/tolerance.sql": ("within, share of a double",),
    "saved/people.sql": ("saved run",),
    "saved/risky.sql": ("saved run",),
    "stages/aligned/found_candidates.sql": ("true_match_rate", "aligned, populations"),
    "stages/aligned/matches.sql": ("aligned, populations", "aligned, ties"),
    "stages/aligned/population_matches.sql": ("aligned, populations",),
    "stages/classes/cells.sql": ("many records, populations", "many records, who is counted"),
    "stages/classes/population_counts.sql": ("waiting targets",),
    "stages/classes/summed_classes.sql": ("many places",),
    "stages/comparisons/compared_cells.sql": ("who_is_counted", "dsyn"),
    "stages/comparisons/distinct_cells.sql": (
        *(
            "towns_that_look_alike",
            "worse_protected",
            "worse_protected_of_who_is_counted",
            "control",
            "max_denom_in_a_population",
            "mean_denom_in_a_population",
        ),
    ),
    "stages/comparisons/excluded_cells.sql": ("exclusions", "a_pair_left_out"),
    "stages/comparisons/excluded_pair.sql": ("exclusions",),
    "stages/comparisons/guessed_cells.sql": ("guesses", "guesses_of_few", "others"),
    **{
        f"stages/comparisons/{name}.sql": ("closeness",)
        for name in ("lone_classes", "profiles", "ranked_cells", "spread_classes")
    },
    "stages/comparisons/compared_classes.sql": ("universe",),
    "stages/comparisons/population_cells.sql": ("control_of_each_region",),
    "stages/comparisons/seen_cells.sql": ("within_of_who_is_counted",),
    "stages/comparisons/seen_classes.sql": ("who_is_counted",),
    "stages/encoding/file_values.sql": ("welch",),
    "stages/encoding/files.sql": ("risky cells",),
    "stages/encoding/labels.sql": ("explain",),
    "stages/encoding/levels.sql": ("missing_values",),
    "stages/encoding/listed_levels.sql": ("listed levels",),
    "stages/encoding/partly_coded_records.sql": ("waiting targets",),
    "stages/encoding/passes.sql": ("exclusions, in passes",),
    "stages/encoding/projected_records.sql": ("sweep, keys",),
    "stages/encoding/values.sql": ("risky cells",),
    "stages/intruder/best_guesses.sql": ("attack: exact_match",),
    "stages/intruder/drawn_guesses.sql": ("attack: marginal",),
    "stages/intruder/key_run_counts.sql": ("attack, naive Bayes",),
    **dict.fromkeys(
        (f"stages/intruder/{name}.sql" for name in ("evidence", "likelihoods", "posteriors")),
        ("intruder, levels",),
    ),
    "stages/intruder/training_keys.sql": ("attack: one_rule",),
    "stages/intruder/training_levels.sql": ("attack: uniform",),
    "stages/membership/control_halves.sql": (
        "membership_of_who_is_counted",
        "membership, one by one",
    ),
    "stages/membership/ratio_counts.sql": (
        "membership_of_who_is_counted",
        "membership_of_few",
        "membership, one by one",
    ),
    "stages/membership/ratio_scores.sql": (
        "membership_of_who_is_counted",
        "membership, one by one",
    ),
    "stages/membership/reference_record.sql": (
        "membership_of_who_is_counted",
        "membership, one by one",
    ),
    "stages/membership/row_scores.sql": ("membership_of_who_is_counted",),
    "stages/membership/score_counts.sql": (
        "membership, in one pass",
        "membership_of_who_is_counted",
    ),
    "stages/membership/sided_scores.sql": ("membership_of_who_is_counted", "membership"),
    "stages/membership/thresholds.sql": ("membership_of_who_is_counted", "membership"),
    "stages/near_keys/reached_cells.sql": ("near_keys_of_who_is_counted", "control_near_keys"),
    "stages/near_keys/reached_classes.sql": ("near_keys",),
    "stages/near_keys/reached_counts.sql": ("near_keys", "near_keys_of_who_is_counted"),
    "stages/links/link_sides.sql": ("links",),
    "stages/links/linked_classes.sql": ("links",),
    "stages/links/near_sides.sql": ("links",),
    "stages/nearest/near_key_cells.sql": ("nearest by sets, populations",),
    "stages/nearest/same_key_cells.sql": ("nearest by pairs, keys in two numbers",),
    "stages/people/cells_of_record.sql": ("explain", "within, records"),
    "stages/people/modes.sql": ("records, special uniques",),
    "stages/people/near_cells_of_record.sql": ("records, nearest",),
    "stages/people/record_counts.sql": ("explain",),
    "stages/people/within_of_record.sql": ("within, records",),
    "stages/results/alike_values.sql": ("control_person_by_person",),
    "stages/results/disclosive_levels.sql": ("flags of populations",),
    "stages/results/excluded.sql": ("bounds_of_who_is_counted",),
    "stages/results/person_caps.sql": ("distributions by hand",),
    "stages/results/pivot.sql": ("oracle: who is counted", "guesses"),
    "stages/results/results.sql": ("oracle: who is counted",),
    "stages/results/summaries.sql": ("oracle: who is counted",),
    "stages/results/two_way_candidates.sql": (
        "records, nearest",
        "distributions, exclusions",
        "flags of populations",
    ),
    **dict.fromkeys(
        (
            f"stages/comparisons/{name}.sql"
            for name in ("level_places", "ordered_classes", "ordered_shares")
        ),
        (
            *(f"closeness_ordered{of}" for of in ("", "_of_one_level", "_of_two_levels")),
            "many places",
            "together, places",
        ),
    ),
    "stages/singling_out/predicate_counts.sql": ("singled_out", "singled_predicates_of_nothing"),
    "stages/singling_out/predicates.sql": ("singled_out",),
    "stages/singling_out/singled_classes.sql": ("singled_out",),
    "stages/tolerance/numbers.sql": ("within, double",),
    "stages/tolerance/within.sql": ("within, populations",),
    "stages/tolerance/within_cells.sql": (
        *(
            "within_of_each_other",
            "dorig_within",
            "disco_within",
            "within, whole",
            "control_within_missing",
        ),
    ),
    "stages/tolerance/within_counts.sql": ("within, whole",),
    **dict.fromkeys(
        (
            f"stages/whole_rows/{name}.sql"
            for name in (
                "alike_records",
                "alike_rows",
                "drawn_rows",
                "near_classes",
                "near_hits",
                "row_chances",
                "row_radii",
            )
        ),
        ("copies", "copies, a draw", "copies, pairs"),
    ),
    "tables/agreeing.sql": ("explain",),
    **dict.fromkeys(
        (
            "tables/differences.sql",
            "stages/control/side_numbers.sql",
            "stages/control/side_rates.sql",
        ),
        ("control", "certainty", "welch"),
    ),
    "tables/distributions.sql": ("distributions, uniques",),
    "tables/least_cells.sql": ("least cells",),
    "tables/listing.sql": ("risky cells",),
    "tables/level_ideas.sql": ("init, levels",),
    "tables/lookup.sql": ("lookup",),
    "tables/membership_areas.sql": ("membership",),
    "tables/membership_curve.sql": ("membership",),
    "tables/membership_rates.sql": ("membership_near_a_rate", "membership"),
    "tables/one_sided_levels.sql": ("dsyn", "shares of levels"),
    "tables/protected.sql": ("protect, flag",),
    "tables/record_risk.sql": (
        "explain",
        "records, synthetic",
        "records, special uniques",
        "records, columns",
    ),
    "tables/reference_averages.sql": ("reference, few tables", "reference"),
    "tables/reference_cells.sql": ("reference, few tables", "reference"),
    "tables/reference_summary.sql": ("reference, few tables", "reference"),
    "tables/risky_cells.sql": ("risky cells",),
    "tables/shares.sql": ("shares of levels",),
    "tables/smallest_cells.sql": ("least cells",),
    "tables/sweep_rows.sql": ("sweep, rows",),
    "tables/sweep_summary.sql": ("sweep, keys",),
    "tables/top_level.sql": ("explain",),
    "tables/uniques_together.sql": ("init", "init, keys"),
    "uniques/key_shares.sql": ("records, special uniques",),
    "uniques/minimal_uniques.sql": ("uniques, a single record", "uniques by hand"),
    "uniques/record_scores.sql": ("uniques by hand",),
    "uniques/set_sizes.sql": ("uniques by hand", "uniques, a single record"),
    "uniques/suda_scores.sql": (
        "uniques, missing values",
        "uniques, a single record",
        "uniques by hand",
    ),
}


@cache
def changeable() -> list[str]:
    """The templates that have something to change; measures are tried in test_mutants.py."""
    paths = sorted(
        path.relative_to(sql_folder()).as_posix() for path in sql_folder().rglob("*.sql")
    )
    return [path for path in paths if not path.startswith("measures/") and of_template(path)]


@cache
def recorded(witness: Witness) -> replay.Recording:
    """What a witness tells the database."""
    with TemporaryDirectory() as folder:
        return replay.record(lambda: witness(Path(folder)))


def witnesses(path: str) -> list[Witness]:
    """The small tables that a template is asked of, or a template that imports it; then
    the runs.
    """
    by_hand = [
        each
        for each in BY_HAND
        if path in each.paths or any(path in replay.macros(own) for own in each.paths)
    ]
    return [*by_hand, *(WITNESSES[name] for name in RUNS.get(path, ()))]


@pytest.mark.parametrize("path", some(changeable()[7::10], changeable()))
def test_a_witness_tells_every_mutant_from_the_template(path: str) -> None:
    # the quick ones are asked first
    chosen = sorted(map(recorded, witnesses(path)), key=lambda each: len(each.statements))
    unnoticed, unequal = [], []
    for mutant in of_template(path):
        with pytest.MonkeyPatch.context() as patch:
            replay.replaced(patch, path, mutant.mutated)
            noticed = any(each.tells(path) for each in chosen)
        if noticed == mutant.explained:
            (unequal if noticed else unnoticed).append(mutant.change)
    assert unnoticed == [], "no witness notices"
    assert unequal == [], "a witness notices what a comment says to be equivalent"


def test_every_comment_explains_a_mutant() -> None:
    idle = []
    for path in changeable():
        made = [*of_template(path)]
        said = equivalents((sql_folder() / path).read_text(encoding="utf-8"))
        idle += [(path, each.change) for each in said if not any(map(each.fits, made))]
    assert idle == []
