/*---
grain = "one row per target, comparison, population, quantity and bin that is not empty, with the number of people"
reads = "cap_counts"
---*/
SELECT target, comparison, population, quantity, bin, CAST(SUM(n_amount) AS {{ number }}) AS n_bin
FROM (
    SELECT
        target, comparison, population, quantity, n_amount,
        CASE
{% for quantity in quantities %}
{% for bin in quantity.bins | reverse %}
            WHEN quantity = {{ quantity.name | literal }} AND {{ bin.begins }} THEN {{ bin.number }}
{% endfor %}
{% endfor %}
        END AS bin
    FROM {{ cap_counts }}
) AS binned
GROUP BY target, comparison, population, quantity, bin
