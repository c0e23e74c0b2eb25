/*---
grain = """\
one row with the probability that a record equals some person's row, if each of its columns is drawn independently \
from the original's shares"""
reads = "log_shares"
---*/
{% from "macros/numbers.sql" import power %}
SELECT COALESCE(SUM({{ power("log_chance") }}), 0) AS independent
FROM (
    SELECT SUM(log_share) AS log_chance
    FROM {{ log_shares }} AS shares
    GROUP BY row_number
) AS chances
