/*---
grain = "one row: the records of every file"
reads = "levels of the first key"
---*/
SELECT
{% for file in files %}
    CAST(SUM(records_{{ file.number }}) AS BIGINT) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM (SELECT {% for file in files %}{{ ", " if not loop.first }}{{ file.count }} AS records_{{ file.number }}{% endfor %} FROM {{ levels }}) AS levels
