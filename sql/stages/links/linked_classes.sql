/*---
grain = """\
one row per class of people by all keys, with the records of each file, and the number of synthetic records nearest \
by the link columns of each source and by both"""
reads = "classes, link_sides, neighbours"
---*/
{% from "macros/class_key.sql" import as_kept_key, class_key_of, key_without, same_kept_key with context %}
{% from "macros/counts.sql" import counts_of %}
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import named_of %}
-- Keys of neither source are removed from the class key, because a link is about everybody who shares its columns.
-- share_drawn is the chance that a random record of those nearest on one side and a random record of those nearest on
-- the other side are the same record. share_ordered is this chance if one random order of the file breaks the ties on
-- both sides.
{% set counts = files | map(attribute="count") | list %}
{% set near = ["radius_a", "n_near_a", "radius_b", "n_near_b"] %}
SELECT
    {{ class_key }}, {{ counts | join(", ") }}, {{ near | join(", ") }}, n_near_both,
    {{ quotient("n_near_both", "CAST(n_near_a AS DOUBLE) * CAST(n_near_b AS DOUBLE)") }} AS share_drawn,
    {{ quotient("n_near_both", "n_near_a + n_near_b - n_near_both") }} AS share_ordered
FROM (
    SELECT
        {{ class_key_of("own") }}, {{ named_of(counts, "own") }}, {{ named_of(near, "sides") }},
        COALESCE(on_both.n_both, 0) AS n_near_both
    FROM (
        SELECT {{ class_key }}, {{ key_without(others) }}, {{ counts_of(files) }}
        FROM {{ classes }}
    ) AS own
    JOIN (
        SELECT {{ as_kept_key() }}, {{ near | join(", ") }}
        FROM {{ link_sides }}
    ) AS sides ON {{ same_kept_key("own", "sides") }}
    LEFT JOIN (
        SELECT {{ as_kept_key() }}, CAST(SUM(n_near) AS BIGINT) AS n_both
        FROM {{ link_neighbours }}
        GROUP BY {{ class_key }}
    ) AS on_both ON {{ same_kept_key("own", "on_both") }}
) AS linked
