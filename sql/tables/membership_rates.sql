/*---
grain = """\
one row per comparison, population and allowed rate of false positives, with the people whom the lowest threshold \
within it flags, both rates with intervals, and the precision at each base rate"""
reads = "thresholds"
source = "intervals: Wilson 1927"
---*/
{% from "macros/numbers.sql" import quotient, share %}
{% from "macros/select.sql" import column_list, union_all %}
-- false_positives is the actual rate of the threshold. If none keeps to the allowed rate, nobody is flagged. Columns
-- with line are on the straight line between two thresholds, as if people with the same score were drawn at random.
{% set normal = "CAST(" ~ z ~ " AS DOUBLE)" %}
{% set squared = normal ~ " * " ~ normal %}
{% macro wilson_end(flagged, everybody, sign) -%}
{% set spread = quotient(flagged ~ " * (" ~ everybody ~ " - " ~ flagged ~ ")", everybody) %}
100 * {{ quotient(flagged ~ " + " ~ squared ~ " * 0.5 " ~ sign ~ " " ~ normal ~ " * SQRT(" ~ spread ~ " + " ~ squared
    ~ " * 0.25)", everybody ~ " + " ~ squared) }}
{%- endmacro %}
{# The precision in percent, at a base rate of base[0] / base[1] percent. `misses` is a share, `hits` is a number. #}
{% macro precision(base, hits, misses) -%}
{% set hits = base[0] ~ " * " ~ hits %}
100 * {{ share(hits, hits ~ " + (100 * " ~ base[1] ~ " - " ~ base[0] ~ ") * people_in * " ~ misses) }}
{%- endmacro %}
WITH lots AS (
    SELECT
        comparison, population, allowed, among, n_in, n_out, n_out_from, n_out_all,
        CASE
            {# unchanged by [<= → <]: if the numbers are equal, the other branch also draws all of these people #}
            WHEN among * n_out_from <= allowed * n_out_all THEN CAST(n_in AS DOUBLE)
            {# unchanged by [< → <=]: if the numbers are equal, none of these people is drawn #}
            WHEN among * n_out_above < allowed * n_out_all
                THEN n_in * {{ quotient("allowed * n_out_all - among * n_out_above", "among * n_out") }}
            ELSE 0
        END AS n_line
    FROM (
        {{ thresholds | indent(8) }}
    ) AS thresholds
    CROSS JOIN (
{% call union_all() %}
{% for allowed, among in rates %}
        SELECT {{ allowed }} AS allowed, {{ among }} AS among
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS rates
), flagged AS (
    SELECT
        comparison, population, allowed, among, SUM(n_line) AS n_drawn,
        CAST(SUM(n_in) AS BIGINT) AS people_in, CAST(SUM(n_out) AS BIGINT) AS people_out,
        CAST(SUM(CASE WHEN among * n_out_from <= allowed * n_out_all THEN n_in ELSE 0 END) AS BIGINT) AS n_in_flagged,
        CAST(SUM(CASE WHEN among * n_out_from <= allowed * n_out_all THEN n_out ELSE 0 END) AS BIGINT) AS n_out_flagged
    FROM lots
    GROUP BY comparison, population, allowed, among
)
SELECT
{% call column_list() %}
    comparison, population, allowed, among, n_in_flagged, n_out_flagged,
    100 * {{ quotient("n_in_flagged", "people_in") }} AS true_positives,
    {{ wilson_end("n_in_flagged", "people_in", "-") }} AS true_low,
    {{ wilson_end("n_in_flagged", "people_in", "+") }} AS true_high,
    100 * {{ quotient("n_out_flagged", "people_out") }} AS false_positives,
    {{ wilson_end("n_out_flagged", "people_out", "-") }} AS false_low,
    {{ wilson_end("n_out_flagged", "people_out", "+") }} AS false_high,
    100 * {{ quotient("n_drawn", "people_in") }} AS line,
{% for base in base_rates %}
    {{ precision(base, "n_in_flagged", quotient("n_out_flagged", "people_out")) }} AS base_{{ loop.index }},
    {{ precision(base, "n_drawn", quotient("allowed", "among")) }} AS base_line_{{ loop.index }},
{% endfor %}
{% endcall %}
FROM flagged
