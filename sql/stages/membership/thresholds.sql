/*---
grain = """\
one row per target, comparison, population and score, with the people in the synthesis and those outside it who have \
this score, who have it or a higher one, and in all"""
reads = "sided_scores"
---*/
{% from "macros/numbers.sql" import running, share %}
{% set place = "target, comparison, population" %}
-- One scan gives the whole ROC curve: running sums from the highest score down. A population with nobody in the
-- synthesis, or nobody outside it, has no row.
SELECT
    {{ place }}, score, n_in, n_out, n_in_from, n_out_from, n_out_from - n_out AS n_out_above, n_in_all, n_out_all,
    {{ share("n_in", "n_in_all") }} AS share_in, {{ share("n_out", "n_out_all") }} AS share_out
FROM (
    SELECT
        {{ place }}, score, n_in, n_out,
        CAST({{ running("SUM(n_in)", "score DESC", place) }} AS BIGINT) AS n_in_from,
        CAST({{ running("SUM(n_out)", "score DESC", place) }} AS BIGINT) AS n_out_from,
        CAST(SUM(n_in) OVER (PARTITION BY {{ place }}) AS BIGINT) AS n_in_all,
        CAST(SUM(n_out) OVER (PARTITION BY {{ place }}) AS BIGINT) AS n_out_all
    FROM (
        {{ sided_scores | indent(8) }}
    ) AS sided_scores
) AS sums
WHERE n_in_all > 0 AND n_out_all > 0
