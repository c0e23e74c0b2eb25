/*---
grain = """\
one row per class and record number, if files are aligned, with flags for the person of that number and for the \
record of that number in each synthesis"""
reads = "members"
---*/
{% from "macros/counts.sql" import counts_of, of_files %}
-- Record i of every synthesis was made from person i. All records of a class are the candidates of its people. A class
-- without people has no candidates, since nobody looks for one there.
SELECT
    {{ class_key }}, record, n_orig_class,
{% for file in syntheses %}
    {{ file.count_class }},
{% endfor %}
{% for column in persons %}
    own_{{ column }} AS {{ column }},
{% endfor %}
{% for file in syntheses %}
    {{ file.held }},
{% endfor %}
    person
FROM (
    SELECT
        {{ class_key }}, record, n_orig_class,
{% for file in syntheses %}
        {{ file.count_class }},
{% endfor %}
{% for column in persons %}
        -- For a synthetic record the flag of a person is 0.
        MAX({{ column }}) AS own_{{ column }},
{% endfor %}
{% for file in syntheses %}
        COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.held }},
{% endfor %}
        {# unchanged by [= → <=]: the original is file 0, the lowest number #}
        COUNT(CASE WHEN file = {{ original.number }} THEN 1 END) AS person
    FROM {{ members }}
    WHERE n_orig_class > 0 AND {{ of_files([original] + syntheses | list) }}
    GROUP BY {{ class_key }}, record, n_orig_class, {{ counts_of(syntheses, "_class") }}
) AS records_of_class
