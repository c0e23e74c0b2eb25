/*---
grain = "one row per record of a file in one of the samples, with a hash of each group of its columns"
reads = "shared_rows"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/rows.sql" import hands_of, in_some %}
{% set ids = columns | map(attribute="id") | join(", ") %}
{# Numbering runs on a single core, so records are numbered only if their hashes are made in parts. #}
SELECT {{ "ROW_NUMBER() OVER () AS row_number, " if numbered }}{{ ids }}, {{ counts_of(files) }}, hand_0, hand_1, hand_2
FROM (
    SELECT {{ ids }}, {{ counts_of(files) }}, {{ hands_of(hands) }}
    FROM {{ rows }} AS shared
) AS dealt
WHERE {{ in_some(samples) }}
