/*---
grain = "one row per record and level with a vote, of one attacker or of all of them together"
reads = "votes (what each attacker guesses for the sampled people)"
source = "majority vote of several attackers: Hittmeir, Mayer & Ekelhart 2020 (ENS)"
---*/
SELECT record, level_code, SUM(vote) AS score
FROM {{ votes }}
{% if attacker %}
WHERE attacker = {{ attacker }}
{% endif %}
GROUP BY record, level_code
