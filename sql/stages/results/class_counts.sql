/*---
grain = "one row per pass and class size in the original, with the number of classes"
reads = "classes"
source = "frequencies of frequencies, of which models estimate how many of the population are unique on their keys"
---*/
SELECT n_orig AS n_records, COUNT(*) AS n_classes
FROM {{ classes }}
WHERE n_orig > 0
GROUP BY n_orig
