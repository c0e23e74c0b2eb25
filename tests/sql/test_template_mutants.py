"""Mutants of stages, tables and macros: each comparison, constant, operator and number is changed; a witness must notice.

A witness is a run whose numbers are known (tests/support/witnesses.py). It is recorded once. A mutant of a template is tried with
the witnesses of the template: of each, what the change reaches is run again, and the witness notices when the program is told
other rows than before, or the SQL cannot be run. No file of sql/ is changed.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import replay
from mutants import Equivalent, Mutant, of_template
from quickly import some
from small_tables import BY_HAND
from witnesses import WITNESSES, Witness

from sqlrisk.common.resources import sql_folder

pytestmark = pytest.mark.xdist_group("template mutants")  # a witness is recorded once, in one process

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
SINGLE = "a group is of one class then"
FIRST = "the original is the file 0, the first"
BY_PLACE = "the rows of a UNION ALL are read by place"
SIEVE = "it only lets more through: tables/two_way.sql asks again"
WILSON = "an interval of Wilson passes 0 and 1 by rounding alone"
WITHOUT = "a level without records has the lift 0, whatever it is divided by"
ROUNDING = "only a number that lies at the very bound of rounding is another"
RISEN = "a level of nobody has nobody up to it, and twice none is not more than the most"
ANY_FILE = "measures ask whether there is any file"
EQUIVALENT = (
    Equivalent("{{ table }}.{{ file.count }} [= → >=]", "a cell has no more records than its class", ("macros/counts.sql",)),
    Equivalent("THEN [1 → 2] ELSE 0 END", ANY_FILE, ("macros/counts.sql",)),
    Equivalent("excluded_level [= → >=] 1", FLAG),
    Equivalent("MAX([counted_orig → people])", "max_denom reads it of cells that are counted, where both are alike"),
    Equivalent(".hit [= → <=] 1", FOUND, ("stages/comparisons/excluded_cells.sql",)),
    Equivalent(".hit [= → >=] 1", FOUND, ("stages/comparisons/excluded_cells.sql",)),
    Equivalent("level_code [= → <=] 0", NEGATIVE),
    Equivalent("{{ class_size }} [= → <=] 1", "a class has a record"),
    Equivalent("n_syn [= → <=] 0", NEGATIVE, ("tables/overlap.sql",)),
    Equivalent("n_orig [= → <=] 0", NEGATIVE, ("tables/overlap.sql",)),
    Equivalent("synthetic [= → <=] 0", NEGATIVE, ("tables/one_sided_levels.sql",)),
    Equivalent("original [= → <=] 0", NEGATIVE, ("tables/one_sided_levels.sql",)),
    Equivalent("[SUM → MAX](", "a sum of counts is 0 where the greatest is", ("tables/one_sided_levels.sql",)),
    Equivalent("distance [= → <=] smallest", EXTREME),
    Equivalent("distance AS [radius → n_orig]", "the rows are read by place", ("macros/lookup.sql",)),
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
    Equivalent("[1 → 2] AS hit FROM {{ found }}", "only whether it is 0 is asked"),
    Equivalent("COALESCE(found.hit, 0) [= → <=] 0", FLAG),
    Equivalent("{{ found }} WHERE radius [= → >=]", "nobody is sought further before the next radius"),
    Equivalent("{{ records_of(comparison.members) }} [= → <=] 0", NEGATIVE, ("stages/nearest/unmatched_classes.sql",)),
    Equivalent('{{ records_of(people_files, "cells", "_class") }} [> → >=] 0', NOBODY, ("stages/nearest/same_key_cells.sql",)),
    Equivalent("[MAX → MIN](n_most) AS n_top", ALIKE),
    Equivalent("n_syn [= → >=] n_most", EXTREME),
    Equivalent("n_syn_class [> → >=] 1 AND n_syn > 0", LONE, ("stages/people/modes.sql",)),
    Equivalent("n_syn_class > [1 → 0] AND n_syn > 0", LONE, ("stages/people/modes.sql",)),
    Equivalent("n_syn_class > 1 [AND → OR] n_syn > 0", f"{LONE}; {UNFREQUENT}", ("stages/people/modes.sql",)),
    Equivalent("n_syn_class > 1 AND n_syn [> → >=] 0", UNFREQUENT, ("stages/people/modes.sql",)),
    Equivalent("n_levels_orig [= → >=] n_levels_all", EXTREME),
    Equivalent("WHERE n_orig + n_syn [= → >=] n_orig_class", PART, ("stages/comparisons/lone_classes.sql",)),
    Equivalent("least_counted [= → <=] 0", NEGATIVE),
    Equivalent("cell_orig [> → >=] 0 AND 2 * upto_orig", RISEN),
    Equivalent("cell_syn [= → >=] top_syn", EXTREME),
    Equivalent("n_syn_level [= → >=] top_level_syn", EXTREME),
    Equivalent("n_orig_level [= → >=] top_level_orig", EXTREME),
    Equivalent("cell_counted [= → <=] least_counted", EXTREME),
    Equivalent("n_syn [= → >=] n_top", EXTREME, ("attackers/one_rule.sql",)),
    Equivalent("n_right [= → >=] n_best", EXTREME),
    Equivalent("n_syn_level [= → >=] n_most", EXTREME),
    Equivalent("score [= → >=] best", EXTREME),
    Equivalent("[MAX → MIN](n_top) AS n_right_here", ALIKE),
    Equivalent("COALESCE(rules.n_tied, 0) [= → <=] usual.n_rules", NEGATIVE),
    Equivalent("SELECT level_code, [1 → 2] AS score", "only the greatest scores are guessed, and all are the same"),
    Equivalent("same_{{ part.column.id }} [= → >=]", EXTREME, ("tables/agreeing.sql",)),
    Equivalent("WHERE file [= → <=] 0", FIRST),
    Equivalent("records_syn [= → <=] 0", NEGATIVE),
    Equivalent("n_orig [= → <=] 0", NEGATIVE, ("tables/column_counts.sql",)),
    Equivalent("code [= → <=] 0 THEN", NEGATIVE, ("tables/column_counts.sql",)),
    Equivalent("[SUM → MAX](CASE WHEN code = 0", "a column has one missing level", ("tables/column_counts.sql",)),
    Equivalent("LIMIT [2 → 3]", "more than one person is refused", ("tables/person.sql",)),
    Equivalent("singled_out.hit [= → <=] 1", FOUND),
    Equivalent("singled_out.hit [= → >=] 1", FOUND),
    Equivalent("COALESCE(singled_out.hit, 0) [= → <=] 0", FLAG),
    Equivalent("{{ own_class }} [= → <=] 1", "the class of a record has one"),
    Equivalent("n_orig_class AS [n_orig_class → n_orig], dealt", BY_PLACE),
    Equivalent("dealt.n_orig AS [n_orig → n_syn]", BY_PLACE),
    Equivalent("(CAST(alone AS DOUBLE)) AS [people → counted_orig]", BY_PLACE),
    Equivalent(
        "n_drawn [> → >=] 0", "a cell without records adds 0, and each class has a record", ("tables/reference_averages.sql",)
    ),
    Equivalent("[MAX → MIN](own)", ALIKE),
    Equivalent("[MAX → MIN](centre)", ALIKE),
    Equivalent("average [< → <=] own", ROUNDING),
    Equivalent("own * (1 - [1e-12 → 11e-12])", ROUNDING),
    Equivalent("draw [= → <=] 0", "the original is the draw 0, the first"),
    Equivalent("[MIN → MAX](results.value) OVER", "from the greatest value on the mean is the same"),
    Equivalent(
        "[<= → <] 1e-24",
        "what is 0 is 0 on the other way as well",
        ("tables/sweep_summary.sql", "tables/sweep_contributions.sql"),
    ),
    Equivalent("[MIN → MAX](n_syn) AS top_records", ALIKE),
    Equivalent("n_syn [= → >=] most_syn", EXTREME),
    Equivalent("[MIN → MAX](CASE WHEN place_shown", "one level has the place"),
    Equivalent("n_people [= → <=] 1", "a group has a record"),
    Equivalent("WHERE [100 → 101] * marginals.n_orig", SIEVE),
    Equivalent("marginals.n_orig [> → >=]", SIEVE),
    Equivalent("[MIN → MAX](named_", SINGLE),
    Equivalent("[MIN → MAX](n_people) AS n_records", SINGLE),
    Equivalent("found.n_classes [= → <=] 1", "a group has a class, and without one there is no record"),
    Equivalent("found.n_records [= → <=] 1", "a class has a record"),
    Equivalent("COALESCE(smaller.hit, 0) [= → <=] 0", FLAG),
    Equivalent("SELECT {{ class_key }}, [1 → 2] AS hit", "only whether it is 0 is asked"),
    Equivalent("[MIN → MAX](bin_", ALIKE, ("stages/encoding/labels.sql",)),
    Equivalent("coded.is_value [= → >=] 1", FLAG),
    Equivalent("n_orig_within [= → >=] n_orig_class", PART),
    Equivalent("n_syn_within [= → >=] n_syn_class", PART),
    Equivalent("n_orig [= → >=] n_orig_class", PART, ("stages/tolerance/within_cells.sql",)),
    Equivalent(
        "compared.n_orig [> → >=] 0", "in a cell without people nobody is counted", ("stages/tolerance/within_cells.sql",)
    ),
    Equivalent("n_syn [= → >=] n_syn_class", PART, ("stages/tolerance/within_cells.sql",)),
    Equivalent("of_control [= → <=] 0", FLAG),
    Equivalent("of_control [= → >=] 1", FLAG),
    Equivalent("[MAX → MIN](CASE WHEN of_control", "there is one row of each side"),
    Equivalent("[MAX → MIN](CASE WHEN measure =", "there is one row of each measure"),
    Equivalent("[MAX → MIN](CASE WHEN turn =", "there is one row of each turn"),
    Equivalent("CASE WHEN turn [= → <=] 0", NEGATIVE),
    Equivalent("CASE WHEN turn [= → >=] 2", EXTREME),
    Equivalent("value IS NULL THEN [1 → 2] ELSE 0 END, value)", "the code of a missing value is 0, wherever it is sorted"),
    Equivalent("value IS NULL THEN [1 → 0] ELSE 0 END, value)", "DuckDB sorts missing values last by itself"),
    Equivalent("value IS NULL THEN 1 ELSE [0 → 1] END, value)", "DuckDB sorts missing values last by itself"),
    Equivalent("[0 → 1] AS {{ file.count }}", "the rows of breaks are left out in the end", ("stages/encoding/levels.sql",)),
    Equivalent("coded.breaks_upto [< → <=] 1", "it is 1 on the other way as well"),
    Equivalent("coded.breaks_upto < [1 → 2]", "it is 1 on the other way as well"),
    Equivalent("[MIN → MAX](plain_value)", "a level without a bin has one value"),
    Equivalent("low [= → >=] high", EXTREME, ("stages/encoding/breaks.sql",)),
    Equivalent("low [= → >=] MAX(low)", EXTREME),
    Equivalent("below.x [= → >=] above.x", EXTREME),
    Equivalent("best [< → <=] 0", "0 is its own negative"),
    Equivalent("score <= [1e-12 → 11e-12]", ROUNDING),
    Equivalent("chance [>= → >] greatest", ROUNDING),
    Equivalent("n_true [> → >=] 0", "there is nobody to guess, or somebody"),
    Equivalent('[= → <=] 0{{ " OR "', NEGATIVE, ("macros/class_key.sql",)),
    Equivalent("centre - width [< → <=] 0", "0 is 0 on the other way as well"),
    Equivalent("centre + width [> → >=] 1", "1 is 1 on the other way as well"),
    Equivalent("n_points [= → >=]", EXTREME, ("tables/trend.sql",)),
    Equivalent("[1000000000 → 1000000001]", ROUNDING),
    Equivalent("[1000000000 → 999999999]", ROUNDING),
    Equivalent("(most_y - least_y) [< → <=] 1", ROUNDING),
    Equivalent("share_control [> → >=] 1e-12", ROUNDING),
    Equivalent("share_control > [1e-12 → 11e-12]", ROUNDING),
    Equivalent("rate_control [> → >=] 1e-12", ROUNDING),
    Equivalent("rate_control > [1e-12 → 11e-12]", ROUNDING),
    Equivalent(
        "WHEN own_evidence [>= → >] greatest",
        "where they are equal both are 1 of 1 + others",
        ("stages/intruder/posteriors.sql",),
    ),
    Equivalent("n_orig_class > 0 [AND → OR] n_orig +", "a level without records is as likely as one without a row"),
    Equivalent(
        "AND n_orig + {{ records_of(comparison.members) }} [> → >=] 0",
        "a level without records is as likely as one without a row",
    ),
    Equivalent("n_orig_class [> → >=] 0 AND n_orig +", NOBODY, ("stages/intruder/posteriors.sql",)),
    Equivalent("CAST([SUM → MAX](sets)", "the other row of the size has 0"),
    Equivalent("CAST([SUM → MAX](records)", "the other row of the size has 0", ("uniques/set_sizes.sql",)),
    Equivalent("[1e-24 → 11e-24] * n_{{ side }}", ROUNDING),
    Equivalent("[<= → <] 1e-24 * n_{{ side }}", "what is 0 is 0 on the other way as well"),
    Equivalent("[> → >=] -700", "it is no more than 1e-304"),
    Equivalent("> -[700 → 701]", "it is no more than 1e-303"),
    Equivalent("> -[700 → 699]", "it is no more than 1e-303"),
    Equivalent("evidence [> → >=] greatest + 1e-12", ROUNDING),
    Equivalent("evidence > greatest + [1e-12 → 11e-12]", ROUNDING),
    Equivalent("evidence [>= → >] greatest - 1e-12", ROUNDING),
    Equivalent("evidence >= greatest - [1e-12 → 11e-12]", ROUNDING),
    Equivalent("greatest [<= → <] 1e-12", ROUNDING),
    Equivalent("greatest <= [1e-12 → 11e-12]", ROUNDING),
    Equivalent("n_keys [= → <=] {{ loop.index }}", "those with fewer keys are taken before"),
    Equivalent("n_keys [< → <=] {{ chosen | length }}", "the only set of as many keys and of no other is this one"),
    Equivalent("AND has_{{ part.column.id }} [= → <=] 0", FLAG),
    Equivalent("n_orig [> → >=] 0) AS target_levels", "each level of a single file has a record"),
    Equivalent("* (MIN(CASE WHEN 100 * rank_below [>= → >]", "at a whole position the difference counts 0 times"),
    Equivalent("- MAX(CASE WHEN 100 * rank_below [<= → <]", "at a whole position the difference counts 0 times"),
    Equivalent("found.hit [= → <=] 1", FOUND, ("tables/sweep_results.sql",)),
    Equivalent("found.hit [= → >=] 1", FOUND, ("tables/sweep_results.sql",)),
    Equivalent("found.people [= → <=] 'adjusted'", "no word comes before it"),
    Equivalent("found.people [= → >=] 'original'", "no word comes after it"),
    Equivalent("' AS [people → counted_orig]", BY_PLACE, ("tables/named_results.sql",)),
    *(
        Equivalent(f"measures.{name} [= → >=] 1", FLAG)
        for name in ("of_people", "untargeted", "knows_control", "weighable", "is_share")
    ),
    Equivalent("found.population_number [= → <=] 0", NEGATIVE),
    Equivalent("found.by_weight [= → <=] 0", NEGATIVE),
    Equivalent("share * above.x [<= → <] below.x", ROUNDING),
    Equivalent("share * above.x [> → >=] above.x", ROUNDING),
    Equivalent("centre [- → +] width < 0", WILSON),
    Equivalent("centre [+ → -] width > 1", WILSON),
    Equivalent("centre + width > [1 → 2]", WILSON),
    Equivalent("_least [= → <=] least_of_all", EXTREME),
    Equivalent('people [> → >=] 0 THEN {{ quotient("counted_low"', "a class without people has no share"),
    Equivalent("centre - width < 0 THEN [0 → 1]", WILSON),
    Equivalent("(pass_mean [- → +] all_mean)", "the deviations from the mean add up to 0"),
    Equivalent(
        "CASE WHEN turn [= → <=] 2",
        "what is up to the end is not less than what is below it",
        ("stages/tolerance/exact_intervals.sql",),
    ),
    Equivalent(
        '[> → >=] {{ records_of(files, "cells") }}',
        "a cell that is alone in its class has its own records",
        ("stages/tolerance/within_counts.sql",),
    ),
    *(
        Equivalent(
            f"records_of(people_files, {of}) }}}} [> → >=] 0",
            "what has no people is not asked for",
            (f"stages/near_keys/{path}.sql",),
        )
        for path, of in (("reached_cells", '"cells"'), ("reached_classes", '"classes"'), ("reached_counts", '"counted"'))
    ),
    Equivalent("[> → >=] 0{% endset %}", "no cell without people is asked for", ("stages/tolerance/within_counts.sql",)),
    Equivalent("[MAX → MIN](CASE WHEN place", "there is one row of each end"),
    Equivalent("CASE WHEN place [= → <=] 1", EXTREME),
    Equivalent("CASE WHEN place [= → >=] 5", EXTREME),
    *(Equivalent(f"CASE WHEN place [= → <=] {place}", "an end further on has no lesser code") for place in (2, 5)),
    Equivalent("CASE WHEN place [= → <=] 4", "where a lower end is further on, the levels up to it are looked at"),
    *(
        Equivalent(change, "more levels are looked at, and each is found to be within reach or not")
        for change in (
            *(f"CASE WHEN place [= → {other}] 2" for other in ("<>", ">=")),
            "[* → /] CAST('1e-15' AS DOUBLE)",
            *(f"[- → +] {near} AS n_codes" for near in ("far_below", "upto_near")),
            *(f"other.level_code [= → {other}] doubtful.code_before" for other in ("<=", ">=")),
            "steps.level_code [> → >=] 0",
        )
    ),
    *(Equivalent(f"WHERE {ends} [< → <=]", "between two ends that are alike is no level") for ends in ("far_below", "upto_near")),
    *(
        Equivalent(change, "a level is within its own reach")
        for change in ("[3 → 4] AS place", "looked_at.other_code [< → <=] ends.level_code")
    ),
    Equivalent("[MAX → MIN](own_number)", ALIKE),
    Equivalent("MAX(own_number) AS number, [MAX → MIN](own_reach)", ALIKE),
    Equivalent("number [< → <=] 0 THEN -number", "0 is its own negative"),
    Equivalent("looked_at.hit [= → <=] 0", FLAG),
    Equivalent("looked_at.hit [= → >=] 1", FLAG),
    Equivalent("n_syn_class [= → <=] 0 THEN 1", NEGATIVE, ("stages/results/person_caps.sql",)),
    Equivalent("[n_syn_class → n_syn] = 0 THEN 1", WITHOUT, ("stages/results/person_caps.sql",)),
    Equivalent("n_syn_class = 0 THEN [1 → 2]", WITHOUT, ("stages/results/person_caps.sql",)),
    Equivalent("n_own [>= → >] weight_class", "where all were sampled the other ways give the same"),
    Equivalent("left_out [< → <=] 0.01", "at the bound both ways give the same"),
    Equivalent("WHEN n_own [= → <=] 1", "a class has a record"),
    Equivalent("WHEN n_own [= → <=] 2", "those of one record are taken before"),
    Equivalent("{{ comparison.people.number }} AND population [= → <=] 0", NEGATIVE),
    Equivalent("inside [= → <=] 0", "the original is the draw 0, the first"),
    Equivalent("bin [= → >=] {{ n_bins - 1 }}", EXTREME),
    Equivalent("width [= → <=] 0", "no bin is narrower than 0"),
    Equivalent("WHERE bin [= → <=] 0", EXTREME),
    Equivalent("least [= → <=] least_of_all", EXTREME),
    Equivalent("near_classes.radius AS [radius → n_orig]", BY_PLACE),
    Equivalent("MAX(near.found_at) AS [radius → n_orig]", BY_PLACE),
    Equivalent("WHERE records.file [= → <=] 0", FIRST, ("saved/people.sql",)),
    Equivalent("closed [= → >=] 1", FLAG, ("saved/labels.sql",)),
    Equivalent("% {{ every }} [= → <=] 0", NEGATIVE),
    Equivalent("% {{ every }} [= → >=] 0", "where the passes are divided enters no result", ("stages/encoding/passes.sql",)),
    Equivalent("AND target [= → <=] 0", NEGATIVE, ("reasons/constant_key.sql", "reasons/key_names_people.sql")),
    Equivalent("change [= → <=] 0", NEGATIVE),
    Equivalent("FROM {{ records }} AS [people → counted_orig]", "no column is named with its table"),
    Equivalent("AND rows_that_differ [= → <=] 0", NEGATIVE),
    Equivalent("AND rows_beyond [= → <=] 0", NEGATIVE),
    Equivalent("WHERE records_both [= → <=] 0", NEGATIVE),
    Equivalent("people_apart [= → >=] people", "no more people are apart than there are"),
    Equivalent("several_{{ target.id }} [= → <=] 0", FLAG),
    Equivalent("varies_{{ target.id }} [= → >=] 1", FLAG),
    Equivalent("people_apart * records [> → >=] records_apart * people", "where they are equal both shares are the same"),
    Equivalent("[SUM → MAX](CASE WHEN file = {{ file.number }} THEN n", "a file has a value in one row"),
    Equivalent("[MAX → MIN](COALESCE(given.given_share", ALIKE),
    Equivalent("low [= → >=] high", EXTREME, ("saved/labels.sql",)),
    Equivalent("own.of_control [= → >=] 0", "a share is not greater than itself"),
    Equivalent("control.of_control [= → <=] 1", "a share is not greater than itself"),
    Equivalent("WHERE place [= → <=] 1", EXTREME, ("reasons/near_copy.sql",)),
    Equivalent(
        "people_apart * plain.records [> → >=] plain.records_apart * plain.people",
        "where they are equal both shares are the same",
    ),
    *(
        Equivalent(f"CASE WHEN {side} [= → <=] 0", NEGATIVE, ("stages/assessment/level_sides.sql",))
        for side in ("people", "records")
    ),
    Equivalent("AND {{ one }} [< → <=] {{ other }}", "two numbers that are the same are so in either order"),
    Equivalent("{{ change.sample.flag }} [= → >=] 1", FLAG),
    *(Equivalent(f"1 [= → {other}] 1", "1 is 1", ("macros/rows.sql",)) for other in ("<=", ">=")),
    Equivalent("[> → >=] 1e-290", ROUNDING),
    Equivalent("[< → <=] 1e290", ROUNDING),
)

# What notices the mutants that the small tables of a template do not, by template.
RUNS: Mapping[str, Sequence[str]] = {
    "attackers/uniform.sql": ("attack: uniform",),
    "macros/counts.sql": ("exclusions", "disco_union", "repu_union"),
    "macros/record_risk.sql": ("explain",),
    "macros/tolerance.sql": ("within, share of a double",),
    "saved/people.sql": ("saved run",),
    "saved/record_risk.sql": ("saved run",),
    "saved/risky.sql": ("saved run",),
    "stages/aligned/found_candidates.sql": ("true_match_rate", "aligned, populations"),
    "stages/aligned/matches.sql": ("aligned, populations", "aligned, ties"),
    "stages/aligned/population_matches.sql": ("aligned, populations",),
    "stages/classes/cells.sql": ("flags of populations", "oracle: who is counted"),
    "stages/classes/population_counts.sql": ("waiting targets",),
    "stages/classes/summed_classes.sql": ("exclusions",),
    "stages/comparisons/compared_cells.sql": ("who_is_counted", "dsyn"),
    "stages/comparisons/distinct_cells.sql": (
        *("towns_that_look_alike", "worse_protected_of_who_is_counted", "control", "max_denom_in_a_population"),
    ),
    "stages/comparisons/excluded_cells.sql": ("exclusions", "a_pair_left_out"),
    "stages/comparisons/excluded_pair.sql": ("exclusions",),
    "stages/comparisons/population_cells.sql": ("control_of_each_region",),
    "stages/comparisons/seen_cells.sql": ("within_of_who_is_counted",),
    "stages/comparisons/seen_classes.sql": ("who_is_counted",),
    "stages/encoding/file_values.sql": ("welch",),
    "stages/encoding/files.sql": ("risky cells",),
    "stages/encoding/labels.sql": ("explain",),
    "stages/encoding/levels.sql": ("missing_values",),
    "stages/encoding/partly_coded_records.sql": ("waiting targets",),
    "stages/encoding/passes.sql": ("exclusions, in passes",),
    "stages/encoding/projected_records.sql": ("sweep, keys",),
    "stages/encoding/values.sql": ("risky cells",),
    "stages/intruder/guesses.sql": ("attack: marginal", "attack: exact_match"),
    "stages/intruder/key_run_counts.sql": ("attack, naive Bayes",),
    "stages/intruder/posteriors.sql": ("intruder, levels",),
    "stages/intruder/training_keys.sql": ("attack: one_rule",),
    "stages/intruder/training_levels.sql": ("attack: uniform",),
    "stages/near_keys/reached_cells.sql": ("near_keys_of_who_is_counted", "control_near_keys"),
    "stages/near_keys/reached_classes.sql": ("near_keys",),
    "stages/near_keys/reached_counts.sql": ("near_keys", "near_keys_of_who_is_counted"),
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
    "stages/results/pivot.sql": ("oracle: who is counted",),
    "stages/results/results.sql": ("oracle: who is counted",),
    "stages/results/summaries.sql": ("oracle: who is counted",),
    "stages/results/two_way_candidates.sql": ("records, nearest", "distributions, exclusions", "flags of populations"),
    "stages/tolerance/numbers.sql": ("within, double",),
    "stages/tolerance/within.sql": ("within, populations",),
    "stages/tolerance/within_cells.sql": (
        *("within_of_each_other", "dorig_within", "disco_within", "within, whole", "control_within_missing"),
    ),
    "stages/tolerance/within_counts.sql": ("within, whole",),
    "tables/agreeing.sql": ("explain",),
    "tables/differences.sql": ("control", "certainty", "welch"),
    "tables/distributions.sql": ("distributions, uniques",),
    "tables/least_cells.sql": ("least cells",),
    "tables/listing.sql": ("risky cells",),
    "tables/lookup.sql": ("lookup",),
    "tables/one_sided_levels.sql": ("dsyn", "shares of levels"),
    "tables/protected.sql": ("protect, flag",),
    "tables/record_risk.sql": ("explain", "records, synthetic", "records, special uniques"),
    "tables/reference_averages.sql": ("reference, few tables", "reference"),
    "tables/reference_cells.sql": ("reference, few tables", "reference"),
    "tables/reference_summary.sql": ("reference, few tables", "reference"),
    "tables/risky_cells.sql": ("risky cells",),
    "tables/shares.sql": ("shares of levels",),
    "tables/smallest_cells.sql": ("least cells",),
    "tables/sweep_rows.sql": ("sweep, rows",),
    "tables/sweep_summary.sql": ("sweep, keys",),
    "tables/top_level.sql": ("explain",),
    "tables/uniques_together.sql": ("init",),
    "uniques/key_shares.sql": ("records, special uniques",),
    "uniques/minimal_uniques.sql": ("uniques, a single record", "uniques by hand"),
    "uniques/record_scores.sql": ("uniques by hand",),
    "uniques/set_sizes.sql": ("uniques by hand", "uniques, a single record"),
    "uniques/suda_scores.sql": ("uniques, missing values", "uniques, a single record", "uniques by hand"),
}


def changeable() -> list[str]:
    """The templates that have something to change; measures are tried in test_mutants.py."""
    paths = sorted(path.relative_to(sql_folder()).as_posix() for path in sql_folder().rglob("*.sql"))
    return [path for path in paths if not path.startswith("measures/") and of_template(path)]


@cache
def recorded(witness: Witness) -> replay.Recording:
    """What a witness tells the database."""
    with TemporaryDirectory() as folder:
        return replay.record(lambda: witness(Path(folder)))


def witnesses(path: str) -> list[Witness]:
    """The small tables that a template is asked of, or a template that imports it; then the runs."""
    by_hand = [each for each in BY_HAND if path == each.path or path in replay.macros(each.path)]
    return [*by_hand, *(WITNESSES[name] for name in RUNS.get(path, ()))]


def explained(path: str, mutant: Mutant) -> bool:
    """Whether a mutant is known to change no result."""
    return any(each.fits(path, mutant) for each in EQUIVALENT)


@pytest.mark.parametrize("path", some(changeable()[::10], changeable()))
def test_a_witness_tells_every_mutant_from_the_template(path: str) -> None:
    chosen = sorted(map(recorded, witnesses(path)), key=lambda each: len(each.statements))  # the quick ones are asked first
    unnoticed, unequal = [], []
    for mutant in of_template(path):
        with pytest.MonkeyPatch.context() as patch:
            replay.replaced(patch, path, mutant.mutated)
            noticed = any(each.tells(path) for each in chosen)
        if noticed == explained(path, mutant):
            (unequal if noticed else unnoticed).append(mutant.change)
    assert unnoticed == [], "no witness notices"
    assert unequal == [], "a witness notices what is said to be equivalent"


def test_every_equivalent_mutant_is_one() -> None:
    made = [(path, mutant) for path in changeable() for mutant in of_template(path)]
    assert [each for each in EQUIVALENT if not any(each.fits(*one) for one in made)] == []
