/*---
grain = """\
one row per class of one target, for one comparison: how the target is spread within the class; with crowds, one \
for each population"""
reads = "compared_cells (of cells, or of near_cells), marginals"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import share, quotient %}
-- Computed only for a measure that reads it. As in compared_cells: what the intruder sees (n_*, entropy_orig,
-- l_recursive) is of all records; who is counted (people, counted_*, expected_shuffled) is what exclusions and the
-- population leave.
{% set of_syn %}{{ records_of(comparison.members) }}{% endset %}
{% set class = class_key ~ (", population" if crowd else "") %}
{% set number = crowd.number if crowd else "BIGINT" %}
SELECT
    {{ class }}, n_orig, n_syn,
    n_levels_orig, entropy_orig, l_recursive, n_top_syn, n_modal,
    people, counted_orig, counted_modal, expected_shuffled, expected_mode, expected_mode_orig, expected_uniform,
    -- The level of the target with fewest people here, of all that the people's file has: 0 where the class lacks one.
    counted_low, n_low,
    {{ share("counted_low", "people") }} AS share_low,
    -- The same over all classes of these people. A class without people is no class to look for them in.
    MIN(CASE WHEN people > 0 THEN counted_low END) OVER ({{ "PARTITION BY population" if crowd }}) AS counted_lowest,
    MIN(CASE
        WHEN people > 0 THEN {{ quotient("counted_low", "people") }} END) OVER ({{ "PARTITION BY population" if crowd }}) AS share_lowest
FROM (
    SELECT
        {{ class }}, class_orig AS n_orig, class_syn AS n_syn,
        n_levels_orig, entropy_orig, l_recursive, top_syn AS n_top_syn, n_modal,
        people, counted_orig, counted_modal, expected_shuffled, expected_mode, expected_mode_orig, expected_uniform,
        CASE WHEN n_levels_orig < n_levels_all THEN 0 ELSE least_counted END AS counted_low,
        n_levels_all - n_levels_orig
            + CASE WHEN n_levels_orig = n_levels_all OR least_counted = 0 THEN n_least ELSE 0 END AS n_low
    FROM (
        SELECT
            {{ class }}, class_orig, class_syn, top_syn, least_counted, n_levels_all,
            COUNT(CASE WHEN cell_orig > 0 THEN 1 END) AS n_levels_orig,
            SUM(CASE WHEN cell_orig > 0 THEN -{{ quotient("cell_orig", "class_orig") }}
                * LN({{ quotient("cell_orig", "class_orig") }}) ELSE 0 END) AS entropy_orig,
            -- Recursive (2,l): r_j + ... + r_m, counts in falling order, against r_1. The first counts always: 2 * all
            -- > r_1.
            COUNT(CASE WHEN cell_orig > 0 AND 2 * upto_orig > top_orig THEN 1 END) AS l_recursive,
            COUNT(CASE WHEN cell_syn = top_syn AND top_syn > 0 THEN 1 END) AS n_modal,
            CAST(SUM(cell_people) AS {{ number }}) AS people,
            CAST(SUM(cell_counted) AS {{ number }}) AS counted_orig,
            CAST(SUM(CASE WHEN cell_syn = top_syn AND top_syn > 0 THEN cell_counted
                ELSE 0 END) AS {{ number }}) AS counted_modal,
            SUM(CAST(cell_counted AS DOUBLE) * {{ share("n_syn_level", "n_syn_all") }}) AS expected_shuffled,
            -- People guessed right without their keys: by the most frequent level of a file (ties split evenly), by any
            -- of its levels.
            SUM(CASE WHEN n_syn_level = top_level_syn THEN {{ share("cell_counted", "n_mode_syn") }}
                ELSE 0 END) AS expected_mode,
            SUM(CASE WHEN n_orig_level = top_level_orig THEN {{ share("cell_counted", "n_mode_orig") }}
                ELSE 0 END) AS expected_mode_orig,
            SUM(CASE WHEN n_syn_level > 0 THEN {{ share("cell_counted", "n_levels_syn") }}
                ELSE 0 END) AS expected_uniform,
            COUNT(CASE WHEN cell_orig > 0 AND cell_counted = least_counted THEN 1 END) AS n_least
        FROM (
            SELECT
                {{ class }}, n_orig AS cell_orig, n_syn AS cell_syn, n_orig_class AS class_orig,
                n_syn_class AS class_syn,
                n_orig_level, n_syn_level, n_syn_all, people AS cell_people, counted_orig AS cell_counted,
                MAX(n_orig) OVER (PARTITION BY {{ class }}) AS top_orig,
                MAX(n_syn) OVER (PARTITION BY {{ class }}) AS top_syn,
                SUM(n_orig) OVER (PARTITION BY {{ class }} ORDER BY n_orig,
                    level_code ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto_orig,
                MIN(CASE WHEN n_orig > 0 THEN counted_orig END) OVER (PARTITION BY {{ class }}) AS least_counted
            FROM (
                {{ compared | indent(16) }}
            ) AS compared
        ) AS cells_of_class
        CROSS JOIN (
            SELECT
                COUNT(CASE WHEN of_people > 0 THEN 1 END) AS n_levels_all,
                COUNT(CASE WHEN of_syn > 0 THEN 1 END) AS n_levels_syn,
                MAX(of_syn) AS top_level_syn, COUNT(CASE WHEN of_syn = most_syn THEN 1 END) AS n_mode_syn,
                MAX(of_orig) AS top_level_orig, COUNT(CASE WHEN of_orig = most_orig THEN 1 END) AS n_mode_orig
            FROM (
                SELECT
                    {{ comparison.people.count }} AS of_people, {{ of_syn }} AS of_syn, n_orig AS of_orig,
                    MAX({{ of_syn }}) OVER () AS most_syn, MAX(n_orig) OVER () AS most_orig
                FROM {{ marginals }}
            ) AS level_counts
        ) AS target_levels
        GROUP BY {{ class }}, class_orig, class_syn, top_syn, least_counted, n_levels_all
    ) AS counted
) AS profile_rows
