"""Numbers of a release: the functions that run the measures on files, whole or laid out as the
table of a paper.
"""

from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from sqlrisk.api.calls import Call
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
    RunOfSeveral,
    ScoreRun,
    TablesRun,
)
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlrisk.analyses.audit import Log
    from sqlrisk.analyses.places import Place
    from sqlrisk.analyses.saved_scenarios import SavedScenarios
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.inputs.request import Question
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.inspection import Inspection
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.several_reports import Reports, Steps
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
        "Also compare the tables of these columns with the original's, or of all: utility",
        "list",
    ),
]
Maps = Annotated[
    Setting,
    Field(
        CLOSER,
        "RISK,UTILITY",
        "Hold a measure of risk against one of utility: 'DiSCO,mean(S_pMSE)'; with --utility",
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
        targets: columns the intruder wants; by default ``"others"``: all columns that every file
            has and that are no key. A column of that name is in a list, ``["others"]``.
        bins: column -> number of quantile bins, over original and syntheses pooled.
        special: column -> values that stay levels of their own beside the bins, or match themselves
            alone within a tolerance.
        missing: values that stand for a missing one, in all columns and files. What is left of a
            CSV column may then be numbers.
        column: column -> what it is and how it is recoded: ``{"age": {"bands": [0, 18, 65]}}``; or
            lines ``"age.bands=0,18,65"``.
        encoding: how CSV files write text: ``"windows-1252"``, or file -> encoding. A file is
            ``original``, ``synthetic``, ``control``, ``baseline``, ``hierarchy`` or named as it was
            given. By default UTF-8, or UTF-16 where a file begins with its mark.
        delimiter: what separates the fields of CSV files, one character or ``"tab"``; for each file
            as of ``encoding``. By default the one of comma, semicolon, tab and bar that the header
            has most of.
        decimal: what stands before the decimals of numbers in CSV files: ``","`` or ``"."``, the
            default; for each file as of ``encoding``.
        quote: what quotes text in CSV files: one character, by default ``"``, or ``"none"``; for
            each file as of ``encoding``.
        within: column of numbers or dates -> how far a value may be from the true one and still
            count as right: ``500``, ``"5%"`` of the true value's size, or ``"30d"``, days. Adds the
            family ``within``. Of one key: how far it may be from a person's and still match; adds
            the family ``near_keys``.
        within_floor: such a column -> the least that a tolerance in percent comes to.
        exclude_level: target -> levels that are not counted.
        exclude_missing: keys and targets whose missing level is not counted.
        exclude_pair: mappings with ``target``, ``target_level``, ``key``, ``key_level``; or lines
            ``"target=level,key=level"``.
        max_cell: cells with more records than this are not counted, on each side by its own count.
        max_cell_syn: people in cells with more synthetic records than this are not counted.
        justification: why the exclusions are right; the report says it beside them.
        one_way, two_way: (records, percent) thresholds of the checks; both strict.
        copied: percent of the people alone with their row whose row marks a file as a copy; by
            default 50.
        matched: percent of the people whose keys a file needs to have, to be assessed without a
            doubt; by default 20.
        every_record: look for copies among all records, also where a file has more than a million,
            or 20 million values.
        measures: names or families; by default ``identity``, ``attribute`` and ``cap``.
        class_sizes: the sizes of classes at which ``class_size`` begins anew; by default 1, 2, 3,
            5, 10.
        set_sizes: of how many keys, at most, a predicate of ``singled_out`` is; by default 1, 2, 3.
        base_rates: percents of members among the people whom an intruder asks about, at which
            ``membership_precision`` is taken; by default 1, 10, 50.
        populations: whom the measures are taken over: ``all``, ``uniques``, ``special`` (the tenth
            of the uniques with the highest SUDA score) and names from ``population``.
        population: name -> condition on a person, such as ``"sex = F AND age >= 65"``; or lines
            ``"NAME: condition"``.
        by: columns of the original; every measure is also taken over the people of each of their
            levels.
        weights: column of the original (and control) with survey weights: every measure of people
            is also weighted.
        baseline: target -> Parquet or CSV file with the columns ``level`` and ``share``, in the
            place of its distribution.
        control: people who were not in the synthesis, as one source: every measure is also taken
            over them, and compared.
        universe: everybody whom the original is a sample of, as one source with the keys: adds the
            family ``universe``.
        split, split_in: instead of ``control``: the people of ``original`` with this level of a
            column were in the synthesis, the others are control.
        id: a column that names the records; it is no target by default.
        aligned: record i of each synthetic file was made from record i of ``original``; with
            ``id``, a column of all files, from the one with the same id. Adds the family
            ``matches``, of those people whom the synthesis was made from.
        assume: ``"saturated"``, with ``prior``: the syntheses were made by drawing target levels in
            each class of the keys from a Dirichlet posterior. Adds the family ``intruder``: what
            someone believes who knows this, and all but one target level.
        prior: the parameter of that Dirichlet prior for each level, a number above 0.
        link: two sides of keys that an intruder wants to join, ``"age,sex/region,income"``, or a
            list of them; columns without a slash: every way to split them in two. Adds the family
            ``linkability``. Without ``keys`` these columns are the keys.
        intruder_prior: with ``assume``, what the intruder thought of the levels before:
            ``"uniform"``, all alike; ``"others"``, as the other people of the class have them,
            ``prior`` added to each level; ``"baseline"``, as the file of ``baseline`` says.
        save: a .duckdb file to keep the stage tables and readable views in, for `query`, `cells`
            and `lookup`; on PostgreSQL and Spark a schema to leave tables in: risky cells
            and the risk of records. It is microdata.
        confidence: level of the intervals around what the synthesis added; by default 0.95.
        distributions: also say how CAP and lift are distributed over people: quantiles and
            histograms.
        trend: also fit a line to each measure over the number of pooled syntheses.
        row_radius: in how many columns whole rows may differ to be near, for the family copies; by
            default 1.
        membership_ratio: membership also by the share that the synthetic file has of a person's
            keys over that of a reference: the second half of control, in the order of its file. The
            first half are then the people out of the synthesis.
        release: what is said of the release on page one of the report: ``{"organisation": "...",
            "purpose": "..."}``.
        membership_epsilon: delta of differential privacy, 0 or more: of membership also a lower
            bound of epsilon; needs the extra ``stats``.
        sampled: share of the population that is in ``original``: also estimate how many of
            everybody are alone with their keys.
        work_limit: the most steps of a search, of nearest records or special uniques; by default
            20,000,000,000.
        listings: also list the riskiest cells of DiSCO and repU, so that ``Report.to_html`` need
            not run again.
        cube: also keep the counts of cells that the what-if of an internal page needs.
        policy: a TOML file of rules to judge the numbers by. Measures that it names are added.
        utility: also compare tables of columns, as the function ``utility`` does: ``True`` or
            ``"all"`` for all columns, their names, or a mapping with its arguments (columns, ways,
            groups, complete, measures, sort, top, work_limit).
        maps: pairs of risk and utility to draw, ``"DiSCO,mean(S_pMSE)"`` or a list. By default the
            first of DiSCO, DCAP and repU against the mean of the measure that sorts the tables.
        measures_from: a folder with measures of your own.
        scenario: a TOML file with the same settings; arguments given here win. ``FILE#NAME`` is one
            of several in a file.
        engine: ``"duckdb"``; the path of a DuckDB database, whose tables may be named in the place
            of files; ``"spark"`` or ``"spark://host:port"``; ``"postgresql://host/database"``; a
            SparkSession, or a psycopg or SQLAlchemy connection. A table of a connection is also
            given as ``(connection, "schema.table")``.
        scratch: a schema of that database to hold the stage tables; by default they are temporary.
        memory_limit: for example ``"4GB"``. threads: number of threads. temp_directory: where stage
            tables may spill.
        progress: called as ``progress(stage, step, steps, fraction)``, steps from 1, fraction 0 to
            1.
        trace: called as ``trace(sql, seconds)`` after each statement.

    Returns:
        A Report. Its numbers are percentages unless the unit says otherwise. With ``utility`` it
        has a Utility, and ``maps`` with a point for each synthesis.

    Raises:
        InputError: the question or the input is wrong. ``problems`` lists every problem.
        PolicyError: a number fails the policy. Its ``report`` is the Report, with a verdict for
            each number in ``policy``.
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
    from sqlrisk.inputs import request
    from sqlrisk.inputs.judging import asked_by
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.inputs.request import with_excluded
    from sqlrisk.report import declared

    control, universe, save = (
        settings.pop("control", None),
        settings.pop("universe", None),
        settings.pop("save", None),
    )
    call = Call.of(settings, function=score)
    question = request.require_control(
        call.ask(original, synthetic, control, universe=universe, with_universe=True)
    )
    judge = None if policy is None else read_policy(policy)
    beside = None
    if _is_compared(call, utility, maps):
        beside, question = risk_utility.ask(
            utility, maps, question, (original, synthetic), call.settings, judge, call.where
        )
    if judge is not None:
        question = asked_by(judge, question, useful=beside is not None)
    question = with_excluded(question)
    opened = call.session(question)
    options = {
        "policy": policy,
        **call.repeatable,
        "listings": listings,
        **({"cube": True} if cube else {}),
    }
    trail = audit.watch(
        [question], options | ({} if beside is None else {"utility": utility, "maps": maps})
    )
    shown = {each.name: each.shown for each in question.measures}
    listed = declared.listed(shown, shown) if listings else ()
    with _place(save, question, call, alone=beside is None) as place, opened as session:
        report = scoring.score(
            question, session, place=place, log=trail.log, listed=listed, cube=cube
        )
    if beside is not None:
        with call.session(beside.tables.question) as session:
            session.log = trail.log
            report = risk_utility.compare({"": beside}, {"": report}, session)[""]
    report = replace(scoring.with_rerun(report, question, call.opener(question)), trail=trail.end())
    return report if judge is None else report.judged(judge).require()


@contextmanager
def _place(save: Any, question: "Question", call: Call, *, alone: bool) -> "Iterator[Place]":
    """Open the place where the tables of a run stay. It runs ``alone`` if it has no utility. Raises
    InputError if the place is none.
    """
    from sqlrisk.analyses.places import Place
    from sqlrisk.analyses.preparation.files import paths_of
    from sqlrisk.common.output_files import replacing

    if save is None:
        yield Place()
    elif Path(save).suffix == ".duckdb":
        from sqlrisk.analyses.saved_runs import SavedRun

        with replacing(save, paths_of(question)) as file:
            yield SavedRun(file)
    elif not call.tables:
        raise InputError(
            f"save: {save!r} must end in .duckdb, which is what it is; or name a schema of the "
            "database of --engine."
        )
    elif not alone:
        raise InputError(
            "save: tables are left in a schema by a run without --utility; ask for utility by "
            "sqlrisk utility."
        )
    else:
        from sqlrisk.analyses.saved_tables import SavedTables

        yield SavedTables(save, question.measures)


@contextmanager
def _saved(save: Any, questions: "Mapping[str, Question]") -> "Iterator[SavedScenarios | None]":
    """Open the file where the tables of several runs stay, if there is one. Raises InputError if it
    cannot be one.
    """
    from sqlrisk.analyses.preparation.files import paths_of
    from sqlrisk.common.output_files import replacing

    if save is None:
        yield None
    elif Path(save).suffix != ".duckdb":
        raise InputError(
            f"save: {save!r} must end in .duckdb; the runs of several scenarios stay in a file."
        )
    else:
        from sqlrisk.analyses.saved_scenarios import SavedScenarios

        with replacing(save, chain.from_iterable(map(paths_of, questions.values()))) as file:
            yield SavedScenarios(file, [*questions])


def _is_compared(call: Call, utility: object, maps: object) -> bool:
    """Return whether utility is asked for. Raises InputError where it cannot be, or where maps are
    alone.
    """
    if utility is None or utility is False:
        if maps is not None:
            raise InputError(
                "maps: they hold risk against utility; ask for it with --utility all "
                "(utility=True)."
            )
        return False
    if call.machine.scratch is not None:
        raise InputError("utility: with --scratch it has a run of its own: sqlrisk utility.")
    return True


def score_all(
    scenarios: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    universe: Any = None,
    listings: bool = False,
    cube: bool = False,
    policy: Policy = None,
    utility: Compared = None,
    maps: Maps = None,
    **settings: Unpack[RunOfSeveral],
) -> "Reports":
    """Score several scenarios about the same files, which are read and encoded only once.

    Args:
        scenarios: a TOML file with a table ``[scenario.NAME]`` for each, and shared settings at its
            head; or a mapping of names to settings.
        original, synthetic, control, universe: as of ``score``; if None, the head of the file
            names them.
        settings: settings of every scenario, as of ``score``. Those about columns (bins, special,
            within, within_floor, exclude_level, exclude_missing, baseline) apply to the scenarios
            that use the column. All share weights, id, aligned, split and baseline.
        listings, cube, save: as of ``score``.
        policy: a TOML file of rules. Each judges the scenarios that have its target.
        utility, maps: as of ``score``. The files are compared once. A recode applies if no
            scenario recodes that column differently.

    Returns:
        A Reports: the Report of each scenario by name, with the same numbers as ``score``.

    Raises:
        InputError, EngineError: as ``score``. A problem of one scenario begins with its name.
        PolicyError: a number of a scenario fails the policy. Its ``report`` is the Reports.

    Example:
        >>> scenarios = {"friend": {"keys": ["sex", "age"]}, "stranger": {"keys": ["sex"]}}
        >>> reports = sqlrisk.score_all(
        ...     scenarios, "original.parquet", "syn_1.parquet", targets=["ill"]
        ... )
        >>> reports["friend"].value("DiSCO")
        53.5
    """
    from sqlrisk.analyses.scores import several_scenarios

    save = settings.pop("save", None)
    call = Call.of(settings)
    shared = {**call.settings, "scenario": call.scenario}  # which is no setting that they share
    files = (original, synthetic, control, universe)
    asked = several_scenarios.ask(
        scenarios, files, shared, measures_from=call.measures_from, tables=call.tables
    )
    return _judged(
        asked,
        call,
        save=save,
        listings=listings,
        cube=cube,
        policy=policy,
        utility=utility,
        maps=maps,
    )


def score_again(
    scenarios: "Mapping[str, Mapping[str, object]]",
    original: Any,
    synthetic: Any,
    *,
    control: Any = None,
    universe: Any = None,
    listings: bool = False,
    cube: bool = False,
    policy: "PolicyFile | None" = None,
    utility: Any = None,
    maps: Any = None,
    **given: Any,
) -> "Reports":
    """Score several scenarios of which all settings are known, those that they share too, as a
    manifest holds them.
    """
    from sqlrisk.analyses.scores import several_scenarios

    call, files = (
        Call.of(given),
        {"original": original, "synthetic": synthetic, "control": control, "universe": universe},
    )
    asked = several_scenarios.ask_again(
        scenarios, files, measures_from=call.measures_from, tables=call.tables
    )
    return _judged(
        asked, call, listings=listings, cube=cube, policy=policy, utility=utility, maps=maps
    )


def _judged(
    asked: "Mapping[str, Question]",
    call: Call,
    *,
    save: Any = None,
    listings: bool,
    cube: bool,
    policy: "PolicyFile | None",
    utility: Any,
    maps: Any,
) -> "Reports":
    """Score questions about the same files together, and judge what is found."""
    from sqlrisk.analyses import audit
    from sqlrisk.analyses.scores import risk_utility, several_scenarios
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.report.results.several_reports import Reports

    judge = None if policy is None else read_policy(policy)
    besides: dict[str, risk_utility.UtilityAsked] = {}
    if _is_compared(call, utility, maps):
        besides, asked = risk_utility.ask_all(
            utility,
            maps,
            asked,
            judge,
            {"measures_from": call.measures_from, "tables": call.tables},
        )
    if judge is not None:
        asked = several_scenarios.judged_by(judge, asked, useful=bool(besides))
    options = {"policy": policy, **call.repeatable, "listings": listings}
    options |= {"cube": True} if cube else {}
    trail = audit.watch(
        [*asked.values()], options | ({"utility": utility, "maps": maps} if besides else {})
    )
    found = _together(asked, call, save=save, log=trail.log, listings=listings, cube=cube)
    if besides:
        with call.session(next(iter(besides.values())).tables.question) as session:
            session.log = trail.log
            found = risk_utility.compare(besides, found, session)
    reports = Reports(found, trail=trail.end())
    return reports if judge is None else reports.judged(judge).require()


def _together(
    asked: "Mapping[str, Question]",
    call: Call,
    *,
    save: Any = None,
    log: "Log | None" = None,
    listings: bool = False,
    cube: bool = False,
) -> "dict[str, Report]":
    """Score questions about the same files together."""
    from sqlrisk.analyses.scores import scoring, several_scenarios
    from sqlrisk.inputs import request
    from sqlrisk.report import declared

    questions = {name: request.with_excluded(question) for name, question in asked.items()}
    first, *_ = map(request.require_control, questions.values())
    shown = {each.name: each.shown for question in questions.values() for each in question.measures}
    listed = declared.listed(shown, shown) if listings else ()
    with _saved(save, questions) as saved, call.session(first) as session:
        reports = several_scenarios.score(
            questions, session, saved=saved, log=log, listed=listed, cube=cube
        )
    opener = call.opener(first)
    return {
        name: scoring.with_rerun(report, questions[name], opener)
        for name, report in reports.items()
    }


def score_steps(
    steps: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    universe: Any = None,
    **settings: Unpack[Run],
) -> "Steps":
    """Score one question at several steps of a recode together: the files are read and encoded
    once.

    Args:
        steps: ``{"region": [0, 1, 2]}``, steps of the hierarchy of a column; or ``{"age.width": [1,
            5, 10]}``, values of step, bands, width, top, bottom, date or rare of a column,
            ``"none"`` without it; or a line ``"age.width=1,5,10"``. None: those of the scenario
            file.
        original, synthetic, control, universe: as of ``score``; if None, the scenario file
            names them.
        settings: the settings of a scenario, as of ``score``.

    Returns:
        A Steps: the Report of each step by its name, ``"region=1"``, as ``score`` returns it.

    Raises:
        InputError, EngineError: as ``score``. A problem of one step begins with its name.

    Example:
        >>> steps = sqlrisk.score_steps(
        ...     {"age.width": [1, 5]},
        ...     "original.parquet",
        ...     "syn_1.parquet",
        ...     keys=["sex", "age"],
        ...     targets=["ill"],
        ... )
        >>> {name: report.value("repU") for name, report in steps.items()}
        {'age.width=1': 3.0, 'age.width=5': 0.0}
    """
    from sqlrisk.analyses.scores import coarsening
    from sqlrisk.report.results.several_reports import Steps

    call = Call.of(settings)
    found, questions = coarsening.ask(
        steps, (original, synthetic, control, universe), call.settings, **call.where
    )
    return Steps(_together(questions, call), found.stepped, found.labels())


def inspect(
    original: Any = None, synthetic: Any = None, *, control: Any = None, **settings: Unpack[Run]
) -> "Inspection":
    """Check whether the files can be assessed: copies, mismatched codes, unusable keys.

    Args:
        original, synthetic, control: as of ``score``.
        keys, targets: as of ``score``. Without keys it checks only for copies and for levels that
            differ, in the targets or, by default, in every column.
        copied: percent of the people alone with their row whose row marks a file as a copy; by
            default 50.
        matched: percent of the people whose keys a file needs to have, to be assessed without a
            doubt; by default 20.
        every_record: look for copies among all records, also where a file has more than a million.
        settings: the other settings of a scenario, as of ``score``.

    Returns:
        An Inspection: ``assessable``, ``doubtful`` or ``not assessable`` for each file and target,
        with reasons, and the number of whole rows of people in each file. ``merges`` holds a recode
        that joins levels that look alike. It holds real levels.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> sqlrisk.inspect(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... ).state
        'assessable'
    """
    from sqlrisk.analyses.scores import scoring

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
    limit: Annotated[int, Field(OUTPUT, "N", "How many cells", "count", flag="--top")] = 20,
    **settings: Unpack[Run],
) -> "Listing":
    """List the riskiest cells behind a measure, most people first. The listing is disclosive.

    Args:
        measure: a measure with a ``risky`` condition, such as ``DiSCO`` or ``repU``.
        original: as of ``score``, or a saved run.
        target: one target. By default the cells of all targets are ranked together.
        settings: the settings of a scenario, as of ``score``.

    Returns:
        A Listing with the keys, target, level, n_orig, n_syn, n_orig_class, n_syn_class. For a
        measure of identity it has the keys, n_orig and n_syn of classes.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> cells = sqlrisk.cells(
        ...     "repU",
        ...     "original.parquet",
        ...     "syn_1.parquet",
        ...     keys=["sex", "age"],
        ...     targets=["ill"],
        ...     limit=1,
        ... )
        >>> cells.columns
        ['sex', 'age', 'n_orig', 'n_syn']
        >>> len(cells)
        1
    """
    from sqlrisk.analyses.saved_runs import is_saved, open_saved
    from sqlrisk.analyses.scores import scoring

    call = Call.of(settings)
    if is_saved(original):
        from sqlrisk.catalogue.measures import catalog

        if any(each is not None for each in (synthetic, call.scenario, *call.settings.values())):
            raise InputError(
                "A saved run has its own files and settings; name the measure, and --which and "
                "--top alone."
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
    random: Annotated[int, Field(QUESTION, "N", "How many random tables", "whole")] = 1000,
    seed: Annotated[int, Field(QUESTION, "S", "Random seed", "whole")] = 1,
    draw: Annotated[
        Literal["tables", "records"],
        Field(QUESTION, "", "What is equally likely: every table, or for every record each cell"),
    ] = "tables",
    **settings: Unpack[ColumnsRun],
) -> "Reference":
    """Compare the average CAP of a small original with that of random tables.

    Each random table has as many records as ``original``, in the same cells: a class and a target
    level in it (Baillargeon & Charest 2020, section 4). The same seed gives the same tables with
    the same version of numpy.

    Args:
        random: number of tables. Tables times classes times levels may be at most 10 million for
            each target.
        draw: ``"tables"``: every table is equally likely, as in the paper. ``"records"``: each
            record falls into any cell with the same chance, which keeps all tables near equal
            shares.
        seed: random seed, a whole number.
        scenario: a TOML file with the same settings, without exclusions. Arguments given here win.
        keys, targets, bins, special, missing, encoding, delimiter, decimal, quote: as of ``score``.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as of ``score``.

    Returns:
        A Reference: a row for each target and version (non-matches as zero, or left out) with the
        original's average CAP, how many random tables are below it, and their mean, standard
        deviation, minimum, quantiles, maximum and histogram.

    Raises:
        InputError: as ``score``, or there are more cells than the limit.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.reference(
        ...     "original.parquet", keys=["sex", "age"], targets=["ill"], random=20, seed=1
        ... )
        >>> found.to_pandas().columns[:4].tolist()
        ['target', 'measure', 'classes', 'levels']
    """
    from sqlrisk.analyses.statistics import random_tables

    call = Call.of(settings, function=reference)
    question = random_tables.ask(
        original, call.settings, random=random, seed=seed, draw=draw, scenario_file=call.scenario
    )
    with call.session(question) as session:
        return random_tables.compare(question, session, random=random, seed=seed, draw=draw)


def utility(
    original: Any = None,
    synthetic: Any = None,
    *,
    columns: Annotated[
        Setting,
        Field(TABLES, "COLUMNS", "The columns to cross; default: all that every file has", "list"),
    ] = None,
    ways: Annotated[
        "int | Sequence[int] | str | None",
        Field(TABLES, "N", "How many columns a table has: 1,2,3; default: 1,2"),
    ] = None,
    groups: Annotated[
        int, Field(TABLES, "N", "Quantile groups of columns of numbers; 0: every number is a level")
    ] = 5,
    complete: Annotated[
        bool,
        Field(
            TABLES,
            "",
            "Leave out of each table records that lack one of its values; default: a missing "
            "value is a level",
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
            "By which measure text lists tables, the worst first; default: S_pMSE",
        ),
    ] = None,
    top: Annotated[int, Field(CLOSER, "N", "How many tables text lists")] = 10,
    work_limit: Annotated[
        int | None,
        Field(MACHINE, "N", "The most steps, one for each table and record; default: 20000000000"),
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
            original and syntheses pooled. With 0 every number is a level.
        policy: a TOML file of rules, e.g. ``worst(S_pMSE) <= 10``. Measures that it names are
            added.
        original, synthetic, bins, special, missing, column: as of ``score``.
        encoding, delimiter, decimal, quote: as of ``score``.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as of ``score``.
        scenario: a TOML file. Only the settings that this function takes are read from it.

    Returns:
        A Utility: a row per table and synthesis, summaries by number of columns and by column, and
        the shares of missing values.

    Raises:
        InputError: as ``score``, or there is more work than the limit.
        PolicyError: a number fails the policy. Its ``report`` is the Utility.
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
    return found if judge is None else found.judged(judge).require()


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
            by number of pooled syntheses (`sqlrisk guide control`).
        keys: for ``"taub"`` and ``"taub2"`` also a list of key sets: ``[["age", "sex"], ["age"]]``.
            Populations are computed for each.
        settings: the settings of a scenario, as of ``score``, except ``measures``.

    Returns:
        A Table. Its numbers are percentages.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> sqlrisk.tabulate(
        ...     "raab", "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... ).columns[:4]
        ['target', 'counted', 'synthesis', 'UiO']
    """
    from sqlrisk.analyses.preparation.files import sources_of
    from sqlrisk.analyses.scores import published_tables

    call = Call.of(settings)
    questions = published_tables.ask(
        layout, (original, synthetic, control), call.settings, **call.where
    )
    sources = chain.from_iterable(map(sources_of, questions.values()))
    return published_tables.lay_out(layout, questions, call.sessions(sources))
