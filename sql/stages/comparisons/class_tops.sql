/*---
grain = """\
one row per class of several cells, of one target, for one comparison, with the greatest and the least count of its \
cells"""
reads = "compared_cells"
---*/
{% from "macros/profiles.sql" import of_several %}
SELECT
    {{ class }}, MAX(n_syn) AS top_syn
{%- if whole %},
    MAX(n_orig) AS top_orig, MIN(CASE WHEN n_orig > 0 THEN counted_orig END) AS least_counted,
    {# unchanged by [counted_orig → people]: only max_denom reads this, from counted cells, where both are equal #}
    MAX(counted_orig) AS most_counted
{%- endif %}

FROM (
    {{ compared | indent(4) }}
) AS compared
WHERE {{ of_several() }}
GROUP BY {{ class }}
