/*---
grain = "one row per population and row of found_candidates: its people in the place of everybody's"
reads = "found_candidates, crowds of candidates"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
SELECT
    {{ class_key_of("ranked") }}, ranked.n_candidates AS n_candidates, ranked.found AS found,
    crowd.population AS population, crowd.{{ crowd.counts }} AS crowd_people
FROM (
    {{ found_candidates | indent(4) }}
) AS ranked
JOIN {{ crowd_candidates }} AS crowd
    ON {{ same_class("ranked", "crowd") }}
{% for file in comparison.members %}
    AND ranked.{{ file.held }} = crowd.{{ file.held }}
{% endfor %}
