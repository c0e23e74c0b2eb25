/*---
grain = """\
one row per cell of one target in a class with people, for one comparison, with the prior weights of its level and of \
the levels that the class lacks, by the user's baseline"""
reads = "cells, marginals"
---*/
{% from "macros/class_key.sql" import class_key_of, by_class_key with context %}
{% from "macros/counts.sql" import counts_of, records_of %}
-- As in beliefs, with shares as weights. Levels are numbered by falling share (place). The class has the first n_before
-- levels of this order without a gap: the levels whose number within the class equals their place. So the level at the
-- next place has the greatest share of those that the class lacks. last_alike is the last place with the same share.
WITH ordered_levels AS (
    SELECT level_code, share, ROW_NUMBER() OVER (ORDER BY share DESC, level_code) AS place
    FROM {{ marginals }}
    WHERE n_orig + {{ records_of(members) }} > 0
), known AS (
    SELECT
        level_code AS known_code, share AS known_share, SUM(share) OVER () AS share_all, place,
        MAX(place) OVER (PARTITION BY share) AS last_alike
    FROM ordered_levels
), numbered AS (
    SELECT
        {{ class_key_of("cells") }}, cells.level_code AS level_code, cells.n_orig AS n_orig,
{% for file in members %}
        cells.{{ file.count }} AS {{ file.count }},
{% endfor %}
        known.known_share AS own_share, known.share_all AS share_all, known.place AS place,
        ROW_NUMBER() OVER (PARTITION BY {{ by_class_key("cells") }} ORDER BY known.place) AS nth
    FROM {{ cells }} AS cells
    JOIN known ON cells.level_code = known.known_code
    WHERE cells.n_orig_class > 0 AND cells.n_orig + {{ records_of(members, "cells") }} > 0
), counted AS (
    SELECT
        {{ class_key }}, level_code, n_orig, {{ counts_of(members) }}, own_share, share_all, place,
        share_all - SUM(own_share) OVER (PARTITION BY {{ class_key }}) AS share_absent,
        {# unchanged by [= → <=]: a level's number is never below its number within the class #}
        COUNT(CASE WHEN place = nth THEN 1 END) OVER (PARTITION BY {{ class_key }}) AS n_before
    FROM numbered
)
SELECT
    {{ class_key_of("counted") }}, counted.level_code AS level_code, counted.n_orig AS n_orig,
{% for file in members %}
    counted.{{ file.count }} AS {{ file.count }},
{% endfor %}
    counted.own_share AS weight, counted.own_share AS own_weight, counted.share_all AS weight_all,
    COALESCE(
        {# unchanged by [> → >=]: if they are equal, either is the maximum #}
        CASE WHEN counted.share_absent > absent.known_share THEN counted.share_absent ELSE absent.known_share END, 0
    ) AS absent_weight,
    absent.known_share AS absent_greatest,
    absent.last_alike - counted.n_before - COUNT(
        CASE WHEN counted.place > counted.n_before AND counted.place <= absent.last_alike THEN 1 END
    ) OVER (PARTITION BY {{ by_class_key("counted") }}) AS n_absent_greatest
FROM counted
LEFT JOIN known AS absent ON counted.n_before + 1 = absent.place
