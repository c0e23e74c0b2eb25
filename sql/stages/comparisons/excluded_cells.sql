/*---
grain = """\
one row per row of seen_cells, with the reasons why its people and its synthetic records are not counted (NULL: \
counted)"""
reads = "seen_cells or population_cells, excluded_pair"
---*/
{% from "macros/class_key.sql" import class_key_of, any_missing with context %}
{% from "macros/counts.sql" import over_limit %}
{% from "macros/select.sql" import named_of %}
-- The first reason that applies is reported. The size limit applies to each side separately: to original counts for
-- people, to synthetic counts for synthetic records. Synthetic records count only if they have exactly the keys of
-- the cell, so none count at a radius above 0.
SELECT
    {{ class_key }}, level_code,
    {{ columns | join(", ") }},
    COALESCE(reason, {{ over_limit(["n_own", max_cell], [n_same, max_cell_syn]) }}) AS excluded_orig,
    COALESCE(reason, {{ over_limit([n_same, max_cell]) }}) AS excluded_syn
FROM (
    SELECT
        {{ class_key_of("seen") }}, seen.level_code AS level_code,
        {{ named_of(columns, "seen") }},
        CASE
            {# unchanged by [= → >=]: a flag is 0 or 1 #}
            WHEN seen.excluded_level = 1 THEN 'target level'
{% if missing_target %}
            {# unchanged by [= → <=]: no code is below 0 #}
            WHEN seen.level_code = 0 THEN 'missing target'
{% endif %}
{% if missing_keys %}
            WHEN {{ any_missing(missing_keys, "seen") }} THEN 'missing key'
{% endif %}
{% for pair in pairs %}
            {# unchanged by [= → <=], [= → >=]: the value of a match is 1 or NULL #}
            WHEN pair_{{ loop.index }}.hit = 1 THEN 'key-and-target pair'
{% endfor %}
        END AS reason
    FROM (
        {{ seen_cells | indent(8) }}
    ) AS seen
{% for pair in pairs %}
    LEFT JOIN (
        {{ pair.query | indent(8) }}
    ) AS pair_{{ loop.index }}
        ON seen.level_code = pair_{{ loop.index }}.level_code
        AND {{ pair.part.digit_of("seen") }} = pair_{{ loop.index }}.digit
{% endfor %}
) AS reasons
