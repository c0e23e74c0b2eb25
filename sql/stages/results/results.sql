/*---
grain = "one row per measure, point, target, comparison, population and weighting"
reads = "summed_results, plain_results, least_results, derived_results"
---*/
{% from "macros/numbers.sql" import share %}
-- The one place where a percentage is made. A denominator of 0 gives NULL, never 0. The parts of several passes are
-- summed; what is least (MIN) or most (MAX) of each is so of all, and what counts the least is summed over the parts
-- that have it.
SELECT
    measure, point, target, comparison, population, weighted, numerator, denominator,
    COALESCE(factor * plain, factor * {{ share("numerator", "denominator") }}) AS value
FROM (
    {{ results | indent(4) }}
) AS fractions
