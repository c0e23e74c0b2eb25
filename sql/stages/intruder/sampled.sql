/*---
grain = "one row per record of a sample, with its class key and a level code per target"
reads = "records, samples (the record numbers that were drawn)"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    samples.sample AS sample, records.file AS file, records.record AS record,
    {{ class_key_of("records") }},
{% for target in targets %}
    records.{{ target.id }} AS {{ target.id }},
{% endfor %}
{% endcall %}
FROM {{ records }} AS records
JOIN {{ samples }} AS samples ON records.file = samples.file AND records.record = samples.record
