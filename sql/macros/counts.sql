{#- Every file has its columns of counts: n_orig, n_control, n_syn_1 ... are its records in a cell, n_orig_class ...
    those in the class of the cell, n_orig_all ... those in the file. `within` says which: "", "_class" or "_all". -#}

{#- Records of several files together. -#}
{% macro records_of(files, table="", within="") %}
{% for file in files -%}
{{ table ~ "." if table }}{{ file["count" ~ within] }}{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The count columns of several files, as a table has them. -#}
{% macro counts_of(files, within="", table="") %}
{% for file in files -%}
{{ table ~ "." if table }}{{ file["count" ~ within] }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The count columns of several files, counted from records. -#}
{% macro count_records(files) %}
{% for file in files -%}
COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ ",\n" if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Condition: a record is of one of these files. -#}
{% macro of_files(files) %}
file IN ({{ files | map(attribute="number") | join(", ") }})
{%- endmacro %}
