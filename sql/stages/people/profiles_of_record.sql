/*---
grain = """\
one row per class of one target, with statistics of the target's levels in the class, in columns named after the \
target"""
reads = "profiles"
---*/
SELECT
    {{ class_key }}, n_levels_orig AS n_levels_{{ target.id }}, entropy_orig AS entropy_{{ target.id }},
    l_recursive AS l_recursive_{{ target.id }}
FROM (
    {{ profiles | indent(4) }}
) AS profiles
