/*---
grain = "one row per column and idea of what it may hold, with the number of the original's levels that fit the idea"
reads = "levels"
---*/
{% from "macros/select.sql" import union_all %}
-- SQL tests whether levels fit an idea (Male, Female, or the numbers of an age), so no level leaves the database.
{% call union_all() %}
{% for column, place, number, idea in asked %}
SELECT
    {{ place }} AS place,
    {{ number }} AS idea,
    COUNT(CASE
        WHEN n_orig > 0
{% if idea.numbers %}
            AND value >= {{ idea.numbers[0] }} AND value <= {{ idea.numbers[1] }}
{% else %}
            AND CAST(value AS VARCHAR) IN ({{ idea.written | map("literal") | join(", ") }})
{% endif %}
            THEN 1
    END) AS levels_fit
FROM {{ levels[column.id] }} AS levels_{{ loop.index }}
UNION ALL
{% endfor %}
{% endcall %}
