/*---
grain = """\
one row per record of the original with a number, or an id: its class key and target levels; two rows where \
several have it"""
reads = "records"
---*/
SELECT record, {{ class_key }}{% for target in targets %}, {{ target.id }}{% endfor %}

FROM {{ records }}
WHERE file = 0 AND {{ "record" if id is none else "record_id" }} = {{ wanted }}
LIMIT 2
