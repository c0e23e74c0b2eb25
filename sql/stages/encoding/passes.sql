/*---
grain = "one row per pass over the classes, with the least class key that it counts"
reads = "records"
---*/
-- This estimate decides the passes and changes no result. The sample has the classes whose class key is divisible by a
-- number that has no common factor with the numbers of levels. So a class of many records is as likely in it as a class
-- of one. Classes that differ only in a key with a tolerance must be counted in one pass, so a pass begins where their
-- class keys begin.
SELECT {{ "MIN(class_key) - MIN(class_key) % " ~ together if together > 1 else "MIN(class_key)" }} AS low
FROM (
    SELECT class_key, NTILE({{ passes }}) OVER (ORDER BY class_key) AS pass
    {# unchanged by [= → <=]: no remainder is below 0 #}
    {# unchanged by [= → >=]: the bounds of passes affect no result #}
    FROM (SELECT DISTINCT {{ cell }} FROM {{ records }} WHERE class_key % {{ every }} = 0) AS sampled
) AS numbered
GROUP BY pass
ORDER BY low
