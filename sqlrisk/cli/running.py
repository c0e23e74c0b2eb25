"""The commands, a module each. Here is what they share: settings from options, the destination of a result, a run."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import rich_click as click

from sqlrisk.cli import options, terminal

if TYPE_CHECKING:
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.attacks import Attacks
    from sqlrisk.report.results.explanation import Explanation
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.several_reports import Reports
    from sqlrisk.report.results.sweeps import Sweep
    from sqlrisk.report.results.table import Table


Synthetic = list[str] | dict[str, list[str]] | None


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given; `sqlrisk.inputs.scenario` reads them, and its defaults hold for the others.

    The CSV lines of a repeated option make one longer line; but a pair is a line of its own.
    """
    settings: dict[str, Any] = {}
    for name in options.SCENARIO:
        value = given.get(name)
        if isinstance(value, tuple):
            value = list(value) if name in ("exclude_pair", "population") else ",".join(value) if value else None
        if value not in (None, []) and value is not False:  # a switch that is not given leaves what a file says
            settings[name] = value
    return settings


def named(values: Sequence[str]) -> dict[str, list[str]]:
    """Read ``NAME=GLOB`` options into ``{name: [globs]}``."""
    from sqlrisk.inputs.settings import split_line

    syntheses: dict[str, list[str]] = {}
    for value in values:
        for name, pattern in split_line(value, "synthesis", assigned=True):
            if not pattern:
                raise click.UsageError(f"--synthesis {value!r} is not NAME=GLOB, as in cart='cart_*.parquet'.")
            syntheses.setdefault(name, []).append(pattern)
    return syntheses


def read_by(original: str | None, synthetic: Synthetic, given: dict[str, Any]) -> Iterator[str]:
    """Yield the files that a run reads: its output must be none of them."""
    sources: list[object] = [original, synthetic, given.get("control"), given["scenario"], given["measures_from"]]
    sources.append(given.get("policy"))
    sources += [line.partition("=")[2].strip('"') for line in given.get("baseline") or ()]
    if given["scenario"] is not None:
        from sqlrisk.inputs.scenario_file import file_and_name, read_file, read_scenarios

        sources.append(file_and_name(given["scenario"])[0])
        settings, several = read_scenarios(given["scenario"])
        if not several:
            settings = read_file(given["scenario"])
        sources += [settings.get("original"), settings.get("synthetic"), settings.get("control"), settings.get("baseline")]
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
    from sqlrisk.common.output_files import format_of, replacing

    form = format_of(output, form)
    with replacing(output, inputs, private=private) as file:
        yield file, form


@contextmanager
def manifest_beside(output: str | None, inputs: Iterable[str]) -> Iterator[BinaryIO | None]:
    """Yield the file ``<name>.manifest.json`` beside an output to write to, None for standard output."""
    if output is None:
        yield None
        return
    from sqlrisk.common.output_files import replacing

    with replacing(Path(output).with_suffix(".manifest.json"), inputs) as file:
        yield file


def command_line() -> str:
    """Return the command as it was typed."""
    from click import get_current_context

    return shlex.join(["sqlrisk", *get_current_context().find_root().obj])


@contextmanager
def running(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the keyword arguments of a run; meanwhile a progress bar shows where a terminal can show it."""
    from sqlrisk.cli.progress import bar

    silent = given["quiet"] or given["no_progress"] or given["trace"]
    with bar(sys.stderr.isatty() and not silent) as progress:
        settings = {name: given[name] for name in options.RUN if given.get(name) is not None}
        yield {**settings, "progress": progress, "trace": print_statement if given["trace"] else None}


def print_statement(statement: str, seconds: float) -> None:
    """Show one SQL statement and its time on standard error."""
    terminal.note(f"-- {seconds:.3f} s\n{statement.strip()}\n")


def deliver(
    result: "Report | Reports | Explanation | Listing | Reference | Attacks | Sweep | Table",
    form: str,
    file: BinaryIO | None,
    **how: Any,
) -> None:
    """Write ``result`` to ``file``, or to standard output when that is None; ``how`` goes to what makes the text."""
    if form == "parquet":
        from sqlrisk.report.formats.tabular import to_parquet

        data = to_parquet(result.to_arrow())
    elif form == "text" and file is None:
        data = terminal.encoded(result.to_text(width=terminal.width(), colour=terminal.colour()))
    else:
        text = getattr(result, f"to_{form}")(**how)
        data = str(text).encode()
    if file is None:
        terminal.put(data)
    else:
        file.write(data)
