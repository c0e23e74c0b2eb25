/*---
name  = "key_determines_target"
title = "A key determines a target"
state = "doubtful"
reads = "determined"
order = 13
says  = "{column} determines {target}: all people with the same {column} have the same {target}. An intruder who knows the key already knows the target. Leave one of them out."
---*/
{% from "macros/select.sql" import union_all %}
-- A key on which nearly everybody is unique determines every target, so it is not a finding.
{% call union_all() %}
{% for target in targets %}
SELECT 0 AS comparison, {{ target.number }} AS target, key_number - 1 AS subject, CAST(levels AS DOUBLE) AS amount
FROM {{ determined }} AS determined
{# unchanged by [= → <=] 0, [= → >=] 1: a flag is 0 or 1 #}
WHERE several_{{ target.id }} = 0 AND varies_{{ target.id }} = 1 AND people >= 2 * levels
UNION ALL
{% endfor %}
{% endcall %}
