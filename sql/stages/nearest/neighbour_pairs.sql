/*---
grain = """\
one row with the number of pairs of an open class (no neighbor found yet) and a synthetic cell that differ in exactly \
radius keys"""
reads = "unmatched_classes, synthetic_cells"
---*/
{% from "macros/class_key.sql" import key_without, kept_key, same_kept_key with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import union_all %}
-- Counted before a radius that may take too much work. The table of neighbors has at most one row per pair. Pairs in
-- which a key with a tolerance is too far apart are counted too, because the search visits them as well.
{% set n_syn %}{{ records_of(comparison.members) }}{% endset %}
WITH by_set AS (
{% call union_all() %}
{% for dropped in subsets %}
{% set kept = key_without(dropped + near_ids) %}
    SELECT SUM(unmatched_classes.n_classes * synthetic.n_cells) AS n_pairs
    FROM (
        SELECT {{ kept_key() }}, COUNT(*) AS n_classes
        FROM (SELECT {{ kept }} FROM {{ unmatched_classes }}) AS kept_open
        GROUP BY {{ kept_key() }}
    ) AS unmatched_classes
    JOIN (
        SELECT {{ kept_key() }}, COUNT(*) AS n_cells
        FROM (SELECT {{ kept }} FROM {{ synthetic_cells }} WHERE {{ n_syn }} > 0) AS kept_syn
        GROUP BY {{ kept_key() }}
    ) AS synthetic
        ON {{ same_kept_key("unmatched_classes", "synthetic") }}
    UNION ALL
{% endfor %}
{% endcall %}
)
SELECT CAST(COALESCE(SUM(n_pairs), 0) AS BIGINT) AS pairs_met
FROM by_set
