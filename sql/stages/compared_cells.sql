/*---
grain = """\
one row per cell of one target, for one comparison: the people of one file against a choice of syntheses; with \
crowds, one for each population"""
reads = "cells or near_cells, marginals, crowds"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, same_cell, any_missing with context %}
{% from "macros/counts.sql" import records_of %}
-- Two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level, the file;
-- they decide who is disclosive and every proportion. Who is counted: people, and counted_* after exclusions;
-- numerators sum these.
{% set own = comparison.people %}
-- n_base is the original's count: n_orig itself, but where the people are control, whose CAPd and baseline are the
-- original's.
{% set members = comparison.members %}
{% if own.control %}
-- Control is n_own first and n_orig one step later: cells have an n_orig already, and an alias may hide no column.
{% endif %}
{% set named = "n_own" if own.control else "n_orig" %}
{% if nearest %}
-- n_syn and n_syn_class are those of the nearest synthetic records, at this radius.
{% endif %}
{% set n_syn %}{% if nearest %}cells.n_near{% else %}{{ records_of(members, "cells") }}{% endif %}{% endset %}
{% set n_syn_class %}{% if nearest %}cells.n_near_class{% else %}{{ records_of(members, "cells", "_class") }}{% endif %}{% endset %}
{% set seen %}
cells.{{ own.count }} AS {{ named }}, {{ n_syn }} AS n_syn,
cells.{{ own.count_class }} AS {{ named }}_class, {{ n_syn_class }} AS n_syn_class,
marginals.n_orig AS n_orig_level, {{ records_of(members, "marginals") }} AS n_syn_level,
marginals.n_orig_all AS n_orig_all, {{ records_of(members, "marginals", "_all") }} AS n_syn_all,
cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
{% if baseline %}
marginals.share AS share_given,
{% endif %}
{% if nearest %}
cells.radius AS radius,
{% endif %}
{% if crowd %}
crowd_classes.population AS population,
{% endif %}
{% endset %}
{% set names = "n_orig, n_syn, n_orig_class, n_syn_class, n_orig_level, n_syn_level, n_orig_all, n_syn_all, n_base, n_base_class"
    ~ (", share_given" if baseline else "") ~ (", radius" if nearest else "") ~ (", population" if crowd else "") %}
{% set renamed = names | replace("n_orig, n_syn, n_orig_class,", "n_own AS n_orig, n_syn, n_own_class AS n_orig_class,") if own.control else names %}
{% set people = "COALESCE(crowd_cells." ~ crowd.counts ~ ", 0)" if crowd else "cells." ~ own.count %}
{% set people_class = "crowd_classes." ~ crowd.counts if crowd else "cells." ~ own.count_class %}
{% set source %}
FROM {{ cells }} AS cells
JOIN {{ marginals }} AS marginals ON cells.level_code = marginals.level_code
{% if crowd %}
-- All cells of a class that has people of the population, also those without: DiS counts the people of the class there.
JOIN (
    SELECT {{ class_key }}, population, {{ crowd.counts }}
    FROM {{ crowd.classes }}
    WHERE people_file = {{ own.number }}
) AS crowd_classes
    ON {{ same_class("cells", "crowd_classes") }}
LEFT JOIN (
    SELECT {{ class_key }}, level_code, population, {{ crowd.counts }}
    FROM {{ crowd.cells }}
    WHERE people_file = {{ own.number }}
) AS crowd_cells
    ON {{ same_cell("cells", "crowd_cells") }}
    AND crowd_classes.population = crowd_cells.population
{% endif %}
{% endset %}
{% set own_syn = "CASE WHEN radius = 0 THEN n_syn ELSE 0 END" if nearest else "n_syn" %}
{% if excludes %}
SELECT
    {{ class_key }}, level_code,
    {{ names }},
    people,
    counted_orig,
    CAST(SUM(counted_orig) OVER (PARTITION BY {{ class_key }}{{ ", population" if crowd }}) AS {{ crowd.number if crowd else "BIGINT" }}) AS counted_orig_class,
    counted_syn,
    excluded_orig, excluded_syn
FROM (
    SELECT
        {{ class_key }}, level_code,
        {{ names }},
        people,
        CASE WHEN excluded_orig IS NULL THEN people ELSE 0 END AS counted_orig,
        CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
        excluded_orig, excluded_syn
    FROM (
        SELECT
            {{ class_key }}, level_code,
            {{ renamed }},
            people,
            -- The size limit is per side: of original counts for people, of synthetic counts for synthetic records.
{% if nearest %}
            -- It is of the cell's own records: at a radius above 0 it has none.
{% endif %}
            COALESCE(reason{% if max_cell is not none or max_cell_syn is not none %},
                CASE WHEN {% if max_cell is not none %}{{ named }} > {{ max_cell }}{% endif %}{{ " OR " if max_cell is not none and max_cell_syn is not none }}{% if max_cell_syn is not none %}{{ own_syn }} > {{ max_cell_syn }}{% endif %} THEN 'cell over the size limit' END{% else %}, NULL{% endif %}) AS excluded_orig,
            COALESCE(reason{% if max_cell is not none %},
                CASE WHEN {{ own_syn }} > {{ max_cell }} THEN 'cell over the size limit' END{% else %},
                    NULL{% endif %}) AS excluded_syn
        FROM (
            SELECT
                {{ class_key_of("cells") }}, cells.level_code AS level_code,
                {{ seen | trim | indent(16) }}
                {{ people }} AS people,
                -- The first reason that fits is the one reported.
                CASE
                    WHEN marginals.excluded_level = 1 THEN 'target level'
{% if missing_target %}
                    WHEN cells.level_code = 0 THEN 'missing target'
{% endif %}
{% if missing_keys %}
                    WHEN {{ any_missing(missing_keys, "cells") }} THEN 'missing key'
{% endif %}
{% for pair in pairs %}
                    WHEN pair_{{ loop.index }}.hit = 1 THEN 'key-and-target pair'
{% endfor %}
                END AS reason
            {{ source | trim | indent(12) }}
{% for pair in pairs %}
            LEFT JOIN (
                -- One row: the code of the target level by that of the key level. Several values of a bin have one
                -- code.
                SELECT target_level.code AS level_code, {{ pair.part.packed("key_level.code") }} AS digit, 1 AS hit
                FROM (
                    SELECT DISTINCT target.code AS code
                    FROM {{ pair.target_levels }} AS target
                    WHERE {{ pair.target_match }}
                ) AS target_level
                CROSS JOIN (
                    SELECT DISTINCT key_levels.code AS code
                    FROM {{ pair.key_levels }} AS key_levels
                    WHERE {{ pair.key_match }}
                ) AS key_level
            ) AS pair_{{ loop.index }} ON cells.level_code = pair_{{ loop.index }}.level_code AND {{ pair.part.digit_of("cells") }} = pair_{{ loop.index }}.digit
{% endfor %}
        ) AS seen
    ) AS reasons
) AS counted
{% else %}
{% set plain %}
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
    {{ seen | trim | indent(4) }}
    {{ people }} AS people,
    {{ people }} AS counted_orig,
    {{ people_class }} AS counted_orig_class,
    {{ n_syn }} AS counted_syn
{{ source | trim }}
{% endset %}
{% if own.control %}
SELECT
    {{ class_key }}, level_code,
    {{ renamed }},
    people, counted_orig, counted_orig_class, counted_syn
FROM (
    {{ plain | trim | indent(4) }}
) AS seen
{% else %}
{{ plain | trim }}
{% endif %}
{% endif %}
