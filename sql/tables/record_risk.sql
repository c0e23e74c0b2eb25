/*---
grain = "one row per record, with what someone who knows its keys would find in the synthetic file"
reads = "record_counts"
source = "CAP per record: Elliot 2014, Taub et al. 2018, Baillargeon & Charest; WEAP: Taub & Elliot 2019"
---*/
{% from "macros/select.sql" import column_list %}
{% import "macros/record_risk.sql" as risk with context %}
SELECT
{% call column_list() %}
{% for name, value in identifiers.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
    n_orig_class, class_syn AS n_syn_class,
    {# unchanged by [= → <=]: a class has a record #}
    CASE WHEN {{ own_class }} = 1 THEN TRUE ELSE FALSE END AS "unique",
    CASE WHEN n_orig_class = 1 AND class_syn = 1 THEN TRUE ELSE FALSE END AS replicated_unique,
{% for name, value in known.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
{% for target in targets %}
{% for found in shown[target.id] %}
    {{ risk[found](target) }}
{% endfor %}
    excluded_{{ target.id }} AS {{ names("excluded", target) }},
{% endfor %}
{% endcall %}
FROM {{ record_counts }}
{% for name, query in joined.items() %}
JOIN (
    {{ query | indent(4) }}
) AS {{ name }} ON record_number = {{ name }}.own_record
{% if name == "stored" %}
    AND file_number = stored.own_file
{% endif %}
{% endfor %}
{% if order %}
ORDER BY {{ order | join(", ") }}
{% endif %}
