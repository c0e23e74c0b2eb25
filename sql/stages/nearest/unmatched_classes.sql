/*---
grain = "one row per class of people for which no synthetic record has been found yet"
reads = "classes, reached_classes or merged_counts; then unmatched_classes and neighbours of the radius before"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/counts.sql" import records_of %}
{% if found %}
SELECT {{ class_key_of("unmatched_classes") }}
FROM {{ unmatched_classes }} AS unmatched_classes
LEFT JOIN (SELECT DISTINCT {{ class_key }}, 1 AS hit FROM {{ found }} WHERE radius = {{ radius }}) AS found
    ON {{ same_class("unmatched_classes", "found") }}
WHERE COALESCE(found.hit, 0) = 0
{% else %}
SELECT {{ class_key }}
FROM {{ classes }}
WHERE {{ records_of(people_files) }} > 0 AND {{ records_of(synthetic) }} = 0
{% endif %}
