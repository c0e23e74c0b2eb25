/*---
grain = "one row per level of a numeric target, with its number, its tolerance, and the original's records up to it"
reads = "levels"
---*/
{% from "macros/numbers.sql" import running %}
-- The missing level and special values have no number, so they match only themselves. upto_orig does not count them.
SELECT
    level_code, number, reach, n_orig,
    CAST({{ running("SUM(CASE WHEN number IS NULL THEN 0 ELSE n_orig END)", by="level_code") }} AS BIGINT) AS upto_orig
FROM (
    SELECT
        code AS level_code,
        CASE WHEN {{ tolerance.plain }} THEN {{ tolerance.number }} END AS number,
        CASE WHEN {{ tolerance.plain }} THEN {{ tolerance.reach }} END AS reach,
        n_orig
    FROM {{ levels }} AS levels
) AS numbered
