/*---
grain = """\
one row per record of every file: file number, on request its number, class key, one level code per target; all \
integers but weights, and the values of targets that wait for their codes"""
reads = "the files, levels; own_ids"
---*/
{% from "macros/record.sql" import code_of, packed_codes, membership %}
{% from "macros/select.sql" import column_list, union_all %}
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact, invertible, nothing hashed. Where
-- the product of the level counts passes 2^62 it goes on in a further column. An outer join with COALESCE gives the
-- missing level its code 0 without a null-safe comparison, which most engines cannot hash.
{% if populations or weights %}
-- p1 ... say of each person whether they belong to a population (1), or to which of a column's (its level code); weight
-- is the survey weight. Synthetic records are nobody: 0.
{% endif %}
{% call union_all() %}
{% for file in files %}
SELECT
{% call column_list() %}
    CAST({{ file.number }} AS INTEGER) AS file,
{% if file.record is not none %}
    {{ "own.record AS record" if own_id is not none and not file.of_people else "source.record" }},
{% endif %}
{% if id %}
    {{ "source.record_id" if file.number == 0 else "CAST(NULL AS " ~ id_type ~ ")" }} AS record_id,
{% endif %}
{% for limb in limbs %}
    {{ packed_codes(limb.parts) }} AS {{ limb.name }},
{% endfor %}
{% for target in targets %}
    {{ code_of(target) }} AS {{ target.id }},
{% endfor %}
{% for target in waiting %}
    source.value_{{ target.id }},
{% endfor %}
{% for population in populations %}
    {{ membership(population, file) }} AS {{ population.flag }},
{% endfor %}
{% if weights %}
    {{ "weight" if file.of_people else "CAST(0 AS DOUBLE)" }} AS weight
{% endif %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
{% if file.record is not none %}
        {{ file.record }} AS record,
{% endif %}
{% if id and file.number == 0 %}
        {{ id }} AS record_id,
{% endif %}
{% if own_id is not none and not file.of_people %}
        {{ own_id.value_in(file) }} AS value_{{ own_id.id }},
{% endif %}
{% for target in waiting %}
        {{ target.value_in(file) }} AS value_{{ target.id }},
{% endfor %}
{% for column in columns if file.of_people or column.role != "b" %}
        {{ column.value_in(file) }} AS value_{{ column.id }},
{% endfor %}
{% if file.of_people %}
{% for population in conditions %}
        CASE WHEN {{ population.conditions[file.number] }} THEN 1 ELSE 0 END AS {{ population.flag }},
{% endfor %}
{% if weights %}
        CAST({{ weights }} AS DOUBLE) AS weight
{% endif %}
{% endif %}
{% endcall %}
    FROM {{ file.relation }}
) AS source
{% for column in columns if file.of_people or column.role != "b" %}
LEFT JOIN {{ levels[column.id] }} AS {{ column.id }} ON source.value_{{ column.id }} = {{ column.id }}.value
{% endfor %}
{% if own_id is not none and not file.of_people %}
-- The number of the person it was made from.
JOIN own_ids AS own ON source.value_{{ own_id.id }} = own.value
{% endif %}
UNION ALL
{% endfor %}
{% endcall %}
