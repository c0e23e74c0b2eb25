{#- When the key with a tolerance does not differ, in a search for the nearest records. -#}

{#- Behind FROM: what a row of classes or cells is told of its level of that key. -#}
{% macro with_near_level() %}
JOIN (
    SELECT
        level_code AS near_code, CASE WHEN number IS NOT NULL THEN level_code END AS near_place, below_code, upto_code
    FROM {{ tolerance_intervals }}
) AS near_levels ON {{ near_key.digit }} = near_levels.near_code
{%- endmacro %}

{#- Condition: the record of the one is within reach of the people of the other. -#}
{% macro within_reach(people, record) %}
{{ people }}.near_code = {{ record }}.near_code
    OR {{ record }}.near_place > {{ people }}.below_code AND {{ record }}.near_place <= {{ people }}.upto_code
{%- endmacro %}

{#- Condition: an open class and a synthetic cell agree on a key. -#}
{% macro agrees(column) %}
{% if column.id in near_ids -%}
{{ within_reach("unmatched_classes", "synthetic") }}
{%- else -%}
unmatched_classes.open_{{ column.id }} = synthetic.syn_{{ column.id }}
{%- endif %}
{%- endmacro %}
