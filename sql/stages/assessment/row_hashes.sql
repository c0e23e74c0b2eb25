/*---
grain = "one row per distinct row (or record) of a sample, with 50-bit hashes of each value and of the whole row"
reads = "placed_rows"
---*/
-- The sum of the hashes of its values identifies a row. The sum without one of them identifies the row without that
-- column (Zobrist 1970).
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import added %}
{% from "macros/rows.sql" import hashed, rounded %}
{% from "macros/select.sql" import column_list, each_of %}
SELECT
{% call column_list() %}
    {{ "row_number, " if numbered }}{{ each_of(kept, "hash_{0.id}") }}
{% for name, hashes in sums.items() %}
    {{ added(hashes) }} AS {{ name }},
{% endfor %}
    {{ each_of(samples, "{0.flag}") }} {{ counts_of(files) }},
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ "row_number," if numbered }}
{% for column in columns %}
        {{ hashed(column.id, column, size) }} AS hash_{{ column.id }},
{% endfor %}
{% for digits in roundings %}
{% for column in numbers %}
{% set number = rounded(column.id, "place_" ~ column.id, digits) %}
        {{ hashed(number, column, size) }} AS hash_{{ column.id }}_{{ digits }},
{% endfor %}
{% endfor %}
        {{ each_of(samples, "{0.flag}") }} {{ counts_of(files) }},
{% endcall %}
    FROM (
        {{ placed_rows | indent(8) }}
    ) AS placed
) AS hashed
