"""Every template under sql/, in every variant, keeps to the portable subset; what it may not do is
caught.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import portable
import pytest
import sqlglot
from portable_rules import violations

from sqlrisk.catalogue import attackers
from sqlrisk.catalogue.reasons import reasons
from sqlrisk.catalogue.translation import parsed
from sqlrisk.catalogue.utility import utility_measures
from sqlrisk.common.resources import sql_folder

SQL = sql_folder()
# The views of a saved run are DuckDB's, as its file is; macros are no templates.
FILES = sorted(
    str(path.relative_to(SQL))
    for path in SQL.glob("*/**/*.sql")
    if path.parent.name not in ("saved", "macros")
)

VALUES = "reads the user's columns, by their quoted names, and values of their types"
LEVEL = "a level that the user typed, written in its column's own type"
# An assessment runs where a run can be: on DuckDB, PostgreSQL and Spark, which name columns and
# divide in one way.
RUN = "the statements of an assessment are run, and never compiled for another database"
DIVIDING = (
    "copied_records",
    "exchanged",
    "few_matches",
    "levels_apart",
    "many_empty_rows",
    "near_copy",
    "written_differently",
)
SAMPLES = "a hash chooses samples, and enters no number"
PLACE = "a value meets its place in the column's own order here, once"
DAY = "a day is read off the text that every database writes of it"
NAMED = {"node DPipe": LEVEL + "; a line break is CHR(10) between texts", "node Chr": LEVEL}
# a text of blanks alone says nothing
BLANK = dict.fromkeys(("node Chr", "node DPipe", "node Replace", "node Trim"), RUN)
RECODES = (
    "uncoded",
    "dated",
    "aged",
    "grouped",
    "banded",
    "equally_banded",
    "rare_joined",
    "recoded_levels",
)
# What a file may do beyond the subset, and why. A rule ends the text that it matches only up to its
# length.
EXCEPTIONS = {
    "stages/encoding/values.sql": {
        "quoted name": VALUES,
        "node IsNan": "NaN counts as missing",
        "cast to": VALUES,
        "node TryCast": LEVEL,
    },
    "stages/encoding/file_values.sql": {
        "quoted name": VALUES,
        "node IsNan": "NaN counts as missing",
        "cast to": VALUES,
        "node TryCast": LEVEL,
    },
    "stages/encoding/listed_levels.sql": {
        "cross join": "each is one row",
        "node": "only DuckDB looks levels up in lists",
    },
    "stages/encoding/records.sql": {
        "cross join": "the lists are one row",
        "node Anonymous": "only DuckDB looks levels up in lists",
        "join on values": "a value meets its code here, once",
        "alias p": (
            "a condition on recoded columns reads source.p1, which the alias p1 does not hide"
        ),
    },
    "stages/comparisons/rare_classes.sql": {
        "cross join": "the number of people is one row",
        "star": "the columns of the classes, whichever they are, and the people at each level",
    },
    "tables/risky_cells.sql": {"star": "the columns of rare_classes"},
    "stages/encoding/partly_coded_records.sql": {
        "join on values": "a value meets its code here, once"
    },
    "stages/encoding/records_in_parts.sql": {
        "star": "only DuckDB writes parts: all columns of the records, whichever they are"
    },
    "stages/encoding/passes.sql": {
        "node": "only DuckDB counts in passes",
        "window": "of a sample",
    },
    "stages/encoding/record_ids.sql": {"quoted name": VALUES},
    "stages/assessment/shared_rows.sql": {
        "quoted name": VALUES,
        "node IsNan": "NaN counts as missing",
        "cast to": VALUES,
    },
    **{
        f"stages/assessment/{name}.sql": {"alias": RUN}
        for name in ("changed_rows", "determined", "matched_people", "row_sums")
    },
    "stages/assessment/distinct_rows.sql": {
        "alias": RUN,
        "node Anonymous": SAMPLES,
        "node BitwiseAnd": SAMPLES,
    },
    "stages/assessment/level_sides.sql": {
        "alias": RUN,
        **dict.fromkeys(
            (
                "node DPipe",
                "node Lower",
                "node Replace",
                "node Substring",
                "node Trim",
                "node Upper",
            ),
            RUN,
        ),
    },
    "stages/assessment/empty_at_most.sql": BLANK,
    "stages/assessment/empty_rows.sql": {
        **BLANK,
        "quoted name": VALUES,
        "node IsNan": "NaN counts as missing",
        "cast to": VALUES,
    },
    "stages/assessment/sampled_rows.sql": {"node Anonymous": SAMPLES, "node BitwiseAnd": SAMPLES},
    "stages/assessment/log_shares.sql": {
        "division": RUN,
        "cross join": "the totals of the file are one row",
    },
    "stages/assessment/row_hashes.sql": {
        "division": RUN,
        "node": "a hash chooses samples and tells rows apart",
    },
    "stages/assessment/placed_rows.sql": {
        "node": "a hash chooses samples; the place of a digit is rounded down"
    },
    "reasons/constant_key.sql": {"alias": RUN},
    **{f"reasons/{name}.sql": {"division": RUN} for name in DIVIDING},
    "reasons/key_names_people.sql": {"alias": RUN, "division": RUN},
    "stages/assessment/reasons_found.sql": {"alias": RUN, "division": RUN},
    "stages/encoding/levels.sql": {"cast to": LEVEL, "join on values": PLACE},
    "stages/encoding/binned_levels.sql": {
        "cast to": "the missing value of the breaks has the column's type"
    },
    "stages/classes/classes_of_cells.sql": {
        "alias": "its condition reads none of the counts that are called as those of cells"
    },
    "tables/level_ideas.sql": {"cast to TEXT": "a level is compared with words, whatever holds it"},
    "stages/encoding/labels.sql": {
        "cast to TEXT": "the name of a group and a value stand in one column",
        "alias": "nothing else of the query reads what is called as the value that is shown",
        "join on values": "a level meets its label here, once, where it is shown",
    },
    "stages/recodes/uncoded.sql": {"cast to TEXT": "a value has no name yet"},
    "stages/recodes/dated.sql": {
        "cast to DATE": DAY,
        "cast to TEXT": DAY,
        "node Substring": DAY,
        "node DPipe": "2021 and -Q1",
    },
    "stages/recodes/aged.sql": {"cast to DATE": DAY, "cast to TEXT": DAY, "node Substring": DAY},
    "stages/recodes/grouped.sql": NAMED,
    "stages/recodes/equally_banded.sql": {"node Floor": "every engine rounds down"},
    "stages/recodes/rare_joined.sql": NAMED,
    "stages/recodes/recoded_levels.sql": {"join on values": PLACE},
    "stages/encoding/marginals.sql": {
        "cross join": "the totals of the files are one row",
        "quoted name": "the columns level and share of the user's baseline",
        "node Floor": LEVEL + "; its band is found as in equally_banded",
        "join on values": "a level of the user's baseline meets its code here, once",
        "node Boolean": LEVEL,
        "node DPipe": LEVEL + "; a line break is CHR(10) between texts",
        "node Chr": LEVEL,
    },
    "stages/tolerance/numbers.sql": {
        "cast to DECIMAL": (
            "whole numbers and decimals are compared exactly, with the places of the tolerance"
        ),
        "cast to FLOAT": LEVEL,
        "cast to DATE": "dates are compared by the days between them",
        "cast to TEXT": "a number of 4 bytes is that of its shortest text",
        "node DateDiff": (
            "dates are compared by the days between them; where a database cannot "
            "count them, it is refused"
        ),
        "node Var": "the unit of a difference of dates: the day",
    },
    "stages/tolerance/doubtful_levels.sql": {
        "join on a range": (
            "floating-point values that rounding alone puts within reach: hardly "
            "ever more than one an end"
        ),
    },
    "stages/encoding/value_ranks.sql": {"cast to": LEVEL},
    "stages/encoding/bin_bounds.sql": {
        "join on a range": (
            "a quantile lies between two of the values; there are at most as many as bins"
        ),
        "cross join": "one row (the number of values) by the bins",
    },
    "uniques/dis_suda.sql": {
        "cross join": "the number of records in pairs is one row",
        "node Pow": (
            "a score is weighed by a power of it; every engine has POWER, and it makes no count"
        ),
    },
    **{
        f"stages/comparisons/{name}.sql": {
            "cross join": "a row for each comparison that is counted, of which there are few"
        }
        for name in ("seen_cells", "seen_classes", "level_totals", "level_places")
    },
    "stages/comparisons/lone_classes.sql": {
        "cross join": "the number of levels of the target is one row"
    },
    "stages/comparisons/spread_classes.sql": {
        "cross join": "the number of levels of the target is one row"
    },
    "stages/nearest/neighbours_by_pairs.sql": {
        "cross join": (
            "each open class by each synthetic cell, where that is the cheaper way; "
            "refused above the work limit"
        )
    },
    "attackers/naive_bayes.sql": {
        "cross join": "every class by every level of the target, which is its work; levels by keys"
    },
    "attackers/one_rule.sql": {"cross join": "one row at most: whether this key is chosen"},
    "stages/intruder/beliefs.sql": {"cross join": "the number of levels of the target is one row"},
    "tables/reference_cells.sql": {"cross join": "all cells of a table, which is small"},
    "tables/reference_summary.sql": {
        "cross join": "the original's own averages are one row",
    },
    "tables/reference_histogram.sql": {
        "cross join": "random tables by the bins of a histogram, which are few"
    },
    "stages/membership/reference_record.sql": {
        "window": "over the people of control alone, where a half of them is asked for"
    },
    "stages/membership/control_halves.sql": {
        "cross join": "the last record of the first half is one row"
    },
    "tables/membership_rates.sql": {"cross join": "the scores that people have by four rates"},
    "tables/least_cells.sql": {
        "cross join": "the levels of the target by at most as many classes as are listed"
    },
    "stages/comparisons/excluded_pair.sql": {
        "cross join": "the code of the target level and that of the key level, one row each",
        "node TryCast": LEVEL,
        "cast to": LEVEL,
    },
    "tables/named_results.sql": {
        "cast to TEXT": "what is about the keys alone has a missing name of a target"
    },
    **{
        f"tables/{name}.sql": {"quoted name": "columns are named after the user's keys"}
        for name in ("named_records", "risky_named")
    },
    "stages/people/stored_columns.sql": {"quoted name": VALUES},
    "stages/people/record_counts.sql": {"quoted name": "columns are named after the user's"},
    "stages/people/scores_of_record.sql": {
        "quoted name": "columns are named after the user's keys"
    },
    "stages/people/cells_of_record.sql": {
        "cast to TEXT": "the reason of an exclusion is a text, also where nothing is excluded"
    },
    "tables/record_risk.sql": {
        "quoted name": 'columns are named after the user\'s, and "unique" is a word of SQL',
        "node Boolean": "what is so or not so of a record is a truth value",
    },
    "tables/lookup.sql": {
        "quoted name": VALUES,
        "node IsNan": "NaN counts as missing",
        "cast to": "levels of several columns stand in one, as text; and " + VALUES,
    },
    "tables/recoded.sql": {
        "quoted name": "writes the user's columns, by their quoted names",
        "cast to": "levels are written as text; and " + VALUES,
        "join on values": "a value meets its level here, once",
        "node": "only DuckDB writes files",
    },
    "stages/people/drawn.sql": {
        "quoted name": "draws records by all their values",
        "cast to": "values are drawn by as text",
        **dict.fromkeys(
            ("node MD5", "node Concat", "node Length"),
            "only DuckDB splits a file, and writes its halves",
        ),
    },
    "stages/utility/number_sums.sql": {
        "quoted name": VALUES,
        "node IsNan": "NaN counts as missing",
        "cast to": VALUES,
        "cross join": "the mean of a column of the original is one row",
    },
    "stages/whole_rows/row_chances.sql": {
        "cross join": "ten digits by ten, as far as there are numbers of people alike"
    },
    "tables/quantiles.sql": {"cross join": "the values of a column by five percents"},
    "tables/protected.sql": {
        "quoted name": "writes the user's columns, by their quoted names",
        "node Boolean": "the flag is a truth value",
        "node DPipe": LEVEL + "; a line break is CHR(10) between texts",
        "node Chr": LEVEL,
    },
}
# Texts that are inserted into others: an exception of the first is one of those that hold it.
PAIR, SPREAD = "stages/comparisons/excluded_pair.sql", "stages/comparisons/spread_classes.sql"
CELLS = [  # hold the cells of a comparison
    *(
        f"stages/comparisons/{name}.sql"
        for name in ("excluded_cells", "compared_cells", "distinct_cells", "ranked_cells")
    ),
    *(f"stages/comparisons/{name}.sql" for name in ("class_tops", "lone_classes", "guessed_cells")),
    *(
        f"stages/results/{name}.sql"
        for name in (
            "person_caps",
            "person_values",
            "moments",
            "disclosive_levels",
            "excluded",
            "two_way_candidates",
        )
    ),
    *(f"stages/people/{name}.sql" for name in ("modes", "cells_of_record", "near_cells_of_record")),
    *("stages/tolerance/within_cells.sql", "stages/tolerance/within.sql"),
    *("tables/risky_cells.sql", "tables/top_level.sql"),
]
INSERTED = {
    "stages/encoding/breaks.sql": [
        "stages/encoding/value_ranks.sql",
        "stages/encoding/bin_bounds.sql",
    ],
    "stages/tolerance/floating_intervals.sql": ["stages/tolerance/doubtful_levels.sql"],
    "stages/encoding/levels.sql": ["stages/encoding/values.sql"],
    "tables/listing.sql": ["stages/encoding/labels.sql"],
    **{
        f"stages/recodes/{name}.sql": [
            "stages/encoding/values.sql",
            *(f"stages/recodes/{each}.sql" for each in RECODES[:place]),
        ]
        for place, name in enumerate(RECODES)
    },
    "stages/encoding/records.sql": ["stages/encoding/file_values.sql"],
    **{
        f"stages/encoding/{name}.sql": [
            "stages/encoding/records.sql",
            "stages/encoding/file_values.sql",
        ]
        for name in ("passes", "records_in_parts")
    },
    **{
        f"stages/assessment/{name}.sql": ["stages/assessment/shared_rows.sql"]
        for name in ("distinct_rows", "sampled_rows")
    },
    **{path: [PAIR] for path in CELLS},
    "stages/comparisons/population_cells.sql": ["stages/comparisons/seen_cells.sql"],
    **{
        f"stages/comparisons/{name}.sql": ["stages/comparisons/seen_classes.sql"]
        for name in ("population_classes", "sampled_classes", "compared_classes")
    },
    **{
        path: ["stages/comparisons/seen_classes.sql"]
        for path in (
            "tables/overlap.sql",
            "stages/membership/score_counts.sql",
            "stages/results/alike_values.sql",
            "stages/whole_rows/drawn_rows.sql",
        )
    },
    SPREAD: [PAIR],
    "stages/comparisons/profiles.sql": [PAIR, SPREAD],
    "stages/people/profiles_of_record.sql": [PAIR, SPREAD],
    "stages/people/record_counts.sql": [PAIR, SPREAD, "stages/people/cells_of_record.sql"],
    "stages/intruder/evidence.sql": ["stages/intruder/beliefs.sql"],
    "stages/intruder/likelihoods.sql": ["stages/intruder/beliefs.sql"],
    "stages/intruder/posteriors.sql": [PAIR, "stages/intruder/beliefs.sql"],
    **{
        f"stages/comparisons/{name}.sql": [PAIR, "stages/comparisons/level_places.sql"]
        for name in ("ordered_shares", "ordered_classes")
    },
    "stages/results/totals.sql": [
        PAIR,
        SPREAD,
        "stages/intruder/beliefs.sql",
        "stages/comparisons/level_places.sql",
    ],
    "stages/intruder/best_guesses.sql": ["attackers/naive_bayes.sql"],
    "stages/intruder/drawn_guesses.sql": ["attackers/one_rule.sql"],
    "tables/least_cells.sql": [PAIR, SPREAD],
    "tables/record_risk.sql": [
        *("uniques/record_scores.sql", "stages/people/cells_of_record.sql"),
        "stages/comparisons/excluded_pair.sql",
    ],
    "tables/named_cells.sql": [
        "stages/encoding/labels.sql",
        "stages/comparisons/excluded_pair.sql",
    ],
    **{
        path: [
            *("stages/encoding/records.sql", "stages/encoding/file_values.sql"),
            "stages/encoding/labels.sql",
        ]
        for path in ("stages/classes/members.sql", "tables/named_records.sql")
    },
}


@pytest.fixture(scope="module")
def renderings() -> dict[tuple[str, str], portable.Rendering]:
    """Each text once, of the variants that have texts of their own."""
    telling = [name for name in portable.VARIANTS if name not in portable.REPEATING]
    found = [*portable.own_selects(), *chain.from_iterable(map(portable.renderings, telling))]
    return {(each.path, each.sql): each for each in found}


@pytest.fixture(scope="module")
def different(renderings: dict[tuple[str, str], portable.Rendering]) -> list[portable.Rendering]:
    return unlike(renderings.values())


@pytest.fixture(scope="module")
def broken(different: list[portable.Rendering]) -> set[tuple[str, str]]:
    """Every (file, rule broken)."""
    return {(each.path, rule) for each in different for rule in violations(each.sql, each.tables)}


def unlike(renderings: Iterable[portable.Rendering]) -> list[portable.Rendering]:
    """One of the texts that differ in their numbers alone, as those of the first and the second
    target do.
    """
    return list({(each.path, re.sub(r"\d+", "0", each.sql)): each for each in renderings}.values())


def excepted(path: str, rule: str) -> set[tuple[str, str]]:
    """The exceptions that allow it."""
    holders = [path, *INSERTED.get(path, ())]
    return {
        (holder, name)
        for holder in holders
        for name in EXCEPTIONS.get(holder, ())
        if rule.startswith(name)
    }


def test_the_templates_of_a_few_questions_keep_to_the_portable_subset() -> None:
    """The quick part of the next one, which asks all."""
    few = unlike(
        chain(
            portable.own_selects(),
            portable.renderings("everything"),
        )
    )
    broken = {(each.path, rule) for each in few for rule in violations(each.sql, each.tables)}
    assert sorted((path, rule) for path, rule in broken if not excepted(path, rule)) == []


@pytest.mark.slow
def test_every_template_keeps_to_the_portable_subset(broken: set[tuple[str, str]]) -> None:
    assert sorted((path, rule) for path, rule in broken if not excepted(path, rule)) == []


@pytest.mark.slow
def test_every_exception_is_needed(broken: set[tuple[str, str]]) -> None:
    used = {each for path, rule in broken for each in excepted(path, rule)}
    assert {(path, rule) for path, rules in EXCEPTIONS.items() for rule in rules} - used == set()


@pytest.mark.slow
def test_the_variants_reach_every_line_of_every_template(
    renderings: dict[tuple[str, str], portable.Rendering],
) -> None:
    assert {path for path, _ in renderings} == set(FILES)
    texts = defaultdict(list)
    for path, sql in renderings:
        texts[path].append(" ".join(sql.split()))
    for path in FILES:
        text = " ".join(texts[path])
        assert [line for line in portable.template_text(SQL / path) if line not in text] == [], path


@pytest.mark.parametrize(
    ("rule", "sql"),
    {
        "FULL join": "SELECT a.x FROM a FULL JOIN b ON a.x = b.x",
        "RIGHT join": "SELECT a.x FROM a RIGHT JOIN b ON a.x = b.x",
        "USING or NATURAL join": "SELECT a.x FROM a JOIN b USING (x)",
        "USING or NATURAL join ": "SELECT a.x FROM a NATURAL JOIN b",
        "join without ON": "SELECT a.x FROM a, b",
        "cross join": "SELECT a.x FROM a CROSS JOIN b",
        "join on a range": "SELECT a.x FROM a JOIN b ON a.x < b.x",
        "join on a range ": "SELECT a.x FROM a JOIN b ON a.x = b.x AND a.y <= b.y",
        "join on a range  ": "SELECT a.x FROM a JOIN b ON a.x = b.x OR a.y = b.y",
        "join on values": "SELECT a.x FROM a JOIN b ON a.x = b.x AND a.value = b.value",
        "node NullSafeEQ": "SELECT a.x FROM a JOIN b ON a.x IS NOT DISTINCT FROM b.x",
        "node Filter": "SELECT COUNT(*) FILTER (WHERE x > 1) AS n FROM a",
        "node Qualify": "SELECT x FROM a QUALIFY ROW_NUMBER() OVER (ORDER BY x) = 1",
        "GROUP BY ALL": "SELECT x FROM a GROUP BY ALL",
        "node GroupingSets": "SELECT x FROM a GROUP BY GROUPING SETS ((x), ())",
        "node Rollup": "SELECT x FROM a GROUP BY ROLLUP (x)",
        "node Round": "SELECT ROUND(x) AS r FROM a",
        "node IntDiv": "SELECT x // 2 AS r FROM a",
        "node PercentileCont": "SELECT QUANTILE_CONT(x, 0.5) AS r FROM a",
        "node Anonymous": "SELECT SOMETHING(x) AS r FROM a",
        "node MD5": "SELECT MD5(x) AS r FROM a",
        "cast to TEXT": "SELECT CAST(x AS VARCHAR) AS r FROM a",
        "division x / 2": "SELECT x / 2 AS r FROM a",
        "division CAST(x AS DOUBLE) / y": "SELECT CAST(x AS DOUBLE) / y AS r FROM a",
        "division x / NULLIF(CAST(y AS DOUBLE), 0)": (
            "SELECT x / NULLIF(CAST(y AS DOUBLE), 0) AS r FROM a"
        ),
        "window frame not spelled ROWS BETWEEN": "SELECT SUM(x) OVER (ORDER BY x) AS r FROM a",
        "window frame not spelled ROWS BETWEEN ": "SELECT SUM(x) OVER (ORDER BY x RANGE BETWEEN "
        "UNBOUNDED PRECEDING"
        " AND CURRENT ROW) AS r FROM a",
        "window over records": "SELECT COUNT(*) OVER () AS r FROM records",
        "alias x hides a column": "SELECT SUM(x) AS x, MAX(x) AS y FROM a",
        "alias y hides a column": "SELECT b.x AS y FROM (SELECT x, y FROM a) AS b",
        "two columns named x": "SELECT x, y AS x FROM b",
        "UNION without ALL": "SELECT x FROM a UNION SELECT x FROM b",
        "IS other than NULL": "SELECT x FROM a WHERE x IS TRUE",
        "star": "SELECT * FROM a",
        "quoted name age": 'SELECT "age" FROM a',
        # Each step is read twice: an engine that computes a step anew wherever it is read would
        # read `a` eight times.
        "more than two steps of WITH that are read again": "WITH c AS (SELECT x FROM a), d AS "
        "(SELECT c.x FROM c JOIN c AS o"
        " ON c.x = o.x), e AS (SELECT d.x FROM d JOIN d AS o ON d.x = o.x) SELECT e.x FROM e JOIN "
        "e AS o ON e.x = o.x",
        "WITH inside WITH": (
            "WITH d AS (WITH c AS (SELECT x FROM a) SELECT x FROM c) SELECT x FROM d"
        ),
    }.items(),
)
def test_what_is_not_portable_is_caught(rule: str, sql: str) -> None:
    tables = {"a": ["x"], "b": ["z"], "records": ["x"]}
    assert rule.strip() in set(violations(sql, tables))


def test_what_is_portable_passes() -> None:
    sql = """WITH c AS (SELECT x AS x, COUNT(*) AS n FROM a GROUP BY x)
        SELECT c.x, 100 * CAST(c.n AS DOUBLE) / NULLIF(CAST(b.z AS DOUBLE), 0) AS percent,
            SUM(n) OVER (ORDER BY c.x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
        FROM c LEFT JOIN b ON c.x = b.x AND c.n = b.n WHERE c.x IS NOT NULL"""
    assert list(violations(sql, {"a": ["x"], "b": ["z"]})) == []


@pytest.mark.parametrize("folder", sorted({path.partition("/")[0] for path in FILES}))
def test_a_file_has_the_form_of_its_folder(folder: str) -> None:
    for path in FILES:
        if path.startswith(f"{folder}/"):
            has_the_form_of_its_folder(path)


def has_the_form_of_its_folder(path: str) -> None:
    start, header, body = re.split(
        r"^/\*---\n|^---\*/\n", (SQL / path).read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert start == "", path
    facts = tomllib.loads(header)
    if path.startswith("measures/"):
        braces = re.findall(r"\{[{%#].*?[}%#]\}", header + body)
        assert [each for each in braces if not re.fullmatch(r"\{\{ \w+ \}\}", each)] == [], path
        assert Path(path).stem == re.sub(r"\W+", "_", facts["name"]).lower(), path
    elif path.startswith("attackers/"):
        assert attackers.load(SQL / path).name == facts["name"], path
    elif path.startswith("reasons/"):
        assert path in {each.path for each in reasons()}
    elif path.startswith("utility/"):
        assert facts["name"] in {each.name for each in utility_measures()}, path
    else:
        assert facts["grain"].startswith("one row"), path
        assert facts["reads"], path
        assert set(facts) <= {"grain", "reads", "source"}, path


@pytest.mark.slow
def test_sqlglot_reads_every_template_back(different: list[portable.Rendering]) -> None:
    """What is printed from the tree parses to the same tree: nothing in it is taken for something
    else.

    Of the texts of a template that have the same lines of it one is read: what is inserted in them
    is read as a text of its own.
    """
    lines = {path: portable.template_text(SQL / path) for path in FILES}
    read = {
        (each.path, *(line in " ".join(each.sql.split()) for line in lines[each.path])): each
        for each in different
    }
    for each in read.values():
        tree = parsed(each.sql)
        assert sqlglot.parse_one(tree.sql(dialect="duckdb"), dialect="duckdb") == tree
