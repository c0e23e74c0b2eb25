{#- The class key: the smallest number of BIGINT columns that can hold all keys (class_key, class_key_2 ...). Joins use
    all these columns. -#}

{#- The class key columns of a table: cells.class_key AS class_key, ... -#}
{% macro class_key_of(table) %}
{% for key_column in key_columns -%}
{{ table }}.{{ key_column.name }} AS {{ key_column.name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The class key columns of a table for GROUP BY, without AS. -#}
{% macro by_class_key(table) %}
{% for key_column in key_columns -%}
{{ table }}.{{ key_column.name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: both rows belong to one class. -#}
{% macro same_class(left, right) %}
{% for key_column in key_columns -%}
{{ left }}.{{ key_column.name }} = {{ right }}.{{ key_column.name }}{{ " AND " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: both rows have one class and one target level. -#}
{% macro same_cell(left, right) %}
{{ same_class(left, right) }} AND {{ left }}.level_code = {{ right }}.level_code
{%- endmacro %}

{#- Condition: one of these keys is missing in the row. Give `table` if the query reads several tables. -#}
{% macro any_missing(keys, table="") %}
{% for key in keys -%}
{# unchanged by [= → <=]: no code is below 0 #}
{{ key.digit_of(table) if table else key.digit }} = 0{{ " OR " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The class key without the keys of these ids: class_key - ... AS kept_1, ... `columns`: only these columns of it. -#}
{% macro key_without(dropped, columns=key_columns) %}
{% for key_column in columns -%}
{{ key_column.name }}
{%- for part in key_column.parts if part.column.id in dropped %} - {{ part.digit }}{% endfor %} AS kept_{{ loop.index }}
{{- ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The columns that `key_without` makes. Give `table` if the query reads several tables. `named` adds AS kept_1 ... -#}
{% macro kept_key(table="", named=false) %}
{% for key_column in key_columns -%}
{{ table ~ "." if table }}kept_{{ loop.index }}{{ " AS kept_" ~ loop.index if named }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The class key columns under the names kept_1 ..., for a table whose class key has only the kept keys. -#}
{% macro as_kept_key() %}
{% for key_column in key_columns -%}
{{ key_column.name }} AS kept_{{ loop.index }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: both rows have equal kept keys. -#}
{% macro same_kept_key(left, right) %}
{% for key_column in key_columns -%}
{{ left }}.kept_{{ loop.index }} = {{ right }}.kept_{{ loop.index }}{{ " AND " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- After FROM: the condition for the classes of one pass. Empty if one pass counts all classes. -#}
{% macro of_pass() %}
{{ " WHERE " ~ key_range.takes() if key_range.takes() }}
{%- endmacro %}

{#- The number of the part that holds the class key, by binary search. `lows` are the lowest class keys of the parts to
    choose from except the first of them, and `before` is the number of that first part. -#}
{% macro part_from(lows, before) %}
{% set middle = lows | length // 2 %}
{% if lows -%}
CASE WHEN class_key < {{ lows[middle] }} THEN {{ part_from(lows[:middle], before) }}
{{- " ELSE " }}{{ part_from(lows[middle + 1:], before + middle + 1) }} END
{%- else -%}
{{ before }}
{%- endif %}
{%- endmacro %}
