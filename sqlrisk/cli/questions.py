"""What `sqlrisk init` asks on a terminal: the role of each column that is in doubt."""

import sys
from typing import TYPE_CHECKING

import rich_click as click

from sqlrisk.cli import terminal
from sqlrisk.inputs.columns.dictionary import ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlrisk.inputs.columns.guesses import Guess

HEAD = """\
What are these columns? Enter accepts the answer in brackets, a first letter is enough, \
Ctrl-C ends without a draft.
  key         people may know it of others: age, sex, place, job
  sensitive   what nobody should learn: income, health
  identifier  it names a record        weight  of a survey        other  none of these"""


def can_ask() -> bool:
    """Return True if both input and messages are on a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def roles(doubtful: "Sequence[Guess]") -> dict[str, str]:
    """Ask for the role of each column, and return them by name."""
    if doubtful:
        terminal.note(HEAD)
    return {
        each.name: _role(each, number, len(doubtful))
        for number, each in enumerate(doubtful, start=1)
    }


def _role(guess: "Guess", number: int, doubtful: int) -> str:
    label = terminal.printable(guess.content.label)
    told = [
        *([label] if label else []),
        f"{guess.content.levels:,} levels",
        *([guess.words] if guess.words else []),
    ]
    text = f"{number}/{doubtful} {terminal.printable(guess.name)} ({'; '.join(told)})"
    return str(click.prompt(text, default=guess.role, value_proc=_read, err=True))


def _read(text: str) -> str:
    """Return the role that a text names, by its first letters. Raises UsageError unless exactly one
    fits.
    """
    found = [role for role in ROLES if text.strip() and role.startswith(text.strip().lower())]
    if len(found) != 1:
        raise click.UsageError(f"it is one of {', '.join(ROLES)}.")
    return found[0]
