{#- Condition: a row is in a sample, by the hashes of two hands of columns. Always true for a sample of all rows. -#}
{% macro in_sample(sample) %}
{% if sample.mask -%}
(hand_{{ sample.hands[0] }} & {{ sample.mask }}) = (hand_{{ sample.hands[1] }} & {{ sample.mask }})
{%- else -%}
{# unchanged by [= → <=], [= → >=]: 1 is 1 #}
1 = 1
{%- endif %}
{%- endmacro %}

{#- Condition: a row is in one of these samples. -#}
{% macro in_some(samples) %}
{% for sample in samples -%}
{{ in_sample(sample) }}{{ " OR " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- A hash of each hand of columns. If a row is in a sample by two hands, so are the equal rows of all other files. The
    third hand is free for changes of its columns. -#}
{% macro hands_of(hands) %}
{% for hand in hands -%}
HASH({{ (hand | map(attribute="id") | list + [loop.index0]) | join(", ") }}) AS hand_{{ loop.index0 }}
{{- ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The place of a number's first digit. NULL for NULL, 0, NaN, and the extremes of a double. -#}
{% macro first_digit(number) %}
{% set size = "ABS(CAST(" ~ number ~ " AS DOUBLE))" %}
{# unchanged by [> → >=], [< → <=]: it differs at the ends of a double alone #}
CASE WHEN {{ size }} > 1e-290 AND {{ size }} < 1e290 THEN FLOOR(LN({{ size }}) / LN(10)) END
{%- endmacro %}

{#- A number rounded half up to significant digits, by the place of its first digit. Without a place it stays. NULL is
    checked first because some functions of SQLite fail on it. -#}
{% macro rounded(number, place, digits) %}
{% set unit = "POWER(10, " ~ place ~ " - " ~ (digits - 1) ~ ")" %}
CASE
    WHEN {{ place }} IS NULL THEN CAST({{ number }} AS DOUBLE)
    ELSE FLOOR(CAST({{ number }} AS DOUBLE) / {{ unit }} + 0.5) * {{ unit }}
END
{%- endmacro %}

{#- A whole number below a size that stands for a value of a column. -#}
{% macro hashed(value, column, size) %}
CAST(HASH({{ value }}, {{ column.number }}) % {{ size }} AS BIGINT)
{%- endmacro %}
