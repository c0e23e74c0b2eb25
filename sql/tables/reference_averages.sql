/*---
grain = """\
one row per random table, and one for the original (draw 0), with its average CAP, with non-matches counted as 0 \
(dcap) and left out (dcap_matched)"""
reads = "reference_cells, draws"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/numbers.sql" import quotient %}
SELECT
    draw,
    {{ quotient("100 * SUM(expected)", people) }} AS dcap,
    {{ quotient("100 * SUM(expected)", "SUM(n_orig_class)") }} AS dcap_matched
FROM (
    SELECT draw, n_orig_class, {{ quotient("SUM(n_orig * n_drawn)", "SUM(n_drawn)") }} AS expected
    FROM (
        SELECT 0 AS draw, {{ class_key }}, n_orig_class, n_orig, n_orig AS n_drawn
        FROM {{ reference_cells }}
        UNION ALL
        SELECT
            draws.draw AS draw, {{ class_key_of("dealt") }},
            {# unchanged by AS [n_orig_class → n_orig], AS [n_orig → n_syn]: UNION ALL matches columns by position #}
            dealt.n_orig_class AS n_orig_class, dealt.n_orig AS n_orig, draws.n AS n_drawn
        FROM {{ draws }} AS draws
        JOIN {{ reference_cells }} AS dealt ON draws.place = dealt.place
    ) AS tables
    {# unchanged by [> → >=]: a cell without records adds 0, and each class has a record #}
    WHERE n_drawn > 0
    GROUP BY draw, {{ class_key }}, n_orig_class
) AS matched
GROUP BY draw
