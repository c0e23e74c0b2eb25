/*---
grain = """\
one row per number of equal rows and file of people that is reduced to a random subset, with the probability that the \
subset has one of these rows"""
reads = "nothing: how many records the files have is known before they are counted"
source = "the hypergeometric distribution: none of x is among n of N with C(N - x, n) / C(N, n)"
---*/
{% from "macros/numbers.sql" import running, share %}
{% from "macros/select.sql" import joined_by, union_all %}
-- C(N - x, n) / C(N, n) is the product of 1 - n / (N - i) for i from 0 to x - 1: a running sum of logarithms. It is
-- computed while the product is above 1e-18. For more equal rows, the probability is 1 up to rounding. Spark divides
-- before it filters, so the divisor may be 0 (for n_alike = N + 1). Hence NULLIF.
{% call union_all() %}
{% for file in files %}
{% set left_out = "SUM(LN(1 - " ~ share(file.drawn, file.records ~ " - n_alike + 1") ~ "))" %}
SELECT {{ file.number }} AS people_file, n_alike, 1 - EXP({{ running(left_out, "n_alike") }}) AS chance
FROM (
    SELECT
        1 +
{% call joined_by(" +") %}
{% for unit in file.units %}
        {{ unit }} * d{{ unit }}.digit +
{% endfor %}
{% endcall %} AS n_alike
    FROM
{% call joined_by(" CROSS JOIN") %}
{% for unit in file.units %}
        (
            SELECT 0 AS digit UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
            UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9
        ) AS d{{ unit }} CROSS JOIN
{% endfor %}
{% endcall %}
) AS numbers
WHERE n_alike <= {{ file.most }}
UNION ALL
{% endfor %}
{% endcall %}
