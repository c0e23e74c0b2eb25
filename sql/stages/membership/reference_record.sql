/*---
grain = """\
one row with the number of the last control record that stands for people outside the synthesis; records after it are \
the reference"""
reads = "records"
---*/
-- The people in the first half of control, rounded down, stand for people outside the synthesis. The others are the
-- reference, so nobody is in both. The halves follow the order of the file, so a sorted file must be shuffled first.
SELECT MAX(CASE WHEN 2 * place <= n_all THEN record END) AS last_out
FROM (
    SELECT record, ROW_NUMBER() OVER (ORDER BY record) AS place, COUNT(*) OVER () AS n_all
    FROM {{ records }}
    {# unchanged by [= → >=]: control is the file with the highest number #}
    WHERE file = {{ control.number }}
) AS places
