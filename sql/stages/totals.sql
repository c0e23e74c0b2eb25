/*---
grain = "one row per target, comparison, population and pass: numerator and denominator of every measure, in one scan"
reads = "compared_classes, patterns, profiles or within"
---*/
SELECT
    {{ target_number }} AS target,
    {{ comparison.number }} AS comparison,
    {{ "population" if crowd else "0 AS population" }},
{% for tally in tallies %}
{% set more = not loop.last %}
{% for side, expression in tally.aggregates %}
    {{ expression }} AS {{ tally.column }}_{{ side }}{{ "," if more or not loop.last }}
{% endfor %}
{% endfor %}
FROM (
    {{ compared | indent(4) }}
) AS {{ stage }}
{% if crowd %}
GROUP BY population
{% endif %}
