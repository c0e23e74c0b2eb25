{#- The share part / whole, as DOUBLE. NULL if the whole is 0. -#}
{% macro share(part, whole) %}
CAST({{ part }} AS DOUBLE) / NULLIF(CAST({{ whole }} AS DOUBLE), 0)
{%- endmacro %}

{#- A quotient whose divisor is never 0. -#}
{% macro quotient(part, whole) %}
CAST({{ part }} AS DOUBLE) / CAST({{ whole }} AS DOUBLE)
{%- endmacro %}

{#- Condition: a value is a finite number. It is not true for NULL, and infinity minus infinity is no number. -#}
{% macro finite(value) %}
{# unchanged by [= → <=]: NaN is above 0 in DuckDB #}
{{ value }} - {{ value }} = 0
{%- endmacro %}

{#- A running aggregate: over all rows up to this one, in the order of `by`, in each group of `within` if given. -#}
{% macro running(aggregate, by, within="") %}
{{ aggregate }} OVER (
{{- "PARTITION BY " ~ within ~ " " if within }}ORDER BY {{ by }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
{%- endmacro %}

{#- The sum of columns. The terms are in groups, because engines fail to parse a thousand nested sums. -#}
{% macro added(names) %}
{% for some in names | batch(100) -%}
({{ some | join(" + ") }}){{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A power of e. Powers close to 0 become 0, because some databases fail on very low exponents. -#}
{% macro power(exponent) %}
{# unchanged by [> → >=], [700 → 701], [700 → 699]: the power is negligible, at most 1e-303 #}
CASE WHEN {{ exponent }} > -700 THEN EXP({{ exponent }}) ELSE 0 END
{%- endmacro %}
