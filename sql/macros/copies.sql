{#- Upper limit of the uniques that as many other records as the file has would match by chance. -#}
{% macro by_chance(table) %}
2 * CAST({{ table }}.pairs AS DOUBLE) * {{ table }}.records / {{ table }}.people
{%- endmacro %}

{#- Condition: of the uniques beyond chance, at least `copied` percent are matched, so the file is a copy of them. -#}
{% macro is_copied(table, copied, least) %}
{{ table }}.uniques >= {{ least }} AND {{ by_chance(table) }} < {{ table }}.uniques
    AND 100 * ({{ table }}.uniques_released - {{ by_chance(table) }})
    >= {{ copied }} * ({{ table }}.uniques - {{ by_chance(table) }})
{%- endmacro %}
