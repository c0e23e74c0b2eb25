{#- The class key: one BIGINT column, or as few as can hold it (class_key, class_key_2 ...). Joins use all of them. -#}

{#- The class key columns of a table: cells.class_key AS class_key, ... -#}
{% macro class_key_of(table) %}
{% for key_column in key_columns -%}
{{ table }}.{{ key_column.name }} AS {{ key_column.name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The same columns without names, for GROUP BY. -#}
{% macro by_class_key(table) %}
{% for key_column in key_columns -%}
{{ table }}.{{ key_column.name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: both rows are of the same class. -#}
{% macro same_class(left, right) %}
{% for key_column in key_columns -%}
{{ left }}.{{ key_column.name }} = {{ right }}.{{ key_column.name }}{{ " AND " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: both rows are of the same class and target level. -#}
{% macro same_cell(left, right) %}
{{ same_class(left, right) }} AND {{ left }}.level_code = {{ right }}.level_code
{%- endmacro %}

{#- Condition: one of these keys is missing in the row. Name the table if there are several. -#}
{% macro any_missing(keys, table="") %}
{% for key in keys -%}
{# unchanged by [= → <=]: no code is below 0 #}
{{ key.digit_of(table) if table else key.digit }} = 0{{ " OR " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The class key without the keys of these ids: class_key - ... AS kept_1, ... -#}
{% macro key_without(dropped) %}
{% for key_column in key_columns -%}
{{ key_column.name }}
{%- for part in key_column.parts if part.column.id in dropped %} - {{ part.digit }}{% endfor %} AS kept_{{ loop.index }}
{{- ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The columns that `key_without` makes. Name the table if there are several. `named` adds AS with their own names. -#}
{% macro kept_key(table="", named=false) %}
{% for key_column in key_columns -%}
{{ table ~ "." if table }}kept_{{ loop.index }}{{ " AS kept_" ~ loop.index if named }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The class key columns under the names that `key_without` gives, for a table with only these digits. -#}
{% macro as_kept_key() %}
{% for key_column in key_columns -%}
{{ key_column.name }} AS kept_{{ loop.index }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: both rows have the same kept keys. -#}
{% macro same_kept_key(left, right) %}
{% for key_column in key_columns -%}
{{ left }}.kept_{{ loop.index }} = {{ right }}.kept_{{ loop.index }}{{ " AND " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- After FROM: only the classes of a pass. Nothing if all classes are counted together. -#}
{% macro of_pass() %}
{{ " WHERE " ~ key_range.takes() if key_range.takes() }}
{%- endmacro %}

{#- The number of the last part that begins at or below the class key. `lows`: where parts begin, except the first. -#}
{% macro part_from(lows, before) %}
{% set middle = lows | length // 2 %}
{% if lows -%}
CASE WHEN class_key < {{ lows[middle] }} THEN {{ part_from(lows[:middle], before) }}
{{- " ELSE " }}{{ part_from(lows[middle + 1:], before + middle + 1) }} END
{%- else -%}
{{ before }}
{%- endif %}
{%- endmacro %}
