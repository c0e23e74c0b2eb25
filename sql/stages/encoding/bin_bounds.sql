/*---
grain = "one row per bound of the bins of one column, with its value by quantiles and by equal widths"
reads = "value_ranks"
source = "type-7 quantiles: Hyndman & Fan 1996"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import union_all %}
-- Position k of {{ column.bins }} is (N-1)*k/{{ column.bins }}. Both sides of a comparison are multiplied by
-- {{ column.bins }}, so they are integers and nothing is rounded.
SELECT
    k,
    -- Rounding must not move a value into another bin. A bin includes its low end, so a break between two values is
    -- above the lower one and at most the upper one.
    CASE
        {# unchanged by [= → >=]: the lower value never exceeds the upper one #}
        WHEN below.x = above.x THEN below.x
        {# unchanged by [<= → <]: results differ only by rounding #}
        WHEN (1 - share) * below.x + share * above.x <= below.x THEN above.x
        {# unchanged by [> → >=]: results differ only by rounding #}
        WHEN (1 - share) * below.x + share * above.x > above.x THEN above.x
        ELSE (1 - share) * below.x + share * above.x
    END AS quantile,
    {{ quotient("below.smallest * (" ~ column.bins ~ " - k) + below.largest * k", column.bins) }} AS equal_width,
    below.distinct_values AS distinct_values
FROM (
    SELECT
        k, last_position * k AS scaled,
        {{ quotient("(last_position * k) % " ~ column.bins, column.bins) }} AS share
    FROM (SELECT DISTINCT last_position FROM {{ value_ranks }}) AS counted
    CROSS JOIN (
{% call union_all() %}
{% for k in range(column.bins + 1) %}
        SELECT {{ k }} AS k
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS ks
) AS positions
JOIN {{ value_ranks }} AS below ON below.records_below * {{ column.bins }} <= scaled
    AND scaled < below.records_upto * {{ column.bins }}
JOIN {{ value_ranks }} AS above ON (above.records_below - 1) * {{ column.bins }} < scaled
    AND scaled <= (above.records_upto - 1) * {{ column.bins }}
