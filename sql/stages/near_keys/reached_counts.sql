/*---
grain = """\
one row per class of people, or cell with people: the records within its reach, in every file: those with the same \
other keys whose near key is within its tolerance (of a cell: with its level of the target, too)"""
reads = "classes or cells; tolerance_intervals"
---*/
{% from "macros/class_key.sql" import class_key_of, key_without, kept_key with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import column_list %}
-- No join over pairs: what has the same other keys is sorted by the near key, the ends of the intervals are merged in,
-- and the records so far are read off at each end; their difference is what lies between. So n log n, however many
-- records have the same other keys. What has no row here (a missing or special value of the near key) reaches its own
-- records alone.
{% set near %}
FROM {{ counted }} AS counted
JOIN {{ tolerance_intervals }} AS near ON {{ near_key.digit_of("counted") }} = near.level_code
WHERE near.number IS NOT NULL
{%- endset %}
{% set levels = "level_code, " if of_cells else "" %}
SELECT
{% call column_list() %}
    {{ class_key }}, {{ levels }}
{% for file in files %}
    {# unchanged by [= → >=]: 2 is the last turn #}
    CAST(SUM(CASE WHEN turn = 2 THEN upto_{{ file.count }}
        ELSE -upto_{{ file.count }} END) AS BIGINT) AS found_{{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ class_key }}, {{ levels }}turn,
{% for file in files %}
        SUM(here_{{ file.count }}) OVER (PARTITION BY {{ levels }}{{ kept_key() }} ORDER BY code,
            turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto_{{ file.count }},
{% endfor %}
{% endcall %}
    FROM (
        SELECT
{% call column_list() %}
            {{ class_key_of("counted") }}, {{ key_without([near_key.column.id]) }},
            {{ "counted.level_code AS level_code, " if of_cells }}near.level_code AS code, 0 AS turn,
{% for file in files %}
            counted.{{ file.count }} AS here_{{ file.count }},
{% endfor %}
{% endcall %}
        {{ near | indent(8) }}
{% for turn, end in [(1, "below_code"), (2, "upto_code")] %}
        UNION ALL
        SELECT
{% call column_list() %}
            {{ class_key_of("counted") }}, {{ key_without([near_key.column.id]) }},
            {{ "counted.level_code AS level_code, " if of_cells }}near.{{ end }} AS code, {{ turn }} AS turn,
{% for file in files %}
            0 AS here_{{ file.count }},
{% endfor %}
{% endcall %}
        {# unchanged by [> → >=]: what has no people is not asked for #}
        {{ near | indent(8) }} AND {{ records_of(people_files, "counted") }} > 0
{% endfor %}
    ) AS merged
) AS counted_upto
WHERE turn > 0
GROUP BY {{ levels }}{{ class_key }}
