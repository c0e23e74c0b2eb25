/*---
grain = """\
one row per measure, point, target, population and weighting, with the least squares line of its value over the \
number of pooled syntheses"""
reads = "pooled_points"
source = """\
Taub, Elliot, Pampaka & Smith 2018. The points are nested, as each pool holds the one before: p describes, it \
does not test"""
---*/
{% from "macros/numbers.sql" import share %}
-- Computed in two steps: deviations from the means, then from the line. A measure without a value at some point has no
-- line. With fewer than three points everything is NULL. Values that differ by less than 1e-9 are taken as equal, and
-- their line as exact: such differences come only from the order in which shares were added.
{% set same = "measure, point, target, population, weighted" %}
{% set window = "(PARTITION BY " ~ same ~ ")" %}
WITH described AS (
    SELECT
        {{ same }}, x, y,
        AVG(x) OVER {{ window }} AS mean_x,
        AVG(y) OVER {{ window }} AS average_y,
        MIN(y) OVER {{ window }} AS least_y,
        MAX(y) OVER {{ window }} AS most_y,
        COUNT(y) OVER {{ window }} AS n_points
    FROM (
        {{ pooled_points | indent(8) }}
    ) AS pooled_points
), centred AS (
    SELECT
        {{ same }}, n_points, mean_x, x - mean_x AS from_x,
        {# unchanged by [1000000000 → 1000000001] in the next 2 lines: results differ only by rounding #}
        {# unchanged by [1000000000 → 999999999] in the next 2 lines: results differ only by rounding #}
        {# unchanged by [< → <=] in the next 2 lines: results differ only by rounding #}
        CASE WHEN 1000000000 * (most_y - least_y) < 1 THEN least_y ELSE average_y END AS mean_y,
        CASE WHEN 1000000000 * (most_y - least_y) < 1 THEN 0 ELSE y - average_y END AS from_y
    FROM described
    {# unchanged by [= → >=]: the count never exceeds the number of points #}
    WHERE n_points = {{ points | length }}
), fitted AS (
    SELECT
        {{ same }}, n_points, mean_x, mean_y, from_x, from_y,
        SUM(from_x * from_x) OVER {{ window }} AS sum_xx,
        CASE
            WHEN n_points >= 3
                THEN {{ share("SUM(from_x * from_y) OVER " ~ window, "SUM(from_x * from_x) OVER " ~ window) }}
        END AS slope
    FROM centred
), residuals AS (
    SELECT
        {{ same }}, n_points, slope, mean_x, mean_y, sum_xx,
        {{ share("SUM((from_y - slope * from_x) * (from_y - slope * from_x))", "n_points - 2") }} AS variance
    FROM fitted
    GROUP BY {{ same }}, n_points, slope, mean_x, mean_y, sum_xx
), lines AS (
    SELECT
        {{ same }}, n_points, slope,
        SQRT({{ share("variance", "sum_xx") }}) AS slope_error,
        mean_y - slope * mean_x AS intercept,
        SQRT(variance * ({{ share("1", "n_points") }} + {{ share("mean_x * mean_x", "sum_xx") }})) AS intercept_error
    FROM residuals
)
SELECT
    {{ same }}, n_points, slope, slope_error, {{ share("slope", "slope_error") }} AS t_value,
    intercept, intercept_error, {{ share("intercept", "intercept_error") }} AS intercept_t
FROM lines
