/*---
grain = """\
one row per attacker, target and comparison, with the records it learned from, the people whose target it guesses, the \
right guesses and their share"""
reads = "attempts, guesses"
source = "interval: Wilson 1927"
---*/
{% from "macros/numbers.sql" import share, quotient %}
-- A guess that tied levels share is partly right, so correct may be a fraction.
{% set normal = "CAST(" ~ z ~ " AS DOUBLE)" %}
{% set squared = normal ~ " * " ~ normal %}
WITH guessed AS (
    SELECT attacker, target, comparison, SUM(people * share) AS hits
    FROM {{ guesses }}
    GROUP BY attacker, target, comparison
), counted AS (
    SELECT
        attempts.attacker AS attacker, attempts.target AS target, attempts.comparison AS comparison,
        attempts.trained AS trained, attempts.tested AS tested, attempts.sampled AS sampled,
        COALESCE(guessed.hits, 0) AS correct
    FROM {{ attempts }} AS attempts
    LEFT JOIN guessed
        ON attempts.attacker = guessed.attacker AND attempts.target = guessed.target
        AND attempts.comparison = guessed.comparison
), rates AS (
    SELECT
        attacker, target, comparison, trained, tested, sampled, correct,
        {{ quotient("correct + " ~ squared ~ " * 0.5", "tested + " ~ squared) }} AS centre,
        {{ normal }} * SQRT({{ quotient("correct * (tested - correct)", "tested") }} + {{ squared }} * 0.25)
            / CAST(tested + {{ squared }} AS DOUBLE) AS width
    FROM counted
)
SELECT
    attacker, target, comparison, trained, tested, sampled, correct,
    100 * {{ share("correct", "tested") }} AS accuracy,
    {# unchanged by WHEN centre [- → +], THEN [0 → 1]: a Wilson interval exceeds 0 and 1 only by rounding errors #}
    {# unchanged by [< → <=]: 0 gives 0 in both branches #}
    100 * CASE WHEN centre - width < 0 THEN 0 ELSE centre - width END AS low,
    {# unchanged by WHEN centre [+ → -], > [1 → 2]: a Wilson interval exceeds 0 and 1 only by rounding errors #}
    {# unchanged by [> → >=]: 1 gives 1 in both branches #}
    100 * CASE WHEN centre + width > 1 THEN 1 ELSE centre + width END AS high
FROM rates
