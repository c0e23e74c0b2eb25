/*---
grain = "one row per open class, set of keys that agree and level of the target: the synthetic records that differ in exactly so many keys (the radius)"
reads = "open_classes, synthetic_cells"
source = "Hittmeir, Mayer & Ekelhart 2020, GCAP: the records at the smallest Hamming distance"
---*/
-- A record at the distance r of a class that has none nearer agrees with it on exactly one set of K - r keys, so nothing is
-- counted twice when the sets are added up. To leave a key out its digit is taken off the class key.
{% set n_syn %}{% for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %}{% endset %}
{% for dropped in subsets %}
{% set kept %}{% for limb in limbs %}{{ ", " if not loop.first }}{{ limb.name }}{% for part in limb.parts if part.column.id in dropped %} - {{ part.digit }}{% endfor %} AS kept_{{ loop.index }}{% endfor %}{% endset %}
SELECT
    {%+ for limb in limbs %}open_classes.{{ limb.name }} AS {{ limb.name }}, {% endfor %}near_records.level_code AS level_code,
    {{ radius }} AS radius, near_records.n_near AS n_near
FROM (SELECT {{ class_key }}, {{ kept }} FROM {{ open_classes }}) AS open_classes
JOIN (
    SELECT {% for limb in limbs %}synthetic.kept_{{ loop.index }} AS kept_{{ loop.index }}, {% endfor %}synthetic.level_code AS level_code, CAST(SUM(synthetic.n_syn) AS BIGINT) AS n_near
    FROM (SELECT {{ kept }}, level_code, {{ n_syn }} AS n_syn FROM {{ synthetic_cells }} WHERE {{ n_syn }} > 0) AS synthetic
    -- Only what some open class needs is grouped.
    JOIN (SELECT DISTINCT {{ kept }} FROM {{ open_classes }}) AS wanted
        ON {% for limb in limbs %}{{ " AND " if not loop.first }}synthetic.kept_{{ loop.index }} = wanted.kept_{{ loop.index }}{% endfor %}{{ "" }}
    GROUP BY {% for limb in limbs %}synthetic.kept_{{ loop.index }}, {% endfor %}synthetic.level_code
) AS near_records ON {% for limb in limbs %}{{ " AND " if not loop.first }}open_classes.kept_{{ loop.index }} = near_records.kept_{{ loop.index }}{% endfor %}{{ "" }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
