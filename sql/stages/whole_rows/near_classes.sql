/*---
grain = """\
one row per class of whole rows of one pass, with the records of each file, and the number of columns in which the \
nearest row of each file differs"""
reads = "classes, row_radii"
---*/
{% from "macros/class_key.sql" import class_key_of, of_pass, same_class with context %}
{% from "macros/counts.sql" import counts_of %}
{% from "macros/select.sql" import column_list %}
-- The number is 0 if the file has the row itself. For a file without a near row it is above the greatest radius.
SELECT
{% call column_list() %}
    {{ class_key_of("classes") }}, {{ counts_of(files, table="classes") }},
{% for file in files %}
    CASE WHEN classes.{{ file.count }} > 0 THEN 0 ELSE COALESCE(radii.least_{{ file.number }}, {{ beyond }}) END
        AS radius_{{ file.number }},
{% endfor %}
{% endcall %}
FROM {{ classes }} AS classes
LEFT JOIN (
    SELECT {{ class_key }}{% for file in files %}, least_{{ file.number }}{% endfor %}

    FROM {{ row_radii }}{{ of_pass() }}
) AS radii ON {{ same_class("classes", "radii") }}
