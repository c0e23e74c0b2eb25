"""Shared code of commands: settings from options, the destination of a result, and the run."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from glob import glob
from os.path import isfile, realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sqlrisk.cli import terminal
from sqlrisk.common.output_files import PAGES, PICTURES, SUFFIXES, is_picture
from sqlrisk.inputs.fields import (
    SETTINGS,
    Attackers,
    Control,
    Field,
    OwnMeasures,
    RunOptions,
    ScenarioFile,
    SearchSettings,
    Universe,
    arguments,
    rows,
)
from sqlrisk.inputs.readers import split_line

if TYPE_CHECKING:
    from sqlrisk.report.result import Forms

Result = TypeVar("Result", bound="Forms")
Synthetic = list[str] | dict[str, list[str]] | None
# parameters that name files to read, apart from the settings of a scenario file
FILES = ("file", "saved", "old", "new", "measures_from", "policy")
DRAWN = (*PAGES, *PICTURES)  # formats that need the drawing libraries
# the settings of public functions, by argument name
ASKED = (
    SETTINGS
    | rows(Control)
    | rows(Universe)
    | rows(Attackers)
    | rows(SearchSettings)
    | rows(OwnMeasures)
    | rows(ScenarioFile)
)
CALM = {
    **dict.fromkeys(("bar.back", "progress.elapsed"), "dim"),
    **dict.fromkeys(("bar.complete", "bar.finished"), "cyan"),
    "progress.percentage": "none",
}


def scenario_settings(
    given: Mapping[str, Any], fields: Mapping[str, Field] = ASKED
) -> dict[str, Any]:
    """Return the settings that the user gave. `sqlrisk.inputs.scenario` reads them and supplies
    defaults.
    """
    settings = {
        name: one_text(given[name]) if fields[name].form == "list" else given[name]
        for name in fields
        if name in given
    }
    # an absent switch leaves the value of the scenario file
    return {
        name: value
        for name, value in settings.items()
        if value not in (None, ()) and value is not False
    }


def one_text(lines: Sequence[str] | None) -> str | None:
    """Return the CSV lines of a repeated option as one text, or None if there are none."""
    return ",".join(lines or ()) or None


def asked(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a public function that the user set. Defaults apply to the others."""
    return scenario_settings(given, arguments(function))


def synthetic_files(synthetic: Sequence[str], named: Sequence[str]) -> Synthetic:
    """Return the synthetic files, given plainly or as ``NAME=GLOB``, or None if there are none.

    Raises UsageError for both at once, or for a ``NAME`` without ``=GLOB``. Raises InputError for
    an open quote or an empty name.
    """
    if named and synthetic:
        raise click.UsageError(
            "Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both."
        )
    syntheses: dict[str, list[str]] = {}
    for value in named:
        for name, pattern in split_line(value, "synthesis", assigned=True):
            if not pattern:
                raise click.UsageError(
                    f"--synthesis {value!r} is not NAME=GLOB, as in cart='cart_*.parquet'."
                )
            syntheses.setdefault(name, []).append(pattern)
    return syntheses or list(synthetic) or None


def gather(given: dict[str, Any]) -> None:
    """Replace ``synthetic`` and ``syntheses`` of the options by one value ``synthetic``, in place.

    ``--synthesis NAME`` without a file is the former ``--which NAME``: it still works, with a note.
    Raises UsageError if more than one synthesis is chosen, and the errors of `synthetic_files`.
    """
    if "synthetic" not in given:
        return
    named = given.pop("syntheses", ())
    if "synthesis" in given:
        former, named = (
            [each for each in named if ("=" in each) == files] for files in (False, True)
        )
        if former:
            remark(
                given,
                "--synthesis NAME is now --which NAME; the former name is gone in the next "
                "version.",
            )
        chosen = [*former, *([given["synthesis"]] if given["synthesis"] else [])]
        if len(chosen) > 1:
            raise click.UsageError(
                "Name one synthesis with --which NAME, or leave it out for all of them pooled."
            )
        given["synthesis"] = chosen[0] if chosen else None
    given["synthetic"] = synthetic_files(given["synthetic"], named)


def input_paths(given: Mapping[str, Any], *files: Synthetic | str) -> Iterator[str]:
    """Yield the files that a run reads, which its output must not replace. A glob or folder is
    followed by each of its files.
    """
    from sqlrisk.inputs.scenario_file import files_named, files_of

    scenario = given.get("scenario")
    sources: list[object] = [*files, scenario, *map(given.get, FILES), *files_of(given)]
    if scenario is not None:
        sources += files_named(scenario)
    while sources:
        source = sources.pop()
        if isinstance(source, dict):
            sources += source.values()
        elif isinstance(source, list):
            sources += source
        elif isinstance(source, str):
            yield source
            # Path.glob takes no absolute pattern.
            yield from filter(isfile, glob(source, recursive=True))  # noqa: PTH207
            yield from (str(path) for path in Path(source).glob("**/*") if path.is_file())


def require_distinct(*outputs: str | None) -> None:
    """Raise UsageError if two outputs are one file."""
    files: set[str] = set()
    for each in outputs:
        if each is not None:
            if realpath(each) in files:
                raise click.UsageError(f"Two outputs are the file {each}; give each its own.")
            files.add(realpath(each))


@contextmanager
def destination(
    output: str | None,
    form: str | None,
    inputs: Iterable[str],
    *,
    shared: bool = False,
    draws: str | None = None,
    figure: str | None = None,
) -> Iterator[tuple[BinaryIO | None, str]]:
    """Yield the output file (None for standard output) and its format.

    ``form`` is the ``--format``. If it is None, the output's suffix decides, or without an output
    the format is text. Only the owner can read the file, unless it is ``shared``.

    Raises an error before the run if the output is unsuitable, the drawing library is missing, or
    ``figure`` does not exist. ``draws`` names the kind of result whose figures can be drawn, None
    if there are none.
    """
    from sqlrisk.common.output_files import format_of, replacing

    if output is not None:
        form = format_of(
            output, form, [*SUFFIXES.values(), *(PICTURES if draws is not None else ())]
        )
    form = form or "text"
    if form == "pdf":
        # first, because its error also names what figures need
        import sqlrisk.report.html.printing
    if draws is not None and form in DRAWN:
        import sqlrisk.report.html.look  # noqa: F401 - its error says what to install
    if form in PICTURES:
        from sqlrisk.report.html.drawing import chosen
        from sqlrisk.report.html.figures import FIGURES

        chosen(FIGURES.get(draws or "", {}), figure, "What --part or --layout shows")
    elif figure is not None:
        raise click.UsageError(
            "--figure needs a picture as output: add -o figure.svg or --format png."
        )
    if output is None:
        yield None, form
        return
    with replacing(output, inputs, shared=shared) as file:
        yield file, form


@contextmanager
def destinations(
    outputs: Sequence[str | None],
    form: str | None,
    inputs: Sequence[str],
    *,
    shared: bool = False,
    draws: str | None = None,
    figure: str | None = None,
) -> Iterator[list[tuple[BinaryIO | None, str]]]:
    """Yield a `destination` for each output. ``figure`` applies to pictures."""
    if any(each is not None and each.lower().endswith(".pdf") for each in outputs):
        import sqlrisk.report.html.printing  # noqa: F401 - its error names more packages than a page's
    pictures = [each for each in outputs if each is not None and is_picture(each)] or outputs
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                destination(
                    each,
                    form,
                    inputs,
                    shared=shared,
                    draws=draws,
                    figure=figure if each in pictures else None,
                )
            )
            for each in outputs
        ]


@contextmanager
def bar(wanted: bool) -> Iterator[Callable[[str, int, int, float], None] | None]:
    """Show a bar with the stage's name and the time. Yield the function that moves it, or None if
    it is not ``wanted``.

    The function takes the stage, its step (from 1), the number of steps, and the fraction of the
    stage that is done.
    """
    if not wanted:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.theme import Theme

    shown = Progress(
        TextColumn("{task.description:<28}", markup=False),
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True, theme=Theme(CALM)),
        transient=True,
        redirect_stdout=False,  # the result stays untouched
        redirect_stderr=False,
    )
    with shown:
        task = shown.add_task("starting", total=1.0)

        def move(stage: str, step: int, steps: int, fraction: float) -> None:
            done = (step - 1 + min(max(fraction, 0.0), 1.0)) / max(steps, 1)
            shown.update(task, description=stage, completed=done)

        yield move


@contextmanager
def run_arguments(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the keyword arguments of a run, and show a progress bar on a terminal meanwhile."""
    silent = given["quiet"] or given["no_progress"] or given["trace"]
    with bar(sys.stderr.isatty() and not silent) as progress:
        settings = {name: given[name] for name in rows(RunOptions) if given.get(name) is not None}
        yield {
            **settings,
            "progress": progress,
            "trace": print_statement if given["trace"] else None,
        }


@contextmanager
def called(function: Callable[..., Any], given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a public function. If it reports progress, show a progress bar on a
    terminal.
    """
    if "progress" not in arguments(function):
        yield asked(function, given)
        return
    with run_arguments(given) as limits:
        yield {**asked(function, given), **limits}


def run(
    function: Callable[..., Result], given: Mapping[str, Any], *, draws: str | None = None
) -> Result:
    """Run a public function with the given options. Write and return its result."""
    figure = given.get("figure")
    with destination(
        given["output"], given["form"], input_paths(given), draws=draws, figure=figure
    ) as (file, form):
        with called(function, {**given, "output": None}) as how:
            result = function(**how)
        write_result(result, form, file, figure=figure, **brief(given, form, file))
    tell(given, result)
    decided(given, result, given["output"])
    return result


def brief(given: Mapping[str, Any], form: str, file: BinaryIO | None) -> dict[str, Any]:
    """Return ``{"brief": True}`` if a text has to fit the screen: the command has ``--verbose``,
    which is not given, and no number of rows (``--top``) is asked for. If ``--top`` is given,
    ``brief`` is False. In all other cases the dict is empty.
    """
    if form != "text" or file is not None or given.get("verbose", True):
        return {}
    top = get_current_context().get_parameter_source("top")
    return {"brief": top is not ParameterSource.COMMANDLINE}


def write(
    function: Callable[..., Result],
    given: Mapping[str, Any],
    *,
    draws: str | None = None,
    **own: Any,
) -> Result:
    """Run a public function that writes files. Show and return its summary of them."""
    figure = given.get("figure")
    with (
        destination(None, given["form"], (), draws=draws, figure=figure) as (_, form),
        called(function, given) as how,
    ):
        result = function(**how, **own)
    write_result(result, form, None, figure=figure, **brief(given, form, None))
    tell(given, result)
    return result


def tell(given: Mapping[str, Any], result: object) -> None:
    """Write why files are doubtful or not assessable to standard error."""
    from sqlrisk.report.sections.assessment import of_all, told

    results = result if isinstance(result, Mapping) else {"": result}
    found = of_all({name: getattr(each, "assessment", ()) for name, each in results.items()})
    for state, text in told(found):
        remark(given, f"{state.capitalize()}: {text}")


def decided(given: Mapping[str, Any], result: Any, *written: str | None) -> None:
    """Write a note of the written files, and that the policy is met. Without a policy or files,
    write none.

    If the policy is not met, PolicyError says so.
    """
    from sqlrisk.inputs.policy import UNMET
    from sqlrisk.report.results.verdicts import Verdicts

    files, judged = [each for each in written if each], getattr(result, "policy", None)
    if files and judged:
        met = [] if judged["verdict"] in UNMET else [Verdicts.of(result).success]
        remark(given, " ".join([*met, f"Written: {', '.join(files)}."]))


def remark(given: Mapping[str, Any], text: str) -> None:
    """Write a note to standard error, unless ``--quiet`` is given."""
    if not given.get("quiet"):
        terminal.note(text)


def print_statement(statement: str, seconds: float) -> None:
    """Show one SQL statement and its time on standard error."""
    terminal.note(f"-- {seconds:.3f} s\n{statement.strip()}\n")


def write_result(
    result: "Forms", form: str, file: BinaryIO | None, *, figure: str | None = None, **how: Any
) -> None:
    """Write ``result`` to ``file``, or to standard output if ``file`` is None. A picture shows the
    ``figure``. ``how`` goes to the method that makes the format.
    """
    if form in PICTURES:
        how["figure"] = figure
    if form == "parquet":
        from sqlrisk.report.formats.tabular import to_parquet

        data = to_parquet(result.to_arrow())
    elif form == "text" and file is None:
        terminal.show(result.to_text(width=terminal.width(), colour=terminal.colour(), **how))
        return
    else:
        made: str | bytes = getattr(result, f"to_{form}")(**how)
        data = made.encode() if isinstance(made, str) else made
    if file is None:
        terminal.put(data)
    else:
        file.write(data)
