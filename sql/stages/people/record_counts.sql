/*---
grain = "one row per record of the chosen files, with the counts of its class, and of its cell for every target"
reads = "members; cells_of_record, near_cells_of_record, within_counts, profiles, compared_classes"
---*/
{% from "macros/class_key.sql" import same_class with context %}
{% from "macros/counts.sql" import records_of, of_files %}
{% from "macros/select.sql" import column_list, named_of %}
-- Left joins run in the written order. An engine may reorder inner joins, and join the cells of two targets by class
-- before it joins the records. That would make all pairs of levels: for ten targets, far too many rows.
SELECT
{% call column_list() %}
    members.file AS file_number,
{% for name, column in identifiers.items() %}
    members.{{ column }} AS {{ name }},
{% endfor %}
    members.n_orig_class AS n_orig_class, {{ records_of(comparison.members, "members", "_class") }} AS class_syn,
{% for block in blocks %}
    {{ named_of(block.names, block.alias) }},
{% endfor %}
{% endcall %}
FROM {{ members }} AS members
{% for block in blocks %}
LEFT JOIN (
    {{ block.query | indent(4) }}
) AS {{ block.alias }}
    ON {{ same_class("members", block.alias) }}
{% if block.target %}
    AND members.{{ block.target.id }} = {{ block.alias }}.level_code
{% endif %}
{% endfor %}
WHERE {{ of_files(files, "members") }}
