/*---
grain = """\
one row per cell of one target, for one comparison (people of one file, records of some syntheses); with populations, \
one for each population"""
reads = "seen_cells or population_cells; excluded_cells if anybody is left out"
---*/
-- There are two kinds of columns. What the intruder sees: n_orig, n_syn and their totals over the class, the level and
-- the file. They decide which cells are disclosive, and every proportion. Who is counted: people, and counted_* after
-- exclusions. Numerators are sums of these. n_orig counts the file of the people, original or control.
SELECT
    {{ class_key }}, level_code,
    n_own AS n_orig, n_syn, n_own_class AS n_orig_class, {{ columns[3:] | join(", ") }},
    {{ people }} AS people,
{% if excludes %}
    CASE WHEN excluded_orig IS NULL THEN {{ people }} ELSE 0 END AS counted_orig,
    CAST(SUM(CASE WHEN excluded_orig IS NULL THEN {{ people }} ELSE 0 END)
        OVER (PARTITION BY {{ grouped_by }}) AS {{ number }}) AS counted_orig_class,
    CASE WHEN excluded_syn IS NULL THEN n_syn ELSE 0 END AS counted_syn,
    excluded_orig, excluded_syn
{% else %}
    {{ people }} AS counted_orig, {{ people_class }} AS counted_orig_class, n_syn AS counted_syn
{% endif %}
FROM (
    {{ cells | indent(4) }}
) AS seen
