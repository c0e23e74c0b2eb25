{#- Columns of risk per record for one target, computed from `record_counts`. The intruder knows the record's keys. -#}
{% from "macros/numbers.sql" import share %}

{#- For a person: CAP in the original, the synthetic file and the baseline, and if guessing the most frequent level is
    right. -#}
{% macro caps(target) %}
{% set t = target.id %}
    {{ share("n_orig_" ~ t, "n_orig_class") }} AS {{ names("cap_original", target) }},
    {{ share("n_syn_" ~ t, "class_syn") }} AS {{ names("cap_synthetic", target) }},
    share_level_{{ t }} AS {{ names("cap_baseline", target) }},
    {{ share(share("n_syn_" ~ t, "class_syn"), "share_level_" ~ t) }} AS {{ names("lift", target) }},
    CASE
        {# unchanged by [= → >=]: a cell has no more records than its class #}
        WHEN n_top_{{ t }} = class_syn AND class_syn > 0 THEN TRUE
        ELSE FALSE
    END AS {{ names("disclosive_synthetic", target) }},
    {# unchanged by [= → >=]: a cell has no more records than its class #}
    CASE WHEN n_syn_{{ t }} = class_syn AND class_syn > 0 THEN TRUE ELSE FALSE END AS {{ names("correct", target) }},
    {{ share("n_top_" ~ t, "class_syn") }} AS {{ names("top_share", target) }},
    CASE
        {# unchanged by [= → >=]: no value exceeds the maximum #}
        WHEN n_syn_{{ t }} = n_top_{{ t }} AND class_syn > 0 THEN {{ share("1", "n_modal_" ~ t) }}
        ELSE 0
    END AS {{ names("predicted_share", target) }},
{%- endmacro %}

{#- For a person: CAP from the other people of the class, and if all of them have the level that the file reveals. -#}
{% macro others(target) %}
{% set t = target.id %}
    {{ share("n_orig_" ~ t ~ " - 1", "n_orig_class - 1") }} AS {{ names("cap_others", target) }},
    CASE
        {# unchanged by [= → >=] class_syn: a level has no more records than its class #}
        {# unchanged by [= → >=] n_orig_class: a cell has no more people than its class #}
        WHEN n_syn_{{ t }} = class_syn AND class_syn > 0 AND n_orig_{{ t }} = n_orig_class AND n_orig_class > 1
            THEN TRUE
        ELSE FALSE
    END AS {{ names("known_from_others", target) }},
{%- endmacro %}

{#- For a person: the share of synthetic records of the class within the tolerance of the person's level. -#}
{% macro within(target) %}
    {{ share("COALESCE(n_within_" ~ target.id ~ ", n_syn_" ~ target.id ~ ")", "class_syn") }}
        AS {{ names("cap_within", target) }},
{%- endmacro %}

{#- For a person: CAP among the synthetic records that match within a key's tolerance. -#}
{% macro near(target) %}
    {{ share("n_near_syn_" ~ target.id, "n_syn_near") }} AS {{ names("cap_near", target) }},
{%- endmacro %}

{#- For a person: CAP among the nearest synthetic records, and their majority vote. -#}
{% macro nearest(target) %}
{% set t = target.id %}
    {{ share("n_near_" ~ t, "n_near_class_" ~ t) }} AS {{ names("gcap", target) }},
    CASE
        {# unchanged by [= → >=]: no value exceeds the maximum #}
        WHEN n_near_{{ t }} = n_near_top_{{ t }} THEN {{ share("1", "n_near_modal_" ~ t) }}
        ELSE 0
    END AS {{ names("gcap_vote", target) }},
{%- endmacro %}

{#- For a person: the l-diversity of the target among the original's people in the class. -#}
{% macro diversity(target) %}
{% set t = target.id %}
    n_levels_{{ t }} AS {{ names("l_distinct", target) }},
    EXP(entropy_{{ t }}) AS {{ names("l_entropy", target) }},
    l_recursive_{{ t }} AS {{ names("l_recursive", target) }},
{%- endmacro %}

{#- For a synthetic record: the within equivalence class attribution probability (WEAP). -#}
{% macro weap(target) %}
    {{ share("n_syn_" ~ target.id, "class_syn") }} AS {{ names("weap", target) }},
{%- endmacro %}
