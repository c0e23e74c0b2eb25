"""`sqlrisk demo`: score the census data that comes with sqlrisk."""

import shlex
from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands.score import run_score

DEMO = {"keys": ("age,sex,race,marital_status,education",), "targets": ("income,major_occupation,country_birth",)}


@click.command()
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
