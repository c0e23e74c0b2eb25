/*---
name  = "levels_apart"
title = "A column has few levels in common"
state = "doubtful"
reads = "level_sides"
order = 9
says  = "{column}: {amount} % of the records of the original or of {file} have a level that the other lacks{cause}."
---*/
SELECT
    comparison, target, position AS subject,
    CASE
        {# unchanged by [> → >=]: if they are equal, so are both shares #}
        WHEN people_apart * records > records_apart * people THEN 100 * CAST(people_apart AS DOUBLE) / people
        ELSE 100 * CAST(records_apart AS DOUBLE) / records
    END AS amount
FROM {{ level_sides }} AS sides
WHERE fold = 'as_they_are' AND people_apart < people
    AND (100 * people_apart >= {{ apart }} * people OR 100 * records_apart >= {{ apart }} * records)
