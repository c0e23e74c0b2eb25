/*---
grain = """\
one row per population and cell of one target, for one comparison, with what the intruder sees and the people counted"""
reads = "seen_cells, population_counts"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, same_cell with context %}
{% from "macros/select.sql" import named_of %}
-- All cells of a class that has people of the population, also cells without these people, because DiS counts the
-- people of the class at each cell.
SELECT
    {{ class_key_of("seen") }}, seen.level_code AS level_code,
    {{ named_of(columns, "seen") }}, seen.excluded_level AS excluded_level, in_class.population AS population,
    COALESCE(in_cell.{{ population_counts.counts }}, 0) AS people,
    in_class.{{ population_counts.counts }} AS people_class
FROM (
    {{ seen_cells | indent(4) }}
) AS seen
JOIN (
    SELECT {{ class_key }}, population, {{ population_counts.counts }}
    FROM {{ class_counts }}
    WHERE people_file = {{ own[0].number }}
) AS in_class ON {{ same_class("seen", "in_class") }}
LEFT JOIN (
    SELECT {{ class_key }}, level_code, population, {{ population_counts.counts }}
    FROM {{ cell_counts }}
    WHERE people_file = {{ own[0].number }}
) AS in_cell ON {{ same_cell("seen", "in_cell") }} AND in_class.population = in_cell.population
