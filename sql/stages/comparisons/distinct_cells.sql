/*---
grain = """\
one row per distinct combination of counts (of a cell, its class and its level), reasons of exclusion, population and \
presence of people of this population, with the number of cells that have it"""
reads = "compared_cells"
---*/
{% from "macros/numbers.sql" import share %}
-- Measures over cells read this table. A measure reads only the counts of a cell, so cells with equal counts are
-- combined: millions of cells become some thousands of rows. What the intruder sees (n_*, share_*) is the value of each
-- single cell. Who is counted (people, synthetic, counted_*, n_cells) is summed over the cells. counted_most is the
-- greatest number of people counted in one cell. In a population it can be less than n_orig.
SELECT
    n_orig, n_syn, n_orig_class, n_syn_class,
{% if control %}
    n_base, n_base_class, n_orig_level, n_orig_all,
    {{ share("n_base", "n_base_class") }} AS share_orig,
{% else %}
    n_orig AS n_base, n_orig_class AS n_base_class, n_orig_level, n_orig_all,
    {{ share("n_orig", "n_orig_class") }} AS share_orig,
{% endif %}
    {{ share("n_syn", "n_syn_class") }} AS share_syn,
    {{ "share_given" if baseline else share("n_orig_level", "n_orig_all") }} AS share_level,
{% for name in shared %}
    {{ share("n_" ~ name, "n_" ~ name ~ "_class") }} AS share_{{ name }},
{% endfor %}
    n_cells,
{% for name in carried %}
    {{ name }},
{% endfor %}
    sum_people AS people, synthetic,
    sum_counted_orig AS counted_orig, sum_counted_orig_class AS counted_orig_class, sum_counted_syn AS counted_syn,
    counted_most
FROM (
    SELECT
        {{ alike | join(", ") }},
        COUNT(*) AS n_cells,
        CAST(SUM(people) AS {{ number }}) AS sum_people,
        CAST(SUM(n_syn) AS BIGINT) AS synthetic,
        CAST(SUM(counted_orig) AS {{ number }}) AS sum_counted_orig,
        CAST(SUM(counted_orig_class) AS {{ number }}) AS sum_counted_orig_class,
        CAST(SUM(counted_syn) AS BIGINT) AS sum_counted_syn,
        {# unchanged by [counted_orig → people]: only max_denom reads this, from counted cells, where both are equal #}
        MAX(counted_orig) AS counted_most
    FROM (
        {{ compared | indent(8) }}
    ) AS compared
    GROUP BY {{ (alike + apart) | join(", ") }}
) AS counted
