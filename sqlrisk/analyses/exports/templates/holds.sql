{% macro sqlrisk_within(own, targets, populations, syntheses) %}
{% for column, names in [('target', targets), ('population', populations), ('synthesis', syntheses)] if names %}
    and {{ own }}.{{ column }} in ({% for name in names %}{{ dbt.string_literal(dbt.escape_single_quotes(name | string)) }}{{ ", " if not loop.last }}{% endfor %})
{% endfor %}
{% endmacro %}

{% test holds(model, measure, operator, bound=none, against=none, people='original', against_people='original', points=[],
              against_points=[], targets=[], populations=[], syntheses=[], excepted=none) %}
-- Return the rows that break a rule, for each synthesis, population and weighting. Sums may differ in their last digits.
{% set other = bound if against is none else 'held.value' %}
{% set slack = '(0.00000000001 * abs(' ~ other ~ ') + 0.000000000001)' %}
{% set breaks = {'<=': ('>', '+'), '<': ('>=', '-'), '>=': ('<', '-'), '>': ('<=', '+')}[operator] %}
select own.measure, own.point, own.target, own.synthesis, own.population, own.weighted, own.value, {{ other }} as bound
from {{ model }} own
{% if against is not none %}
inner join {{ model }} held
    on held.synthesis = own.synthesis and held.population = own.population and held.weighted = own.weighted
    and (held.target = own.target or (held.target is null and own.target is null))
{% endif %}
where own.measure = {{ dbt.string_literal(dbt.escape_single_quotes(measure)) }} and own.people = '{{ people }}'
    and own.value {{ breaks[0] }} {{ other }} {{ breaks[1] }} {{ slack }}
{% if points %}
    and own.point in ({{ points | join(', ') }})
{% endif %}
{% if against is not none %}
    and held.measure = {{ dbt.string_literal(dbt.escape_single_quotes(against)) }} and held.people = '{{ against_people }}'
    and {{ 'held.point = ' ~ against_points[0] if against_points else '(held.point = own.point or held.point is null)' }}
{% endif %}
{{ sqlrisk_within('own', targets, populations, syntheses) }}
{% if excepted is not none %}
    and not (1 = 1 {{ sqlrisk_within('own', excepted['targets'], excepted['populations'], excepted['syntheses']) }})
{% endif %}
{% endtest %}
