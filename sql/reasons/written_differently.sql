/*---
name  = "written_differently"
title = "Levels of a column are written differently"
state = "doubtful"
reads = "level_sides"
order = 10
says  = "{column}: {amount} % of the records of the original or of {file} have a level that the other lacks{cause}."
---*/
-- With normalized spelling most of these records match. This is reported even if fewer than half of all records are
-- unmatched.
SELECT DISTINCT
    plain.comparison, plain.target, plain.position AS subject,
    CASE
        {# unchanged by [> → >=]: if they are equal, so are both shares #}
        WHEN plain.people_apart * plain.records > plain.records_apart * plain.people
            THEN 100 * CAST(plain.people_apart AS DOUBLE) / plain.people
        ELSE 100 * CAST(plain.records_apart AS DOUBLE) / plain.records
    END AS amount
FROM {{ level_sides }} AS plain
JOIN {{ level_sides }} AS alike ON plain.comparison = alike.comparison AND plain.position = alike.position
WHERE plain.fold = 'as_they_are' AND alike.fold <> 'as_they_are'
    AND (
        100 * plain.people_apart >= {{ some }} * plain.people
        OR 100 * plain.records_apart >= {{ some }} * plain.records
    )
    AND 100 * plain.people_apart < {{ apart }} * plain.people
    AND 100 * plain.records_apart < {{ apart }} * plain.records
    AND 2 * (alike.people_apart + alike.records_apart) <= plain.people_apart + plain.records_apart
