/*---
grain = "one row per population and row of found_candidates, with the people of that population"
reads = "found_candidates, counts of candidates"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
SELECT
    {{ class_key_of("ranked") }}, ranked.n_candidates AS n_candidates, ranked.found AS found,
    population_counts.population AS population, population_counts.{{ population_counts.counts }} AS population_people
FROM (
    {{ found_candidates | indent(4) }}
) AS ranked
JOIN {{ candidate_counts }} AS population_counts
    ON {{ same_class("ranked", "population_counts") }}
{% for file in comparison.members %}
    AND ranked.{{ file.held }} = population_counts.{{ file.held }}
{% endfor %}
