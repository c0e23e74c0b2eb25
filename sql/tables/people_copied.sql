/*---
grain = """\
one row per synthesis and group of people (original or control), with the number and percentage of those whose row is \
in the synthesis"""
reads = "copies"
---*/
{% from "macros/numbers.sql" import share %}
SELECT
    comparison, of_control, people, records, people_released, records_of_people, uniques, pairs, uniques_released,
    100 * {{ share("people_released", "people") }} AS people_percent,
    100 * {{ share("records_of_people", "records") }} AS records_percent,
    100 * {{ share("uniques_released", "uniques") }} AS uniques_percent
FROM {{ copies }} AS copies
{# unchanged by [= → <=]: changes are numbered from 1, and 0 is no change #}
WHERE change = 0
