/*---
grain = """\
one row per comparison, pass, number of synthetic records and number of reference people with a person's keys, with \
the number of people who have both numbers"""
reads = "compared_classes, control_halves"
---*/
{% from "macros/class_key.sql" import same_class with context %}
{% from "macros/together.sql" import place, by_place with context %}
-- The people of control are only those of its first half, because the others are the reference.
{% set counted = "COALESCE(halves.n_out, 0)" if of_control else "classes.counted_orig" %}
SELECT
    {{ place() }},
    n_syn, n_reference, CAST(SUM(n_counted) AS BIGINT) AS n_people
FROM (
    SELECT
{% for name in by %}
        classes.{{ name }} AS {{ name }},
{% endfor %}
        classes.n_syn AS n_syn, COALESCE(halves.n_behind, 0) AS n_reference, {{ counted }} AS n_counted
    FROM (
        {{ compared | indent(8) }}
    ) AS classes
    LEFT JOIN {{ control_halves }} AS halves ON {{ same_class("classes", "halves") }}
    WHERE classes.counted_orig > 0
) AS beside
WHERE n_counted > 0
GROUP BY n_syn, n_reference{{ by_place(", ") }}
