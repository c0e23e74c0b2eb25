/*---
grain = """\
one row per bin of one binned column, with its number, low end, high end, whether it includes the high end, and \
whether the bins have equal widths"""
reads = "value_ranks, bin_bounds"
source = """\
type-7 quantiles (Hyndman & Fan 1996) of original and syntheses pooled, never of control; the fallbacks are \
synthpop's"""
---*/
-- Bins are made in one of three ways. Each value is its own bin if there are no more values than bins. Otherwise bins
-- lie between quantiles, unless tied quantiles would leave fewer than 3 groups, special values included. Then bins have
-- equal widths.
WITH ranked AS (
    {{ value_ranks | indent(4) }}
), bounds AS (
    {{ bin_bounds | indent(4) }}
), ties AS (
    SELECT COUNT(DISTINCT quantile) AS distinct_quantiles FROM bounds
), by_quantile AS (
    SELECT
        low, LEAD(low) OVER (ORDER BY low) AS high,
        COUNT(*) OVER () - 1 + {{ column.special | length }} AS n_groups
    FROM (SELECT DISTINCT quantile AS low FROM bounds WHERE distinct_values > {{ column.bins }}) AS quantiles
), equally_wide AS (
    SELECT
        equal_width AS low, LEAD(equal_width) OVER (ORDER BY k) AS high,
        distinct_quantiles - 1 + {{ column.special | length }} AS n_groups
    FROM bounds
    CROSS JOIN ties
    WHERE distinct_values > {{ column.bins }}
), bins AS (
    SELECT x AS low, x AS high, 0 AS equal_width FROM ranked WHERE distinct_values <= {{ column.bins }}
    UNION ALL
    SELECT low, high, 0 AS equal_width FROM by_quantile WHERE high IS NOT NULL AND n_groups >= 3
    UNION ALL
    SELECT low, high, 1 AS equal_width FROM equally_wide WHERE high IS NOT NULL AND n_groups < 3
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY low) AS INTEGER) AS bin,
    low,
    high,
    {# unchanged by [= → >=] high: the lower end is never above the upper one #}
    {# unchanged by [= → >=] MAX: no value exceeds the maximum #}
    CASE WHEN low = high OR low = MAX(low) OVER () THEN 1 ELSE 0 END AS closed,
    equal_width
FROM bins
