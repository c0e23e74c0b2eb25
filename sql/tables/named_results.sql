/*---
grain = """\
one row per measure, point, target, synthesis (or mean, min, max, pooled), population and people, counted or \
weighted: the rows of a report, by their names"""
reads = "results"
---*/
{% from "macros/select.sql" import union_all %}
-- The stages know columns, files and populations by number. Here they get the names that a report gives them.
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
    {# unchanged by [= → <=]: no word comes before it #}
    CASE WHEN found.people = 'adjusted' THEN {{ adjusted_unit | literal }} ELSE measures.unit_name END AS unit
FROM (
    SELECT
        numbers.measure AS name, numbers.point AS point, numbers.target AS target_number,
        comparisons.label AS synthesis,
        numbers.population AS population_number, comparisons.who AS people, numbers.weighted AS by_weight,
        numbers.numerator AS top_sum, numbers.denominator AS bottom_sum, numbers.value AS result
    FROM {{ results }} AS numbers
    JOIN (
{% call union_all() %}
{% for comparison in comparisons %}
        SELECT
            {{ comparison.number }} AS number, {{ comparison.label | literal }} AS label,
            '{{ comparison.people.who }}' AS who
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS comparisons ON numbers.comparison = comparisons.number
{% for summary in summaries %}
{% for word, column in [("mean", "mean"), ("min", "least"), ("max", "most")] %}
    UNION ALL
    SELECT
        measure AS name, point, target AS target_number,
        {{ (summary.method ~ " " ~ word) | trim | literal }} AS synthesis,
        {# unchanged by [people → counted_orig]: a UNION ALL reads columns by place #}
        population AS population_number, '{{ summary.who }}' AS people,
        weighted AS by_weight,
        CAST(NULL AS DOUBLE) AS top_sum, CAST(NULL AS DOUBLE) AS bottom_sum, {{ column }} AS result
    FROM (
        {{ summary.query | indent(8) }}
    ) AS summaries
{% endfor %}
{% endfor %}
{% for people in ["difference", "adjusted"] if differences %}
    UNION ALL
    SELECT
        numbers.measure AS name, numbers.point AS point, numbers.target AS target_number,
        comparisons.label AS synthesis,
        {# unchanged by [people → counted_orig]: a UNION ALL reads columns by place #}
        numbers.population AS population_number, '{{ people }}' AS people, numbers.weighted AS by_weight,
        CAST(NULL AS DOUBLE) AS top_sum, CAST(NULL AS DOUBLE) AS bottom_sum, numbers.{{ people }} AS result
    FROM (
        {{ differences | indent(8) }}
    ) AS numbers
    JOIN (
{% call union_all() %}
{% for comparison in comparisons | selectattr("people.who", "eq", "original") %}
        SELECT {{ comparison.number }} AS number, {{ comparison.label | literal }} AS label
        UNION ALL
{% endfor %}
{% endcall %}
    ) AS comparisons ON numbers.comparison = comparisons.number
{% endfor %}
) AS found
JOIN (
    -- Measures of synthetic records are of everybody alone; some mean nothing of control, or have no weighted form.
{% call union_all() %}
{% for measure, of_people, of_control, weighable in measures %}
    SELECT
        {{ measure.name | literal }} AS measure_name, {{ measure.family | literal }} AS family,
        {{ measure.unit | literal }} AS unit_name,
        {{ of_people | int }} AS of_people, {{ of_control | int }} AS of_control,
        {{ weighable | int }} AS weighable, {{ measure.is_share | int }} AS is_share,
        {{ measure.untargeted | int }} AS untargeted
    UNION ALL
{% endfor %}
{% endcall %}
) AS measures ON found.name = measures.measure_name
JOIN (
    SELECT 0 AS number, CAST(NULL AS VARCHAR) AS target_name
{% for target in targets %}
    UNION ALL
    SELECT {{ target.number }} AS number, {{ target.name | literal }} AS target_name
{% endfor %}
) AS targets ON found.target_number = targets.number
JOIN (
{% call union_all() %}
{% for number, name in populations %}
    SELECT {{ number }} AS number, {{ name | literal }} AS population_name
    UNION ALL
{% endfor %}
{% endcall %}
) AS populations ON found.population_number = populations.number
{# unchanged by [= → >=] 1, by_weight [= → <=] in the next 5 lines: a flag is 0 or 1 #}
{# unchanged by people [= → >=] in the next 3 lines: no word comes after it #}
{# unchanged by population_number [= → <=]: everybody is the population 0, the first #}
WHERE (measures.of_people = 1 OR found.population_number = 0)
    AND (measures.untargeted = 1 OR found.target_number > 0)
    AND (measures.of_control = 1 OR found.people = 'original')
    AND (measures.weighable = 1 OR found.by_weight = 0)
    AND (measures.is_share = 1 OR found.people <> 'adjusted')
