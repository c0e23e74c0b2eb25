/*---
grain = "one row per level of one column, with its code, its digit in the class key, and its readable name"
reads = "levels"
---*/
{% if column.shares_codes %}
SELECT
    code, {{ digit }} AS digit,
    CASE
        WHEN low IS NULL THEN CAST(value AS VARCHAR)
        {# unchanged by [= → >=]: the lower end is never above the upper one #}
        WHEN low = high THEN format('{:.8g}', low)
        WHEN low > CAST('-Infinity' AS DOUBLE) AND high < CAST('Infinity' AS DOUBLE) THEN
            {# unchanged by [= → >=]: a flag is 0 or 1 #}
            '[' || format('{:.8g}', low) || ',' || format('{:.8g}', high) || CASE WHEN closed = 1 THEN ']' ELSE ')' END
        WHEN low > CAST('-Infinity' AS DOUBLE) THEN format('{:.8g}', low) || '+'
        ELSE '<' || format('{:.8g}', high)
    END AS level
FROM (
    {{ labels | indent(4) }}
) AS labels
{% else %}
SELECT code, {{ digit }} AS digit, value AS level
FROM (
    {{ labels | indent(4) }}
) AS labels
{% endif %}
