/*---
grain = """\
one row per class of people, or cell with people, with the records of each file that have the near key within the \
tolerance, equal other keys and (for a cell) the same level of the target"""
reads = "classes or cells; tolerance_intervals"
---*/
{% from "macros/class_key.sql" import class_key_of, key_without, kept_key with context %}
{% from "macros/counts.sql" import records_of %}
{% from "macros/tolerance.sql" import between_ends, records_at with context %}
-- Among classes with equal other keys, a sort by the near key finds the records within the tolerance. A class without a
-- row here (with a missing or special value of the near key) matches only its own records.
{% set level = "level_code, " if of_cells else "" %}
{% set counted_level = "counted.level_code AS level_code, " if of_cells else "" %}
{# unchanged by [> → >=]: no query reads rows without people #}
{% set of_people %} AND {{ records_of(people_files, "counted") }} > 0{% endset %}
{% call(turn, code) between_ends(level ~ class_key, apart=level ~ kept_key(), found="found") %}
SELECT
    {{ class_key_of("counted") }}, {{ key_without([near_key.column.id]) }},
    {{ counted_level }}near.{{ code }} AS code, {{ turn }} AS turn, {{ records_at(turn, "counted") }}
FROM {{ counted }} AS counted
JOIN {{ tolerance_intervals }} AS near ON {{ near_key.digit_of("counted") }} = near.level_code
WHERE near.number IS NOT NULL{{ of_people if turn }}
{% endcall %}
