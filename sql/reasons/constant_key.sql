/*---
name  = "constant_key"
title = "A key is the same for all people"
state = "doubtful"
reads = "level_sides"
order = 12
says  = "{column} is the same for all people, so it is useless as a key. Leave it out."
---*/
SELECT 0 AS comparison, 0 AS target, position AS subject, CAST(0 AS DOUBLE) AS amount
FROM {{ level_sides }} AS sides
{# unchanged by target [= → <=]: targets are numbered from 1, and keys are 0 #}
WHERE fold = 'as_they_are' AND target = 0 AND levels_original = 1
GROUP BY position
