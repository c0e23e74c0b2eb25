/*---
grain = """\
one row per target, comparison, population and pass, with people, mean and sum of squared deviations of every measure \
that is a mean of people's values"""
reads = "person_values"
---*/
{% from "macros/numbers.sql" import share %}
{% from "macros/select.sql" import column_list, each_of %}
{% from "macros/together.sql" import place, by_place with context %}
{% set window = "(" ~ by_place("PARTITION BY ") ~ ")" %}
-- Computed in two steps, first the mean and then the deviations from it, because the sum of squares minus the square of
-- the sum would lose digits. A person who is not counted enters the mean with the value 0.
SELECT
{% call column_list() %}
    {{ place() }},
{% for measure_column in measure_columns %}
    {# unchanged by [MAX → MIN] in the next 2 lines: all rows of a group have one value #}
    MAX(all_{{ loop.index }}) AS {{ measure_column.column }}_n,
    MAX(mean_{{ loop.index }}) AS {{ measure_column.column }}_mean,
    SUM(
        counted_{{ loop.index }} * (each_{{ loop.index }} - mean_{{ loop.index }})
            * (each_{{ loop.index }} - mean_{{ loop.index }})
        + (people_{{ loop.index }} - counted_{{ loop.index }}) * mean_{{ loop.index }} * mean_{{ loop.index }}
    ) AS {{ measure_column.column }}_deviations,
{% endfor %}
{% endcall %}
FROM (
    SELECT
{% call column_list() %}
        {{ each_of(by, "{0}") }} {{ each_of(measure_columns, "people_{1}, counted_{1}, each_{1}") }}
{% for measure_column in measure_columns %}
        CAST(SUM(people_{{ loop.index }}) OVER {{ window }} AS BIGINT) AS all_{{ loop.index }},
        {{ share("SUM(counted_" ~ loop.index ~ " * each_" ~ loop.index ~ ") OVER " ~ window,
                 "SUM(people_" ~ loop.index ~ ") OVER " ~ window) }} AS mean_{{ loop.index }},
{% endfor %}
{% endcall %}
    FROM (
        {{ persons | indent(8) }}
    ) AS persons
) AS means
{{ by_place("GROUP BY ") }}
