/*---
grain = "one row per different row (or record) in one of the samples: a number of 50 bits for each value, in which samples it is"
reads = "dealt_rows or sampled_rows"
---*/
-- The sum of these numbers stands for a row, the sum without one of them for a row without that column (Zobrist 1970).
{% from "macros/counts.sql" import counts_of %}
{% from "macros/rows.sql" import in_sample, rounded %}
{% from "macros/select.sql" import column_list, joined_by %}
{% macro hashed(value, column) %}
CAST(HASH({{ value }}, {{ column.number }}) % {{ size }} AS BIGINT)
{%- endmacro %}
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ hashed(column.id, column) }} AS hash_{{ column.id }},
{% endfor %}
{% for digits in [0] + (roundings | list) %}
{% call joined_by(" +") %}
{% for column in columns %}
    {{ hashed(rounded(column.id, digits) if digits and column in numbers else column.id, column) }} +
{% endfor %}
{% endcall %}
    AS hash_row{{ "_" ~ digits if digits }},
{% endfor %}
{% for sample in samples %}
    CASE WHEN {{ in_sample(sample) }} THEN 1 ELSE 0 END AS {{ sample.flag }},
{% endfor %}
    {{ counts_of(files) }},
{% endcall %}
FROM {{ rows }} AS shared
WHERE
{% call joined_by(" OR") %}
{% for sample in samples %}
    {{ in_sample(sample) }} OR
{% endfor %}
{% endcall %}
