/*---
name  = "exchanged"
title = "Nearer to the control people than to the original"
state = "doubtful"
reads = "copies"
order = 5
says  = "{file} has the whole record of {amount} % of the control people, but of a smaller share of the people in the original. Check that original and control are not exchanged."
---*/
-- The share of all people is compared, because it does not depend on the number of people, unlike the share of people
-- unique on all columns. The shares must be three standard errors apart.
SELECT
    own.comparison, 0 AS target, CAST(NULL AS INTEGER) AS subject,
    100 * CAST(control.people_released AS DOUBLE) / control.people AS amount
FROM {{ copies }} AS own
JOIN {{ copies }} AS control ON own.comparison = control.comparison
{# unchanged by own.of_control [= → <=], control.of_control [= → >=]: a flag is 0 or 1 #}
{# unchanged by own.of_control [= → >=], control.of_control [= → <=]: a share never exceeds itself #}
{# unchanged by change [= → <=]: changes are numbered from 1, and 0 is no change #}
WHERE own.of_control = 0 AND control.of_control = 1 AND own.change = 0 AND control.change = 0
    AND own.people >= {{ least }} AND control.people >= {{ least }}
    AND CAST(control.people_released AS DOUBLE) / control.people - CAST(own.people_released AS DOUBLE) / own.people
    > 3 * SQRT(
        CAST(control.people_released + own.people_released AS DOUBLE) / (control.people + own.people)
        * (CAST(1 AS DOUBLE) / control.people + CAST(1 AS DOUBLE) / own.people)
    )
