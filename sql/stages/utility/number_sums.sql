/*---
grain = "one row of one file: sums over the records that have both numbers, for each of some pairs of columns"
reads = "the files, levels"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list %}
{% from "macros/utility.sql" import number_in %}
-- Numbers are counted from the mean of the original, so that their squares lose no digits. A special value is none.
SELECT
{% call column_list() %}
{% for one, other in pairs %}
{% set pair = one.number ~ "_" ~ other.number %}
{% set x, y = "number_" ~ one.number, "number_" ~ other.number %}
{% set with_y = "CASE WHEN " ~ y ~ " IS NOT NULL THEN " ~ x ~ " END" %}
{% set with_x = "CASE WHEN " ~ x ~ " IS NOT NULL THEN " ~ y ~ " END" %}
    COUNT({{ with_y }}) AS n_{{ pair }},
    SUM({{ with_y }}) AS x_{{ pair }},
    SUM({{ with_x }}) AS y_{{ pair }},
    SUM({{ with_y }} * {{ x }}) AS xx_{{ pair }},
    SUM({{ with_x }} * {{ y }}) AS yy_{{ pair }},
    SUM({{ x }} * {{ y }}) AS xy_{{ pair }},
    CASE
        WHEN MIN({{ with_y }}) < MAX({{ with_y }}) AND MIN({{ with_x }}) < MAX({{ with_x }}) THEN 1
        ELSE 0
    END AS vary_{{ pair }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% for column in columns %}
        {{ number_in(column, column.id) }} - centre_{{ column.number }} AS number_{{ column.number }},
{% endfor %}
{% endcall %}
    FROM (
        SELECT
{% call column_list() %}
{% for column in columns %}
            {{ column.value_in(file) }} AS {{ column.id }},
{% endfor %}
{% endcall %}
        FROM {{ file.relation }}
    ) AS source
{% for column in columns %}
    CROSS JOIN (
        SELECT COALESCE({{ share("SUM(number * n_orig)", "SUM(n_orig)") }}, 0) AS centre_{{ column.number }}
        FROM (
            SELECT {{ number_in(column, "value") }} AS number, n_orig FROM {{ levels[column.id] }}
        ) AS numbers_{{ column.number }}
        WHERE number IS NOT NULL
    ) AS centre_of_{{ column.number }}
{% endfor %}
) AS centred
