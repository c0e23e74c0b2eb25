{#- Upper limit of the uniques whose row the file would have by chance, if its records were a new random sample of the
    same population. -#}
{% macro by_chance(table) %}
2 * CAST({{ table }}.pairs AS DOUBLE) * {{ table }}.records / {{ table }}.people
{%- endmacro %}

{#- Condition: at least `copied` percent of the uniques are matched beyond chance, so the file copies people. -#}
{% macro is_copied(table, copied, least) %}
{{ table }}.uniques >= {{ least }} AND {{ by_chance(table) }} < {{ table }}.uniques
    AND 100 * ({{ table }}.uniques_released - {{ by_chance(table) }})
    >= {{ copied }} * ({{ table }}.uniques - {{ by_chance(table) }})
{%- endmacro %}
