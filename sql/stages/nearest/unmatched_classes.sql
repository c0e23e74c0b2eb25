/*---
grain = "one row per class of people for which no synthetic record was found so far"
reads = "classes, reached_classes or merged_counts; then unmatched_classes and neighbours of the previous radius"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/counts.sql" import records_of %}
{% if found %}
SELECT {{ class_key_of("unmatched_classes") }}
FROM {{ unmatched_classes }} AS unmatched_classes
{# unchanged by [1 → 2]: the number is only compared with 0 #}
{# unchanged by [= → >=]: no person is searched at a larger radius in this step #}
LEFT JOIN (SELECT DISTINCT {{ class_key }}, 1 AS hit FROM {{ found }} WHERE radius = {{ radius }}) AS found
    ON {{ same_class("unmatched_classes", "found") }}
{# unchanged by [= → <=]: a flag is 0 or 1 #}
WHERE COALESCE(found.hit, 0) = 0
{% else %}
SELECT {{ class_key }}
FROM {{ classes }}
{# unchanged by [= → <=]: no count is below 0 #}
WHERE {{ records_of(people_files) }} > 0 AND {{ records_of(synthetic) }} = 0
{% endif %}
