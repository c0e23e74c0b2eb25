/*---
name  = "exchanged"
title = "Nearer to the control people than to the original"
state = "doubtful"
reads = "copies"
order = 5
says  = "{file} is nearer to the control people than to the original: it holds the whole record of {amount} % of the control people, and of fewer people of the original. Were the two files exchanged?"
---*/
-- Shares of all people, which do not depend on how many there are, as the share of people alone with their row does; they lie
-- more than three standard errors apart.
SELECT
    own.comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject,
    100.0 * control.people_released / control.people AS amount
FROM {{ copies }} AS own
JOIN {{ copies }} AS control ON own.comparison = control.comparison
WHERE own.of_control = 0 AND control.of_control = 1 AND own.change = 0 AND control.change = 0
    AND own.people >= {{ least }} AND control.people >= {{ least }}
    AND CAST(control.people_released AS DOUBLE) / control.people - CAST(own.people_released AS DOUBLE) / own.people
    > 3 * SQRT(
        CAST(control.people_released + own.people_released AS DOUBLE) / (control.people + own.people)
        * (1.0 / control.people + 1.0 / own.people)
    )
