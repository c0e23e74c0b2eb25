{#- Upper limit of the uniques whose row the file would have by chance, if its records were a new random sample of the
    same population (Good 1953, Robbins 1956). If it is high, the columns have few combinations, so equal rows are no
    sign of a copy. -#}
{% macro by_chance(table) %}
2 * CAST({{ table }}.pairs AS DOUBLE) * {{ table }}.records / {{ table }}.people
{%- endmacro %}

{#- Condition: the file copies people. There are at least `least` uniques, and of those that chance does not match, the
    file has the row of at least `copied` percent. -#}
{% macro is_copied(table, copied, least) %}
{{ table }}.uniques >= {{ least }} AND {{ by_chance(table) }} < {{ table }}.uniques
    AND 100 * ({{ table }}.uniques_released - {{ by_chance(table) }})
    >= {{ copied }} * ({{ table }}.uniques - {{ by_chance(table) }})
{%- endmacro %}
