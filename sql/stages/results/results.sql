/*---
grain = "one row per measure, point, target, comparison, population and weighting"
reads = "summed_results, plain_results, least_results, derived_results"
---*/
{% from "macros/numbers.sql" import share %}
-- The only place where percentages of measures are computed. A denominator of 0 gives NULL, never 0.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * {{ share("numerator", "denominator") }}) AS value
FROM (
    {{ results | indent(4) }}
) AS fractions
