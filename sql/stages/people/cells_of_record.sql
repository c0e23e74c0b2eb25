/*---
grain = """\
one row per cell of one target, with the counts that give the risk of a record in it, in columns named after the \
target"""
reads = "compared_cells, modes"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/numbers.sql" import share %}
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
    cells.n_orig AS n_orig_{{ target.id }}, cells.n_syn AS n_syn_{{ target.id }},
{% if baseline %}
    cells.share_given AS share_level_{{ target.id }},
{% else %}
    {{ share("cells.n_orig_level", "cells.n_orig_all") }} AS share_level_{{ target.id }},
{% endif %}
    CASE WHEN cells.n_syn_class > 1 THEN modes.n_top ELSE cells.n_syn_class END AS n_top_{{ target.id }},
    COALESCE(modes.n_modal, 1) AS n_modal_{{ target.id }},
{% if reason %}
    cells.{{ reason }} AS excluded_{{ target.id }}
{% else %}
    CAST(NULL AS VARCHAR) AS excluded_{{ target.id }}
{% endif %}
FROM (
    {{ compared | indent(4) }}
) AS cells
LEFT JOIN (
    {{ modes | indent(4) }}
) AS modes ON {{ same_class("cells", "modes") }}
