{#- A column's level code in a record, 0 where it is missing: no null-safe comparison, which few engines hash. -#}
{% macro code_of(column) %}
COALESCE({{ column.id }}.code, 0)
{%- endmacro %}

{#- The code of a target's level in a record of a file; a universe has no targets. -#}
{% macro level_in(file, target) %}
{{ "0" if file.universe else code_of(target) }}
{%- endmacro %}

{#- The value of a target that waits for its code, in a record of a file. -#}
{% macro waiting_in(file, target) %}
{{ "CAST(NULL AS " ~ target.type ~ ")" if file.universe else "source.value_" ~ target.id }}
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
