/*---
grain = """\
one row per class with people of control, with how many stand for people outside the synthesis and how many for the \
reference"""
reads = "records, reference_record"
---*/
SELECT
    {{ class_key }},
    COUNT(CASE WHEN record <= last_out THEN 1 END) AS n_out,
    COUNT(CASE WHEN record > last_out THEN 1 END) AS n_behind
FROM {{ records }}
CROSS JOIN {{ reference_record }} AS halves
{# unchanged by [= → >=]: control is the file with the highest number #}
WHERE file = {{ control.number }}{{ " AND " ~ key_range.takes() if key_range.takes() }}
GROUP BY {{ class_key }}
