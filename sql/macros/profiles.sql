{% from "macros/numbers.sql" import share %}
{#- The expected numbers of people guessed right without their keys: by a level drawn from the synthetic records, by the
    most frequent level of a file (ties split evenly), and by a synthetic level drawn evenly. `total` is SUM over a
    class's cells, or empty. -#}
{% macro guessed_right(counted, total="") %}
{{ total }}(CAST({{ counted }} AS DOUBLE) * {{ share("n_syn_level", "n_syn_all") }}) AS expected_shuffled,
{{ total }}(
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    CASE WHEN n_syn_level = top_level_syn THEN {{ share(counted, "n_mode_syn") }} ELSE 0 END
) AS expected_mode,
{{ total }}(
    {# unchanged by [= → >=]: no value exceeds the maximum #}
    CASE WHEN n_orig_level = top_level_orig THEN {{ share(counted, "n_mode_orig") }} ELSE 0 END
) AS expected_mode_orig,
{{ total }}(CASE WHEN n_syn_level > 0 THEN {{ share(counted, "n_levels_syn") }} ELSE 0 END) AS expected_uniform
{%- endmacro %}

{#- The distance between the level shares of a class and those of all people of its file. Only levels of the class are
    added up: the shares that the absent levels lose are gained by the present ones. `total` and `most` are SUM and MAX
    over the cells of a class, or empty. -#}
{% macro apart_from_all(cell, class, total="", most="") %}
{% set times = share(cell ~ " * CAST(n_own_all AS DOUBLE)", class ~ " * CAST(n_own_level AS DOUBLE)") %}
{{ total }}(
    CASE
        {# unchanged by [> → >=]: equal shares have a difference of 0 #}
        WHEN {{ times }} > 1 THEN {{ share(cell, class) }} - {{ share("n_own_level", "n_own_all") }} ELSE 0
    END
) AS apart_total,
{{ most }}({{ times }} - 1) AS apart_gain,
{{ most }}(ABS(LN(NULLIF({{ times }}, 0)))) AS apart_log
{%- endmacro %}

{#- After FROM: join the totals of each level of the row's target, in the row's comparison. -#}
{% macro with_levels(rows) %}
{{ "JOIN" if apart else "CROSS JOIN" }} (
    {{ level_totals | indent(4) }}
) AS target_levels
{%- for name in apart %}
    {{- " ON" if loop.first else " AND" }} {{ rows }}.{{ name }} = target_levels.of_{{ name }}
{%- endfor %}
{%- endmacro %}

{#- Condition: a cell has records of the comparison, and another cell of its class does as well. -#}
{% macro of_several() %}
n_orig + n_syn < n_orig_class + n_syn_class AND n_orig + n_syn > 0
{%- endmacro %}
