/*---
grain = "one row per set of columns: how many people are alone with their levels of all of them"
reads = "coded_records of the original: a column for the level code of each column"
---*/
{% for chosen in sets %}
SELECT {{ loop.index0 }} AS place, COUNT(CASE WHEN n_people = 1 THEN 1 END) AS n_unique
FROM (
    SELECT {% for column in chosen %}{{ column.id }}, {% endfor %}COUNT(*) AS n_people
    FROM {{ records }}
    GROUP BY {% for column in chosen %}{{ ", " if not loop.first }}{{ column.id }}{% endfor %}{{ "" }}
) AS classes_{{ loop.index }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
