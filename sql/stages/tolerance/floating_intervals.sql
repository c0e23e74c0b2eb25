/*---
grain = """\
one row per level of a numeric target: the levels within its tolerance, as the codes that they lie between, and the \
original's records there"""
reads = "numbers"
---*/
{% from "macros/numbers.sql" import running %}
{% from "macros/tolerance.sql" import numbered, reaches_between with context %}
-- As exact_intervals, for floating-point numbers. They are within reach when their difference, as the engine subtracts,
-- is at most the tolerance. An end that is added up may differ from that in its last digits. So each end is taken a
-- little too far and a little too near, and the values between the two, hardly ever more than one, are looked at one by
-- one; among them the level's own, where its tolerance is next to nothing.
WITH ends AS (
    SELECT
        {# unchanged by [MAX → MIN]: all rows of a group have the same #}
        own_code AS level_code, MAX(own_number) AS number, MAX(own_reach) AS reach,
        {# unchanged by [MAX → MIN] in the next 4 lines: there is one row of each end #}
        {# unchanged by [= → <=]: ends are numbered from 1 #}
        MAX(CASE WHEN place = 1 THEN code_upto END) AS far_below,
        {# unchanged by [= → <>], [= → >=]: more levels are looked at, and each is found to be within reach or not #}
        {# unchanged by [= → <=]: an end further on has no lesser code #}
        MAX(CASE WHEN place = 2 THEN code_upto END) AS near_below,
        {# unchanged by [= → <=]: where a lower end is further on, the levels up to it are looked at #}
        MAX(CASE WHEN place = 4 THEN code_upto END) AS upto_near,
        {# unchanged by [= → <=]: an end further on has no lesser code #}
        {# unchanged by [= → >=]: 5 is the last end #}
        MAX(CASE WHEN place = 5 THEN code_upto END) AS upto_far
    FROM (
        SELECT
            own_code, own_number, own_reach, place,
            COALESCE({{ running("MAX(code)", by="x, place") }}, 0) AS code_upto
        FROM (
            SELECT
                {# unchanged by [3 → 4]: a level is within its own reach #}
                number AS x, 3 AS place, level_code AS code, level_code AS own_code, number AS own_number,
                reach AS own_reach
            {{ numbered() }}
{% for place, sign, slack in [(1, "-", "-"), (2, "-", "+"), (4, "+", "-"), (5, "+", "+")] %}
            UNION ALL
            SELECT
                {# unchanged by [< → <=]: 0 is its own negative #}
                (number {{ sign }} reach) {{ slack }} (CASE WHEN number < 0 THEN -number ELSE number END + reach)
                    {# unchanged by [* → /]: more levels are looked at, and each is found to be within reach or not #}
                    * CAST('1e-15' AS DOUBLE) AS x,
                {{ place }} AS place, CAST(NULL AS INTEGER) AS code, level_code AS own_code,
                number AS own_number, reach AS own_reach
            {{ numbered() }}
{% endfor %}
        ) AS merged
    ) AS counted
    WHERE place <> 3
    GROUP BY own_code
), looked_at AS (
    SELECT
        doubtful.level_code AS level_code, other.level_code AS other_code,
        CASE
            WHEN doubtful.number - other.number <= doubtful.reach
                AND other.number - doubtful.number <= doubtful.reach THEN 1
            ELSE 0
        END AS hit
    FROM (
        {# unchanged by [- → +]: more levels are looked at, and each is found to be within reach or not #}
        SELECT level_code, number, reach, far_below AS code_before, near_below - far_below AS n_codes
        FROM ends
        {# unchanged by [< → <=]: between two ends that are alike is no level #}
        WHERE far_below < near_below
        UNION ALL
        {# unchanged by [- → +]: more levels are looked at, and each is found to be within reach or not #}
        SELECT level_code, number, reach, upto_near AS code_before, upto_far - upto_near AS n_codes
        FROM ends
        {# unchanged by [< → <=]: between two ends that are alike is no level #}
        WHERE upto_near < upto_far
    ) AS doubtful
    -- The codes are 1, 2, 3 ...: the first n_codes of them count on from code_before.
    JOIN {{ numbers }} AS steps ON steps.level_code <= doubtful.n_codes
    {# unchanged by [= → <=], [= → >=]: more levels are looked at, and each is found to be within reach or not #}
    JOIN {{ numbers }} AS other ON other.level_code = doubtful.code_before + steps.level_code
    {# unchanged by [> → >=]: more levels are looked at, and each is found to be within reach or not #}
    WHERE steps.level_code > 0 AND other.number IS NOT NULL
)
{% call reaches_between() %}
    SELECT
        ends.level_code AS own_code,
        COALESCE(
            MAX(CASE
                {# unchanged by [< → <=]: a level is within its own reach #}
                {# unchanged by [= → <=]: a flag is 0 or 1 #}
                WHEN looked_at.other_code < ends.level_code AND looked_at.hit = 0 THEN looked_at.other_code
            END), ends.far_below
        ) AS below_code,
        COALESCE(
            MAX(CASE
                {# unchanged by [= → >=]: a flag is 0 or 1 #}
                WHEN looked_at.other_code >= ends.level_code AND looked_at.hit = 1 THEN looked_at.other_code
            END), ends.upto_near
        ) AS upto_code
    FROM ends
    LEFT JOIN looked_at ON ends.level_code = looked_at.level_code
    GROUP BY ends.level_code, ends.far_below, ends.upto_near
{% endcall %}
