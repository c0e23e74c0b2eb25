{#- A column's level code in a record, 0 for a missing value. Avoids null-safe joins, which few engines run by hash.
    The code of a level in a list is its place there. -#}
{% macro code_of(column, listed) %}
{% if column.id in listed -%}
COALESCE(LIST_POSITION({{ column.id }}_levels, source.value_{{ column.id }}), 0)
{%- else -%}
COALESCE({{ column.id }}.code, 0)
{%- endif %}
{%- endmacro %}

{#- The code of a target's level in a record of a file. A universe has no targets. -#}
{% macro level_in(file, target, listed) %}
{{ "0" if file.universe else code_of(target, listed) }}
{%- endmacro %}

{#- The uncoded value of a target in a record of a file. A later statement replaces it by a code. -#}
{% macro waiting_in(file, target) %}
{{ "CAST(NULL AS " ~ target.type ~ ")" if file.universe else "source.value_" ~ target.id }}
{%- endmacro %}

{#- The codes of keys packed into one class key column by mixed radix: k1 + n1*(k2 + n2*k3 ...). -#}
{% macro packed_codes(parts, listed) %}
{% for part in parts -%}
CAST({{ code_of(part.column, listed) }} AS BIGINT){{ " * " ~ part.stride if part.stride != 1 -}}
{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- 1 if a person belongs to a population. For populations by level, the code of the level. 0 for synthetic records. -#}
{% macro membership(population, file, listed) %}
{% if not file.of_people -%}
0
{%- elif population.in_dictionaries -%}
CASE WHEN {{ population.in_dictionaries }} THEN source.{{ population.flag }} ELSE 0 END
{%- elif population.column is none -%}
{{ population.flag }}
{%- else -%}
{{ code_of(population.column, listed) }}
{%- endif %}
{%- endmacro %}

{#- Joins the dictionaries of columns to the values in the rows of `source`. -#}
{% macro join_dictionaries(columns, levels, source) %}
{% for column in columns -%}
LEFT JOIN {{ levels[column.id] }} AS {{ column.id }} ON {{ source }}.value_{{ column.id }} = {{ column.id }}.value
{% endfor %}
{%- endmacro %}
