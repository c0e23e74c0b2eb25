/*---
grain = """\
one row per value of one column, with the band (low to high) that holds its number, if one does, as its level"""
reads = "aged, grouped, uncoded"
---*/
{% from "macros/counts.sql" import counts_of %}
{% from "macros/recodes.sql" import is_in, is_number %}
{% from "macros/select.sql" import column_list %}
SELECT
    value, label, COALESCE(band_low, own_low) AS low, COALESCE(band_high, own_high) AS high, {{ counts_of(files) }}
FROM (
    SELECT
        value, label, low AS own_low, high AS own_high, {{ counts_of(files) }},
{% call column_list() %}
{% for end in ("low", "high") %}
        CASE
{% for band in recode.bands %}
            WHEN {{ is_number() }} AND {{ is_in(band, recode.number) }} THEN {{ band[end] }}
{% endfor %}
        END AS band_{{ end }},
{% endfor %}
{% endcall %}
    FROM {{ values }} AS recoded
) AS bands
