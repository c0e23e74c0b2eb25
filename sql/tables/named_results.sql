/*---
grain = """\
one row per measure, point, target, synthesis (or mean, min, max, pooled), population, people and weighting, by their \
names: the rows of a report"""
reads = "report_numbers"
---*/
{% from "macros/select.sql" import rows_of %}
-- The stages hold numbers of columns, files and populations. Here they become the names that a report shows.
SELECT
    measures.measure_name AS measure,
    measures.family AS family,
    found.point AS point,
    targets.target_name AS target,
    found.synthesis AS synthesis,
    populations.population_name AS population,
    found.people AS people,
    found.by_weight AS weighted,
    found.top_sum AS numerator,
    found.bottom_sum AS denominator,
    found.result AS value,
    {# unchanged by [= → <=]: no other word sorts before this one #}
    CASE WHEN found.people = 'adjusted' THEN {{ adjusted_unit | literal }} ELSE measures.unit_name END AS unit
FROM (
    {{ report_numbers | indent(4) }}
) AS found
JOIN (
    -- Measures of synthetic records exist only for everybody. Some measures have no meaning for control, or no weighted
    -- form.
    {{ rows_of(measures) | indent(4) }}
) AS measures ON found.name = measures.measure_name
JOIN (
    SELECT 0 AS number, CAST(NULL AS VARCHAR) AS target_name
{% if targets %}
    UNION ALL
    {{ rows_of(targets) | indent(4) }}
{% endif %}
) AS targets ON found.target_number = targets.number
JOIN (
    {{ rows_of(populations) | indent(4) }}
) AS populations ON found.population_number = populations.number
{# unchanged by [= → >=] 1, by_weight [= → <=] in the next 5 lines: a flag is 0 or 1 #}
{# unchanged by people [= → >=] in the next 3 lines: no other word sorts after this one #}
{# unchanged by population_number [= → <=]: all people are population 0, the lowest number #}
WHERE (measures.of_people = 1 OR found.population_number = 0)
    AND (measures.untargeted = 1 OR found.target_number > 0)
    AND (measures.of_control = 1 OR found.people = 'original')
    AND (measures.weighable = 1 OR found.by_weight = 0)
    AND (measures.is_share = 1 OR found.people <> 'adjusted')
