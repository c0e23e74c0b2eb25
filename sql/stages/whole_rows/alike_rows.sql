/*---
grain = "one row per class of whole rows that may have a near row on the other side, for one set of columns left out"
reads = "row_counts, alike_records"
---*/
{% from "macros/class_key.sql" import key_without, kept_key, same_kept_key with context %}
{% from "macros/counts.sql" import counts_of, records_of %}
-- The rows of people are found through the synthetic records in alike_records, which are few compared with all people.
SELECT {{ class_key }}, {{ counts_of(files) }}, {{ kept_key() }} FROM {{ alike_records }}
UNION ALL
SELECT {{ class_key }}, {{ counts_of(files) }}, {{ kept_key() }}
FROM (
    SELECT {{ class_key }}, {{ counts_of(files) }}, {{ key_without(dropped) }}
    FROM {{ row_counts }}
    {# unchanged by [= → <=]: no count and no code is below 0 #}
    {# unchanged by [= → >=]: more rows pass, and near_hits.sql then tests which files have them #}
    WHERE {{ records_of(synthetic_files) }} = 0
) AS own
{# unchanged by [1 → 0], [1 → 2]: only the existence of a row matters #}
WHERE EXISTS (SELECT 1 FROM {{ alike_records }} AS alike WHERE {{ same_kept_key("own", "alike") }})
