{#- Condition: a row is in a sample. The hashes of two groups (hands) of columns agree in the bits of the mask. Without
    a mask, every row is in the sample. -#}
{% macro in_sample(sample) %}
{% if sample.mask -%}
(hand_{{ sample.hands[0] }} & {{ sample.mask }}) = (hand_{{ sample.hands[1] }} & {{ sample.mask }})
{%- else -%}
{# unchanged by [= → <=], [= → >=]: the constant condition 1 = 1 stays true #}
1 = 1
{%- endif %}
{%- endmacro %}

{#- Condition: a row is in one of these samples. -#}
{% macro in_some(samples) %}
{% for sample in samples -%}
{{ in_sample(sample) }}{{ " OR " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A hash of each group (hand) of columns. Two hands decide if a row is in a sample, so equal rows of other files are
    in the sample as well. Columns of the third hand may differ. -#}
{% macro hands_of(hands) %}
{% for hand in hands -%}
HASH({{ (hand | map(attribute="id") | list + [loop.index0]) | join(", ") }}) AS hand_{{ loop.index0 }}
{{- ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The decimal exponent of a number's first digit. NULL for NULL, 0, NaN, and the extremes of a double. -#}
{% macro first_digit(number) %}
{% set size = "ABS(CAST(" ~ number ~ " AS DOUBLE))" %}
{# unchanged by [> → >=], [< → <=]: only the extreme values of a double give a difference #}
CASE WHEN {{ size }} > 1e-290 AND {{ size }} < 1e290 THEN FLOOR(LN({{ size }}) / LN(10)) END
{%- endmacro %}

{#- A number rounded half up to significant digits. `place` is the place of its first digit. Without a place, the number
    is unchanged. NULL is checked first because some functions of SQLite fail on NULL. -#}
{% macro rounded(number, place, digits) %}
{% set unit = "POWER(10, " ~ place ~ " - " ~ (digits - 1) ~ ")" %}
CASE
    WHEN {{ place }} IS NULL THEN CAST({{ number }} AS DOUBLE)
    ELSE FLOOR(CAST({{ number }} AS DOUBLE) / {{ unit }} + 0.5) * {{ unit }}
END
{%- endmacro %}

{#- A hash of a value of a column: a whole number below `size`. -#}
{% macro hashed(value, column, size) %}
CAST(HASH({{ value }}, {{ column.number }}) % {{ size }} AS BIGINT)
{%- endmacro %}
