{#- A level with one spelling difference removed, such as case. For `as_they_are`, the code of the level if several
    values share it, else nothing: each row is a level. -#}
{% macro folded(fold, shared) %}
{% if fold == "case" -%}
LOWER(value)
{%- elif fold == "blanks" -%}
TRIM(value)
{%- elif fold == "leading_zeros" -%}
LTRIM(value, '0')
{%- elif fold == "decimal_comma" -%}
REPLACE(value, ',', '.')
{%- elif fold == "number_as_text" -%}
CASE WHEN REPLACE(value, '.', '') <> value THEN RTRIM(RTRIM(value, '0'), '.') ELSE value END
{%- elif fold == "date_format" -%}
{{ date_parts() }}
{%- elif fold == "missing_text" -%}
CASE
    WHEN UPPER(TRIM(value)) IN ('', 'NA', 'N/A', 'NAN', 'NULL', 'NONE', '.', '-', '?', 'MISSING') THEN NULL
    ELSE value
END
{%- elif shared -%}
code
{%- endif %}
{%- endmacro %}

{#- The parts of a date whose year is first or last: the year, then the two other numbers in ascending order. -#}
{% macro date_parts() %}
{% set year_first = "SUBSTR(value, 5, 1) IN ('-', '/', '.')" %}
{% set ends = ["SUBSTR(value, 6, 2)", "SUBSTR(value, 9, 2)"], ["SUBSTR(value, 1, 2)", "SUBSTR(value, 4, 2)"] %}
CASE
{%- for (one, other), year in [(ends[0], "SUBSTR(value, 1, 4)"), (ends[1], "SUBSTR(value, 7, 4)")] %}
{% set shape = year_first if loop.index == 1 else "SUBSTR(value, 3, 1) IN ('-', '/', '.')" %}
 {# unchanged by [< → <=]: two equal numbers have only one order #}
 WHEN {{ shape }} AND {{ one }} < {{ other }} THEN {{ year }} || {{ one }} || {{ other }}
 WHEN {{ shape }} THEN {{ year }} || {{ other }} || {{ one }}
{%- endfor %}
 ELSE value END
{%- endmacro %}
