/*---
grain = """\
one row per cell of one target with people, for one comparison, with an intruder's probability of the true level \
before and after seeing the syntheses; with populations, one for each population"""
reads = "likelihoods, compared_cells"
source = "Reiter, Wang & Zhang 2014, for a saturated multinomial synthesis with a Dirichlet prior"
---*/
{% from "macros/class_key.sql" import class_key_of, same_cell with context %}
{% from "macros/numbers.sql" import power, quotient %}
SELECT
    {{ class_key_of("believed") }}, believed.level_code AS level_code,
{% if population_counts %}
    counted.population AS population,
{% endif %}
    counted.people AS people, counted.counted_orig AS counted_orig,
    believed.chance_posterior AS chance_posterior, believed.chance_prior AS chance_prior,
    believed.chance_mode AS chance_mode
FROM (
    SELECT
        {{ class_key }}, level_code,
        CASE
            {# unchanged by [>= → >]: if they are equal, both branches give 1 / (1 + others) #}
            WHEN own_evidence >= greatest
                THEN {{ quotient("1", "1 + " ~ power("greatest - own_evidence") ~ " * others") }}
            ELSE {{ quotient(power("own_evidence - greatest"), power("own_evidence - greatest") ~ " + others") }}
        END AS chance_posterior,
        {{ quotient("own_weight", "weight_all") }} AS chance_prior,
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12]: results differ only by rounding #}
            WHEN rival IS NULL OR own_evidence > rival + 1e-12 THEN 1
            {# unchanged by [>= → >], [1e-12 → 11e-12]: results differ only by rounding #}
            WHEN own_evidence >= rival - 1e-12 THEN {{ quotient("1", "1 + n_rivals") }}
            ELSE 0
        END AS chance_mode
    FROM (
        {{ likelihoods | indent(8) }}
    ) AS likelihoods
) AS believed
JOIN (
    {{ compared | indent(4) }}
) AS counted ON {{ same_cell("believed", "counted") }}
WHERE counted.people > 0
