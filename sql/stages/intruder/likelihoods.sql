/*---
grain = """\
one row per class and level of one target, for one comparison, with the likelihood of all other levels of the target \
together, the evidence for the likeliest of them (rival), and how many are as likely"""
reads = "evidence"
---*/
{% from "macros/numbers.sql" import power %}
-- Levels tie if their evidence agrees to 1e-12.
{% set of_class = "OVER (PARTITION BY " ~ class_key ~ ")" %}
SELECT
    {{ class_key }}, level_code, own_evidence, greatest, own_weight, weight_all,
    -- The sum of the likelihoods of the other levels, each divided by the greatest likelihood of any level.
    total - {{ power("evidence - greatest") }} + absent_weight * {{ power("-greatest") }} AS others,
    -- The rival of the only greatest level is the second greatest. Any other level has a greatest one as its rival.
    CASE WHEN n_greatest > is_greatest THEN greatest ELSE runner_up END AS rival,
    CASE
        WHEN n_greatest > is_greatest THEN n_greatest - is_greatest
        ELSE COUNT(
            {# unchanged by [= → <=]: a flag is 0 or 1 #}
            {# unchanged by [>= → >], [1e-12 → 11e-12]: results differ only by rounding #}
            CASE WHEN is_greatest = 0 AND evidence >= runner_up - 1e-12 THEN 1 END
        ) {{ of_class }}
            {# unchanged by [>= → >], [1e-12 → 11e-12]: results differ only by rounding #}
            + CASE WHEN absent_evidence >= runner_up - 1e-12 THEN n_absent_greatest ELSE 0 END
    END AS n_rivals
FROM (
    SELECT
        {{ class_key }}, level_code, evidence, own_evidence, greatest, own_weight, weight_all,
        absent_weight, absent_evidence, n_absent_greatest, total, is_greatest,
        n_greatest_here
            {# unchanged by [>= → >], [1e-12 → 11e-12]: results differ only by rounding #}
            + CASE WHEN absent_evidence >= greatest - 1e-12 THEN n_absent_greatest ELSE 0 END AS n_greatest,
        CASE
            {# unchanged by [>= → >]: if they are equal, either is the maximum #}
            WHEN second_here >= absent_evidence OR absent_evidence IS NULL THEN second_here
            ELSE absent_evidence
        END AS runner_up
    FROM (
        SELECT
            {{ class_key }}, level_code, evidence, own_evidence, greatest, own_weight, weight_all,
            absent_weight, absent_evidence, n_absent_greatest,
            {# unchanged by [>= → >], [1e-12 → 11e-12]: results differ only by rounding #}
            CASE WHEN evidence >= greatest - 1e-12 THEN 1 ELSE 0 END AS is_greatest,
            MAX(
                {# unchanged by [< → <=], [1e-12 → 11e-12]: results differ only by rounding #}
                CASE WHEN evidence < greatest - 1e-12 THEN evidence END
            ) {{ of_class }} AS second_here,
            SUM({{ power("evidence - greatest") }}) {{ of_class }} AS total,
            COUNT(
                {# unchanged by [>= → >], [1e-12 → 11e-12]: results differ only by rounding #}
                CASE WHEN evidence >= greatest - 1e-12 THEN 1 END
            ) {{ of_class }} AS n_greatest_here
        FROM (
            {{ evidence | indent(12) }}
        ) AS evidence
    ) AS counted_levels
) AS sums
