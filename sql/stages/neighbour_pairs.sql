/*---
grain = "one row: the pairs of an open class and a synthetic cell that differ in exactly so many keys (the radius)"
reads = "open_classes, synthetic_cells"
---*/
-- Before a radius that might be too much work: no more rows of neighbours are made than there are such pairs.
{% set n_syn %}{% for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %}{% endset %}
SELECT CAST(COALESCE(SUM(n_pairs), 0) AS BIGINT) AS pairs_met
FROM (
{% for dropped in subsets %}
{% set kept %}{% for limb in limbs %}{{ ", " if not loop.first }}{{ limb.name }}{% for part in limb.parts if part.column.id in dropped %} - {{ part.digit }}{% endfor %} AS kept_{{ loop.index }}{% endfor %}{% endset %}
{% set kept_names %}{% for limb in limbs %}{{ ", " if not loop.first }}kept_{{ loop.index }}{% endfor %}{% endset %}
    SELECT SUM(open_classes.n_classes * synthetic.n_cells) AS n_pairs
    FROM (SELECT {{ kept_names }}, COUNT(*) AS n_classes FROM (SELECT {{ kept }} FROM {{ open_classes }}) AS kept_open GROUP BY {{ kept_names }}) AS open_classes
    JOIN (SELECT {{ kept_names }}, COUNT(*) AS n_cells FROM (SELECT {{ kept }} FROM {{ synthetic_cells }} WHERE {{ n_syn }} > 0) AS kept_syn GROUP BY {{ kept_names }}) AS synthetic
        ON {% for limb in limbs %}{{ " AND " if not loop.first }}open_classes.kept_{{ loop.index }} = synthetic.kept_{{ loop.index }}{% endfor %}{{ "" }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
) AS by_set
