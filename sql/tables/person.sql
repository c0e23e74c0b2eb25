/*---
grain = """\
one row per record of the original with a given number or id, with its class key and target levels; two rows if \
several have it"""
reads = "records"
---*/
SELECT record, {{ class_key }}{% for target in targets %}, {{ target.id }}{% endfor %}

FROM {{ records }}
{# unchanged by file [= → <=]: the original is the file 0, the first #}
WHERE file = 0 AND {{ "record" if id is none else "record_id" }} = {{ wanted }}
{# unchanged by [2 → 3]: more than one person is refused #}
LIMIT 2
