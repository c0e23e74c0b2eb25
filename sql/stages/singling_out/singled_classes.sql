/*---
grain = """\
one row per class, with the records of each file, and the smallest number of keys in a predicate that singles out its \
person"""
reads = "classes, predicates"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/select.sql" import column_list, named_of %}
-- A person whom a predicate singles out is the only one of their class. If no predicate singles out a person, n_keys is
-- NULL.
SELECT
{% call column_list() %}
    {{ class_key_of("own") }}, {{ named_of(files | map(attribute="count") | list, "own") }},
{% for file in people_files %}
    singled_{{ file.number }}.fewest AS n_keys_{{ file.count }},
{% endfor %}
{% endcall %}
FROM {{ classes }} AS own
{% for file in people_files %}
LEFT JOIN (
    SELECT
{% for key_column in key_columns %}
        {{ file.count }}_{{ key_column.name }} AS {{ key_column.name }},
{% endfor %}
        MIN(n_keys) AS fewest
    FROM {{ predicates }}
    {# unchanged by [= → <=]: every person belongs to a class #}
    WHERE {{ file.count }} = 1
    GROUP BY
{% call column_list() %}
{% for key_column in key_columns %}
        {{ file.count }}_{{ key_column.name }},
{% endfor %}
{% endcall %}
) AS singled_{{ file.number }} ON {{ same_class("own", "singled_" ~ file.number) }}
{% endfor %}
