{#- After FROM: repeat each row for every comparison that is counted together. -#}
{% macro for_each_comparison() %}
{% if together %}
{{ "\n" }}CROSS JOIN {{ comparisons }} AS chosen
WHERE chosen.comparison IN ({{ together | join(", ") }})
{%- endif %}
{%- endmacro %}

{#- The target, comparison and population of a row. A number if it is the same for all rows. -#}
{% macro place() %}
{% for name, number in placed.items() -%}
{{ name if number is none else number ~ " AS " ~ name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The parts of `place` that vary within a query, after GROUP BY, PARTITION BY or a comma. Empty if none does. -#}
{% macro by_place(begin) %}
{{ begin if by }}{{ by | join(", ") }}
{%- endmacro %}

{#- An expression that depends on the comparison of the row. With only one comparison there is no CASE. -#}
{% macro of_its_comparison(comparisons) %}
{% if comparisons | length > 1 %}
CASE
{% for each in comparisons %}
{# unchanged by [= → <=]: comparisons before it were taken before #}
WHEN compared.comparison = {{ each[0].number }} THEN
{{ caller(*each) }}
{%- endfor %}
END
{% else %}
{{- caller(*comparisons[0]) -}}
{% endif %}
{% endmacro %}

{#- `pair`: the comparison of the original's people with the same syntheses. `of_control`: 1 for rows of control. -#}
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
