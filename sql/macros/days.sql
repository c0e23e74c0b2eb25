{#- A text that begins with the day of a value, written 2021-03-31. NULL if the value is a text without a day. -#}
{% macro day_in(column) %}
{% if column.type == "VARCHAR" %}
CASE WHEN {{ is_day("value") }} THEN value END
{%- else %}
CAST(CAST(value AS DATE) AS VARCHAR)
{%- endif %}
{%- endmacro %}

{#- Condition: a text begins with a day. Characters are compared as texts, so no cast can fail. -#}
{% macro is_day(text) %}
SUBSTR({{ text }}, 5, 1) = '-' AND SUBSTR({{ text }}, 8, 1) = '-' AND SUBSTR({{ text }}, 11, 1) IN ('', ' ', 'T')
    AND SUBSTR({{ text }}, 6, 2) IN ({{ two_digits(1, 12) }})
    AND SUBSTR({{ text }}, 9, 2) IN ({{ two_digits(1, 31) }})
    AND SUBSTR({{ text }}, 6, 5) NOT IN ('02-30', '02-31', '04-31', '06-31', '09-31', '11-31')
{% for place in range(1, 5) %}
    AND SUBSTR({{ text }}, {{ place }}, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9')
{% endfor %}
    AND (
        SUBSTR({{ text }}, 6, 5) NOT IN ('02-29')
        -- The last two digits of a year decide if it is a leap year. At the turn of a century, the first two digits
        -- decide.
        OR COALESCE(NULLIF(SUBSTR({{ text }}, 3, 2), '00'), SUBSTR({{ text }}, 1, 2)) IN ({{ two_digits(0, 96, 4) }})
    )
{%- endmacro %}

{#- The two-digit numbers from the first to the last, as texts. -#}
{% macro two_digits(first, last, step=1) %}
{% for number in range(first, last + 1, step) -%}
'{{ "%02d" % number }}'{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}
