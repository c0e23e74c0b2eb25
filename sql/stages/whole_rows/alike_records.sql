/*---
grain = """\
one row per class of whole rows that has synthetic records and equals some person's row in all but the columns left \
out"""
reads = "row_counts"
---*/
{% from "macros/class_key.sql" import key_without, kept_key, same_kept_key with context %}
{% from "macros/counts.sql" import counts_of, records_of %}
-- Rows that differ at most in some columns are equal without these. To leave out a column, its digit is removed from
-- the class key. EXISTS costs a quarter of grouping by the rest.
{% set kept = key_without(dropped) %}
SELECT {{ class_key }}, {{ counts_of(files) }}, {{ kept_key() }}
FROM (
    SELECT {{ class_key }}, {{ counts_of(files) }}, {{ kept }}
    FROM {{ row_counts }}
    {# unchanged by [> → >=]: more rows pass, and near_hits.sql then tests which files have them #}
    WHERE {{ records_of(synthetic_files) }} > 0
) AS own
WHERE EXISTS (
    {# unchanged by [1 → 0], [1 → 2]: only the existence of a row matters #}
    SELECT 1
    FROM (
        SELECT {{ kept }}
        FROM {{ row_counts }}
        {# unchanged by [> → >=]: more rows pass, and near_hits.sql then tests which files have them #}
        WHERE {{ records_of(people_files) }} > 0
    ) AS held
    WHERE {{ same_kept_key("own", "held") }}
)
