/*---
grain = """\
one row per comparison, target, sampled person and most frequent level of the nearest records, with its part of the \
vote"""
reads = "the scores of exact_match, sampled"
---*/
{% from "macros/class_key.sql" import same_class with context %}
{% from "macros/numbers.sql" import quotient %}
SELECT
    {{ comparison.number }} AS comparison, {{ target.number }} AS target, people.record AS record,
    picked.level_code AS level_code,
    {{ quotient("1", "picked.n_tied") }} AS vote
FROM (
    SELECT {{ class_key }}, level_code, COUNT(*) OVER (PARTITION BY {{ class_key }}) AS n_tied
    FROM (
        SELECT {{ class_key }}, level_code, score, MAX(score) OVER (PARTITION BY {{ class_key }}) AS best
        FROM (
            {{ scores | indent(12) }}
        ) AS scores
    ) AS ranked
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    WHERE score = best
) AS picked
JOIN (SELECT record, {{ class_key }} FROM sampled WHERE sample = {{ sample }}) AS people
    ON {{ same_class("picked", "people") }}
