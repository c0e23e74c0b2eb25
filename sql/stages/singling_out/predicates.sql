/*---
grain = """\
one row per predicate (levels of a set of keys that exactly one synthetic record of a comparison has), with the \
number of people who meet it, and the class of the person if there is only one"""
reads = "superset"
source = "Giomi et al. 2023 (Anonymeter), singling out: predicates of what is unique in the synthetic file"
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import column_list, each_of %}
-- The set of keys: {{ chosen | map(attribute="column") | map(attribute="id") | join(", ") }}. The class
-- key is read only if one person meets the predicate. MIN then returns the class key of this person. The level of a
-- predicate may be the missing level.
SELECT
{% call column_list() %}
    {{ chosen | length }} AS n_keys,
{% for file in people_files %}
    {{ file.count }},
{% for key_column in key_columns %}
    {{ file.count }}_{{ key_column.name }},
{% endfor %}
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        CAST(SUM(synthetic) AS BIGINT) AS n_syn,
{% for file in people_files %}
        CAST(SUM(of_{{ file.count }}) AS BIGINT) AS {{ file.count }},
{% for key_column in key_columns %}
        {# unchanged by [MIN → MAX]: one person belongs to only one class #}
        MIN(CASE WHEN of_{{ file.count }} > 0 THEN named_{{ loop.index }} END)
            AS {{ file.count }}_{{ key_column.name }},
{% endfor %}
{% endfor %}
{% endcall %}
    FROM (
        SELECT
            {{ each_of(key_columns, "{0.name} AS named_{1}") }}
            {{ each_of(groups, "{0} AS group_{1}") }}
            {{ each_of(people_files, "{0.count} AS of_{0.count}") }}
            {{ records_of(comparison.members) }} AS synthetic
        FROM {{ every_class }}
    ) AS projected
    GROUP BY
{% call column_list() %}
        {{ each_of(groups, "group_{1}") }}
{% endcall %}
) AS by_level
WHERE n_syn = 1
