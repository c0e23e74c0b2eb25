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
    -- Franconi & Polettini 2004, as sdcMicro approximates it: p = n_orig / weight_class is the share of the population sampled.
    CASE
        WHEN n_orig = 0 THEN 0
        WHEN n_orig >= weight_class THEN 1 / CAST(n_orig AS DOUBLE)
        WHEN n_orig = 1 THEN odds * LN(1 / sampled)
        WHEN n_orig = 2 THEN odds - odds * odds * LN(1 / sampled)
        ELSE sampled / (n_orig - (1 - sampled))
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
        CAST(classes.{{ comparison.people.count }} AS DOUBLE) / NULLIF(everybody.weight_people, 0) AS sampled,
        CAST(classes.{{ comparison.people.count }} AS DOUBLE) / NULLIF(everybody.weight_people - classes.{{ comparison.people.count }}, 0) AS odds,
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
