/*---
grain = "one row per record, with the number of records of each file in its class"
reads = "records, classes"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/select.sql" import column_list %}
-- Made once per pass, so that the class of a record is not looked up again for each target.
SELECT
{% call column_list() %}
    records.file AS file,
{% for name in identifiers %}
    records.{{ name }} AS {{ name }},
{% endfor %}
    {{ class_key_of("records") }},
{% for file in files %}
    classes.{{ file.count }} AS {{ file.count_class }},
{% endfor %}
{% for target in targets %}
    records.{{ target.id }} AS {{ target.id }},
{% endfor %}
{% for column in persons %}
    records.{{ column }} AS {{ column }},
{% endfor %}
{% endcall %}
FROM {{ records }} AS records
JOIN {{ classes }} AS classes ON {{ same_class("records", "classes") }}
{% if key_range.takes("records.class_key", counted) %}
WHERE {{ key_range.takes("records.class_key", counted) }}
{% endif %}
