/*---
grain = """\
one row per open class (no neighbor found yet) and level of the target, with the number of nearest synthetic records \
and their distance (radius), from comparing all pairs of classes"""
reads = "unmatched_classes, synthetic_cells; tolerance_intervals"
source = "Hittmeir, Mayer & Ekelhart 2020, GCAP: the records at the smallest Hamming distance"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/nearest.sql" import agrees, near_level, with_near_level with context %}
{% from "macros/select.sql" import each_of, joined_by %}
-- Used for few open classes that are far from every synthetic record: comparing all pairs then costs less than joining
-- on all sets of keys.
{% set n_syn %}{{ records_of(comparison.members) }}{% endset %}
WITH open_classes AS (
    SELECT
        {{ each_of(parts, "{0.digit} AS open_{0.column.id}") }}
        {{ class_key }}{{ near_level() | indent(8) if near_key }}
    FROM {{ unmatched_classes }}
{% if near_key %}
    {{ with_near_level() }}
{% endif %}
), synthetic AS (
    SELECT
        {{ each_of(parts, "{0.digit} AS syn_{0.column.id}") }}
        cells.level_code AS level_code, {{ n_syn }} AS n_syn{{ near_level() | indent(8) if near_key }}
    FROM {{ synthetic_cells }} AS cells
{% if near_key %}
    {{ with_near_level() }}
{% endif %}
    WHERE {{ n_syn }} > 0
), pairs AS (
    SELECT
        {{ class_key_of("unmatched_classes") }}, synthetic.level_code AS level_code, synthetic.n_syn AS n_syn,
{% call joined_by("+") %}
{% for part in parts %}
        CASE
            WHEN {{ agrees(part.column) | indent(12) }} THEN 0
            ELSE 1
        END +
{% endfor %}
{% endcall %} AS distance
    FROM open_classes AS unmatched_classes
    CROSS JOIN synthetic
), by_distance AS (
    SELECT {{ class_key }}, level_code, distance, CAST(SUM(n_syn) AS BIGINT) AS n_near
    FROM pairs
    GROUP BY {{ class_key }}, level_code, distance
), ranked AS (
    SELECT {{ class_key }}, level_code, distance, n_near, MIN(distance) OVER (PARTITION BY {{ class_key }}) AS smallest
    FROM by_distance
)
SELECT {{ class_key }}, level_code, distance AS radius, n_near
FROM ranked
{# unchanged by [= → <=]: no value is below the minimum #}
WHERE distance = smallest
