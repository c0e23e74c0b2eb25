/*---
name  = "no_level_in_common"
title = "A column has no level in common"
state = "not assessable"
reads = "level_sides"
order = 8
says  = "{column}: the original and {file} have no level in common{cause}."
---*/
SELECT comparison, target, position AS subject, CAST(0 AS DOUBLE) AS amount
FROM {{ level_sides }} AS sides
{# unchanged by people_apart [= → >=]: the count never exceeds the number of people #}
WHERE fold = 'as_they_are' AND people_apart = people
