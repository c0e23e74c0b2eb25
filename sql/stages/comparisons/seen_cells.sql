/*---
grain = "one row per cell of one target and comparison of a query, with what the intruder sees"
reads = "cells, near_cells or reached_cells; marginals; comparisons if there are several"
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/counts.sql" import records_of, files_that_reveal %}
{% from "macros/together.sql" import for_each_comparison with context %}
-- n_own counts the file of the people, original or control. n_base always counts the original, whose CAPd and baseline
-- are the reference. n_revealing is the number of compared files that reveal the level by themselves. It is made only
-- if a measure reads it.
SELECT
    {{ class_key_of("cells") }}, cells.level_code AS level_code,
    {{ records_of(own, "cells") }} AS n_own, {{ records_of(synthetic, "cells") }} AS n_syn,
    {{ records_of(own, "cells", "_class") }} AS n_own_class,
    {{ records_of(synthetic, "cells", "_class") }} AS n_syn_class,
    marginals.n_orig AS n_orig_level, {{ records_of(members, "marginals") }} AS n_syn_level,
    marginals.n_orig_all AS n_orig_all, {{ records_of(members, "marginals", "_all") }} AS n_syn_all,
    cells.n_orig AS n_base, cells.n_orig_class AS n_base_class,
{% for name, value in carried.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
{% if each_file %}
    {{ files_that_reveal(members, "cells") }} AS n_revealing,
{% endif %}
    marginals.excluded_level AS excluded_level
FROM {{ cells }} AS cells
JOIN {{ marginals }} AS marginals ON cells.level_code = marginals.level_code{{ for_each_comparison() }}
