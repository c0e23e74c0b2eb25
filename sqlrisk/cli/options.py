"""The options that commands share. Most are rows of the settings table. A list option takes CSV
lines and may be repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import unwrap
from typing import Any, Literal, TypeVar, get_args, get_origin

import rich_click as click
from click.shell_completion import CompletionItem

from sqlrisk.common.output_files import PICTURES
from sqlrisk.inputs import fields
from sqlrisk.inputs.fields import (
    CLOSER,
    FIELDS,
    FILES,
    INTRUDER,
    MACHINE,
    OUTPUT,
    PEOPLE,
    QUESTION,
    Field,
    option_name,
    rows,
)
from sqlrisk.report.columns import LAYOUTS, PARTS, THRESHOLD

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

FORMATS = ("text", "json", "csv", "markdown")
FORMS: dict[str, dict[str, Any]] = {  # form of a settings row -> arguments of click.option
    "list": {"multiple": True},
    "lines": {"multiple": True},
    "once": {},
    "count": {"type": click.IntRange(min=1)},
    "whole": {"type": int},
    "path": {"type": click.Path()},
    "switch": {"is_flag": True},
}

# If a command has many options, --help shows the first twelve of these that it has. --help-all
# shows all.
MOST_NEEDED = (
    "record", "keys", "targets", "output", "form", "scenario", "columns", "ways", "attackers",
    "key_length", "measures", "synthesis", "syntheses", "policy", "limit", "top", "sort", "side",
    "suda", "flag", "label", "uniques_in_original", "seed", "share", "random", "max_size",
    "sampling_fraction", "stages", "one", "dialect", "types", "overwrite", "yes", "bins", "missing",
    "missing_value", "exclude_level", "control", "column", "weights", "by", "id", "encoding",
    "delimiter", "decimal", "quote", "memory_limit", "engine", "threads", "quiet",
)  # fmt: skip
# Former option names by command. They work for one more version, with a note.
FORMER = {
    "cells": {"--limit": "--top", "--synthesis": "--which"},
    "compile": {"--limit": "--rule"},
    "guide": {"--html": "--output"},
    "lookup": {"--missing": "--missing-keys"},
    "sweep": {"--reference": "--with-original"},
    "uniques": {"--missing-value": "--missing", "--sampling-fraction": "--sampled"},
}

click.rich_click.THEME = "default-slim"
click.rich_click.TEXT_MARKUP = None
click.rich_click.MAX_WIDTH = 100
click.rich_click.TEXT_PARAGRAPH_LINEBREAKS = "\n\n"
click.rich_click.PADDING_HELPTEXT_FIRST_LINE = (0, 0, 1, 0)


def option(name: str, metavar: str, panel: str, words: str, **more: Any) -> Decorator:
    """Return an option with one value, kept as text. The readers of Python and TOML settings parse
    it.
    """
    return click.option(*name.split(), metavar=metavar, panel=panel, help=words, **more)


def output(words: str, metavar: str = "FILE", *, multiple: bool = False, **more: Any) -> Decorator:
    """Return the option for the output file, or for several if ``multiple``."""
    return option("-o --output", metavar, OUTPUT, words, multiple=multiple, **more)


def list_option(name: str, metavar: str, panel: str, words: str) -> Decorator:
    """Return a list option: CSV lines, repeatable, with completion of names."""
    return option(
        name, metavar, panel, words, multiple=True, shell_complete=_completion(name, metavar)
    )


def flag(*names: str, panel: str, words: str, **more: Any) -> Decorator:
    """Return an option without a value."""
    return click.option(*names, is_flag=True, panel=panel, help=words, **more)


def setting(
    name: str, words: str = "", table: Mapping[str, Field] = FIELDS, **more: Any
) -> Decorator:
    """Return the option of a row of the settings table. ``words`` replaces its help."""
    field = table[name]
    flag = option_name(name, field)
    how = {
        "metavar": field.metavar or None,
        "shell_complete": _completion(flag, field.metavar),
        **FORMS[field.form],
        **more,
    }
    return click.option(flag, name, panel=field.panel, help=words or field.help, **how)


def own(function: Callable[..., Any], *, optional: bool = False) -> Decorator:
    """Return the options that a public function has beyond ``FIELDS``, from its signature and its
    table of settings.

    A ``Literal`` becomes a choice. A parameter without a default becomes a required option, unless
    all are ``optional``.
    """
    function = unwrap(function)
    table, defaults = fields.own(function), function.__kwdefaults__ or {}
    needed = set() if optional else rows(function).keys() - defaults
    made = []
    for name, field in table.items():
        default = defaults.get(name)
        words = field.help if default in (None, False) else f"{field.help}; default: {default}"
        kind = getattr(function.__annotations__.get(name), "__origin__", None)
        more: dict[str, Any] = {"required": True} if name in needed else {}
        if get_origin(kind) is Literal:
            more |= {"type": click.Choice(get_args(kind)), "metavar": "|".join(get_args(kind))}
        made.append(setting(name, words, table, **more))
    return in_order(*made)


def settings(*names: str, table: Mapping[str, Field] = FIELDS) -> Decorator:
    """Return the options of some rows of the table."""
    return in_order(*(setting(name, table=table) for name in dict.fromkeys(names)))


def of_panel(panel: str, *first: str) -> Decorator:
    """Return the options of a panel of ``--help``: ``first``, then the panel's other rows."""
    return settings(*first, *(name for name, field in FIELDS.items() if field.panel == panel))


def file(name: str, words: str, **more: Any) -> Decorator:
    """Return an argument that names a file."""
    return click.argument(name, type=click.Path(), panel=FILES, help=words, **more)


def choice(name: str, known: Sequence[str], panel: str, words: str, **more: Any) -> Decorator:
    """Return an option that takes one of a few words."""
    return click.option(
        *name.split(),
        type=click.Choice(known),
        metavar="|".join(known),
        panel=panel,
        help=words,
        **more,
    )


def in_order(*decorators: Decorator) -> Callable[[Command], Command]:
    """Return one decorator that adds options in the order of its arguments."""

    def decorate(command: Command) -> Command:
        for each in reversed(decorators):
            command = each(command)
        return command

    return decorate


def _completion(name: str, metavar: str) -> Callable[..., list[CompletionItem]] | None:
    """Return the function that completes an option: names of measures or columns."""
    if name == "--measures":
        return measure_names
    return column_names if metavar.startswith(("COLUMN", "TARGET")) else None


def measure_names(
    _context: click.Context, _parameter: click.Parameter, start: str
) -> list[CompletionItem]:
    """Complete the last name of a line: a measure or a family."""
    from sqlrisk.catalogue.measures import catalog

    families = [
        (family, "all measures of this family")
        for family in catalog().families
        if family not in catalog()
    ]
    return _last_of_line(start, [(measure.name, measure.title) for measure in catalog()] + families)


def column_names(
    context: click.Context, _parameter: click.Parameter, start: str
) -> list[CompletionItem]:
    """Complete the last name of a line: a column of the files named before it."""
    from sqlrisk.inputs.sources import column_names_of

    # while an option lacks its value, click has assigned no arguments yet
    files = list(context.args)
    for argument in ("original", "synthetic", "file", "names"):
        given = context.params.get(argument) or ()
        files += [given] if isinstance(given, str) else given
    names = next((found for path in files if (found := column_names_of(path))), [])
    return _last_of_line(start, [(name, "") for name in names])


def _last_of_line(start: str, words: Sequence[tuple[str, str]]) -> list[CompletionItem]:
    """List completions of the last field of a CSV line, each with its help."""
    before, comma, last = start.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{word}", help=words_of or None)
        for word, words_of in words
        if word.lower().startswith(last.lower()) and "," not in word
    ]


KNOWN = "Parquet, CSV, SPSS, Stata, SAS, Excel, Arrow, ORC, Delta table or Iceberg table"
PLACES = "a file, a glob or a folder, also by its address (s3://, gs://, az://, https://)"
HERE = "a file, a glob or a folder on this machine"
original = file("original", f"{KNOWN}: {PLACES}", required=False)
synthetic = file("synthetic", "One or more syntheses of the original", nargs=-1)
files = in_order(original, synthetic)


def measure(more: str = "", *, required: bool = True) -> Decorator:
    """Return the argument that names a measure."""
    words = f"The name of a measure, as sqlrisk list shows it{more}"
    return click.argument(
        "measure", required=required, shell_complete=measure_names, panel=FILES, help=words
    )


question = in_order(of_panel(QUESTION), of_panel(fields.UNCOUNTED), of_panel(fields.CHECKS))
people = of_panel(
    PEOPLE,
    "populations",
    "population",
    "by",
    "weights",
    "id",
    "baseline",
    "split",
    "split_in",
    "control",
    "confidence",
)
universe = settings("universe", table=rows(fields.Universe))
intruder = of_panel(INTRUDER)
part_of_file = setting(
    "scenario", "A TOML file of settings, see sqlrisk guide scoring; options override it"
)
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
    choice(
        "--layout", LAYOUTS, CLOSER, "Print a table as in Raab 2024 or Taub 2018 (sqlrisk guide r)"
    ),
    list_option(
        "--key-set", "COLUMNS", CLOSER, "With --layout taub or taub2: one of several sets of keys"
    ),
    choice("--part", PARTS, CLOSER, "Show only one part of the report, as a table"),
)
steps = option(
    "--steps",
    "COLUMN=STEPS",
    CLOSER,
    "Score at several steps and compare: region=0,1,2 or age.width=1,5,10",
    multiple=True,
)
named_syntheses = list_option(
    "--synthesis syntheses",
    "NAME=GLOB",
    QUESTION,
    "Compare syntheses by name: cart='cart_*.parquet'",
)

form = choice("--format form", FORMATS, OUTPUT, "Default: text")
ENDINGS = "A .txt .json .csv .md .html .pdf or .parquet file"
result = in_order(form, output(ENDINGS, type=click.Path()))
verbose = flag("--verbose", panel=OUTPUT, words="Print the whole text, not only what fits a screen")

DRAWN = ENDINGS.replace(" or .parquet", " .parquet .svg or .png")
figure = option(
    "--figure",
    "NAME",
    OUTPUT,
    "Figure to draw as svg or png, see sqlrisk guide figures; default: the first",
)
drawn_form = in_order(
    choice(
        "--format form", (*FORMATS, *PICTURES), OUTPUT, "Default: text; svg and png: one figure"
    ),
    figure,
)
drawn_result = in_order(output(DRAWN, type=click.Path()), drawn_form)
drawn_results = in_order(
    output(f"{DRAWN}; -o risk.json -o risk.pdf writes both", type=click.Path(), multiple=True),
    drawn_form,
)

WHOM = "Audience: internal, or external (rounded, without levels); default: internal"
page = in_order(
    choice("--report", ("internal", "external"), OUTPUT, WHOM),
    option(
        "--threshold",
        "N",
        OUTPUT,
        f"Round counts of an external report to multiples of N (3 or more); default: {THRESHOLD}",
        type=int,
    ),
    flag(
        "--evidence",
        panel=OUTPUT,
        words="Also list which headings of NIST SP 800-188 and WP216 the report answers",
    ),
    flag(
        "--no-cube",
        panel=OUTPUT,
        words="Leave out of an internal page the counts for its what-if part",
    ),
)

trace = flag(
    "--trace", panel=MACHINE, words="Show a traceback if the command fails", expose_value=False
)
progress_options = in_order(
    flag("--no-progress", panel=MACHINE, words="No progress bar"),
    flag(
        "--trace",
        panel=MACHINE,
        words="Show each SQL statement and its time, and a traceback when it fails",
    ),
    flag("-q", "--quiet", panel=MACHINE, words="No progress bar and no notes, only errors"),
)
run_options = in_order(*(setting(name) for name in rows(fields.RunOptions)), progress_options)
result_of_run = in_order(result, run_options)
drawn_result_of_run = in_order(drawn_result, run_options)
