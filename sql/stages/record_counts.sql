/*---
grain = "one row per record of the files asked about: the counts of its class, and of its cell of every target"
reads = "members, compared_cells, within_counts, modes, profiles"
---*/
{% from "macros/class_key.sql" import same_class with context %}
{% from "macros/counts.sql" import records_of, of_files %}
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list, joined_by %}
SELECT
{% call column_list() %}
    members.file AS file_number,
    members.record AS record_number,
{% if id %}
    members.record_id AS record_id,
{% endif %}
    members.n_orig_class AS n_orig_class,
    {{ records_of(comparison.members, "members", "_class") }} AS class_syn,
{% if weights %}
    classes.population_risk AS population_risk,
{% endif %}
{% for target in targets %}
    cells_{{ target.id }}.n_orig AS n_orig_{{ target.id }}, cells_{{ target.id }}.n_syn AS n_syn_{{ target.id }},
    {%+ if target.id in baselines %}cells_{{ target.id }}.share_given{% else %}{{ share("cells_" ~ target.id ~ ".n_orig_level", "cells_" ~ target.id ~ ".n_orig_all") }}{% endif %} AS share_level_{{ target.id }},
    CASE WHEN cells_{{ target.id }}.n_syn_class > 1 THEN modes_{{ target.id }}.n_top
        ELSE cells_{{ target.id }}.n_syn_class END AS n_top_{{ target.id }},
    COALESCE(modes_{{ target.id }}.n_modal, 1) AS n_modal_{{ target.id }},
{% if target.id in within %}
    COALESCE({% call joined_by("+") %}{% for file in comparison.members %}within_{{ target.id }}.within_{{ file.count }}
        + {% endfor %}{% endcall %}, cells_{{ target.id }}.n_syn) AS n_within_{{ target.id }},
{% endif %}
{% if near %}
{% if target == targets[0] %}
    near_{{ target.id }}.radius AS radius,
{% endif %}
    near_{{ target.id }}.n_syn AS n_near_{{ target.id }},
    near_{{ target.id }}.n_syn_class AS n_near_class_{{ target.id }},
    CASE WHEN near_{{ target.id }}.n_syn_class > 1 THEN near_modes_{{ target.id }}.n_top
        ELSE near_{{ target.id }}.n_syn_class END AS n_near_top_{{ target.id }},
    COALESCE(near_modes_{{ target.id }}.n_modal, 1) AS n_near_modal_{{ target.id }},
{% endif %}
{% if diversity %}
    profiles_{{ target.id }}.n_levels_orig AS n_levels_{{ target.id }},
    profiles_{{ target.id }}.entropy_orig AS entropy_{{ target.id }},
    profiles_{{ target.id }}.l_recursive AS l_recursive_{{ target.id }},
{% endif %}
    {{ "cells_" ~ target.id ~ ".excluded_" ~ side if excludes else "CAST(NULL AS VARCHAR)" }} AS excluded_{{ target.id }},
{% endfor %}
{% endcall %}
FROM {{ members }} AS members
{% if weights %}
JOIN (
    {{ compared_classes | indent(4) }}
) AS classes ON {{ same_class("members", "classes") }}
{% endif %}
{% for target in targets %}
JOIN (
    {{ compared[target.id] | indent(4) }}
) AS cells_{{ target.id }} ON {{ same_class("members", "cells_" ~ target.id) }} AND members.{{ target.id }} = cells_{{ target.id }}.level_code
LEFT JOIN (
    {{ modes[target.id] | indent(4) }}
) AS modes_{{ target.id }} ON {{ same_class("members", "modes_" ~ target.id) }}
{% if target.id in within %}
LEFT JOIN {{ within[target.id] }} AS within_{{ target.id }}
    ON {{ same_class("members", "within_" ~ target.id) }}
    AND members.{{ target.id }} = within_{{ target.id }}.level_code
{% endif %}
{% if near %}
JOIN (
    {{ near[target.id] | indent(4) }}
) AS near_{{ target.id }} ON {{ same_class("members", "near_" ~ target.id) }} AND members.{{ target.id }} = near_{{ target.id }}.level_code
LEFT JOIN (
    {{ near_modes[target.id] | indent(4) }}
) AS near_modes_{{ target.id }} ON {{ same_class("members", "near_modes_" ~ target.id) }}
{% endif %}
{% if diversity %}
JOIN (
    {{ profiles[target.id] | indent(4) }}
) AS profiles_{{ target.id }} ON {{ same_class("members", "profiles_" ~ target.id) }}
{% endif %}
{% endfor %}
WHERE members.{{ of_files(files) }}
