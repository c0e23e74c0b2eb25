/*---
grain = "one row per record: what someone who knows its keys would find in the synthetic file"
reads = "record_counts"
source = "CAP per record: Elliot 2014, Taub et al. 2018, Baillargeon & Charest; WEAP: Taub & Elliot 2019"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
    {{ "record_id" if id else "record_number" }} AS record,
{% if several %}
    file_number AS synthesis,
{% endif %}
    n_orig_class,
    class_syn AS n_syn_class,
    CASE WHEN {{ "n_orig_class" if side == "orig" else "class_syn" }} = 1 THEN TRUE ELSE FALSE END AS "unique",
    CASE WHEN n_orig_class = 1 AND class_syn = 1 THEN TRUE ELSE FALSE END AS replicated_unique,
{% if gcap %}
    radius,
{% endif %}
{% if weights %}
    population_risk,
{% endif %}
{% if suda %}
    scores.suda_score AS suda_score,
    scores.dis_suda AS dis_suda{% for name in contributions %}, scores.{{ name }} AS {{ name }}{% endfor %},
{% endif %}
{% for target in targets %}
{% set t = target.id %}
{% if side == "orig" %}
    {{ share("n_orig_" ~ t, "n_orig_class") }} AS {{ names("cap_original", target) }},
    {{ share("n_syn_" ~ t, "class_syn") }} AS {{ names("cap_synthetic", target) }},
    share_level_{{ t }} AS {{ names("cap_baseline", target) }},
    {{ share((share("n_syn_" ~ t, "class_syn")), "share_level_" ~ t) }} AS {{ names("lift", target) }},
    CASE WHEN n_top_{{ t }} = class_syn AND class_syn > 0 THEN TRUE
        ELSE FALSE END AS {{ names("disclosive_synthetic", target) }},
    CASE WHEN n_syn_{{ t }} = class_syn AND class_syn > 0 THEN TRUE ELSE FALSE END AS {{ names("correct", target) }},
    {{ share("n_top_" ~ t, "class_syn") }} AS {{ names("top_share", target) }},
    CASE WHEN n_syn_{{ t }} = n_top_{{ t }} AND class_syn > 0 THEN {{ share("1", "n_modal_" ~ t) }}
        ELSE 0 END AS {{ names("predicted_share", target) }},
{% if t in within %}
    {{ share("n_within_" ~ t, "class_syn") }} AS {{ names("cap_within", target) }},
{% endif %}
{% if gcap %}
    {{ share("n_near_" ~ t, "n_near_class_" ~ t) }} AS {{ names("gcap", target) }},
    CASE WHEN n_near_{{ t }} = n_near_top_{{ t }} THEN {{ share("1", "n_near_modal_" ~ t) }}
        ELSE 0 END AS {{ names("gcap_vote", target) }},
{% endif %}
{% if diversity %}
    n_levels_{{ t }} AS {{ names("l_distinct", target) }},
    EXP(entropy_{{ t }}) AS {{ names("l_entropy", target) }},
    l_recursive_{{ t }} AS {{ names("l_recursive", target) }},
{% endif %}
{% else %}
    {{ share("n_syn_" ~ t, "class_syn") }} AS {{ names("weap", target) }},
{% endif %}
    excluded_{{ t }} AS {{ names("excluded", target) }},
{% endfor %}
{% endcall %}
FROM {{ record_counts }}
{% if suda %}
JOIN (
    SELECT
        scored.record AS scored_record, scored.suda_score AS suda_score,
        scored.dis_suda AS dis_suda{% for name in contributions %}, scored.{{ name }} AS {{ name }}{% endfor %}{{ "" }}
    FROM (
        {{ suda | indent(8) }}
    ) AS scored
) AS scores ON record_number = scores.scored_record
{% endif %}
{% if ordered %}
ORDER BY {{ "file_number, " if several }}record_number
{% endif %}
