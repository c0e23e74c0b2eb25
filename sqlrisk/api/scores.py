"""Numbers of a release: the functions that run the measures on files, whole or laid out as the table of a paper."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

from sqlrisk.analyses.preparation.files import paths_of, sources_of
from sqlrisk.api.calls import Call, signed
from sqlrisk.common.errors import InputError
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import ColumnsRun, Run, RunOfSeveral, ScoreRun, TablesRun
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlrisk.analyses.audit import Log
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.inputs.request import Question
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.inspection import Inspection
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.several_reports import Reports, Steps
    from sqlrisk.report.results.table import Table
    from sqlrisk.report.utility import Utility


@signed()
def score(
    original: Any = None,
    synthetic: Any = None,
    *,
    listings: bool = False,
    cube: bool = False,
    policy: "PolicyFile | None" = None,
    utility: "Setting | bool | Mapping[str, Any]" = None,
    maps: Setting = None,
    **given: Unpack[ScoreRun],
) -> "Report":
    """Measure what an intruder could learn about the people of ``original`` from ``synthetic``.

    Args:
        original: path, address, glob or folder, in a format of `sqlrisk guide files`; a pandas, polars or Arrow table, an Arrow
            dataset or scanner; a DuckDB relation; a DeltaTable or a table of pyiceberg.
        synthetic: one such source, a list of them (m syntheses), or a mapping from method names to lists.
        {settings}
        listings: also list the riskiest cells of DiSCO and repU, as ``Report.to_html`` shows them: it then need not run again.
        cube: also read the counts of cells from which an internal page recomputes what-if.
        policy: a TOML file of rules that the numbers are judged by; measures that it reads are added.
        utility: also compare the tables of the columns, as the function ``utility`` does: ``True`` or ``"all"`` for all of them,
            their names, or a mapping with its arguments (columns, ways, groups, complete, measures, sort, top, work_limit).
        maps: which risk is held against which utility there: ``"DiSCO,mean(S_pMSE)"``, or a list of these; by default the first
            of DiSCO, DCAP and repU against the mean of the measure by which tables are sorted.
        measures_from: a folder with measures of your own.
        scenario: a TOML file with the same settings; arguments given here win. ``FILE#NAME`` is one of several in a file.
        engine: ``"duckdb"``; the path of a DuckDB database, whose tables may be named in the place of files; ``"spark"`` or
            ``"spark://host:port"``; ``"postgresql://host/database"``; a SparkSession, or a psycopg or SQLAlchemy connection.
            A table of a connection is also given as ``(connection, "schema.table")``.
        scratch: a schema of that database to hold the stage tables; by default they are temporary.
        memory_limit: for example ``"4GB"``. threads: number of threads. temp_directory: where stage tables may spill.
        progress: called as ``progress(stage, step, steps, fraction)``, steps from 1, fraction 0 to 1.
        trace: called as ``trace(sql, seconds)`` after each statement.

    Returns:
        A Report: result rows as of ``sqlrisk score``, percentages unless the unit says otherwise. With ``utility`` its
        ``utility`` is a Utility, and its ``maps`` have a point for each synthesis.

    Raises:
        InputError: the question or the input is wrong; ``problems`` holds every problem.
        PolicyError: a number fails by the policy; its ``report`` is the Report, with what each number comes to in ``policy``.
        EngineError: the database failed.

    Example:
        >>> report = sqlrisk.score("original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"])
        >>> f"{report.value('DiSCO'):.2f} % of the people"
        '53.50 % of the people'
    """
    from sqlrisk.analyses import audit
    from sqlrisk.analyses.scores import risk_utility, scoring
    from sqlrisk.common.output_files import replacing
    from sqlrisk.inputs.judging import asked_by
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.inputs.request import with_excluded
    from sqlrisk.report import declared

    control, universe, save = given.pop("control", None), given.pop("universe", None), given.pop("save", None)
    call = Call.of(given)
    question = request.require_control(call.ask(original, synthetic, control, universe=universe, with_universe=True))
    judge = None if policy is None else read_policy(policy)
    beside = None
    if utility is not None and utility is not False:
        if call.machine.scratch is not None:
            raise InputError("utility: with --scratch it has a run of its own: sqlrisk utility.")
        beside, question = risk_utility.ask(utility, maps, question, (original, synthetic), call.settings, judge, call.where)
    elif maps is not None:
        raise InputError("maps: they hold risk against utility; ask for it with --utility all (utility=True).")
    if judge is not None:
        question = asked_by(judge, question, useful=beside is not None)
    question = with_excluded(question)
    opened = call.session(question)
    options = {"policy": policy, **call.repeatable, "listings": listings, **({"cube": True} if cube else {})}
    trail = audit.watch([question], options | ({} if beside is None else {"utility": utility, "maps": maps}))
    if save is not None and Path(save).suffix != ".duckdb":
        raise InputError(f"save: {save!r} must end in .duckdb, which is what it is.")
    saved: AbstractContextManager[BinaryIO | None] = nullcontext()
    if save is not None:
        saved = replacing(save, paths_of(question))
    shown = {each.name: each.shown for each in question.measures}
    listed = declared.listed(shown, shown) if listings else ()
    with saved as file, opened as session:
        report = scoring.score(question, session, save=file, log=trail.log, listed=listed, cube=cube)
    if beside is not None:
        with call.session(beside.tables.question) as session:
            session.log = trail.log
            report = risk_utility.compare(beside, report, session)
    report = replace(scoring.with_rerun(report, question, call.opener(question)), trail=trail.end())
    return report if judge is None else report.judged(judge).require()


@signed("control universe")
def score_all(
    scenarios: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    universe: Any = None,
    listings: bool = False,
    policy: "PolicyFile | None" = None,
    **given: Unpack[RunOfSeveral],
) -> "Reports":
    """Score several scenarios about the same files together: the files are read and encoded once.

    Args:
        scenarios: a TOML file with a table ``[scenario.NAME]`` for each, whose settings at the head are shared by all; or a
            mapping from names to the settings of each.
        original, synthetic, control, universe: as of ``score``; where they are None, the file says them at its head.
        settings: settings that hold in every scenario, as of ``score``; those about columns (bins, special, within,
            within_floor, exclude_level, exclude_missing, baseline) in the scenarios that use these columns. What says which
            records are read and whose (weights, id, aligned, split, baseline) is shared by all.
        listings: as of ``score``.
        policy: a TOML file of rules that judge the numbers of every scenario; a rule about some targets those that have them.

    Returns:
        A Reports: the Report of each scenario by its name, with the numbers that ``score`` has for it alone.

    Raises:
        InputError, EngineError: as ``score``; a problem that one scenario has begins with its name.
        PolicyError: a number of a scenario fails by the policy; its ``report`` is the Reports.

    Example:
        >>> scenarios = {"friend": {"keys": ["sex", "age"]}, "stranger": {"keys": ["sex"]}}
        >>> reports = sqlrisk.score_all(scenarios, "original.parquet", "syn_1.parquet", targets=["ill"])
        >>> reports["friend"].value("DiSCO")
        53.5
    """
    from sqlrisk.analyses.scores import several_scenarios

    call = Call.of(given)
    settings = {**call.settings, "scenario": call.scenario}  # which is no setting that they share
    files = (original, synthetic, control, universe)
    asked = several_scenarios.ask(scenarios, files, settings, measures_from=call.measures_from, tables=call.tables)
    return _judged(asked, call, listings=listings, policy=policy)


def score_again(
    scenarios: "Mapping[str, Mapping[str, object]]",
    original: Any,
    synthetic: Any,
    *,
    control: Any = None,
    universe: Any = None,
    listings: bool = False,
    policy: "PolicyFile | None" = None,
    **given: Any,
) -> "Reports":
    """Score several scenarios of which all settings are known, those that they share too, as a manifest holds them."""
    from sqlrisk.analyses.scores import several_scenarios

    call, files = Call.of(given), {"original": original, "synthetic": synthetic, "control": control, "universe": universe}
    asked = several_scenarios.ask_again(scenarios, files, measures_from=call.measures_from, tables=call.tables)
    return _judged(asked, call, listings=listings, policy=policy)


def _judged(asked: "Mapping[str, Question]", call: Call, *, listings: bool, policy: "PolicyFile | None") -> "Reports":
    """Score questions about the same files together, and judge what is found."""
    from sqlrisk.analyses import audit
    from sqlrisk.analyses.scores import several_scenarios
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.report.results.several_reports import Reports

    judge = None if policy is None else read_policy(policy)
    if judge is not None:
        asked = several_scenarios.judged_by(judge, asked)
    trail = audit.watch([*asked.values()], {"policy": policy, **call.repeatable, "listings": listings})
    found = _together(asked, call, log=trail.log, listings=listings)
    reports = Reports(found, trail=trail.end())
    return reports if judge is None else reports.judged(judge).require()


def _together(
    asked: "Mapping[str, Question]", call: Call, *, log: "Log | None" = None, listings: bool = False
) -> "dict[str, Report]":
    """Score questions about the same files together."""
    from sqlrisk.analyses.scores import scoring, several_scenarios
    from sqlrisk.inputs.request import with_excluded
    from sqlrisk.report import declared

    questions = {name: with_excluded(question) for name, question in asked.items()}
    first, *_ = map(request.require_control, questions.values())
    shown = {each.name: each.shown for question in questions.values() for each in question.measures}
    with call.session(first) as session:
        listed = declared.listed(shown, shown) if listings else ()
        reports = several_scenarios.score(questions, session, log=log, listed=listed)
    opener = call.opener(first)
    return {name: scoring.with_rerun(report, questions[name], opener) for name, report in reports.items()}


@signed("control universe")
def score_steps(
    steps: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    universe: Any = None,
    **given: Unpack[Run],
) -> "Steps":
    """Score one question at several steps of a recode together: the files are read and encoded once.

    Args:
        steps: ``{"region": [0, 1, 2]}``, steps of the hierarchy of a column; or ``{"age.width": [1, 5, 10]}``, values of step,
            bands, width, top, bottom, date or rare of a column, ``"none"`` without it; or a line ``"age.width=1,5,10"``. None:
            those of the scenario file.
        original, synthetic, control, universe: as of ``score``; where they are None, the scenario file says them.
        settings: the settings of a scenario, as of ``score``, which hold at each step.

    Returns:
        A Steps: the Report of each step by what it is called, ``"region=1"``, with the numbers that ``score`` has for it alone.

    Raises:
        InputError, EngineError: as ``score``; a problem that one step alone has begins with what it is called.

    Example:
        >>> steps = sqlrisk.score_steps(
        ...     {"age.width": [1, 5]}, "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... )
        >>> {name: report.value("repU") for name, report in steps.items()}
        {'age.width=1': 3.0, 'age.width=5': 0.0}
    """
    from sqlrisk.analyses.scores import coarsening
    from sqlrisk.report.results.several_reports import Steps

    call = Call.of(given)
    found, questions = coarsening.ask(steps, (original, synthetic, control, universe), call.settings, **call.where)
    return Steps(_together(questions, call), found.stepped, found.labels())


@signed("keys targets bins special column control copied matched every_record")
def inspect(original: Any = None, synthetic: Any = None, *, control: Any = None, **given: Unpack[Run]) -> "Inspection":
    """Tell whether files can be assessed at all, before any measure of risk.

    Args:
        original, synthetic, control: as of ``score``.
        keys, targets: as of ``score``; without keys only what needs none is answered, of every column unless targets are named:
            copies, and levels that do not meet.
        copied: percent of the people alone with their row whose row marks a file as a copy; by default 50.
        matched: percent of the people whose keys a file needs to have, to be assessed without a doubt; by default 20.
        every_record: look for copies among all records, also where a file has more than a million.
        settings: the other settings of a scenario, as of ``score``.

    Returns:
        An Inspection: for each file and target ``assessable``, ``doubtful`` or ``not assessable``, with reasons; and how many
        whole rows of people each file holds. ``score`` and all others that count synthetic files against an original find the
        same. Its ``merges`` hold the recode that makes one of levels that look the same; they are levels of real people.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> sqlrisk.inspect("original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]).state
        'assessable'
    """
    from sqlrisk.analyses.scores import scoring

    call = Call.of(given)
    question = call.ask(original, synthetic, control, keyless=True)
    with call.session(question) as session:
        return scoring.inspect(question, session)


@signed("synthesis target limit")
def cells(
    measure: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    synthesis: str = "1",
    target: str | None = None,
    limit: int = 20,
    **given: Unpack[Run],
) -> "Listing":
    """List the riskiest cells that make a measure, most people first. The listing is disclosive.

    Args:
        measure: a measure with a ``risky`` condition, such as ``DiSCO`` or ``repU``.
        original: as of ``score``; or a run that it saved, which answers without scoring again.
        synthesis: ``"1"``, ``"pooled 1-2"``, ``"cart 1"``.
        target: one target of the scenario; by default the cells of all targets are ranked together.
        limit: how many cells at most.
        settings: the settings of a scenario, as of ``score``.

    Returns:
        A Listing with the keys, target, level, n_orig, n_syn, n_orig_class, n_syn_class; for an identity measure the keys,
        n_orig, n_syn of classes.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> cells = sqlrisk.cells("repU", "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"], limit=1)
        >>> cells.columns
        ['sex', 'age', 'n_orig', 'n_syn']
        >>> len(cells)
        1
    """
    from sqlrisk.analyses.saved_runs import is_saved, open_saved
    from sqlrisk.analyses.scores import scoring

    call = Call.of(given)
    if is_saved(original):
        from sqlrisk.catalogue.measures import catalog

        if any(each is not None for each in (synthetic, call.scenario, *call.settings.values())):
            raise InputError("A saved run has its own files and settings; name the measure, and --which and --top alone.")
        with open_saved(original) as saved:
            return saved.cells(catalog(call.measures_from)[measure], synthesis=synthesis, target=target, limit=limit)
    question = call.ask(original, synthetic)
    with call.session(question) as session:
        return scoring.cells(question, session, measure, synthesis=synthesis, target=target, limit=limit)


@signed()
def reference(
    original: Any = None,
    *,
    random: int = 1000,
    seed: int = 1,
    draw: str = "tables",
    **given: Unpack[ColumnsRun],
) -> "Reference":
    """Average CAP of random tables: what chance alone would do, for small tables (Baillargeon & Charest 2020, section 4).

    Each table has as many records as ``original``, in cells: a class of the original and a level that the target has in it.
    The same seed gives the same tables (with the same version of numpy).

    Args:
        random: how many tables. Their cells together, tables times classes times levels, may be 10 million for a target.
        seed: begins the random numbers.
        draw: what is equally likely: ``"tables"``, every table with these records and cells, as in the paper; ``"records"``, for
            every record each cell, which keeps all tables near to equal shares.
        scenario: a TOML file with the same settings; arguments given here win. It may hold no exclusions.
        keys, targets, bins, special, missing, encoding, delimiter, decimal, quote, engine, memory_limit, threads,
            temp_directory, scratch, progress, trace: as of ``score``.

    Returns:
        A Reference: for each target and version (non-matches as zero, left out) the original's own average CAP, mean,
        standard deviation, least, quantiles, greatest and histogram of the random tables, and how many are below the original.

    Raises:
        InputError: as ``score``; or more cells than the limit, with the numbers.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.reference("original.parquet", keys=["sex", "age"], targets=["ill"], random=20, seed=1)
        >>> found.to_pandas().columns[:4].tolist()
        ['target', 'measure', 'classes', 'levels']
    """
    from sqlrisk.analyses.statistics import random_tables

    call = Call.of(given)
    question = random_tables.ask(original, call.settings, random=random, seed=seed, draw=draw, scenario_file=call.scenario)
    with call.session(question) as session:
        return random_tables.compare(question, session, random=random, seed=seed, draw=draw)


@signed()
def utility(
    original: Any = None,
    synthetic: Any = None,
    *,
    columns: Setting = None,
    ways: "int | Sequence[int] | str | None" = None,
    groups: int = 5,
    complete: bool = False,
    measures: Setting = None,
    sort: str | None = None,
    top: int = 10,
    work_limit: int | None = None,
    policy: "PolicyFile | None" = None,
    **given: Unpack[TablesRun],
) -> "Utility":
    """Compare the tables of the columns, one, two or three at a time, of each synthesis with those of the original.

    Args:
        columns: the columns to cross: a list of names, or one CSV line; by default all that every file has, but for those that a
            scenario file names as weights, id or split, or that have the role identifier, weight or other.
        ways: how many columns a table has: 1, 2, 3 or a list of them; by default 1 and 2.
        groups: quantile bins, over original and syntheses pooled, of each column of numbers that has no bins and no recodes; 0:
            every number is a level.
        complete: leave out of each table the records that lack one of its values, in both files; by default a missing value is a
            level.
        measures: names of measures of utility, or ``"all"``; by default pMSE, S_pMSE, FT, JSD, MabsDD and TVD.
        sort, top: by which measure text lists tables, the worst first (S_pMSE), and how many.
        work_limit: the most steps, one for each table and record; by default 20,000,000,000.
        policy: a TOML file of rules on utility, ``worst(S_pMSE) <= 10``; measures that it reads are added.
        original, synthetic, bins, special, missing, column, encoding, delimiter, decimal, quote, engine, memory_limit, threads,
            temp_directory, scratch, progress, trace: as of ``score``.
        scenario: a TOML file, of which the settings that are named here are read; the others are about risk.

    Returns:
        A Utility: a row per table and synthesis, their mean, least and greatest by number of columns, the mean over the tables
        with each column, and the shares of missing values. Of several syntheses of a name also their mean.

    Raises:
        InputError: as ``score``; or more work than the limit, with the estimate.
        PolicyError: a number fails by the policy; its ``report`` is the Utility.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.utility("original.parquet", "syn_1.parquet", columns=["sex", "region", "ill"], ways=[2])
        >>> found.table("overall").columns[:3]
        ['ways', 'synthesis', 'statistic']
    """
    from sqlrisk.analyses.scores import utility as tables
    from sqlrisk.inputs.policy import read_policy

    call = Call.of(given)
    judge = None if policy is None else read_policy(policy)
    own: dict[str, Any] = {"columns": columns, "ways": ways, "groups": groups, "complete": complete, "measures": measures}
    own |= {"sort": sort, "top": top, "work_limit": work_limit, "policy": judge}
    asked = tables.ask((original, synthetic), call.settings, **own, **call.where)
    with call.session(asked.question) as session:
        found = tables.compare(asked, session)
    return found if judge is None else found.judged(judge).require()


@signed("keys control")
def tabulate(
    layout: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    **given: Unpack[Run],
) -> "Table":
    """Score, and lay the result out as the table of a paper.

    Args:
        layout: ``"raab"``: targets as rows, all people and what exclusions leave, original and synthetic side by side.
            ``"raab2"``: targets as rows, the scenarios of a file with several as columns.
            ``"raab3"``: people in the synthesis (Train), control (Ctrl) and R, the adjusted risk, of DiSCO and DCAP; with a
            synthesis named ``all``, of everybody, and ``split``, also All.
            ``"taub"``: original, baseline and 1, 2, ... syntheses pooled as rows, populations as columns.
            ``"taub2"``: the line of correct attribution over the number of pooled syntheses, for each population and rule.
            ``"taub4"``: people in the synthesis against control, Welch's t, by the number of pooled syntheses.
        keys: for ``"taub"`` and ``"taub2"`` also a list of key sets, each a list of names or a CSV line in a list of its own:
            ``[["age", "sex"], ["age"]]``. Populations are found anew for each.
        settings: the settings of a scenario, as of ``score``, but for ``measures``, which the layout has.

    Returns:
        A Table; its numbers are percentages as of ``score``.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> sqlrisk.tabulate("raab", "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]).columns[:4]
        ['target', 'counted', 'synthesis', 'UiO']
    """
    from sqlrisk.analyses.scores import published_tables

    call = Call.of(given)
    questions = published_tables.ask(layout, (original, synthetic, control), call.settings, **call.where)
    sources = chain.from_iterable(map(sources_of, questions.values()))
    return published_tables.lay_out(layout, questions, call.sessions(sources))
