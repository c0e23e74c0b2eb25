/*---
grain = """\
one row per class, or per cell of one target, with the records of each file, summed from classes or cells of more \
keys"""
reads = "superset"
---*/
{% from "macros/class_key.sql" import kept_key with context %}
{% from "macros/select.sql" import column_list %}
-- Classes that differ only in dropped keys become one class. The digit of a dropped key becomes zero, so the strides of
-- the other keys stay valid.
SELECT
{% call column_list() %}
{% for key_column in key_columns %}
    kept_{{ loop.index }} AS {{ key_column.name }},
{% endfor %}
{% if target %}
    level_code,
{% endif %}
{% for file in files %}
    CAST(SUM(counted_{{ file.count }}) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% for key_column in key_columns %}
        {{ key_column.name }}
{%- for part in dropped | selectattr("key_column", "equalto", key_column.name) %} - {{ part.digit }}{% endfor %}
{{- " AS kept_" ~ loop.index }},
{% endfor %}
{% if target %}
        level_code,
{% endif %}
{% for file in files %}
        {{ file.count }} AS counted_{{ file.count }},
{% endfor %}
{% endcall %}
    FROM {{ superset }}
) AS kept
GROUP BY {{ kept_key() }}{{ ", level_code" if target }}
