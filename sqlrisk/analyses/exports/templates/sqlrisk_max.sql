{% test sqlrisk_max(model, measure, bound, target=none) %}
-- Return a row if a number of the measure is above the bound, or if there is no number, for example because the name is mistyped.
select count(value) as numbers, max(value) as highest
from {{ model }}
where people = 'original' and measure = {{ dbt.string_literal(dbt.escape_single_quotes(measure)) }}
{% if target is not none %}
    and target = {{ dbt.string_literal(dbt.escape_single_quotes(target)) }}
{% endif %}
having count(value) = 0 or max(value) > {{ bound }} + (0.00000000001 * abs({{ bound }}) + 0.000000000001)
{% endtest %}
