/*---
grain = """\
one row per level of an ordered target that people of a comparison have, with its rank and the number of people with \
it or an earlier level"""
reads = "marginals; comparisons if there are several"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import running %}
{% from "macros/select.sql" import column_list %}
{% from "macros/together.sql" import for_each_comparison with context %}
-- Codes are in the order of the levels, with the missing level (0) first. sum_upto is the running sum of n_upto.
{% set within = apart | join(", ") %}
{% set all_levels %}OVER ({{ "PARTITION BY " ~ within if apart }}){% endset %}
SELECT
{% call column_list() %}
{% for name in apart %}
    {{ name }} AS of_{{ name }},
{% endfor %}
    level_code AS place_code, place, n_upto,
    CAST({{ running("SUM(n_upto)", "level_code", within) }} AS BIGINT) AS sum_upto,
    CAST(SUM(n_upto) {{ all_levels }} AS BIGINT) AS sum_all,
    COUNT(*) {{ all_levels }} AS n_places,
    MAX(n_upto) {{ all_levels }} AS n_upto_all,
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% for name in apart %}
        {{ name }},
{% endfor %}
        level_code,
        {{ running("COUNT(*)", "level_code", within) }} AS place,
        CAST({{ running("SUM(of_people)", "level_code", within) }} AS BIGINT) AS n_upto,
{% endcall %}
    FROM (
        SELECT
{% call column_list() %}
{% for name, value in apart.items() %}
            {{ value }} AS {{ name }},
{% endfor %}
            level_code, {{ records_of(own) }} AS of_people,
{% endcall %}
        FROM {{ marginals }}{{ for_each_comparison() | indent(8) }}
    ) AS of_each
    WHERE of_people > 0
) AS placed
