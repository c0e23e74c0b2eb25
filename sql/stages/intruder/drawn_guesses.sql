/*---
grain = """\
one row per attacker, target, comparison and share of the guess that falls on the true level, with the number of \
people who have it"""
reads = "an attacker's scores; the people by their true level"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import each_of, same_of %}
-- A level is guessed with a probability in proportion to its score. Nothing is drawn: the share is this probability.
SELECT
    {{ attacker }} AS attacker, {{ target_number }} AS target, {{ comparison.number }} AS comparison,
    share, CAST(SUM(n_people) AS BIGINT) AS people
FROM (
    SELECT {{ share("drawn.score", "drawn.total") }} AS share, people.n_people AS n_people
    FROM (
        SELECT
            {{ each_of(unit, "{0}") }} level_code, score,
            SUM(score) OVER ({{ "PARTITION BY " ~ unit | join(", ") if unit }}) AS total
        FROM (
            {{ scores | indent(12) }}
        ) AS scores
    ) AS drawn
    JOIN ({{ people }}) AS people ON {{ same_of(unit + ["level_code"], "drawn", "people") }}
) AS guessed
GROUP BY share
