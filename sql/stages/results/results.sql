/*---
grain = "one row per measure, point, target, comparison, population and weighting"
reads = "summed_results, plain_results, least_results, derived_results"
---*/
{% from "macros/numbers.sql" import share %}
-- The only place where percentages are computed. A denominator of 0 gives NULL, never 0. Totals of several passes are
-- summed. Of minima and maxima (MIN, MAX) the overall one is taken. A count of how often a minimum occurs is summed
-- over the passes that have the overall minimum.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * {{ share("numerator", "denominator") }}) AS value
FROM (
    {{ results | indent(4) }}
) AS fractions
