"""Functions about single people and records: who is at risk and why, files without these records,
and control files.
"""

from collections.abc import Callable, Sequence
from functools import partial, wraps
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Unpack, cast, overload
from warnings import warn

from sqlrisk.api.calls import Call, require_known, require_own
from sqlrisk.common.errors import ProblemList
from sqlrisk.inputs.fields import (
    FILES,
    OUTPUT,
    QUESTION,
    SEARCH,
    WHICH,
    ColumnsRun,
    CsvFiles,
    Field,
    RecordOptions,
    RecordsRun,
    Run,
    SearchRun,
    SearchSettings,
    SplitRun,
)
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from sqlrisk.analyses.people.held_records import Records
    from sqlrisk.analyses.people.record_risk import Written
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.results.explanation import Explanation
    from sqlrisk.report.results.protection import Halves, Protection, Recoding
    from sqlrisk.report.results.uniques import Uniques

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def records(
    original: Any = None,
    synthetic: Any = None,
    output: None = None,
    *,
    inputs: Sequence[str] = (),
    **settings: Unpack[RecordsRun],
) -> "Records": ...
@overload
def records(
    original: Any = None,
    synthetic: Any = None,
    output: str | PathLike[str] = ...,
    *,
    inputs: Sequence[str] = (),
    **settings: Unpack[RecordsRun],
) -> "Written": ...
def records(
    original: Any = None,
    synthetic: Any = None,
    output: str | PathLike[str] | None = None,
    *,
    inputs: Sequence[str] = (),
    **settings: Unpack[RecordsRun],
) -> "Written | Records":
    """Return the risk of each record, or write it to a .parquet or .csv file.

    There is one row per person, in the order of the file, with the columns that `sqlrisk guide
    records` explains. If ``scenario`` is a file of several, each scenario has these rows, and the
    first column is ``scenario``.

    Args:
        output: the file to write. Without it the rows are returned.
        synthesis: ``"1"``, ``"pooled 1-2"``, ``"cart 1"``; by default all syntheses pooled. Name
            one if there are several methods.
        side: ``"original"`` (the default), or ``"synthetic"`` for one row per synthetic record,
            without gcap, suda, diversity and id.
        gcap: add guesses from the nearest synthetic records.
        suda: add the scores of special uniques.
        diversity: add the l-diversity of the people with each person's keys.
        with_columns: add these columns of the file: a list of names, or ``"age,region"``. With
            ``side="synthetic"`` each synthetic file must have them.
        inputs: more files that the output must not replace.
        settings: the settings of a scenario, as for ``score``. With ``id``, the column ``record``
            holds the ids. ``measures="others"`` adds what other people with the same keys reveal.

    Returns:
        Without ``output``, a Records: a frame on disk. With it, the number of rows written: an int
        that also has the ``assessment`` of the files.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> found = sqlrisk.records(scenario="scenario.toml")
        >>> found.columns[:3]
        ['record', 'n_orig_class', 'n_syn_class']
    """
    from os import fspath

    from sqlrisk.analyses.people import record_risk
    from sqlrisk.analyses.people.held_records import ROWS, Records, held
    from sqlrisk.common.output_files import rows_to

    require_own(records, settings)
    call = Call.of(settings, RecordOptions)
    wanted = record_risk.Wanted(**call.own)
    write: Callable[..., Written]
    if several := call.ask_several(original, synthetic):
        questions = [*several.values()]
        write = partial(record_risk.write_all, several, wanted=wanted)
    else:
        questions = [call.ask(original, synthetic)]
        write = partial(record_risk.write, questions[0], wanted=wanted)
    opened = call.session(questions[0])
    if output is None:
        with held(call.machine.temp_directory) as folder, opened as session:
            found = write(session, str(folder.path / ROWS), "parquet")
        return Records(folder, found, found.assessment)
    read = chain(inputs, *(each.paths for each in questions))
    with rows_to(fspath(output), read) as (path, form), opened as session:
        return write(session, path, form)


def explain(
    original: Any = None,
    synthetic: Any = None,
    *,
    record: Annotated[
        Any, Field(FILES, "N", "Explain one person: the record's number, or its value of --id")
    ],
    synthesis: Annotated[str | None, WHICH] = None,
    **settings: Unpack[Run],
) -> "Explanation":
    """Explain why one person is at risk: who shares their keys, what makes them rare, what would be
    revealed. The result is disclosive.

    Args:
        record: the person's number in ``original``, from 1, or their value of the ``id``
            column.
        synthesis: ``"1"``, ``"pooled 1-2"``, ``"cart 1"``; by default all syntheses pooled. Name
            one if there are several methods.
        settings: the settings of a scenario, as for ``score``.

    Returns:
        An Explanation: sentences, and the numbers behind them, equal to those of ``records``.

    Raises:
        InputError: as ``score``, or ``record`` is not exactly one person.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.explain(record=1, scenario="scenario.toml")
        >>> found.n_orig_class, found.unique
        (3, False)
    """
    from sqlrisk.analyses.people import explanations

    require_own(explain, settings)
    call = Call.of(settings)
    question = call.ask(original, synthetic)
    with call.session(question) as session:
        return explanations.explain(question, session, record, synthesis=synthesis)


def uniques(
    file: Any = None,
    *,
    keys: Setting = None,
    bins: Setting = None,
    special: Setting = None,
    column: Setting = None,
    work_limit: Annotated[
        int | None,
        Field(
            SEARCH,
            "N",
            "Maximum steps: key combinations times sets of keys; default: 20000000000",
        ),
    ] = None,
    output: str | PathLike[str] | None = None,
    **settings: Unpack[SearchRun],
) -> "Uniques":
    """Find special uniques of a file (SUDA): people who are unique on a few of the keys.

    Args:
        file: path, glob or folder, in a format of `sqlrisk guide files`; a pandas, polars or Arrow
            table; a DuckDB relation.
        keys: columns the intruder knows: a list of names, or one CSV line ``"sex,age"``.
        bins, special, column: as for ``score``; the quantiles are those of this file.
        missing_value: a value, or a list of values, to treat as missing in every key.
        encoding, delimiter, decimal, quote: as for ``score``; the file is ``original``.
        max_size: search sets of at most this many keys; by default all. The weights of the sets do
            not change.
        sampling_fraction: the share of the population that is in the file; by default 0.01. DIS
            and dis_suda depend on it.
        scoring: weights of the sets: ``"elliot"`` (the default) or ``"ihsn"``.
        output: a .parquet or .csv file with one row per record in the order of the file: record
            (from 1), suda_score, dis_suda and contribution_<key>.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as for ``score``.

    Raises:
        InputError: as ``score``, or there is more work than the limit.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.uniques("original.parquet", keys=["sex", "age", "region"])
        >>> found.uniques
        98
    """
    from sqlrisk.analyses.people import uniques as finder
    from sqlrisk.common.output_files import rows_to

    call = Call.of(settings, SearchSettings, function=uniques)
    asked = {"keys": keys, "bins": bins, "special": special, "column": column, **call.settings}
    question = finder.ask(file, asked, {**call.own, "work_limit": work_limit}, tables=call.tables)
    opened = call.sessions([question.source])()
    if output is None:
        with opened as session:
            return finder.find(question, session)
    inputs = [*question.source.paths, question.source.label, *question.scenario.files]
    with rows_to(output, inputs) as rows, opened as session:
        return finder.find(question, session, rows=rows)


def recode(
    original: Any = None,
    synthetic: Any = None,
    *,
    output: str | PathLike[str] = "",
    **settings: Unpack[ColumnsRun],
) -> "Recoding":
    """Write the files of a release with their columns recoded, by one dictionary.

    Other columns and the order of records do not change. CSV, SPSS and Stata files keep their
    format. All others become Parquet.

    Args:
        original, synthetic: as for ``score``.
        keys, targets, bins, special, missing: as for ``score``, for the measures before and after.
        column: as for ``score``. All files must have these columns. They need not be keys.
        output: a new or empty folder. Files keep their names, and ``recode.manifest.json`` records
            how they were made.
        scenario: a TOML file with the same settings.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> done = sqlrisk.recode(
        ...     scenario="scenario.toml",
        ...     column={"age": {"width": 10}},
        ...     output="release",
        ... )
        >>> len(done.files)
        2
    """
    from os import fspath

    from sqlrisk.analyses.people import recoding
    from sqlrisk.inputs.sources import unchanged

    call = Call.of(settings, function=recode)
    wanted = recoding.order(original, synthetic, fspath(output), call.settings, call.scenario)
    with unchanged(wanted.question.sources):
        return recoding.recode(wanted, call.sessions(several=True), call.repeatable)


def split(
    original: Any = None,
    *,
    output: str | PathLike[str] = "",
    share: Annotated[
        float | str, Field(QUESTION, "SHARE", "Share of the records to synthesize")
    ] = 0.5,
    seed: Annotated[int | str, Field(QUESTION, "S", "Random seed")] = 1,
    **settings: Unpack[SplitRun],
) -> "Halves":
    """Split the records of a file at random into a part to synthesize and a control.

    Do this before the synthesis (Taub et al. 2018, section 4.3). Columns and the order of records
    do not change. The format is as for ``recode``.

    Args:
        original: as for ``score``.
        output: a new or empty folder for ``NAME_in`` and ``NAME_control``. ``split.manifest.json``
            records how they were made.
        share: the share of records to synthesize, between 0 and 1.
        seed: random seed, a whole number. The same records (compared as text) and seed give the
            same halves, in any order and with any number of threads.
        encoding, delimiter, decimal, quote: as for ``score``.
        scenario: a TOML file that names the original and its CSV form. One with a control or a
            split is refused.

    Raises:
        InputError: the input is wrong, or a half would be empty.
        EngineError: the database failed.

    Example:
        >>> halves = sqlrisk.split("original.parquet", share=0.5, seed=1, output="halves")
        >>> [row["records"] for row in halves.files]
        [100, 100]
    """
    from os import fspath

    from sqlrisk.analyses.people import halves
    from sqlrisk.inputs.sources import unchanged

    call = Call.of(settings, function=split)
    asked: dict[str, Any] = {
        "share": share,
        "seed": seed,
        "scenario_file": call.scenario,
        "tables": call.tables,
    }
    wanted = halves.order(original, fspath(output), call.settings, **asked)
    with unchanged([wanted.question.original]):
        return halves.split(wanted, call.sessions([wanted.question.original]))


def lookup(
    synthetic: Any,
    *,
    key: Annotated[
        Setting,
        Field(QUESTION, "COLUMN=LEVEL", "What the intruder knows about a person: age=57", "lines"),
    ] = None,
    missing: Annotated[
        Setting,
        Field(
            QUESTION,
            "COLUMNS",
            "Keys that the intruder knows to be missing",
            "list",
            flag="--missing-keys",
        ),
    ] = None,
    targets: Annotated[
        Setting,
        Field(QUESTION, "COLUMNS", "What to look up; default: all columns except keys", "list"),
    ] = None,
    **settings: Unpack[CsvFiles],
) -> "Listing":
    """Return what an intruder with a person's key levels sees: target levels of matching records.

    Args:
        synthetic: one synthetic file, a list or a mapping of them, or a saved run.
        key: column -> level, or lines ``"age=57"``. In a saved run a number stands for its bin.
            Give at least one ``key`` or ``missing``.
        missing: keys that the intruder knows to be missing.
        targets: columns to look up; by default all columns except keys, or a saved run's targets.
        encoding, delimiter, decimal, quote: as for ``score``.

    Returns:
        A Listing with target, synthesis, radius, level, records, percent, the most frequent levels
        first. If no record of a synthesis matches all keys, it lists the nearest records.
        ``radius`` is the number of keys in which they differ from the person.

    Raises:
        InputError: a file or column is missing, or a column cannot have that level.

    Example:
        >>> sqlrisk.lookup("syn_1.parquet", key={"sex": "F", "age": 30}, targets=["ill"]).columns
        ['target', 'synthesis', 'radius', 'level', 'records', 'percent']
    """
    from sqlrisk.analyses.people import lookups
    from sqlrisk.analyses.saved_runs import is_saved, open_saved
    from sqlrisk.engines.connect import EngineOptions
    from sqlrisk.inputs.scenario import read
    from sqlrisk.inputs.sources import read_syntheses

    require_known(lookup, settings)
    scenario = read({"keys": ["-"], "targets": targets, **settings})
    known = lookups.read_known(key, read({"targets": missing}).targets)
    alone = synthetic[0] if isinstance(synthetic, list) and len(synthetic) == 1 else synthetic
    if is_saved(alone):
        with open_saved(alone) as saved:
            return lookups.in_saved(saved, known, scenario.targets)
    syntheses = read_syntheses(synthetic)
    ProblemList(scenario.names_no_file(each.source for each in syntheses)).stop()
    syntheses = scenario.syntheses_as_written(syntheses)
    with EngineOptions().opener([each.source for each in syntheses])() as database:
        return lookups.in_files(syntheses, database, known, scenario)


def _old_order(function: Function) -> Function:
    """Accept the former argument order of `protect` (synthetic file, output) with a warning. The
    next version removes this.
    """

    @wraps(function)
    def call(*files: Any, **given: Any) -> Any:
        alone = (
            len(files) == 1
            and given.get("scenario")
            and "synthetic" not in given
            and given.get("side") != "original"
        )
        if files and ("original" in given or alone):
            from sqlrisk.analyses.people.protection import ORIGINAL_FIRST

            warn(f"sqlrisk.protect: {ORIGINAL_FIRST}", FutureWarning, stacklevel=2)
            return function(**dict(zip(("synthetic", "output"), files, strict=False)), **given)
        return function(*files, **given)

    return cast("Function", call)


@_old_order
def protect(
    original: Any = None,
    synthetic: Any = None,
    *,
    output: str | PathLike[str] = "",
    side: Annotated[
        str,
        Field(
            OUTPUT,
            "SIDE",
            "Write the synthetic file without replicated uniques, or original without uniques",
        ),
    ] = "synthetic",
    uniques_in_original: Annotated[
        bool,
        Field(
            OUTPUT,
            "",
            "Also take out unique records whose keys several people share",
            "switch",
        ),
    ] = False,
    flag: bool | str = False,
    label: Annotated[
        Any,
        Field(
            OUTPUT,
            "COLUMN=TEXT",
            "Add a column with the same text in every record: origin=synthetic",
        ),
    ] = None,
    inputs: Sequence[str] = (),
    **settings: Unpack[ColumnsRun],
) -> "Protection":
    """Write synthetic files without the records of replicated uniques: people whose keys exactly
    one synthetic record has, and no other person.

    All other records, their columns, types and order do not change. CSV written from CSV holds the
    same texts. Parquet written from CSV has the types that ``score`` reads.

    Args:
        original, synthetic: as for ``score``.
        output: a .parquet, .csv or .csv.gz file. An SPSS or Stata file can also be written in its
            own format, with its labels. For several files, a new or empty folder. They keep their
            names.
        keys, targets, bins, special, missing, column: as for ``score``. Targets only add measures:
            DiSCO and DCAP, or Dorig with ``side="original"``.
        side: ``"original"`` writes the original without its uniques, to make a synthesis from.
            Then leave out ``synthetic``.
        flag: keep all records and add a boolean column of this name. True names it
            ``replicated_unique``, or ``unique`` in an original, or ``unique_in_original`` with
            ``uniques_in_original``.
        label: a text column for every record, ``"origin=synthetic"`` or ``{"origin":
            "synthetic"}``.
        inputs: more files that the output must not replace.
        scenario: a TOML file with the same settings. Of other settings only exclusions and those of
            the assessment (copied, matched, every_record) matter.

    Returns:
        A Protection, or for several files a Protections.

    Raises:
        InputError, EngineError: as ``score``.

    Example:
        >>> done = sqlrisk.protect(scenario="scenario.toml", output="protected.parquet")
        >>> f"{done.singled_out} of {done.records} records taken out"
        '6 of 200 records taken out'
    """
    from os import fspath

    from sqlrisk.analyses.people import protection
    from sqlrisk.inputs.sources import unchanged

    call = Call.of(settings, function=protect)
    open_session = call.sessions(several=True)
    asked = (call.settings, side, flag, label, call.scenario)
    wanted = protection.orders(
        original, synthetic, fspath(output), *asked, in_original=uniques_in_original
    )
    sources = [source for each in wanted for source in each.question.sources]
    with protection.outputs(wanted, inputs) as files, unchanged(sources):
        return protection.protect(wanted, open_session, files)
