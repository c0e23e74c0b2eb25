/*---
grain = """\
one row per class with people, of one ordered target, for one comparison, with the distance of the target's \
distribution in the class from that among all people; with populations, one for each population"""
reads = "ordered_shares"
source = "Li, Li & Venkatasubramanian 2007, sect. 5, ordered distance"
---*/
{% from "macros/numbers.sql" import quotient, running %}
-- The distance is the sum over the levels of abs(share of the class up to a level - share of all people up to it).
-- Between two neighboring cells of the class, the share of the class stays the same and the share of all people grows,
-- so the difference changes sign at most once. A sort of both kinds of shares finds this place, and the sums on both
-- sides of it are differences of running sums. So no class is joined to the levels that it lacks.
{% set classes = columns | join(", ") %}
{% set together = apart | join(", ") %}
{% set distances = "SUM(share_first + share_upto * (2 * passed - place - next_place + 2) + "
    ~ quotient("sum_before + sum_next - 2 * sum_passed", "n_upto_all") ~ ")" %}
SELECT
    {{ classes }},
    CAST(SUM(cell_people) AS {{ number }}) AS people,
    CAST(SUM(cell_counted) AS {{ number }}) AS counted_orig,
    CASE
        WHEN n_places > 1
            THEN {{ quotient(distances, "n_places - 1") }}
        ELSE 0
    END AS apart_ordered
FROM (
    SELECT
        {{ classes }}, cell_people, cell_counted, n_places, n_upto_all,
        share_first, share_upto, place, next_place, sum_before, sum_next,
        CASE
            {# unchanged by [< → <=], [1 → 0] THEN: both branches give one value at the position itself #}
            WHEN place_upto < place - 1 THEN place - 1
            {# unchanged by [> → >=], [1 → 2] THEN: both branches give one value at the position itself #}
            WHEN place_upto > next_place - 1 THEN next_place - 1
            ELSE place_upto
        END AS passed,
        CASE
            {# unchanged by [< → <=], [1 → 0]: both branches give one value at the position itself #}
            WHEN place_upto < place - 1 THEN sum_before
            {# unchanged by [> → >=], [1 → 2]: both branches give one value at the position itself #}
            WHEN place_upto > next_place - 1 THEN sum_next
            ELSE sum_place_upto
        END AS sum_passed
    FROM (
        SELECT
            {{ classes }}, cell_people, cell_counted, n_places, n_upto_all,
            share_first, share_upto, place, next_place, sum_before, sum_next, is_level,
            CAST({{ running("SUM(is_level)", "share_upto, is_level", together) }} AS BIGINT) AS place_upto,
            CAST({{ running("SUM(level_upto)", "share_upto, is_level", together) }} AS BIGINT) AS sum_place_upto
        FROM (
            {{ ordered_shares | indent(12) }}
        ) AS sorted
    ) AS searched
    {# unchanged by [= → <=], [= → >=]: the row of a level stands for no person #}
    WHERE is_level = 0
) AS gaps
GROUP BY {{ classes }}, n_places
