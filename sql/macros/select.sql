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
