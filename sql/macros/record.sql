{#- A column's level code in a record, 0 for a missing value. Avoids null-safe joins, which few engines run by hash.
    The code of a level in a list is its place there. -#}
{% macro code_of(column, lists) %}
{% if column.id in lists -%}
COALESCE(LIST_POSITION({{ column.id }}_levels, source.value_{{ column.id }}), 0)
{%- else -%}
COALESCE({{ column.id }}.code, 0)
{%- endif %}
{%- endmacro %}

{#- The code of a target's level in a record of a file. A universe has no targets. -#}
{% macro level_in(file, target, lists) %}
{{ "0" if file.universe else code_of(target, lists) }}
{%- endmacro %}

{#- The value of a target in a record of a file. A later statement replaces it by its code. -#}
{% macro waiting_in(file, target) %}
{{ "CAST(NULL AS " ~ target.type ~ ")" if file.universe else "source.value_" ~ target.id }}
{%- endmacro %}

{#- The codes of keys packed into one class key column by mixed radix: k1 + n1*(k2 + n2*k3 ...). -#}
{% macro packed_codes(parts, lists) %}
{% for part in parts -%}
CAST({{ code_of(part.column, lists) }} AS BIGINT){{ " * " ~ part.stride if part.stride != 1 -}}
{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- 1 if a person belongs to a population. For populations by level, the code of the level. 0 for synthetic records. -#}
{% macro membership(population, file, lists) %}
{% if not file.of_people -%}
0
{%- elif population.in_dictionaries -%}
CASE WHEN {{ population.in_dictionaries }} THEN source.{{ population.flag }} ELSE 0 END
{%- elif population.column is none -%}
{{ population.flag }}
{%- else -%}
{{ code_of(population.column, lists) }}
{%- endif %}
{%- endmacro %}

{#- After FROM: join the dictionaries of columns to the values in the rows of `source`. The dictionaries in `lists` are
    one row each. -#}
{% macro join_dictionaries(columns, levels, source, lists) %}
{% for table in lists.values() | unique -%}
CROSS JOIN {{ table }}
{% endfor %}
{%- for column in columns if column.id not in lists -%}
LEFT JOIN {{ levels[column.id] }} AS {{ column.id }} ON {{ source }}.value_{{ column.id }} = {{ column.id }}.value
{% endfor %}
{%- endmacro %}
