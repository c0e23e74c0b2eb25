"""Print progress to stderr, and format the Markdown tables for stdout."""

import statistics
import sys
from collections.abc import Sequence


def tell(message: str) -> None:
    """Print a line of progress to stderr."""
    print(f"bench: {message}", file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with aligned columns. The first is left-aligned, others right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if n == 0 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [("-" * width if n == 0 else "-" * (width - 1) + ":") for n, width in enumerate(widths)]
    return "\n".join(line(cells) for cells in [header, rule, *rows])


def spread(values: Sequence[float], form: str = "{:.2f}") -> str:
    """Return the median, with minimum and maximum in brackets if there are several values."""
    middle = form.format(statistics.median(values))
    return (
        f"{middle} ({form.format(min(values))}-{form.format(max(values))})"
        if len(values) > 1
        else middle
    )


def times(ratio: float) -> str:
    """Format a ratio: ``1.50x``, or ``1/20`` if below 0.1."""
    return f"{ratio:.2f}x" if ratio >= 0.1 else f"1/{1 / ratio:.0f}"
