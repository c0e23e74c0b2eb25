/*---
grain = "one row with, for each pair of some columns, sums over the records of one file that have both numbers"
reads = "the files, levels"
---*/
{% from "macros/numbers.sql" import finite, share %}
{% from "macros/select.sql" import column_list %}
{% from "macros/utility.sql" import number_in, sums_of_pair %}
-- The mean of the original is subtracted from all numbers, so that their squares lose no digits. Special and infinite
-- values are left out.
WITH chosen_columns AS (
    SELECT
{% call column_list() %}
{% for column in columns %}
        {{ column.value_in(file) }} AS {{ column.id }},
{% endfor %}
{% endcall %}
    FROM {{ file.relation }}
), centred AS (
    SELECT
{% call column_list() %}
{% for column in columns %}
        CASE
            WHEN {{ finite(column.id) }} THEN {{ number_in(column, column.id) }} - centre_{{ column.number }}
        END AS number_{{ column.number }},
{% endfor %}
{% endcall %}
    FROM chosen_columns
{% for column in columns %}
    CROSS JOIN (
        SELECT COALESCE({{ share("SUM(number * n_orig)", "SUM(n_orig)") }}, 0) AS centre_{{ column.number }}
        FROM (
            SELECT {{ number_in(column, "value") }} AS number, n_orig FROM {{ levels[column.id] }}
        ) AS numbers_{{ column.number }}
        WHERE {{ finite("number") }}
    ) AS centre_of_{{ column.number }}
{% endfor %}
)
SELECT
{% call column_list() %}
{% for one, other in pairs %}
    {{ sums_of_pair("number_" ~ one.number, "number_" ~ other.number, one.number ~ "_" ~ other.number) | indent(4) }},
{% endfor %}
{% endcall %}
FROM centred
