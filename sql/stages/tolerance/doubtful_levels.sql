/*---
grain = """\
one row per pair of a numeric target's levels that only rounding may put within the tolerance of each other, with 1 if \
they are"""
reads = "reach_ends, numbers"
---*/
SELECT
    doubtful.level_code AS level_code, other.level_code AS other_code,
    CASE
        WHEN doubtful.number - other.number <= doubtful.reach
            AND other.number - doubtful.number <= doubtful.reach THEN 1
        ELSE 0
    END AS hit
FROM (
    {# unchanged by [- → +]: more levels are examined, and each one is tested exactly #}
    SELECT level_code, number, reach, far_below AS code_before, near_below - far_below AS n_codes
    FROM {{ reach_ends }}
    {# unchanged by [< → <=]: there is no level between two equal ends #}
    WHERE far_below < near_below
    UNION ALL
    {# unchanged by [- → +]: more levels are examined, and each one is tested exactly #}
    SELECT level_code, number, reach, upto_near AS code_before, upto_far - upto_near AS n_codes
    FROM {{ reach_ends }}
    {# unchanged by [< → <=]: there is no level between two equal ends #}
    WHERE upto_near < upto_far
) AS doubtful
-- Codes are 1, 2, 3 and so on. The n_codes codes after code_before are examined.
JOIN {{ numbers }} AS steps ON steps.level_code <= doubtful.n_codes
{# unchanged by [= → <=], [= → >=]: more levels are examined, and each one is tested exactly #}
JOIN {{ numbers }} AS other ON other.level_code = doubtful.code_before + steps.level_code
{# unchanged by [> → >=]: more levels are examined, and each one is tested exactly #}
WHERE steps.level_code > 0 AND other.number IS NOT NULL
