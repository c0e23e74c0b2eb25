/*---
grain = """\
one row per class of one target, for one comparison, with statistics of the target's levels in the class; with \
populations, one for each population"""
reads = "lone_classes, spread_classes"
---*/
{% from "macros/numbers.sql" import share, quotient %}
-- Profiles are computed only for measures that read them, and completely only if a measure reads more than the vote of
-- the synthetic records. As in compared_cells, what the intruder sees (n_*, entropy_orig, l_recursive) is about all
-- records. Who is counted (people, counted_*, expected_shuffled) are the people left after exclusions and of the
-- population.
SELECT
    {{ class }}, n_orig, n_syn, n_top_syn, n_modal, people, counted_orig, counted_modal
{%- if whole %},
    n_levels_orig, entropy_orig, l_recursive, expected_shuffled, expected_mode, expected_mode_orig, expected_uniform,
    -- The fewest people at one level, over all levels of the target in the file of the people. It is 0 if the class
    -- lacks a level.
    counted_low, n_low, {{ share("counted_low", "people") }} AS share_low,
    -- The most people at one level, and how many levels there are.
    counted_high, n_levels_all,
    -- The minimum of counted_low and of share_low over all classes with people. Nobody is looked for in other classes.
    MIN(CASE WHEN people > 0 THEN counted_low END) OVER ({{ of_all }}) AS counted_lowest,
    {# unchanged by [> → >=]: a class without people has no share #}
    MIN(CASE WHEN people > 0 THEN {{ quotient("counted_low", "people") }} END) OVER ({{ of_all }}) AS share_lowest
{%- endif %}
{%- if close %},
    -- For classes with people: the distance of their shares from the shares in the whole file, including levels that
    -- are not counted.
    apart_total, apart_gain, apart_log, n_levels_all - n_levels_orig AS n_absent
{%- endif %}

FROM (
    SELECT
        {{ class }}, class_orig AS n_orig, class_syn AS n_syn, top_syn AS n_top_syn, n_modal,
        people, counted_orig, counted_modal
{%- if whole %},
        n_levels_orig, entropy_orig, l_recursive, most_counted AS counted_high, n_levels_all,
        expected_shuffled, expected_mode, expected_mode_orig, expected_uniform,
        CASE WHEN n_levels_orig < n_levels_all THEN 0 ELSE least_counted END AS counted_low,
        n_levels_all - n_levels_orig
            {# unchanged by n_levels_orig [= → >=]: no class has more levels than the target #}
            {# unchanged by least_counted [= → <=]: no count is below 0 #}
            + CASE WHEN n_levels_orig = n_levels_all OR least_counted = 0 THEN n_least ELSE 0 END AS n_low
{%- endif %}
{%- if close %},
        apart_total, apart_gain, apart_log
{%- endif %}

    FROM (
        {{ spread_classes | indent(8) }}
    ) AS counted
) AS profile_rows
