/*---
grain = """\
one row per record of the original with a given number or id, with its class key and target levels; two rows if \
several have it"""
reads = "records"
---*/
SELECT record, {{ class_key }}{% for target in targets %}, {{ target.id }}{% endfor %}

FROM {{ records }}
{# unchanged by file [= → <=]: the original is file 0, the lowest number #}
WHERE file = 0 AND {{ "record" if id is none else "record_id" }} = {{ wanted }}
{# unchanged by [2 → 3]: the program refuses any number above 1 #}
LIMIT 2
