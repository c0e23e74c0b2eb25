/*---
grain = """\
one row per class and set of syntheses, for the record numbers that exactly these syntheses hold there, with the \
people of these numbers, whether the records are candidates, and the number of candidates of the class"""
reads = "candidates"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import joined_by %}
{% set held = comparison.members | map(attribute="held") | join(", ") %}
-- An intruder who looks for a person in one synthesis believes that each record with the person's keys is theirs with
-- probability 1 / n_syn. With several syntheses the probability of a record is the mean of these. Only its order
-- matters here, so the sum is enough. The candidates are the records with the greatest sum. Records in the same
-- syntheses have exactly the same sum. Sums that differ by less than 1e-12 of their size differ only by rounding and
-- are taken as equal. A class without synthetic records has no candidates.
WITH held_alike AS (
    SELECT
        {{ class_key }}, {{ counts_of(comparison.members, "_class") }}, {{ held }},
        COUNT(*) AS n_records, SUM(person) AS class_people
    FROM {{ candidates }}
    GROUP BY {{ class_key }}, {{ counts_of(comparison.members, "_class") }}, {{ held }}
), chances AS (
    SELECT
        {{ class_key }}, {{ held }}, n_records, class_people,
{% call joined_by("+") %}
{% for file in comparison.members %}
        COALESCE({{ share(file.held, file.count_class) }}, 0) +
{% endfor %}
{% endcall %} AS chance
    FROM held_alike
), greatest_chances AS (
    SELECT
        {{ class_key }}, {{ held }}, n_records, class_people, chance,
        MAX(chance) OVER (PARTITION BY {{ class_key }}) AS greatest
    FROM chances
), found_records AS (
    SELECT
        {{ class_key }}, {{ held }}, n_records, class_people,
        {# unchanged by [>= → >]: results differ only by rounding #}
        CASE WHEN chance > 0 AND chance >= greatest * 0.999999999999 THEN 1 ELSE 0 END AS found
    FROM greatest_chances
)
SELECT
    {{ class_key }}, {{ held }}, class_people, found,
    CAST(SUM(found * n_records) OVER (PARTITION BY {{ class_key }}) AS BIGINT) AS n_candidates
FROM found_records
