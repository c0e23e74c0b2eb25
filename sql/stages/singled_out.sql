/*---
grain = "one row per record of one file whose class is risky: its number; the class holds no other record of that file"
reads = "records, compared_classes"
---*/
SELECT records.record AS record, 1 AS hit
FROM {{ records }} AS records
JOIN (
    {{ compared | indent(4) }}
) AS classes ON {% for limb in limbs %}{{ " AND " if not loop.first }}records.{{ limb.name }} = classes.{{ limb.name }}{% endfor %}{{ "" }}
WHERE records.file = {{ file.number }} AND {{ risky }}
