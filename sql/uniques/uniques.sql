/*---
grain = "one row with the classes of a file, its uniques, its records in pairs, and DIS"
reads = "classes"
source = "DIS: Skinner & Elliot 2002"
---*/
{% from "macros/numbers.sql" import share %}
{% set f = "CAST(" ~ fraction ~ " AS DOUBLE)" %}
-- The formula is explained in dis_suda.sql.
SELECT
    n_classes, n_uniques, n_paired,
    {{ share("n_uniques * " ~ f, "n_uniques * " ~ f ~ " + n_paired * (1 - " ~ f ~ ")") }} AS dis
FROM (
    SELECT
        COUNT(CASE WHEN {{ count }} > 0 THEN 1 END) AS n_classes,
        COUNT(CASE WHEN {{ count }} = 1 THEN 1 END) AS n_uniques,
        2 * COUNT(CASE WHEN {{ count }} = 2 THEN 1 END) AS n_paired
    FROM {{ classes }} AS classes
) AS counted
