/*---
grain = """\
one row per row of a wide table, with some of its columns, because queries slow down with each column they read"""
reads = "distinct_rows"
---*/
SELECT {{ names | join(", ") }}
FROM {{ rows }} AS wide
