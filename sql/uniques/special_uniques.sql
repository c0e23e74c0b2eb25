/*---
grain = "one row per special unique: a class of one record with a SUDA score in the highest tenth, ties included"
reads = "classes, suda_scores"
source = "Taub, Elliot, Pampaka & Smith 2018"
---*/
{% from "macros/class_key.sql" import class_key_of, same_class with context %}
{% from "macros/numbers.sql" import running %}
-- Of U uniques, take those with fewer than U/10 uniques above them: all whose score is at least the score of rank U/10,
-- rounded up. A unique that no keys single out, because some of its keys are missing, has 0 points.
WITH scored AS (
    SELECT
        {{ class_key_of("uniques") }}, COALESCE(suda_scores.points, 0) AS score_points,
        COALESCE(suda_scores.suda_score, 0) AS score
    FROM (SELECT {{ class_key }} FROM {{ classes }} AS classes WHERE {{ count }} = 1) AS uniques
    LEFT JOIN {{ suda_scores }} AS suda_scores ON {{ same_class("uniques", "suda_scores") }}
)
SELECT {{ class_key_of("scored") }}, scored.score AS suda_score
FROM scored
JOIN (
    SELECT
        score_points, n_uniques, {{ running("SUM(n_uniques)", by="score_points DESC") }} AS n_upto,
        SUM(n_uniques) OVER () AS n_all
    FROM (SELECT score_points, COUNT(*) AS n_uniques FROM scored GROUP BY score_points) AS counted
) AS ranks ON scored.score_points = ranks.score_points
WHERE 10 * (ranks.n_upto - ranks.n_uniques) < ranks.n_all
