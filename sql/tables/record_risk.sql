/*---
grain = "one row per record: what someone who knows its keys would find in the synthetic file"
reads = "record_counts"
source = "CAP per record: Elliot 2014, Taub et al. 2018, Baillargeon & Charest; WEAP: Taub & Elliot 2019"
---*/
SELECT
    record,
{% if several %}
    file_number AS synthesis,
{% endif %}
    n_orig_class,
    n_syn_class,
    CASE WHEN {{ "n_orig_class" if side == "orig" else "n_syn_class" }} = 1 THEN TRUE ELSE FALSE END AS "unique",
    CASE WHEN n_orig_class = 1 AND n_syn_class = 1 THEN TRUE ELSE FALSE END AS replicated_unique{{ "," if targets or weights }}
{% if weights %}
    population_risk{{ "," if targets }}
{% endif %}
{% for target in targets %}
{% set id = target.id %}
{% if side == "orig" %}
    CAST(n_orig_{{ id }} AS DOUBLE) / CAST(n_orig_class AS DOUBLE) AS {{ names("cap_original", target) }},
    CAST(n_syn_{{ id }} AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS {{ names("cap_synthetic", target) }},
    share_level_{{ id }} AS {{ names("cap_baseline", target) }},
    CAST(n_syn_{{ id }} AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) / NULLIF(share_level_{{ id }}, 0) AS {{ names("lift", target) }},
    CASE WHEN n_top_{{ id }} = n_syn_class AND n_syn_class > 0 THEN TRUE ELSE FALSE END AS {{ names("disclosive_synthetic", target) }},
    CASE WHEN n_syn_{{ id }} = n_syn_class AND n_syn_class > 0 THEN TRUE ELSE FALSE END AS {{ names("correct", target) }},
    CAST(n_top_{{ id }} AS DOUBLE) / NULLIF(CAST(n_syn_class AS DOUBLE), 0) AS {{ names("top_share", target) }},
    CASE WHEN n_syn_{{ id }} = n_top_{{ id }} AND n_syn_class > 0 THEN 1 / CAST(n_modal_{{ id }} AS DOUBLE) ELSE 0 END AS {{ names("predicted_share", target) }},
{% else %}
    CAST(n_syn_{{ id }} AS DOUBLE) / CAST(n_syn_class AS DOUBLE) AS {{ names("weap", target) }},
{% endif %}
    excluded_{{ id }} AS {{ names("excluded", target) }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ record_counts }}
ORDER BY {{ "file_number, record" if several else "record" }}
