/*---
grain = """\
one row per open class (no neighbor found yet), set of equal keys and level of the target (and of a key with a \
tolerance), with the number of synthetic records that differ in exactly radius keys"""
reads = "unmatched_classes or link_sides, synthetic_cells or merged_counts; tolerance_intervals"
source = "Hittmeir, Mayer & Ekelhart 2020, GCAP: the records at the smallest Hamming distance"
---*/
{% from "macros/class_key.sql" import class_key_of, key_without, same_kept_key with context %}
{% from "macros/nearest.sql" import near_level, near_records, with_near_level, within_reach with context %}
{% from "macros/select.sql" import union_all %}
-- If no record is nearer than r, a record at distance r agrees with the class on exactly one set of K - r keys. So no
-- record is counted twice when the sets are added up. To leave out a key, its digit is removed from the class key. A
-- key with a tolerance is always left out of the join. If the set contains it, WHERE tests the tolerance.
{% call union_all() %}
{% for dropped in subsets %}
{% set near = near_key and near_key.column.id not in dropped %}
{% set left_out = dropped + near_ids %}
SELECT
    {{ class_key_of("unmatched_classes") }},{{ " near_records.level_code AS level_code," if of_target }}
    {{ radius }} AS radius, near_records.n_near AS n_near
FROM (
    SELECT
        {{ class_key }}, {{ key_without(left_out) }}{{ near_level() | indent(8) if near }}
    FROM {{ unmatched_classes }}
{% if near %}
    {{ with_near_level() }}
{% endif %}
) AS unmatched_classes
JOIN (
    {{ near_records(left_out, near) | indent(4) }}
) AS near_records ON {{ same_kept_key("unmatched_classes", "near_records") }}
{% if near %}
WHERE {{ within_reach("unmatched_classes", "near_records") }}
{% endif %}
UNION ALL
{% endfor %}
{% endcall %}
