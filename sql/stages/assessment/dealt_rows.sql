/*---
grain = "one row per row that is read, with a hash of each hand of its columns"
reads = "shared_rows or distinct_rows"
---*/
-- A sample is taken by two of three hands, for the changes of columns in the third: whoever of one file is in it, the
-- rows like it of the others are, too.
{% from "macros/counts.sql" import counts_of %}
{% from "macros/select.sql" import column_list %}
SELECT
{% call column_list() %}
{% for column in columns %}
    {{ column.id }},
{% endfor %}
    {{ counts_of(files) }},
{% for hand in hands %}
    HASH({% for column in hand %}{{ column.id }}, {% endfor %}{{ loop.index0 }}) AS hand_{{ loop.index0 }},
{% endfor %}
{% endcall %}
FROM {{ rows }} AS dealt
