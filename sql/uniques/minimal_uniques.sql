/*---
grain = "one row per class of one record and minimal set of keys that singles it out, for one set of keys"
reads = "classes, minimal_uniques"
source = "minimal sample uniques: Elliot, Manning & Ford 2002; Manning, Haglin & Keane 2008"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/select.sql" import column_list, each_of %}
-- The set of keys: {{ chosen | map(attribute="column") | map(attribute="id") | join(", ") or "none, which singles out
-- the record of a file of one" }}. A group of one record has one class, and MIN returns the class key of that class.
-- So the record needs no lookup. A missing value equals nothing here, so it singles nobody out.
SELECT
    {{ class_key_of("found") }},
{% for part in parts %}
    {{ 1 if part in chosen else 0 }} AS has_{{ part.column.id }},
{% endfor %}
    {{ chosen | length }} AS n_keys
FROM (
    SELECT
        {{ each_of(key_columns, "MIN(named_{1}) AS {0.name}") }}
        {# unchanged by [MIN → MAX]: the query keeps only groups of one class #}
        COUNT(*) AS n_classes, MIN(n_people) AS n_records
    FROM (
        SELECT
            {{ each_of(key_columns, "{0.name} AS named_{1}") }}
            {{ each_of(groups, "{0} AS group_{1}") }} {{ count }} AS n_people
        FROM {{ classes }} AS classes
        WHERE {{ count }} > 0
{% for part in missing %}
            AND {{ part.digit }} <> 0
{% endfor %}
    ) AS projected
{% if chosen %}
    GROUP BY
{% call column_list() %}
        {{ each_of(groups, "group_{1}") }}
{% endcall %}
{% endif %}
) AS found
{% if chosen %}
-- A set is minimal if no smaller set within it singles the record out.
LEFT JOIN (
    {# unchanged by [1 → 2]: the number is only compared with 0 #}
    SELECT {{ class_key }}, 1 AS hit
    FROM {{ minimal_uniques }} AS minimal_uniques
    {# unchanged by [< → <=]: only this set has equally many keys and no other key #}
    WHERE n_keys < {{ chosen | length }}
{% for part in parts if part not in chosen %}
        {# unchanged by [= → <=]: a flag is 0 or 1 #}
        AND has_{{ part.column.id }} = 0
{% endfor %}
) AS smaller ON {{ same_class("found", "smaller") }}
{% endif %}
{# unchanged by n_classes [= → <=]: a group has a class #}
{# unchanged by n_records [= → <=]: a class has a record #}
WHERE found.n_classes = 1 AND found.n_records = 1
{% if chosen %}
    {# unchanged by [= → <=]: a flag is 0 or 1 #}
    AND COALESCE(smaller.hit, 0) = 0
{% endif %}
