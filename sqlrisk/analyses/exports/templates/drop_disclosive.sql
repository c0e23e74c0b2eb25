{% macro drop_disclosive() %}
{# Drop the tables of disclosive models, except those that the variable sqlrisk_keep names. #}
{% set kept = var('sqlrisk_keep', []) %}
{% for node in (graph.nodes.values() if execute else []) if node.resource_type == 'model' and 'disclosive' in node.tags %}
    {% set made = adapter.get_relation(node.database, node.schema, node.alias) %}
    {% if node.package_name == model.package_name and node.name not in kept and made is not none %}
        {% do adapter.drop_relation(made) %}
    {% endif %}
{% endfor %}
{% endmacro %}
