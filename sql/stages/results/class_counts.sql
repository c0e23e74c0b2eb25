/*---
grain = "one row per pass and class size in the original, with the number of classes"
reads = "classes"
source = "frequencies of frequencies: models estimate the number of population uniques from them"
---*/
SELECT n_orig AS n_records, COUNT(*) AS n_classes
FROM {{ classes }}
WHERE n_orig > 0
GROUP BY n_orig
