/*---
name  = "few_matches"
title = "Few combinations of the keys are in it"
state = "doubtful"
reads = "matched_people"
order = 7
says  = "Only {amount} % of the people have a combination of the keys that is in {file}. The risk looks low if few people can be looked up. With fewer or coarser keys more people are found."
---*/
SELECT comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject, 100 * CAST(records_both AS DOUBLE) / people AS amount
FROM {{ matched_people }} AS matched
WHERE records_both > 0 AND 100 * records_both < {{ matched }} * people
