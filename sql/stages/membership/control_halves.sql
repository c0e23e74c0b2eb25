/*---
grain = """\
one row per class of control people, with the number of them in the first half (outside the synthesis: n_out) and in \
the second (the reference: n_behind)"""
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
