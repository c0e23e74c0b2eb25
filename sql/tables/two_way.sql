/*---
grain = "one row per comparison, population and flagged pair of a target level and a key level"
reads = "pairs, cells or records"
source = "Raab 2024; synthpop check_2way. The share is of all original records with that key level, no exclusions"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import column_list, union_all %}
WITH
{% call column_list() %}
{% for key_run in key_runs %}
run_{{ key_run.number }} AS (
    SELECT level_code, digits, SUM(n_people) AS n
    FROM (
{% if cells %}
        SELECT level_code, {{ key_run.digits }} AS digits, {{ original.count }} AS n_people
        FROM {{ cells }}
        {# unchanged by [> → >=]: a level without people adds 0 #}
        WHERE {{ original.count }} > 0
{% else %}
        SELECT {{ target.id }} AS level_code, {{ key_run.digits }} AS digits, 1 AS n_people
        FROM {{ records }}
        {# unchanged by [= → <=]: the original is file 0, the lowest number #}
        WHERE file = 0
{% endif %}
    ) AS people_{{ key_run.number }}
    GROUP BY level_code, digits
),
{% endfor %}
{% endcall %}
SELECT
    pairs.comparison AS comparison, pairs.population AS population, pairs.key_number AS key_number,
    pairs.level_code AS level_code, pairs.key_code AS key_code,
    pairs.npairs AS npairs, shares.n_both AS key_target_total, pairs.n_key AS key_total,
    100 * {{ quotient("shares.n_both", "pairs.n_key") }} AS percent
FROM {{ pairs }} AS pairs
JOIN (
    SELECT key_number, level_code, digit, CAST(SUM(n) AS BIGINT) AS n_both
    FROM (
{% call union_all() %}
{% for key_run in key_runs %}
{% for part in key_run.parts %}
        SELECT
            {{ part.column.number }} AS key_number, level_code, {{ part.digit_in("digits") }} AS digit, n
        FROM run_{{ key_run.number }}
        UNION ALL
{% endfor %}
{% endfor %}
{% endcall %}
    ) AS keys
    GROUP BY key_number, level_code, digit
) AS shares
    ON pairs.key_number = shares.key_number AND pairs.level_code = shares.level_code AND pairs.digit = shares.digit
WHERE pairs.target = {{ target.number }} AND 100 * shares.n_both > {{ two_way[1] }} * pairs.n_key
