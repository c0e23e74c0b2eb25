"""Numbers of a release: the functions that run the measures on files, whole or laid out as the table of a paper."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sqlrisk.analyses.preparation.files import paths_of, sources_of
from sqlrisk.common.errors import InputError
from sqlrisk.engines.connect import EngineOptions, has_tables
from sqlrisk.inputs.request import Question, ask
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.several_reports import Reports
    from sqlrisk.report.results.table import Table


def score(
    original: Any = None,
    synthetic: Any = None,
    *,
    keys: Setting = None,
    targets: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    within: Setting = None,
    within_floor: Setting = None,
    exclude_level: Setting = None,
    exclude_missing: Setting = None,
    exclude_pair: Setting = None,
    max_cell: Setting = None,
    max_cell_syn: Setting = None,
    justification: str | None = None,
    one_way: Setting = None,
    two_way: Setting = None,
    measures: Setting = None,
    class_sizes: Setting = None,
    populations: Setting = None,
    population: Setting = None,
    by: Setting = None,
    weights: str | None = None,
    baseline: Setting = None,
    control: Any = None,
    split: str | None = None,
    split_in: Setting = None,
    id: str | None = None,  # noqa: A002 - the setting's name
    aligned: bool | None = None,
    assume: str | None = None,
    prior: Setting = None,
    save: str | None = None,
    confidence: float | None = None,
    distributions: bool | None = None,
    trend: bool | None = None,
    work_limit: int | None = None,
    listings: bool = False,
    policy: "PolicyFile | None" = None,
    measures_from: str | None = None,
    scenario: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Report":
    """Measure what an intruder could learn about the people of ``original`` from ``synthetic``.

    Args:
        original: Parquet or CSV path, glob or folder; a pandas, polars or Arrow table; a DuckDB relation.
        synthetic: one such source, a list of them (m syntheses), or a mapping from method names to lists.
        keys: columns the intruder knows: a list of names, or one CSV line ``"sex,age"``.
        targets: columns the intruder wants; by default all columns that every file has and that are no key.
        bins: column -> number of quantile bins, over original and syntheses pooled.
        special: column -> values that stay levels of their own beside the bins, or match themselves alone within a tolerance.
        within: numeric target -> how far a value may be from the true one and still count as right: ``500``, or ``"5%"`` of the
            true value's size. Adds the family ``within``.
        within_floor: such a target -> the least that a tolerance in percent comes to.
        exclude_level: target -> levels that are not counted.
        exclude_missing: keys and targets whose missing level is not counted.
        exclude_pair: mappings with ``target``, ``target_level``, ``key``, ``key_level``; or lines ``"target=level,key=level"``.
        max_cell: cells with more records than this are not counted, on each side by its own count.
        max_cell_syn: people in cells with more synthetic records than this are not counted.
        justification: why the exclusions are right; the report says it beside them.
        one_way, two_way: (records, percent) thresholds of the checks; both strict.
        measures: names or families; by default ``identity``, ``attribute`` and ``cap``.
        class_sizes: the sizes of classes at which ``class_size`` begins anew; by default 1, 2, 3, 5, 10.
        populations: whom the measures are taken over: ``all``, ``uniques``, ``special`` (the tenth of the uniques with the
            highest SUDA score) and names from ``population``.
        population: name -> condition on a person, such as ``"sex = F AND age >= 65"``; or lines ``"NAME: condition"``.
        by: columns of the original; every measure is also taken over the people of each of their levels.
        weights: column of the original (and control) with survey weights: every measure of people is also weighted.
        baseline: target -> Parquet or CSV file with the columns ``level`` and ``share``, in the place of its distribution.
        control: people who were not in the synthesis, as one source: every measure is also taken over them, and compared.
        split, split_in: instead of ``control``: the people of ``original`` with this level of a column were in the synthesis, the
            others are control.
        id: a column that names the records; it is no target by default.
        aligned: record i of each synthetic file was made from record i of ``original``; with ``id``, a column of all files, from
            the one with the same id. Adds the family ``matches``, of those people whom the synthesis was made from.
        assume: ``"saturated"``, with ``prior``: the syntheses were made by drawing target levels in each class of the keys from a
            Dirichlet posterior. Adds the family ``intruder``: what someone believes who knows this, and all but one target level.
        prior: the parameter of that Dirichlet prior for each level, a number above 0.
        save: a .duckdb file to keep the stage tables and readable views in, for `query`, `cells` and `lookup`. It is microdata.
        confidence: level of the intervals around what the synthesis added; by default 0.95.
        distributions: also say how CAP and lift are distributed over people: quantiles and histograms.
        trend: also fit a line to each measure over the number of pooled syntheses; p values need the extra ``stats``.
        work_limit: the most steps of a search, of nearest records or special uniques; by default 20,000,000,000.
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
    from sqlrisk.inputs.policy import asked_by, read_policy
    from sqlrisk.report.columns import OF_A_REPORT

    settings = {
        "keys": keys, "targets": targets, "bins": bins, "special": special, "within": within, "within_floor": within_floor,
        "exclude_level": exclude_level,
        "exclude_missing": exclude_missing, "exclude_pair": exclude_pair, "max_cell": max_cell, "max_cell_syn": max_cell_syn,
        "justification": justification,
        "one_way": one_way, "two_way": two_way, "measures": measures, "class_sizes": class_sizes, "populations": populations,
        "population": population, "by": by, "weights": weights, "baseline": baseline, "split": split, "split_in": split_in,
        "confidence": confidence, "id": id, "aligned": aligned, "assume": assume, "prior": prior,
        "distributions": distributions, "trend": trend, "work_limit": work_limit,
    }  # fmt: skip
    question = ask(
        original,
        synthetic,
        settings,
        control=control,
        scenario_file=scenario,
        measures_from=measures_from,
        tables=has_tables(engine),
    )
    judge = None if policy is None else read_policy(policy)
    if judge is not None:
        question = asked_by(judge, question)
    opener = EngineOptions(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(question))
    options = {
        "policy": policy, "measures_from": measures_from, "engine": engine, "memory_limit": memory_limit, "threads": threads,
        "scratch": scratch, "listings": listings,
    }  # fmt: skip
    watch = audit.watch(question, options)
    with _saving(save, question) as file, opener() as session:
        report = scoring.score(
            question, session, progress, trace, save=file, log=watch.log, listed=OF_A_REPORT if listings else ()
        )
    report = replace(scoring.with_rerun(report, question, opener), trail=watch.end())
    return report if judge is None else report.judged(judge).require()


def score_all(
    scenarios: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    measures_from: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
    **settings: Setting,
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
    from sqlrisk.report.results.several_reports import Reports

    questions = together.ask(
        scenarios, original, synthetic, settings, control=control, measures_from=measures_from, tables=has_tables(engine)
    )
    first, *_ = questions.values()
    opener = EngineOptions(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(first))
    with opener() as session:
        reports = together.score(questions, session, progress, trace)
    return Reports({name: scoring.with_rerun(report, questions[name], opener) for name, report in reports.items()})


def cells(
    measure: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    synthesis: str = "1",
    target: str | None = None,
    limit: int = 20,
    measures_from: str | None = None,
    scenario: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
    **settings: Setting,
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

    if is_saved(original):
        from sqlrisk.catalogue.measures import catalog

        if synthetic is not None or scenario is not None or any(value is not None for value in settings.values()):
            raise InputError("A saved run has its own files and settings; name the measure, and --synthesis and --limit alone.")
        with open_saved(original) as saved:
            return saved.cells(catalog(measures_from)[measure], synthesis=synthesis, target=target, limit=limit)
    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from, tables=has_tables(engine))
    with EngineOptions(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(question))() as session:
        return scoring.cells(
            question, session, measure, synthesis=synthesis, target=target, limit=limit, progress=progress, trace=trace
        )


def reference(
    original: Any = None,
    *,
    keys: Setting = None,
    targets: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    random: int = 1000,
    seed: int = 1,
    scenario: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Reference":
    """Average CAP of random tables: what chance alone would do, for small tables.

    Each table has as many records as ``original``; each record falls into any cell alike, a cell being a class of the
    original and a level that the target has in it. The same seed gives the same tables (with the same version of numpy).

    Args:
        random: how many tables. Their cells together, tables times classes times levels, may be 10 million for a target.
        seed: begins the random numbers.
        scenario: a TOML file with the same settings; arguments given here win. It may hold no exclusions.
        keys, targets, bins, special, engine, memory_limit, threads, temp_directory, scratch, progress, trace: as of ``score``.

    Returns:
        A Reference: for each target and version (non-matches as zero, left out) the original's own average CAP, mean,
        standard deviation, least, quantiles and greatest of the random tables, and how many of them are below the original.

    Raises:
        InputError: as ``score``; or more cells than the limit, with the numbers.
        EngineError: the database failed.
    """
    from sqlrisk.analyses.scores import random_tables

    settings = {"keys": keys, "targets": targets, "bins": bins, "special": special}
    question = random_tables.ask(original, settings, random=random, seed=seed, scenario_file=scenario)
    with EngineOptions(engine, memory_limit, threads, temp_directory, scratch).opener([question.original])() as session:
        return random_tables.compare(question, session, random=random, seed=seed, progress=progress, trace=trace)


def tabulate(
    layout: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    keys: Setting = None,
    control: Any = None,
    measures_from: str | None = None,
    scenario: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
    **settings: Setting,
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

    questions = published_tables.ask(
        layout,
        (original, synthetic, control),
        {**settings, "keys": keys},
        scenario_file=scenario,
        measures_from=measures_from,
        tables=has_tables(engine),
    )
    opener = EngineOptions(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(questions[0]))
    return published_tables.lay_out(layout, questions, opener, progress, trace)


@contextmanager
def _saving(path: str | None, question: Question) -> Iterator[BinaryIO | None]:
    """The file that a saved run is written to, its owner's alone; None where none is wanted."""
    from sqlrisk.common.output_files import replacing

    if path is None:
        yield None
        return
    if Path(path).suffix != ".duckdb":
        raise InputError(f"save: {path!r} must end in .duckdb, which is what it is.")
    with replacing(path, paths_of(question), private=True) as file:
        yield file
