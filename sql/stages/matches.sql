/*---
grain = """\
one row per number of candidates, and whether a person's own record is one of them: the people for whom it is \
so, for one comparison; with crowds, for each population"""
reads = "candidates, crowds"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, any_missing with context %}
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import joined_by %}
-- Someone who looks for a person in one synthesis takes each record with the person's keys to be theirs with
-- probability 1 / n_syn. With several syntheses a record's probability is the mean of these; only its order matters
-- here, so the sum will do. The candidates are the records with the greatest one. Records that are in the same
-- syntheses have the same sum to the last digit; sums that differ by rounding alone are equal to within 1e-12 of them.
-- A class without synthetic records has none.
{% set held %}{{ comparison.members | map(attribute="held") | join(", ") }}{% endset %}
{% set class_counts %}{{ counts_of(comparison.members, "_class") }}{% endset %}
{% set number = crowd.number if crowd else "BIGINT" %}
{% set missing %}CASE WHEN {{ any_missing(missing_keys) }} THEN 0 ELSE{% endset %}
SELECT
    n_candidates, found{{ ", population" if crowd }},
    CAST(SUM(class_people) AS {{ number }}) AS people,
    CAST(SUM({{ missing ~ " class_people END" if missing_keys else "class_people" }}) AS {{ number }}) AS counted_orig
FROM (
{% if crowd %}
    SELECT
        {{ class_key_of("ranked") }}, ranked.n_candidates AS n_candidates, ranked.found AS found,
        crowd.population AS population, crowd.{{ crowd.counts }} AS class_people
    FROM (
{% endif %}
    SELECT
        {{ class_key }}, {{ held }}, {{ "class_people AS everybody" if crowd else "class_people" }}, found,
        CAST(SUM(found * n_records) OVER (PARTITION BY {{ class_key }}) AS BIGINT) AS n_candidates
    FROM (
        SELECT
            {{ class_key }}, {{ held }}, n_records, class_people,
            CASE WHEN chance > 0 AND chance >= greatest * 0.999999999999 THEN 1 ELSE 0 END AS found
        FROM (
            SELECT
                {{ class_key }}, {{ held }}, n_records, class_people, chance,
                MAX(chance) OVER (PARTITION BY {{ class_key }}) AS greatest
            FROM (
                SELECT
                    {{ class_key }}, {{ held }}, n_records, class_people,
                    {%+ call joined_by("+") %}{% for file in comparison.members %}COALESCE({{ share(file.held, file.count_class) }}, 0) + {% endfor %}{% endcall %} AS chance
                FROM (
                    SELECT
                        {{ class_key }}, {{ class_counts }}, {{ held }}, COUNT(*) AS n_records,
                        SUM(person) AS class_people
                    FROM {{ candidates }}
                    GROUP BY {{ class_key }}, {{ class_counts }}, {{ held }}
                ) AS alike
            ) AS chances
        ) AS greatest_chances
    ) AS found_records
{% if crowd %}
    ) AS ranked
    JOIN {{ crowd_candidates }} AS crowd ON {{ same_class("ranked", "crowd") }}
        AND {% call joined_by("AND") %}{% for file in comparison.members %}ranked.{{ file.held }} = crowd.{{ file.held }} AND {% endfor %}{% endcall +%}
{% endif %}
) AS people_of_classes
GROUP BY n_candidates, found{{ ", population" if crowd }}
