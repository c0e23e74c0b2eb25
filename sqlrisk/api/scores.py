"""Functions that measure files: reports, risky cells, utility, and tables of published papers."""

from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from sqlrisk.api.calls import Call, require_own
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.fields import (
    CHECKS,
    CLOSER,
    MACHINE,
    OUTPUT,
    QUESTION,
    TABLES,
    ColumnsRun,
    Field,
    Run,
    SaveSettings,
    ScoreRun,
    TablesRun,
)
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlrisk.analyses.audit import Log
    from sqlrisk.analyses.scores.risk_utility import UtilityAsked
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.inputs.request import Question
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.inspection import Inspection
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.table import Table
    from sqlrisk.report.utility import Utility

Policy = Annotated[
    "PolicyFile | None",
    Field(
        CHECKS,
        "FILE",
        "Judge the numbers by the rules of a TOML file; exit status 1 if one fails",
        "path",
    ),
]

Compared = Annotated[
    "Setting | bool | Mapping[str, Any]",
    Field(
        CLOSER,
        "COLUMNS",
        "Also measure utility, from tables of these columns, or of all",
        "list",
    ),
]
Maps = Annotated[
    Setting,
    Field(
        CLOSER,
        "RISK,UTILITY",
        "Draw a risk measure against one of utility: 'DiSCO,mean(S_pMSE)'; with --utility",
        "lines",
    ),
]


def score(
    original: Any = None,
    synthetic: Any = None,
    *,
    listings: bool = False,
    cube: bool = False,
    policy: Policy = None,
    utility: Compared = None,
    maps: Maps = None,
    **settings: Unpack[ScoreRun],
) -> "Report":
    """Measure what an intruder could learn about the people of ``original`` from ``synthetic``.

    Args:
        original: path, address, glob or folder, in a format of `sqlrisk guide files`; a pandas,
            polars or Arrow table, an Arrow dataset or scanner; a DuckDB relation; a DeltaTable or a
            table of pyiceberg.
        synthetic: one such source, a list of them (m syntheses), or a mapping from method names to
            lists.
        keys: columns the intruder knows: a list of names, or one CSV line ``"sex,age"``.
        targets: columns the intruder wants; by default those with the role sensitive, or if there
            are none ``"others"``: all that every file has, except keys, ids, weights and those with
            the role other. To name a column called others, write ``["others"]``.
        bins: column -> number of quantile bins (equal widths under 3 groups, special values
            included), over original and syntheses pooled.
        special: column -> values that are never put into a bin: each is a level of its own. If the
            column has a tolerance, these values match only themselves.
        missing: values to treat as missing in every column and file. A CSV column whose other
            values are numbers is then read as numbers.
        column: column -> what it is and how it is recoded: ``{"age": {"bands": [0, 18, 65]}}``; or
            lines ``"age.bands=0,18,65"``.
        encoding: encoding of CSV files: ``"windows-1252"``, or file -> encoding. Call a file
            ``original``, ``synthetic``, ``control``, ``universe``, ``baseline``, ``hierarchy`` or
            by the name that you gave. By default UTF-8, or UTF-16 or UTF-32 if a file begins with
            their byte order mark.
        delimiter: separator of CSV files, one character or ``"tab"``, or file -> separator as for
            ``encoding``. By default the one in a first line ``sep=;``, tab for ``.tsv`` and
            ``.tab``, else the most frequent of comma, semicolon, tab and bar in the header.
        decimal: decimal mark of CSV files: ``","`` or ``"."`` (the default), or file -> mark as for
            ``encoding``.
        quote: quote character of CSV files: one character, by default ``"``, or ``"none"``, or file
            -> character as for ``encoding``.
        within: column of numbers or dates -> how far a value may be from the true one and still
            count as right: ``500``, ``"5%"`` of the true value's size, or ``"30d"``, days. Adds the
            family ``within``. For one key: how far a record's value may be from the person's and
            still match. Adds the family ``near_keys``.
        within_floor: column with a tolerance in percent -> the minimum of the tolerance.
        exclude_level: target -> levels: the target's measures do not count people with one of these
            levels.
        exclude_missing: keys and targets: people with a missing value in one of them are not
            counted.
        exclude_pair: mappings with ``target``, ``target_level``, ``key``, ``key_level``; or lines
            ``"target=level,key=level"``.
        max_cell: records are not counted if their file has more than this many with the same keys
            and target level.
        max_cell_syn: people are not counted if more synthetic records than this have their keys and
            target level.
        justification: the reason for the exclusions, shown in the report.
        one_way, two_way: (people, percent), the thresholds of a check, which flags only what is
            above both. One-way, for a target level: the people in DiSCO who have it, and their
            percent of all people in DiSCO. Two-way, for a key level: the people in one DiSCO cell
            who have it, and the percent of all people with this key level who have the target level
            of the cell.
        copied: call a file a copy if, beyond chance, it has the rows of this percent of the people
            with a unique row; by default 50.
        matched: doubt a file that has the keys of fewer than this percent of the people; by default
            20.
        every_record: look for copies among all records, even of large files (over a million
            records, or over 20 million values).
        measures: names or families; by default ``identity``, ``attribute``, ``cap``, and families
            that other settings add, such as ``within``.
        class_sizes: lower bounds of the groups of ``class_size`` and ``universe_size``; by default
            1, 2, 3, 5, 10.
        set_sizes: maximum numbers of keys in a predicate (keys with a level for each), for
            ``singled_out`` and ``singled_predicates``; by default 1, 2, 3.
        base_rates: assumed percents of members among the people whom an intruder asks about, for
            ``membership_precision``; by default 1, 10, 50.
        populations: groups of people to compute the measures for: ``all``, ``uniques``, ``special``
            (the tenth of the uniques with the highest SUDA scores) and the names given in
            ``population``.
        population: name -> condition on a person, such as ``"sex = F AND age >= 65"``; or lines
            ``"NAME: condition"``.
        by: columns of the original: measures of people are also computed for each of their levels.
        weights: column of the original (and control) with survey weights: most measures of people
            (not membership) are also weighted.
        baseline: target -> Parquet or CSV file with the columns ``level`` and ``share``, which
            replaces the target's distribution in the original.
        control: people who were not in the synthesis, as one source: the measures are also computed
            for them, and compared.
        universe: the population that the original was sampled from, as one source with the keys:
            adds the family ``universe``.
        split, split_in: instead of ``control``: the people of ``original`` with this level of a
            column were in the synthesis, the others are control.
        id: column that identifies records; by default it is not a target.
        aligned: declare that record i of each synthetic file was made from record i of
            ``original``, or with ``id``, a column of all files, from the record with the same id.
            Adds the family ``matches``, about the people from whom records were made.
        assume: ``"saturated"``, with ``prior``: assume that in each class of the keys, target
            levels were drawn from the posterior of a multinomial with a Dirichlet prior. Adds the
            family ``intruder``: what somebody can infer who knows how they were drawn, and all of
            the original except one target level.
        prior: with ``assume``, the parameter of the Dirichlet prior for each level, a number above
            0.
        link: two sides of keys that an intruder wants to join, ``"age,sex/region,income"``, or a
            list of them; columns without a slash: every way to split them in two. Adds the family
            ``linkability``. Without ``keys`` these columns are the keys.
        intruder_prior: with ``assume``, what the intruder believes before seeing the files:
            ``"uniform"``: all levels are equally probable; ``"others"``: they are as frequent as
            among the other people of the class, with ``prior`` added to each count; ``"baseline"``:
            they have the shares in the file of ``baseline``.
        save: a .duckdb file that keeps the stage tables and readable views, for `query`, `cells`
            and `lookup`. On PostgreSQL and Spark, a schema for tables of risky cells and the risk
            of records. Both are microdata.
        confidence: confidence level of the intervals of comparisons with control; by default 0.95.
        distributions: also show the distribution of CAP and lift over people: quantiles and
            histograms.
        trend: also fit a line to each measure over the number of pooled syntheses.
        row_radius: maximum number of columns in which near copies differ, for the family
            ``copies``; by default 1.
        membership_ratio: also score membership by a ratio: the share of synthetic records with a
            person's keys, divided by the share of reference people with them. The reference is the
            second half of control, in the order of its file. Then only the first half counts as
            people who were not in the synthesis.
        release: description of the release on page one of the report: ``{"organisation": "...",
            "purpose": "..."}``.
        membership_epsilon: delta of differential privacy, 0 or more: also compute a lower bound of
            epsilon from membership; needs the extra ``stats``.
        sampled: share of the population that is in ``original``: also estimate how many people of
            the population are unique on their keys.
        work_limit: maximum number of steps of a search, e.g. for nearest records; a longer search
            is refused. By default 20,000,000,000.
        listings: also list the riskiest cells of DiSCO and repU, so that ``Report.to_html`` need
            not repeat the run.
        cube: also keep the counts of cells that the what-if form of an internal page needs.
        policy: a TOML file of rules to judge the numbers by. Measures that it names are added.
        utility: also compute utility: of all columns (``True``), of a list of columns, or with a
            dict of arguments of the function ``utility`` (columns, ways, groups, complete,
            measures, sort, top, work_limit).
        maps: pairs of a risk and a utility to draw: ``"DiSCO,mean(S_pMSE)"`` or a list. By default
            the first of DiSCO, DCAP and repU that is measured, against the mean of the utility
            measure named by ``sort`` (by default S_pMSE).
        measures_from: a folder of your own measures.
        scenario: a TOML file with the same settings; arguments given here win. ``FILE#NAME`` is one
            of several in a file.
        engine: ``"duckdb"``; the path of a DuckDB database, whose tables may be named instead of
            files; ``"spark"`` or ``"spark://host:port"``; ``"postgresql://host/database"``, or
            another database of `sqlrisk guide databases`; a SparkSession, or a psycopg or
            SQLAlchemy connection. Give a connection's table as ``(connection, "schema.table")``.
        scratch: a schema of that database for the stage tables; by default they are temporary, or
            in Spark's current schema.
        memory_limit: for example ``"4GB"``. threads: number of threads. temp_directory: where stage
            tables may spill.
        progress: called as ``progress(stage, step, steps, fraction)``, steps from 1, fraction 0 to
            1.
        trace: called as ``trace(sql, seconds)`` after each statement.

    Raises:
        InputError: the question or the input is wrong. ``problems`` lists every problem.
        PolicyError: the policy is not met. Its ``report`` has the verdicts.
        EngineError: the database failed.

    Example:
        >>> report = sqlrisk.score(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... )
        >>> f"{report.value('DiSCO'):.2f} % of the people"
        '53.50 % of the people'
    """
    from sqlrisk.analyses import audit
    from sqlrisk.analyses.scores import risk_utility, scoring
    from sqlrisk.api import places
    from sqlrisk.inputs import request
    from sqlrisk.inputs.judging import asked_by
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.inputs.request import with_excluded
    from sqlrisk.report import declared

    control, universe = settings.pop("control", None), settings.pop("universe", None)
    call = Call.of(settings, SaveSettings, function=score)
    question = request.require_control(
        call.ask(original, synthetic, control, universe=universe, with_universe=True)
    )
    judge = None if policy is None else read_policy(policy)
    besides: dict[str, UtilityAsked] = {}
    if is_compared(call, utility, maps, question):
        besides[""], question = risk_utility.ask(
            utility, maps, question, (original, synthetic), call.settings, judge, call.where
        )
    if judge is not None:
        question = asked_by(judge, question, useful=bool(besides))
    question = with_excluded(question)
    opened = call.session(question)
    options = {"policy": policy, **call.repeatable}
    trail = audit.watch(
        [question], options | ({"utility": utility, "maps": maps} if besides else {})
    )
    shown = {each.name: each.shown for each in question.measures}
    listed = declared.listed(shown, shown) if listings else ()
    # An error in this block leaves no saved file, and no schema if the error ends the session. The
    # error of a policy comes after the block, so the saved tables stay.
    with places.of(question, call, alone=not besides) as place, ExitStack() as sessions:
        session = sessions.enter_context(opened)
        report = scoring.score(
            question, session, place=place, log=trail.log, listed=listed, cube=cube
        )
        report = with_utility({"": report}, besides, call, sessions, trail.log)[""]
        report = report if judge is None else report.judged(judge)
    report = scoring.with_rerun(report, question, call.opener(question))
    return replace(report, trail=trail.end()).require()


def is_compared(call: Call, utility: object, maps: object, question: "Question") -> bool:
    """Return True if utility is asked for. Raises InputError if utility is asked for together with
    a scratch schema or Arrow readers, or if maps are asked for without utility.
    """
    from sqlrisk.inputs.sources import require_repeatable

    if utility is None or utility is False:
        if maps is not None:
            raise InputError(
                "maps: a map draws risk against utility, so it needs --utility all "
                "(utility=True), too."
            )
        return False
    if call.machine.scratch is not None:
        raise InputError(
            "utility: it cannot be measured with --scratch; leave it out, and run `sqlrisk "
            "utility`."
        )
    require_repeatable([question.original, *(each.source for each in question.syntheses)])
    return True


def with_utility(
    reports: "dict[str, Report]",
    besides: "Mapping[str, UtilityAsked]",
    call: Call,
    sessions: ExitStack,
    log: "Log | None",
) -> "dict[str, Report]":
    """Return the reports with the utility in ``besides``, if any is asked for. It is measured in a
    session of its own, after the open one in ``sessions`` has ended.
    """
    from sqlrisk.analyses.scores import risk_utility

    if not besides:
        return reports
    sessions.close()
    session = sessions.enter_context(call.session(next(iter(besides.values())).tables.question))
    session.log = log
    return risk_utility.compare(besides, reports, session)


def inspect(
    original: Any = None, synthetic: Any = None, *, control: Any = None, **settings: Unpack[Run]
) -> "Inspection":
    """Check whether the files can be assessed: copies, mismatched codes, unusable keys.

    Args:
        original, synthetic, control: as for ``score``.
        keys, targets: as for ``score``. Without keys it looks for copies, and compares the levels
            of the targets, or without targets of every column.
        copied: call a file a copy if, beyond chance, it has the rows of this percent of the people
            with a unique row; by default 50.
        matched: doubt a file that has the keys of fewer than this percent of the people; by default
            20.
        every_record: look for copies among all records, even of large files (over a million
            records, or over 20 million values).
        settings: the settings of a scenario, as for ``score``.

    Returns:
        An Inspection: whether each file and target can be assessed, with reasons.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> sqlrisk.inspect(scenario="scenario.toml").state
        'assessable'
    """
    from sqlrisk.analyses.scores import scoring

    require_own(inspect, settings)
    call = Call.of(settings)
    question = call.ask(original, synthetic, control, keyless=True)
    with call.session(question) as session:
        return scoring.inspect(question, session)


def cells(
    measure: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    synthesis: Annotated[
        str, Field(OUTPUT, "NAME", "Which synthesis: 1, pooled 1-2, cart 1", flag="--which")
    ] = "1",
    target: str | None = None,
    limit: Annotated[
        int, Field(OUTPUT, "N", "Number of cells to list", "count", flag="--top")
    ] = 20,
    **settings: Unpack[Run],
) -> "Listing":
    """List the riskiest cells (people with the same keys and target level) behind a measure, those
    with most people first (synthetic records if the measure counts these). The listing is
    disclosive.

    Args:
        measure: a measure that says which cells are risky, such as ``DiSCO`` or ``repU``.
        original: as for ``score``, or a saved run.
        target: one target. By default the cells of all targets are ranked together.
        settings: the settings of a scenario, as for ``score``.

    Returns:
        A Listing with the keys, target and level of each cell, its people (n_orig) and synthetic
        records (n_syn), and those with the same keys (n_orig_class, n_syn_class). For a measure of
        identity it has the keys, n_orig and n_syn of classes (people with the same keys).

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> cells = sqlrisk.cells("repU", scenario="scenario.toml", limit=1)
        >>> cells.columns
        ['sex', 'age', 'n_orig', 'n_syn']
    """
    from sqlrisk.analyses.saved_runs import is_saved, open_saved
    from sqlrisk.analyses.scores import scoring

    require_own(cells, settings)
    call = Call.of(settings)
    if is_saved(original):
        from sqlrisk.catalogue.measures import catalog

        if any(each is not None for each in (synthetic, call.scenario, *call.settings.values())):
            raise InputError(
                "A saved run has its own files and settings; give only the measure, --which "
                "and --top."
            )
        with open_saved(original) as saved:
            return saved.cells(
                catalog(call.measures_from)[measure],
                synthesis=synthesis,
                target=target,
                limit=limit,
            )
    question = call.ask(original, synthetic)
    with call.session(question) as session:
        return scoring.cells(
            question, session, measure, synthesis=synthesis, target=target, limit=limit
        )


def reference(
    original: Any = None,
    *,
    random: Annotated[int, Field(QUESTION, "N", "Number of random tables", "whole")] = 1000,
    seed: Annotated[int, Field(QUESTION, "S", "Random seed", "whole")] = 1,
    draw: Annotated[
        Literal["tables", "records"],
        Field(QUESTION, "", "Equally likely: every table, or every cell for each record"),
    ] = "tables",
    **settings: Unpack[ColumnsRun],
) -> "Reference":
    """Compare the average CAP of a small original with that of guesses about its people from random
    tables.

    Each random table has as many records as ``original``, spread over the same cells (pairs of a
    class and a target level; Baillargeon & Charest 2020, section 4). The same seed gives the same
    tables with the same version of numpy.

    Args:
        random: number of tables. Together they may have at most 10 million cells for each target.
        draw: ``"tables"``: every table is equally likely, as in the paper. ``"records"``: each
            record falls into any cell with equal chance, so all cells have nearly equal shares.
        seed: random seed, a whole number.
        scenario: a TOML file with the same settings, without exclusions. Arguments given here win.
        keys, targets, bins, special, missing, column: as for ``score``.
        encoding, delimiter, decimal, quote: as for ``score``.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as for ``score``.

    Returns:
        A Reference: for each target and measure, the original's average CAP, how many random tables
        are below it, and their distribution. DCAP counts people whose class is empty in a random
        table as 0, DCAP_matched leaves them out.

    Raises:
        InputError: as ``score``, or there is more work than the limit.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.reference(scenario="scenario.toml", random=20)
        >>> found.to_pandas().columns[:4].tolist()
        ['target', 'measure', 'classes', 'levels']
    """
    from sqlrisk.analyses.statistics import random_tables

    call = Call.of(settings, function=reference)
    own: dict[str, Any] = {"random": random, "seed": seed, "draw": draw}
    question = random_tables.ask(
        original, call.settings, **own, scenario_file=call.scenario, tables=call.tables
    )
    with call.session(question) as session:
        return random_tables.compare(question, session, **own)


def utility(
    original: Any = None,
    synthetic: Any = None,
    *,
    columns: Annotated[
        Setting,
        Field(
            TABLES, "COLUMNS", "Columns to cross; default: all columns that every file has", "list"
        ),
    ] = None,
    ways: Annotated[
        "int | Sequence[int] | str | None",
        Field(TABLES, "N", "Numbers of columns in a table: 1,2,3; default: 1,2"),
    ] = None,
    groups: Annotated[
        int,
        Field(
            TABLES,
            "N",
            "Number of quantile groups of each numeric column; 0: every number is a level",
        ),
    ] = 5,
    complete: Annotated[
        bool,
        Field(
            TABLES,
            "",
            "Exclude a table's records with missing values; default: missing is a level",
            "switch",
        ),
    ] = False,
    measures: Annotated[
        Setting,
        Field(
            TABLES,
            "NAMES",
            "Measures of utility, or all; default: pMSE,S_pMSE,FT,JSD,MabsDD,TVD",
            "list",
        ),
    ] = None,
    sort: Annotated[
        str | None,
        Field(
            CLOSER,
            "MEASURE",
            "Measure to sort the tables by in text, the worst first; default: S_pMSE",
        ),
    ] = None,
    top: Annotated[int, Field(CLOSER, "N", "Number of tables to list in text")] = 10,
    work_limit: Annotated[
        int | None,
        Field(MACHINE, "N", "Maximum number of steps: tables times records; default: 20000000000"),
    ] = None,
    policy: Policy = None,
    **settings: Unpack[TablesRun],
) -> "Utility":
    """Compare the tables of one, two or three columns of each synthesis with the original's.

    Args:
        columns: the columns to cross: a list of names, or one CSV line. By default all columns that
            every file has, except weights, id and split of a scenario file, and columns with the
            role identifier, weight or other.
        groups: number of quantile bins of each numeric column without bins or recodes, over
            original and syntheses pooled. With 0, every number is a level.
        policy: a TOML file of rules, e.g. ``worst(S_pMSE) <= 10``. Measures that it names are
            added.
        original, synthetic, bins, special, missing, column: as for ``score``.
        encoding, delimiter, decimal, quote: as for ``score``.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as for ``score``.
        scenario: a TOML file. Only this function's settings are read from it.

    Returns:
        A Utility, with ``tables``, ``overall``, ``by_column``, ``correlations``, ``quantiles`` and
        ``missing``.

    Raises:
        InputError: as ``score``, or there is more work than the limit.
        PolicyError: the policy is not met. Its ``report`` has the verdicts.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.utility(
        ...     "original.parquet", "syn_1.parquet", columns=["sex", "region", "ill"], ways=[2]
        ... )
        >>> found.table("overall").columns[:3]
        ['ways', 'synthesis', 'statistic']
    """
    from sqlrisk.analyses.scores import utility as tables
    from sqlrisk.inputs.policy import read_policy

    call = Call.of(settings, function=utility)
    judge = None if policy is None else read_policy(policy)
    own: dict[str, Any] = {
        "columns": columns,
        "ways": ways,
        "groups": groups,
        "complete": complete,
        "measures": measures,
    }
    own |= {"sort": sort, "top": top, "work_limit": work_limit, "policy": judge}
    asked = tables.ask((original, synthetic), call.settings, **own, **call.where)
    with call.session(asked.question) as session:
        found = tables.compare(asked, session)
        found = found if judge is None else found.judged(judge)
    return found.require()


def tabulate(
    layout: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    **settings: Unpack[Run],
) -> "Table":
    """Score, and return the result as the table of a published paper.

    Args:
        layout: ``"raab"``, ``"raab2"``, ``"raab3"``, ``"taub"`` or ``"taub2"``, as `sqlrisk guide
            r` shows them, or ``"taub4"``: people in the synthesis against control, with Welch's t,
            by number of pooled syntheses (`sqlrisk guide control`). raab2 needs a file of several
            scenarios, raab3 and taub4 a control or split, taub2 at least three syntheses
            of one name.
        keys: for ``"taub"`` and ``"taub2"`` also a list of key sets: ``[["age", "sex"], ["age"]]``.
            Each set has its own populations.
        settings: the settings of a scenario, as for ``score``, except ``measures``.

    Returns:
        A Table. Its measures are percentages.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> sqlrisk.tabulate("raab", scenario="scenario.toml").columns[:4]
        ['target', 'counted', 'synthesis', 'UiO']
    """
    from sqlrisk.analyses.scores import published_tables

    require_own(tabulate, settings)
    call = Call.of(settings)
    questions = published_tables.ask(
        layout, (original, synthetic, control), call.settings, **call.where
    )
    sources = chain.from_iterable(each.sources for each in questions.values())
    several = len(questions) > 1 and layout != "raab2"  # scenarios share a session
    return published_tables.lay_out(layout, questions, call.sessions(sources, several=several))
