{% from "macros/numbers.sql" import quotient %}
{#- The absolute difference of two numbers. -#}
{% macro apart(one, other) %}
{# unchanged by [> → >=]: 0 gives 0 in both branches #}
CASE WHEN {{ one }} > {{ other }} THEN {{ one }} - {{ other }} ELSE {{ other }} - {{ one }} END
{%- endmacro %}

{#- The sum of |q - p| over the cells of a table, for the shares p of the original and q of the synthesis. -#}
{% macro differences() %}
SUM(n_cells * {{ apart("share_syn", "share_orig") }})
{%- endmacro %}

{#- The statistic of Voas and Williamson. -#}
{% macro voas_williamson() %}
SUM({{ quotient("n_cells * (n_syn - expected) * (n_syn - expected)", "(n_orig + n_syn) * share_all") }})
{%- endmacro %}

{#- The statistic of Freeman and Tukey. -#}
{% macro freeman_tukey() %}
4 * SUM(n_cells * (SQRT(n_syn) - SQRT(expected)) * (SQRT(n_syn) - SQRT(expected)))
{%- endmacro %}

{#- The term of a share p in the Jensen-Shannon divergence: p ln(p / m), where m is the mean of both shares. 0 if p is
    0. -#}
{% macro surprise(share) %}
CASE WHEN {{ share }} > 0 THEN {{ share }} * LN({{ quotient("2 * " ~ share, "share_orig + share_syn") }}) ELSE 0 END
{%- endmacro %}

{#- The Jensen-Shannon divergence, with natural logarithms. -#}
{% macro jensen_shannon() %}
{{ quotient("SUM(n_cells * " ~ surprise("share_orig") ~ ") + SUM(n_cells * " ~ surprise("share_syn") ~ ")", "2") }}
{%- endmacro %}

{#- The G statistic, over rows with records in both files. -#}
{% macro likelihood_ratio() %}
2 * (SUM(n_cells * n_syn * LN({{ quotient("n_syn", "expected") }}))
    - SUM(n_cells * n_syn) * LN({{ quotient("SUM(n_cells * n_syn)", "SUM(n_cells * expected)") }}))
{%- endmacro %}

{#- The sum of |s - e| / sqrt((d + s) c), divided by its expected value per cell if the differences are normal. -#}
{% macro weighted_differences() %}
{{ quotient("SUM(" ~ quotient("n_cells * " ~ apart("n_syn", "expected"), "SQRT((n_orig + n_syn) * share_all)") ~ ")",
    "0.7978845608028654") }}
{%- endmacro %}

{#- Degrees of freedom: the number of cells minus 1. -#}
{% macro freedom() %}
SUM(n_cells) - 1
{%- endmacro %}

{#- A value of a column as a number. NULL for special values. -#}
{% macro number_in(column, value) %}
{% if column.special %}
CASE WHEN {{ value }} IN ({{ column.special | join(", ") }}) THEN NULL ELSE CAST({{ value }} AS DOUBLE) END
{%- else %}
CAST({{ value }} AS DOUBLE)
{%- endif %}
{%- endmacro %}

{#- Sums over the records that have both numbers of a pair. The column names end with the name of the pair. -#}
{% macro sums_of_pair(x, y, pair) %}
{% set with_y = "CASE WHEN " ~ y ~ " IS NOT NULL THEN " ~ x ~ " END" %}
{% set with_x = "CASE WHEN " ~ x ~ " IS NOT NULL THEN " ~ y ~ " END" %}
COUNT({{ with_y }}) AS n_{{ pair }},
SUM({{ with_y }}) AS x_{{ pair }},
SUM({{ with_x }}) AS y_{{ pair }},
SUM({{ with_y }} * {{ x }}) AS xx_{{ pair }},
SUM({{ with_x }} * {{ y }}) AS yy_{{ pair }},
SUM({{ x }} * {{ y }}) AS xy_{{ pair }},
CASE
    WHEN MIN({{ with_y }}) < MAX({{ with_y }}) AND MIN({{ with_x }}) < MAX({{ with_x }}) THEN 1
    ELSE 0
END AS vary_{{ pair }}
{%- endmacro %}
