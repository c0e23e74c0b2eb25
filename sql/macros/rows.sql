{#- Condition: a row is in a sample, by the hashes of its hands of columns; every row where it is of all rows. -#}
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

{#- A hash of each hand of columns: where a record of one file is in a sample by two hands, so are the rows like it of
    the others. The third hand is free for the changes of its columns. -#}
{% macro hands_of(hands) %}
{% for hand in hands -%}
HASH({{ (hand | map(attribute="id") | list + [loop.index0]) | join(", ") }}) AS hand_{{ loop.index0 }}
{{- ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The place of a number's first digit; nothing, 0, NaN and what is at the ends of a double have none. -#}
{% macro first_digit(number) %}
{% set size = "ABS(CAST(" ~ number ~ " AS DOUBLE))" %}
{# unchanged by [> → >=], [< → <=]: it differs at the ends of a double alone #}
CASE WHEN {{ size }} > 1e-290 AND {{ size }} < 1e290 THEN FLOOR(LN({{ size }}) / LN(10)) END
{%- endmacro %}

{#- A number rounded to some significant digits, half up, by the place of its first digit; without a place it stays.
    That is asked first: some functions of SQLite fail on NULL. -#}
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
