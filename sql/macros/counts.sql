{#- Every file has a column of counts: n_orig, n_control, n_syn_1 ... in a cell; n_orig_class ... in its class; n_orig_all ... in the file. -#}

{#- Records of several files together: in the cell, in its class (within="_class") or in the file (within="_all"). -#}
{% macro records_of(files, table="", within="") %}
{% for file in files %}{{ table ~ "." if table }}{{ file["count" ~ within] }}{{ " + " if not loop.last }}{% endfor %}
{%- endmacro %}

{#- The count columns of several files, as a table has them. -#}
{% macro counts_of(files, within="", table="") %}
{% for file in files %}{{ table ~ "." if table }}{{ file["count" ~ within] }}{{ ", " if not loop.last }}{% endfor %}
{%- endmacro %}

{#- The count columns of several files, counted from records. -#}
{% macro count_records(files) %}
{% for file in files %}
COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ ",\n" if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Condition: a record is of one of these files. -#}
{% macro of_files(files) %}
file IN ({{ files | map(attribute="number") | join(", ") }})
{%- endmacro %}
