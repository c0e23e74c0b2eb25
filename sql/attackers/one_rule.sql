/*---
name   = "one_rule"
title  = "One rule: the best single key"
source = "1R, Holte 1993"
picks  = "drawn"
work   = "keys"
order  = 6
says   = "Uses the key among {keys} that best predicts {target} in the training file, and guesses the most frequent {target} for the person's level of this key."
---*/
{% from "macros/class_key.sql" import class_key_of with context %}
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import union_all %}
-- The best key is the key by which most training records are guessed right. Of equally good keys one is drawn evenly,
-- and so is one of the target levels that tie for a level of the key. If no training record has a person's level of the
-- key, the guess is the most frequent target level of the whole training file. Only people without a rule are joined to
-- it, by n_rules.
WITH ranked AS (
    SELECT key_number, digit, level_code, n_syn, MAX(n_syn) OVER (PARTITION BY key_number, digit) AS n_top
    FROM {{ training_keys }} AS training_keys
), rules AS (
    SELECT key_number, digit, level_code AS rule_level, n_top, COUNT(*) OVER (PARTITION BY key_number, digit) AS n_tied
    FROM ranked
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    WHERE n_syn = n_top
), right_keys AS (
    SELECT key_number, SUM(n_top) AS n_right
    FROM (SELECT DISTINCT key_number, digit, n_top FROM rules) AS tops
    GROUP BY key_number
), compared AS (
    SELECT key_number, n_right, MAX(n_right) OVER () AS n_best
    FROM right_keys
), chosen AS (
    SELECT key_number
    FROM compared
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    WHERE n_right = n_best
)
SELECT
    {{ class_key_of("people") }}, COALESCE(rules.rule_level, usual.usual_level) AS level_code,
    {{ quotient("1", "COALESCE(rules.n_tied, usual.n_usual)") }} AS score
FROM (
{% call union_all() %}
{% for part in parts %}
    SELECT {{ class_key_of("classes") }}, chosen.key_number AS key_number, {{ part.digit_of("classes") }} AS digit
    FROM {{ people | indent(4) }} AS classes
    CROSS JOIN (SELECT key_number FROM chosen WHERE key_number = {{ part.column.number }}) AS chosen
    UNION ALL
{% endfor %}
{% endcall %}
) AS people
LEFT JOIN rules ON people.key_number = rules.key_number AND people.digit = rules.digit
LEFT JOIN (
    SELECT level_code AS usual_level, 0 AS n_rules, COUNT(*) OVER () AS n_usual
    FROM (
        SELECT level_code, n_syn_level, MAX(n_syn_level) OVER () AS n_most
        FROM {{ training_levels }} AS training_levels
    ) AS ranked
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    WHERE n_syn_level = n_most
{# unchanged by [= → <=]: no count is below 0 #}
) AS usual ON COALESCE(rules.n_tied, 0) = usual.n_rules
