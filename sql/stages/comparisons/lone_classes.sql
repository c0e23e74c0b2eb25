/*---
grain = "one row per class of one cell, of one target, for one comparison, with the columns of spread_classes"
reads = "compared_cells, level_totals"
---*/
{% from "macros/profiles.sql" import apart_from_all, guessed_right, with_levels with context %}
-- Most classes of personal data have one cell and need no ranking and no sums. The greatest count, the least count and
-- the cumulative count are all the count of this cell.
SELECT
    {{ class }}, n_orig AS class_orig, n_syn AS class_syn, n_syn AS top_syn,
    CASE WHEN n_syn > 0 THEN 1 ELSE 0 END AS n_modal,
    people, counted_orig,
    CASE WHEN n_syn > 0 THEN counted_orig ELSE 0 END AS counted_modal
{%- if whole %},
    n_levels_all, CASE WHEN n_orig > 0 THEN counted_orig END AS least_counted, counted_orig AS most_counted,
    CASE WHEN n_orig > 0 THEN 1 ELSE 0 END AS n_levels_orig,
    CAST(0 AS DOUBLE) AS entropy_orig,
    CASE WHEN n_orig > 0 THEN 1 ELSE 0 END AS l_recursive,
    {{ guessed_right("counted_orig") | indent(4) }},
    CASE WHEN n_orig > 0 THEN 1 ELSE 0 END AS n_least
{%- endif %}
{%- if close %},
    {{ apart_from_all("n_orig", "n_orig_class") | indent(4) }}
{%- endif %}

FROM (
    {{ compared | indent(4) }}
) AS cells_of_class
{% if whole %}
{{ with_levels("cells_of_class") }}
{% endif %}
{# unchanged by [= → >=]: a cell has no more records than its class #}
WHERE n_orig + n_syn = n_orig_class + n_syn_class AND n_orig + n_syn > 0
