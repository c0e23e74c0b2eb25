/*---
grain = "one row per row of row_hashes, with its hashes of some columns and of the whole row"
reads = "row_hashes, row_sums"
---*/
{% from "macros/select.sql" import named_of %}
SELECT {{ named_of(names, "part") }}, {{ named_of(sums, "whole") }}
FROM {{ hashes }} AS part
JOIN {{ row_sums }} AS whole ON part.row_number = whole.row_number
