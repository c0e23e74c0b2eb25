/*---
grain = "one row per target, comparison, population and quantity, with people, mean and quantiles"
reads = "cap_counts"
---*/
{% from "macros/numbers.sql" import running, share %}
{% set whole = "target, comparison, population, quantity" %}
-- A quantile at p percent is the smallest value that at least p percent of the people do not exceed. It is never
-- interpolated. People are compared in whole numbers, and sums of weights with a tolerance.
SELECT
    {{ whole }},
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
        {{ whole }}, amount, n_amount,
        CAST({{ running("SUM(n_amount)", by="amount", within=whole) }} AS {{ number }}) AS n_upto,
        CAST(SUM(n_amount) OVER (PARTITION BY {{ whole }}) AS {{ number }}) AS n_all
    FROM {{ cap_counts }}
) AS cumulated
GROUP BY {{ whole }}
