/*---
grain = """\
one row per target, synthesis and level, with its records among those that differ in the fewest keys (radius) from \
what an intruder knows"""
reads = "the synthetic files"
---*/
{% from "macros/lookup.sql" import nearest_levels %}
{% from "macros/select.sql" import union_all, joined_by %}
{% call nearest_levels() %}
{% call union_all() %}
{% for part in parts %}
    SELECT
        {{ part.position }} AS target, {{ part.comparison }} AS comparison, distance,
        CAST(found_level AS VARCHAR) AS level, COUNT(*) AS records
    FROM (
        SELECT
            {{ part.value }} AS found_level,
{% call joined_by("+") %}
{% for match in part.matches %}
            CASE WHEN {{ match }} THEN 0 ELSE 1 END +
{% endfor %}
{% endcall %} AS distance
        FROM {{ part.relation }}
    ) AS held
    GROUP BY distance, found_level
    UNION ALL
{% endfor %}
{% endcall %}
{% endcall %}
