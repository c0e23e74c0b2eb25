/*---
name  = "key_determines_target"
state = "doubtful"
reads = "determined"
order = 12
says  = "{column} determines {target}: all people with the same level of it have the same {target}. Who knows the key knows the target already; leave one of them out."
---*/
-- A key that nearly everybody is alone with determines everything, and says nothing by it.
SELECT 0 AS comparison, target, key_number - 1 AS subject, CAST(levels AS DOUBLE) AS amount
FROM {{ determined }} AS determined
WHERE several = 0 AND varies = 1 AND people >= 2 * levels
