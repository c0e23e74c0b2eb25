/*---
grain = """\
one row per comparison, population and score, with the number of people who have it; the score is the share of the \
synthetic file with a person's keys, divided by that of the reference, or the number of these synthetic records"""
reads = "ratio_counts"
---*/
{% from "macros/numbers.sql" import quotient %}
SELECT {{ ratio.number }} AS target, comparison, population, score, CAST(SUM(n_scored) AS BIGINT) AS n_people
FROM (
    SELECT
        comparison, population, n_scored,
{% if ratio.rule == "plus one" %}
        {{ quotient("(n_syn + 1) * (n_reference_all + 1)", "(n_reference + 1) * (n_syn_all + 1)") }} AS score
{% elif ratio.rule == "same people" %}
        -- The share of the synthetic file, for the people of the ratios. n_syn has the same order.
        CAST(n_syn AS DOUBLE) AS score
{% else %}
        -- If only the reference lacks a person's keys, the score is above all others.
        CASE
            WHEN n_reference > 0
                THEN {{ quotient("n_syn * n_reference_all", "n_reference * n_syn_all") }}
            WHEN n_syn > 0 THEN 1e300
            ELSE {{ ratio.rule }}
        END AS score
{% endif %}
    FROM (
        SELECT
            comparison, population, n_syn, n_reference, n_people AS n_scored,
            CAST({{ n_reference_all }} AS BIGINT) AS n_reference_all,
            CASE
{% for comparison, records in comparisons %}
                {# unchanged by [= → <=]: earlier branches take the comparisons with lower numbers #}
                WHEN comparison = {{ comparison.number }} THEN CAST({{ records }} AS BIGINT)
{% endfor %}
            END AS n_syn_all
        FROM {{ ratio_counts }}
    ) AS counts
) AS scores
GROUP BY comparison, population, score
