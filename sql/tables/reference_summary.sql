/*---
grain = "one row per version of the average CAP, with that of the original and its distribution over the random tables"
reads = "reference_averages"
source = "quantiles of type 7 (Hyndman & Fan 1996)"
---*/
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/select.sql" import union_all %}
-- Position k of 100 is (N-1)*k/100. Both sides of a comparison are multiplied by 100, so they are integers. A table is
-- below the original if the difference exceeds rounding: equal sums of ratios agree to 1e-12.
{% call union_all() %}
{% for version in versions %}
SELECT
    {# unchanged by [MAX → MIN]: all rows of a group have one value #}
    {{ loop.index }} AS version, MAX(own) AS original, MAX(centre) AS mean,
    SQRT({{ share("SUM((average - centre) * (average - centre))", "COUNT(*) - 1") }}) AS sd,
    MIN(average) AS least,
{% for k in quantiles %}
    MAX(CASE WHEN 100 * rank_below <= {{ k }} * (n_all - 1) THEN average END)
        + {{ quotient("MAX((" ~ k ~ " * (n_all - 1)) % 100)", "100") }}
        {# unchanged by [>= → >]: at a whole position, the difference is multiplied by 0 #}
        * (MIN(CASE WHEN 100 * rank_below >= {{ k }} * (n_all - 1) THEN average END)
            {# unchanged by [<= → <]: at a whole position, the difference is multiplied by 0 #}
            - MAX(CASE WHEN 100 * rank_below <= {{ k }} * (n_all - 1) THEN average END)) AS q{{ k }},
{% endfor %}
    MAX(average) AS most,
    {# unchanged by [< → <=], [1e-12 → 11e-12]: results differ only by rounding #}
    COUNT(CASE WHEN average < own * (1 - 1e-12) THEN 1 END) AS below,
    {{ quotient("100 * COUNT(CASE WHEN average < own * (1 - 1e-12) THEN 1 END)", "COUNT(*)") }} AS share_below
FROM (
    SELECT
        drawn.{{ version }} AS average, original_table.{{ version }} AS own,
        ROW_NUMBER() OVER (ORDER BY drawn.{{ version }}) - 1 AS rank_below, COUNT(*) OVER () AS n_all,
        AVG(drawn.{{ version }}) OVER () AS centre
    FROM {{ reference_averages }} AS drawn
    {# unchanged by [= → <=]: the original is draw 0, the lowest number #}
    CROSS JOIN (SELECT {{ version }} FROM {{ reference_averages }} WHERE draw = 0) AS original_table
    WHERE drawn.draw > 0
) AS ranked_{{ loop.index }}
UNION ALL
{% endfor %}
{% endcall %}
