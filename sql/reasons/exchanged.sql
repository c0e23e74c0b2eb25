/*---
name  = "exchanged"
title = "Nearer to the control people than to the original"
state = "doubtful"
reads = "copies"
order = 5
says  = "{file} is nearer to the control people than to the original: it holds the whole record of {amount} % of the control people who are alone with theirs, and of fewer people of the original. Were the two files exchanged?"
---*/
-- Both shares are of people who are alone with their row; they lie more than three standard errors apart.
SELECT
    own.comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject,
    100 * CAST(control.uniques_released AS DOUBLE) / control.uniques AS amount
FROM {{ copies }} AS own
JOIN {{ copies }} AS control ON own.comparison = control.comparison
WHERE own.of_control = 0 AND control.of_control = 1 AND own.change = 0 AND control.change = 0
    AND own.uniques >= {{ least }} AND control.uniques >= {{ least }}
    AND CAST(control.uniques_released AS DOUBLE) / control.uniques - CAST(own.uniques_released AS DOUBLE) / own.uniques
    > 3 * SQRT(
        CAST(control.uniques_released + own.uniques_released AS DOUBLE) / (control.uniques + own.uniques)
        * (CAST(1 AS DOUBLE) / control.uniques + CAST(1 AS DOUBLE) / own.uniques)
    )
