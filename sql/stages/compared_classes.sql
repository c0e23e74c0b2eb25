/*---
grain = "one row per class, for one comparison: original people against a choice of syntheses"
reads = "classes"
---*/
-- What the intruder sees: n_orig, n_syn. Who is counted: people and synthetic, and counted_orig and counted_syn after exclusions.
-- Excluded target levels do not matter here: a class is found by its keys.
SELECT
    {{ class_key }},
    n_orig,
    n_syn,
    n_orig AS people,
    n_syn AS synthetic,
{% if missing_keys %}
    CASE WHEN {% for part in missing_keys %}{{ " OR " if not loop.first }}{{ part.digit }} = 0{% endfor %} THEN 0 ELSE n_orig END AS counted_orig,
    CASE WHEN {% for part in missing_keys %}{{ " OR " if not loop.first }}{{ part.digit }} = 0{% endfor %} THEN 0 ELSE n_syn END AS counted_syn
{% else %}
    n_orig AS counted_orig,
    n_syn AS counted_syn
{% endif %}
FROM (
    SELECT {{ class_key }}, n_orig, {% for file in members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %} AS n_syn
    FROM {{ classes }}
) AS seen
