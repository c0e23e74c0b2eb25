/*---
grain = """\
one row per measure, point, target, comparison and population, with people, mean and squared deviations over all \
passes"""
reads = "mean_moments"
source = "Chan, Golub & LeVeque 1983"
---*/
{% from "macros/numbers.sql" import share %}
{% set of_all = "OVER (PARTITION BY measure, point, target, comparison, population)" %}
SELECT
    measure, point, target, comparison, population,
    {# unchanged by [MAX → MIN]: all rows of a group have one value #}
    MAX(all_n) AS n, MAX(all_mean) AS mean,
    {# unchanged by [- → +]: the deviations from the mean add up to 0 #}
    SUM(pass_deviations + pass_n * (pass_mean - all_mean) * (pass_mean - all_mean)) AS deviations
FROM (
    SELECT
        measure, point, target, comparison, population, pass_n, pass_mean, pass_deviations,
        CAST(SUM(pass_n) {{ of_all }} AS BIGINT) AS all_n,
        {{ share("SUM(pass_n * pass_mean) " ~ of_all, "SUM(pass_n) " ~ of_all) }} AS all_mean
    FROM (
        {{ mean_moments | indent(8) }}
    ) AS moments
) AS passes
GROUP BY measure, point, target, comparison, population
