/*---
grain = """\
one row per target, comparison, population and pass: of every measure that is a mean of people's values, how \
many people, their mean, and the sum of squared deviations from it"""
reads = "compared_classes, patterns or within"
---*/
{% from "macros/select.sql" import column_list, joined_by %}
-- In two steps, the mean and then the deviations from it: the sum of squares minus the square of the sum would lose its
-- digits. A person who is not counted is in the mean with the value 0.
{% set window = "(PARTITION BY population)" if crowd else "()" %}
SELECT
{% call column_list() %}
    {{ target_number }} AS target,
    {{ comparison.number }} AS comparison,
    {{ "population" if crowd else "0 AS population" }},
{% for tally in tallies %}
    MAX(all_{{ loop.index }}) AS {{ tally.column }}_n,
    MAX(mean_{{ loop.index }}) AS {{ tally.column }}_mean,
    SUM(
        counted_{{ loop.index }} * (each_{{ loop.index }} - mean_{{ loop.index }})
            * (each_{{ loop.index }} - mean_{{ loop.index }})
        + (people_{{ loop.index }} - counted_{{ loop.index }}) * mean_{{ loop.index }} * mean_{{ loop.index }}
    ) AS {{ tally.column }}_deviations,
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% if crowd %}
        population,
{% endif %}
{% for tally in tallies %}
        people_{{ loop.index }}, counted_{{ loop.index }}, each_{{ loop.index }},
        CAST(SUM(people_{{ loop.index }}) OVER {{ window }} AS BIGINT) AS all_{{ loop.index }},
        CAST(SUM(counted_{{ loop.index }} * each_{{ loop.index }}) OVER {{ window }} AS DOUBLE)
            / NULLIF(CAST(SUM(people_{{ loop.index }}) OVER {{ window }} AS DOUBLE), 0) AS mean_{{ loop.index }},
{% endfor %}
{% endcall %}
    FROM (
{% if stage == "classes" %}
        -- Many classes have the same values: they are taken together, as cells are in patterns.
        SELECT
{% call column_list() %}
            {{ "population," if crowd }}
{% for tally in tallies %}
            CAST(SUM(people_of_{{ loop.index }}) AS BIGINT) AS people_{{ loop.index }},
            CAST(SUM(counted_of_{{ loop.index }}) AS BIGINT) AS counted_{{ loop.index }}, each_{{ loop.index }},
{% endfor %}
{% endcall %}
        FROM (
{% endif %}
{% set of = "of_" if stage == "classes" else "" %}
        SELECT
{% call column_list() %}
            {{ "population," if crowd }}
{% for tally in tallies %}
            {{ tally.among }} AS people_{{ of }}{{ loop.index }},
            {{ tally.counted }} AS counted_{{ of }}{{ loop.index }}, {{ tally.each }} AS each_{{ loop.index }},
{% endfor %}
{% endcall %}
        FROM (
            {{ compared | indent(12) }}
        ) AS {{ stage }}
{% if stage == "classes" %}
        ) AS all_persons
        GROUP BY {{ "population, " if crowd }}{% call joined_by(",") %}{% for tally in tallies %}each_{{ loop.index }},
            {% endfor %}{% endcall +%}
{% endif %}
    ) AS persons
) AS means
{% if crowd %}
GROUP BY population
{% endif %}
