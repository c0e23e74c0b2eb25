"""All settings: name, meaning, reader, and form in Python and on the command line.

Functions take these tables as keyword arguments (``**settings: Unpack[Settings]``), so editors and
type checkers know them. The same rows give the options of the command line (`sqlrisk.cli.options`),
the settings of a scenario file, and the texts of `reference` and `explained`. A setting that only
one function has is a parameter of that function, with a `Field` of its own.

To add a setting, add a row to the table of related settings here, and a field with its default to
`sqlrisk.inputs.scenario.Scenario`.
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
    INTRUDER := "Stronger intruders",
    CLOSER := "Detailed output",
    SIGNATURE := "Signature",
    OUTPUT := "Output",
    MACHINE := "Run",
)

# How an option is given. list: CSV lines, joined into one. lines: lines that stay separate. once:
# one text. count: a number from 1. whole: any whole number. path: a path. switch: no value.
Form = Literal["list", "lines", "once", "count", "whole", "path", "switch"]


@dataclass(frozen=True, repr=False)
class Field:
    """A keyword argument that is also an option.

    Attributes:
        panel: the panel of ``--help`` that shows it.
        metavar: the name of its value in ``--help``.
        help: its text in ``--help``.
        form: its form on the command line.
        reader: turns the user's value into the value of the setting.
        says: its meaning for ``help(sqlrisk.score)``. If empty, the text of the row before covers
            both.
        about_columns: True if it names keys or targets. If several scenarios share it, it applies
            to those that use the column.
        about_targets: True if it is only about targets.
        about_records: True if it decides which records are read. Several scenarios must share it.
        leaves_out: True if it excludes people.
        assesses: True if it is only for the assessment of the files.
        chooses: True if it changes no number that both of two results have: it chooses which
            numbers there are, how far a search may go, what is flagged or told, or how files are
            read.
        beyond: what its own results need besides counts, if only ``score`` computes them, otherwise
            empty. Messages of other commands name it.
        flag: the name of the option, if it differs from the argument's.
    """

    panel: str
    metavar: str
    help: str
    form: Form = "once"
    reader: Reader[Any] = settings.read_text
    says: str = ""
    about_columns: bool = False
    about_targets: bool = False
    about_records: bool = False
    leaves_out: bool = False
    assesses: bool = False
    chooses: bool = False
    beyond: str = ""
    flag: str = ""

    def __repr__(self) -> str:
        """Return the help, so that a signature shows it."""
        return repr(self.help)


WHICH = Field(
    QUESTION, "NAME", "One of several syntheses: 1, cart 2; default: all pooled", flag="--which"
)


# fmt: off
class Roles(TypedDict, total=False):
    """The roles of columns in a question: keys, targets and others."""

    keys: Annotated[Setting, Field(
        QUESTION, "COLUMNS", "What the intruder knows: age,sex", "list", settings.read_names,
        'columns the intruder knows: a list of names, or one CSV line ``"sex,age"``.',
    )]
    targets: Annotated[Setting, Field(
        QUESTION, "COLUMNS",
        "What the intruder wants; default: role sensitive, or all but keys, ids, weights", "list",
        settings.read_targets,
        'columns the intruder wants; by default those with the role sensitive, or if there are '
        'none ``"others"``: all that every file has, except keys, ids, weights and those with '
        'the role other. To name a column called others, write ``["others"]``.',
        chooses=True,
    )]


class Recoded(TypedDict, total=False):
    """Settings that turn the values of columns into levels."""

    bins: Annotated[Setting, Field(
        QUESTION, "COLUMN=N",
        "Cut a numeric column into N quantile bins: age=10", "list",
        settings.read_bins,
        "column -> number of quantile bins (equal widths under 3 groups, special values included), "
        "over original and syntheses pooled.",
        about_columns=True,
    )]
    special: Annotated[Setting, Field(
        QUESTION, "COLUMN=VALUE",
        "Keep this value out of the bins, as a level of its own: income=-8", "list",
        settings.read_levels,
        "column -> values that are never put into a bin: each is a level of its own. If the "
        "column has a tolerance, these values match only themselves.",
        about_columns=True,
    )]
    missing: Annotated[Setting, Field(
        QUESTION, "VALUES",
        "Treat these values as missing in every column and file: NA,.,-9", "list",
        settings.read_missing,
        "values to treat as missing in every column and file. A CSV column whose other values are "
        "numbers is then read as numbers.",
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
    """The roles of columns, and the settings that turn their values into levels."""


class CsvFiles(TypedDict, total=False):
    """How CSV files are written. Each file may have its own form."""

    encoding: Annotated[Setting, Field(
        QUESTION, "[FILE=]NAME",
        "Encoding of CSV files: windows-1252; for one: original=latin-1; default: utf-8",
        "lines", settings.read_encodings,
        'encoding of CSV files: ``"windows-1252"``, or file -> encoding. Call a file '
        '``original``, ``synthetic``, ``control``, ``universe``, ``baseline``, ``hierarchy`` or '
        'by the name that you gave. By default UTF-8, or UTF-16 or UTF-32 if a file begins with '
        'their byte order mark.',
        about_records=True, chooses=True,
    )]
    delimiter: Annotated[Setting, Field(
        QUESTION, "[FILE=]CHARACTER",
        "Separator of CSV files: ';', tab; default: by the file's name and first lines",
        "lines", settings.read_delimiters,
        'separator of CSV files, one character or ``"tab"``, or file -> separator as for '
        '``encoding``. By default the one in a first line ``sep=;``, tab for ``.tsv`` and '
        '``.tab``, else the most frequent of comma, semicolon, tab and bar in the header.',
        about_records=True, chooses=True,
    )]
    decimal: Annotated[Setting, Field(
        QUESTION, "[FILE=]CHARACTER",
        "Decimal mark of CSV files: comma (',') or point; default: point", "lines",
        settings.read_decimals,
        'decimal mark of CSV files: ``","`` or ``"."`` (the default), or file -> mark as for '
        '``encoding``.',
        about_records=True, chooses=True,
    )]
    quote: Annotated[Setting, Field(
        QUESTION, "[FILE=]CHARACTER",
        'Quote character of CSV files, or none; default: "', "lines",
        settings.read_quotes,
        'quote character of CSV files: one character, by default ``"``, or ``"none"``, or '
        'file -> character as for ``encoding``.',
        about_records=True, chooses=True,
    )]


class Columns(Levels, CsvFiles, total=False):
    """The roles and levels of columns, and how the files write their values."""


class MeasureSettings(TypedDict, total=False):
    """Settings of tolerances, exclusions, checks, and the measures to compute."""

    within: Annotated[Setting, Field(
        QUESTION, "COLUMN=TOLERANCE",
        "Accept values this near (targets or one key): income=500, age=5%, born=30d",
        "list", settings.read_tolerances,
        "column of numbers or dates -> how far a value may be from the true one and still "
        "count as right: ``500``, ``\"5%\"`` of the true value's size, or ``\"30d\"``, days. Adds "
        "the family ``within``. For one key: how far a record's value may be from the person's "
        "and still match. Adds the family ``near_keys``.",
        about_columns=True,
    )]
    within_floor: Annotated[Setting, Field(
        QUESTION, "COLUMN=N",
        "Minimum of a percentage tolerance, in the unit of the column: income=100", "list",
        settings.read_floors, "column with a tolerance in percent -> the minimum of the tolerance.",
        about_columns=True,
    )]
    exclude_level: Annotated[Setting, Field(
        UNCOUNTED, "TARGET=LEVEL", "Exclude people with this level of a target: workab=NO", "list",
        settings.read_levels,
        "target -> levels: the target's measures do not count people with one of these levels.",
        about_columns=True, about_targets=True, leaves_out=True,
    )]
    exclude_missing: Annotated[Setting, Field(
        UNCOUNTED, "COLUMNS", "Exclude people with a missing key or target: age,workab",
        "list", settings.read_distinct,
        "keys and targets: people with a missing value in one of them are not counted.",
        about_columns=True, leaves_out=True,
    )]
    exclude_pair: Annotated[Setting, Field(
        UNCOUNTED, "PAIR",
        "Exclude people with these levels of a target and a key: marital=SINGLE,age=19",
        "lines", settings.read_pairs,
        'mappings with ``target``, ``target_level``, ``key``, ``key_level``; or lines '
        '``"target=level,key=level"``.',
        about_targets=True, leaves_out=True,
    )]
    max_cell: Annotated[Setting, Field(
        UNCOUNTED, "N",
        "Exclude records if over N of their file have their keys and target level: 5", "once",
        limit("records"),
        "records are not counted if their file has more than this many with the same keys and "
        "target level.",
        about_targets=True, leaves_out=True,
    )]
    max_cell_syn: Annotated[Setting, Field(
        UNCOUNTED, "N",
        "Exclude people if over N synthetic records have their keys and target level: 5", "once",
        limit("records"),
        "people are not counted if more synthetic records than this have their keys and target "
        "level.",
        about_targets=True, leaves_out=True,
    )]
    justification: Annotated[str | None, Field(
        UNCOUNTED, "TEXT", "Reason for the exclusions, shown in the report",
        says="the reason for the exclusions, shown in the report.",
        chooses=True,
    )]
    one_way: Annotated[Setting, Field(
        CHECKS, "N,PERCENT",
        "Flag a target level with over N people and over PERCENT of DiSCO; default: 50,90",
        "once", settings.read_thresholds,
        "(people, percent), the thresholds of a check, which flags only what is above both. "
        "One-way, for a target level: the people in DiSCO who have it, and their percent of all "
        "people in DiSCO. Two-way, for a key level: the people in one DiSCO cell who have it, and "
        "the percent of all people with this key level who have the target level of the cell.",
        chooses=True,
    )]
    two_way: Annotated[Setting, Field(
        CHECKS, "N,PERCENT",
        "Flag key levels: >N in DiSCO, >PERCENT share a target level; default: 4,80",
        "once", settings.read_thresholds,
        chooses=True,
    )]
    copied: Annotated[float | None, Field(
        CHECKS, "PERCENT",
        "Call a file a copy if it has PERCENT of unique rows, beyond chance; default: 50",
        "once", settings.read_percent,
        "call a file a copy if, beyond chance, it has the rows of this percent of the people "
        "with a unique row; by default 50.",
        assesses=True,
    )]
    matched: Annotated[float | None, Field(
        CHECKS, "PERCENT",
        "Doubt a file with the keys of under PERCENT of the people; default: 20",
        "once", settings.read_percent,
        "doubt a file that has the keys of fewer than this percent of the people; by default 20.",
        assesses=True,
    )]
    every_record: Annotated[bool | None, Field(
        CHECKS, "", "Look for copies among all records, even of large files", "switch",
        settings.read_yes_or_no,
        "look for copies among all records, even of large files (over a million records, or over "
        "20 million values).",
        assesses=True,
    )]
    measures: Annotated[Setting, Field(
        QUESTION, "NAMES",
        "Names from sqlrisk list; default, except in sweep: identity,attribute,cap",
        "list", settings.read_distinct,
        "names or families; by default ``identity``, ``attribute``, ``cap``, and families that "
        "other settings add, such as ``within``.",
        chooses=True,
    )]
    class_sizes: Annotated[Setting, Field(
        QUESTION, "SIZES",
        "Lower bounds of class_size and universe_size groups; default: 1,2,3,5,10", "list",
        settings.sizes("records", "1,2,3,5,10"),
        "lower bounds of the groups of ``class_size`` and ``universe_size``; by default 1, 2, 3, "
        "5, 10.",
    )]
    set_sizes: Annotated[Setting, Field(
        QUESTION, "SIZES",
        "Maximum keys in a predicate, for singled_out, singled_predicates; default: 1,2,3",
        "list", settings.sizes("keys", "1,2,3"),
        "maximum numbers of keys in a predicate (keys with a level for each), for ``singled_out`` "
        "and ``singled_predicates``; by default 1, 2, 3.",
        chooses=True,
    )]
    base_rates: Annotated[Setting, Field(
        QUESTION, "PERCENTS",
        "Assumed percents of members, for membership_precision; default: 1,10,50",
        "list", settings.read_percents,
        "assumed percents of members among the people whom an intruder asks about, for "
        "``membership_precision``; by default 1, 10, 50.",
        chooses=True,
    )]
    populations: Annotated[Setting, Field(
        PEOPLE, "NAMES",
        "Measure these people: all, uniques, special, names of --population; default: all",
        "list", settings.read_distinct,
        "groups of people to compute the measures for: ``all``, ``uniques``, ``special`` (the "
        "tenth of the uniques with the highest SUDA scores) and the names given in ``population``.",
        chooses=True,
    )]
    population: Annotated[Setting, Field(
        PEOPLE, "CONDITION",
        "Also compute the measures for a subgroup: 'older women: sex = F AND age >= 65'", "lines",
        settings.read_conditions,
        'name -> condition on a person, such as ``"sex = F AND age >= 65"``; or lines ``"NAME: '
        'condition"``.',
    )]
    by: Annotated[Setting, Field(
        PEOPLE, "COLUMNS", "Compute the measures for each level of a column: region",
        "list", settings.read_distinct,
        "columns of the original: measures of people are also computed for each of their levels.",
        chooses=True,
    )]
    weights: Annotated[str | None, Field(
        PEOPLE, "COLUMN", "Column of survey weights; most measures of people are also weighted",
        reader=settings.read_column,
        says=(
        "column of the original (and control) with survey weights: most measures of people (not "
        "membership) are also weighted."
        ),
        about_records=True,
    )]
    baseline: Annotated[Setting, Field(
        PEOPLE, "TARGET=FILE",
        "Distribution of a target for the baseline: a file with columns level and share", "list",
        settings.read_paths,
        "target -> Parquet or CSV file with the columns ``level`` and ``share``, which replaces "
        "the target's distribution in the original.",
        about_columns=True, about_targets=True, about_records=True,
    )]


class HalvesSettings(TypedDict, total=False):
    """Settings that split the original into people inside and outside the synthesis."""

    split: Annotated[str | None, Field(
        PEOPLE, "COLUMN",
        "Column that marks who was in the synthesis; with --split-in",
        reader=settings.read_column,
        says=(
        "instead of ``control``: the people of ``original`` with this level of a column were "
        "in the synthesis, the others are control."
        ),
        about_records=True,
    )]
    split_in: Annotated[Setting, Field(
        PEOPLE, "LEVEL",
        "Level of the --split column for people in the synthesis; others are control", "once",
        settings.read_level,
        about_records=True,
    )]
    id: Annotated[str | None, Field(
        PEOPLE, "COLUMN", "Column that identifies records; by default it is not a target",
        reader=settings.read_column,
        says="column that identifies records; by default it is not a target.", about_records=True,
    )]


class Intruder(TypedDict, total=False):
    """Settings about stronger intruders: they link records, know nearly all of the original, or
    join two sets of keys.
    """

    aligned: Annotated[bool | None, Field(
        INTRUDER, "",
        "Declare that synthetic record i was made from original record i (or by --id)",
        "switch", settings.read_yes_or_no,
        "declare that record i of each synthetic file was made from record i of ``original``, or "
        "with ``id``, a column of all files, from the record with the same id. Adds the family "
        "``matches``, about the people from whom records were made.",
        about_records=True,
    )]
    assume: Annotated[str | None, Field(
        INTRUDER, "saturated",
        "Assume an intruder who knows all of the original but one value; with --prior",
        "once", word(*settings.ASSUMPTIONS),
        '``"saturated"``, with ``prior``: assume that in each class of the keys, target levels '
        'were drawn from the posterior of a multinomial with a Dirichlet prior. Adds the family '
        '``intruder``: what somebody can infer who knows how they were drawn, and all of the '
        'original except one target level.',
        about_targets=True,
    )]
    prior: Annotated[Setting, Field(
        INTRUDER, "ALPHA",
        "The synthesizer's Dirichlet prior for each level, e.g. 1; required by --assume",
        "once", one(within(1e-100, 1e100, real), "a number from 1e-100 to 1e100, such as 1 or 0.5"),
        "with ``assume``, the parameter of the Dirichlet prior for each level, a number above 0.",
        about_targets=True,
    )]
    link: Annotated[Setting, Field(
        INTRUDER, "COLUMNS",
        "Two sets of keys to join: age,sex/region,income; no slash: every split in two",
        "lines", read_links,
        'two sides of keys that an intruder wants to join, ``"age,sex/region,income"``, or a '
        'list of them; columns without a slash: every way to split them in two. Adds the '
        'family ``linkability``. Without ``keys`` these columns are the keys.',
    )]
    intruder_prior: Annotated[str | None, Field(
        INTRUDER, "WORD",
        "The intruder's prior for levels: uniform, others or baseline; default: uniform",
        "once", word(*settings.INTRUDER_PRIORS),
        'with ``assume``, what the intruder believes before seeing the files: ``"uniform"``: all '
        'levels are equally probable; ``"others"``: they are as frequent as among the other '
        'people of the class, with ``prior`` added to each count; ``"baseline"``: they have the '
        'shares in the file of ``baseline``.',
        about_targets=True,
    )]


class Closer(TypedDict, total=False):
    """Settings of detailed output and intervals, and the maximum work of searches."""

    # recipe: add a setting
    confidence: Annotated[float | None, Field(
        PEOPLE, "LEVEL", "Confidence level of intervals, with --control or --split; default: 0.95",
        "once",
        one(within(0, 1, number, above=True, below=True), "a number between 0 and 1, such as 0.95"),
        "confidence level of the intervals of comparisons with control; by default 0.95.",
        chooses=True,
    )]
    distributions: Annotated[bool | None, Field(
        CLOSER, "", "Show the distribution of CAP and lift over people", "switch",
        settings.read_yes_or_no,
        "also show the distribution of CAP and lift over people: quantiles and histograms.",
        about_targets=True, chooses=True, beyond="a second look at the counts",
    )]
    trend: Annotated[bool | None, Field(
        CLOSER, "", "Fit a line to each measure over the number of pooled syntheses", "switch",
        settings.read_yes_or_no,
        "also fit a line to each measure over the number of pooled syntheses.",
        chooses=True, beyond="a second look at the results",
    )]
    row_radius: Annotated[int | None, Field(
        CLOSER, "N",
        "Maximum number of columns in which a near copy may differ; default: 1", "once",
        limit("columns", least=0),
        "maximum number of columns in which near copies differ, for the family "
        "``copies``; by default 1.",
        chooses=True,
    )]
    membership_ratio: Annotated[bool | None, Field(
        CLOSER, "",
        "Also score membership relative to reference people, the second half of control",
        "switch", settings.read_yes_or_no,
        "also score membership by a ratio: the share of synthetic records with a person's keys, "
        "divided by the share of reference people with them. The reference is the second half of "
        "control, in the order of its file. Then only the first half counts as people who were not "
        "in the synthesis.",
        chooses=True, beyond="the order of the people of control",
    )]
    release: Annotated[Setting, Field(
        CLOSER, "NAME=TEXT",
        "Describe the release on page one: purpose=Teaching; see sqlrisk guide reports",
        "lines", read_release,
        'description of the release on page one of the report: ``{"organisation": "...", '
        '"purpose": "..."}``.',
        chooses=True,
    )]
    membership_epsilon: Annotated[float | None, Field(
        CLOSER, "DELTA",
        "Also compute a lower bound of epsilon at this delta of differential privacy: 0",
        "once",
        one(
            within(0, 1, number, below=True),
            "a delta of differential privacy, from 0 on and below 1",
        ),
        "delta of differential privacy, 0 or more: also compute a lower bound of epsilon from "
        "membership; needs the extra ``stats``.",
        chooses=True, beyond="intervals that no database computes",
    )]
    sampled: Annotated[float | None, Field(
        CLOSER, "F",
        "Share of the population in the original, to estimate population uniques: 0.05",
        "once",
        one(
            within(0, 1, number, above=True),
            "the share of the population that is in the file, over 0 and up to 1",
        ),
        "share of the population that is in ``original``: also estimate how many people of the "
        "population are unique on their keys.",
        chooses=True, beyond="models that no database fits",
    )]
    work_limit: Annotated[int | None, Field(
        MACHINE, "N",
        "Maximum steps of a search, e.g. for nearest records; default: 20000000000",
        "once", limit("steps"),
        "maximum number of steps of a search, e.g. for nearest records; a longer "
        "search is refused. By default 20,000,000,000.",
        chooses=True,
    )]


class Settings(Columns, MeasureSettings, HalvesSettings, Intruder, Closer, total=False):
    """The settings of a scenario."""


class Control(TypedDict, total=False):
    """The setting of the file of people who were not in the synthesis."""

    control: Annotated[Any, Field(
        PEOPLE, "FILE", "People who were not in the synthesis, to compare with", "path",
        says=(
        "people who were not in the synthesis, as one source: the measures are also computed "
        "for them, and compared."
        ),
    )]


class Universe(TypedDict, total=False):
    """The setting of the file of the whole population."""

    universe: Annotated[Any, Field(
        PEOPLE, "FILE",
        "Population file, for k-map, journalist and marketer risk, and presence",
        "path",
        says=(
        "the population that the original was sampled from, as one source with the keys: adds "
        "the family ``universe``."
        ),
    )]


class Attackers(TypedDict, total=False):
    """The attackers who guess people's targets, and the training data of their models."""

    attackers: Annotated[Setting, Field(
        ATTACKERS, "NAMES",
        "Attackers or groups: baselines, sql, sklearn; default: baselines,sql (sweep: none)",
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
    """Settings of the search for special uniques and of their scores."""

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
    """Settings of `records`: which records get a row, and which columns the row has."""

    synthesis: Annotated[str | None, WHICH]
    side: Annotated[str, Field(
        OUTPUT, "SIDE", "original: people; synthetic: its records; default: original",
    )]
    gcap: Annotated[bool, Field(
        OUTPUT, "", "Add the nearest synthetic records: radius, share, vote", "switch",
    )]
    suda: Annotated[bool, Field(OUTPUT, "", "Add the scores of special uniques", "switch")]
    diversity: Annotated[bool, Field(
        OUTPUT, "", "Add the l-diversity of the people with each person's keys", "switch",
    )]
    with_columns: Annotated[Setting, Field(
        OUTPUT, "COLUMNS", "Add columns of the file as they are: age,region", "list", flag="--with",
    )]


class SaveSettings(TypedDict, total=False):
    """The settings that keep a run."""

    save: Annotated[str | None, Field(
        OUTPUT, "FILE",
        "Keep the run in a .duckdb file; PostgreSQL and Spark: in a schema",
        "path",
        says=(
        "a .duckdb file that keeps the stage tables and readable views, for `query`, `cells` "
        "and `lookup`. On PostgreSQL and Spark, a schema for tables of risky cells and the risk "
        "of records. Both are microdata."
        ),
    )]


class OwnMeasures(TypedDict, total=False):
    """The setting of the user's own measures."""

    measures_from: Annotated[str | None, Field(
        QUESTION, "DIR", "Add your own measures: a folder of .sql files", "path",
    )]


class ScenarioFile(TypedDict, total=False):
    """The scenario file, which supplies settings that are not given."""

    scenario: Annotated[str | None, Field(
        QUESTION, "FILE",
        "TOML file of settings (options override it); FILE#NAME: one of its scenarios",
        "path",
    )]


class RunOptions(TypedDict, total=False):
    """The database that counts, its limits, and callbacks for progress."""

    engine: Annotated[Any, Field(
        MACHINE, "NAME",
        "Run in this database: spark, postgresql://host/db (sqlrisk guide databases)",
    )]
    memory_limit: Annotated[str | None, Field(MACHINE, "SIZE", "Maximum memory: 4GB")]
    threads: Annotated[int | None, Field(MACHINE, "N", "Maximum number of threads", "count")]
    temp_directory: Annotated[str | None, Field(
        MACHINE, "DIR", "Folder for data that do not fit in memory; removed at the end",
        "path",
    )]
    scratch: Annotated[str | None, Field(
        MACHINE, "SCHEMA",
        "Schema for a run's tables (kept in DuckDB); default: temporary, Spark: current",
    )]
    progress: Callable[[str, int, int, float], None] | None
    trace: Callable[[str, float], None] | None
# fmt: on


# The arguments of each function, in the order in which its help shows them.
class Run(Settings, OwnMeasures, ScenarioFile, RunOptions, total=False):
    """A scenario from settings and a file, and the options of its run."""


class ScoreRun(
    Columns,
    MeasureSettings,
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
    """The ``settings`` of ``sqlrisk.score``, in the order that ``help(sqlrisk.score)`` shows."""


class AttackRun(Columns, Control, HalvesSettings, Attackers, ScenarioFile, RunOptions, total=False):
    """The keyword settings of `attack`."""


class RecordsRun(RecordOptions, Run, total=False):
    """All settings of `records`."""


class SweepRun(Run, Attackers, total=False):
    """All settings of `sweep`."""


class SearchRun(SearchSettings, CsvFiles, RunOptions, total=False):
    """All settings of `uniques`."""


class DraftRun(CsvFiles, RunOptions, total=False):
    """All settings of `init`."""


class SplitRun(CsvFiles, ScenarioFile, RunOptions, total=False):
    """All settings of `split`."""


class ColumnsRun(Columns, ScenarioFile, RunOptions, total=False):
    """Settings of the columns of a question and of the run."""


class TablesRun(Recoded, CsvFiles, ScenarioFile, RunOptions, total=False):
    """Settings that turn values into levels, and settings of the run."""


class RunOfSeveral(Settings, SaveSettings, OwnMeasures, RunOptions, total=False):
    """All settings of `score_all`, which the scenarios share."""


def rows(table: type | Callable[..., Any]) -> dict[str, Field]:
    """Return setting -> field for a settings table and its bases. For a function, return the
    parameters that are options.
    """
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
# What repeats a run from its manifest besides the settings: own measures, database and limits.
REPEATABLE = (*rows(OwnMeasures), *(name for name in rows(RunOptions) if name != "temp_directory"))
NO_OPTION = Field("", "", "")


def _that(has: Callable[[Field], object]) -> tuple[str, ...]:
    """Return the names of the settings whose field has a property."""
    return tuple(name for name, field in SETTINGS.items() if has(field))


OF_COLUMNS = _that(lambda field: field.about_columns)
OF_TARGETS = _that(lambda field: field.about_targets)
EXCLUSIONS = _that(lambda field: field.leaves_out)
ASSESSED = _that(lambda field: field.assesses)
CHOOSING = _that(lambda field: field.chooses or field.assesses)
BEYOND = _that(lambda field: field.beyond)
# The user's own words, which may name a level.
FREE_TEXTS = _that(lambda field: field.reader is settings.read_text)
LEVELS = _that(lambda field: field.reader in (settings.read_level, settings.read_levels))
# Each names a column, which is not a target by default.
ONE_COLUMN = _that(lambda field: field.reader is settings.read_column)
PATHS = _that(lambda field: field.reader is settings.read_paths)


def table_of(function: Callable[..., Any]) -> type | None:
    """Return the settings table that a function takes as keyword arguments, ``**settings``."""
    return next(iter(get_args(function.__annotations__.get("settings"))), None)


def arguments(function: Callable[..., Any]) -> dict[str, Field]:
    """Return all arguments of a function by name. Arguments without an option have an empty
    field.
    """
    table = table_of(function)
    names = [*function.__annotations__, *(table.__annotations__ if table else ())]
    known = {**FIELDS, **(rows(table) if table else {}), **rows(function)}
    return {
        name: known.get(name, NO_OPTION) for name in names if name not in ("settings", "return")
    }


def own(function: Callable[..., Any]) -> dict[str, Field]:
    """Return a function's own parameters with options, and its table's rows outside ``FIELDS``."""
    table = table_of(function)
    others = rows(table) if table else {}
    return {name: field for name, field in others.items() if name not in FIELDS} | rows(function)


def option_name(name: str, field: Field = NO_OPTION) -> str:
    """Return the name of the command-line option for a setting."""
    return field.flag or f"--{name.replace('_', '-')}"


def explained(table: type) -> str:
    """Write the meanings of a table's settings for a docstring.

    A scenario's setting without a meaning is listed with the previous one. Other settings without
    a meaning are left out.
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
        "| setting | option | effect |\n|---|---|---|\n",
    )
    for name, field in SETTINGS.items():
        option = f"{option_name(name)} {field.metavar}".strip()
        tables[field.panel] += f"| `{name}` | `{option}` | {field.help} |\n"
    return "\n".join(f"## {panel}\n\n{table}" for panel, table in tables.items())
