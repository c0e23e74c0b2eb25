/*---
grain = "one row per record: file number, on request its number, class key of some of the keys, one level code per target, populations and weight"
reads = "coded_records: records with a column for the level code of each key in the place of the class key"
---*/
-- Takes the place of records. A sweep encodes the files once; the class key of each subset of the keys is packed from their codes.
SELECT
    file,
{% if numbered %}
    record,
{% endif %}
{% if id %}
    record_id,
{% endif %}
{% for limb in limbs %}
    {%+ for part in limb.parts %}{{ part.packed(part.column.id) }}{{ " + " if not loop.last }}{% endfor %} AS {{ limb.name }}{{ "," if not loop.last or targets or persons }}
{% endfor %}
{% for target in targets %}
    {{ target.id }}{{ "," if not loop.last or persons }}
{% endfor %}
{% for column in persons %}
    {{ column }}{{ "," if not loop.last }}
{% endfor %}
FROM {{ records }}
