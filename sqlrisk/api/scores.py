"""Numbers of a release: the functions that run the measures on files, whole or laid out as the table of a paper."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

from sqlrisk.analyses.preparation.files import paths_of, sources_of
from sqlrisk.api.calls import Call, signed
from sqlrisk.common.errors import InputError
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import ColumnsRun, Run, RunOfSeveral, ScoreRun

if TYPE_CHECKING:
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.inspection import Inspection
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.several_reports import Reports
    from sqlrisk.report.results.table import Table


@signed()
def score(
    original: Any = None,
    synthetic: Any = None,
    *,
    listings: bool = False,
    policy: "PolicyFile | None" = None,
    **given: Unpack[ScoreRun],
) -> "Report":
    """Measure what an intruder could learn about the people of ``original`` from ``synthetic``.

    Args:
        original: Parquet or CSV path, glob or folder; a pandas, polars or Arrow table; a DuckDB relation.
        synthetic: one such source, a list of them (m syntheses), or a mapping from method names to lists.
        {settings}
        listings: also list the riskiest cells of DiSCO and repU, as ``Report.to_html`` shows them: it then need not run again.
        policy: a TOML file of rules that the numbers are judged by; measures that it reads are added.
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
        A Report: result rows as of ``sqlrisk score``, percentages unless the unit says otherwise.

    Raises:
        InputError: the question or the input is wrong; ``problems`` holds every problem.
        PolicyError: a number fails by the policy; its ``report`` is the Report, with what each number comes to in ``policy``.
        EngineError: the database failed.
    """
    from sqlrisk.analyses import audit
    from sqlrisk.analyses.scores import scoring
    from sqlrisk.common.output_files import replacing
    from sqlrisk.inputs.judging import asked_by
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.inputs.request import with_excluded
    from sqlrisk.report.columns import OF_A_REPORT

    control, save = given.pop("control", None), given.pop("save", None)
    call = Call.of(given)
    question = request.require_control(call.ask(original, synthetic, control))
    judge = None if policy is None else read_policy(policy)
    if judge is not None:
        question = asked_by(judge, question)
    question = with_excluded(question)
    opened = call.session(question)
    trail = audit.watch(question, {"policy": policy, **call.repeatable, "listings": listings})
    if save is not None and Path(save).suffix != ".duckdb":
        raise InputError(f"save: {save!r} must end in .duckdb, which is what it is.")
    saved: AbstractContextManager[BinaryIO | None] = nullcontext()
    if save is not None:
        saved = replacing(save, paths_of(question))
    with saved as file, opened as session:
        report = scoring.score(question, session, save=file, log=trail.log, listed=OF_A_REPORT if listings else ())
    report = replace(scoring.with_rerun(report, question, call.opener(question)), trail=trail.end())
    return report if judge is None else report.judged(judge).require()


@signed("control")
def score_all(
    scenarios: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    **given: Unpack[RunOfSeveral],
) -> "Reports":
    """Score several scenarios about the same files together: the files are read and encoded once.

    Args:
        scenarios: a TOML file with a table ``[scenario.NAME]`` for each, whose settings at the head are shared by all; or a
            mapping from names to the settings of each.
        original, synthetic, control: as of ``score``; where they are None, the file says them at its head.
        settings: settings that hold in every scenario, as of ``score``; those about columns (bins, special, within,
            within_floor, exclude_level, exclude_missing, baseline) in the scenarios that use these columns. What says which
            records are read and whose (weights, id, aligned, split, baseline) is shared by all.

    Returns:
        A Reports: the Report of each scenario by its name, with the numbers that ``score`` has for it alone.

    Raises:
        InputError, EngineError: as ``score``; a problem that one scenario has begins with its name.
    """
    from sqlrisk.analyses.scores import scoring
    from sqlrisk.analyses.scores import several_scenarios as together
    from sqlrisk.inputs.request import with_excluded
    from sqlrisk.report.results.several_reports import Reports

    call = Call.of(given)
    settings = {**call.settings, "scenario": call.scenario}  # which is no setting that they share
    files = (original, synthetic, control)
    asked = together.ask(scenarios, files, settings, measures_from=call.measures_from, tables=call.tables)
    questions = {name: with_excluded(question) for name, question in asked.items()}
    first, *_ = map(request.require_control, questions.values())
    with call.session(first) as session:
        reports = together.score(questions, session)
    opener = call.opener(first)
    return Reports({name: scoring.with_rerun(report, questions[name], opener) for name, report in reports.items()})


@signed("keys targets bins special column control copied matched every_record")
def inspect(original: Any = None, synthetic: Any = None, *, control: Any = None, **given: Unpack[Run]) -> "Inspection":
    """Tell whether files can be assessed at all, before any measure of risk.

    Args:
        original, synthetic, control: as of ``score``.
        copied: percent of the people alone with their row whose row marks a file as a copy; by default 50.
        matched: percent of the people whose keys a file needs to have, to be assessed without a doubt; by default 20.
        every_record: look for copies among all records, also where a file has more than a million.
        settings: the other settings of a scenario, as of ``score``.

    Returns:
        An Inspection: for each file and target ``assessable``, ``doubtful`` or ``not assessable``, with reasons; and how many
        whole rows of people each file holds. ``score`` and all others that count synthetic files against an original find the
        same.

    Raises:
        InputError, EngineError: as ``score``.
    """
    from sqlrisk.analyses.scores import scoring

    call = Call.of(given)
    question = call.ask(original, synthetic, control)
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
    """
    from sqlrisk.analyses.saved_runs import is_saved, open_saved
    from sqlrisk.analyses.scores import scoring

    call = Call.of(given)
    if is_saved(original):
        from sqlrisk.catalogue.measures import catalog

        if any(each is not None for each in (synthetic, call.scenario, *call.settings.values())):
            raise InputError("A saved run has its own files and settings; name the measure, and --synthesis and --limit alone.")
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
    """
    from sqlrisk.analyses.scores import random_tables

    call = Call.of(given)
    question = random_tables.ask(original, call.settings, random=random, seed=seed, draw=draw, scenario_file=call.scenario)
    with call.session(question) as session:
        return random_tables.compare(question, session, random=random, seed=seed, draw=draw)


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
            ``"taub"``: original, baseline and 1, 2, ... syntheses pooled as rows, populations as columns.
            ``"taub4"``: people in the synthesis against control, Welch's t, by the number of pooled syntheses.
        keys: for ``"taub"`` also a list of key sets, each a list of names or a CSV line in a list of its own:
            ``[["age", "sex"], ["age"]]``. Populations are found anew for each.
        settings: the settings of a scenario, as of ``score``, but for ``measures``, which the layout has.

    Returns:
        A Table; its numbers are percentages as of ``score``.

    Raises:
        InputError, EngineError: as ``score``.
    """
    from sqlrisk.analyses.scores import published_tables

    call = Call.of(given)
    questions = published_tables.ask(layout, (original, synthetic, control), call.settings, **call.where)
    return published_tables.lay_out(layout, questions, call.sessions(sources_of(questions[0])))
