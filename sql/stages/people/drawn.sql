/*---
grain = "one row per record of a file, with its number and 1 if it was drawn"
reads = "the file"
source = "Taub et al. 2018, section 4.3: one half of the people makes the synthesis, the other was not in it"
---*/
{% from "macros/select.sql" import joined_by %}
-- Records are drawn by the MD5 of the seed, their values, and their number among records with the same values. So the
-- draw depends only on the content of the file, not on the order of records, threads or the machine. Without that
-- number, equal records would all fall into one half.
WITH hashed AS (
    SELECT
        {{ record }} AS record,
        MD5(CONCAT(
{% call joined_by(",") %}
{% for column in columns %}
            CASE
                WHEN {{ column }} IS NULL THEN '-'
                ELSE CONCAT(CAST(LENGTH({{ column }}) AS VARCHAR), ':', {{ column }})
            END,
{% endfor %}
{% endcall %}
        )) AS values_hash
    FROM {{ relation }}
), counted AS (
    SELECT
        record, values_hash,
        CAST(ROW_NUMBER() OVER (PARTITION BY values_hash ORDER BY record) AS VARCHAR) AS turn
    FROM hashed
), placed AS (
    SELECT record, ROW_NUMBER() OVER (ORDER BY MD5(CONCAT('{{ seed }}:', values_hash, ':', turn)), record) AS place
    FROM counted
)
SELECT record, CASE WHEN place <= {{ size }} THEN 1 ELSE 0 END AS drawn
FROM placed
