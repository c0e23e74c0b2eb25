/*---
grain = """\
one row per distinct combination of counts of cells with people, with the chances that two guesses are right: the most \
frequent level of the synthetic class, and of the others in the original"""
reads = "compared_cells"
---*/
{% from "macros/numbers.sql" import quotient %}
{% from "macros/select.sql" import column_list %}
-- A guess is the most frequent level of the class. Of tied levels one is drawn evenly. The others of a person are all
-- people of the original except this person. If the person's level is the only most frequent one, it has one record
-- fewer among the others, and may tie there with levels that the person does not have. In all other cases the greatest
-- count stays. People of control have no record in the original to leave out.
{% set kept = by + ["people", "counted_orig"] %}
{% set seen = ["n_syn", "n_syn_class", "n_others", "n_others_class"] %}
WITH compared AS (
    {{ compared | indent(4) }}
), topped AS (
    SELECT
        {{ (class_columns + kept + seen) | join(", ") }}, n_base,
        MAX(n_syn) OVER ({{ of_class }}) AS n_top_syn, MAX(n_base) OVER ({{ of_class }}) AS n_top_base
    FROM compared
), tied AS (
    SELECT
        {{ (kept + seen) | join(", ") }}, n_base, n_top_syn, n_top_base,
        {# unchanged by [= → >=] in the next 2 lines: no value is beyond the minimum or maximum #}
        COUNT(CASE WHEN n_syn = n_top_syn THEN 1 END) OVER ({{ of_class }}) AS n_tied_syn,
        COUNT(CASE WHEN n_base = n_top_base THEN 1 END) OVER ({{ of_class }}) AS n_tied_base,
        COUNT(CASE WHEN n_base = n_top_base - 1 THEN 1 END) OVER ({{ of_class }}) AS n_next_base
    FROM topped
), without_self AS (
    SELECT
        {{ (kept + seen) | join(", ") }}, n_top_syn, n_tied_syn,
        {# unchanged by n_base [= → >=]: no value is beyond the minimum or maximum #}
        {# unchanged by [= → <=] 1: at least one level has the maximum #}
        CASE WHEN n_base = n_top_base AND n_tied_base = 1 THEN n_others ELSE n_top_base END AS n_top_others,
        CASE
            {# unchanged by [= → <=]: at least one level has the maximum #}
            {# unchanged by [= → >=]: a level that ties for the maximum no longer has it without the person #}
            WHEN n_others < n_base AND n_tied_base = 1 THEN n_next_base + 1 ELSE n_tied_base
        END AS n_tied_others
    FROM tied
    {# unchanged by [> → >=]: a cell without people adds 0 #}
    WHERE people > 0
), chances AS (
    SELECT
        {{ (by + ["people AS cell_people", "counted_orig AS cell_counted"]) | join(", ") }},
        n_top_syn, n_top_others, n_syn_class AS n_all_syn, n_others_class AS n_all_others,
        CASE
            {# unchanged by [= → >=]: no value is beyond the minimum or maximum #}
            WHEN n_syn = n_top_syn AND n_syn > 0 THEN {{ quotient("1", "n_tied_syn") }} ELSE 0
        END AS chance_syn,
        CASE
            {# unchanged by [= → >=]: no value is beyond the minimum or maximum #}
            WHEN n_others = n_top_others AND n_others > 0 THEN {{ quotient("1", "n_tied_others") }} ELSE 0
        END AS chance_others
    FROM without_self
)
SELECT
{% call column_list() %}
{% for name in by %}
    {{ name }},
{% endfor %}
    n_all_syn, n_top_syn, chance_syn, n_all_others, n_top_others, chance_others,
    CAST(SUM(cell_people) AS {{ number }}) AS people,
    CAST(SUM(cell_counted) AS {{ number }}) AS counted_orig,
{% endcall %}
FROM chances
GROUP BY
    {{ by | join(", ") ~ ", " if by }}n_all_syn, n_top_syn, chance_syn,
    n_all_others, n_top_others, chance_others
