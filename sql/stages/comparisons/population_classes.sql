/*---
grain = "one row per population and class, for one comparison, with what the intruder sees and the people counted"
reads = "seen_classes, population_counts"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/select.sql" import named_of %}
SELECT
    {{ class_key_of("seen") }}, {{ named_of(columns, "seen") }},
    in_class.population AS population, in_class.{{ population_counts.counts }} AS people
FROM (
    {{ seen_classes | indent(4) }}
) AS seen
JOIN (
    SELECT {{ class_key }}, population, {{ population_counts.counts }}
    FROM {{ class_counts }}
    WHERE people_file = {{ own[0].number }}
) AS in_class ON {{ same_class("seen", "in_class") }}
