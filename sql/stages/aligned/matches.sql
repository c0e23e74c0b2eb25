/*---
grain = """\
one row per number of candidates and `found` (1: the person's own record is one of them), with the number of people, \
for one comparison; with populations, one for each population"""
reads = "found_candidates or population_matches"
---*/
{% from "macros/class_key.sql" import any_missing with context %}
SELECT
    {{ grouped_by | join(", ") }},
    CAST(SUM({{ people }}) AS {{ number }}) AS people,
{% if missing_keys %}
    CAST(SUM(CASE WHEN {{ any_missing(missing_keys) }} THEN 0 ELSE {{ people }} END) AS {{ number }}) AS counted_orig
{% else %}
    CAST(SUM({{ people }}) AS {{ number }}) AS counted_orig
{% endif %}
FROM (
    {{ matches | indent(4) }}
) AS people_of_classes
GROUP BY {{ grouped_by | join(", ") }}
