/*---
grain = "one row per key, level of the key and level of one target that go together in the training file, with its records"
reads = "key_counts"
---*/
SELECT key_number, digit, level_code, n_syn
FROM (
    SELECT key_number, digit, level_code, {% for file in comparison.members %}{{ " + " if not loop.first }}{{ file.count }}{% endfor %} AS n_syn
    FROM {{ key_counts }}
    WHERE key_number IN ({% for part in parts %}{{ part.column.number }}{{ ", " if not loop.last }}{% endfor %})
) AS keys_seen
WHERE n_syn > 0
