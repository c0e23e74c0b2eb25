/*---
grain = """\
one row per open class, set of keys that agree and level of the target: the synthetic records that differ in \
exactly as many keys as the radius"""
reads = "unmatched_classes, synthetic_cells"
source = "Hittmeir, Mayer & Ekelhart 2020, GCAP: the records at the smallest Hamming distance"
---*/
{% from "macros/class_key.sql" import class_key_of, key_without, kept_key, same_kept_key with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import union_all %}
-- A record at the distance r of a class that has none nearer agrees with it on exactly one set of K - r keys, so
-- nothing is counted twice when the sets are added up. To leave a key out its digit is taken off the class key.
{% set n_syn %}{{ records_of(comparison.members) }}{% endset %}
{% call union_all() %}
{% for dropped in subsets %}
{% set kept = key_without(dropped) %}
SELECT
    {{ class_key_of("unmatched_classes") }}, near_records.level_code AS level_code,
    {{ radius }} AS radius, near_records.n_near AS n_near
FROM (SELECT {{ class_key }}, {{ kept }} FROM {{ unmatched_classes }}) AS unmatched_classes
JOIN (
    SELECT
        {{ kept_key("synthetic", named=true) }}, synthetic.level_code AS level_code,
        CAST(SUM(synthetic.n_syn) AS BIGINT) AS n_near
    FROM (
        SELECT {{ kept }}, level_code, {{ n_syn }} AS n_syn
        FROM {{ synthetic_cells }}
        WHERE {{ n_syn }} > 0
    ) AS synthetic
    -- Only what some open class needs is grouped: the first column of the key tells enough of it.
    WHERE synthetic.kept_1 IN (SELECT kept_1 FROM (SELECT {{ kept }} FROM {{ unmatched_classes }}) AS wanted)
    GROUP BY {{ kept_key("synthetic") }}, synthetic.level_code
) AS near_records ON {{ same_kept_key("unmatched_classes", "near_records") }}
UNION ALL
{% endfor %}
{% endcall %}
