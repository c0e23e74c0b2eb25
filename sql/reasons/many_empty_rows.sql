/*---
name  = "many_empty_rows"
title = "Many records are empty"
state = "doubtful"
reads = "empty_rows"
order = 20
says  = "{amount} % of the records of {source} are empty: missing, an empty text or blanks in each of the {columns} columns that all files have, ids and weights left out. They count as records. If they stand for nobody, remove them from the file."
---*/
SELECT
    comparison, 0 AS target, file_number AS subject, 100 * CAST(empty_records AS DOUBLE) / records AS amount
FROM {{ empty_rows }} AS counted
WHERE empty_records >= {{ least }} AND 100 * empty_records >= {{ empty }} * records
