"""The look of every figure: size, colors, letters and axes, and how a figure becomes SVG.

A chart is as wide as a phone. A page shows one or two side by side and never has to shrink the
text. Colors come from ``PALETTE``. For dark screens a style sheet replaces each with the color of
the same name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor
from operator import itemgetter
from textwrap import wrap
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.common.extras import install
from sqlrisk.report.wording import plain_text, shown

try:
    import altair as alt
    import vl_convert
    from altair.utils import schemapi
except ModuleNotFoundError:
    raise InputError(
        f"The figures of an HTML report need Altair and vl-convert: {install('report')}."
    ) from None

Lines = Sequence[dict[str, Any]]

# Width of a figure in pixels: a phone without its margins, or half a page of A4.
WIDTH = 320
LETTERS, HEADS = 15, 16  # sizes of letters and titles in pixels: 11 pt are 14.7
LABELS, NUMBERS = 132, 52  # widest label of an axis, and widest number on one, in pixels
NARROW = 12  # longest name, in letters, for a legend with two names side by side
COLUMN = 190  # height in pixels of a figure that does not consist of rows
LOW = 130  # height in pixels of a line chart: two findings fit on a sheet
# Maximum average width of a letter in a chart, and distance between lines of text, in pixels.
LETTER, LINE = 9.5, 21
LINE_OF_NAME = round(LABELS / LETTER) + 1  # letters in a line of a name to the left of a row
# Steps between the numbers of an axis that does not begin at 0.
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

# Each color has a contrast of at least 4.5 with white, so that text can be written in it. Only the
# grid, the fill and the shades are lighter: they are decoration or lie below text.
PALETTE = {
    "ink": "#1f2933",
    "quiet": "#52606d",
    "grid": "#e4e8ec",
    "original": "#5b6770",
    "synthetic": "#0b62a4",
    "baseline": "#946200",
    "flag": "#9c1f2e",
    "fill": "#c9dff0",
    **{
        f"shade{place}": colour
        for place, colour in enumerate(
            ("#f3f8fc", "#dbe9f5", "#bfd8ee", "#a3c7e6", "#86b5de"), start=1
        )
    },
}
DARK = {  # the colors for a dark screen, equal to those in templates/style.css
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
# from light to dark, each light enough to write on in ink
SHADES = [PALETTE[f"shade{place}"] for place in range(1, 6)]
# Series must differ in gray, too: by shapes, and from the fifth on by dashes.
SERIES = ("synthetic", "baseline", "original", "flag")
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
FEW = alt.Axis(tickCount=3)  # few numbers on an axis with names to its left
POINT: dict[str, Any] = {"filled": True, "opacity": 1}
LEGEND: dict[str, Any] = {
    "orient": "bottom",
    "title": None,
    "columnPadding": 28,
    "labelLimit": WIDTH - 60,
}
FIT = {"type": "fit-x", "contains": "padding"}
# The left has room for a font wider than the measured one.
PADDING = {"left": 22, "right": 6, "top": 4, "bottom": 2}


@dataclass(frozen=True)
class Figure:
    """A chart with title and caption. ``words`` describe it for readers who cannot see it."""

    name: str
    title: str
    words: str
    chart: alt.TopLevelMixin
    caption: str = ""


def described(
    title: str, said: Sequence[str], values: Sequence[float], most: str = "Highest"
) -> str:
    """Return the words of a figure: its title, its finding, then all numbers.

    ``said`` has each number in words (``about: number``). The finding is the one with the highest
    of ``values``. ``most`` says what the highest number is.
    """
    _, highest = max(zip(values, said, strict=True), key=itemgetter(0), default=(0.0, ""))
    finding = f"{most}: {highest.replace(': ', ', ', 1)}. " if len(said) > 1 else ""
    return f"{title}. {finding}{'; '.join(said)}"


@contextmanager
def unchecked() -> Iterator[None]:
    """Make charts without a check against Vega-Lite's schema, which takes longer than the rest."""
    with schemapi.debug_mode(False):
        yield


def svg(figure: Figure) -> str:
    """Return the figure as an SVG element, with ids that are unique among the figures of a page."""
    text = drawn(figure.chart)
    own = re.sub(r"\W+", "-", figure.name)
    text = re.sub(r'id="([^"]+)"', rf'id="{own}-\1"', text)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", text)


def drawn(chart: Any) -> str:
    """Return a chart as an SVG element."""
    # do not validate: the parts were checked when made, and checking the whole takes as long as
    # drawing it
    text: str = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    return text


def stacked(charts: Sequence[Any]) -> alt.TopLevelMixin:
    """Return charts one below the other."""
    return charts[0] if len(charts) == 1 else styled(alt.vconcat(*map(_bare, charts)))


def titled(figure: Figure) -> Any:
    """Return the chart of a figure with its title and its caption, which explains the marks."""
    title, said = (wrap(text, round(WIDTH / LETTER)) for text in (figure.title, figure.caption))
    return figure.chart.properties(title=alt.Title(title, subtitle=said))


def roles(chart: alt.Chart) -> list[alt.Chart]:
    """Return a layer of marks for each role. The original is a ring, seen below other marks."""
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
    """Return the colors, dashes and shapes of a field's values. Several values have a legend."""
    names = list(dict.fromkeys(str(line[field]) for line in lines))
    places = range(len(names))
    colours = [PALETTE[SERIES[place % len(SERIES)]] for place in places]
    dashes = [[1, 0] if place < len(SERIES) else [4, 3] for place in places]
    shapes = [SHAPES[place % len(SHAPES)] for place in places]
    legend: Any = None
    if len(names) > 1:
        legend = alt.Legend(**LEGEND, columns=2 if max(map(len, names)) <= NARROW else 1)
    return (
        alt.Color(f"{field}:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=names, range=dashes), legend=None),
        alt.Shape(f"{field}:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    )


def ends(values: Sequence[float]) -> tuple[float, float, float]:
    """Return an axis in round numbers that need not begin at 0: first, last, and step."""
    low, high = min(values), max(values)
    step = next((step for step in STEPS if high - low <= 5 * step), STEPS[-1])
    first, last = floor(low / step), ceil(high / step)
    return first * step, max(last, first + 1) * step, step


def axis(ends: tuple[float, float, float], **more: Any) -> alt.Axis:
    """Return an axis with numbers at each step. ``ends`` comes from the function ``ends``."""
    low, high, step = ends
    values = [round(low + step * place, 6) for place in range(round((high - low) / step) + 1)]
    # Vega leaves out every second number beyond this count
    return alt.Axis(values=values, **{"tickCount": len(values), **more})


def folded(title: str, beside: int = LABELS) -> list[str]:
    """Return the title of an axis, broken into lines that fit below the chart. The labels to the
    left of the chart are ``beside`` pixels wide.
    """
    return wrap(title, round((WIDTH - beside) / LETTER) + 3)


def in_lines(name: str, most: int | None = None) -> str:
    """Return a name for `rows`, broken into lines that fit left of the chart. Lines may also end
    after a colon, underscore or comma, because names of rules and columns have few spaces. A number
    such as 50,000 stays whole. Lines after the first ``most`` are cut (None: all are kept).
    """
    # textwrap breaks only at whitespace, and no name contains this kind
    parts = re.sub(r"(?<=[:_,])(?!(?<=\d,)\d)(?=\w)", "\v", name)
    lines = wrap(parts, LINE_OF_NAME, replace_whitespace=False, max_lines=most, placeholder="…")
    return "\n".join(line.replace("\v", "") for line in lines)


class Layer(alt.Chart):
    """A chart whose copies share its rows and encodings, which nothing changes. Otherwise Altair
    copies all of them for each setting and layer that is added, half the time of a page.
    """

    def __deepcopy__(self, _: object) -> "Layer":
        copy: Layer = self.copy(deep=False)
        return copy


def chart(lines: Lines) -> alt.Chart:
    """Return a chart without marks over these rows."""
    return Layer(alt.Data(values=lines))


def sized(chart: Any, height: int) -> alt.TopLevelMixin:
    """Return a chart as wide as a phone. The part with the marks is ``height`` pixels high, plus a
    margin of 8.
    """
    return styled(chart.properties(width=WIDTH, height=height + 8, autosize=FIT))


def height(lines: Lines, field: str, least: int = 0) -> int:
    """Return the height in pixels of all rows that `rows` makes. Each row has room for the name
    with the most lines, and at least ``least`` pixels.
    """
    names = {str(line[field]) for line in lines}
    return max(least, LINE * max(name.count("\n") + 1 for name in names) + 6) * len(names)


def styled(chart: Any) -> alt.TopLevelMixin:
    """Return a chart in the common style: no frame, a quiet grid, text large enough to read."""
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
    # In one call: Altair copies the whole chart for every setting that is added.
    styled: alt.TopLevelMixin = chart.configure(
        font="Helvetica, Arial, sans-serif",
        background="transparent",
        # a figure is described as a whole, and descriptions of single marks would double its size
        aria=False,
        padding=PADDING,
        view={"stroke": None},
        axis={**text, **axis, "labelPadding": 6, "titlePadding": 8},
        axisX={"tickCount": 5},
        axisY={"tickCount": 5},
        legend={**text, "symbolSize": 70},
        title={
            "anchor": "start",
            "color": PALETTE["ink"],
            "fontSize": HEADS,
            "subtitleColor": PALETTE["quiet"],
            "subtitleFontSize": LETTERS,
        },
    )
    return styled


def _bare(chart: Any) -> Any:
    """Return the chart without its own configuration, so that it can be a part of another chart."""
    copy = chart.copy()
    copy.config = copy.autosize = copy.padding = alt.Undefined
    return copy


def row_name(column: object, labels: Mapping[str, str]) -> str:
    """Return a column's name for `rows`, above its label if it has one."""
    label = labels.get(plain_text(column), "")
    below = f"\n{in_lines(shown(label), most=2)}" if label else ""
    return f"{in_lines(shown(column))}{below}"


def rows(lines: Lines, field: str, order: Sequence[str] | None = None) -> alt.Chart:
    """Return a chart with a row for each value of a field, in the ``order`` of these values. By
    default they are in the order of ``lines``.
    """
    rows = list(dict.fromkeys(line[field] for line in lines)) if order is None else order
    # Expressions, because Vega draws a label with a line break in one line, and centers only the
    # first of several lines.
    split = "split(datum.label, '\\n')"
    most = max(str(row).count("\n") for row in rows)
    up: Any = {
        "value": 0,
        "condition": [
            {"test": f"length({split}) == {breaks + 1}", "value": -breaks * (LETTERS + 2) / 2}
            for breaks in range(1, most + 1)
        ],
    }
    axis = alt.Axis(
        labelExpr=split, labelOffset=up if most else 0, grid=False, labelBaseline="middle"
    )
    return chart(lines).encode(y=alt.Y(f"{field}:N", sort=rows, title=None, axis=axis))
