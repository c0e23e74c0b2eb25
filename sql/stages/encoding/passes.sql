/*---
grain = "one row per pass over the classes, with the least class key that it counts"
reads = "records"
---*/
-- An estimate that shapes the run and enters no result. The classes whose key is divisible by a number are a sample in
-- which each class counts alike, however many records it has: the number has no factor in common with the level counts
-- in the key. Classes that differ in nothing but a key with a tolerance are counted together: a pass begins where their
-- class keys begin.
SELECT {{ "MIN(class_key) - MIN(class_key) % " ~ together if together > 1 else "MIN(class_key)" }} AS low
FROM (
    SELECT class_key, NTILE({{ passes }}) OVER (ORDER BY class_key) AS pass
    {# unchanged by [= → <=]: no remainder is below 0 #}
    {# unchanged by [= → >=]: where the passes are divided enters no result #}
    FROM (SELECT DISTINCT {{ cell }} FROM {{ records }} WHERE class_key % {{ every }} = 0) AS sampled
) AS shared
GROUP BY pass
ORDER BY low
