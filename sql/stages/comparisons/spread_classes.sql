/*---
grain = """\
one row per class of several cells, of one target, for one comparison, with the vote of its synthetic records and \
sums over its levels"""
reads = "ranked_cells, level_totals"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/profiles.sql" import apart_from_all, guessed_right, with_levels with context %}
SELECT
    {{ class }}, class_orig, class_syn, top_syn,
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    COUNT(CASE WHEN cell_syn = top_syn AND top_syn > 0 THEN 1 END) AS n_modal,
    CAST(SUM(cell_people) AS {{ number }}) AS people,
    CAST(SUM(cell_counted) AS {{ number }}) AS counted_orig,
    CAST(
        {# unchanged by [= → >=]: no value exceeds the maximum #}
        SUM(CASE WHEN cell_syn = top_syn AND top_syn > 0 THEN cell_counted ELSE 0 END) AS {{ number }}
    ) AS counted_modal
{%- if whole %},
    n_levels_all, least_counted, most_counted,
    COUNT(CASE WHEN cell_orig > 0 THEN 1 END) AS n_levels_orig,
    SUM(
        CASE
            WHEN cell_orig > 0
                THEN -{{ quotient("cell_orig", "class_orig") }} * LN({{ quotient("cell_orig", "class_orig") }})
            ELSE 0
        END
    ) AS entropy_orig,
    -- Recursive (2,l)-diversity: how many j have r_1 < 2 (r_j + ... + r_m), counts r falling. j = 1 always does.
    {# unchanged by cell_orig [> → >=]: for a level without people the sum may be 0, and twice 0 changes no maximum #}
    COUNT(CASE WHEN cell_orig > 0 AND 2 * upto_orig > top_orig THEN 1 END) AS l_recursive,
    {{ guessed_right("cell_counted", "SUM") | indent(4) }},
    {# unchanged by [= → <=]: no value is below the minimum #}
    COUNT(CASE WHEN cell_orig > 0 AND cell_counted = least_counted THEN 1 END) AS n_least
{%- endif %}
{%- if close %},
    {{ apart_from_all("cell_orig", "class_orig", total="SUM", most="MAX") | indent(4) }}
{%- endif %}

FROM (
    {{ ranked_cells | indent(4) }}
) AS cells_of_class
{% if whole %}
{{ with_levels("cells_of_class") }}
{% endif %}
GROUP BY {{ class }}, class_orig, class_syn, top_syn{{ ", n_levels_all, least_counted, most_counted" if whole }}
