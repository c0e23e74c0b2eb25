/*---
grain = """\
one row with the number of the last control record that stands for people outside the synthesis; later ones are the \
reference"""
reads = "records"
---*/
-- The first half of control, rounded down, are the people out of the synthesis; nobody is both out and in the
-- reference. By the order of the file: of a file that is sorted, shuffle it first.
SELECT MAX(CASE WHEN 2 * place <= n_all THEN record END) AS last_out
FROM (
    SELECT record, ROW_NUMBER() OVER (ORDER BY record) AS place, COUNT(*) OVER () AS n_all
    FROM {{ records }}
    {# unchanged by [= → >=]: control is the last file #}
    WHERE file = {{ control.number }}
) AS places
