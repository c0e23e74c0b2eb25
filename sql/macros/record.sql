{#- A column's level code in a record, 0 where it is missing: no null-safe comparison, which few engines hash. -#}
{% macro code_of(column) %}
COALESCE({{ column.id }}.code, 0)
{%- endmacro %}

{#- The codes of keys in one column of the class key, by mixed radix: k1 + n1*(k2 + n2*k3 ...). -#}
{% macro packed_codes(parts) %}
{% for part in parts -%}
CAST({{ code_of(part.column) }} AS BIGINT){{ " * " ~ part.stride if part.stride != 1 }}{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Whether a person belongs to a population (1), or to which level of a column; a synthetic record is nobody: 0. -#}
{% macro membership(population, file) %}
{% if not file.of_people -%}
0
{%- elif population.in_dictionaries -%}
CASE WHEN {{ population.in_dictionaries }} THEN source.{{ population.flag }} ELSE 0 END
{%- elif population.column is none -%}
{{ population.flag }}
{%- else -%}
{{ code_of(population.column) }}
{%- endif %}
{%- endmacro %}
