/*---
grain = "one row per record of the files asked about: the counts of its class, and of its cell of every target"
reads = "members, compared_cells, within_counts, modes, profiles"
---*/
SELECT
    members.file AS file_number,
    members.record AS record_number,
{% if id %}
    members.record_id AS record_id,
{% endif %}
    members.n_orig_class AS n_orig_class,
    {%+ for file in comparison.members %}{{ " + " if not loop.first }}members.{{ file.count_class }}{% endfor %} AS class_syn,
{% if weights %}
    classes.population_risk AS population_risk,
{% endif %}
{% for target in targets %}
    cells_{{ target.id }}.n_orig AS n_orig_{{ target.id }}, cells_{{ target.id }}.n_syn AS n_syn_{{ target.id }},
    {%+ if target.id in baselines %}cells_{{ target.id }}.share_given{% else %}CAST(cells_{{ target.id }}.n_orig_level AS DOUBLE) / NULLIF(CAST(cells_{{ target.id }}.n_orig_all AS DOUBLE), 0){% endif %} AS share_level_{{ target.id }},
    CASE WHEN cells_{{ target.id }}.n_syn_class > 1 THEN modes_{{ target.id }}.n_top ELSE cells_{{ target.id }}.n_syn_class END AS n_top_{{ target.id }},
    COALESCE(modes_{{ target.id }}.n_modal, 1) AS n_modal_{{ target.id }},
{% if target.id in within %}
    COALESCE({% for file in comparison.members %}within_{{ target.id }}.within_{{ file.count }}{{ " + " if not loop.last }}{% endfor %}, cells_{{ target.id }}.n_syn) AS n_within_{{ target.id }},
{% endif %}
{% if near %}
{% if loop.first %}
    near_{{ target.id }}.radius AS radius,
{% endif %}
    near_{{ target.id }}.n_syn AS n_near_{{ target.id }}, near_{{ target.id }}.n_syn_class AS n_near_class_{{ target.id }},
    CASE WHEN near_{{ target.id }}.n_syn_class > 1 THEN near_modes_{{ target.id }}.n_top ELSE near_{{ target.id }}.n_syn_class END AS n_near_top_{{ target.id }},
    COALESCE(near_modes_{{ target.id }}.n_modal, 1) AS n_near_modal_{{ target.id }},
{% endif %}
{% if diversity %}
    profiles_{{ target.id }}.n_levels_orig AS n_levels_{{ target.id }}, profiles_{{ target.id }}.entropy_orig AS entropy_{{ target.id }}, profiles_{{ target.id }}.l_recursive AS l_recursive_{{ target.id }},
{% endif %}
    {{ "cells_" ~ target.id ~ ".excluded_" ~ side if excludes else "CAST(NULL AS VARCHAR)" }} AS excluded_{{ target.id }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ members }} AS members
{% if weights %}
JOIN (
    {{ compared_classes | indent(4) }}
) AS classes ON {% for limb in limbs %}{{ " AND " if not loop.first }}members.{{ limb.name }} = classes.{{ limb.name }}{% endfor %}{{ "" }}
{% endif %}
{% for target in targets %}
JOIN (
    {{ compared[target.id] | indent(4) }}
) AS cells_{{ target.id }} ON {% for limb in limbs %}members.{{ limb.name }} = cells_{{ target.id }}.{{ limb.name }} AND {% endfor %}members.{{ target.id }} = cells_{{ target.id }}.level_code
LEFT JOIN (
    {{ modes[target.id] | indent(4) }}
) AS modes_{{ target.id }} ON {% for limb in limbs %}{{ " AND " if not loop.first }}members.{{ limb.name }} = modes_{{ target.id }}.{{ limb.name }}{% endfor %}{{ "" }}
{% if target.id in within %}
LEFT JOIN {{ within[target.id] }} AS within_{{ target.id }} ON {% for limb in limbs %}members.{{ limb.name }} = within_{{ target.id }}.{{ limb.name }} AND {% endfor %}members.{{ target.id }} = within_{{ target.id }}.level_code
{% endif %}
{% if near %}
JOIN (
    {{ near[target.id] | indent(4) }}
) AS near_{{ target.id }} ON {% for limb in limbs %}members.{{ limb.name }} = near_{{ target.id }}.{{ limb.name }} AND {% endfor %}members.{{ target.id }} = near_{{ target.id }}.level_code
LEFT JOIN (
    {{ near_modes[target.id] | indent(4) }}
) AS near_modes_{{ target.id }} ON {% for limb in limbs %}{{ " AND " if not loop.first }}members.{{ limb.name }} = near_modes_{{ target.id }}.{{ limb.name }}{% endfor %}{{ "" }}
{% endif %}
{% if diversity %}
JOIN (
    {{ profiles[target.id] | indent(4) }}
) AS profiles_{{ target.id }} ON {% for limb in limbs %}{{ " AND " if not loop.first }}members.{{ limb.name }} = profiles_{{ target.id }}.{{ limb.name }}{% endfor %}{{ "" }}
{% endif %}
{% endfor %}
WHERE members.file IN ({% for file in files %}{{ file.number }}{{ ", " if not loop.last }}{% endfor %})
