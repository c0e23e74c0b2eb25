/*---
grain = """\
one row per record of a file, in its order, with all columns; without records that are singled out, or with a flag \
for them"""
reads = "the file, singled_out"
---*/
{% from "macros/select.sql" import column_list %}
-- Inside the query the user's columns get other names, so that none collides with record or hit.
SELECT
{% call column_list() %}
{% for column in columns %}
    source.c{{ loop.index }} AS {{ column.name }},
{% endfor %}
{% if flag %}
    {# unchanged by [= → <=], [= → >=]: the value of a match is 1 or NULL #}
    CASE WHEN singled_out.hit = 1 THEN TRUE ELSE FALSE END AS {{ flag }},
{% endif %}
{% if label %}
    {{ label.text }} AS {{ label.name }}
{% endif %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ record }} AS record,
{% for column in columns %}
        {{ column.value }} AS c{{ loop.index }},
{% endfor %}
{% endcall %}
    FROM {{ relation }}
) AS source
LEFT JOIN {{ singled_out }} AS singled_out ON source.record = singled_out.record
{% if not flag %}
{# unchanged by [= → <=]: a flag is 0 or 1 #}
WHERE COALESCE(singled_out.hit, 0) = 0
{% endif %}
ORDER BY source.record
