"""All settings: name, meaning, reader, and how they are given in Python and on the command line.

Functions take these tables as keyword arguments (``**settings: Unpack[Settings]``), so that editors
and type checkers know them. The same rows make the options of the command line
(`sqlrisk.cli.options`), what scenarios and their files may hold, and the texts of `reference` and
`explained`. A setting of only one function is a parameter of it, with a `Field` of its own.

To add a setting, add a row here, in the table of those that it is used with, and a field of
`sqlrisk.inputs.scenario.Scenario` with its default.
"""

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import fill
from typing import Annotated, Any, Literal, TypedDict, get_args

from sqlrisk.inputs import settings
from sqlrisk.inputs.columns import dictionary
from sqlrisk.inputs.columns.links import read_links
from sqlrisk.inputs.readers import Reader, limit, number, one, real, within, word
from sqlrisk.inputs.release import read_release
from sqlrisk.inputs.settings import Setting

# The panels of --help, in the order in which every command shows those that it has.
PANELS = (
    FILES := "Files",
    SUBSETS := "Subsets of the keys",
    TABLES := "Tables",
    QUESTION := "Question",
    ATTACKERS := "Attackers",
    SEARCH := "Search",
    UNCOUNTED := "Exclusions",
    CHECKS := "Checks",
    PEOPLE := "Subgroups, weights and control",
    INTRUDER := "Stronger attackers",
    CLOSER := "Detailed output",
    SIGNATURE := "Signature",
    OUTPUT := "Output",
    MACHINE := "Run",
)

# How an option is given: CSV lines that make one longer line, lines that stay apart, once as a
# text, a number (from 1 on, or any whole one) or a path, or without a value.
Form = Literal["list", "lines", "once", "count", "whole", "path", "switch"]


@dataclass(frozen=True, repr=False)
class Field:
    """A keyword argument that is also an option.

    Attributes:
        panel: where ``--help`` shows it.
        metavar: the name of its value there.
        help: its text there.
        form: how it is given on the command line.
        reader: makes the setting's value of what the user gave.
        says: its meaning for ``help(sqlrisk.score)``; if empty, the row before says it of both.
        about_columns: True if it names keys or targets. If several scenarios share it, it applies
            to those that use the column.
        about_records: True if it says which records are read; several scenarios give it once, for
            all.
        leaves_out: True if it excludes people.
        flag: the option, if it is not named like the argument.
    """

    panel: str
    metavar: str
    help: str
    form: Form = "once"
    reader: Reader[Any] = settings.read_text
    says: str = ""
    about_columns: bool = False
    about_records: bool = False
    leaves_out: bool = False
    flag: str = ""

    def __repr__(self) -> str:
        """Return the help, so that a signature shows it."""
        return repr(self.help)


WHICH = Field(
    QUESTION, "NAME", "One of several syntheses: 1, cart 2; default: all pooled", flag="--which"
)


# fmt: off
class Roles(TypedDict, total=False):
    """The columns of a question."""

    keys: Annotated[Setting, Field(
        QUESTION, "COLUMNS", "What the intruder knows: age,sex", "list", settings.read_names,
        'columns the intruder knows: a list of names, or one CSV line ``"sex,age"``.',
    )]
    targets: Annotated[Setting, Field(
        QUESTION, "COLUMNS",
        "What the intruder wants to learn; default: others, every column that is no key", "list",
        settings.read_targets,
        'columns the intruder wants; by default ``"others"``: all columns that every file has '
        'and that are no key. A column of that name is in a list, ``["others"]``.',
    )]


class Recoded(TypedDict, total=False):
    """How the values of columns become levels."""

    bins: Annotated[Setting, Field(
        QUESTION, "COLUMN=N", "Cut a numeric column into N quantile bins: age=10", "list",
        settings.read_bins,
        "column -> number of quantile bins, over original and syntheses pooled.",
        about_columns=True,
    )]
    special: Annotated[Setting, Field(
        QUESTION, "COLUMN=VALUE",
        "Keep this value as a level of its own, outside the bins: income=-8", "list",
        settings.read_levels,
        "column -> values that stay levels of their own beside the bins, or match themselves "
        "alone within a tolerance.",
        about_columns=True,
    )]
    missing: Annotated[Setting, Field(
        QUESTION, "VALUES",
        "Treat these values as missing in every column and file: NA,.,-9", "list",
        settings.read_missing,
        "values that stand for a missing one, in all columns and files. What is left of a CSV "
        "column may then be numbers.",
        about_records=True,
    )]
    column: Annotated[Setting, Field(
        QUESTION, "COLUMN.NAME=VALUE",
        "Recode or describe a column: age.bands=0,18,65; see sqlrisk guide recodes",
        "lines", dictionary.read_columns,
        'column -> what it is and how it is recoded: ``{"age": {"bands": [0, 18, 65]}}``; or '
        'lines ``"age.bands=0,18,65"``.',
    )]


class Levels(Roles, Recoded, total=False):
    """The columns of a question, and how their values become levels."""


class CsvFiles(TypedDict, total=False):
    """How CSV files are written; each file may have its own form."""

    encoding: Annotated[Setting, Field(
        QUESTION, "[FILE=]NAME",
        "Encoding of CSV files: windows-1252, or original=latin-1 for one; default: utf-8",
        "lines", settings.read_encodings,
        'how CSV files write text: ``"windows-1252"``, or file -> encoding. A file is '
        '``original``, ``synthetic``, ``control``, ``baseline``, ``hierarchy`` or named as it '
        'was given. By default UTF-8, or UTF-16 where a file begins with its mark.',
        about_records=True,
    )]
    delimiter: Annotated[Setting, Field(
        QUESTION, "[FILE=]CHARACTER",
        "Separator of CSV files: ';', tab; default: the most frequent one in the header",
        "lines", settings.read_delimiters,
        'what separates the fields of CSV files, one character or ``"tab"``; for each file as '
        'of ``encoding``. By default the one of comma, semicolon, tab and bar that the header '
        'has most of.',
        about_records=True,
    )]
    decimal: Annotated[Setting, Field(
        QUESTION, "[FILE=]CHARACTER",
        "Decimal mark of CSV files: , or .; default: .", "lines",
        settings.read_decimals,
        'what stands before the decimals of numbers in CSV files: ``","`` or ``"."``, the '
        'default; for each file as of ``encoding``.',
        about_records=True,
    )]
    quote: Annotated[Setting, Field(
        QUESTION, "[FILE=]CHARACTER",
        'Quote character of CSV files, or none; default: "', "lines",
        settings.read_quotes,
        'what quotes text in CSV files: one character, by default ``"``, or ``"none"``; for '
        'each file as of ``encoding``.',
        about_records=True,
    )]


class Columns(Levels, CsvFiles, total=False):
    """The columns of a question, and how their values are written and become levels."""


class Counted(TypedDict, total=False):
    """What counts as right, who is counted, what is checked, and which measures are taken."""

    within: Annotated[Setting, Field(
        QUESTION, "COLUMN=TOLERANCE",
        "Accept values within this distance, of targets or one key: income=500, age=5%, born=30d",
        "list", settings.read_tolerances,
        "column of numbers or dates -> how far a value may be from the true one and still "
        "count as right: ``500``, ``\"5%\"`` of the true value's size, or ``\"30d\"``, days. Adds "
        "the family ``within``. Of one key: how far it may be from a person's and still match; "
        "adds the family ``near_keys``.",
        about_columns=True,
    )]
    within_floor: Annotated[Setting, Field(
        QUESTION, "COLUMN=N", "Minimum of a tolerance in percent: income=100", "list",
        settings.read_floors, "such a column -> the least that a tolerance in percent comes to.",
        about_columns=True,
    )]
    exclude_level: Annotated[Setting, Field(
        UNCOUNTED, "TARGET=LEVEL", "Exclude people with this level of a target: workab=NO", "list",
        settings.read_levels, "target -> levels that are not counted.", about_columns=True,
        leaves_out=True,
    )]
    exclude_missing: Annotated[Setting, Field(
        UNCOUNTED, "COLUMNS", "Exclude people with a missing key or target: age,workab",
        "list", settings.read_names, "keys and targets whose missing level is not counted.",
        about_columns=True, leaves_out=True,
    )]
    exclude_pair: Annotated[Setting, Field(
        UNCOUNTED, "PAIR",
        "Exclude people with these levels of a target and a key: marital=SINGLE,age=19",
        "lines", settings.read_pairs,
        'mappings with ``target``, ``target_level``, ``key``, ``key_level``; or lines '
        '``"target=level,key=level"``.',
        leaves_out=True,
    )]
    max_cell: Annotated[Setting, Field(
        UNCOUNTED, "N", "Exclude cells of more than N records of their file", "once",
        limit("records"),
        "cells with more records than this are not counted, on each side by its own count.",
        leaves_out=True,
    )]
    max_cell_syn: Annotated[Setting, Field(
        UNCOUNTED, "N", "Exclude people in cells of more than N synthetic records", "once",
        limit("records"), "people in cells with more synthetic records than this are not counted.",
        leaves_out=True,
    )]
    justification: Annotated[str | None, Field(
        UNCOUNTED, "TEXT", "Reason for the exclusions, shown in the report",
        says="why the exclusions are right; the report says it beside them.",
    )]
    one_way: Annotated[Setting, Field(
        CHECKS, "N,PERCENT",
        "Flag a level with over N and over PERCENT of a target's DiSCO records; default: 50,90",
        "once", settings.read_thresholds,
        "(records, percent) thresholds of the checks; both strict.",
    )]
    two_way: Annotated[Setting, Field(
        CHECKS, "N,PERCENT",
        "Flag key levels for which over PERCENT of people share one target level, in cells of "
        "over N people; default: 4,80",
        "once", settings.read_thresholds,
    )]
    copied: Annotated[float | None, Field(
        CHECKS, "PERCENT",
        "Call a file a copy if it has PERCENT of people's unique rows; default: 50",
        "once", settings.read_percent,
        "percent of the people alone with their row whose row marks a file as a copy; by "
        "default 50.",
    )]
    matched: Annotated[float | None, Field(
        CHECKS, "PERCENT",
        "Doubt a file that has the keys of fewer than PERCENT of people; default: 20",
        "once", settings.read_percent,
        "percent of the people whose keys a file needs to have, to be assessed without a "
        "doubt; by default 20.",
    )]
    every_record: Annotated[bool | None, Field(
        CHECKS, "", "Look for copies among all records, even of large files", "switch",
        settings.read_yes_or_no,
        "look for copies among all records, also where a file has more than a million, or 20 "
        "million values.",
    )]
    measures: Annotated[Setting, Field(
        QUESTION, "NAMES",
        "Measures or families, of sqlrisk list; default: identity,attribute,cap (of sweep others)",
        "list", settings.read_names,
        "names or families; by default ``identity``, ``attribute`` and ``cap``.",
    )]
    class_sizes: Annotated[Setting, Field(
        QUESTION, "SIZES",
        "Lower bounds of the class_size groups, in records; default: 1,2,3,5,10", "list",
        settings.sizes("records", "1,2,3,5,10"),
        "the sizes of classes at which ``class_size`` begins anew; by default 1, 2, 3, 5, 10.",
    )]
    set_sizes: Annotated[Setting, Field(
        QUESTION, "SIZES",
        "Maximum numbers of keys in a predicate of singled_out; default: 1,2,3", "list",
        settings.sizes("keys", "1,2,3"),
        "of how many keys, at most, a predicate of ``singled_out`` is; by default 1, 2, 3.",
    )]
    base_rates: Annotated[Setting, Field(
        QUESTION, "PERCENTS",
        "Percents of members among the people asked about, for membership_precision; default: "
        "1,10,50",
        "list", settings.read_percents,
        "percents of members among the people whom an intruder asks about, at which "
        "``membership_precision`` is taken; by default 1, 10, 50.",
    )]
    populations: Annotated[Setting, Field(
        PEOPLE, "NAMES",
        "Compute the measures over these people: all, uniques, special; default: all",
        "list", settings.read_names,
        "whom the measures are taken over: ``all``, ``uniques``, ``special`` (the tenth of the "
        "uniques with the highest SUDA score) and names from ``population``.",
    )]
    population: Annotated[Setting, Field(
        PEOPLE, "CONDITION",
        "Also compute them over a subgroup: 'older women: sex = F AND age >= 65'", "lines",
        settings.read_conditions,
        'name -> condition on a person, such as ``"sex = F AND age >= 65"``; or lines ``"NAME: '
        'condition"``.',
    )]
    by: Annotated[Setting, Field(
        PEOPLE, "COLUMNS", "Compute the measures for each level of a column: region",
        "list", settings.read_names,
        "columns of the original; every measure is also taken over the people of each of their "
        "levels.",
    )]
    weights: Annotated[str | None, Field(
        PEOPLE, "COLUMN", "Column of survey weights; every measure is also weighted",
        reader=settings.read_column,
        says=(
        "column of the original (and control) with survey weights: every measure of people is "
        "also weighted."
        ),
        about_records=True,
    )]
    baseline: Annotated[Setting, Field(
        PEOPLE, "TARGET=FILE",
        "Distribution of a target for the baseline: a file with columns level and share", "list",
        settings.read_paths,
        "target -> Parquet or CSV file with the columns ``level`` and ``share``, in the place "
        "of its distribution.",
        about_columns=True, about_records=True,
    )]


class HalvesSettings(TypedDict, total=False):
    """Which people were in the synthesis."""

    split: Annotated[str | None, Field(
        PEOPLE, "COLUMN",
        "Column that marks who was in the synthesis; with --split-in",
        says=(
        "instead of ``control``: the people of ``original`` with this level of a column were "
        "in the synthesis, the others are control."
        ),
        about_records=True,
    )]
    split_in: Annotated[Setting, Field(
        PEOPLE, "LEVEL",
        "Level of --split of people in the synthesis; all others are control", "once",
        settings.read_level,
        about_records=True,
    )]
    id: Annotated[str | None, Field(
        PEOPLE, "COLUMN", "Column that identifies records; by default it is not a target",
        reader=settings.read_column,
        says="a column that names the records; it is no target by default.", about_records=True,
    )]


class Intruder(TypedDict, total=False):
    """What an intruder knows besides the keys."""

    aligned: Annotated[bool | None, Field(
        INTRUDER, "",
        "Synthetic record i was made from original record i, or from the one with its --id",
        "switch", settings.read_yes_or_no,
        "record i of each synthetic file was made from record i of ``original``; with ``id``, "
        "a column of all files, from the one with the same id. Adds the family ``matches``, of "
        "those people whom the synthesis was made from.",
        about_records=True,
    )]
    assume: Annotated[str | None, Field(
        INTRUDER, "saturated",
        "Assume an intruder who knows the synthesizer and all but one target level; with --prior",
        "once", word(*settings.ASSUMPTIONS),
        '``"saturated"``, with ``prior``: the syntheses were made by drawing target levels in '
        'each class of the keys from a Dirichlet posterior. Adds the family ``intruder``: what '
        'someone believes who knows this, and all but one target level.',
    )]
    prior: Annotated[Setting, Field(
        INTRUDER, "ALPHA", "Dirichlet prior of that synthesizer, for each level: 1",
        "once", one(within(1e-100, 1e100, real), "a number above 0 in decimals, such as 1 or 0.5"),
        "the parameter of that Dirichlet prior for each level, a number above 0.",
    )]
    link: Annotated[Setting, Field(
        INTRUDER, "COLUMNS",
        "Two sets of keys to link: age,sex/region,income; without a slash: every split in two",
        "lines", read_links,
        'two sides of keys that an intruder wants to join, ``"age,sex/region,income"``, or a '
        'list of them; columns without a slash: every way to split them in two. Adds the '
        'family ``linkability``. Without ``keys`` these columns are the keys.',
    )]
    intruder_prior: Annotated[str | None, Field(
        INTRUDER, "WORD",
        "The intruder's prior for levels: uniform, others or baseline; default: uniform",
        "once", word(*settings.INTRUDER_PRIORS),
        'with ``assume``, what the intruder thought of the levels before: ``"uniform"``, all '
        'alike; ``"others"``, as the other people of the class have them, ``prior`` added to '
        'each level; ``"baseline"``, as the file of ``baseline`` says.',
    )]


class Closer(TypedDict, total=False):
    """What is shown besides the measures, and how much work is allowed for it."""

    # recipe: add a setting
    confidence: Annotated[float | None, Field(
        PEOPLE, "LEVEL", "Confidence level of the intervals; default: 0.95", "once",
        one(within(0, 1, number, above=True, below=True), "a number between 0 and 1, such as 0.95"),
        "level of the intervals around what the synthesis added; by default 0.95.",
    )]
    distributions: Annotated[bool | None, Field(
        CLOSER, "", "Show the distribution of CAP and lift over people", "switch",
        settings.read_yes_or_no,
        "also say how CAP and lift are distributed over people: quantiles and histograms.",
    )]
    trend: Annotated[bool | None, Field(
        CLOSER, "", "Fit a line to each measure over the number of pooled syntheses", "switch",
        settings.read_yes_or_no,
        "also fit a line to each measure over the number of pooled syntheses.",
    )]
    row_radius: Annotated[int | None, Field(
        CLOSER, "N",
        "Number of columns in which near copies may differ; default: 1", "once",
        limit("columns", least=0),
        "in how many columns whole rows may differ to be near, for the family copies; by "
        "default 1.",
    )]
    membership_ratio: Annotated[bool | None, Field(
        CLOSER, "",
        "Also score membership against a reference, the second half of control",
        "switch", settings.read_yes_or_no,
        "membership also by the share that the synthetic file has of a person's keys over that "
        "of a reference: the second half of control, in the order of its file. The first half "
        "are then the people out of the synthesis.",
    )]
    release: Annotated[Setting, Field(
        CLOSER, "NAME=TEXT",
        "Describe the release on page one: purpose=Teaching; see sqlrisk guide reports",
        "lines", read_release,
        'what is said of the release on page one of the report: ``{"organisation": "...", '
        '"purpose": "..."}``.',
    )]
    membership_epsilon: Annotated[float | None, Field(
        CLOSER, "DELTA",
        "Also compute a lower bound of epsilon at this delta of differential privacy: 0",
        "once",
        one(
            within(0, 1, number, below=True),
            "a delta of differential privacy, from 0 on and below 1",
        ),
        "delta of differential privacy, 0 or more: of membership also a lower bound of "
        "epsilon; needs the extra ``stats``.",
    )]
    sampled: Annotated[float | None, Field(
        CLOSER, "F",
        "Share of the population in the original, to estimate population uniques: 0.05",
        "once",
        one(
            within(0, 1, number, above=True),
            "the share of the population that is in the file, over 0 and up to 1",
        ),
        "share of the population that is in ``original``: also estimate how many of everybody "
        "are alone with their keys.",
    )]
    work_limit: Annotated[int | None, Field(
        MACHINE, "N",
        "Maximum steps of a search for nearest records or special uniques; default: 20000000000",
        "once", limit("steps"),
        "the most steps of a search, of nearest records or special uniques; by default "
        "20,000,000,000.",
    )]


class Settings(Columns, Counted, HalvesSettings, Intruder, Closer, total=False):
    """The settings of a scenario."""


class Control(TypedDict, total=False):
    """People who were not in the synthesis."""

    control: Annotated[Any, Field(
        PEOPLE, "FILE", "People who were not in the synthesis, to compare with", "path",
        says=(
        "people who were not in the synthesis, as one source: every measure is also taken over "
        "them, and compared."
        ),
    )]


class Universe(TypedDict, total=False):
    """The whole population."""

    universe: Annotated[Any, Field(
        PEOPLE, "FILE",
        "Population file, for k-map, journalist and marketer risk, and presence",
        "path",
        says=(
        "everybody whom the original is a sample of, as one source with the keys: adds the "
        "family ``universe``."
        ),
    )]


class Attackers(TypedDict, total=False):
    """Attackers who guess people's targets, and what their models learn from."""

    attackers: Annotated[Setting, Field(
        ATTACKERS, "NAMES",
        "Attackers, or groups: baselines, sql, sklearn; default: baselines,sql; of sweep: none",
        "list",
    )]
    sample: Annotated[int | None, Field(
        ATTACKERS, "N",
        "Maximum records to train and test sklearn attackers on; default: 10000",
    )]
    seed: Annotated[int | None, Field(
        ATTACKERS, "S", "Random seed of samples and models; default: 1",
    )]
    preset: Annotated[str | None, Field(
        ATTACKERS, "NAME", "Model defaults: current or sklearn-0.20",
    )]


class SearchSettings(TypedDict, total=False):
    """How special uniques are searched and scored."""

    missing_value: Annotated[Setting, Field(
        QUESTION, "VALUES", "Treat these values as missing in every key: NA,.,-9", "lines",
        flag="--missing",
    )]
    max_size: Annotated[int | None, Field(
        SEARCH, "N", "Maximum number of keys in a set; default: all",
    )]
    sampling_fraction: Annotated[float | None, Field(
        SEARCH, "F", "Share of the population in the file; default: 0.01",
        flag="--sampled",
    )]
    scoring: Annotated[str | None, Field(SEARCH, "NAME", "elliot or ihsn; default: elliot")]


class RecordOptions(TypedDict, total=False):
    """Which records get a row, and what is in it."""

    synthesis: Annotated[str | None, WHICH]
    side: Annotated[str, Field(
        OUTPUT, "SIDE", "original: people; synthetic: its records; default: original",
    )]
    gcap: Annotated[bool, Field(
        OUTPUT, "", "Add the nearest synthetic records: radius, share, vote", "switch",
    )]
    suda: Annotated[bool, Field(OUTPUT, "", "Add the scores of special uniques", "switch")]
    diversity: Annotated[bool, Field(
        OUTPUT, "", "Add the l-diversity of each person's class", "switch",
    )]
    with_columns: Annotated[Setting, Field(
        OUTPUT, "COLUMNS", "Add columns of the file as they are: age,region", "list", flag="--with",
    )]


class SaveSettings(TypedDict, total=False):
    """Where a run is kept."""

    save: Annotated[str | None, Field(
        OUTPUT, "FILE",
        "Keep the run as a .duckdb file, for query, cells, lookup; PostgreSQL, Spark: in a schema",
        "path",
        says=(
        "a .duckdb file to keep the stage tables and readable views in, for `query`, `cells` "
        "and `lookup`; on PostgreSQL and Spark a schema to leave tables in: risky cells "
        "and the risk of records. It is microdata."
        ),
    )]


class OwnMeasures(TypedDict, total=False):
    """Measures besides those of sqlrisk."""

    measures_from: Annotated[str | None, Field(
        QUESTION, "DIR", "Add your own measures: a folder of .sql files", "path",
    )]


class ScenarioFile(TypedDict, total=False):
    """The source of settings that are not given."""

    scenario: Annotated[str | None, Field(
        QUESTION, "FILE",
        "A TOML file of settings, see sqlrisk guide scenarios; options win; FILE#NAME is one "
        "scenario of several",
        "path",
    )]


class RunOptions(TypedDict, total=False):
    """The database that counts, its limits, and functions that are told of the progress."""

    engine: Annotated[Any, Field(
        MACHINE, "NAME",
        "What counts: duckdb, FILE.duckdb, spark, spark://host:port, sc://host:port, "
        "postgresql://host/database, sqlite:///FILE, snowflake://NAME and others (sqlrisk "
        "guide databases)",
    )]
    memory_limit: Annotated[str | None, Field(MACHINE, "SIZE", "The most memory to use: 4GB")]
    threads: Annotated[int | None, Field(MACHINE, "N", "The most threads to use", "count")]
    temp_directory: Annotated[str | None, Field(
        MACHINE, "DIR", "Where to put what does not fit in memory; it is removed at the end",
        "path",
    )]
    scratch: Annotated[str | None, Field(
        MACHINE, "SCHEMA",
        "Where a database keeps the tables of a run until its end; default: temporary tables, "
        "or Spark's current schema",
    )]
    progress: Callable[[str, int, int, float], None] | None
    trace: Callable[[str, float], None] | None
# fmt: on


# The arguments of each function, in the order in which its help shows them.
class Run(Settings, OwnMeasures, ScenarioFile, RunOptions, total=False):
    """A scenario, from settings and a file, and how it is run."""


class ScoreRun(
    Columns,
    Counted,
    Control,
    Universe,
    HalvesSettings,
    Intruder,
    SaveSettings,
    Closer,
    OwnMeasures,
    ScenarioFile,
    RunOptions,
    total=False,
):
    """All arguments, in the order in which ``help(sqlrisk.score)`` shows them."""


class AttackRun(Columns, Control, HalvesSettings, Attackers, ScenarioFile, RunOptions, total=False):
    """What is known and wanted, who attacks, and how it is run."""


class RecordsRun(RecordOptions, Run, total=False):
    """Which records get a row, a scenario, and how it is run."""


class SweepRun(Run, Attackers, total=False):
    """A scenario, who attacks, and how it is run."""


class SearchRun(SearchSettings, CsvFiles, RunOptions, total=False):
    """How special uniques are searched, and how it is run."""


class DraftRun(CsvFiles, RunOptions, total=False):
    """How the files to look at are written, and how it is run."""


class SplitRun(CsvFiles, ScenarioFile, RunOptions, total=False):
    """How the file to split is written, and how it is run."""


class ColumnsRun(Columns, ScenarioFile, RunOptions, total=False):
    """What is known and wanted, and how it is run."""


class TablesRun(Recoded, CsvFiles, ScenarioFile, RunOptions, total=False):
    """How the values of columns become levels, and how it is run."""


class RunOfSeveral(Settings, SaveSettings, OwnMeasures, RunOptions, total=False):
    """What several scenarios share, and how they are run."""


def rows(table: type | Callable[..., Any]) -> dict[str, Field]:
    """Return the rows of a table and its bases, or the options among a function's parameters."""
    described = {
        name: getattr(hint, "__metadata__", (None,))[0]
        for name, hint in table.__annotations__.items()
    }
    return {name: field for name, field in described.items() if isinstance(field, Field)}


SETTINGS = rows(Settings)
FIELDS = {
    **SETTINGS,
    **rows(Control),
    **rows(SaveSettings),
    **rows(OwnMeasures),
    **rows(ScenarioFile),
    **rows(RunOptions),
}
# What repeats a run from its manifest besides the settings: the database and its limits.
REPEATABLE = (*rows(OwnMeasures), *(name for name in rows(RunOptions) if name != "temp_directory"))
# The user's own words, which may name a level; texts about records name columns.
FREE_TEXTS = tuple(
    name
    for name, field in SETTINGS.items()
    if field.reader is settings.read_text and not field.about_records
)
NO_OPTION = Field("", "", "")
# The limits of the assessment, and how closely it looks.
ASSESSED = ("copied", "matched", "every_record")
EXCLUSIONS = tuple(name for name, field in SETTINGS.items() if field.leaves_out)


def table_of(function: Callable[..., Any]) -> type | None:
    """Return the table that a function takes as keyword arguments, ``**settings``."""
    return next(iter(get_args(function.__annotations__.get("settings"))), None)


def arguments(function: Callable[..., Any]) -> dict[str, Field]:
    """Return all arguments of a function by name; those without an option have an empty field."""
    table = table_of(function)
    names = [*function.__annotations__, *(table.__annotations__ if table else ())]
    known = {**FIELDS, **(rows(table) if table else {}), **rows(function)}
    return {
        name: known.get(name, NO_OPTION) for name in names if name not in ("settings", "return")
    }


def own(function: Callable[..., Any]) -> dict[str, Field]:
    """Return the options of only this function: rows of its table, and its own parameters."""
    table = table_of(function)
    others = rows(table) if table else {}
    return {name: field for name, field in others.items() if name not in FIELDS} | rows(function)


def option_name(name: str, field: Field = NO_OPTION) -> str:
    """Return the command-line option of an argument."""
    return field.flag or f"--{name.replace('_', '-')}"


def explained(table: type) -> str:
    """Write the meanings of a table's settings for a docstring.

    A setting without a meaning is listed with the one before.
    """
    texts: list[tuple[list[str], str]] = []
    for name, field in rows(table).items():
        if field.says:
            texts.append(([name], field.says))
        elif name in SETTINGS:
            texts[-1][0].append(name)
    return "\n".join(
        fill(
            f"{', '.join(names)}: {says}",
            100,
            initial_indent=" " * 8,
            subsequent_indent=" " * 12,
            break_on_hyphens=False,
        )
        for names, says in texts
    )


def reference() -> str:
    """Write the settings of a scenario as Markdown: a table for each panel of ``--help``."""
    tables = dict.fromkeys(
        (field.panel for field in SETTINGS.values()),
        "| setting | option | what it says |\n|---|---|---|\n",
    )
    for name, field in SETTINGS.items():
        option = f"{option_name(name)} {field.metavar}".strip()
        tables[field.panel] += f"| `{name}` | `{option}` | {field.help} |\n"
    return "\n".join(f"## {panel}\n\n{table}" for panel, table in tables.items())
