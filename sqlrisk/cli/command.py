"""A command whose help has two levels and ends with examples. It also accepts former option
names.
"""

import re
from functools import partial
from inspect import cleandoc
from typing import Any

import rich_click as click
from rich.text import Text

from sqlrisk.cli import options, running, terminal
from sqlrisk.inputs.fields import PANELS

# a command with more than MANY options shows only the FIRST of them, and SOME examples
MANY, FIRST, SOME = 15, 12, 4
EXAMPLES = "\b\nExamples:\n"  # begins the examples in a docstring
ALL = "sqlrisk.help_all"  # key in the context: whether help shows all options


class Command(click.RichCommand):
    """A command with common options in ``--help``, and all options in ``--help-all``."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        text, _, examples = cleandoc(self.help or "").partition(EXAMPLES)
        self.help, self.examples = text.strip(), re.split(r"\n(?=  sqlrisk )", examples.rstrip())
        self.params.sort(key=place)
        names = [str(each.name) for each in self.params if isinstance(each, click.Option)]
        self.later: set[str] = set()
        if len(names) > MANY:
            self.later = set(names) - set(
                [name for name in options.MOST_NEEDED if name in names][:FIRST]
            )
            words = f"Show all {len(names)} options and exit."
            click.option(
                "--help-all",
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=show_all,
                help=words,
            )(self)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line after replacing former option names, as click's method does.
        Raises UsageError for an option of one value that is given twice: click would keep the last.
        """
        words = renamed(str(self.name), args)
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args([*words])
            for each in given:
                one = isinstance(each, click.Option) and not (each.multiple or each.is_flag)
                if one and given.count(each) > 1:
                    ctx.fail(f"{each.opts[0]} is given twice; keep one.")
        return super().parse_args(ctx, words)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, with plain and named synthetic files gathered into one value."""
        ctx.invoke(running.gather, ctx.params)
        return super().invoke(ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters. For help, return only those of its level."""
        shown = ctx.meta.get(ALL, True)
        return [each for each in super().get_params(ctx) if shown or each.name not in self.later]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options that belong to this level of help."""
        ctx.meta.setdefault(ALL, False)
        super().format_options(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples last, at the end of the screen, where readers look."""
        super().format_epilog(ctx, formatter)
        shown = self.examples[:SOME] if self.later and not ctx.meta[ALL] else self.examples
        if any(shown):
            formatter.write(Text("\n".join(["Examples:", *shown])))


class CommandGroup(Command, click.RichGroup):
    """The group of all commands."""


command = partial(click.command, cls=Command)


def place(parameter: click.Parameter) -> int:
    """Return the sort key of a parameter's panel. Parameters without a panel come last."""
    panel = getattr(parameter, "panel", None)
    return PANELS.index(panel) if panel in PANELS else len(PANELS)


def show_all(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Show the help with all options, and stop."""
    if value and not context.resilient_parsing:
        context.meta[ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


def renamed(name: str, words: list[str]) -> list[str]:
    """Return a command line with former option names of the command ``name`` replaced. Write a
    note about each, unless ``--quiet`` is given.
    """
    now, quiet, read = options.FORMER.get(name, {}), {"-q", "--quiet"} & {*words}, []
    for word in words:
        option, equals, value = word.partition("=")
        if option in now and "--" not in read:
            if not quiet:
                terminal.note(
                    f"{option} is now {now[option]}; the former name is gone in the next version."
                )
            option = now[option]
        read.append(f"{option}{equals}{value}")
    return read
