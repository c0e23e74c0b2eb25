/*---
grain = """\
one row per attacker, target, comparison and share of the guess that falls on the true level, with the number of \
people who have it"""
reads = "an attacker's scores; the people by their true level"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import each_of, same_of %}
-- The guess is the level with the highest score. Scores that differ from it by at most 1e-12 of its size tie, so that
-- the order of summation decides nothing. Tied levels share the guess evenly.
WITH ranked AS (
    SELECT
        {{ each_of(unit, "{0}") }} level_code, score,
        MAX(score) OVER ({{ "PARTITION BY " ~ unit | join(", ") if unit }}) AS best
    FROM (
        {{ scores | indent(8) }}
    ) AS scores
), picked AS (
    SELECT {{ each_of(unit, "{0}") }} level_code
    FROM ranked
    {# unchanged by [1e-12 → 11e-12]: results differ only by rounding #}
    {# unchanged by [< → <=]: 0 is its own negative #}
    WHERE best - score <= 1e-12 * CASE WHEN best < 0 THEN -best ELSE best END
), tied AS (
    SELECT COUNT(*) AS n_tied, SUM(people.n_people) AS n_true
    FROM picked
    LEFT JOIN ({{ people }}) AS people ON {{ same_of(unit + ["level_code"], "picked", "people") }}
{% if unit %}
    GROUP BY picked.{{ unit | join(", picked.") }}
{% endif %}
), guessed AS (
    SELECT {{ quotient("1", "n_tied") }} AS share, n_true AS n_people
    FROM tied
    {# unchanged by [> → >=]: the value is NULL or above 0 #}
    WHERE n_true > 0
)
SELECT
    {{ attacker }} AS attacker, {{ target_number }} AS target, {{ comparison.number }} AS comparison,
    share, CAST(SUM(n_people) AS BIGINT) AS people
FROM guessed
GROUP BY share
