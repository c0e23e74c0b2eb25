/*---
grain = """\
one row per cell of one target in a class with people, for one comparison, with the intruder's prior weights of its \
level and of the levels that the class lacks"""
reads = "cells, marginals"
---*/
{% from "macros/counts.sql" import counts_of, records_of %}
-- Prior probabilities are proportional to weights. weight is that of a level to people who have another one. own_weight
-- is that of a person's own level: the person is not counted. weight_all is the sum over all levels that the target has
-- in these files. Over the levels that the class lacks, absent_weight is the sum, absent_greatest the maximum, and
-- n_absent_greatest the number of levels with the maximum.
{% set found = "n_orig + " ~ records_of(members) ~ " > 0" %}
{% set others = prior == "others" %}
{% set absent = alpha if others else "1" %}
SELECT
    {{ class_key }}, level_code, n_orig, {{ counts_of(members) }},
    {{ alpha ~ " + n_orig" if others else "1" }} AS weight,
    {{ alpha ~ " + CASE WHEN n_orig > 0 THEN n_orig - 1 ELSE 0 END" if others else "1" }} AS own_weight,
    {{ alpha ~ " * n_levels_all + n_orig_class - 1" if others else "n_levels_all" }} AS weight_all,
    (n_levels_all - n_levels_here) * {{ absent }} AS absent_weight,
    CASE WHEN n_levels_all > n_levels_here THEN {{ absent }} END AS absent_greatest,
    n_levels_all - n_levels_here AS n_absent_greatest
FROM (
    SELECT
        {{ class_key }}, level_code, n_orig, n_orig_class, {{ counts_of(members) }},
        COUNT(*) OVER (PARTITION BY {{ class_key }}) AS n_levels_here
    FROM {{ cells }}
    WHERE n_orig_class > 0 AND {{ found }}
) AS levels_of_class
CROSS JOIN (SELECT COUNT(*) AS n_levels_all FROM {{ marginals }} WHERE {{ found }}) AS target_levels
