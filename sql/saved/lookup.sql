/*---
grain = """\
one row per target, synthesis and level, with its records among those that differ in the fewest keys (radius) from \
what an intruder knows"""
reads = "cells, labels"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/lookup.sql" import nearest_levels %}
{% from "macros/select.sql" import union_all, joined_by %}
{% call nearest_levels() %}
{% call union_all() %}
{% for position, comparison, target in parts %}
    SELECT
        {{ position }} AS target, {{ comparison.number }} AS comparison, distance,
        CAST(label_target.level AS VARCHAR) AS level, CAST(SUM(n_syn) AS BIGINT) AS records
    FROM (
        SELECT
            cells.level_code AS level_code, {{ records_of(comparison.members, "cells") }} AS n_syn,
{% call joined_by("+") %}
{% for key in keys %}
            CASE WHEN known_{{ loop.index }}.code IS NULL THEN 1 ELSE 0 END +
{% endfor %}
{% endcall %} AS distance
        FROM cells_{{ target.id }} AS cells
{% for key in keys %}
        LEFT JOIN (
            SELECT DISTINCT code
            FROM {{ key.levels }} AS levels
            WHERE {{ key.match }}
        ) AS known_{{ loop.index }} ON {{ key.digit }} = {{ key.code }}
{% endfor %}
        WHERE {{ records_of(comparison.members, "cells") }} > 0
    ) AS held
    JOIN labels_{{ target.id }} AS label_target ON held.level_code = label_target.code
    GROUP BY distance, label_target.level
    UNION ALL
{% endfor %}
{% endcall %}
{% endcall %}
