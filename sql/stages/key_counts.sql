/*---
grain = "one row per key, level of the key and level of one target: the records of every file"
reads = "span_counts"
---*/
{% for span in spans %}
{% set last_span = loop.last %}
{% for part in span.parts %}
SELECT
    {{ part.column.number }} AS key_number, digit, level_code,
{% for file in files %}
    CAST(SUM(records_{{ file.number }}) AS BIGINT) AS {{ file.count }}{{ "," if not loop.last }}
{% endfor %}
FROM (
    SELECT {{ part.digit_in("digits") }} AS digit, level_code{% for file in files %}, records_{{ file.number }}{% endfor %}{{ "" }}
    FROM {{ span_counts }}
    WHERE span_number = {{ span.number }}
) AS key_{{ part.column.number }}
GROUP BY digit, level_code
{% if not (loop.last and last_span) %}
UNION ALL
{% endif %}
{% endfor %}
{% endfor %}
