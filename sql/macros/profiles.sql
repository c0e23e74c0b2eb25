{% from "macros/numbers.sql" import share %}
{#- People guessed right without their keys: by a level drawn from the synthetic file, by the most frequent level of a
    file (ties split evenly), by any level of the synthetic file. `total` is SUM over a class's cells, or nothing. -#}
{% macro guessed_right(counted, total="") %}
{{ total }}(CAST({{ counted }} AS DOUBLE) * {{ share("n_syn_level", "n_syn_all") }}) AS expected_shuffled,
{{ total }}(
    {# unchanged by [= → >=]: nothing is more than the most #}
    CASE WHEN n_syn_level = top_level_syn THEN {{ share(counted, "n_mode_syn") }} ELSE 0 END
) AS expected_mode,
{{ total }}(
    {# unchanged by [= → >=]: nothing is more than the most #}
    CASE WHEN n_orig_level = top_level_orig THEN {{ share(counted, "n_mode_orig") }} ELSE 0 END
) AS expected_mode_orig,
{{ total }}(CASE WHEN n_syn_level > 0 THEN {{ share(counted, "n_levels_syn") }} ELSE 0 END) AS expected_uniform
{%- endmacro %}

{#- Condition: a cell is one of several of its class, of those with records of the comparison. -#}
{% macro of_several() %}
n_orig + n_syn < n_orig_class + n_syn_class AND n_orig + n_syn > 0
{%- endmacro %}
