"""The marks of figures: charts of Altair from rows that are ready to be drawn, all in one look.

A chart is as wide as a phone, so that a page shows two beside each other, or one, and never has to shrink its text. Colours are
those of ``PALETTE``: a style sheet can replace each by the colour of the same name, for a dark screen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlrisk.common.errors import InputError

try:
    import altair as alt
    import vl_convert
except ModuleNotFoundError:
    raise InputError("The figures of an HTML report need Altair and vl-convert: pip install 'sqlrisk[report]'.") from None

Lines = Sequence[dict[str, Any]]

WIDTH = 336  # of a whole figure, in pixels: what a phone shows beside its margins
LABELS = 128  # the widest label of an axis
COLUMN = 182  # the height of a figure without rows

# Each has a contrast of 4.5 or more with white, so that what is drawn in it can also be written in it; the grid is decoration.
PALETTE = {
    "ink": "#1f2933",
    "quiet": "#52606d",
    "grid": "#e4e8ec",
    "original": "#5b6770",
    "synthetic": "#0b62a4",
    "baseline": "#946200",
    "flag": "#b4322a",
    "fill": "#c9dff0",
}
_POINT: dict[str, Any] = {"filled": True, "opacity": 1}
_FIT = {"type": "fit-x", "contains": "padding"}
_PADDING = {"left": 16, "right": 6, "top": 4, "bottom": 2}  # to the left, room for a font wider than the one that was measured


@dataclass(frozen=True)
class Figure:
    """A chart, its title, the sentence below it, and what it shows in words for somebody who cannot see it."""

    name: str
    title: str
    words: str
    chart: alt.TopLevelMixin
    caption: str = ""


def svg(figure: Figure) -> str:
    """Return the figure as an SVG element; its ids are its own, so that several fit on one page."""
    # Its parts were checked when it was made; to check the whole again takes as long as to draw it.
    text: str = vl_convert.vegalite_to_svg(figure.chart.to_dict(validate=False))
    own = re.sub(r"\W+", "-", figure.name)
    text = re.sub(r'id="([^"]+)"', rf'id="{own}-\1"', text)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", text)


def arrows(lines: Lines, based: bool) -> alt.TopLevelMixin:
    """Return an arrow for each target, from the original to the synthetic file; with a line where there is a baseline."""
    chart = _rows(lines, "target")
    x = alt.X("original:Q", title="percent of original records", scale=alt.Scale(domainMin=0, nice=True))
    heads: dict[str, dict[str, Any]] = {
        "<": {"shape": "triangle-left", "size": 80},
        ">": {"shape": "triangle-right", "size": 80},
        "==": {"size": 40},
    }
    layers = [
        chart.mark_rule(color=PALETTE["synthetic"], strokeWidth=2).encode(x=x, x2="synthetic:Q"),
        chart.mark_point(**_POINT, fill="#ffffff", stroke=PALETTE["original"], strokeWidth=2, size=60).encode(x=x),
        *(
            chart.mark_point(**_POINT, color=PALETTE["synthetic"], **head)
            .transform_filter(f"datum.synthetic {sign} datum.original")
            .encode(x="synthetic:Q")
            for sign, head in heads.items()
        ),
    ]
    if based:
        tick = chart.mark_tick(color=PALETTE["baseline"], thickness=2.5, height=18)
        layers.append(tick.transform_filter("isValid(datum.baseline)").encode(x="baseline:Q"))
    return _sized(alt.layer(*layers), 52 * len(lines))


def lines(lines: Lines, title: str) -> alt.TopLevelMixin:
    """Return a line of points for each of ``synthesis``, told apart by colours and dashes; points stand evenly apart."""
    names = list(dict.fromkeys(str(line["synthesis"]) for line in lines))
    colours = [PALETTE[name] for name in ("synthetic", "baseline", "original", "flag")]
    scale = alt.Scale(domain=names, range=[colours[place % len(colours)] for place in range(len(names))])
    dashes = alt.Scale(domain=names, range=[[1, 0] if place < len(colours) else [4, 3] for place in range(len(names))])
    legend = alt.Legend(orient="bottom", title=None, columns=2) if len(names) > 1 else None
    chart = _chart(lines).encode(
        x=alt.X("at:O", title=title, scale=alt.Scale(padding=0.1), axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("value:Q", title="percent of people", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color("synthesis:N", scale=scale, legend=legend),
        strokeDash=alt.StrokeDash("synthesis:N", scale=dashes, legend=None),
    )
    return _sized(alt.layer(chart.mark_line(strokeWidth=2), chart.mark_point(**_POINT, size=45)), COLUMN)


def boxes(lines: Lines, original: float) -> alt.TopLevelMixin:
    """Return a box for each synthesis, and a line at the mean of the original."""
    chart, blue = _rows(lines, "synthesis"), PALETTE["synthetic"]
    x = alt.X("q5:Q", title="CAP of a person", scale=alt.Scale(domain=[0, 1]))
    line = _chart([{"original": original}]).mark_rule(color=PALETTE["original"], strokeWidth=1.5, strokeDash=[4, 3])
    layers = [
        line.encode(x=alt.X("original:Q")),
        chart.mark_rule(color=blue).encode(x=x, x2="q95:Q"),
        chart.mark_bar(fill=PALETTE["fill"], stroke=blue, height=14, minBandSize=2).encode(x="q25:Q", x2="q75:Q"),
        chart.mark_tick(color=blue, thickness=2.5, height=14).encode(x="q50:Q"),
        chart.mark_point(**_POINT, shape="diamond", color=PALETTE["baseline"], size=60).encode(x="mean:Q"),
    ]
    return _sized(alt.layer(*layers), 34 * len(lines))


def shares(lines: Lines, levels: int) -> alt.TopLevelMixin:
    """Return a bar for each level of the original, and a tick for its share in each synthetic file."""
    x = alt.X("percent:Q", title="percent of the file's records", scale=alt.Scale(domainMin=0))
    chart = _rows(lines, "level").encode(x=x)
    original, synthetic = (chart.transform_filter(f"datum.file == '{file}'") for file in ("original", "synthetic"))
    bars = original.mark_bar(color=PALETTE["original"], opacity=0.35, height=12)
    return _sized(alt.layer(bars, synthetic.mark_tick(color=PALETTE["synthetic"], thickness=2, height=16)), 24 * levels)


def columns(lines: Lines, field: str, title: str) -> alt.TopLevelMixin:
    """Return a column of percent for each line."""
    chart = _chart(lines).encode(
        x=alt.X(f"{field}:N", sort=None, title=title, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("percent:Q", title="percent of people", scale=alt.Scale(domainMin=0)),
    )
    return _sized(chart.mark_bar(color=PALETTE["synthetic"], width={"band": 0.7}), COLUMN)


def number_line(lines: Lines) -> alt.TopLevelMixin:
    """Return a row for each of ``who``, highest first, with a mark for each of its roles."""
    x = alt.X("percent:Q", title="percent of people guessed right", scale=alt.Scale(domain=[0, 100]))
    best: dict[str, float] = {}
    for line in lines:
        best[line["who"]] = max(best.get(line["who"], 0.0), line["percent"])
    chart = _rows(lines, "who", sorted(best, key=lambda who: -best[who])).encode(x=x)
    # A ring for the original, so that both can be seen where they coincide.
    marks = (("baseline", "square", 75, True), ("original", "circle", 130, False), ("synthetic", "diamond", 75, True))
    layers = [
        chart.mark_point(
            filled=filled, shape=shape, color=PALETTE[role], size=size, opacity=1, strokeWidth=0 if filled else 2
        ).transform_filter(f"datum.role == '{role}'")
        for role, shape, size, filled in marks
    ]
    return _sized(alt.layer(*layers), 24 * len(best))


def stacked(charts: Sequence[Any]) -> alt.TopLevelMixin:
    """Return charts one below the other."""
    return charts[0] if len(charts) == 1 else _styled(alt.vconcat(*map(_bare, charts)))


def titled(figure: Figure) -> Any:
    """Return the chart of a figure with its title."""
    return figure.chart.properties(title=alt.Title(figure.title))


def _chart(lines: Lines) -> alt.Chart:
    return alt.Chart(alt.Data(values=lines))


def _sized(chart: Any, height: int) -> alt.TopLevelMixin:
    """Return a chart as wide as a phone and as high as its rows."""
    return _styled(chart.properties(width=WIDTH, height=height + 8, autosize=_FIT))


def _styled(chart: Any) -> alt.TopLevelMixin:
    """Return a chart in the look of every figure: no frame, a quiet grid, text large enough to read."""
    text = {"labelColor": PALETTE["ink"], "labelFontSize": 12, "titleColor": PALETTE["quiet"], "titleFontSize": 12}
    axis = {"titleFontWeight": "normal", "domain": False, "ticks": False, "gridColor": PALETTE["grid"], "labelLimit": LABELS}
    # All at once: Altair copies the chart, and everything in it, for each setting that is added.
    styled: alt.TopLevelMixin = chart.configure(
        font="Helvetica, Arial, sans-serif",
        background="transparent",
        padding=_PADDING,
        view={"stroke": None},
        axis={**text, **axis, "labelPadding": 6, "titlePadding": 8},
        axisX={"tickCount": 5},
        axisY={"tickCount": 5},
        legend={**text, "symbolSize": 70},
        title={"anchor": "start", "color": PALETTE["ink"], "fontSize": 14},
    )
    return styled


def _bare(chart: Any) -> Any:
    """Return the chart without its own settings, to go into a chart of charts."""
    copy = chart.copy()
    copy.config = alt.Undefined
    copy.autosize = alt.Undefined
    return copy


def _rows(lines: Lines, field: str, order: Sequence[str] | None = None) -> alt.Chart:
    """Return a chart with a row for each value of a field, in their first order or the one given."""
    # An expression, as a text with a line break in it would be drawn in one line.
    axis = alt.Axis(labelExpr="split(datum.label, '\\n')", grid=False, labelBaseline="middle")
    rows = list(dict.fromkeys(line[field] for line in lines)) if order is None else order
    return _chart(lines).encode(y=alt.Y(f"{field}:N", sort=rows, title=None, axis=axis))
