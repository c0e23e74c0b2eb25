/*---
grain = """\
one row per distinct row of people, with the sum over some columns of the logarithms of its levels' shares"""
reads = "distinct_rows or some_columns"
---*/
-- Eight columns are added at a time. Shares are looked up by level, so no rows are sorted. A missing value equals
-- nothing in a join, so its share is looked up separately.
{% from "macros/select.sql" import column_list, joined_by, union_all %}
SELECT row_number, SUM(share_log) AS log_share
FROM (
{% call union_all() %}
{% for some in columns | batch(8) %}
    SELECT
        counted.row_number AS row_number,
{% call joined_by(" +") %}
{% for column in some %}
        LN(CAST(COALESCE(of_{{ column.id }}.n, missing_{{ column.id }}) AS DOUBLE) / n_all) +
{% endfor %}
{% endcall %} AS share_log
    FROM {{ rows }} AS counted
{% for column in some %}
    LEFT JOIN (
        SELECT {{ column.id }}, SUM({{ original.count }}) AS n
        FROM {{ rows }} AS counted
        GROUP BY {{ column.id }}
    ) AS of_{{ column.id }} ON counted.{{ column.id }} = of_{{ column.id }}.{{ column.id }}
{% endfor %}
    CROSS JOIN (
        SELECT
{% call column_list() %}
            SUM({{ original.count }}) AS n_all,
{% for column in some %}
            SUM(CASE WHEN {{ column.id }} IS NULL THEN {{ original.count }} END) AS missing_{{ column.id }},
{% endfor %}
{% endcall %}
        FROM {{ rows }} AS counted
    ) AS files
    WHERE {{ original.count }} > 0
    UNION ALL
{% endfor %}
{% endcall %}
) AS shares
GROUP BY row_number
