/*---
grain = "one row per distinct combination of one person's values in all means, with the number of people"
reads = "person_values"
---*/
{% from "macros/select.sql" import column_list %}
-- Many classes have the same values. They are combined, like cells in distinct_cells.
SELECT
{% call column_list() %}
{% for name in by %}
    {{ name }},
{% endfor %}
{% for measure_column in measure_columns %}
    CAST(SUM(people_of_{{ loop.index }}) AS BIGINT) AS people_{{ loop.index }},
    CAST(SUM(counted_of_{{ loop.index }}) AS BIGINT) AS counted_{{ loop.index }}, each_{{ loop.index }},
{% endfor %}
{% endcall %}
FROM (
    {{ persons | indent(4) }}
) AS all_persons
GROUP BY
{% call column_list() %}
{% for name in by %}
    {{ name }},
{% endfor %}
{% for measure_column in measure_columns %}
    each_{{ loop.index }},
{% endfor %}
{% endcall %}
