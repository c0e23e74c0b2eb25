{#- A value, or NULL if it is missing, an empty text or only blanks. `blanks` are the blanks other than the space. -#}
{% macro said(value, is_text, blanks) %}
{% if is_text %}
{% set text = namespace(sql=value) %}
{% for blank in blanks %}
{% set text.sql = "REPLACE(" ~ text.sql ~ ", " ~ blank ~ ", '')" %}
{% endfor %}
NULLIF(TRIM({{ text.sql }}), '')
{%- else -%}
{{ value }}
{%- endif %}
{%- endmacro %}
