/*---
grain = "one row per record of one file that is alone in a risky class, with its number"
reads = "records, compared_classes"
source = "synthpop, sdc: replicated uniques, or with rm.uniques.in.orig all synthetic uniques that are in the original"
---*/
{% from "macros/class_key.sql" import same_class with context %}
SELECT records.record AS record, 1 AS hit
FROM {{ records }} AS records
JOIN (
    {{ compared | indent(4) }}
) AS classes ON {{ same_class("records", "classes") }}
WHERE records.file = {{ file.number }} AND {% if in_original %}n_syn = 1 AND n_orig > 0{% else %}{{ risky }}{% endif +%}
