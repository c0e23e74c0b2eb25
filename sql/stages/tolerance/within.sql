/*---
grain = """\
one row per distinct combination of a cell's counts within the tolerance, reason of exclusion and population, with the \
people of the cells that have it"""
reads = "within_cells"
---*/
{% from "macros/numbers.sql" import share %}
-- Like distinct_cells for exact levels. What the intruder sees (n_*, share_*, close_*) is the value of each single
-- cell. Who is counted (people, counted_orig) is summed over the cells.
SELECT
    {{ alike | join(", ") }},
    {{ share("n_base_within", "n_base_class") }} AS share_orig_within,
    {{ share("n_syn_within", "n_syn_class") }} AS share_syn_within,
    {{ share("n_level_within", "n_orig_all") }} AS share_level_within,
    sum_people AS people, sum_counted_orig AS counted_orig
FROM (
    SELECT
        {{ alike | join(", ") }},
        CAST(SUM(people) AS {{ number }}) AS sum_people,
        CAST(SUM(counted_orig) AS {{ number }}) AS sum_counted_orig
    FROM (
        {{ cells | indent(8) }}
    ) AS within_cells
    GROUP BY {{ (alike + reasons) | join(", ") }}
) AS counted
