/*---
grain = """\
one row per distinct whole row (the columns that all files have, ids and weights left out), with the records of each \
file"""
reads = "shared_rows or sampled_rows"
---*/
{% from "macros/rows.sql" import hands_of, in_sample %}
{% from "macros/select.sql" import column_list %}
{% set ids = columns | map(attribute="id") | join(", ") %}
SELECT
{% call column_list() %}
    ROW_NUMBER() OVER () AS row_number, {{ ids }}, {{ hands_of(hands) }},
{% for file in files %}
    CAST(SUM({{ file.count }}) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ rows }} AS shared
WHERE {{ in_sample(sample) }}
GROUP BY {{ ids }}
