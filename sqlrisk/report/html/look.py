"""How every figure looks: its size, its colours, its letters, its axes; and how it becomes SVG.

A chart is as wide as a phone, so that a page shows two beside each other, or one, and never has to
shrink its text. Colours are those of ``PALETTE``: a style sheet can replace each by the colour of
the same name, for a dark screen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from textwrap import wrap
from typing import Any

from sqlrisk.common.errors import InputError

try:
    import altair as alt
    import vl_convert
except ModuleNotFoundError:
    raise InputError(
        "The figures of an HTML report need Altair and vl-convert: pip install 'sqlrisk[report]'."
    ) from None

Lines = Sequence[dict[str, Any]]

# of a whole figure, in pixels: what a phone shows beside its margins, and half a page of A4
WIDTH = 320
LETTERS, HEADS = 15, 16  # the size of letters and of titles, in pixels: 11 pt are 14.7
LABELS, NUMBERS = 132, 52  # the widest label of an axis, and one of numbers
NARROW = 12  # letters of a name of which two stand beside each other in a legend
COLUMN = 190  # the height of a figure without rows
# how wide a letter of a mark is at most on average, and how far apart lines of them stand
LETTER, LINE = 9.5, 21
# between the numbers of an axis that does not begin at 0
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

# Each has a contrast of 4.5 or more with white, so that what is drawn in it can also be written in
# it; the grid is decoration.
PALETTE = {
    "ink": "#1f2933",
    "quiet": "#52606d",
    "grid": "#e4e8ec",
    "original": "#5b6770",
    "synthetic": "#0b62a4",
    "baseline": "#946200",
    "flag": "#b4322a",
    "fill": "#c9dff0",
    **{
        f"shade{place}": colour
        for place, colour in enumerate(
            ("#f3f8fc", "#dbe9f5", "#bfd8ee", "#a3c7e6", "#86b5de"), start=1
        )
    },
}
DARK = {  # the same on a dark screen, as templates/style.css has them for a page
    "paper": "#14191f",
    "ink": "#e6eaee",
    "quiet": "#aab4be",
    "grid": "#2b343d",
    "original": "#a9b4be",
    "synthetic": "#6cb6f0",
    "baseline": "#e0b04c",
    "flag": "#ff8f85",
    "fill": "#24435c",
    **{
        f"shade{place}": colour
        for place, colour in enumerate(
            ("#1a232c", "#1c3143", "#1f3f59", "#234e70", "#285d87"), start=1
        )
    },
}
# from the least to the most; ink can be read on each
SHADES = [PALETTE[f"shade{place}"] for place in range(1, 6)]
# Series are told apart in grey, too: by shapes, and by dashes from the fifth on.
SERIES = ("synthetic", "baseline", "original", "flag")
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
FEW = alt.Axis(tickCount=3)  # numbers of an axis that has names to its left
POINT: dict[str, Any] = {"filled": True, "opacity": 1}
LEGEND: dict[str, Any] = {
    "orient": "bottom",
    "title": None,
    "columnPadding": 28,
    "labelLimit": WIDTH - 60,
}
FIT = {"type": "fit-x", "contains": "padding"}
# to the left, room for a font wider than the one that was measured
PADDING = {"left": 22, "right": 6, "top": 4, "bottom": 2}


@dataclass(frozen=True)
class Figure:
    """A chart, its title, the sentence below it, and what it shows in words for somebody who cannot
    see it.
    """

    name: str
    title: str
    words: str
    chart: alt.TopLevelMixin
    caption: str = ""


def svg(figure: Figure) -> str:
    """Return the figure as an SVG element; its ids are its own, so that several fit on one page."""
    text = drawn(figure.chart)
    own = re.sub(r"\W+", "-", figure.name)
    text = re.sub(r'id="([^"]+)"', rf'id="{own}-\1"', text)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", text)


def drawn(chart: Any) -> str:
    """Return a chart as an SVG element."""
    # Its parts were checked when it was made; to check the whole again takes as long as to draw it.
    text: str = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    return text


def stacked(charts: Sequence[Any]) -> alt.TopLevelMixin:
    """Return charts one below the other."""
    return charts[0] if len(charts) == 1 else styled(alt.vconcat(*map(_bare, charts)))


def titled(figure: Figure) -> Any:
    """Return the chart of a figure with its title."""
    return figure.chart.properties(title=alt.Title(figure.title))


def roles(chart: alt.Chart) -> list[alt.Chart]:
    """Return a mark for each role: a ring for the original, so that both can be seen where they
    coincide.
    """
    marks = (
        ("baseline", "square", 75, True),
        ("original", "circle", 130, False),
        ("synthetic", "diamond", 75, True),
    )
    return [
        chart.mark_point(
            filled=filled,
            shape=shape,
            color=PALETTE[role],
            size=size,
            opacity=1,
            strokeWidth=0 if filled else 2,
        ).transform_filter(f"datum.role == '{role}'")
        for role, shape, size, filled in marks
    ]


def series(lines: Lines, field: str) -> tuple[alt.Color, alt.StrokeDash, alt.Shape]:
    """Return how the values of a field are told apart, with a legend below where there
    are several.
    """
    names = list(dict.fromkeys(str(line[field]) for line in lines))
    colours = [PALETTE[SERIES[place % len(SERIES)]] for place in range(len(names))]
    dashes = [[1, 0] if place < len(SERIES) else [4, 3] for place in range(len(names))]
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(names))]
    legend: Any = None
    if len(names) > 1:
        legend = alt.Legend(**LEGEND, columns=2 if max(map(len, names)) <= NARROW else 1)
    return (
        alt.Color(f"{field}:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=names, range=dashes), legend=None),
        alt.Shape(f"{field}:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    )


def ends(values: Sequence[float]) -> tuple[float, float, float]:
    """Return where an axis that does not begin at 0 begins and ends, in round numbers, and how far
    apart its numbers are.
    """
    low, high = min(values), max(values)
    step = next((step for step in STEPS if high - low <= 5 * step), STEPS[-1])
    first, last = floor(low / step), ceil(high / step)
    return first * step, max(last, first + 1) * step, step


def axis(ends: tuple[float, float, float], **more: Any) -> alt.Axis:
    """Return an axis with its numbers at round places."""
    low, high, step = ends
    values = [round(low + step * place, 6) for place in range(round((high - low) / step) + 1)]
    # of more than its count every second is left out
    return alt.Axis(values=values, **{"tickCount": len(values), **more})


def folded(title: str, beside: int = LABELS) -> list[str]:
    """Return the title of an axis in lines that fit ``beside`` what is to its left, names of rows
    or numbers.
    """
    return wrap(title, round((WIDTH - beside) / LETTER) + 3)


def chart(lines: Lines) -> alt.Chart:
    """Return a chart without marks of some rows."""
    return alt.Chart(alt.Data(values=lines))


def sized(chart: Any, height: int) -> alt.TopLevelMixin:
    """Return a chart as wide as a phone and as high as its rows."""
    return styled(chart.properties(width=WIDTH, height=height + 8, autosize=FIT))


def styled(chart: Any) -> alt.TopLevelMixin:
    """Return a chart in the look of every figure: no frame, a quiet grid, text large enough to
    read.
    """
    text = {
        "labelColor": PALETTE["ink"],
        "labelFontSize": LETTERS,
        "titleColor": PALETTE["quiet"],
        "titleFontSize": LETTERS,
    }
    axis = {
        "titleFontWeight": "normal",
        "domain": False,
        "ticks": False,
        "gridColor": PALETTE["grid"],
        "labelLimit": LABELS,
    }
    # All at once: Altair copies the chart, and everything in it, for each setting that is added.
    styled: alt.TopLevelMixin = chart.configure(
        font="Helvetica, Arial, sans-serif",
        background="transparent",
        # a figure is told in words as a whole; marks that tell of themselves would double its bytes
        aria=False,
        padding=PADDING,
        view={"stroke": None},
        axis={**text, **axis, "labelPadding": 6, "titlePadding": 8},
        axisX={"tickCount": 5},
        axisY={"tickCount": 5},
        legend={**text, "symbolSize": 70},
        title={"anchor": "start", "color": PALETTE["ink"], "fontSize": HEADS},
    )
    return styled


def _bare(chart: Any) -> Any:
    """Return the chart without its own settings, to go into a chart of charts."""
    copy = chart.copy()
    copy.config = alt.Undefined
    copy.autosize = copy.padding = alt.Undefined
    return copy


def rows(lines: Lines, field: str, order: Sequence[str] | None = None) -> alt.Chart:
    """Return a chart with a row for each value of a field, in their first order or the
    one given.
    """
    # An expression, as a text with a line break in it would be drawn in one line.
    axis = alt.Axis(labelExpr="split(datum.label, '\\n')", grid=False, labelBaseline="middle")
    rows = list(dict.fromkeys(line[field] for line in lines)) if order is None else order
    return chart(lines).encode(y=alt.Y(f"{field}:N", sort=rows, title=None, axis=axis))
