"""The options that commands share, most of them rows of the table of settings. A list is CSV lines, as many as are given."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import rich_click as click
from click.shell_completion import CompletionItem

from sqlrisk.inputs import fields
from sqlrisk.inputs.fields import CLOSER, FIELDS, INTRUDER, MACHINE, OUTPUT, PEOPLE, QUESTION, Field, option_name, rows
from sqlrisk.report.columns import LAYOUTS, PARTS

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

FORMATS = ("text", "json", "csv", "markdown")
FILES = "What to read"
FORMS: dict[str, dict[str, Any]] = {  # of a row of the table, as click says it
    "list": {"multiple": True},
    "lines": {"multiple": True},
    "once": {},
    "count": {"type": click.IntRange(min=1)},
    "path": {"type": click.Path()},
    "switch": {"is_flag": True},
}

click.rich_click.THEME = "default-slim"
click.rich_click.TEXT_MARKUP = None
click.rich_click.MAX_WIDTH = 100
click.rich_click.TEXT_PARAGRAPH_LINEBREAKS = "\n\n"
click.rich_click.PADDING_HELPTEXT_FIRST_LINE = (0, 0, 1, 0)


def option(name: str, metavar: str, panel: str, words: str, *, short: str | None = None, **more: Any) -> Decorator:
    """Return an option with one value, kept as text: what it means is read where Python and TOML settings are read."""
    return click.option(*([short] if short else []), name, metavar=metavar, panel=panel, help=words, **more)


def output(words: str, metavar: str = "FILE", **more: Any) -> Decorator:
    """Return the option that says where to write."""
    return option("--output", metavar, OUTPUT, words, short="-o", **more)


def list_option(name: str, metavar: str, panel: str, words: str) -> Decorator:
    """Return a list option: CSV lines, as many as are given. What it names is completed."""
    return option(name, metavar, panel, words, multiple=True, shell_complete=_completion(name, metavar))


def flag(*names: str, panel: str, words: str, **more: Any) -> Decorator:
    """Return an option without a value."""
    return click.option(*names, is_flag=True, panel=panel, help=words, **more)


def setting(name: str, words: str = "", table: Mapping[str, Field] = FIELDS) -> Decorator:
    """Return the option of a row of the table; its help in other ``words`` where a command means something narrower."""
    field, flag = table[name], option_name(name)
    return click.option(
        flag,
        metavar=field.metavar or None,
        panel=field.panel,
        help=words or field.help,
        shell_complete=_completion(flag, field.metavar),
        **FORMS[field.form],
    )


def settings(*names: str, table: Mapping[str, Field] = FIELDS) -> Decorator:
    """Return the options of some rows of the table."""
    return in_order(*(setting(name, table=table) for name in dict.fromkeys(names)))


def of_panel(panel: str, *first: str, table: Mapping[str, Field] = FIELDS) -> Decorator:
    """Return the options of a panel of ``--help``: those named first, and then all others that are rows of the table."""
    return settings(*first, *(name for name, field in table.items() if field.panel == panel), table=table)


def file(name: str, words: str, **more: Any) -> Decorator:
    """Return an argument that names a file."""
    return click.argument(name, type=click.Path(), panel=FILES, help=words, **more)


def choice(name: str, known: Sequence[str], panel: str, words: str, **more: Any) -> Decorator:
    """Return an option that takes one of a few words."""
    return click.option(*name.split(), type=click.Choice(known), metavar="|".join(known), panel=panel, help=words, **more)


def in_order(*decorators: Decorator) -> Callable[[Command], Command]:
    """Return one decorator that adds options in the order they are written in."""

    def decorate(command: Command) -> Command:
        for each in reversed(decorators):
            command = each(command)
        return command

    return decorate


def _completion(name: str, metavar: str) -> Callable[..., list[CompletionItem]] | None:
    """Return what completes an option: names of measures, or of columns."""
    if name == "--measures":
        return measure_names
    return column_names if metavar.startswith(("COLUMN", "TARGET")) else None


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
    """List the words, each with its help, that the last field of a CSV line may become; what stands before it stays."""
    before, comma, last = start.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{word}", help=words_of or None)
        for word, words_of in words
        if word.lower().startswith(last.lower()) and "," not in word
    ]


original = file("original", "Parquet or CSV: a file, a glob or a folder", required=False)
synthetic = file("synthetic", "One or more syntheses of the original", nargs=-1)
files = in_order(original, synthetic)


def measure(more: str = "", *, required: bool = True) -> Decorator:
    """Return the argument that names a measure."""
    words = f"The name of a measure, as sqlrisk list shows it{more}"
    return click.argument("measure", required=required, shell_complete=measure_names, panel=FILES, help=words)


question = in_order(of_panel(QUESTION), of_panel(fields.UNCOUNTED), of_panel(fields.CHECKS))
people = of_panel(
    PEOPLE, "populations", "population", "by", "weights", "id", "baseline", "split", "split_in", "control", "confidence"
)
intruder = of_panel(INTRUDER)
part_of_file = setting("scenario", "Settings from a TOML file, named as here with _ for -; options win")
written = settings(*rows(fields.CsvFiles))
columns = in_order(
    setting("keys"),
    setting("targets", "What the intruder wants to learn; default: every other column"),
    setting("bins"),
    setting("special"),
    setting("missing"),
    written,
    setting("column"),
    part_of_file,
)
closer = in_order(
    of_panel(CLOSER),
    choice("--layout", LAYOUTS, CLOSER, "A table as in Raab 2024, Taub 2018 (each --keys is a key set) or its sect. 4.3"),
    choice("--part", PARTS, CLOSER, "One part of the report alone, as a table"),
)
named_syntheses = list_option("--synthesis", "NAME=GLOB", QUESTION, "Compare syntheses by name: cart='cart_*.parquet'")

DIALECTS = "duckdb, postgres, spark, databricks, clickhouse, sqlite, snowflake, bigquery, redshift, trino or tsql"
dialect = option("--dialect", "NAME", OUTPUT, f"{DIALECTS}; default: duckdb", default="duckdb")
types = list_option(
    "--types", "COLUMN=TYPE", QUESTION, "Without files, the type of a column where it matters: age=INTEGER,income=DOUBLE"
)

form = choice("--format form", FORMATS, OUTPUT, "Default: text")
result = in_order(
    form,
    output("A .txt .json .csv .md .html or .parquet file", type=click.Path()),
)

policy = option(
    "--policy",
    "FILE",
    fields.CHECKS,
    "Judge the numbers by the rules of a TOML file; exit status 1 if one fails",
    type=click.Path(),
)
LEAST = "What an external report rounds to: the least count that is not small; default: 10"
WHOM = "Whom a report is for: external, in any form, names no level and rounds every figure; default: internal"
page = in_order(
    choice("--report", ("internal", "external"), OUTPUT, WHOM),
    option(
        "--threshold",
        "N",
        OUTPUT,
        "What an external report rounds to: the least count that is not small; default: 10",
        type=click.IntRange(min=2),
    ),
)
attackers = of_panel(fields.ATTACKERS, table=rows(fields.Attackers))

trace = flag("--trace", panel=MACHINE, words="Show a traceback when it fails", expose_value=False)
progress_options = in_order(
    flag("--no-progress", panel=MACHINE, words="No progress bar"),
    flag("--trace", panel=MACHINE, words="Show each SQL statement and its time, and a traceback when it fails"),
    flag("-q", "--quiet", panel=MACHINE, words="No progress bar and no notes, only errors"),
)
run_options = in_order(*(setting(name) for name in rows(fields.RunOptions)), progress_options)
result_of_run = in_order(result, run_options)
