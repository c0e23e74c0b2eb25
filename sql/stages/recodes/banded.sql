/*---
grain = "one row per value of one column: a number's level is the band from low up to high that holds it, if one does"
reads = "aged, grouped, uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_in, is_number %}
SELECT
    value, label,
{% for end in ("low", "high") %}
    CASE
{% for band in recode.bands %}
        WHEN {{ is_number() }} AND {{ is_in(band, recode.number) }} THEN {{ band[end] }}
{% endfor %}
        ELSE {{ end }}
    END AS {{ end }},
{% endfor %}
    {{ counts_of(files) }}
FROM {{ values }} AS recoded
