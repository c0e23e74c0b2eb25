{#- Uniques whose rows other records, as many as the file has, would meet by chance: at most so many are expected. -#}
{% macro by_chance(table) %}
2 * CAST({{ table }}.pairs AS DOUBLE) * {{ table }}.records / {{ table }}.people
{%- endmacro %}

{#- Condition: of the uniques that chance would not meet, so many percent are met that the file is a copy of them. -#}
{% macro is_copied(table, copied, least) %}
{{ table }}.uniques >= {{ least }} AND {{ by_chance(table) }} < {{ table }}.uniques
    AND 100 * ({{ table }}.uniques_released - {{ by_chance(table) }})
    >= {{ copied }} * ({{ table }}.uniques - {{ by_chance(table) }})
{%- endmacro %}
