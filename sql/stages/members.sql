/*---
grain = "one row per record, with the counts of its class in every file"
reads = "records, classes"
---*/
-- Once per pass, so that no target has to look its classes up again.
SELECT
    records.file AS file,
{% if numbered %}
    records.record AS record,
{% endif %}
{% if id %}
    records.record_id AS record_id,
{% endif %}
{% for limb in limbs %}
    records.{{ limb.name }} AS {{ limb.name }},
{% endfor %}
{% for file in files %}
    classes.{{ file.count }} AS {{ file.count_class }},
{% endfor %}
{% for target in targets %}
    records.{{ target.id }} AS {{ target.id }}{{ "," if not loop.last or persons }}
{% endfor %}
{% for column in persons %}
    records.{{ column }} AS {{ column }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ records }} AS records
JOIN {{ classes }} AS classes ON {% for limb in limbs %}{{ " AND " if not loop.first }}records.{{ limb.name }} = classes.{{ limb.name }}{% endfor %}{{ "" }}
{% if turn.takes() %}
WHERE {{ turn.takes("records.class_key") }}
{% endif %}
