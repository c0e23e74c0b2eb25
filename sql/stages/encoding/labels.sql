/*---
grain = "one row per level of a column, with its readable form: a value, its label, or a bin from low to high"
reads = "levels, the labels that files have for their values"
---*/
{% set levels_named %}
{{ levels }} AS levels
{% if column.label_table %}
LEFT JOIN {{ column.label_table }} AS value_labels ON value = CAST(level AS {{ column.type }})
{% endif %}
{% endset %}
{% if column.shares_codes %}
{# unchanged by [MIN → MAX]: a code has one value or one bin #}
SELECT code, MIN(plain_value) AS value, MIN(bin_low) AS low, MIN(bin_high) AS high, MIN(bin_closed) AS closed
FROM (
    SELECT
        code, CASE WHEN low IS NULL THEN {{ column.shown }} END AS plain_value,
        low AS bin_low, high AS bin_high, closed AS bin_closed
    FROM {{ levels_named | trim | indent(4) }}
) AS levels
GROUP BY code
{% else %}
SELECT
    code, {{ column.shown_as_value }},
    CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high, CAST(NULL AS INTEGER) AS closed
FROM {{ levels_named | trim }}
{% endif %}
