/*---
grain = "one row per file, with its records and those whose whole row (see distinct_rows) is empty"
reads = "the files"
---*/
{% from "macros/nothing.sql" import said %}
{% from "macros/select.sql" import joined_by, union_all %}
{% call union_all() %}
{% for entry in entries %}
SELECT
    {{ entry.comparison }} AS comparison, {{ entry.file.number }} AS file_number, COUNT(*) AS records,
    COUNT(
        CASE
            WHEN COALESCE(
{% call joined_by(",") %}
{% for column, is_text in columns %}
                {# unchanged by [1 → 0], [1 → 2]: only the existence of a row matters, not its number #}
                CASE WHEN {{ said(column.value_in(entry.file), is_text, blanks) }} IS NOT NULL THEN 1 END,
{% endfor %}
{% endcall %}
            ) IS NULL THEN 1
        END
    ) AS empty_records
FROM {{ entry.file.relation }}
UNION ALL
{% endfor %}
{% endcall %}
