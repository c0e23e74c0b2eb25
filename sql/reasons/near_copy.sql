/*---
name  = "near_copy"
title = "Nearly a copy of the original"
state = "not assessable"
reads = "copies"
order = 4
says  = "{file} is nearly a copy of the original: {change}, it holds the record of {amount} % of the people whose record is then unique{looked_at}."
---*/
{% from "macros/copies.sql" import is_copied %}
-- Report the change that shows most copies, if unchanged rows do not show a copy. So change 0 (unchanged rows) is never
-- reported.
SELECT comparison, 0 AS target, change AS subject, share AS amount
FROM (
    SELECT
        changed.comparison, changed.change, 100 * CAST(changed.uniques_released AS DOUBLE) / changed.uniques AS share,
        ROW_NUMBER() OVER (
            PARTITION BY changed.comparison
            ORDER BY CAST(changed.uniques_released AS DOUBLE) / changed.uniques DESC, changed.change
        ) AS place
    FROM {{ copies }} AS changed
    JOIN {{ copies }} AS whole ON changed.comparison = whole.comparison
    {# unchanged by of_control [= → <=]: a flag is 0 or 1 #}
    {# unchanged by change [= → <=]: changes are numbered from 1, and 0 is no change #}
    WHERE changed.of_control = 0 AND whole.of_control = 0 AND whole.change = 0
        AND whole.rows_beyond > 0 AND NOT ({{ is_copied("whole", copied, least) }})
        AND {{ is_copied("changed", copied, least) }}
) AS ranked
{# unchanged by [= → <=]: places are numbered from 1 #}
WHERE place = 1
