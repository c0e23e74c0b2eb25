/*---
name  = "copied_records"
title = "Most people with a unique record are in it"
state = "not assessable"
reads = "copies"
order = 3
says  = "{file} is not a synthetic file: it holds the whole record of {amount} % of the people with a unique record, over all {columns} columns{looked_at}."
---*/
{% from "macros/copies.sql" import is_copied %}
SELECT
    comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject,
    100 * CAST(uniques_released AS DOUBLE) / uniques AS amount
FROM {{ copies }} AS copies
{# unchanged by of_control [= → <=]: a flag is 0 or 1 #}
{# unchanged by change [= → <=]: changes are numbered from 1, and 0 is no change #}
WHERE of_control = 0 AND change = 0 AND rows_beyond > 0 AND {{ is_copied("copies", copied, least) }}
