/*---
grain = """\
one row per key, level of the key and level of one target that occur together in the training file, with the number \
of records"""
reads = "key_counts"
---*/
{% from "macros/counts.sql" import records_of %}
SELECT key_number, digit, level_code, n_syn
FROM (
    SELECT key_number, digit, level_code, {{ records_of(comparison.members) }} AS n_syn
    FROM {{ key_counts }}
    WHERE key_number IN ({{ parts | map(attribute="column") | map(attribute="number") | join(", ") }})
) AS keys_seen
WHERE n_syn > 0
