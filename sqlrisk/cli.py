"""The command line: reads options, asks `sqlrisk.score` and its sisters, prints. What is heavy is imported on use."""

import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.errors import InputError, SqlriskError

if TYPE_CHECKING:
    from sqlrisk.report import Listing, Report

Synthetic = list[str] | dict[str, list[str]] | None

DEMO = {"keys": ("age,sex,race,marital_status,education",), "targets": ("income,major_occupation,country_birth",)}
DISCLOSIVE = "Disclosive: this listing shows levels and counts of real people. Keep it where the original is kept."


def print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Print the version and stop."""
    if value and not context.resilient_parsing:
        from sqlrisk import __version__

        terminal.put(f"sqlrisk {__version__}\n".encode())
        context.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Completion in your shell: eval "$(_SQLRISK_COMPLETE=bash_source sqlrisk)" in ~/.bashrc; zsh_source in '
    "~/.zshrc; for fish: _SQLRISK_COMPLETE=fish_source sqlrisk > ~/.config/fish/completions/sqlrisk.fish",
)
@click.option("-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Version.")
def cli() -> None:
    """What an intruder could learn about real people from a synthetic file.

    Name the columns an intruder knows (keys) and wants to learn (targets); sqlrisk counts, in SQL, who is at risk.

    \b
    Examples:
      sqlrisk demo
      sqlrisk score original.parquet synthetic.parquet --keys age,sex
      sqlrisk list attribute
      sqlrisk COMMAND --help
    """


@cli.command()
@options.original
@options.synthetic
@options.question
@options.named_syntheses
@options.result
@options.run
def score(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """Score synthetic files against their original.

    A list is one CSV line: COLUMNS are names with commas between, and an option may be repeated. A name with a comma
    is put in double quotes.

    \b
    Examples:
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income
      sqlrisk score original.csv 'syn_*.csv' --keys age,sex -o risk.json
      sqlrisk score original.parquet --keys age,sex \\
          --synthesis cart='cart_*.parquet' --synthesis rf='rf_*.parquet'
      sqlrisk score --scenario scenario.toml --format markdown
    """
    if synthesis and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    run_score(original, named(synthesis) if synthesis else list(synthetic) or None, form, output, given)


@cli.command()
@options.result
@options.run
def demo(*, form: str | None, output: str | None, **given: Any) -> None:
    """Score the census data that comes with sqlrisk.

    199,523 people of a public survey, and three syntheses of them. It takes seconds.

    \b
    Examples:
      sqlrisk demo
      sqlrisk demo -o demo.md
    """
    from sqlrisk.resources import demo_folder

    folder = demo_folder()
    original, synthetic = str(folder / "original.parquet"), [str(folder / f"cart_{i}.parquet") for i in (1, 2, 3)]
    if not given["quiet"]:
        question = ["--keys", *DEMO["keys"], "--targets", *DEMO["targets"]]
        terminal.note(shlex.join(["sqlrisk", "score", original, *synthetic, *question]))
    run_score(original, synthetic, form, output, {**dict.fromkeys(options.SCENARIO), **DEMO, **given})


@cli.command()
@options.measure
@options.original
@options.synthetic
@options.question
@options.once("--synthesis", "WHICH", options.OUTPUT, "Which synthesis; default: 1", default="1")
@options.once("--limit", "N", options.OUTPUT, "How many cells; default: 20", type=click.IntRange(min=1), default=20)
@options.result
@options.run
def cells(
    *,
    measure: str,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: str,
    limit: int,
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """List the cells that make a measure, most people first.

    The listing shows levels and counts of real people: it is disclosive, and a file of it is readable by you alone.

    \b
    Examples:
      sqlrisk cells DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk cells repU original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --synthesis 2 --limit 100 -o cells.csv
    """
    import sqlrisk

    question, files = asked(given), list(synthetic) or None
    with destination(output, form, read_by(original, files, given), private=True) as (file, chosen):
        with running(given) as run:
            listing = sqlrisk.cells(measure, original, files, synthesis=synthesis, limit=limit, **question, **run)
        deliver(listing, chosen, file)
    terminal.note(DISCLOSIVE)


@cli.command()
@options.measure
@options.original
@options.synthetic
@options.question
@options.once("--dialect", "NAME", options.OUTPUT, "The SQL to write; default: duckdb", default="duckdb")
@options.switch("--one", panel=options.OUTPUT, words="Only the measure's own SELECT over the stages")
@options.trace
def sql(*, measure: str, original: str | None, synthetic: tuple[str, ...], dialect: str, one: bool, **given: Any) -> None:
    """Print the SQL of a measure, from the files to the number, ready to run.

    Without files it is written for one integer column per key and target.

    \b
    Examples:
      sqlrisk sql DiSCO
      sqlrisk sql DiSCO --one
      sqlrisk sql DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
    """
    import sqlrisk

    text = sqlrisk.sql(measure, original, list(synthetic) or None, dialect=dialect, one=one, **asked(given))
    terminal.put(text.rstrip().encode() + b"\n")


@cli.command("list")
@click.argument("names", nargs=-1, shell_complete=options.measure_names, panel=options.FILES, help="Default: all")
@options.measures_from
@options.form
@options.trace
def list_measures(*, names: tuple[str, ...], measures_from: str | None, form: str | None) -> None:
    """List the measures: what each one means, its formula and its source.

    Names are those of measures or of families: identity, attribute, cap, protection.

    \b
    Examples:
      sqlrisk list
      sqlrisk list identity TCAP
      sqlrisk list --format json
    """
    from sqlrisk.catalog import catalog
    from sqlrisk.report.measures import listed

    known = catalog(measures_from)
    measures = list(known.select(names) if names else known)
    text = listed(measures, form or "text", width=terminal.width(), colour=terminal.colour())
    terminal.put(text.encode() if form in ("json", "csv") else terminal.encoded(text))


def run_score(original: str | None, synthetic: Synthetic, form: str | None, output: str | None, given: Any) -> None:
    """Score, and write the report to ``output`` or to standard output."""
    import sqlrisk

    question = asked(given)
    with destination(output, form, read_by(original, synthetic, given)) as (file, chosen):
        with running(given) as run:
            report = sqlrisk.score(original, synthetic, **question, **run)
        deliver(report, chosen, file)


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given; `sqlrisk.scenario` reads them, and its defaults hold for the others.

    The CSV lines of a repeated option make one longer line; but a pair is a line of its own.
    """
    settings: dict[str, Any] = {}
    for name in options.SCENARIO:
        value = given[name]
        if isinstance(value, tuple):
            value = list(value) if name == "exclude_pair" else ",".join(value) if value else None
        if value not in (None, []):
            settings[name] = value
    return settings


def named(values: Sequence[str]) -> dict[str, list[str]]:
    """Read ``NAME=GLOB`` options into ``{name: [globs]}``."""
    from sqlrisk.scenario import split_line

    syntheses: dict[str, list[str]] = {}
    for value in values:
        for name, pattern in split_line(value, "synthesis"):
            if not pattern:
                raise click.UsageError(f"--synthesis {value!r} is not NAME=GLOB, as in cart='cart_*.parquet'.")
            syntheses.setdefault(name, []).append(pattern)
    return syntheses


def read_by(original: str | None, synthetic: Synthetic, given: dict[str, Any]) -> Iterator[str]:
    """Yield the files that a run reads: its output must be none of them."""
    sources: list[object] = [original, synthetic, given["scenario"], given["measures_from"]]
    if given["scenario"] is not None:
        from sqlrisk.scenario import read_file

        settings = read_file(given["scenario"])
        sources += [settings.get("original"), settings.get("synthetic")]
    while sources:
        source = sources.pop()
        if isinstance(source, dict):
            sources += source.values()
        elif isinstance(source, list):
            sources += source
        elif isinstance(source, str):
            yield source
            yield from glob(source, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
            yield from (str(path) for path in Path(source).glob("**/*"))


@contextmanager
def destination(
    output: str | None, form: str | None, inputs: Iterable[str], *, private: bool = False
) -> Iterator[tuple[BinaryIO | None, str]]:
    """Yield the file to write to, None for standard output, and the format. A bad output is found before the run."""
    if output is None:
        yield None, form or "text"
        return
    from sqlrisk.report.files import format_of, replacing

    form = format_of(output, form)
    with replacing(output, inputs, private=private) as file:
        yield file, form


@contextmanager
def running(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the keyword arguments of a run; meanwhile a progress bar shows where a terminal can show it."""
    from sqlrisk.progress import bar

    silent = given["quiet"] or given["no_progress"] or given["trace"]
    with bar(sys.stderr.isatty() and not silent) as progress:
        settings = {name: given[name] for name in options.RUN if given[name] is not None}
        yield {**settings, "progress": progress, "trace": print_statement if given["trace"] else None}


def print_statement(statement: str, seconds: float) -> None:
    """Show one SQL statement and its time on standard error."""
    terminal.note(f"-- {seconds:.3f} s\n{statement.strip()}\n")


def deliver(result: "Report | Listing", form: str, file: BinaryIO | None) -> None:
    """Write ``result`` to ``file``, or to standard output when that is None."""
    if form == "parquet":
        from sqlrisk.report.formats import to_parquet

        data = to_parquet(result.to_arrow())
    elif form == "text" and file is None:
        data = terminal.encoded(result.to_text(width=terminal.width(), colour=terminal.colour()))
    else:
        text = getattr(result, f"to_{form}")()
        data = str(text).encode()
    if file is None:
        terminal.put(data)
    else:
        file.write(data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 done, 1 a policy was not met, 2 the question or the input is wrong, 3 the engine failed or an unexpected error,
    130 interrupted. A failure is one message on standard error, without traceback and without a value of a record.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        signal.signal(signal.SIGTERM, _end)
    try:
        status = cli.main(args=list(arguments) or ["--help"], prog_name="sqlrisk", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "sqlrisk"
        complain(command, [error.format_message()], f"See {command} --help")
        return 2
    except SqlriskError as error:
        complain("sqlrisk", error.problems if isinstance(error, InputError) else [str(error)])
        return error.exit_status
    except (KeyboardInterrupt, click.Abort):
        terminal.note("Interrupted.")
        return 130
    except Exception as error:  # noqa: BLE001 - the command line's last resort
        admit(error, traced="--trace" in arguments)
        return 3
    return status if isinstance(status, int) else 0


def complain(who: str, problems: Sequence[str], hint: str = "") -> None:
    """Write the one message of a failed run to standard error."""
    lines = [terminal.printable(problem) for problem in problems]
    head = f"{who}: {lines[0]}" if len(lines) == 1 else "\n- ".join([f"{who}: {len(lines)} problems", *lines])
    terminal.note(f"{head}\n{hint}" if hint else head)


def admit(error: Exception, *, traced: bool) -> None:
    """Say where an unexpected error arose, never what it says: its message may hold values of records."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    package = Path(__file__).resolve().parent
    own = [frame for frame in frames if package in Path(frame.filename).resolve().parents] or frames
    reason = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
    place = f"{Path(own[-1].filename).name}, line {own[-1].lineno}"
    terminal.note(f"sqlrisk: unexpected {type(error).__name__}{reason} in {place}")
    if not traced:
        terminal.note("Run again with --trace for the traceback.")
        return
    chain: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in chain:
        chain.append(each)
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    for link in reversed(chain):
        terminal.note("".join(traceback.format_tb(link.__traceback__)) + type(link).__name__)
    terminal.note("Messages are left out: they may hold values of records.")


def _end(number: int, _frame: object) -> None:
    """End on SIGTERM as on Ctrl-C, so that whatever has to be removed is removed."""
    raise SystemExit(128 + number)
