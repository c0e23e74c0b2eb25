/*---
grain = "one row per synthesis and person who is unique on the keys in the original and in the synthetic file"
reads = "people, record_risk"
---*/
SELECT synthesis, {{ columns | join(", ") }}
FROM record_risk
WHERE replicated_unique
