/*---
grain = """\
one row per level of a numeric target: the levels within its tolerance, as the codes that they lie between, and \
the original's records there"""
reads = "numbers"
---*/
-- One sort: the ends of every interval are merged in among the values, and the greatest code so far is read off at each
-- end. The levels within reach are those with below_code < code <= upto_code; the ends themselves belong to it.
{% set numbered = "FROM " ~ numbers ~ " AS numbers WHERE number IS NOT NULL" %}
{% if not tolerance.exact %}
-- Floating-point numbers are within reach when their difference, as the engine subtracts, is at most the tolerance. An
-- end that is added up may differ from that in its last digits. So each end is taken a little too far and a little too
-- near, and the values between the two, hardly ever more than one, are looked at one by one.
WITH ends AS (
    SELECT
        level_code, number, reach,
        far_below, upto_far,
        CASE WHEN sure_below < level_code THEN sure_below ELSE level_code - 1 END AS near_below,
        CASE WHEN upto_sure > level_code THEN upto_sure ELSE level_code END AS upto_near
    FROM (
        SELECT
            own_code AS level_code, MAX(own_number) AS number, MAX(own_reach) AS reach,
            MAX(CASE WHEN place = 1 THEN code_upto END) AS far_below,
            MAX(CASE WHEN place = 2 THEN code_upto END) AS sure_below,
            MAX(CASE WHEN place = 3 THEN code_upto END) AS upto_sure,
            MAX(CASE WHEN place = 4 THEN code_upto END) AS upto_far
        FROM (
            SELECT
                own_code, own_number, own_reach, place,
                COALESCE(MAX(code) OVER (ORDER BY x, turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
                    0) AS code_upto
            FROM (
                SELECT
                    number AS x, 1 AS turn, 0 AS place, level_code AS code, 0 AS own_code, number AS own_number,
                    reach AS own_reach {{ numbered }}
{% for place, turn, sign, slack in [(1, 0, "-", "-"), (2, 0, "-", "+"), (3, 2, "+", "-"), (4, 2, "+", "+")] %}
                UNION ALL
                SELECT
                    (number {{ sign }} reach) {{ slack }} (CASE WHEN number < 0 THEN -number ELSE number END + reach)
                        * CAST('1e-15' AS DOUBLE) AS x,
                    {{ turn }} AS turn, {{ place }} AS place, CAST(NULL AS INTEGER) AS code, level_code AS own_code,
                    number AS own_number, reach AS own_reach
                {{ numbered }}
{% endfor %}
            ) AS merged
        ) AS counted
        WHERE place > 0
        GROUP BY own_code
    ) AS found
), looked_at AS (
    SELECT
        doubtful.level_code AS level_code, other.level_code AS other_code,
        CASE WHEN doubtful.number - other.number <= doubtful.reach
            AND other.number - doubtful.number <= doubtful.reach THEN 1 ELSE 0 END AS hit
    FROM (
        SELECT level_code, number, reach, far_below AS code_before, near_below - far_below AS n_codes
        FROM ends
        WHERE far_below < near_below
        UNION ALL
        SELECT level_code, number, reach, upto_near AS code_before, upto_far - upto_near AS n_codes
        FROM ends
        WHERE upto_near < upto_far
    ) AS doubtful
    -- The codes are 1, 2, 3 ...: the first n_codes of them count on from code_before.
    JOIN {{ numbers }} AS steps ON steps.level_code <= doubtful.n_codes
    JOIN {{ numbers }} AS other ON other.level_code = doubtful.code_before + steps.level_code
    WHERE steps.level_code > 0 AND other.number IS NOT NULL
)
{% endif %}
SELECT
    numbers.level_code AS level_code,
    numbers.number AS number,
    numbers.reach AS reach,
    own.below_code AS below_code,
    own.upto_code AS upto_code,
    CASE WHEN numbers.number IS NULL THEN numbers.n_orig
        ELSE COALESCE(above.upto_orig, 0) - COALESCE(under.upto_orig, 0) END AS n_level_within
FROM {{ numbers }} AS numbers
LEFT JOIN (
{% if tolerance.exact %}
    SELECT
        own_code, MAX(CASE WHEN turn = 0 THEN code_upto END) AS below_code,
        MAX(CASE WHEN turn = 2 THEN code_upto END) AS upto_code
    FROM (
        SELECT
            own_code, turn,
            COALESCE(MAX(code) OVER (ORDER BY x, turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), 0) AS code_upto
        FROM (
            SELECT number AS x, 1 AS turn, level_code AS code, 0 AS own_code {{ numbered }}
            UNION ALL
            SELECT number - reach AS x, 0 AS turn, CAST(NULL AS INTEGER) AS code, level_code AS own_code {{ numbered }}
            UNION ALL
            SELECT number + reach AS x, 2 AS turn, CAST(NULL AS INTEGER) AS code, level_code AS own_code {{ numbered }}
        ) AS merged
    ) AS counted
    WHERE turn <> 1
    GROUP BY own_code
{% else %}
    SELECT
        ends.level_code AS own_code,
        COALESCE(MAX(CASE WHEN looked_at.other_code < ends.level_code
            AND looked_at.hit = 0 THEN looked_at.other_code END), ends.far_below) AS below_code,
        COALESCE(MAX(CASE WHEN looked_at.other_code > ends.level_code
            AND looked_at.hit = 1 THEN looked_at.other_code END), ends.upto_near) AS upto_code
    FROM ends
    LEFT JOIN looked_at ON ends.level_code = looked_at.level_code
    GROUP BY ends.level_code, ends.far_below, ends.upto_near
{% endif %}
) AS own ON numbers.level_code = own.own_code
LEFT JOIN {{ numbers }} AS under ON own.below_code = under.level_code
LEFT JOIN {{ numbers }} AS above ON own.upto_code = above.level_code
