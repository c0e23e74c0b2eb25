/*---
name  = "copied_records"
state = "not assessable"
reads = "copies"
order = 3
says  = "{file} is no synthetic file: it holds the whole record of {amount} % of the people who are alone with theirs, over all {columns} columns{looked_at}."
---*/
SELECT comparison, 0 AS target, NULL AS subject, 100.0 * uniques_released / uniques AS amount
FROM {{ copies }} AS copies
WHERE of_control = 0 AND change = 0 AND rows_beyond > 0 AND uniques >= {{ least }} AND 100 * uniques >= {{ rare }} * people AND 100 * uniques_released >= {{ copied }} * uniques
