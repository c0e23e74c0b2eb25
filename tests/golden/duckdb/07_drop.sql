-- Drops every table and view that the other files make, the results included.
-- Written by sqlrisk for DuckDB (run in the tests of sqlrisk).

DROP VIEW IF EXISTS work.sqlrisk_record_risk;

DROP VIEW IF EXISTS work.sqlrisk_named_records;

DROP VIEW IF EXISTS work.sqlrisk_risky_uio;

DROP VIEW IF EXISTS work.sqlrisk_named_classes;

DROP TABLE IF EXISTS work.sqlrisk_risky_classes_uio;

DROP TABLE IF EXISTS work.sqlrisk_measured;

DROP TABLE IF EXISTS work.sqlrisk_within_parts;

DROP TABLE IF EXISTS work.sqlrisk_cell_parts;

DROP TABLE IF EXISTS work.sqlrisk_class_ranges_t2;

DROP TABLE IF EXISTS work.sqlrisk_within_counts_t2;

DROP TABLE IF EXISTS work.sqlrisk_cells_t2;

DROP TABLE IF EXISTS work.sqlrisk_class_parts;

DROP TABLE IF EXISTS work.sqlrisk_classes;

DROP TABLE IF EXISTS work.sqlrisk_cells_t1;

DROP TABLE IF EXISTS work.sqlrisk_records;

DROP TABLE IF EXISTS work.sqlrisk_tolerance_intervals_t2;

DROP TABLE IF EXISTS work.sqlrisk_numbers_t2;

DROP TABLE IF EXISTS work.sqlrisk_marginals_t2;

DROP TABLE IF EXISTS work.sqlrisk_marginals_t1;

DROP TABLE IF EXISTS work.sqlrisk_files;

DROP TABLE IF EXISTS work.sqlrisk_levels_t2;

DROP TABLE IF EXISTS work.sqlrisk_levels_t1;

DROP TABLE IF EXISTS work.sqlrisk_levels_k2;

DROP TABLE IF EXISTS work.sqlrisk_breaks_k2;

DROP TABLE IF EXISTS work.sqlrisk_values_k2;

DROP TABLE IF EXISTS work.sqlrisk_levels_k1;

DROP TABLE IF EXISTS work.sqlrisk_results;
