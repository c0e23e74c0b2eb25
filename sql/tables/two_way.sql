/*---
grain = "one row per comparison and flagged pair of a target level and a key level"
reads = "suspects, levels, marginals, records"
source = "Raab 2024; synthpop check_2way. The share is of all original records with that key level, no exclusions"
---*/
{% for part in parts %}
SELECT
    pairs.comparison AS comparison, {{ part.column.number }} AS key_number, pairs.level_code AS level_code, pairs.key_code AS key_code,
    pairs.npairs AS npairs, shares.n_both AS key_target_total, pairs.n_key AS key_total,
    100 * CAST(shares.n_both AS DOUBLE) / CAST(pairs.n_key AS DOUBLE) AS percent
FROM (
    SELECT suspects.comparison AS comparison, suspects.level_code AS level_code, key_levels.code AS key_code, suspects.digit AS digit, suspects.npairs AS npairs, key_levels.n_key AS n_key
    FROM (
        SELECT comparison, level_code, digit, SUM(counted_orig) AS npairs
        FROM (SELECT comparison, level_code, counted_orig, {{ part.digit }} AS digit FROM {{ suspects }} WHERE target = {{ target.number }}) AS digits
        GROUP BY comparison, level_code, digit
    ) AS suspects
    JOIN (
        SELECT code, {{ part.packed("code") }} AS digit, SUM(n_orig) AS n_key FROM {{ levels[part.column.id] }} GROUP BY code
    ) AS key_levels ON suspects.digit = key_levels.digit
    JOIN {{ marginals }} AS marginals ON suspects.level_code = marginals.level_code
    -- A level cannot have a larger share of the key level than all its records together: most pairs end here.
    WHERE 100 * marginals.n_orig > {{ two_way[1] }} * key_levels.n_key
) AS pairs
JOIN (
    SELECT wanted.level_code AS level_code, wanted.digit AS digit, COUNT(*) AS n_both
    FROM (SELECT {{ target.id }} AS level_code, {{ part.digit }} AS digit FROM {{ records }} WHERE file = 0) AS people
    JOIN (
        SELECT DISTINCT level_code, {{ part.digit }} AS digit FROM {{ suspects }} WHERE target = {{ target.number }}
    ) AS wanted ON people.level_code = wanted.level_code AND people.digit = wanted.digit
    GROUP BY wanted.level_code, wanted.digit
) AS shares ON pairs.level_code = shares.level_code AND pairs.digit = shares.digit
WHERE 100 * shares.n_both > {{ two_way[1] }} * pairs.n_key
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
