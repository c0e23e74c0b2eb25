/*---
name   = "exact_match"
title  = "Exact match with fall-back to the nearest records (FR-NN)"
source = "Hittmeir, Mayer & Ekelhart 2020, algorithm 3.1; the vote of accuracy_GCAP"
order  = 4
says   = "Takes the most frequent {target} among the records with the person's {keys}, or if there are none, among the records that differ in the fewest keys."
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key, same_class with context %}
SELECT
    {{ class_key_of("matches") }}, matches.level_code AS level_code, matches.n_syn AS score
FROM {{ training_cells }} AS matches
JOIN {{ people }} AS people ON {{ same_class("matches", "people") }}
UNION ALL
SELECT
    {{ class_key_of("neighbours") }}, neighbours.level_code AS level_code,
    CAST(SUM(neighbours.n_near) AS BIGINT) AS score
FROM {{ neighbours }} AS neighbours
JOIN {{ people }} AS people ON {{ same_class("neighbours", "people") }}
GROUP BY {{ by_class_key("neighbours") }}, neighbours.level_code
