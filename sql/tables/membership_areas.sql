/*---
grain = """\
one row per comparison and population, with the area under the ROC curve of membership, its error and its interval"""
reads = "thresholds"
source = "DeLong, DeLong & Clarke-Pearson 1988"
---*/
{% from "macros/numbers.sql" import quotient, share %}
-- The value of a person in the synthesis is the share of people outside it with a lower score, with ties counted half,
-- and the reverse for people outside (DeLong). The area is the mean of these values in either group. Its variance is
-- the sum of the variances of both means. It is undefined for a group of one person.
{% set normal = "CAST(" ~ z ~ " AS DOUBLE)" %}
WITH valued AS (
    SELECT
        comparison, population, n_in, n_out, n_in_all, n_out_all, share_in,
        {{ quotient("2 * (n_out_all - n_out_from) + n_out", "2 * n_out_all") }} AS of_in,
        {{ quotient("2 * n_in_from - n_in", "2 * n_in_all") }} AS of_out
    FROM (
        {{ thresholds | indent(8) }}
    ) AS thresholds
), centred AS (
    SELECT
        comparison, population, n_in, n_out, n_in_all, n_out_all, of_in, of_out,
        SUM(share_in * of_in) OVER (PARTITION BY comparison, population) AS centre
    FROM valued
), areas AS (
    SELECT
        {# unchanged by [MAX → MIN] in the next 2 lines: all rows of a group have one value #}
        comparison, population, MAX(n_in_all) AS people_in, MAX(n_out_all) AS people_out, COUNT(*) AS n_scores,
        MAX(centre) AS area,
        SQRT(
            {{ share("SUM(n_in * (of_in - centre) * (of_in - centre))", "MAX(n_in_all) * (MAX(n_in_all) - 1)") }}
            + {{ share("SUM(n_out * (of_out - centre) * (of_out - centre))", "MAX(n_out_all) * (MAX(n_out_all) - 1)") }}
        ) AS error
    FROM centred
    GROUP BY comparison, population
)
SELECT
    comparison, population, people_in, people_out, n_scores, area, error,
    area - {{ normal }} * error AS low, area + {{ normal }} * error AS high
FROM areas
