/*---
grain = """\
one row with the probability that a record of independent columns, with the original's shares, is a person's row"""
reads = "log_shares"
---*/
{# unchanged by [> → >=], [700 → 701], [700 → 699]: the power is negligible, at most 1e-303 #}
SELECT COALESCE(SUM(CASE WHEN log_chance > -700 THEN EXP(log_chance) ELSE 0 END), 0) AS independent
FROM (
    SELECT row_number, SUM(log_share) AS log_chance
    FROM {{ log_shares }} AS shares
    GROUP BY row_number
) AS chances
