/*---
grain = """\
one row per measure, point, target, comparison and population, counted or weighted: the people of the original \
beside those of control"""
reads = "results; class_moments, cell_moments, within_moments (the moments of each pass)"
source = """\
rates, errors and their propagation: Giomi et al. 2023 (Anonymeter), after Wilson 1927; t: Welch 1947; passes \
combined after Chan, Golub & LeVeque 1983"""
---*/
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/together.sql" import pair_and_side %}
-- The difference, and the adjusted risk (r - c) / (1 - c) of the shares r (original) and c (control): what the
-- synthesis added, of what control leaves. It is of the shares as they are. Its interval is adjusted_centre -+
-- adjusted_error, where the centre is that of the rates: Wilson's where people are counted, the means themselves where
-- values of people are averaged.
{% set normal = "CAST(" ~ z ~ " AS DOUBLE)" %}
{% set squared = normal ~ " * " ~ normal %}
{% set counted = proportions
    ~ " AND weighted = 0 AND denominator > 0 AND numerator >= 0 AND numerator <= denominator" %}
{% macro beside(name) %}
{# unchanged by [MAX → MIN] in the next 2 lines: there is one row of each side #}
{# unchanged by [= → <=] 0, [= → >=] 1 in the next 2 lines: a flag is 0 or 1 #}
MAX(CASE WHEN of_control = 0 THEN {{ name }} END) AS {{ name }}_orig,
MAX(CASE WHEN of_control = 1 THEN {{ name }} END) AS {{ name }}_control
{%- endmacro %}
{% macro centre(side) %}
CASE
            WHEN trials_{{ side }} IS NULL THEN mean_{{ side }}
            ELSE {{ quotient("successes_" ~ side ~ " + " ~ squared ~ " * 0.5", "trials_" ~ side ~ " + " ~ squared) }}
        END AS rate_{{ side }}
{%- endmacro %}
{% macro width(side) %}
{{ normal }} * CASE
            WHEN trials_{{ side }} IS NULL THEN SQRT(square_{{ side }})
            ELSE SQRT(
                CAST(successes_{{ side }} * (trials_{{ side }} - successes_{{ side }}) AS DOUBLE)
                    / CAST(trials_{{ side }} AS DOUBLE)
                + {{ squared }} * 0.25
            )
                / CAST(trials_{{ side }} + {{ normal }} * {{ normal }} AS DOUBLE)
        END AS error_{{ side }}
{%- endmacro %}
{% macro square(side) %}
{# unchanged by [<= → <]: what is 0 is 0 either way #}
{# unchanged by [1e-24 → 11e-24]: it differs within rounding alone #}
CAST(CASE WHEN deviations_{{ side }} <= 1e-24 * n_{{ side }} * mean_{{ side }} * mean_{{ side }} THEN 0
    ELSE deviations_{{ side }} END AS DOUBLE)
                / NULLIF(CAST(n_{{ side }} AS DOUBLE) * CAST(n_{{ side }} - 1 AS DOUBLE), 0) AS square_{{ side }}
{%- endmacro %}
SELECT
    measure, point, target, comparison, population, weighted,
    difference, adjusted, rate_orig, error_orig, rate_control, error_control,
    adjusted_centre, adjusted_error,
    adjusted_centre - adjusted_error AS adjusted_low, adjusted_centre + adjusted_error AS adjusted_high, t, df
FROM (
    SELECT
        measure, point, target, pair AS comparison, population, weighted,
        value_orig - value_control AS difference,
        -- Where control has everything, to the last digits of a sum, nothing is left to add.
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12]: it differs within rounding alone #}
            WHEN 1 - share_control > 1e-12 THEN {{ quotient("share_orig - share_control", "1 - share_control") }}
        END AS adjusted,
        rate_orig, error_orig, rate_control, error_control,
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12] in the next 3 lines: it differs within rounding alone #}
            WHEN 1 - rate_control > 1e-12 THEN {{ quotient("rate_orig - rate_control", "1 - rate_control") }}
        END AS adjusted_centre,
        CASE WHEN 1 - rate_control > 1e-12 THEN SQRT(
            {{ quotient("error_orig * error_orig", "(1 - rate_control) * (1 - rate_control)") }}
            + CAST(error_control * error_control * (1 - rate_orig) * (1 - rate_orig) AS DOUBLE)
                / CAST((1 - rate_control) * (1 - rate_control) * (1 - rate_control) * (1 - rate_control) AS DOUBLE)
        ) END AS adjusted_error,
        {{ share("mean_orig - mean_control", "SQRT(square_orig + square_control)") }} AS t,
        CAST((square_orig + square_control) * (square_orig + square_control) AS DOUBLE) / NULLIF(CAST(
            {{ share("square_orig * square_orig", "n_orig - 1") }}
            + {{ share("square_control * square_control", "n_control - 1") }}
        AS DOUBLE), 0) AS df
    FROM (
        SELECT
            measure, point, target, pair, population, weighted, value_orig, value_control, share_orig, share_control,
            n_orig, n_control, mean_orig, mean_control, square_orig, square_control,
            {{ centre("orig") }},
            {{ centre("control") }},
            {{ width("orig") }},
            {{ width("control") }}
        FROM (
            SELECT
                measure, point, target, pair, population, weighted,
                value_orig, value_control, share_orig, share_control,
                successes_orig, successes_control, trials_orig, trials_control,
                n_orig, n_control, mean_orig, mean_control,
                -- The squared standard error of a mean. Values that are all the same differ by what rounding leaves.
                {{ square("orig") }},
                {{ square("control") }}
            FROM (
                SELECT
                    measure, point, target, pair, population, weighted,
                    {{ beside("value") }},
                    {{ beside("share") }},
                    {{ beside("successes") }},
                    {{ beside("trials") }},
                    {{ beside("n") }},
                    {{ beside("mean") }},
                    {{ beside("deviations") }}
                FROM (
                    SELECT
                        measure, point, target, population, weighted,
                        {{ pair_and_side(pairs) | indent(24) }},
                        value, share, successes, trials, n, mean, deviations
                    FROM (
                        SELECT
                            measure, point, target, comparison, population, weighted, value,
                            CASE WHEN {{ shares }} THEN {{ share("numerator", "denominator") }} END AS share,
                            CASE WHEN {{ counted }} THEN numerator END AS successes,
                            CASE WHEN {{ counted }} THEN denominator END AS trials,
                            CAST(NULL AS BIGINT) AS n, CAST(NULL AS DOUBLE) AS mean, CAST(NULL AS DOUBLE) AS deviations
                        FROM {{ results }}
{% if moments %}
                        UNION ALL
                        SELECT
                            measure, point, target, comparison, population, 0 AS weighted,
                            CAST(NULL AS DOUBLE) AS value, CAST(NULL AS DOUBLE) AS share,
                            CAST(NULL AS DOUBLE) AS successes, CAST(NULL AS DOUBLE) AS trials, n, mean, deviations
                        FROM (
                            {{ moments | indent(28) }}
                        ) AS moments
{% endif %}
                    ) AS numbers
                ) AS sides
                GROUP BY measure, point, target, pair, population, weighted
            ) AS beside
        ) AS groups_seen
    ) AS rates
) AS compared
