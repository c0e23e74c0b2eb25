/*---
grain = "one row per class, for one comparison: the people of one file against a choice of syntheses; with crowds, one for each population"
reads = "classes, crowds"
---*/
-- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after exclusions.
-- Excluded target levels do not matter here: a class is found by its keys.
{% set missing %}CASE WHEN {% for part in missing_keys %}{{ " OR " if not loop.first }}{{ part.digit }} = 0{% endfor %} THEN 0 ELSE{% endset %}
SELECT
    {{ class_key }},
    n_orig,
    n_syn,
{% if crowd %}
    population,
    people,
    n_syn AS synthetic,
{% if risk %}
    -- Franconi & Polettini 2004, as sdcMicro approximates it: p = n_orig / weight_class is the share of the class in the population
    -- that was sampled, q = 1 - p; -LN(p) is written as a series where q is small, or the difference would lose its digits.
    -- Weights that sum to no more than the class stand for no one else: everybody was sampled.
    CASE
        WHEN n_orig >= weight_class THEN CAST(1 AS DOUBLE) / CAST(n_orig AS DOUBLE)
        WHEN n_orig = 1 AND left_out < 0.01 THEN
            sampled * (1 + left_out * (0.5 + left_out * (0.3333333333333333 + left_out * (0.25 + left_out * (0.2 + left_out * 0.1666666666666667)))))
        WHEN n_orig = 2 AND left_out < 0.01 THEN sampled - sampled * sampled
            * (0.5 + left_out * (0.3333333333333333 + left_out * (0.25 + left_out * (0.2 + left_out * (0.1666666666666667 + left_out * 0.1428571428571429)))))
        WHEN n_orig = 1 THEN -odds * LN(sampled)
        WHEN n_orig = 2 THEN odds + odds * odds * LN(sampled)
        ELSE CAST(sampled AS DOUBLE) / CAST(n_orig - left_out AS DOUBLE)
    END AS population_risk,
{% endif %}
    {{ missing ~ " people END" if missing_keys else "people" }} AS counted_orig,
{% else %}
    n_orig AS people,
    n_syn AS synthetic,
    {{ missing ~ " n_orig END" if missing_keys else "n_orig" }} AS counted_orig,
{% endif %}
    {{ missing ~ " n_syn END" if missing_keys else "n_syn" }} AS counted_syn
FROM (
{% if crowd %}
    SELECT
        {%+ for limb in limbs %}classes.{{ limb.name }} AS {{ limb.name }}, {% endfor %}{{ "" }}
        classes.{{ comparison.people.count }} AS n_orig, {% for file in comparison.members %}{{ " + " if not loop.first }}classes.{{ file.count }}{% endfor %} AS n_syn,
{% if risk %}
        everybody.weight_people AS weight_class,
        CAST(classes.{{ comparison.people.count }} AS DOUBLE) / NULLIF(CAST(everybody.weight_people AS DOUBLE), 0) AS sampled,
        CAST(everybody.weight_people - classes.{{ comparison.people.count }} AS DOUBLE) / NULLIF(CAST(everybody.weight_people AS DOUBLE), 0) AS left_out,
        CAST(classes.{{ comparison.people.count }} AS DOUBLE) / NULLIF(CAST(everybody.weight_people - classes.{{ comparison.people.count }} AS DOUBLE), 0) AS odds,
{% endif %}
        crowd_classes.population AS population, crowd_classes.{{ crowd.counts }} AS people
    FROM {{ classes }} AS classes
    JOIN (SELECT * FROM {{ crowd.classes }} WHERE people_file = {{ comparison.people.number }}) AS crowd_classes
        ON {% for limb in limbs %}{{ " AND " if not loop.first }}classes.{{ limb.name }} = crowd_classes.{{ limb.name }}{% endfor %}{{ "" }}
{% if risk %}
    JOIN (SELECT * FROM {{ crowd.classes }} WHERE people_file = {{ comparison.people.number }} AND population = 0) AS everybody
        ON {% for limb in limbs %}{{ " AND " if not loop.first }}classes.{{ limb.name }} = everybody.{{ limb.name }}{% endfor %}{{ "" }}
{% endif %}
{% else %}
    SELECT {{ class_key }}, {{ comparison.people.count }} AS n_orig, {% for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %} AS n_syn
    FROM {{ classes }}
{% endif %}
) AS seen
