{#- Condition: a row is in a sample, by the hashes of its hands of columns; every row where it is of all rows. -#}
{% macro in_sample(sample) %}
{% if sample.mask -%}
(hand_{{ sample.hands | join(" & " ~ sample.mask ~ ") = (hand_") }} & {{ sample.mask }})
{%- else -%}
1 = 1
{%- endif %}
{%- endmacro %}

{#- A number rounded to some significant digits, half up; nothing, 0, NaN and what is at the ends of a double stay. -#}
{% macro rounded(number, digits) %}
{% set size = "ABS(CAST(" ~ number ~ " AS DOUBLE))" %}
{% set unit = "POWER(10, FLOOR(LN(" ~ size ~ ") / LN(10)) - " ~ (digits - 1) ~ ")" %}
CASE
    WHEN {{ size }} > 1e-290 AND {{ size }} < 1e290
        THEN FLOOR(CAST({{ number }} AS DOUBLE) / {{ unit }} + 0.5) * {{ unit }}
    ELSE CAST({{ number }} AS DOUBLE)
END
{%- endmacro %}

{#- A whole number below a size that stands for a value of a column. -#}
{% macro hashed(value, column, size) %}
CAST(HASH({{ value }}, {{ column.number }}) % {{ size }} AS BIGINT)
{%- endmacro %}
