{% from "macros/class_key.sql" import kept_key, key_without with context %}
{% from "macros/counts.sql" import records_of %}
{#- Search for the nearest records: conditions under which a key with a tolerance counts as equal. -#}

{#- After FROM: add a row's level of the key with a tolerance, and the tolerance interval around it. -#}
{% macro with_near_level() %}
JOIN {{ tolerance_intervals }} AS near_levels ON {{ near_key.digit }} = near_levels.level_code
{%- endmacro %}

{#- After other columns: this level, its place among the numbers, and the interval. -#}
{% macro near_level() %}
,
near_levels.level_code AS near_code, below_code, upto_code,
CASE WHEN number IS NOT NULL THEN near_levels.level_code END AS near_place
{%- endmacro %}

{#- Condition: the record's level is within the tolerance of the people's level. -#}
{% macro within_reach(people, record) %}
{{ people }}.near_code = {{ record }}.near_code
    OR {{ record }}.near_place > {{ people }}.below_code AND {{ record }}.near_place <= {{ people }}.upto_code
{%- endmacro %}

{#- Condition: a class without a neighbor so far and a synthetic cell agree on a key. -#}
{% macro agrees(column) %}
{% if column.id in near_ids -%}
{{ within_reach("unmatched_classes", "synthetic") }}
{%- else -%}
unmatched_classes.open_{{ column.id }} = synthetic.syn_{{ column.id }}
{%- endif %}
{%- endmacro %}

{#- Synthetic records, counted by kept keys and target level. `near`: also by level of the key with a tolerance. -#}
{% macro near_records(dropped, near) %}
{% set n_syn %}{{ records_of(comparison.members) }}{% endset %}
SELECT
    {{ kept_key("synthetic", named=true) }},{{ " synthetic.level_code AS level_code," if of_target }}
{% if near %}
    synthetic.near_code AS near_code, synthetic.near_place AS near_place,
{% endif %}
    CAST(SUM(synthetic.n_syn) AS BIGINT) AS n_near
FROM (
    SELECT
        {{ key_without(dropped) }}, {{ "cells.level_code AS level_code, " if of_target }}{{ n_syn }} AS n_syn
        {{- near_level() | indent(8) if near }}
    FROM {{ synthetic_cells }} AS cells
{% if near %}
    {{ with_near_level() }}
{% endif %}
    WHERE {{ n_syn }} > 0
) AS synthetic
-- Group only records that a class without a neighbor can match. The first class key column is enough to select them.
WHERE synthetic.kept_1 IN (SELECT {{ key_without(dropped, key_columns[:1]) }} FROM {{ unmatched_classes }})
GROUP BY {{ kept_key("synthetic") }}{{ ", synthetic.level_code" if of_target }}
{%- if near %}, synthetic.near_code, synthetic.near_place{% endif +%}
{%- endmacro %}
