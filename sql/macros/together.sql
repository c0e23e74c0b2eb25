{#- After FROM: repeat each row for every comparison that this query counts. -#}
{% macro for_each_comparison() %}
{% if together %}
{{ "\n" }}CROSS JOIN {{ comparisons }} AS chosen
WHERE chosen.comparison IN ({{ together | join(", ") }})
{%- endif %}
{%- endmacro %}

{#- The target, comparison and population of a row. Each is a constant if all rows of the query share it. -#}
{% macro place() %}
{% for name, number in placed.items() -%}
{{ name if number is none else number ~ " AS " ~ name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The parts of `place` that vary within a query, after GROUP BY, PARTITION BY or a comma. May be empty. -#}
{% macro by_place(begin) %}
{{ begin if by }}{{ by | join(", ") }}
{%- endmacro %}

{#- An expression that depends on the comparison of the row. The body of the call writes it for one entry of
    `comparisons`. If there is only one comparison, no CASE is written. -#}
{% macro of_its_comparison(comparisons) %}
{% if comparisons | length > 1 %}
CASE
{% for each in comparisons %}
{# unchanged by [= → <=]: earlier branches take the comparisons with lower numbers #}
WHEN compared.comparison = {{ each[0].number }} THEN
{{ caller(*each) }}
{%- endfor %}
END
{% else %}
{{- caller(*comparisons[0]) -}}
{% endif %}
{% endmacro %}

{#- Two columns. `pair`: the comparison of the original's people with the row's syntheses. `of_control`: 1 for rows of
    control. -#}
{% macro pair_and_side(pairs) %}
CASE
{% for original, control in pairs %}
    WHEN comparison = {{ control.number }} THEN {{ original.number }}
{% endfor %}
    ELSE comparison
END AS pair,
CASE
    WHEN comparison IN ({{ pairs | map("last") | map(attribute="number") | join(", ") }}) THEN 1
    ELSE 0
END AS of_control
{%- endmacro %}
