/*---
grain = """\
one row per measure, point, target, comparison, population, side (original or control) and weighting, with the value \
of that side and the counts or moments that give its rate"""
reads = "results, combined_moments"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/together.sql" import pair_and_side %}
{% set counted = proportions
    ~ " AND weighted = 0 AND denominator > 0 AND numerator >= 0 AND numerator <= denominator" %}
SELECT
    measure, point, target, pair, of_control, population, weighted,
    {# unchanged by [MAX → MIN] in the next 2 lines: there is one row of results, and at most one of moments #}
    MAX(result_value) AS value, MAX(result_share) AS share, MAX(result_successes) AS successes,
    MAX(result_trials) AS trials, MAX(group_n) AS n, MAX(group_mean) AS mean, MAX(group_deviations) AS deviations
FROM (
    SELECT
        measure, point, target, population, weighted,
        {{ pair_and_side(pairs) | indent(8) }},
        result_value, result_share, result_successes, result_trials, group_n, group_mean, group_deviations
    FROM (
        SELECT
            measure, point, target, comparison, population, weighted, value AS result_value,
            CASE WHEN {{ shares }} THEN {{ share("numerator", "denominator") }} END AS result_share,
            CASE WHEN {{ counted }} THEN numerator END AS result_successes,
            CASE WHEN {{ counted }} THEN denominator END AS result_trials,
            CAST(NULL AS BIGINT) AS group_n, CAST(NULL AS DOUBLE) AS group_mean,
            CAST(NULL AS DOUBLE) AS group_deviations
        FROM {{ results }}
{% if moments %}
        UNION ALL
        SELECT
            measure, point, target, comparison, population, 0 AS weighted, CAST(NULL AS DOUBLE) AS result_value,
            CAST(NULL AS DOUBLE) AS result_share, CAST(NULL AS DOUBLE) AS result_successes,
            CAST(NULL AS DOUBLE) AS result_trials,
            n AS group_n, mean AS group_mean, deviations AS group_deviations
        FROM (
            {{ moments | indent(12) }}
        ) AS moments
{% endif %}
    ) AS numbers
) AS sides
GROUP BY measure, point, target, pair, of_control, population, weighted
