/*---
grain = """\
one row per cell with people of a numeric target, for each comparison of a query, with the records of the class and \
of the file within the tolerance of its level; with populations, one for each population"""
reads = "compared_cells, within_counts, class_ranges, tolerance_intervals"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, same_cell with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/select.sql" import named_of %}
{% from "macros/together.sql" import of_its_comparison %}
{% set own = own[0].count %}
-- close_orig (close_syn) is 1 if all original (synthetic) records of the class are within the tolerance of this level
-- and of each other.
SELECT
    {{ class_key }}, level_code,
    {{ columns | join(", ") }},
    n_orig_within, n_syn_within, n_base_within, n_level_within,
    CASE
        {# unchanged by [= → >=]: no part of a class has more records than the class #}
        WHEN n_orig_within = n_orig_class AND (n_orig = n_orig_class OR extent_orig <= reach) THEN 1
        ELSE 0
    END AS close_orig,
    CASE
        {# unchanged by [= → >=]: no part of a class has more records than the class #}
        WHEN n_syn_class > 0 AND n_syn_within = n_syn_class AND (n_syn = n_syn_class OR extent_syn <= reach) THEN 1
        ELSE 0
    END AS close_syn,
    {{ counted | join(", ") }}
FROM (
    SELECT
        {{ class_key_of("compared") }}, compared.level_code AS level_code,
        {{ named_of(columns, "compared") }},
        COALESCE(counts.within_{{ own }}, compared.n_orig) AS n_orig_within,
        COALESCE(
{% call(comparison, number) of_its_comparison(ranges) %}
            {{ records_of(comparison.members, "counts", begin="within_") }}
{% endcall %}
            , compared.n_syn
        ) AS n_syn_within,
        COALESCE(counts.within_n_orig, compared.n_base) AS n_base_within,
        tolerance_intervals.n_level_within AS n_level_within,
        tolerance_intervals.reach AS reach,
        class_ranges.high_{{ own }} - class_ranges.low_{{ own }} AS extent_orig,
{% call(comparison, number) of_its_comparison(ranges) %}
        class_ranges.high_{{ number }} - class_ranges.low_{{ number }}
{% endcall %}
        AS extent_syn,
        {{ named_of(counted, "compared") }}
    FROM (
        {{ compared | indent(8) }}
    ) AS compared
    JOIN {{ tolerance_intervals }} AS tolerance_intervals ON compared.level_code = tolerance_intervals.level_code
    LEFT JOIN {{ within_counts }} AS counts ON {{ same_cell("compared", "counts") }}
    LEFT JOIN {{ class_ranges }} AS class_ranges ON {{ same_class("compared", "class_ranges") }}
    {# unchanged by [> → >=]: a cell without people has nobody to count #}
    WHERE compared.n_orig > 0
) AS measured
