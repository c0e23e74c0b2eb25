{#- Behind FROM: each row once for every one of several comparisons that are counted together. -#}
{% macro for_each_comparison() %}
{% if together %}
{{ "\n" }}CROSS JOIN {{ comparisons }} AS chosen
WHERE chosen.comparison IN ({{ together | join(", ") }})
{%- endif %}
{%- endmacro %}

{#- What a row is of: target, comparison, population; a number where all rows are of one. -#}
{% macro place() %}
{% for name, number in placed.items() -%}
{{ name if number is none else number ~ " AS " ~ name }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Those of the same of which a query has several, behind GROUP BY, PARTITION BY or a comma; without any nothing. -#}
{% macro by_place(begin) %}
{{ begin if by }}{{ by | join(", ") }}
{%- endmacro %}

{#- What each of the comparisons of a query has of its own: that of a row's comparison; one alone has no CASE. -#}
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

{#- Of a row: `pair`, the comparison of the original's people with the same syntheses, and whether it is of control. -#}
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
