/*---
grain = """\
one row per record of one file, with the file number, on request its own number, the class key and a level code per \
target; integers except for weights and values of targets not yet encoded"""
reads = "file_values, levels, listed_levels; record_ids"
---*/
{% from "macros/record.sql" import join_dictionaries, level_in, membership, packed_codes, waiting_in %}
{% from "macros/select.sql" import column_list %}
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact and invertible, without hashing.
-- If the product of the numbers of levels exceeds 2^62, a further column begins. p1 and so on are 1 if the person
-- belongs to a population, or the code of the person's level for the populations of a column. weight is the survey
-- weight. Synthetic records have 0 in all of them.
SELECT
{% call column_list() %}
    CAST({{ file.number }} AS INTEGER) AS file,
{% for name, value in identifiers.items() %}
    {{ value }} AS {{ name }},
{% endfor %}
{% for key_column in key_columns %}
    {{ packed_codes(key_column.parts, lists) }} AS {{ key_column.name }},
{% endfor %}
{% for target in targets %}
    {{ level_in(file, target, lists) }} AS {{ target.id }},
{% endfor %}
{% for target in waiting %}
    {{ waiting_in(file, target) }} AS value_{{ target.id }},
{% endfor %}
{% for population in populations %}
    {{ membership(population, file, lists) }} AS {{ population.flag }},
{% endfor %}
    {{ weight ~ " AS weight" if weight }}
{% endcall %}
FROM (
    {{ values | indent(4) }}
) AS source
{{ join_dictionaries(columns, levels, "source", lists) }}
{% if aligned_by %}
-- The number of the person that the record was made from.
JOIN record_ids AS own ON source.value_{{ aligned_by.id }} = own.value
{% endif %}
