{#- A list of columns, each followed by a comma. The last comma is removed, so all lines may be written alike. -#}
{% macro column_list() %}
{{ caller().rstrip().removesuffix(",") }}
{% endmacro %}

{#- Queries, each followed by UNION ALL. The last UNION ALL is removed. -#}
{% macro union_all() %}
{{ caller().rstrip().removesuffix("UNION ALL").rstrip() }}
{% endmacro %}

{#- Terms within a line, each followed by `sign` (AND, OR, plus, comma). The last sign is removed. -#}
{% macro joined_by(sign) %}
{{ caller().rstrip().removesuffix(sign).rstrip() }}
{%- endmacro %}

{#- Columns of a table with AS and unchanged names: seen.n_syn AS n_syn, ... -#}
{% macro named_of(names, table) %}
{% for name in names -%}
{{ table }}.{{ name }} AS {{ name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A column for each thing, each followed by a comma. In the pattern {0} is the thing and {1} its number:
    each_of(files, "cells.{0.count} AS {0.count}"). -#}
{% macro each_of(things, pattern) %}
{% for thing in things -%}
{{ pattern.format(thing, loop.index) }},{{ " " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Join condition: the two rows agree on each of these columns. -#}
{% macro same_of(names, left, right) %}
{% for name in names -%}
{{ left }}.{{ name }} = {{ right }}.{{ name }}{{ " AND " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A query that returns constant rows. Each row is a mapping of columns to numbers and texts. -#}
{% macro rows_of(rows) %}
{% for row in rows -%}
SELECT
{%- for name, value in row.items() %} {{ value | literal }} AS {{ name }}{{ "," if not loop.last }}{% endfor %}
{{- "\nUNION ALL\n" if not loop.last }}
{%- endfor %}
{%- endmacro %}
