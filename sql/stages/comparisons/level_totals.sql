/*---
grain = """\
one row per comparison, with how many levels of the target people and synthetic records have, and the count of the \
most frequent level and the number of levels that tie for it, in the original and in the synthetic records"""
reads = "marginals; comparisons if there are several"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/together.sql" import for_each_comparison with context %}
SELECT
{% for name in apart %}
    of_{{ name }},
{% endfor %}
    COUNT(CASE WHEN of_people > 0 THEN 1 END) AS n_levels_all,
    COUNT(CASE WHEN of_syn > 0 THEN 1 END) AS n_levels_syn,
    {# unchanged by [= → >=] in the next 2 lines: no value exceeds the maximum #}
    MAX(of_syn) AS top_level_syn, COUNT(CASE WHEN of_syn = most_syn THEN 1 END) AS n_mode_syn,
    MAX(of_orig) AS top_level_orig, COUNT(CASE WHEN of_orig = most_orig THEN 1 END) AS n_mode_orig
FROM (
    SELECT
{% for name, value in apart.items() %}
        {{ value }} AS of_{{ name }},
{% endfor %}
        {{ records_of(own) }} AS of_people, {{ records_of(members) }} AS of_syn, n_orig AS of_orig,
        MAX({{ records_of(members) }}) OVER ({{ "PARTITION BY chosen.comparison" if together }}) AS most_syn,
        MAX(n_orig) OVER () AS most_orig
    FROM {{ marginals }}{{ for_each_comparison() | indent(4) }}
) AS level_counts
{% if apart %}
GROUP BY of_{{ apart | join(", of_") }}
{% endif %}
