/*---
grain = "one row per target: how often guessing its most frequent level, whoever it is, is right for the people of the original"
reads = "marginals"
source = "Hittmeir, Mayer & Ekelhart 2020"
---*/
{% for target in targets %}
SELECT
    {{ target.number }} AS target, MAX(n_orig) AS people_right, MAX(n_orig_all) AS people_all,
    100 * CAST(MAX(n_orig) AS DOUBLE) / NULLIF(CAST(MAX(n_orig_all) AS DOUBLE), 0) AS percent_right
FROM {{ marginals[target.id] }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
