/*---
grain = "one row per record, with the codes of the targets encoded so far and the values of those that are not"
reads = "unfinished records, levels"
---*/
{% from "macros/record.sql" import code_of, join_dictionaries %}
{% from "macros/select.sql" import column_list %}
-- Made only if there are too many targets to look up in one statement: each join with a dictionary takes memory.
SELECT
{% call column_list() %}
    file,
{% for name in identifiers %}
    {{ name }},
{% endfor %}
{% for column in coded %}
    {{ column }},
{% endfor %}
{% for target in targets %}
    {{ code_of(target, {}) }} AS {{ target.id }},
{% endfor %}
{% for target in waiting %}
    value_{{ target.id }},
{% endfor %}
{% for column in persons %}
    {{ column }},
{% endfor %}
{% endcall %}
FROM {{ begun }} AS begun
{{ join_dictionaries(targets, levels, "begun", {}) }}
