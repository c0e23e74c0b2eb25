/*---
grain = """\
one row per measure, point, target, comparison, population and weighting, comparing the people of the original with \
those of control"""
reads = "side_rates"
source = """\
rates, errors and their propagation: Giomi et al. 2023 (Anonymeter), after Wilson 1927; t: Welch 1947; passes \
combined after Chan, Golub & LeVeque 1983"""
---*/
{% from "macros/numbers.sql" import share, quotient %}
{% from "macros/select.sql" import column_list %}
-- The adjusted risk is (r - c) / (1 - c) for the shares r (original) and c (control): what the synthesis added, as a
-- share of what control leaves. `adjusted` uses the plain shares. The center of its interval (adjusted_centre) uses the
-- rates, and its half width is adjusted_error.
SELECT
    measure, point, target, comparison, population, weighted,
    difference, adjusted, rate_orig, error_orig, rate_control, error_control,
    adjusted_centre, adjusted_error,
    adjusted_centre - adjusted_error AS adjusted_low, adjusted_centre + adjusted_error AS adjusted_high, t, df
FROM (
    SELECT
        measure, point, target, pair AS comparison, population, weighted,
        value_orig - value_control AS difference,
        -- If the share of control is 1, up to rounding of a sum, nothing is left to add.
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12]: results differ only by rounding #}
            WHEN 1 - share_control > 1e-12 THEN {{ quotient("share_orig - share_control", "1 - share_control") }}
        END AS adjusted,
        rate_orig, error_orig, rate_control, error_control,
        CASE
            {# unchanged by [> → >=], [1e-12 → 11e-12] in the next 3 lines: results differ only by rounding #}
            WHEN 1 - rate_control > 1e-12 THEN {{ quotient("rate_orig - rate_control", "1 - rate_control") }}
        END AS adjusted_centre,
        CASE WHEN 1 - rate_control > 1e-12 THEN SQRT(
            {{ quotient("error_orig * error_orig", "(1 - rate_control) * (1 - rate_control)") }}
            + {{ quotient("error_control * error_control * (1 - rate_orig) * (1 - rate_orig)",
                "(1 - rate_control) * (1 - rate_control) * (1 - rate_control) * (1 - rate_control)") }}
        ) END AS adjusted_error,
        {{ share("mean_orig - mean_control", "SQRT(square_orig + square_control)") }} AS t,
        {{ share("(square_orig + square_control) * (square_orig + square_control)",
            share("square_orig * square_orig", "n_orig - 1") ~ " + "
            ~ share("square_control * square_control", "n_control - 1")) }} AS df
    FROM (
        SELECT
{% call column_list() %}
            measure, point, target, pair, population, weighted,
{% for name in ["value", "share", "rate", "error", "n", "mean", "square"] %}
            {# unchanged by [MAX → MIN] in the next 2 lines: each side has one row #}
            {# unchanged by [= → <=] 0, [= → >=] 1 in the next 2 lines: a flag is 0 or 1 #}
            MAX(CASE WHEN of_control = 0 THEN {{ name }} END) AS {{ name }}_orig,
            MAX(CASE WHEN of_control = 1 THEN {{ name }} END) AS {{ name }}_control,
{% endfor %}
{% endcall %}
        FROM (
            {{ side_rates | indent(12) }}
        ) AS side_rates
        GROUP BY measure, point, target, pair, population, weighted
    ) AS beside
) AS compared
