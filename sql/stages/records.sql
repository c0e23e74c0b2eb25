/*---
grain = "one row per record of every file: file number, class key, one level code per target, on request its number; all integers"
reads = "the files, levels"
---*/
-- The class key packs the key codes by mixed radix (k1 + n1*(k2 + n2*k3 ...)): exact, invertible, nothing hashed. Where the
-- product of the level counts passes 2^62 it goes on in a further column. An outer join with COALESCE gives the missing level
-- its code 0 without a null-safe comparison, which most engines cannot hash.
{% for file in files %}
SELECT
    CAST({{ file.number }} AS INTEGER) AS file,
{% if file.record is not none %}
    source.record,
{% endif %}
{% for limb in limbs %}
    {%+ for part in limb.parts %}CAST(COALESCE({{ part.column.id }}.code, 0) AS BIGINT){{ " * " ~ part.stride if part.stride != 1 }}{{ " + " if not loop.last }}{% endfor %} AS {{ limb.name }}{{ "," if targets or not loop.last }}
{% endfor %}
{% for target in targets %}
    COALESCE({{ target.id }}.code, 0) AS {{ target.id }}{{ "," if not loop.last }}
{% endfor %}
FROM (
    SELECT
{% if file.record is not none %}
        {{ file.record }} AS record,
{% endif %}
{% for column in columns %}
        {{ column.value_in(file) }} AS value_{{ column.id }}{{ "," if not loop.last }}
{% endfor %}
    FROM {{ file.relation }}
) AS source
{% for column in columns %}
LEFT JOIN {{ levels[column.id] }} AS {{ column.id }} ON source.value_{{ column.id }} = {{ column.id }}.value
{% endfor %}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
