/*---
grain = """\
one row per level of a numeric target, with the range of codes of the levels within its tolerance, and the original's \
records there"""
reads = "reach_ends, doubtful_levels"
---*/
{% from "macros/tolerance.sql" import reaches_between with context %}
-- Like exact_intervals, for floating-point numbers. Two numbers match if their difference, as the engine subtracts, is
-- at most the tolerance. An end computed by addition may differ from this in the last digits. So each end is computed
-- slightly too far out and slightly too far in. The values between the two, rarely more than one, are tested one by
-- one. If the tolerance is nearly 0, the level itself may be among them.
WITH ends AS (
    {{ reach_ends | indent(4) }}
), looked_at AS (
    {{ doubtful_levels | indent(4) }}
)
{% call reaches_between() %}
    SELECT
        ends.level_code AS own_code,
        COALESCE(
            MAX(CASE
                {# unchanged by [< → <=]: a level is within its own tolerance #}
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
