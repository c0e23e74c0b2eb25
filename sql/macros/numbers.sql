{#- A share: part of a whole, both as DOUBLE; of nothing it is NULL. -#}
{% macro share(part, whole) %}
CAST({{ part }} AS DOUBLE) / NULLIF(CAST({{ whole }} AS DOUBLE), 0)
{%- endmacro %}

{#- A quotient whose divisor is never 0. -#}
{% macro quotient(part, whole) %}
CAST({{ part }} AS DOUBLE) / CAST({{ whole }} AS DOUBLE)
{%- endmacro %}

{#- An aggregate of all rows so far, in the order `by`; within groups where they are named. -#}
{% macro running(aggregate, by, within="") %}
{{ aggregate }} OVER (
{{- "PARTITION BY " ~ within ~ " " if within }}ORDER BY {{ by }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
{%- endmacro %}

{#- The sum of columns, in groups: an engine takes no thousand of sums within each other. -#}
{% macro added(names) %}
{% for some in names | batch(100) -%}
({{ some | join(" + ") }}){{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A power of e; one that is next to nothing is 0, and no database fails on it. -#}
{% macro power(exponent) %}
{# unchanged by [> → >=], [700 → 701], [700 → 699]: it is next to nothing, at most 1e-303 #}
CASE WHEN {{ exponent }} > -700 THEN EXP({{ exponent }}) ELSE 0 END
{%- endmacro %}
