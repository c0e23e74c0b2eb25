/*---
grain = """\
one row per comparison, population and score, with the point of the ROC curve for flagging all people with this score \
or a higher one"""
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
