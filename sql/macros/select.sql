{#- A list of columns, each with a comma behind it. The last comma goes: no line has to know whether it is the last. -#}
{% macro column_list() %}
{{ caller().rstrip().removesuffix(",") }}
{% endmacro %}

{#- Queries, each with UNION ALL behind it: the last one goes. -#}
{% macro union_all() %}
{{ caller().rstrip().removesuffix("UNION ALL").rstrip() }}
{% endmacro %}

{#- Terms within a line, each with the same word or sign behind it (AND, OR, a plus, a comma): the last one goes. -#}
{% macro joined_by(sign) %}
{{ caller().rstrip().removesuffix(sign).rstrip() }}
{%- endmacro %}

{#- These columns of a table under their own names: seen.n_syn AS n_syn, ... -#}
{% macro named_of(names, table) %}
{% for name in names -%}
{{ table }}.{{ name }} AS {{ name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A column for each of some things, by a pattern of what is in {0} and which it is, {1}, each with a comma behind it:
    each_of(files, "cells.{0.count} AS {0.count}"). -#}
{% macro each_of(things, pattern) %}
{% for thing in things -%}
{{ pattern.format(thing, loop.index) }},{{ " " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Condition of a join: both rows have the same of each of these columns. -#}
{% macro same_of(names, left, right) %}
{% for name in names -%}
{{ left }}.{{ name }} = {{ right }}.{{ name }}{{ " AND " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A query of rows that are known before: each a mapping of columns to numbers and texts. -#}
{% macro rows_of(rows) %}
{% for row in rows -%}
SELECT
{%- for name, value in row.items() %} {{ value | literal }} AS {{ name }}{{ "," if not loop.last }}{% endfor %}
{{- "\nUNION ALL\n" if not loop.last }}
{%- endfor %}
{%- endmacro %}
