"""What is shown on standard error while a run goes on: a bar on a terminal, nothing elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Move = Callable[[str, int, int, float], None]

CALM = {
    **dict.fromkeys(("bar.back", "progress.elapsed"), "dim"),
    **dict.fromkeys(("bar.complete", "bar.finished"), "cyan"),
    "progress.percentage": "none",
}


@contextmanager
def bar(wanted: bool) -> Iterator[Move | None]:
    """Show one bar with the stage's name and the time; yield the callable that moves it, or None when not ``wanted``.

    The callable takes the stage, its step (from 1), the number of steps and the fraction of the stage that is done.
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
        redirect_stdout=False,  # the result is never touched
        redirect_stderr=False,
    )
    with shown:
        task = shown.add_task("starting", total=1.0)

        def move(stage: str, step: int, steps: int, fraction: float) -> None:
            done = (step - 1 + min(max(fraction, 0.0), 1.0)) / max(steps, 1)
            shown.update(task, description=stage, completed=done)

        yield move
