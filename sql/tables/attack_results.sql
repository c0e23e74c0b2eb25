/*---
grain = "one row per attacker, target and comparison, in the columns of results"
reads = "attacks"
---*/
-- In these columns, a sweep shows attackers beside measures.
SELECT
    attacker AS measure, CAST(NULL AS DOUBLE) AS point, target, comparison, 0 AS population, 0 AS weighted,
    CAST(correct AS DOUBLE) AS numerator, CAST(tested AS DOUBLE) AS denominator, accuracy AS value
FROM (
    {{ attacks | indent(4) }}
) AS attacks
