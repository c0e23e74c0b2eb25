/*---
grain = "one row per target, comparison, population and quantity, with people, mean and quantiles"
reads = "cap_counts"
source = """\
A quantile at p percent is the smallest value that at least p percent of the people do not exceed. It is never \
interpolated, and compared in whole numbers, or with a tolerance for sums of weights"""
---*/
{% from "macros/numbers.sql" import share %}
SELECT
    target, comparison, population, quantity,
    {# unchanged by [MAX → MIN]: all rows of a group have one value #}
    MAX(n_all) AS n_counted,
    {{ share("SUM(amount * CAST(n_amount AS DOUBLE))", "MAX(n_all)") }} AS mean,
    MIN(amount) AS percent_0,
{% for percent in percents %}
    MIN(CASE WHEN 100 * n_upto >= {{ percent }} * {{ of_all }} THEN amount END) AS percent_{{ percent }},
{% endfor %}
    MAX(amount) AS percent_100
FROM (
    SELECT
        target, comparison, population, quantity, amount, n_amount,
        CAST(SUM(n_amount) OVER (
            PARTITION BY target, comparison, population, quantity ORDER BY amount
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS {{ number }}) AS n_upto,
        CAST(SUM(n_amount) OVER (PARTITION BY target, comparison, population, quantity) AS {{ number }}) AS n_all
    FROM {{ cap_counts }}
) AS cumulated
GROUP BY target, comparison, population, quantity
