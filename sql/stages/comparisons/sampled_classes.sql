/*---
grain = "one row per row of population_classes, with the chance that a match with one person of the class is right"
reads = "population_classes, population_counts"
source = "Franconi & Polettini 2004, as sdcMicro approximates it"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/select.sql" import named_of %}
-- p = n_own / weight_class is the share of the class's people in the population who were sampled, and q = 1 - p. The
-- columns sampled, left_out and odds are p, q and p / q. If q is small, -LN(p) is replaced by its series
-- q + q^2 / 2 + ..., because the closed form would lose digits. If the weights of a class sum to no more than its
-- people, everybody was sampled.
SELECT
    {{ class_key }}, {{ columns | join(", ") }}, population, people,
    CASE
        {# unchanged by [>= → >]: if all records were sampled, both branches give one value #}
        WHEN n_own >= weight_class THEN {{ quotient("1", "n_own") }}
        {# unchanged by [= → <=]: a class has a record #}
        {# unchanged by [< → <=]: both branches give one value at the bound #}
        WHEN n_own = 1 AND left_out < 0.01 THEN sampled * (1 + left_out
            * (0.5 + left_out * (0.3333333333333333 + left_out
            * (0.25 + left_out * (0.2 + left_out * 0.1666666666666667)))))
        {# unchanged by [= → <=]: an earlier branch takes the classes of one record #}
        {# unchanged by [< → <=]: both branches give one value at the bound #}
        WHEN n_own = 2 AND left_out < 0.01 THEN sampled - sampled * sampled
            * (0.5 + left_out * (0.3333333333333333 + left_out
            * (0.25 + left_out * (0.2 + left_out * (0.1666666666666667 + left_out * 0.1428571428571429)))))
        {# unchanged by [= → <=]: a class has a record #}
        WHEN n_own = 1 THEN -odds * LN(sampled)
        {# unchanged by [= → <=]: an earlier branch takes the classes of one record #}
        WHEN n_own = 2 THEN odds + odds * odds * LN(sampled)
        ELSE {{ quotient("sampled", "n_own - left_out") }}
    END AS population_risk
FROM (
    SELECT
        {{ class_key_of("seen") }}, {{ named_of(columns, "seen") }},
        seen.population AS population, seen.people AS people, everybody.weight_people AS weight_class,
        {{ share("seen.n_own", "everybody.weight_people") }} AS sampled,
        {{ share("everybody.weight_people - seen.n_own", "everybody.weight_people") }} AS left_out,
        {{ share("seen.n_own", "everybody.weight_people - seen.n_own") }} AS odds
    FROM (
        {{ population_classes | indent(8) }}
    ) AS seen
    JOIN (
        SELECT {{ class_key }}, weight_people
        FROM {{ class_counts }}
        {# unchanged by population [= → <=]: all people are population 0, the lowest number #}
        WHERE people_file = {{ own[0].number }} AND population = 0
    ) AS everybody ON {{ same_class("seen", "everybody") }}
) AS weighed
