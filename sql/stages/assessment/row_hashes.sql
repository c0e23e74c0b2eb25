/*---
grain = "one row per different row (or record) in a sample: numbers of 50 bits for its values and for all of it"
reads = "distinct_rows or sampled_rows"
---*/
-- The sum of these numbers stands for a row, the sum without one of them for a row without that column (Zobrist 1970).
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import added %}
{% from "macros/rows.sql" import first_digit, hashed, in_sample, in_some, rounded %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% if numbered %}
    row_number,
{% endif %}
{% for column in kept %}
    hash_{{ column.id }},
{% endfor %}
{% for name, hashes in sums.items() %}
    {{ added(hashes) }} AS {{ name }},
{% endfor %}
{% for sample in samples %}
    {{ sample.flag }},
{% endfor %}
    {{ counts_of(files) }},
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% if numbered %}
        row_number,
{% endif %}
{% for column in columns %}
        {{ hashed(column.id, column, size) }} AS hash_{{ column.id }},
{% endfor %}
{% for digits in roundings %}
{% for column in numbers %}
{% set number = rounded(column.id, "place_" ~ column.id, digits) %}
        {{ hashed(number, column, size) }} AS hash_{{ column.id }}_{{ digits }},
{% endfor %}
{% endfor %}
{% for sample in samples %}
        {{ sample.flag }},
{% endfor %}
        {{ counts_of(files) }},
{% endcall %}
    FROM (
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
    ) AS placed
) AS hashed
