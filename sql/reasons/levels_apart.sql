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
        WHEN people_apart * records > records_apart * people THEN 100.0 * people_apart / people
        ELSE 100.0 * records_apart / records
    END AS amount
FROM {{ level_sides }} AS sides
WHERE fold = 'as_they_are' AND people_apart < people
    AND (100 * people_apart >= {{ apart }} * people OR 100 * records_apart >= {{ apart }} * records)
