/*---
grain = """\
one row per class, for one comparison (people of one file, records of some syntheses); with populations, one for each \
population"""
reads = "seen_classes, population_classes or sampled_classes"
---*/
{% from "macros/class_key.sql" import any_missing with context %}
-- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after
-- exclusions. Excluded target levels do not matter here, because a class is found by its keys. n_orig counts the file
-- of the people, original or control.
SELECT
    {{ class_key }}, n_own AS n_orig, n_syn,
{% for name in columns %}
    {{ name }},
{% endfor %}
    {{ people }} AS people, n_syn AS synthetic,
{% if missing_keys %}
    CASE WHEN {{ any_missing(missing_keys) }} THEN 0 ELSE {{ people }} END AS counted_orig,
    CASE WHEN {{ any_missing(missing_keys) }} THEN 0 ELSE n_syn END AS counted_syn
{%- if universe %},
    CASE WHEN {{ any_missing(missing_keys) }} THEN 0 ELSE n_universe END AS counted_universe
{%- endif %}

{% else %}
    {{ people }} AS counted_orig, n_syn AS counted_syn{{ ", n_universe AS counted_universe" if universe }}
{% endif %}
FROM (
    {{ classes | indent(4) }}
) AS seen
