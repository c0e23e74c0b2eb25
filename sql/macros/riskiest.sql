{#- Order: the missing level comes last, because it reveals nothing. -#}
{% macro missing_last() %}
{# unchanged by [= → <=]: no code is below 0 #}
{# unchanged by [1 → 2]: the row sorts last in both cases #}
CASE WHEN level_code = 0 THEN 1 ELSE 0 END
{%- endmacro %}

{#- Order: most people first. With `worth`, rare levels come first, and ties are shuffled. -#}
{% macro riskiest(counted, columns) %}
{{ "n_level, " if worth }}{{ counted }} DESC, {{ shuffled() ~ ", " if worth and key_columns }}{{ columns | join(", ") }}
{%- endmacro %}

{#- A number for the order of ties, the same in every engine and run. The codes of texts would put them in alphabetical
    order, as if it meant something. The factor is about 0.618 of the prime (the golden ratio), so that small keys, too,
    fall far apart: smaller factors keep them in order. -#}
{% macro shuffled() %}
CAST({{ key_columns[0].name }} AS BIGINT) % 2147483647 * 1327217885 % 2147483647
{%- endmacro %}
