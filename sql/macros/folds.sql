{#- A level with one habit of spelling normalized. as_they_are: its code. -#}
{% macro folded(fold) %}
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
{%- else -%}
code
{%- endif %}
{%- endmacro %}

{#- A date with the year first or last: its year, then its two other numbers, the smaller one first. -#}
{% macro date_parts() %}
{% set year_first = "SUBSTR(value, 5, 1) IN ('-', '/', '.')" %}
{% set ends = ["SUBSTR(value, 6, 2)", "SUBSTR(value, 9, 2)"], ["SUBSTR(value, 1, 2)", "SUBSTR(value, 4, 2)"] %}
CASE
{%- for (one, other), year in [(ends[0], "SUBSTR(value, 1, 4)"), (ends[1], "SUBSTR(value, 7, 4)")] %}
{% set shape = year_first if loop.index == 1 else "SUBSTR(value, 3, 1) IN ('-', '/', '.')" %}
 {# unchanged by [< → <=]: two numbers that are the same are so in either order #}
 WHEN {{ shape }} AND {{ one }} < {{ other }} THEN {{ year }} || {{ one }} || {{ other }}
 WHEN {{ shape }} THEN {{ year }} || {{ other }} || {{ one }}
{%- endfor %}
 ELSE value END
{%- endmacro %}
