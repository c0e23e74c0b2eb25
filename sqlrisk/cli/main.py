"""The entry point: commands and the handling of errors. Heavy modules are imported when used."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import rich_click as click

from sqlrisk.cli import exports, intruders, people, results, scores, terminal
from sqlrisk.cli.command import CommandGroup
from sqlrisk.common.errors import InputError, SqlriskError
from sqlrisk.common.version import __version__


def print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Print the version and exit, if the option is given."""
    if value and not context.resilient_parsing:
        terminal.put(f"sqlrisk {__version__}\n".encode())
        context.exit()


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Completion in your shell: eval "$(_SQLRISK_COMPLETE=bash_source sqlrisk)" in '
    "~/.bashrc; zsh_source in ~/.zshrc; for fish: _SQLRISK_COMPLETE=fish_source sqlrisk > "
    "~/.config/fish/completions/sqlrisk.fish",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Measure what an intruder could learn about real people from a synthetic file.

    Name the columns an intruder knows (keys) and wants to learn (targets). sqlrisk counts, in SQL,
    who is at risk.

    \b
    Examples:
      sqlrisk demo
      sqlrisk init original.parquet synthetic.parquet -o scenario.toml
      sqlrisk score original.parquet synthetic.parquet --keys age,sex
      sqlrisk explain DiSCO
      sqlrisk COMMAND --help
    """


# the groups of commands in --help; a command without a group comes last
GROUPS = {
    "Getting started": ("demo", "init", "inspect", "score", "explain", "list", "guide"),
    "People at risk": ("cells", "records", "uniques", "recode", "split", "protect"),
    "Intruders": ("lookup", "attack", "sweep"),
    "Utility and chance": ("utility", "reference"),
    "Decisions and saved results": ("check", "sign", "diff", "query", "rerun"),
    "SQL and schemas": ("sql", "compile", "schema"),
}
for heading, names in GROUPS.items():
    cli.add_panel(click.RichCommandPanel(heading, commands=list(names)))
for module in (exports, intruders, people, results, scores):
    for command in vars(module).values():
        if isinstance(command, click.Command):
            cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 done. 1 the answer is no: a policy is not met (score, utility, check), a signed file has
    changed (check), files cannot be assessed (inspect), the new result is worse (diff
    --fail-if-worse), or inputs, numbers or the verdict have changed (rerun). 2 the question or the
    input is wrong. 3 the engine failed, or an unexpected error. 130 interrupted. A failure is one
    message on standard error, without value of a record, and without traceback unless --trace is
    given.

    Ends by SystemExit with 141 if the reader of standard output or error is gone, and without
    ``arguments`` with 128 + N on signal N (SIGTERM, SIGHUP).
    """
    if arguments is None:
        arguments = sys.argv[1:]
        terminal.reopen()
        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup stays in force
                signal.signal(number, _end)
    if strange := [each for each in arguments if not _is_text(each)]:
        complain("sqlrisk", [f"The argument {each!r} is not UTF-8 text." for each in strange])
        return 2
    try:
        status = cli.main(
            args=list(arguments) or ["--help"],
            prog_name="sqlrisk",
            standalone_mode=False,
            obj=tuple(arguments),
        )
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
    except MemoryError:
        complain("sqlrisk", [_TOO_LITTLE_MEMORY])
        return 3
    except Exception as error:  # noqa: BLE001 - the command line's last resort
        admit(error, traced="--trace" in arguments)
        return 3
    return status if isinstance(status, int) else 0


def _is_text(argument: str) -> bool:
    """Return False for an argument that is not UTF-8, as from a terminal with another encoding."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def complain(who: str, problems: Sequence[str], hint: str = "") -> None:
    """Write the one message of a failed run to standard error."""
    lines = [terminal.printable(problem) for problem in problems]
    head = (
        f"{who}: {lines[0]}"
        if len(lines) == 1
        else "\n- ".join([f"{who}: {len(lines)} problems", *lines])
    )
    terminal.note(f"{head}\n{hint}" if hint else head)


def admit(error: Exception, *, traced: bool) -> None:
    """Write where an unexpected error arose to standard error, without its message, which may quote
    records. With ``traced``, add the traceback.
    """
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    package = Path(__file__).resolve().parent.parent
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


_TOO_LITTLE_MEMORY = (
    "The machine has too little memory for this: end other programs, or lower --memory-limit."
)
# signals that ask the program to end, or say that its terminal is gone
_ENDING = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def _end(number: int, _frame: object) -> None:
    """End on a signal like on Ctrl-C, so that temporary files are removed."""
    raise SystemExit(128 + number)
