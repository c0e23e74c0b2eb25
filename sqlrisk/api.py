"""The functions users call: ``score``, ``cells`` and ``sql``. They only put a question together and run it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sqlrisk.engines.opening import Machine, has_tables
from sqlrisk.errors import InputError
from sqlrisk.prepare import sources_of
from sqlrisk.question import Question, ask
from sqlrisk.sources import is_file
from sqlrisk.suggest import suggestion

if TYPE_CHECKING:
    from sqlrisk.policy import Policy
    from sqlrisk.report import Listing, Report
    from sqlrisk.report.attacks import Attacks
    from sqlrisk.report.diffs import Diff
    from sqlrisk.report.explanation import Explanation
    from sqlrisk.report.protection import Protection
    from sqlrisk.report.reference import Reference
    from sqlrisk.report.reruns import Rerun
    from sqlrisk.report.scenarios import Reports
    from sqlrisk.report.sweeps import Sweep
    from sqlrisk.report.tables import Table
    from sqlrisk.report.uniques import Uniques
    from sqlrisk.saved import Saved

    PolicyFile = str | PathLike[str] | Policy

Setting = Any  # a list, a mapping or a CSV line; sqlrisk.scenario reads it


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
        policy: a TOML file of rules (see ``sqlrisk.policy``) that the numbers are judged by; measures that it reads are added.
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
    from sqlrisk import audit, run
    from sqlrisk.listings import OF_A_REPORT
    from sqlrisk.policy import asked_by

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
    judge = None if policy is None else _policy(policy)
    if judge is not None:
        question = asked_by(judge, question)
    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(question))
    options = {
        "policy": policy, "measures_from": measures_from, "engine": engine, "memory_limit": memory_limit, "threads": threads,
        "scratch": scratch, "listings": listings,
    }  # fmt: skip
    watch = audit.watch(question, options)
    with _saving(save, question) as file, opener() as session:
        report = run.score(question, session, progress, trace, save=file, log=watch.log, listed=OF_A_REPORT if listings else ())
    report = replace(run.with_rerun(report, question, opener), trail=watch.end())
    return report if judge is None else report.judged(judge).require()


def check(result: "Report | str | PathLike[str]", policy: "PolicyFile") -> "Report":
    """Judge a result by a policy, without counting anything again. A rule that is not met raises nothing: see ``Report.require``.

    Args:
        result: a Report, or the JSON file of one.
        policy: a TOML file of rules, as of ``score``.

    Returns:
        The Report with what each number comes to, in ``policy`` and as the table ``verdicts()``.

    Raises:
        InputError: a file that cannot be read, or a rule that is about no number of the result.
    """
    from sqlrisk.report.reading import read_report

    report = read_report(result) if isinstance(result, str | PathLike) else result
    return report.judged(_policy(policy))


def diff(old: "Report | str | PathLike[str]", new: "Report | str | PathLike[str]") -> "Diff":
    """Compare the results of two releases, number by number.

    Args:
        old, new: Reports, or the JSON files of them.

    Returns:
        A Diff: for each number old, new, the change, and whether it is worse by what its measure says of itself.

    Raises:
        InputError: a file that cannot be read.
    """
    from sqlrisk.report import diffs
    from sqlrisk.report.reading import read_report

    before, after = (read_report(each) if isinstance(each, str | PathLike) else each for each in (old, new))
    return diffs.diff(before, after)


def rerun(
    manifest: str | PathLike[str],
    *,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Rerun":
    """Repeat the run of a manifest with the same settings, and say whether inputs and numbers are the same.

    Args:
        manifest: the ``.manifest.json`` that ``sqlrisk score -o`` wrote, or a JSON file of ``Report.manifest()``. Names of files
            in it are as they were given, from the folder that it is run in.
        tell: called with a line for each input that changed, before the run begins.
        progress, trace: as of ``score``.

    Returns:
        A Rerun: what was compared, whether it is the same, and the repeated report.

    Raises:
        InputError: no such manifest, an input that is gone, or one that was held in Python. EngineError: the database failed.
    """
    from functools import partial

    from sqlrisk import reruns

    return reruns.repeat(reruns.read_manifest(manifest), partial(score, progress=progress, trace=trace), tell)


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
    from sqlrisk import run
    from sqlrisk import scenarios as together
    from sqlrisk.report.scenarios import Reports

    questions = together.ask(
        scenarios, original, synthetic, settings, control=control, measures_from=measures_from, tables=has_tables(engine)
    )
    first, *_ = questions.values()
    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(first))
    with opener() as session:
        reports = together.score(questions, session, progress, trace)
    return Reports({name: run.with_rerun(report, questions[name], opener) for name, report in reports.items()})


def init(
    original: Any = None,
    synthetic: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    overwrite: bool = False,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> str:
    """Draft a scenario file from a look at the files: every column with what is counted of it, suggested keys, targets, bins.

    Args:
        original: a path, a glob or a folder, or the name of a table, which the scenario file can name.
        synthetic: one of these, a list of them, or a mapping from method names to lists.
        path: where to save it; paths in it are relative to its folder. overwrite: replace a file that is there.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as of ``score``.

    Returns:
        The text of the file: TOML. It holds names of columns, types and counts, no value of a record.

    Raises:
        InputError: as ``score``; a source that a file cannot name, or ``path`` is there already.
        EngineError: the database failed.
    """
    from os import fspath

    from sqlrisk import drafts
    from sqlrisk.report.draft import draft
    from sqlrisk.report.files import replacing
    from sqlrisk.sources import read_source, read_syntheses

    if original is None or not synthetic:
        raise InputError("Name the original file, and at least one synthetic file.")
    if path is not None and Path(path).exists() and not overwrite:
        raise InputError(f"The file {fspath(path)!r} is there already; name another, or say --overwrite (overwrite=True).")
    tables = has_tables(engine)
    source, syntheses = read_source(original, "the original", tables=tables), read_syntheses(synthetic, tables=tables)
    if any(each.frame is not None for each in (source, *(synthesis.source for synthesis in syntheses))):
        raise InputError("A scenario file names files or tables: give their paths or names, not what they hold.")
    with Machine(engine, memory_limit, threads, temp_directory, scratch).opener([source])() as session:
        look = drafts.look(source, syntheses, session, progress, trace)
    text = draft(look, source, syntheses, path if path is None else fspath(path))
    if path is not None:
        paths = [each for synthesis in syntheses for each in synthesis.source.paths]
        with replacing(fspath(path), [*source.paths, *paths]) as file:
            file.write(text.encode())
    return text


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
    from sqlrisk import run
    from sqlrisk.report import LAYOUTS, layouts
    from sqlrisk.scenario import FILE_SETTINGS, read_file

    if layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputError(f"There is no layout {layout!r}{suggestion(layout, LAYOUTS)}; there are {known}.")
    if settings.get("measures") is not None:
        raise InputError(f"measures: the layout {layout!r} has its own measures; leave them out.")
    filed = {} if scenario is None else read_file(scenario)
    sources = [
        filed.get(name) if given is None else given
        for name, given in zip(FILE_SETTINGS, (original, synthetic, control), strict=True)
    ]
    asked: dict[str, Any] = {name: value for name, value in filed.items() if name not in FILE_SETTINGS}
    asked |= {name: value for name, value in {**settings, "keys": keys}.items() if value is not None}
    asked["measures"] = layouts.MEASURES[layout]
    if asked.get("populations") is None:
        asked["populations"] = layouts.POPULATIONS.get(layout)
    sets = asked.get("keys")
    if not (isinstance(sets, list | tuple) and sets and all(isinstance(each, list | tuple) for each in sets)):
        sets = [sets]
    if len(sets) > 1 and layout != "taub":
        raise InputError(f"keys: the layout {layout!r} has one set of keys; name its columns in one list.")
    questions = [{**asked, "keys": each} for each in sets]
    if layout == "raab" and any(asked.get(name) not in (None, "", [], (), {}) for name in layouts.EXCLUSIONS):
        questions.insert(0, {name: value for name, value in questions[0].items() if name not in layouts.EXCLUSIONS})
    ready = [
        ask(sources[0], sources[1], each, control=sources[2], measures_from=measures_from, tables=has_tables(engine))
        for each in questions
    ]
    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(ready[0]))
    reports = []
    for question in ready:
        with opener() as session:
            reports.append(run.score(question, session, progress, trace))
    if layout == "taub4":
        return layouts.differential(*reports)
    return layouts.taub(reports) if layout == "taub" else layouts.raab(*reports)


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
    from sqlrisk import run

    if _is_saved(original):
        from sqlrisk.catalog import catalog

        if synthetic is not None or scenario is not None or any(value is not None for value in settings.values()):
            raise InputError("A saved run has its own files and settings; name the measure, and --synthesis and --limit alone.")
        with _open_saved(original) as saved:
            return saved.cells(catalog(measures_from)[measure], synthesis=synthesis, target=target, limit=limit)
    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from, tables=has_tables(engine))
    with Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(question))() as session:
        return run.cells(
            question, session, measure, synthesis=synthesis, target=target, limit=limit, progress=progress, trace=trace
        )


def records(
    original: Any = None,
    synthetic: Any = None,
    output: str | PathLike[str] = "",
    *,
    synthesis: str | None = None,
    side: str = "original",
    gcap: bool = False,
    suda: bool = False,
    diversity: bool = False,
    inputs: Sequence[str] = (),
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
) -> int:
    """Write the risk of each record to ``output``, a .parquet or .csv file that only its owner may read.

    One row per person, in the order of the file: record (from 1), n_orig_class, n_syn_class, unique, replicated_unique, with
    ``weights`` population_risk, and per target, as ``<name>_<target>``: cap_original, cap_synthetic (missing without a match),
    cap_baseline, lift, disclosive_synthetic, correct, top_share, predicted_share, excluded (the reason, or missing). Shares run
    from 0 to 1. The sum of ``correct`` over people who are not excluded is the numerator of DiSCO, and so on.

    Args:
        output: where to write; an existing file is replaced when the new one is complete.
        synthesis: ``"1"``, ``"pooled 1-2"``, ``"cart 1"``; by default all syntheses pooled.
        side: ``"original"``, or ``"synthetic"`` for one row per synthetic record, with weap_<target> (s_tq / s_q).
        gcap: add what the nearest synthetic records tell: radius (in how many keys they differ), and per target
            gcap_<target> (their share with the person's level) and gcap_vote_<target> (1 where it is the most frequent level
            among them, tied levels share it, else 0).
        suda: add the scores of special uniques: suda_score, dis_suda, contribution_<key>, as of ``uniques`` with its defaults.
        diversity: add the l-diversity of each person's class by target: l_distinct, l_entropy, l_recursive.
        inputs: files that the output must not be, besides those named here.
        settings: the settings of a scenario, as of ``score``; with ``id``, a column, ``record`` is what names the record there.

    Returns:
        How many records were written.

    Raises:
        InputError, EngineError: as ``score``.
    """
    from os import fspath

    from sqlrisk import record_risk
    from sqlrisk.report.files import format_of, replacing

    tables = has_tables(engine)
    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from, tables=tables)
    form = format_of(fspath(output))
    if form not in ("parquet", "csv"):
        raise InputError(f"The output {fspath(output)!r} is {form} by its suffix; records are written as .parquet or .csv.")
    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(question))
    with replacing(fspath(output), [*inputs, *_paths(question)], private=True) as file, opener() as session:
        return record_risk.write(
            question,
            session,
            file.name,
            form,
            synthesis=synthesis,
            side=side,
            gcap=gcap,
            suda=suda,
            diversity=diversity,
            progress=progress,
            trace=trace,
        )


def explain(
    original: Any = None,
    synthetic: Any = None,
    *,
    record: Any,
    synthesis: str | None = None,
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
) -> "Explanation":
    """Explain why one person is at risk: who shares their keys, which key makes them rare, what would be revealed. Disclosive.

    Args:
        record: the person's number in ``original``, from 1; with ``id``, a column, what that column holds.
        synthesis: ``"1"``, ``"pooled 1-2"``, ``"cart 1"``; by default all syntheses pooled.
        settings: the settings of a scenario, as of ``score``.

    Returns:
        An Explanation: sentences as text and Markdown, and the numbers behind them, which are those of ``records``.

    Raises:
        InputError: as ``score``; no such record.
        EngineError: the database failed.
    """
    from sqlrisk import explanations

    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from)
    with Machine(engine, memory_limit, threads, temp_directory, scratch).opener()() as session:
        return explanations.explain(question, session, record, synthesis=synthesis, progress=progress, trace=trace)


def protect(
    synthetic: Any = None,
    output: str | PathLike[str] = "",
    *,
    original: Any = None,
    keys: Setting = None,
    targets: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    side: str = "synthetic",
    flag: bool | str = False,
    label: Any = None,
    inputs: Sequence[str] = (),
    scenario: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Protection":
    """Write a synthetic file without its replicated uniques: records that alone have their keys, as one person alone has them.

    All other records, their columns, types and order stay as they are. A CSV file written from a CSV file holds the same texts;
    a Parquet file written from a CSV file has the types that ``score`` reads in it.

    Args:
        synthetic: one file or table, as of ``score``.
        output: where to write, a .parquet, .csv or .csv.gz file that only its owner may read; an existing file is replaced when
            the new one is complete.
        original: the file or table of real people.
        keys, targets, bins, special: as of ``score``; targets only add DiSCO and DCAP to what is measured.
        side: ``"original"`` writes the original without its uniques, to make a synthesis from; ``synthetic`` is not needed then.
        flag: keep all records and add a boolean column: its name, or True for ``replicated_unique`` (original: ``unique``).
        label: a text column for every record, ``"origin=synthetic"`` or ``{"origin": "synthetic"}``.
        inputs: files that the output must not be, besides those named here.
        scenario: a TOML file with the same settings; of other settings only exclusions matter.

    Returns:
        A Protection: records, singled_out, written, and the measures before and after.

    Raises:
        InputError, EngineError: as ``score``.
    """
    from os import fspath

    from sqlrisk import protection
    from sqlrisk.report.files import standing_in

    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener()
    wanted = protection.order(
        synthetic,
        original,
        fspath(output),
        {"keys": keys, "targets": targets, "bins": bins, "special": special},
        side=side,
        flag=flag,
        label=label,
        scenario_file=scenario,
    )
    with standing_in(wanted.path, [*inputs, *protection.inputs(wanted)], private=True) as file:
        return protection.protect(wanted, opener, str(file), progress, trace)


def query(saved: str, statement: str) -> "Listing":
    """Ask a saved run in SQL. It is opened to be read only, and nothing else can be read.

    Args:
        saved: a file that ``score(..., save=...)`` wrote.
        statement: SQL over its tables and views.

    Returns:
        A Listing with the columns and rows of the answer.

    Raises:
        InputError: no saved run, or a statement that the database refuses.
    """
    with _open_saved(saved) as run:
        return run.query(statement)


def lookup(synthetic: Any, *, key: Setting = None, missing: Setting = None, targets: Setting = None) -> "Listing":
    """What someone who knows a person's key levels sees: the target levels of the synthetic records that have them.

    Args:
        synthetic: one synthetic file, a list or a mapping of them, as of ``score``; or a saved run.
        key: column -> level, or lines ``"age=57"``. In a saved run a level stands for its bin.
        missing: columns whose level is known to be missing.
        targets: what to look up; by default every column that is no key (in a saved run, its targets).

    Returns:
        A Listing with target, synthesis, radius, level, records, percent; most frequent levels first. Where no record of a
        synthesis has all the known levels, those that differ in as few of them as any: ``radius`` says in how many.

    Raises:
        InputError: no such file or column, or a level that cannot be one of its column.
    """
    from sqlrisk import lookups
    from sqlrisk.scenario import read
    from sqlrisk.sources import read_syntheses

    names = read({"keys": ["-"], "targets": targets}).targets
    known = lookups.read_known(key, read({"targets": missing}).targets)
    alone = synthetic[0] if isinstance(synthetic, list) and len(synthetic) == 1 else synthetic
    if _is_saved(alone):
        with _open_saved(alone) as saved:
            return lookups.in_saved(saved, known, names)
    with Machine().opener()() as session:
        return lookups.in_files(read_syntheses(synthetic), session, known, names)


def uniques(
    file: Any = None,
    *,
    keys: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    missing_value: Setting = None,
    max_size: int | None = None,
    sampling_fraction: float | None = None,
    scoring: str | None = None,
    work_limit: int | None = None,
    output: str | PathLike[str] | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Uniques":
    """Find the special uniques of a file (SUDA): people whom few of the keys single out.

    Args:
        file: Parquet or CSV path, glob or folder; a pandas, polars or Arrow table; a DuckDB relation.
        keys: columns the intruder knows: a list of names, or one CSV line ``"sex,age"``.
        bins, special: as of ``score``; the quantiles are those of this file.
        missing_value: a value of any key, or a list of them, that stands for a missing one.
        max_size: the most keys in a set that is looked at; by default all. It does not change the weights of the sets.
        sampling_fraction: the share of the population that is in the file; by default 0.01. DIS depends on it.
        scoring: ``"elliot"`` (the default) or ``"ihsn"``.
        work_limit: the most class visits, which are sets of keys times classes; by default 20,000,000,000.
        output: a .parquet or .csv file for the rows, one a record in the order of the file: record (from 1), suda_score,
            dis_suda and contribution_<key>. It is written by the engine, and readable by its owner alone.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as of ``score``.

    Returns:
        A Uniques: counts, the sizes of the sets, the scores, what each key contributes.

    Raises:
        InputError: the question or the input is wrong, or takes more work than the limit.
        EngineError: the database failed.
    """
    from sqlrisk import special as finder

    question = finder.ask(
        file,
        {"keys": keys, "bins": bins, "special": special},
        missing_value=missing_value,
        max_size=max_size,
        sampling_fraction=sampling_fraction,
        scoring=scoring,
        work_limit=work_limit,
        tables=has_tables(engine),
    )
    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener([question.source])
    with finder.rows_to(output, question) as rows, opener() as session:
        return finder.find(question, session, rows=rows, progress=progress, trace=trace)


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
    from sqlrisk import random_tables

    settings = {"keys": keys, "targets": targets, "bins": bins, "special": special}
    question = random_tables.ask(original, settings, random=random, seed=seed, scenario_file=scenario)
    with Machine(engine, memory_limit, threads, temp_directory, scratch).opener()() as session:
        return random_tables.compare(question, session, random=random, seed=seed, progress=progress, trace=trace)


def attack(
    original: Any = None,
    synthetic: Any = None,
    *,
    keys: Setting = None,
    targets: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    control: Any = None,
    split: str | None = None,
    split_in: Setting = None,
    id: str | None = None,  # noqa: A002 - the setting's name
    attackers: Setting = None,
    sample: int | None = None,
    seed: int | None = None,
    preset: str | None = None,
    confidence: float | None = None,
    work_limit: int | None = None,
    scenario: str | None = None,
    engine: Any = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    scratch: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Attacks":
    """Guess people's targets from their keys, after learning from each synthetic file, and count who is right.

    Attackers also learn from the original itself (how well anyone could do who holds it) and from control, and are tried on the
    people of the original and of control.

    Args:
        original, synthetic, keys, targets, bins, special, control, split, split_in, id: as of ``score``.
        attackers: names or groups: ``baselines`` (majority, marginal, uniform), ``sql`` (exact_match, naive_bayes, one_rule),
            which learn from whole files, and ``sklearn`` (CategoricalNB, SVC, KNeighbors, RandomForest, LogisticRegression,
            ENS), which learn from samples and need the extra ``attack``. By default ``baselines`` and ``sql``.
        sample: the most records that those of ``sklearn`` learn from, and the most people they are tried on; by default 10,000.
        seed: begins the random numbers of samples and models; by default 1.
        preset: ``"current"`` (the library's defaults) or ``"sklearn-0.20"`` (the defaults of that version).
        confidence: level of the intervals; by default 0.95.
        work_limit: the most steps of a search for the nearest records, and the most that attackers of ``sql`` look at (classes
            times levels times keys); by default 20,000,000,000.
        scenario: a TOML file with the same settings; arguments given here win. It may hold no exclusions.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as of ``score``.

    Returns:
        An Attacks: for each attacker, target, training file and file of people how many guesses are right, and the interval.

    Raises:
        InputError: as ``score``; scikit-learn is missing; or more work than the limit.
        EngineError: the database failed.
    """
    from sqlrisk import attacks

    asked = attacks.ask(
        original,
        synthetic,
        {
            "keys": keys, "targets": targets, "bins": bins, "special": special, "split": split, "split_in": split_in,
            "id": id, "confidence": confidence,
        },
        control=control,
        names=attackers,
        sample=sample,
        seed=seed,
        preset=preset,
        work_limit=work_limit,
        scenario_file=scenario,
        tables=has_tables(engine),
    )  # fmt: skip
    with Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(asked.question))() as session:
        return attacks.run(asked, session, progress, trace)


def sweep(
    original: Any = None,
    synthetic: Any = None,
    *,
    keys: Setting = None,
    key_length: Setting = None,
    targets: Setting = None,
    measures: Setting = None,
    reference: bool = False,
    attackers: Setting = None,
    sample: int | None = None,
    seed: int | None = None,
    preset: str | None = None,
    sort: str | None = None,
    top: int = 10,
    work_limit: int | None = None,
    output: str | PathLike[str] | None = None,
    inputs: Sequence[str] = (),
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
) -> "Sweep":
    """Take the measures for every subset of the keys: what each intruder learns who knows some of them.

    Args:
        key_length: how many keys a subset has: a number, or a list of them; by default all, from 1 to all keys.
        measures: names or families; by default UiO, Dorig, DiSCO, baseCAPd, CAPd, DCAP and accuracy_ICAP.
        reference: add the original against itself, as synthesis ``original``; it is never pooled with others.
        attackers, sample, seed, preset: also try these attackers on each subset, as of ``attack``; they are shown like measures,
            and allow no exclusions, populations or weights.
        sort: order of the listing in text: a measure, highest first, or ``key_length``, ``keys`` or ``nonmatches``.
        top: how many subsets that listing shows.
        work_limit: the most steps, 5 for each subset, record, and target + 1; by default 20,000,000,000.
        output: a .parquet file for the row of each subset and number. The engine writes it, and the Sweep holds none of them.
        inputs: files that the output must not be, besides those named here.
        original, synthetic, keys, targets, control, settings: as of ``score``. An exclusion by a key holds in the subsets that
            have this key.

    Returns:
        A Sweep: a row per subset, measure, target and synthesis, equal to that of ``score`` with these keys, their mean,
        population standard deviation, least and greatest by number of keys, and what each key adds.

    Raises:
        InputError: as ``score``; or more work than the limit, with the estimate.
        EngineError: the database failed.
    """
    from sqlrisk import sweeps

    asked = sweeps.ask(
        original,
        synthetic,
        {"keys": keys, "targets": targets, "measures": measures, "work_limit": work_limit, **settings},
        control=control,
        key_length=key_length,
        reference=reference,
        attackers=attackers,
        sample=sample,
        seed=seed,
        preset=preset,
        sort=sort,
        top=top,
        scenario_file=scenario,
        measures_from=measures_from,
        tables=has_tables(engine),
    )
    opener = Machine(engine, memory_limit, threads, temp_directory, scratch).opener(sources_of(asked.question))
    with sweeps.rows_to(output, asked, inputs) as rows, opener() as session:
        return sweeps.sweep(asked, session, rows=rows, progress=progress, trace=trace)


def sql(
    measure: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    one: bool = False,
    dialect: str = "duckdb",
    types: Setting = None,
    measures_from: str | None = None,
    scenario: str | None = None,
    **settings: Setting,
) -> str:
    """The SQL of a measure: the whole pipeline, runnable as printed.

    With files the SQL holds their facts (types, level counts) and is what a run executes. Without, it reads the tables
    ``original`` and ``synthetic``, types unseen, and every key has a column of its own in the class key.

    Args:
        one: only the measure's own SELECT. Its ``classes`` and ``cells`` have the columns of ``stages/compared_classes.sql`` and
            ``stages/patterns.sql``.
        dialect: the database to write it for: ``"duckdb"``, ``"postgres"``, ``"spark"``, ``"clickhouse"`` ...; others than
            DuckDB read no files, so it is written over tables.
        types: without files, the types of columns where they matter (``"age=INTEGER,income=DOUBLE"``).
        settings: the settings of a scenario, as of ``score``; without any, an example with two keys and one target.

    Raises:
        InputError: as ``score``; or an unknown dialect.
    """
    from sqlrisk import dialects, script

    chosen = dialects.named(dialect)
    if original is None and synthetic is None and scenario is None:
        return script.without_files(measure, settings, chosen, one=one, types=types, measures_from=measures_from)
    if types is not None:
        raise InputError("types: those of files are in the files; name types only where there are none.")
    if dialect != "duckdb":
        raise InputError(
            f"{chosen.product} reads no files as DuckDB does: leave the files out, and the SQL reads the tables original and "
            "synthetic; `sqlrisk compile` writes it for tables of any name."
        )
    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from)
    if one:
        return script.own_select(question.catalog[measure])
    with Machine().opener()() as session:
        return script.with_files(measure, question, session)


def compile_sql(
    original: Any = None,
    synthetic: Any = None,
    *,
    dialect: str = "duckdb",
    prefix: str = "sqlrisk_",
    scratch: str | None = None,
    types: Setting = None,
    dbt: bool = False,
    limits: Setting = None,
    policy: "PolicyFile | None" = None,
    control: Any = None,
    scenario: str | None = None,
    measures_from: str | None = None,
    **settings: Setting,
) -> dict[str, str]:
    """A scenario as SQL for a database that this program is not connected to.

    Args:
        original, synthetic, control: names of tables, as ``schema.table``.
        dialect: as of ``sql``.
        prefix: begins the names of the tables that are made; ``scratch``: the schema they are made in.
        types: the types of columns where they matter (``"age=INTEGER,income=DOUBLE"``).
        dbt: a dbt project in the place of numbered files; ``limits``: its tests, as ``["DiSCO<=5", "TCAP:income<=20"]``, rules as
            of a policy; ``policy``: a file of rules, as of ``score``, each of which is a test.

    Returns:
        The text of each file by its path: numbered .sql files and a README that says how to run them.

    Raises:
        InputError: as ``score``; or what cannot be written without facts of the data.
    """
    from sqlrisk import dialects

    chosen = dialects.named(dialect)
    dialects.require_sqlglot()
    from sqlrisk import compilation
    from sqlrisk.policy import asked_by, of_limits

    if (limits or policy is not None) and not dbt:
        raise InputError("limits and policy: their rules become tests of dbt; ask for its project with --dbt.")
    judge = of_limits([limits] if isinstance(limits, str) else list(limits or ()))
    if policy is not None:
        filed = _policy(policy)
        judge = replace(filed, clauses=(*filed.clauses, *judge.clauses))
    question = ask(
        original, synthetic, settings, control=control, scenario_file=scenario, measures_from=measures_from, tables=True
    )
    question = asked_by(judge, question)
    compiled = compilation.lay_out(question, chosen, prefix=prefix, scratch=scratch, types=types, measures_from=measures_from)
    if dbt:
        from sqlrisk import dbt_project

        return dbt_project.files(compiled, judge)
    return compilation.scripts(compiled)


def _policy(given: "PolicyFile") -> "Policy":
    from sqlrisk.policy import read_file

    return read_file(given) if isinstance(given, str | PathLike) else given


def _is_saved(source: object) -> bool:
    return isinstance(source, str | PathLike) and Path(source).suffix == ".duckdb"


def _open_saved(path: str) -> "Saved":
    """A saved run. Raises InputError where there is none."""
    from sqlrisk.engines.duckdb import DuckDB
    from sqlrisk.saved import Saved

    if not is_file(path):
        raise InputError(f"There is no file {str(path)!r}.")
    engine = DuckDB(saved=str(path))
    try:
        return Saved(engine)
    except BaseException:
        engine.__exit__(None, None, None)
        raise


@contextmanager
def _saving(path: str | None, question: Question) -> Iterator[BinaryIO | None]:
    """The file that a saved run is written to, its owner's alone; None where none is wanted."""
    from sqlrisk.report.files import replacing

    if path is None:
        yield None
        return
    if Path(path).suffix != ".duckdb":
        raise InputError(f"save: {path!r} must end in .duckdb, which is what it is.")
    with replacing(path, _paths(question), private=True) as file:
        yield file


def _paths(question: Question) -> list[str]:
    sources = [question.original, *(synthesis.source for synthesis in question.syntheses)]
    return [path for source in (*sources, *([question.control] if question.control else [])) for path in source.paths]
