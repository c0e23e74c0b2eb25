/*---
grain = """\
one row per class, for one comparison: the people of one file against a choice of syntheses; with crowds, one \
for each population"""
reads = "classes, crowds"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class, any_missing with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/numbers.sql" import share, quotient %}
-- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
-- exclusions. Excluded target levels do not matter here: a class is found by its keys.
{% set missing %}CASE WHEN {{ any_missing(missing_keys) }} THEN 0 ELSE{% endset %}
{% if comparison.people.control %}
-- Control is n_own first and n_orig one step later: classes have an n_orig already, and an alias may hide no column.
{% endif %}
{% set own = "n_own" if comparison.people.control else "n_orig" %}
SELECT
    {{ class_key }},
    {{ "n_own AS n_orig" if comparison.people.control else "n_orig" }},
    n_syn,
{% if crowd %}
    population,
    people,
    n_syn AS synthetic,
{% if risk %}
    -- Franconi & Polettini 2004, as sdcMicro approximates it: p = n_orig / weight_class is the share of the class in
    -- the population that was sampled, q = 1 - p; -LN(p) is written as a series where q is small, or the difference
    -- would lose its digits. Weights that sum to no more than the class stand for no one else: everybody was sampled.
    CASE
        WHEN {{ own }} >= weight_class THEN {{ quotient("1", own) }}
        WHEN {{ own }} = 1 AND left_out < 0.01 THEN
            sampled * (1 + left_out
                * (0.5 + left_out
                    * (0.3333333333333333 + left_out * (0.25 + left_out * (0.2 + left_out * 0.1666666666666667)))))
        WHEN {{ own }} = 2 AND left_out < 0.01 THEN sampled - sampled * sampled
            * (0.5 + left_out
                * (0.3333333333333333 + left_out
                    * (0.25 + left_out * (0.2 + left_out * (0.1666666666666667 + left_out * 0.1428571428571429)))))
        WHEN {{ own }} = 1 THEN -odds * LN(sampled)
        WHEN {{ own }} = 2 THEN odds + odds * odds * LN(sampled)
        ELSE {{ quotient("sampled", own ~ " - left_out") }}
    END AS population_risk,
{% endif %}
    {{ missing ~ " people END" if missing_keys else "people" }} AS counted_orig,
{% else %}
    {{ own }} AS people,
    n_syn AS synthetic,
    {{ missing ~ " " ~ own ~ " END" if missing_keys else own }} AS counted_orig,
{% endif %}
    {{ missing ~ " n_syn END" if missing_keys else "n_syn" }} AS counted_syn
FROM (
{% if crowd %}
    SELECT
        {{ class_key_of("classes") }},
        classes.{{ comparison.people.count }} AS {{ own }}, {{ records_of(comparison.members, "classes") }} AS n_syn,
{% if risk %}
        everybody.weight_people AS weight_class,
        {{ share("classes." ~ comparison.people.count, "everybody.weight_people") }} AS sampled,
        {{ share("everybody.weight_people - classes." ~ comparison.people.count, "everybody.weight_people") }} AS left_out,
        {{ share("classes." ~ comparison.people.count, "everybody.weight_people - classes." ~ comparison.people.count) }} AS odds,
{% endif %}
        crowd_classes.population AS population, crowd_classes.{{ crowd.counts }} AS people
    FROM {{ classes }} AS classes
    JOIN (
        SELECT {{ class_key }}, population, {{ crowd.counts }}
        FROM {{ crowd.classes }}
        WHERE people_file = {{ comparison.people.number }}
    ) AS crowd_classes
        ON {{ same_class("classes", "crowd_classes") }}
{% if risk %}
    JOIN (
        SELECT {{ class_key }}, weight_people
        FROM {{ crowd.classes }}
        WHERE people_file = {{ comparison.people.number }} AND population = 0
    ) AS everybody
        ON {{ same_class("classes", "everybody") }}
{% endif %}
{% else %}
    SELECT {{ class_key }}, {{ comparison.people.count }} AS {{ own }}, {{ records_of(comparison.members) }} AS n_syn
    FROM {{ classes }}
{% endif %}
) AS seen
