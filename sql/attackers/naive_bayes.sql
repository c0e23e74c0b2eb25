/*---
name   = "naive_bayes"
title  = "Naive Bayes on counts"
source = "Laplace smoothing; the categorical naive Bayes of scikit-learn (alpha = 1)"
work   = "levels * keys"
order  = 5
says   = "Multiplies how often each {target} goes with each single level of {keys}, as if the keys were independent among records with the same {target}."
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import column_list %}
-- The score is ln P(t) + sum over keys of ln((n_tv + 1) / (n_t + V)). n_t is the number of training records with target
-- level t, and n_tv of those that also have the person's level v of the key. V is the number of levels that the key has
-- in the training file or among the people. Terms that do not depend on v are summed once per target level.
SELECT
    {{ class_key_of("people") }}, priors.level_code AS level_code,
    priors.prior{% for part in parts %} + COALESCE(counts_{{ part.column.id }}.weight, 0){% endfor %} AS score
FROM (
    SELECT
{% call column_list() %}
        {{ class_key }},
{% for part in parts %}
        {{ part.digit }} AS digit_{{ part.column.id }},
{% endfor %}
{% endcall %}
    FROM {{ people }} AS classes
) AS people
CROSS JOIN (
    SELECT level_code, LN({{ quotient("n_syn_level", "n_syn_all") }}) - SUM(LN(n_syn_level + n_levels)) AS prior
    FROM {{ training_levels }} AS training_levels
    CROSS JOIN {{ key_sizes }} AS key_sizes
    GROUP BY level_code, n_syn_level, n_syn_all
) AS priors
{% for part in parts %}
LEFT JOIN (
    SELECT digit, level_code, LN(n_syn + 1) AS weight
    FROM {{ training_keys }} AS training_keys
    WHERE key_number = {{ part.column.number }}
) AS counts_{{ part.column.id }}
    ON people.digit_{{ part.column.id }} = counts_{{ part.column.id }}.digit
    AND priors.level_code = counts_{{ part.column.id }}.level_code
{% endfor %}
