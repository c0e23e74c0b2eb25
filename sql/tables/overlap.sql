/*---
grain = "one row per comparison, with the classes and records on both sides and on one only"
reads = "compared_classes"
---*/
{% from "macros/together.sql" import place, by_place with context %}
SELECT
    {{ place() }},
    COUNT(CASE WHEN n_orig > 0 AND n_syn > 0 THEN 1 END) AS classes_both,
    {# unchanged by [= → <=] in the next 6 lines: no count is below 0 #}
    COUNT(CASE WHEN n_orig > 0 AND n_syn = 0 THEN 1 END) AS classes_only_original,
    COUNT(CASE WHEN n_orig = 0 AND n_syn > 0 THEN 1 END) AS classes_only_synthetic,
    CAST(SUM(CASE WHEN n_syn > 0 THEN n_orig ELSE 0 END) AS BIGINT) AS records_both,
    CAST(SUM(CASE WHEN n_syn = 0 THEN n_orig ELSE 0 END) AS BIGINT) AS records_only_original,
    CAST(SUM(CASE WHEN n_orig > 0 THEN n_syn ELSE 0 END) AS BIGINT) AS synthetic_records_both,
    CAST(SUM(CASE WHEN n_orig = 0 THEN n_syn ELSE 0 END) AS BIGINT) AS synthetic_records_only_synthetic
FROM (
    {{ compared | indent(4) }}
) AS classes
{{ by_place("GROUP BY ") }}
