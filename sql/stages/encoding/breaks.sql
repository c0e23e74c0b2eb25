/*---
grain = "one row per bin of one binned column: its number, low, high, and whether it holds its upper end"
reads = "values, aged, banded, equally_banded"
source = """\
type-7 quantiles (Hyndman & Fan 1996) of original and syntheses pooled, never of control; the fallbacks are \
synthpop's"""
---*/
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import quotient, running %}
{% from "macros/select.sql" import union_all %}
-- Position k of {{ column.bins }} is (N-1)*k/{{ column.bins }}. It is compared multiplied out, in integers: no
-- division, no rounding. Three styles, the first that fits: each value its own bin (no more values than bins);
-- quantiles; equal widths, when tied quantiles would leave fewer than 3 groups, special values included.
WITH ranked AS (
    SELECT
        x,
        upto - n AS records_below,
        upto AS records_upto,
        MAX(upto) OVER () - 1 AS last_position,
        COUNT(*) OVER () AS distinct_values,
        MIN(x) OVER () AS smallest,
        MAX(x) OVER () AS largest
    FROM (
        SELECT x, n, CAST({{ running("SUM(n)", by="x") }} AS BIGINT) AS upto
        FROM (
            SELECT {{ column.binned }} AS x, {{ records_of(pooled) }} AS n
            FROM {{ values }}
            WHERE {{ column.binned }} IS NOT NULL
{%- for special in column.special %} AND value <> {{ special }}{% endfor +%}
        ) AS numbers
        WHERE n > 0
    ) AS cumulated
), bounds AS (
    SELECT
        k,
        -- Neighbours that are equal are not interpolated; rounding may not carry a break past the values it lies
        -- between.
        CASE
            {# unchanged by [= → >=]: the value below is never the greater #}
            WHEN below.x = above.x THEN below.x
            {# unchanged by [<= → <]: it differs within rounding alone #}
            WHEN (1 - share) * below.x + share * above.x <= below.x THEN above.x
            {# unchanged by [> → >=]: it differs within rounding alone #}
            WHEN (1 - share) * below.x + share * above.x > above.x THEN above.x
            ELSE (1 - share) * below.x + share * above.x
        END AS quantile,
        {{ quotient("below.smallest * (" ~ column.bins ~ " - k) + below.largest * k", column.bins) }} AS equal_width,
        below.distinct_values AS distinct_values
    FROM (
        SELECT
            k, last_position * k AS scaled,
            {{ quotient("(last_position * k) % " ~ column.bins, column.bins) }} AS share
        FROM (SELECT DISTINCT last_position FROM ranked) AS counted
        CROSS JOIN (
{% call union_all() %}
{% for k in range(column.bins + 1) %}
            SELECT {{ k }} AS k
            UNION ALL
{% endfor %}
{% endcall %}
        ) AS ks
    ) AS positions
    JOIN ranked AS below ON below.records_below * {{ column.bins }} <= scaled
        AND scaled < below.records_upto * {{ column.bins }}
    JOIN ranked AS above ON (above.records_below - 1) * {{ column.bins }} < scaled
        AND scaled <= (above.records_upto - 1) * {{ column.bins }}
)
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY low) AS INTEGER) AS bin,
    low,
    high,
    {# unchanged by [= → >=] high: the lower end is never above the upper one #}
    {# unchanged by [= → >=] MAX: nothing is more than the most #}
    CASE WHEN low = high OR low = MAX(low) OVER () THEN 1 ELSE 0 END AS closed
FROM (
    SELECT x AS low, x AS high FROM ranked WHERE distinct_values <= {{ column.bins }}
    UNION ALL
    SELECT low, high
    FROM (
        SELECT
            low, LEAD(low) OVER (ORDER BY low) AS high,
            COUNT(*) OVER () - 1 + {{ column.special | length }} AS n_groups
        FROM (SELECT DISTINCT quantile AS low FROM bounds WHERE distinct_values > {{ column.bins }}) AS quantiles
    ) AS intervals
    WHERE high IS NOT NULL AND n_groups >= 3
    UNION ALL
    SELECT low, high
    FROM (
        SELECT
            equal_width AS low, LEAD(equal_width) OVER (ORDER BY k) AS high,
            distinct_quantiles - 1 + {{ column.special | length }} AS n_groups
        FROM bounds
        CROSS JOIN (SELECT COUNT(DISTINCT quantile) AS distinct_quantiles FROM bounds) AS ties
        WHERE distinct_values > {{ column.bins }}
    ) AS widths
    WHERE high IS NOT NULL AND n_groups < 3
) AS bins
