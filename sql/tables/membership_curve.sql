/*---
grain = """\
one row per comparison, population and score that somebody has: the point of the curve (ROC) where all with it or \
a higher one are flagged"""
reads = "thresholds"
---*/
{% from "macros/numbers.sql" import quotient %}
SELECT
    comparison, population, score, n_in_from, n_out_from,
    100 * {{ quotient("n_out_from", "n_out_all") }} AS false_positives,
    100 * {{ quotient("n_in_from", "n_in_all") }} AS true_positives
FROM (
    {{ thresholds | indent(4) }}
) AS thresholds
