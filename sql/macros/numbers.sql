{#- A share: part of a whole, both as DOUBLE. NULL if the whole is 0. -#}
{% macro share(part, whole) %}
CAST({{ part }} AS DOUBLE) / NULLIF(CAST({{ whole }} AS DOUBLE), 0)
{%- endmacro %}

{#- A quotient whose divisor is never 0. -#}
{% macro quotient(part, whole) %}
CAST({{ part }} AS DOUBLE) / CAST({{ whole }} AS DOUBLE)
{%- endmacro %}

{#- An aggregate over all rows so far, ordered by `by`, within groups if they are named. -#}
{% macro running(aggregate, by, within="") %}
{{ aggregate }} OVER (
{{- "PARTITION BY " ~ within ~ " " if within }}ORDER BY {{ by }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
{%- endmacro %}

{#- The sum of columns, in groups, because engines do not parse a thousand nested sums. -#}
{% macro added(names) %}
{% for some in names | batch(100) -%}
({{ some | join(" + ") }}){{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A power of e. If it is close to 0 it becomes 0, since some databases fail on such exponents. -#}
{% macro power(exponent) %}
{# unchanged by [> → >=], [700 → 701], [700 → 699]: it is next to nothing, at most 1e-303 #}
CASE WHEN {{ exponent }} > -700 THEN EXP({{ exponent }}) ELSE 0 END
{%- endmacro %}
