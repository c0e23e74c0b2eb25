/*---
grain = "one row with the code of a target level and of a key level whose cells the user excludes"
reads = "levels"
---*/
-- DISTINCT, because the values of a bin share a code.
SELECT target_level.code AS level_code, {{ part.packed("key_level.code") }} AS digit, 1 AS hit
FROM (
    SELECT DISTINCT target.code AS code
    FROM {{ target_levels }} AS target
    WHERE {{ target_match }}
) AS target_level
CROSS JOIN (
    SELECT DISTINCT key_levels.code AS code
    FROM {{ key_levels }} AS key_levels
    WHERE {{ key_match }}
) AS key_level
