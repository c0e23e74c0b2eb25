/*---
grain = "one row per record: what someone who knows its keys would find in the synthetic file"
reads = "record_counts"
source = "CAP per record: Elliot 2014, Taub et al. 2018, Baillargeon & Charest; WEAP: Taub & Elliot 2019"
---*/
SELECT
    {{ "record_id" if id else "record_counts.record" if suda else "record" }} AS record,
{% if several %}
    file_number AS synthesis,
{% endif %}
    n_orig_class,
    n_syn_class,
    CASE WHEN {{ "n_orig_class" if side == "orig" else "n_syn_class" }} = 1 THEN TRUE ELSE FALSE END AS "unique",
    CASE WHEN n_orig_class = 1 AND n_syn_class = 1 THEN TRUE ELSE FALSE END AS replicated_unique{{ "," if targets or weights or suda }}
{% if weights %}
    population_risk{{ "," if targets or suda }}
{% endif %}
{% if suda %}
    scores.suda_score AS suda_score, scores.dis_suda AS dis_suda{% for name in contributions %}, scores.{{ name }} AS {{ name }}{% endfor %}{{ "," if targets }}
{% endif %}
{% for target in targets %}
{% set t = target.id %}
{% if side == "orig" %}
    CAST(n_orig_{{ t }} AS DOUBLE) / CAST(n_orig_class AS DOUBLE) AS {{ names("cap_original", target) }},
    CAST(n_syn_{{ t }} AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS {{ names("cap_synthetic", target) }},
    share_level_{{ t }} AS {{ names("cap_baseline", target) }},
    CAST(n_syn_{{ t }} AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) / NULLIF(share_level_{{ t }}, 0) AS {{ names("lift", target) }},
    CASE WHEN n_top_{{ t }} = n_syn_class AND n_syn_class > 0 THEN TRUE ELSE FALSE END AS {{ names("disclosive_synthetic", target) }},
    CASE WHEN n_syn_{{ t }} = n_syn_class AND n_syn_class > 0 THEN TRUE ELSE FALSE END AS {{ names("correct", target) }},
    CAST(n_top_{{ t }} AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS {{ names("top_share", target) }},
    CASE WHEN n_syn_{{ t }} = n_top_{{ t }} AND n_syn_class > 0 THEN 1 / CAST(n_modal_{{ t }} AS DOUBLE) ELSE 0 END AS {{ names("predicted_share", target) }},
{% if diversity %}
    n_levels_{{ t }} AS {{ names("l_distinct", target) }},
    EXP(entropy_{{ t }}) AS {{ names("l_entropy", target) }},
    l_recursive_{{ t }} AS {{ names("l_recursive", target) }},
{% endif %}
{% else %}
    CAST(n_syn_{{ t }} AS DOUBLE) / CAST(n_syn_class AS DOUBLE) AS {{ names("weap", target) }},
{% endif %}
    excluded_{{ t }} AS {{ names("excluded", target) }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ record_counts }}
{% if suda %}
JOIN (
    {{ suda | indent(4) }}
) AS scores ON record_counts.record = scores.record
{% endif %}
{% if ordered %}
ORDER BY {{ "record_counts.file_number, " if several }}record_counts.record
{% endif %}
