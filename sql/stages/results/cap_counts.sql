/*---
grain = "one row per target, comparison, population, quantity (a CAP or the lift) and value, with the number of people"
reads = "person_caps"
---*/
{% from "macros/select.sql" import union_all %}
SELECT target, comparison, population, quantity, amount, CAST(SUM(n_people) AS {{ number }}) AS n_amount
FROM (
{% call union_all() %}
{% for quantity in quantities %}
    SELECT
        target, comparison, population, {{ quantity.name | literal }} AS quantity, {{ quantity.amount }} AS amount,
        n_people
    FROM {{ person_caps }}
    WHERE {{ quantity.known }}{% if not everybody %} AND population <> 0{% endif %}{{ "" }}
    UNION ALL
{% endfor %}
{% endcall %}
) AS quantities
GROUP BY target, comparison, population, quantity, amount
