{#- Condition: a value is a number that belongs to no group and no band. -#}
{% macro is_number() %}
label IS NULL AND (low IS NULL OR NOT low < high)
{%- endmacro %}

{#- Condition: a number is in a band. The band may be open at one end. -#}
{% macro is_in(band, number) %}
{{ number ~ " >= " ~ band.begin if band.begin is not none }}
{{- " AND " if band.begin is not none and band.end is not none }}
{{- number ~ " < " ~ band.end if band.end is not none }}
{%- endmacro %}

{#- The value, if the recode leaves it unchanged. Otherwise NULL. -#}
{% macro own_value() %}
CASE WHEN label IS NULL AND low IS NULL THEN value END
{%- endmacro %}

{#- Condition: a value has a level. If recodes must cover all values, one that no recode covers has none, and the user
    is told of it. -#}
{% macro is_level(recode) %}
value IS NOT NULL
{%- if recode.complete %}
 AND (label IS NOT NULL OR {{ "low < high" if recode.all_banded else "low IS NOT NULL" }})
{%- endif %}

{%- endmacro %}
