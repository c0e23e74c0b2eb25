/*---
grain = "one row: the records of every file"
reads = "levels of the first key"
---*/
SELECT
{% for file in files %}
    CAST(SUM({{ file.count }}) AS BIGINT) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ levels }}
