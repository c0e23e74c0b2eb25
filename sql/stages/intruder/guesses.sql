/*---
grain = """\
one row per attacker, target, comparison and share of the guess that the true level has: the people of whom it \
is so"""
reads = "an attacker's scores; the people by their true level"
---*/
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/select.sql" import joined_by %}
{% set units = unit | join(", ") %}
{% set by_unit = ("PARTITION BY " ~ units) if unit else "" %}
{% macro on(left, right) %}
{% for name in unit %}{{ left }}.{{ name }} = {{ right }}.{{ name }} AND {% endfor +%}
{{ left }}.level_code = {{ right }}.level_code
{%- endmacro %}
SELECT
    {{ attacker }} AS attacker, {{ target_number }} AS target, {{ comparison.number }} AS comparison,
    share, CAST(SUM(n_people) AS BIGINT) AS people
FROM (
{% if drawn %}
    -- A level is drawn in proportion to its score: nothing is drawn, the share is what the draws would come to.
    SELECT {{ share("drawn.score", "drawn.total") }} AS share, people.n_people AS n_people
    FROM (
        SELECT {% for name in unit %}{{ name }}, {% endfor %}level_code, score, SUM(score) OVER ({{ by_unit }}) AS total
        FROM (
            {{ scores | indent(12) }}
        ) AS scores
    ) AS drawn
    JOIN ({{ people }}) AS people ON {{ on("drawn", "people") }}
{% else %}
    -- The level with the highest score. Levels that differ from it by no more than 1e-12 of it tie, so that the order
    -- in which a score was summed decides nothing; they share the guess evenly.
    SELECT {{ quotient("1", "n_tied") }} AS share, n_true AS n_people
    FROM (
        SELECT COUNT(*) AS n_tied, SUM(people.n_people) AS n_true
        FROM (
            SELECT {% for name in unit %}{{ name }}, {% endfor %}level_code
            FROM (
                SELECT
                    {%+ for name in unit %}{{ name }}, {% endfor %}level_code, score,
                    MAX(score) OVER ({{ by_unit }}) AS best
                FROM (
                    {{ scores | indent(20) }}
                ) AS scores
            ) AS ranked
            {# unchanged by [1e-12 → 11e-12]: it differs within rounding alone #}
            {# unchanged by [< → <=]: 0 is its own negative #}
            WHERE best - score <= 1e-12 * CASE WHEN best < 0 THEN -best ELSE best END
        ) AS picked
        LEFT JOIN ({{ people }}) AS people ON {{ on("picked", "people") }}
{% if unit %}
        GROUP BY {% call joined_by(",") %}{% for name in unit %}picked.{{ name }}, {% endfor %}{% endcall +%}
{% endif %}
    ) AS tied
    {# unchanged by [> → >=]: it is NULL or above 0 #}
    WHERE n_true > 0
{% endif %}
) AS guessed
GROUP BY share
