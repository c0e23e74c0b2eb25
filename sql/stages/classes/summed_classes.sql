/*---
grain = "one row per class, with the number of records of each file, summed from its cells"
reads = "cell_counts"
---*/
{% from "macros/select.sql" import column_list %}
-- With one target the cells are counted first. There are fewer cells than records, and no record has to look up its
-- class.
SELECT
{% call column_list() %}
    {{ class_key }},
{% for file in files %}
    CAST(SUM({{ file.count }}_cell) AS BIGINT) AS {{ file.count }},
{% endfor %}
{% endcall %}
FROM (
    SELECT {{ class_key }}{% for file in files %}, {{ file.count }} AS {{ file.count }}_cell{% endfor %}{{ "" }}
    FROM {{ cell_counts }}
) AS counted
GROUP BY {{ class_key }}
