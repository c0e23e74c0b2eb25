/*---
grain = "one row per column and file, with the number and percentage of records without a value"
reads = "levels"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import union_all %}
{% call union_all() %}
{% for column in columns %}
{% for file in files %}
SELECT
    {{ column.number }} AS column_number, {{ file.number }} AS file_number, n_missing,
    {{ quotient("100 * n_missing", "n_all") }} AS percent
FROM (
    SELECT
        {# unchanged by [= → <=]: no count and no code is below 0 #}
        CAST(SUM(CASE WHEN code = 0 THEN {{ file.count }} ELSE 0 END) AS BIGINT) AS n_missing,
        CAST(SUM({{ file.count }}) AS BIGINT) AS n_all
    FROM {{ levels[column.id] }}
) AS level_sums_{{ column.number }}_{{ file.number }}
UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
