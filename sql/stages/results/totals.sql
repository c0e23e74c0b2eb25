/*---
grain = "one row per target, comparison, population and pass: numerator and denominator of every measure, in one scan"
reads = "compared_classes, patterns, profiles or within"
---*/
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ target_number }} AS target,
    {{ comparison.number }} AS comparison,
    {{ "population" if crowd else "0 AS population" }},
{% for tally in tallies %}
{% for side, expression in tally.aggregates %}
    {{ expression }} AS {{ tally.column }}_{{ side }},
{% endfor %}
{% endfor %}
{% endcall %}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
{% if crowd %}
GROUP BY population
{% endif %}
