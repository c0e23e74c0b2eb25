/*---
grain = "one row per comparison, with 1 for each file that is part of it and 0 for the others"
reads = "nothing: which files are compared is known before they are read"
---*/
{% from "macros/select.sql" import column_list, union_all %}
-- of_0 and so on are 1 if the people of that file are compared. with_1 and so on are 1 if that synthetic file is used,
-- by itself or pooled. Stages multiply each count of a file by its column here. So a single scan of the counts serves
-- all comparisons.
{% call union_all() %}
{% for comparison in comparisons %}
SELECT
{% call column_list() %}
    {{ comparison.number }} AS comparison,
{% for file in own %}
    {{ (file.number == comparison.people.number) | int }} AS of_{{ file.number }},
{% endfor %}
{% for file in members %}
    {{ (file.number in comparison.members | map(attribute="number")) | int }} AS with_{{ file.number }},
{% endfor %}
{% endcall %}
UNION ALL
{% endfor %}
{% endcall %}
