/*---
grain = "one row per subset of the keys and number that is computed for it (`head`: its row in sweep_heads)"
reads = "results, overlap, sweep_heads"
---*/
-- Appended for each subset. Mean, min and max over the syntheses are comparisons of their own, numbered after the
-- others. If nobody of a population is counted, there are no results to read. Then `empty_sum` is shown: 0 for numbers
-- that are made of sums.
SELECT
    {{ subset }} AS subset,
    heads.head AS head,
    {# unchanged by [= → <=], [= → >=] in the next 2 lines: the value of a match is 1 or NULL #}
    CASE WHEN found.hit = 1 THEN found.found_numerator ELSE heads.empty_sum END AS numerator,
    CASE WHEN found.hit = 1 THEN found.found_denominator ELSE heads.empty_sum END AS denominator,
    found.found_value AS value,
    unmatched.people AS nonmatches
FROM {{ sweep_heads }} AS heads
LEFT JOIN (
    SELECT
        CASE
{% for tally in tallies %}
            WHEN measure = {{ tally.name }}{% if tally.at %}
                AND point = CAST({{ tally.at }} AS DOUBLE){% endif %} THEN {{ tally.number }}
{% endfor %}
        END AS tally,
        target, comparison, population, weighted, found_numerator, found_denominator, found_value, 1 AS hit
    FROM (
        SELECT
            measure, point, target, comparison, population, weighted,
            CAST(numerator AS DOUBLE) AS found_numerator, CAST(denominator AS DOUBLE) AS found_denominator,
            value AS found_value
        FROM {{ results }}
{% for summary in summaries %}
        UNION ALL
        SELECT
            measure, point, target, {{ summary.comparison }} AS comparison, population, weighted,
            CAST(NULL AS DOUBLE) AS found_numerator, CAST(NULL AS DOUBLE) AS found_denominator,
            {{ summary.column }} AS found_value
        FROM (
            {{ summary.query | indent(12) }}
        ) AS summary_{{ summary.comparison }}
{% endfor %}
    ) AS named
) AS found
    ON heads.tally = found.tally AND heads.target_number = found.target AND heads.comparison = found.comparison
    AND heads.population_number = found.population AND heads.weighted_number = found.weighted
LEFT JOIN (
    SELECT comparison, CAST(SUM(records_only_original) AS DOUBLE) AS people
    FROM {{ overlap }}
    GROUP BY comparison
{% for summary in summaries %}
    UNION ALL
    {# unchanged by [people → counted_orig]: UNION ALL matches columns by position #}
    SELECT {{ summary.comparison }} AS comparison, {{ summary.aggregate }}(CAST(alone AS DOUBLE)) AS people
    FROM (
        SELECT comparison AS single, SUM(records_only_original) AS alone
        FROM {{ overlap }}
        GROUP BY comparison
    ) AS each_{{ summary.comparison }}
    WHERE single IN ({{ summary.singles | join(", ") }})
{% endfor %}
) AS unmatched ON heads.comparison = unmatched.comparison
WHERE heads.least_keys <= {{ key_length }}
