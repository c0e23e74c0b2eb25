/*---
grain = """\
one row per class of people, with the records of each file in the class and within the tolerance of the near key"""
reads = "classes, reached_counts"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ class_key_of("classes") }},
{% for file in files %}
    classes.{{ file.count }} AS {{ file.count }},
    COALESCE(reached.found_{{ file.count }}, classes.{{ file.count }}) AS reached_{{ file.count_class }},
{% endfor %}
{% endcall %}
FROM {{ classes }} AS classes
LEFT JOIN (
    {{ reached_counts | indent(4) }}
) AS reached ON {{ same_class("classes", "reached") }}
{# unchanged by [> → >=]: no query reads classes without people #}
WHERE {{ records_of(people_files, "classes") }} > 0
