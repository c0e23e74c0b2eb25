/*---
grain = """\
one row per pair of numeric columns of one file, with the records that have both and their correlation (Pearson)"""
reads = "number_sums"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import union_all %}
-- A correlation is undefined if one of the two columns has a single distinct number.
{% call union_all() %}
{% for one, other in pairs %}
{% set pair = one.number ~ "_" ~ other.number %}
{% set square_x, square_y = "(n * xx - x * x)", "(n * yy - y * y)" %}
SELECT
    {{ one.number }} AS column_number, {{ other.number }} AS other_number, n AS n_both,
    CASE
        {# unchanged by [= → >=]: the value is 0 or 1 #}
        WHEN vary = 1 AND {{ square_x }} > 0 AND {{ square_y }} > 0
            THEN {{ quotient("n * xy - x * y", "SQRT" ~ square_x ~ " * SQRT" ~ square_y) }}
    END AS correlation
FROM (
    SELECT
        n_{{ pair }} AS n, x_{{ pair }} AS x, y_{{ pair }} AS y, xx_{{ pair }} AS xx, yy_{{ pair }} AS yy,
        xy_{{ pair }} AS xy, vary_{{ pair }} AS vary
    FROM {{ number_sums }}
) AS sums_{{ pair }}
UNION ALL
{% endfor %}
{% endcall %}
