{#- Every file has its own count columns. n_orig, n_control, n_syn_1 ... count records in a cell, n_orig_class ... in
    the cell's class, n_orig_all ... in the whole file. `within` chooses one of these: "", "_class" or "_all". -#}

{#- The sum of the records of several files. A file counts only in comparisons that include the file. `begin` is a
    prefix of the names of the counts. -#}
{% macro records_of(files, table="", within="", begin="") %}
{% for file in files -%}
{{ table ~ "." if table }}{{ begin }}{{ file["count" ~ within] }}
{{- " * " ~ file.times if file.times }}{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The count columns of several files, read from a table. -#}
{% macro counts_of(files, within="", table="") %}
{% for file in files -%}
{{ table ~ "." if table }}{{ file["count" ~ within] }}{{ ", " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The records of the original (`people`) and of each synthesis (`records_1` ...) at each level of a column. Rows with
    equal `by` are one level; without it, each row is a level and needs no grouping. -#}
{% macro counts_at_levels(entry, comparisons, by) %}
{% set counted = "CAST(SUM({}) AS BIGINT)" if by else "{}" %}
{{ counted.format(comparisons[0].people.count) }} AS people
{%- for comparison in comparisons -%}
, {{ counted.format(comparison.members[0].count) }} AS records_{{ comparison.number }}
{%- endfor %}

FROM {{ entry.levels }} AS levels{{ " GROUP BY " ~ by if by }}
{%- endmacro %}

{#- The count columns of several files, counted from records. -#}
{% macro count_records(files) %}
{% for file in files -%}
COUNT(CASE WHEN file = {{ file.number }} THEN 1 END) AS {{ file.count }}{{ ",\n" if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The number of these files that reveal the level: all records of the class in that file have the cell's level. -#}
{% macro files_that_reveal(files, table) %}
{% for file in files -%}
{# unchanged by [= → >=]: a cell has no more records than its class #}
CASE WHEN {{ table }}.{{ file.count }} = {{ table }}.{{ file.count_class }} AND {{ table }}.{{ file.count }} > 0
    THEN {{ file.times or 1 }} ELSE 0 END{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- The number of these files that have exactly one record in the class. -#}
{% macro files_with_one_record(files) %}
{% for file in files -%}
CASE WHEN {{ file.count }} = 1 THEN {{ file.times or 1 }} ELSE 0 END{{ " + " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#- Condition: a record is in one of these files. -#}
{% macro of_files(files, table="") %}
{{ table ~ "." if table }}file IN ({{ files | map(attribute="number") | join(", ") }})
{%- endmacro %}

{#- The reason to exclude a cell, if a count is above its limit, else NULL. Each argument is a count and its limit. -#}
{% macro over_limit() %}
{% set limits = varargs | selectattr(1, "ne", none) | list %}
{% if limits -%}
CASE WHEN {% for count, limit in limits %}{{ count }} > {{ limit }}{{ " OR " if not loop.last }}{% endfor %}
{{- " THEN 'cell over the size limit' END" }}
{%- else -%}
NULL
{%- endif %}
{%- endmacro %}
