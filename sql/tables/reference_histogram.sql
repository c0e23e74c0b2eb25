/*---
grain = """\
one row per version of the average CAP and bin, with the number of random tables in it and a flag for the \
bin of the original"""
reads = "reference_averages"
source = "Baillargeon & Charest 2020, figure 2"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import union_all %}
-- Bins have equal widths from the least to the greatest average, including the original's. A bin includes its lower
-- end, and the last bin also its upper end. If all averages differ only by rounding, there is one bin without a width.
WITH averages AS (
{% call union_all() %}
{% for version in versions %}
    SELECT
        {{ loop.index }} AS version, draw, {{ version }} AS average,
        MIN({{ version }}) OVER () AS lowest, MAX({{ version }}) OVER () AS greatest
    FROM {{ reference_averages }}
    WHERE {{ version }} IS NOT NULL
    UNION ALL
{% endfor %}
{% endcall %}
), widths AS (
    SELECT
        version, draw, average, lowest,
        CASE WHEN greatest - lowest < 1e-9 THEN 0 ELSE {{ quotient("greatest - lowest", n_bins) }} END AS width
    FROM averages
), placed AS (
    SELECT
        version, bin, lowest, width,
        CASE WHEN average >= lowest + bin * width
            {# unchanged by bin [= → >=]: no bin has a higher number #}
            {# unchanged by width [= → <=]: no width is below 0 #}
            AND (average < lowest + (bin + 1) * width OR bin = {{ n_bins - 1 }} OR width = 0) THEN draw END AS inside
    FROM widths
    CROSS JOIN (
{% call union_all() %}
{% for bin in range(n_bins) %}
        SELECT {{ bin }} AS bin
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS bins
    {# unchanged by [= → <=]: bins are numbered from 0 #}
    WHERE bin = 0 OR width > 0
)
SELECT
    version, bin, lowest + bin * width AS begins, lowest + (bin + 1) * width AS ends,
    {# unchanged by [= → <=]: the original is draw 0, the lowest number #}
    COUNT(CASE WHEN inside > 0 THEN 1 END) AS n_tables, MAX(CASE WHEN inside = 0 THEN 1 ELSE 0 END) AS has_original
FROM placed
GROUP BY version, bin, lowest, width
