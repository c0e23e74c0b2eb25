/*---
name  = "near_copy"
state = "not assessable"
order = 4
says  = "{file} is nearly a copy of the original: {change}, it holds the record of {amount} % of the people who are then alone with theirs{looked_at}."
---*/
-- The change that shows most, where the rows as they are do not show it.
SELECT changed.comparison, 0 AS target, MIN(changed.change) AS subject, MAX(best.share) AS amount
FROM {{ copies }} AS changed
JOIN (
    SELECT changed.comparison, MAX(100.0 * changed.uniques_released / changed.uniques) AS share
    FROM {{ copies }} AS changed
    JOIN {{ copies }} AS whole ON changed.comparison = whole.comparison AND whole.of_control = 0
    WHERE changed.of_control = 0 AND changed.change > 0 AND changed.uniques >= {{ least }} AND 100 * changed.uniques >= {{ rare }} * changed.people AND whole.change = 0
        AND whole.rows_beyond > 0 AND 100 * whole.uniques_released < {{ copied }} * whole.uniques
        AND 100 * changed.uniques_released >= {{ copied }} * changed.uniques
    GROUP BY changed.comparison
) AS best ON changed.comparison = best.comparison AND 100.0 * changed.uniques_released / changed.uniques = best.share
WHERE changed.of_control = 0 AND changed.change > 0 AND changed.uniques >= {{ least }} AND 100 * changed.uniques >= {{ rare }} * changed.people
GROUP BY changed.comparison
