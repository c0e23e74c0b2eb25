/*---
grain = """\
one row per version of the average CAP and bin: how many random tables fall into it, and whether the original \
does"""
reads = "reference_averages"
source = "Baillargeon & Charest 2020, figure 2"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import union_all %}
-- The bins are equally wide, from the least average to the greatest, the original's among them. A bin holds its lower
-- end; the last one also its upper end. Averages that differ by rounding alone are one bin, without a width.
{% call union_all() %}
{% for version in versions %}
SELECT
    {{ loop.index }} AS version, bins.bin AS bin,
    MAX(lowest + bins.bin * width) AS begins, MAX(lowest + (bins.bin + 1) * width) AS ends,
    COUNT(CASE WHEN draw > 0 AND placed.bin = bins.bin THEN 1 END) AS n_tables,
    MAX(CASE WHEN draw = 0 AND placed.bin = bins.bin THEN 1 ELSE 0 END) AS has_original
FROM (
    SELECT
        draw, lowest, width,
        CASE WHEN width = 0 THEN 0
            WHEN average >= lowest + {{ n_bins - 1 }} * width THEN {{ n_bins - 1 }}
            ELSE CAST(FLOOR((average - lowest) / NULLIF(width, 0)) AS BIGINT) END AS bin
    FROM (
        SELECT
            draw, average, lowest,
            CASE WHEN greatest - lowest < 1e-9 THEN 0 ELSE {{ quotient("greatest - lowest", n_bins) }} END AS width
        FROM (
            SELECT
                draw, {{ version }} AS average,
                MIN({{ version }}) OVER () AS lowest, MAX({{ version }}) OVER () AS greatest
            FROM {{ reference_averages }}
            WHERE {{ version }} IS NOT NULL
        ) AS averages
    ) AS ends
) AS placed
CROSS JOIN (
    {% call union_all() %}
    {% for bin in range(n_bins) %}
    SELECT {{ bin }} AS bin
    UNION ALL
    {% endfor %}
    {% endcall %}
) AS bins
WHERE bins.bin = 0 OR width > 0
GROUP BY bins.bin
UNION ALL
{% endfor %}
{% endcall %}
