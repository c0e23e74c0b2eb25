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
    chart = _chart(lines)
    y = _rows_axis("target", [line["target"] for line in lines])
    x = alt.X("original:Q", title="percent of original records", scale=alt.Scale(domainMin=0, nice=True))
    layers = [
        chart.mark_rule(color=PALETTE["synthetic"], strokeWidth=2).encode(x=x, x2="synthetic:Q", y=y),
        chart.mark_point(filled=True, fill="#ffffff", stroke=PALETTE["original"], strokeWidth=2, size=60, opacity=1).encode(
            x=x, y=y
        ),
        *(
            chart.mark_point(filled=True, shape=shape, color=PALETTE["synthetic"], size=80, opacity=1)
            .transform_filter(f"datum.synthetic {sign} datum.original")
            .encode(x="synthetic:Q", y=y)
            for shape, sign in (("triangle-left", "<"), ("triangle-right", ">"))
        ),
        chart.mark_point(filled=True, color=PALETTE["synthetic"], size=40, opacity=1)
        .transform_filter("datum.synthetic == datum.original")
        .encode(x="synthetic:Q", y=y),
    ]
    if based:
        layers.append(
            chart.mark_tick(color=PALETTE["baseline"], thickness=2.5, height=18)
            .transform_filter("isValid(datum.baseline)")
            .encode(x="baseline:Q", y=y)
        )
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
    return _sized(alt.layer(chart.mark_line(strokeWidth=2), chart.mark_point(filled=True, size=45, opacity=1)), COLUMN)


def boxes(lines: Lines, original: float) -> alt.TopLevelMixin:
    """Return a box for each synthesis, and a line at the mean of the original."""
    chart = _chart(lines)
    y = _rows_axis("synthesis", [line["synthesis"] for line in lines])
    x = alt.X("q5:Q", title="CAP of a person", scale=alt.Scale(domain=[0, 1]))
    line = _chart([{"original": original}])
    layers = [
        line.mark_rule(color=PALETTE["original"], strokeWidth=1.5, strokeDash=[4, 3]).encode(x=alt.X("original:Q")),
        chart.mark_rule(color=PALETTE["synthetic"]).encode(x=x, x2="q95:Q", y=y),
        chart.mark_bar(fill=PALETTE["fill"], stroke=PALETTE["synthetic"], height=14, minBandSize=2).encode(
            x="q25:Q", x2="q75:Q", y=y
        ),
        chart.mark_tick(color=PALETTE["synthetic"], thickness=2.5, height=14).encode(x="q50:Q", y=y),
        chart.mark_point(filled=True, shape="diamond", color=PALETTE["baseline"], size=60, opacity=1).encode(x="mean:Q", y=y),
    ]
    return _sized(alt.layer(*layers), 34 * len(lines))


def shares(lines: Lines, levels: int) -> alt.TopLevelMixin:
    """Return a bar for each level of the original, and a tick for its share in each synthetic file."""
    chart = _chart(lines)
    y = _rows_axis("level", [line["level"] for line in lines])
    x = alt.X("percent:Q", title="percent of the file's records", scale=alt.Scale(domainMin=0))
    layers = [
        chart.transform_filter("datum.file == 'original'")
        .mark_bar(color=PALETTE["original"], opacity=0.35, height=12)
        .encode(x=x, y=y),
        chart.transform_filter("datum.file == 'synthetic'")
        .mark_tick(color=PALETTE["synthetic"], thickness=2, height=16)
        .encode(x=x, y=y),
    ]
    return _sized(alt.layer(*layers), 24 * levels)


def columns(lines: Lines, field: str, title: str) -> alt.TopLevelMixin:
    """Return a column of percent for each line."""
    chart = _chart(lines).encode(
        x=alt.X(f"{field}:N", sort=None, title=title, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("percent:Q", title="percent of people", scale=alt.Scale(domainMin=0)),
    )
    return _sized(chart.mark_bar(color=PALETTE["synthetic"], width={"band": 0.7}), COLUMN)


def number_line(lines: Lines) -> alt.TopLevelMixin:
    """Return a row for each of ``who``, highest first, with a mark for each of its roles."""
    best: dict[str, float] = {}
    for line in lines:
        best[line["who"]] = max(best.get(line["who"], 0.0), line["percent"])
    order = sorted(best, key=lambda who: -best[who])
    chart = _chart(lines)
    y = _rows_axis("who", order)
    x = alt.X("percent:Q", title="percent of people guessed right", scale=alt.Scale(domain=[0, 100]))
    # A ring for the original, so that both can be seen where they coincide.
    marks = (("baseline", "square", 75, True), ("original", "circle", 130, False), ("synthetic", "diamond", 75, True))
    layers = [
        chart.mark_point(filled=filled, shape=shape, color=PALETTE[role], size=size, opacity=1, strokeWidth=0 if filled else 2)
        .transform_filter(f"datum.role == '{role}'")
        .encode(x=x, y=y)
        for role, shape, size, filled in marks
    ]
    return _sized(alt.layer(*layers), 24 * len(order))


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
    styled: alt.TopLevelMixin = (
        chart.configure(font="Helvetica, Arial, sans-serif", background="transparent", padding=_PADDING)
        .configure_view(stroke=None)
        .configure_axis(**text, **axis, labelPadding=6, titlePadding=8)
        .configure_axisX(tickCount=5)
        .configure_axisY(tickCount=5)
        .configure_legend(**text, symbolSize=70)
        .configure_title(anchor="start", color=PALETTE["ink"], fontSize=14)
    )
    return styled


def _bare(chart: Any) -> Any:
    """Return the chart without its own settings, to go into a chart of charts."""
    copy = chart.copy()
    copy.config = alt.Undefined
    copy.autosize = alt.Undefined
    return copy


def _rows_axis(field: str, order: Sequence[str]) -> alt.Y:
    # An expression, as a text with a line break in it would be drawn in one line.
    axis = alt.Axis(labelExpr="split(datum.label, '\\n')", grid=False, labelBaseline="middle")
    return alt.Y(f"{field}:N", sort=list(dict.fromkeys(order)), title=None, axis=axis)
