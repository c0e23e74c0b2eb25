{% from "macros/class_key.sql" import kept_key with context %}
{% from "macros/counts.sql" import records_of %}
{#- Search for the nearest records: conditions under which a key with a tolerance counts as equal. -#}

{#- After FROM: add the tolerance interval around a row's level of the key with a tolerance. -#}
{% macro with_near_level() %}
JOIN (
    SELECT
        level_code AS near_code, CASE WHEN number IS NOT NULL THEN level_code END AS near_place, below_code, upto_code
    FROM {{ tolerance_intervals }}
) AS near_levels ON {{ near_key.digit }} = near_levels.near_code
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
{% macro near_records(kept, near) %}
{% set n_syn %}{{ records_of(comparison.members) }}{% endset %}
SELECT
    {{ kept_key("synthetic", named=true) }},{{ " synthetic.level_code AS level_code," if of_target }}
{% if near %}
    synthetic.near_code AS near_code, synthetic.near_place AS near_place,
{% endif %}
    CAST(SUM(synthetic.n_syn) AS BIGINT) AS n_near
FROM (
    SELECT {{ kept }}, {{ "level_code, " if of_target }}{{ "near_code, near_place, " if near }}{{ n_syn }} AS n_syn
    FROM {{ synthetic_cells }}
{% if near %}
    {{ with_near_level() | indent(8) }}
{% endif %}
    WHERE {{ n_syn }} > 0
) AS synthetic
-- Group only records that a class without a neighbor can match. The first class key column is enough to select them.
WHERE synthetic.kept_1 IN (SELECT kept_1 FROM (SELECT {{ kept }} FROM {{ unmatched_classes }}) AS wanted)
GROUP BY {{ kept_key("synthetic") }}{{ ", synthetic.level_code" if of_target }}
{%- if near %}, synthetic.near_code, synthetic.near_place{% endif +%}
{%- endmacro %}
