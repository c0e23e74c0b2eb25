/*---
grain = "one row per size of a class of the original and pass: how many classes have it"
reads = "classes"
source = "frequencies of frequencies, of which models estimate how many of the population are alone with their keys"
---*/
SELECT n_orig AS n_records, COUNT(*) AS n_classes
FROM {{ classes }}
WHERE n_orig > 0
GROUP BY n_orig
