"""The options that commands share; each list option is one CSV line and may be repeated."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import rich_click as click
from click.shell_completion import CompletionItem

from sqlrisk.report.columns import LAYOUTS, PARTS

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

FORMATS = ("text", "json", "csv", "markdown")
SCENARIO = (
    *("keys", "targets", "bins", "special", "within", "within_floor", "measures", "class_sizes", "measures_from", "scenario"),
    *("exclude_level", "exclude_missing", "exclude_pair", "max_cell", "max_cell_syn", "justification", "one_way", "two_way"),
    *("populations", "population", "by", "weights", "baseline", "split", "split_in", "id", "confidence"),
    *("distributions", "trend", "aligned", "assume", "prior", "work_limit"),
)
RUN = ("engine", "memory_limit", "threads", "temp_directory", "scratch")

FILES = "What to read"
QUESTION = "The question"
UNCOUNTED = "Who is not counted"
PEOPLE = "Whom to look at"
INTRUDER = "A closer intruder"
CHECKS = "The checks"
CLOSER = "Looking closer"
OUTPUT = "The output"
ATTACKERS = "Who attacks"
MACHINE = "The run"

click.rich_click.THEME = "default-slim"
click.rich_click.TEXT_MARKUP = None
click.rich_click.MAX_WIDTH = 100
click.rich_click.TEXT_PARAGRAPH_LINEBREAKS = "\n\n"
click.rich_click.PADDING_HELPTEXT_FIRST_LINE = (0, 0, 1, 0)


def once(flag: str, metavar: str, panel: str, words: str, *, short: str | None = None, **more: Any) -> Decorator:
    """Return an option with one value, kept as text: what it means is read where Python and TOML settings are read."""
    return click.option(*([short] if short else []), flag, metavar=metavar, panel=panel, help=words, **more)


def often(flag: str, metavar: str, panel: str, words: str) -> Decorator:
    """Return a list option: CSV lines, as many as are given. What it names is completed."""
    complete = measure_names if flag == "--measures" else column_names if metavar.startswith(("COLUMN", "TARGET")) else None
    return once(flag, metavar, panel, words, multiple=True, shell_complete=complete)


def switch(*flags: str, panel: str, words: str, **more: Any) -> Decorator:
    """Return an option without a value."""
    return click.option(*flags, is_flag=True, panel=panel, help=words, **more)


def in_order(*decorators: Decorator) -> Callable[[Command], Command]:
    """Return one decorator that adds options in the order they are written in."""

    def decorate(command: Command) -> Command:
        for each in reversed(decorators):
            command = each(command)
        return command

    return decorate


def measure_names(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the name of a measure or of a family, the last of a line of several."""
    from sqlrisk.catalogue.measures import catalog

    families = [(family, "all measures of this family") for family in catalog().families if family not in catalog()]
    return _last_of_line(start, [(measure.name, measure.title) for measure in catalog()] + families)


def column_names(context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the name of a column of the files that stand before it, the last of a line of several."""
    from sqlrisk.inputs.sources import column_names_of

    # Where an option still lacks its value, no argument is assigned yet.
    files = list(context.args)
    for argument in ("original", "synthetic", "file", "names"):
        given = context.params.get(argument) or ()
        files += [given] if isinstance(given, str) else given
    names = next((found for path in files if (found := column_names_of(path))), [])
    return _last_of_line(start, [(name, "") for name in names])


def _last_of_line(start: str, words: Sequence[tuple[str, str]]) -> list[CompletionItem]:
    """The words, each with its help, that the last field of a CSV line may become; what stands before it stays."""
    before, comma, last = start.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{word}", help=words_of or None)
        for word, words_of in words
        if word.lower().startswith(last.lower()) and "," not in word
    ]


original = click.argument(
    "original", required=False, type=click.Path(), panel=FILES, help="Parquet or CSV: a file, a glob or a folder"
)
synthetic = click.argument("synthetic", nargs=-1, type=click.Path(), panel=FILES, help="One or more syntheses of the original")
measure = click.argument(
    "measure", shell_complete=measure_names, panel=FILES, help="The name of a measure, as sqlrisk list shows it"
)
a_measure = click.argument(
    "measure",
    required=False,
    shell_complete=measure_names,
    panel=FILES,
    help="The name of a measure, as sqlrisk list shows it; with --stages it may be left out",
)

measures_from = once("--measures-from", "DIR", QUESTION, "Add your own measures: a folder of .sql files", type=click.Path())
question = in_order(
    often("--keys", "COLUMNS", QUESTION, "What the intruder knows: age,sex"),
    often("--targets", "COLUMNS", QUESTION, "What the intruder wants to learn; default: every column that is no key"),
    often("--bins", "COLUMN=N", QUESTION, "Cut a numeric column into N quantile bins: age=10"),
    often("--special", "COLUMN=VALUE", QUESTION, "A value that stays a level of its own beside the bins: income=-8"),
    often("--within", "TARGET=TOLERANCE", QUESTION, "A numeric target is also right when near: income=500, income=5%"),
    often("--within-floor", "TARGET=N", QUESTION, "The least that a tolerance in percent comes to: income=100"),
    often("--measures", "NAMES", QUESTION, "Measures or families; default: identity,attribute,cap; those of sweep are above"),
    often("--class-sizes", "SIZES", QUESTION, "Where class_size begins anew, in records; default: 1,2,3,5,10"),
    measures_from,
    once("--scenario", "FILE", QUESTION, "Settings from a TOML file, named as here with _ for -; options win; "
         "FILE#NAME is one scenario of several",
         type=click.Path()),
    often("--exclude-level", "TARGET=LEVEL", UNCOUNTED, "People with this level of a target: workab=NO"),
    often("--exclude-missing", "COLUMNS", UNCOUNTED, "People whose level of a key or target is missing: age,workab"),
    often("--exclude-pair", "PAIR", UNCOUNTED, "People with these levels of a target and a key: marital=SINGLE,age=19"),
    once("--max-cell", "N", UNCOUNTED, "Records in cells of more than N records of their file"),
    once("--max-cell-syn", "N", UNCOUNTED, "People in cells of more than N synthetic records"),
    once("--justification", "TEXT", UNCOUNTED, "Why they are not counted; the report says it"),
    once("--one-way", "N,PERCENT", CHECKS, "Flag a level with over N, and over PERCENT, of a target's DiSCO records"
         "; default: 50,90"),
    once("--two-way", "N,PERCENT", CHECKS, "Flag a key level, from cells of over N people, if over PERCENT of all with "
         "it have one target level; default: 4,80"),
)  # fmt: skip
identity = once(
    "--id", "COLUMN", PEOPLE, "What names a record of the original; it is no target by default", shell_complete=column_names
)
weights = once(
    "--weights", "COLUMN", PEOPLE, "Survey weights of people: every measure is also weighted", shell_complete=column_names
)
people = in_order(
    often("--populations", "NAMES", PEOPLE, "Take the measures over all, uniques, special, or your own; default: all"),
    often("--population", "CONDITION", PEOPLE, "Define a population: 'older women: sex = F AND age >= 65'"),
    often("--by", "COLUMNS", PEOPLE, "Take the measures over the people of each level of a column: region"),
    weights,
    identity,
    often("--baseline", "TARGET=FILE", PEOPLE, "The distribution of a target to guess from: a file with level, share"),
    once(
        "--split",
        "COLUMN",
        PEOPLE,
        "With --split-in: the original's people with that level were in the synthesis",
        shell_complete=column_names,
    ),
    once("--split-in", "LEVEL", PEOPLE, "That level; all other people are control"),
    once("--control", "FILE", PEOPLE, "People who were not in the synthesis, to compare with", type=click.Path()),
    once("--confidence", "LEVEL", PEOPLE, "Of the intervals around what the synthesis added; default: 0.95"),
)
intruder = in_order(
    switch("--aligned", panel=INTRUDER, words="Record i of each synthetic file was made from record i of the original, or --id "
           "says which"),
    once("--assume", "saturated", INTRUDER, "An intruder who knows all but one target level, and that levels were drawn in each "
         "class of the keys; with --prior"),
    once("--prior", "ALPHA", INTRUDER, "The parameter of that synthesiser's Dirichlet prior for each level: 1"),
)  # fmt: skip
closer = in_order(
    switch("--distributions", panel=CLOSER, words="How CAP and lift are distributed over people"),
    switch("--trend", panel=CLOSER, words="The line of each measure over the number of pooled syntheses"),
    once("--layout", "raab|taub|taub4", CLOSER, "A table as in Raab 2024, Taub 2018 (each --keys is a key set) or its sect. 4.3",
         type=click.Choice(LAYOUTS)),
    once("--part", "|".join(PARTS), CLOSER, "One part of the report alone, as a table", type=click.Choice(PARTS)),
)  # fmt: skip
work_limit = once(
    "--work-limit", "N", MACHINE, "The most steps of a search, of neighbours or special uniques; default: 20000000000"
)
named_syntheses = often("--synthesis", "NAME=GLOB", QUESTION, "Compare syntheses by name: cart='cart_*.parquet'")

dialect = once(
    "--dialect",
    "NAME",
    OUTPUT,
    "duckdb, postgres, spark, databricks, clickhouse, sqlite, snowflake, bigquery, redshift, trino or tsql; default: duckdb",
    default="duckdb",
)
types = often(
    "--types", "COLUMN=TYPE", QUESTION, "Without files, the type of a column where it matters: age=INTEGER,income=DOUBLE"
)

form = click.option("--format", "form", type=click.Choice(FORMATS), metavar="|".join(FORMATS), panel=OUTPUT, help="Default: text")
result = in_order(
    form,
    click.option(
        "-o", "--output", metavar="FILE", type=click.Path(), panel=OUTPUT, help="A .txt .json .csv .md .html or .parquet file"
    ),
)

policy = once(
    "--policy", "FILE", CHECKS, "Judge the numbers by the rules of a TOML file; exit status 1 if one fails", type=click.Path()
)
page = in_order(
    once("--report", "internal|external", OUTPUT, "Whom a .html file is for: external names no level, and hides small counts; "
         "default: internal", type=click.Choice(("internal", "external"))),
    once("--threshold", "N", OUTPUT, "The least count that an external report shows; default: 10", type=click.IntRange(min=2)),
)  # fmt: skip

save = once("--save", "FILE", OUTPUT, "Keep the stage tables as a .duckdb file, for query, cells and lookup", type=click.Path())

attackers = in_order(
    often(
        "--attackers", "NAMES", ATTACKERS, "Attackers, or groups: baselines, sql, sklearn; default: baselines,sql; of sweep: none"
    ),
    once("--sample", "N", ATTACKERS, "The most records that those of sklearn learn from and are tried on; default: 10000"),
    once("--seed", "S", ATTACKERS, "Begins the random numbers of samples and models; default: 1"),
    once("--preset", "NAME", ATTACKERS, "current: the library's defaults; sklearn-0.20: those of that version"),
)

trace = switch("--trace", panel=MACHINE, words="Show a traceback when it fails", expose_value=False)
shown = in_order(
    switch("--no-progress", panel=MACHINE, words="No progress bar"),
    switch("--trace", panel=MACHINE, words="Show each SQL statement and its time, and a traceback when it fails"),
    switch("-q", "--quiet", panel=MACHINE, words="No progress bar and no notes, only errors"),
)
run = in_order(
    once("--engine", "NAME", MACHINE, "What counts: duckdb, FILE.duckdb, spark, spark://host:port, postgresql://host/database"),
    once("--memory-limit", "SIZE", MACHINE, "The most memory to use: 4GB"),
    once("--threads", "N", MACHINE, "The most threads to use", type=click.IntRange(min=1)),
    once(
        "--temp-directory",
        "DIR",
        MACHINE,
        "Where to put what does not fit in memory; it is removed at the end",
        type=click.Path(),
    ),
    once("--scratch", "SCHEMA", MACHINE, "Where a database keeps the stage tables during the run; default: temporary tables"),
    shown,
)
