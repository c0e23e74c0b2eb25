/*---
grain = """\
one row per record, with the file number, on request its own number, the class key of some of the keys, a level code \
per target, populations and weight"""
reads = "coded_records: records with a column for the level code of each key instead of the class key"
---*/
{% from "macros/select.sql" import column_list, joined_by %}
-- Replaces records in a sweep, which encodes the files once, and packs the class key of each subset of the keys from
-- their codes.
SELECT
{% call column_list() %}
    file,
{% for name in identifiers %}
    {{ name }},
{% endfor %}
{% for key_column in key_columns %}
{% call joined_by("+") %}
{% for part in key_column.parts %}
    {{ part.packed(part.column.id) }} +
{% endfor %}
{% endcall %} AS {{ key_column.name }},
{% endfor %}
{% for target in targets %}
    {{ target.id }},
{% endfor %}
{% for column in persons %}
    {{ column }},
{% endfor %}
{% endcall %}
FROM {{ records }}
