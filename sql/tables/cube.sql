/*---
grain = """\
one row per cell of a target, or per class, with the digit of each key, the level code, and the records of each file"""
reads = "cells or classes"
---*/
{% from "macros/counts.sql" import counts_of %}
SELECT
{% for digit in digits %}
    {{ digit }} AS key_{{ loop.index }},
{% endfor %}
    {{ level }} AS level_code, {{ counts_of(files) }}
FROM {{ counted }} AS counted
