/*---
grain = """\
one row per cell of one target, with the number of synthetic records nearest to a record in it, in columns named after \
the target"""
reads = "compared_cells of near_cells, modes"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code, cells.radius AS radius,
    cells.n_syn AS n_near_{{ target.id }}, cells.n_syn_class AS n_near_class_{{ target.id }},
    CASE WHEN cells.n_syn_class > 1 THEN modes.n_top ELSE cells.n_syn_class END AS n_near_top_{{ target.id }},
    COALESCE(modes.n_modal, 1) AS n_near_modal_{{ target.id }}
FROM (
    {{ compared | indent(4) }}
) AS cells
LEFT JOIN (
    {{ modes | indent(4) }}
) AS modes ON {{ same_class("cells", "modes") }}
