/*---
grain = "one row per different row (or record) in a sample: numbers of 50 bits for its values and for all of it"
reads = "distinct_rows or sampled_rows"
---*/
-- The sum of these numbers stands for a row, the sum without one of them for a row without that column (Zobrist 1970).
{% from "macros/counts.sql" import counts_of %}
{% from "macros/rows.sql" import hashed, in_sample, in_some, rounded %}
{% from "macros/select.sql" import column_list, joined_by %}
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ hashed(column.id, column, size) }} AS hash_{{ column.id }},
{% endfor %}
{% call joined_by(" +") %}
{% for column in columns %}
    {{ hashed(column.id, column, size) }} +
{% endfor %}
{% endcall %}
    AS hash_row,
{% for digits in roundings %}
{% call joined_by(" +") %}
{% for column in columns %}
    {{ hashed(rounded(column.id, digits) if column in numbers else column.id, column, size) }} +
{% endfor %}
{% endcall %}
    AS hash_row_{{ digits }},
{% endfor %}
{% for sample in samples %}
    CASE WHEN {{ in_sample(sample) }} THEN 1 ELSE 0 END AS {{ sample.flag }},
{% endfor %}
    {{ counts_of(files) }},
{% endcall %}
FROM {{ rows }} AS counted
WHERE {{ in_some(samples) }}
