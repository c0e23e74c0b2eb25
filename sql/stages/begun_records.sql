/*---
grain = "one row per record: the codes of the targets so far and of some more, and the values of those that still wait"
reads = "records in the making, levels"
---*/
-- Only where there are more targets than one statement can look up in their dictionaries within the memory limit.
SELECT
    file,
{% if numbered %}
    record,
{% endif %}
{% if id %}
    record_id,
{% endif %}
{% for column in coded %}
    {{ column }},
{% endfor %}
{% for target in targets %}
    COALESCE({{ target.id }}.code, 0) AS {{ target.id }}{{ "," if not loop.last or waiting or persons }}
{% endfor %}
{% for target in waiting %}
    value_{{ target.id }}{{ "," if not loop.last or persons }}
{% endfor %}
{% for column in persons %}
    {{ column }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ begun }} AS begun
{% for target in targets %}
LEFT JOIN {{ levels[target.id] }} AS {{ target.id }} ON begun.value_{{ target.id }} = {{ target.id }}.value
{% endfor %}
