/*---
grain = """\
one row per distinct row (or record) of a sample, with its values and the place of the first digit of each number"""
reads = "distinct_rows or sampled_rows"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/rows.sql" import first_digit, in_sample, in_some %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ "row_number, " if numbered }}{{ columns | map(attribute="id") | join(", ") }},
{% for column in numbers %}
    {{ first_digit(column.id) }} AS place_{{ column.id }},
{% endfor %}
{% for sample in samples %}
    CASE WHEN {{ in_sample(sample) }} THEN 1 ELSE 0 END AS {{ sample.flag }},
{% endfor %}
    {{ counts_of(files) }},
{% endcall %}
FROM {{ rows }} AS counted
WHERE {{ in_some(samples) }}
