/*---
grain = """\
one row per table, synthesis and distinct pair of a cell's counts in both files, with the cell's shares and score, and \
the records of the table in cells with this score or a lower one"""
reads = "table_counts"
---*/
{% from "macros/numbers.sql" import quotient, running %}
-- The score of a cell is the share of its records that are synthetic. A table without a record in one of the files has
-- no row, which can happen if records with a missing value are left out. Equal scores are equal DOUBLEs, because a
-- quotient of whole numbers is rounded once.
{% set whole = "table_number, synthesis" %}
WITH summed AS (
    SELECT {{ whole }}, n_orig, n_syn, CAST(SUM(cells_of_pass) AS BIGINT) AS n_cells
    FROM (SELECT {{ whole }}, n_orig, n_syn, n_cells AS cells_of_pass FROM {{ table_counts }}) AS passes
    GROUP BY {{ whole }}, n_orig, n_syn
), sized AS (
    SELECT
        {{ whole }}, n_cells, n_orig, n_syn, {{ quotient("n_syn", "n_orig + n_syn") }} AS score,
        CAST(SUM(n_cells * n_orig) OVER (PARTITION BY {{ whole }}) AS BIGINT) AS people,
        CAST(SUM(n_cells * n_syn) OVER (PARTITION BY {{ whole }}) AS BIGINT) AS synthetic
    FROM summed
), scored AS (
    SELECT
        {{ whole }}, n_cells, n_orig, n_syn, people, synthetic, score,
        {{ quotient("synthetic", "people + synthetic") }} AS share_all,
        {{ quotient("n_orig", "people") }} AS share_orig,
        {{ quotient("n_syn", "synthetic") }} AS share_syn,
        {{ quotient("n_orig * synthetic", "people") }} AS expected,
        CAST({{ running("SUM(n_cells * n_orig)", by="score, n_orig", within=whole) }} AS BIGINT) AS orig_so_far,
        CAST({{ running("SUM(n_cells * n_syn)", by="score, n_orig", within=whole) }} AS BIGINT) AS syn_so_far
    FROM sized
    WHERE people > 0 AND synthetic > 0
)
SELECT
    {{ whole }}, n_cells, n_orig, n_syn, people, synthetic, share_all, share_orig, share_syn, expected, score,
    MIN(orig_so_far - n_cells * n_orig) OVER (PARTITION BY {{ whole }}, score) AS orig_below,
    MAX(orig_so_far) OVER (PARTITION BY {{ whole }}, score) AS orig_upto,
    MAX(syn_so_far) OVER (PARTITION BY {{ whole }}, score) AS syn_upto
FROM scored
