"""The functions users call: ``score``, ``cells`` and ``sql``. They only put a question together and run it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlrisk.engines import Engine
from sqlrisk.errors import InputError
from sqlrisk.question import ask
from sqlrisk.suggest import suggestion

if TYPE_CHECKING:
    from sqlrisk.report import Listing, Report
    from sqlrisk.report.tables import Table

Setting = Any  # a list, a mapping or a CSV line; sqlrisk.scenario reads it
ENGINES = ("duckdb",)


def score(
    original: Any = None,
    synthetic: Any = None,
    *,
    keys: Setting = None,
    targets: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    exclude_level: Setting = None,
    exclude_missing: Setting = None,
    exclude_pair: Setting = None,
    max_cell: Setting = None,
    max_cell_syn: Setting = None,
    one_way: Setting = None,
    two_way: Setting = None,
    measures: Setting = None,
    populations: Setting = None,
    population: Setting = None,
    by: Setting = None,
    weights: str | None = None,
    baseline: Setting = None,
    control: Any = None,
    split: str | None = None,
    split_in: Setting = None,
    distributions: bool | None = None,
    trend: bool | None = None,
    measures_from: str | None = None,
    scenario: str | None = None,
    engine: str = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
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
        special: column -> values that stay levels of their own beside the bins.
        exclude_level: target -> levels that are not counted.
        exclude_missing: keys and targets whose missing level is not counted.
        exclude_pair: mappings with ``target``, ``target_level``, ``key``, ``key_level``; or lines ``"target=level,key=level"``.
        max_cell: cells with more records than this are not counted, on each side by its own count.
        max_cell_syn: people in cells with more synthetic records than this are not counted.
        one_way, two_way: (records, percent) thresholds of the checks; both strict.
        measures: names or families; by default ``identity``, ``attribute`` and ``cap``.
        populations: whom the measures are taken over: ``all``, ``uniques``, ``special`` (the tenth of the uniques with the
            highest SUDA score) and names from ``population``.
        population: name -> condition on a person, such as ``"sex = F AND age >= 65"``; or lines ``"NAME: condition"``.
        by: columns of the original; every measure is also taken over the people of each of their levels.
        weights: column of the original (and control) with survey weights: every measure of people is also weighted.
        baseline: target -> Parquet or CSV file with the columns ``level`` and ``share``, in the place of its distribution.
        control: people who were not in the synthesis, as one source: every measure is also taken over them, and compared.
        split, split_in: instead of ``control``: the people of ``original`` with this level of a column were in the synthesis, the
            others are control.
        distributions: also say how CAP and lift are distributed over people: quantiles and histograms.
        trend: also fit a line to each measure over the number of pooled syntheses; p values need the extra ``stats``.
        measures_from: a folder with measures of your own.
        scenario: a TOML file with the same settings; arguments given here win.
        engine: ``"duckdb"``.
        memory_limit: for example ``"4GB"``. threads: number of threads. temp_directory: where stage tables may spill.
        progress: called as ``progress(stage, step, steps, fraction)``, steps from 1, fraction 0 to 1.
        trace: called as ``trace(sql, seconds)`` after each statement.

    Returns:
        A Report: result rows as of ``sqlrisk score``, percentages unless the unit says otherwise.

    Raises:
        InputError: the question or the input is wrong; ``problems`` holds every problem.
        EngineError: the database failed.
    """
    from sqlrisk import run

    settings = {
        "keys": keys, "targets": targets, "bins": bins, "special": special, "exclude_level": exclude_level,
        "exclude_missing": exclude_missing, "exclude_pair": exclude_pair, "max_cell": max_cell, "max_cell_syn": max_cell_syn,
        "one_way": one_way, "two_way": two_way, "measures": measures, "populations": populations, "population": population,
        "by": by, "weights": weights, "baseline": baseline, "split": split, "split_in": split_in,
        "distributions": distributions, "trend": trend,
    }  # fmt: skip
    question = ask(original, synthetic, settings, control=control, scenario_file=scenario, measures_from=measures_from)
    opener = _opener(engine, memory_limit, threads, temp_directory)
    with opener() as session:
        report = run.score(question, session, progress, trace)
    return run.with_rerun(report, question, opener)


def tabulate(
    layout: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    keys: Setting = None,
    control: Any = None,
    measures_from: str | None = None,
    scenario: str | None = None,
    engine: str = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
    **settings: Setting,
) -> "Table":
    """Score, and lay the result out as the table of a paper.

    Args:
        layout: ``"raab"``: targets as rows, all people and what exclusions leave, original and synthetic side by side.
            ``"taub"``: original, baseline and 1, 2, ... syntheses pooled as rows, populations as columns.
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
    ready = [ask(sources[0], sources[1], each, control=sources[2], measures_from=measures_from) for each in questions]
    opener = _opener(engine, memory_limit, threads, temp_directory)
    reports = []
    for question in ready:
        with opener() as session:
            reports.append(run.score(question, session, progress, trace))
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
    engine: str = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_directory: str | None = None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
    **settings: Setting,
) -> "Listing":
    """List the riskiest cells that make a measure, most people first. The listing is disclosive.

    Args:
        measure: a measure with a ``risky`` condition, such as ``DiSCO`` or ``repU``.
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

    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from)
    with _opener(engine, memory_limit, threads, temp_directory)() as session:
        return run.cells(
            question, session, measure, synthesis=synthesis, target=target, limit=limit, progress=progress, trace=trace
        )


def sql(
    measure: str,
    original: Any = None,
    synthetic: Any = None,
    *,
    one: bool = False,
    dialect: str = "duckdb",
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
        dialect: ``"duckdb"``.
        settings: the settings of a scenario, as of ``score``; without any, an example with two keys and one target.

    Raises:
        InputError: as ``score``; or an unknown dialect.
    """
    from sqlrisk import script

    if dialect != "duckdb":
        raise InputError(f"There is no dialect {dialect!r}{suggestion(dialect, ['duckdb'])}; this version prints duckdb.")
    if original is None and synthetic is None and scenario is None:
        return script.without_files(measure, settings, one=one, measures_from=measures_from)
    question = ask(original, synthetic, settings, scenario_file=scenario, measures_from=measures_from)
    if one:
        return script.own_select(question.catalog[measure])
    with _opener("duckdb", None, None, None)() as session:
        return script.with_files(measure, question, session)


def _opener(engine: str, memory_limit: str | None, threads: int | None, temp_directory: str | None) -> Callable[[], Engine]:
    """A function that opens a fresh session of an engine."""
    if engine not in ENGINES:
        raise InputError(f"There is no engine {engine!r}{suggestion(engine, ENGINES)}; this version runs on duckdb.")

    def open_engine() -> Engine:
        from sqlrisk.engines.duckdb import DuckDB

        return DuckDB(memory_limit=memory_limit, threads=threads, temp_directory=temp_directory)

    return open_engine
