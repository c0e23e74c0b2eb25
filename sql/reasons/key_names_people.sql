/*---
name  = "key_names_people"
title = "A key names people"
state = "doubtful"
reads = "level_sides"
order = 11
says  = "{column} names people: {amount} % of them are unique on it. An intruder hardly knows it exactly, so it is not a useful key. Leave it out, or cut it into bins."
---*/
SELECT 0 AS comparison, 0 AS target, position AS subject, MAX(100 * CAST(people_alone AS DOUBLE) / people) AS amount
FROM {{ level_sides }} AS sides
{# unchanged by target [= → <=]: targets are numbered from 1, and keys are 0 #}
WHERE fold = 'as_they_are' AND target = 0 AND people >= {{ least }} AND 100 * people_alone >= {{ names }} * people
GROUP BY position
