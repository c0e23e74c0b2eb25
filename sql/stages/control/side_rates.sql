/*---
grain = """\
one row per row of side_numbers, with the rate of the side, the half width of its interval (error), and the squared \
standard error of its mean (square)"""
reads = "side_numbers"
source = "Wilson 1927, for the rates of counted people"
---*/
{% from "macros/numbers.sql" import quotient %}
-- If people are counted, the rate is the center of Wilson's interval, and the error half its width. If values of people
-- are averaged, the rate is their mean, and the error z standard errors. A very small spread of values is taken as
-- rounding of equal values.
{% set normal = "CAST(" ~ z ~ " AS DOUBLE)" %}
{% set squared = normal ~ " * " ~ normal %}
SELECT
    measure, point, target, pair, of_control, population, weighted, value, share, n, mean, square,
    CASE
        WHEN trials IS NULL THEN mean
        ELSE {{ quotient("successes + " ~ squared ~ " * 0.5", "trials + " ~ squared) }}
    END AS rate,
    {{ normal }} * CASE
        WHEN trials IS NULL THEN SQRT(square)
        ELSE SQRT({{ quotient("successes * (trials - successes)", "trials") }} + {{ squared }} * 0.25)
            / CAST(trials + {{ squared }} AS DOUBLE)
    END AS error
FROM (
    SELECT
        measure, point, target, pair, of_control, population, weighted, value, share, successes, trials, n, mean,
        CAST(
            {# unchanged by [<= → <]: 0 gives 0 in both branches #}
            {# unchanged by [1e-24 → 11e-24]: results differ only by rounding #}
            CASE WHEN deviations <= 1e-24 * n * mean * mean THEN 0 ELSE deviations END AS DOUBLE
        ) / NULLIF(CAST(n AS DOUBLE) * CAST(n - 1 AS DOUBLE), 0) AS square
    FROM (
        {{ side_numbers | indent(8) }}
    ) AS side_numbers
) AS spread
