/*---
grain = """\
one row per cell of a class of several cells, with the greatest and the least count of the cells of its class, and the \
cumulative count of people from the rarest level on"""
reads = "compared_cells, class_tops"
---*/
{% from "macros/numbers.sql" import running %}
{% from "macros/profiles.sql" import of_several %}
{% from "macros/select.sql" import named_of, same_of %}
{% set own_class = "compared." ~ class_columns | join(", compared.") %}
SELECT
    {{ named_of(class_columns, "compared") }},
    n_orig AS cell_orig, n_syn AS cell_syn, n_orig_class AS class_orig, n_syn_class AS class_syn,
    people AS cell_people, counted_orig AS cell_counted, tops.top_syn AS top_syn
{%- if whole %},
    n_orig_level, n_syn_level, n_syn_all, tops.top_orig AS top_orig, tops.least_counted AS least_counted,
    tops.most_counted AS most_counted,
    {{ running("SUM(n_orig)", by="n_orig, level_code", within=own_class) }} AS upto_orig
{%- endif %}
{%- if close %},
    n_own_level, n_own_all
{%- endif %}

FROM (
    {{ compared | indent(4) }}
) AS compared
JOIN (
    {{ class_tops | indent(4) }}
) AS tops ON {{ same_of(class_columns, "compared", "tops") }}
WHERE {{ of_several() }}
