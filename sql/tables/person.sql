/*---
grain = "the records of the original of one number, or one id: their number, class key and target levels; two where several have it"
reads = "records"
---*/
SELECT record, {{ class_key }}{% for target in targets %}, {{ target.id }}{% endfor %}

FROM {{ records }}
WHERE file = 0 AND {{ "record" if id is none else "record_id" }} = {{ wanted }}
LIMIT 2
