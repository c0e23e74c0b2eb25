/*---
grain = """\
one row per target, comparison, population and score, with the number of people who have it, in the synthesis and \
outside it"""
reads = "score_counts, row_scores or ratio_scores"
---*/
{% from "macros/together.sql" import pair_and_side %}
SELECT
    target, pair AS comparison, population, score,
    {# unchanged by [= → <=]: the value is 0 or 1 #}
    CAST(SUM(CASE WHEN of_control = 0 THEN n_people ELSE 0 END) AS BIGINT) AS n_in,
    {# unchanged by [= → >=]: the value is 0 or 1 #}
    CAST(SUM(CASE WHEN of_control = 1 THEN n_people ELSE 0 END) AS BIGINT) AS n_out
FROM (
    SELECT
        target, population, score, n_people,
        {{ pair_and_side(pairs) | indent(8) }}
    FROM {{ score_counts }} AS counted_scores
) AS sides
GROUP BY target, pair, population, score
