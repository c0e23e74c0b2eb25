"""Draw rows as marks in Altair charts. All share one style.

In each function, ``lines`` are the rows to draw, as dicts. Its docstring names their fields. A
``title`` is the title of an axis.

Fields are given as ``alt.X("low:Q")``: from plain text Altair makes the same far more slowly.
"""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from sqlrisk.report.html import look  # before Altair: its error says what to install
from sqlrisk.report.html.look import (
    COLUMN,
    FEW,
    LABELS,
    LETTER,
    LETTERS,
    LINE,
    LOW,
    NUMBERS,
    PALETTE,
    SHADES,
    WIDTH,
    Lines,
)

# isort: split
import altair as alt

FAR = 10  # above this value an axis is logarithmic, or values near 1 would overlap
APART = 8  # pixels between an axis and its numbers, so that a point at 0 does not cover one
# widths in pixels of two axes of a slope: one for the range of its values, one from 0 to 100
SLOPED = (136, 34)
# widths in pixels of the two axes of arrows: one for the numbers, one for their differences
ARROWS = (78, 56)
FITS = {2: 46, 1: 37, 0: 20}  # decimals of a number -> minimum width of its square, in pixels
SIDES = ("before", "after")


def _numbers(field: str, title: str, **scale: Any) -> alt.X:
    """Return an axis with few numbers, for a chart with names to its left."""
    return alt.X(f"{field}:Q", title=look.folded(title), axis=FEW, scale=alt.Scale(**scale))


def arrows(
    lines: Lines,
    based: bool,
    title: str = "percent of original records",
    widths: tuple[int, int] = ARROWS,
) -> alt.TopLevelMixin:
    """Return a row for each ``target``. On an axis that begins at 0 it has a hollow bar for
    ``original``, above a bar for ``synthetic``. Next to them, an arrow shows the difference of the
    two in points, on an axis of its own, since most differences are too small for the bars.

    If ``based``, add a tick at the target's ``baseline``, unless that is None. ``widths`` are the
    widths of the two axes in pixels.
    """
    chart = look.rows(lines, "target")
    x = alt.X(
        "original:Q",
        title=look.folded(title, WIDTH - widths[0]),
        axis=alt.Axis(tickCount=round(widths[0] / NUMBERS)),
        scale=alt.Scale(domainMin=0, nice=True),
    )
    bars: list[Any] = [
        chart.mark_bar(
            fill="#ffffff", stroke=PALETTE["original"], strokeWidth=1.5, height=10, yOffset=-7
        ).encode(x=x),
        chart.mark_bar(color=PALETTE["synthetic"], height=11, yOffset=7).encode(
            x=alt.X("synthetic:Q")
        ),
    ]
    if based:
        tick = chart.mark_tick(color=PALETTE["baseline"], opacity=1, thickness=3, height=36)
        bars.append(tick.transform_filter("isValid(datum.baseline)").encode(x=alt.X("baseline:Q")))
    low, high, _ = look.ends([0.0, *(line["synthetic"] - line["original"] for line in lines)])
    # the number of an end near 0 would overlap the 0
    told = [0.0, *(end for end in (low, high) if abs(end) >= 0.4 * (high - low))]
    chart = chart.transform_calculate(change="datum.synthetic - datum.original").encode(
        x=alt.X(
            "change:Q",
            title=look.folded("change, in points", WIDTH - widths[1]),
            axis=alt.Axis(values=told, grid=True, format="~f", labelFlush=False),
            scale=alt.Scale(domain=[low, high], nice=False),
        ),
        y=alt.Y("target:N", sort=None, axis=None),
    )
    heads: dict[str, dict[str, Any]] = {
        "<": {"shape": "triangle-left", "size": 90},
        ">": {"shape": "triangle-right", "size": 90},
        "==": {"size": 50},
    }
    changes = [
        chart.mark_rule(color=PALETTE["original"], strokeWidth=2).encode(
            x=alt.X(datum=0), y=alt.value(0), y2=alt.value("height")
        ),
        chart.mark_rule(color=PALETTE["synthetic"], strokeWidth=2.5).encode(x2=alt.X2(datum=0)),
        *(
            chart.mark_point(**look.POINT, color=PALETTE["synthetic"], **head).transform_filter(
                f"datum.change {sign} 0"
            )
            for sign, head in heads.items()
        ),
    ]
    sides = [
        alt.layer(*layers).properties(width=width, height=look.height(lines, "target", 64) + 8)
        for layers, width in zip((bars, changes), widths, strict=True)
    ]
    return look.styled(alt.hconcat(*sides, spacing=22))


def lines(
    lines: Lines, title: str, order: Sequence[str] | None = None, *, near: bool = False
) -> alt.TopLevelMixin:
    """Return a line with markers for each ``synthesis``: ``value`` (percent) at the evenly spaced
    points ``at``.

    Without an ``order``, the points are sorted and the axis of percent runs from 0 to 100. An
    ``order`` gives the order of the points, and the axis then begins at 0. If ``near``, the axis
    covers only the range of the values.
    """
    by = alt.Undefined if order is None else list(order)
    extent: dict[str, Any] = (
        {"domain": [0, 100]} if order is None else {"domainMin": 0, "nice": True}
    )
    axis: Any = alt.Undefined
    if near:
        ends = look.ends([line["value"] for line in lines])
        extent, axis = {"domain": ends[:2], "nice": False}, look.axis(ends)
    colour, dash, shape = look.series(lines, "synthesis")
    chart = look.chart(lines).encode(
        x=alt.X(
            "at:O",
            title=look.folded(title, NUMBERS),
            scale=alt.Scale(padding=0.1),
            axis=alt.Axis(labelAngle=0, grid=False, labelPadding=10),
            sort=by,
        ),
        y=alt.Y("value:Q", title="percent of people", scale=alt.Scale(**extent), axis=axis),
        color=colour,
    )
    layers = (
        chart.mark_line(strokeWidth=2).encode(strokeDash=dash),
        chart.mark_point(**look.POINT, size=50).encode(shape=shape),
    )
    return look.sized(alt.layer(*layers), LOW)


def trails(lines: Lines, named: str) -> alt.TopLevelMixin:
    """Return a line for each ``synthesis`` through its points. ``x`` is the percent of people
    guessed at, ``y`` the percent of these guesses that are right.

    Points are joined in the order of ``at`` (tau). The last point of the synthesis ``named`` has
    its tau as label, placed away from the last points of other lines.
    """
    ends = [look.ends([line[side] for line in lines]) for side in ("x", "y")]
    scales = [alt.Scale(domain=[low, high], nice=False) for low, high, _ in ends]
    last = [line for line in lines if line["at"] == max(each["at"] for each in lines)]
    surest = next((line for line in last if line["synthesis"] == named), lines[-1])
    near = min(
        (line for line in last if line is not surest),
        key=lambda line: abs(line["x"] - surest["x"]),
        default=surest,
    )
    told = [{**line, "words": f"tau {line['at']:g}" if line is surest else ""} for line in lines]
    colour, dash, shape = look.series(lines, "synthesis")
    chart = look.chart(told).encode(
        x=alt.X(
            "x:Q",
            title="percent of people guessed at",
            scale=scales[0],
            axis=look.axis(ends[0], tickCount=4),
        ),
        y=alt.Y("y:Q", title="percent of guesses right", scale=scales[1], axis=look.axis(ends[1])),
        color=colour,
    )
    layers = (
        chart.mark_line(strokeWidth=1.5).encode(order=alt.Order("at:Q"), strokeDash=dash),
        chart.mark_point(**look.POINT, size=50).encode(shape=shape),
        chart.mark_text(dy=-12 if surest["y"] >= near["y"] else 14, fontSize=LETTERS).encode(
            text=alt.Text("words:N"), color=alt.value(PALETTE["ink"])
        ),
    )
    return look.sized(alt.layer(*layers), COLUMN + 40)


def roc(lines: Lines) -> alt.TopLevelMixin:
    """Return the ROC line of each ``curve``, and the diagonal of chance. ``true`` is the percent of
    people in the synthesis who are called members, ``false`` the percent of people outside it.
    """
    names = list(dict.fromkeys(str(line["curve"]) for line in lines))
    colours = [PALETTE[name] for name, _ in zip(cycle(look.SERIES), names, strict=False)]
    scale = alt.Scale(domain=names, range=colours)
    legend = alt.Legend(orient="bottom", title=None, columns=2) if len(names) > 1 else None
    x = alt.X("false:Q", title="percent of people out", scale=alt.Scale(domain=[0, 100]))
    y = alt.Y("true:Q", title="percent of people in", scale=alt.Scale(domain=[0, 100]))
    chance = look.chart([{"false": end, "true": end} for end in (0, 100)]).encode(x=x, y=y)
    curves = look.chart(lines).encode(
        x=x, y=y, color=alt.Color("curve:N", scale=scale, legend=legend)
    )
    layers = [
        chance.mark_line(color=PALETTE["original"], strokeWidth=1.5, strokeDash=[4, 3]),
        curves.mark_line(strokeWidth=2, order=False),
    ]
    return look.sized(alt.layer(*layers), COLUMN)


def boxes(lines: Lines, original: float) -> alt.TopLevelMixin:
    """Return a box for each synthesis (quartiles ``q25``, ``q50``, ``q75``, whiskers at ``q5`` and
    ``q95``, a diamond at ``mean``), and a line at ``original``, the mean of the original. All
    numbers are from 0 to 1.
    """
    chart, blue = look.rows(lines, "synthesis"), PALETTE["synthetic"]
    x = alt.X("q5:Q", title="CAP of a person", axis=FEW, scale=alt.Scale(domain=[0, 1]))
    line = look.chart([{"original": original}]).mark_rule(
        color=PALETTE["original"], strokeWidth=1.5, strokeDash=[4, 3]
    )
    layers = [
        line.encode(x=alt.X("original:Q")),
        chart.mark_rule(color=blue).encode(x=x, x2=alt.X2("q95:Q")),
        chart.mark_bar(fill=PALETTE["fill"], stroke=blue, height=14, minBandSize=2).encode(
            x=alt.X("q25:Q"), x2=alt.X2("q75:Q")
        ),
        chart.mark_tick(color=blue, thickness=2.5, height=14).encode(x=alt.X("q50:Q")),
        chart.mark_point(**look.POINT, shape="diamond", color=PALETTE["baseline"], size=60).encode(
            x=alt.X("mean:Q")
        ),
    ]
    return look.sized(alt.layer(*layers), look.height(lines, "synthesis", 36))


def shares(lines: Lines) -> alt.TopLevelMixin:
    """Return a row for each ``level``: a bar for its share of the original's records, and a tick
    for its share in each synthetic file.

    ``file`` is original or synthetic, and ``percent`` the share.
    """
    x = _numbers("percent", "percent of the file's records", domainMin=0)
    chart = look.rows(lines, "level").encode(x=x)
    original, synthetic = (
        chart.transform_filter(f"datum.file == '{file}'") for file in ("original", "synthetic")
    )
    bars = original.mark_bar(color=PALETTE["original"], opacity=0.35, height=12)
    return look.sized(
        alt.layer(bars, synthetic.mark_tick(color=PALETTE["synthetic"], thickness=2, height=16)),
        look.height(lines, "level"),
    )


def columns(lines: Lines, field: str, title: str) -> alt.TopLevelMixin:
    """Return a column of ``percent`` for each value of a field."""
    chart = look.chart(lines).encode(
        x=alt.X(
            f"{field}:N", sort=None, title=look.folded(title, NUMBERS), axis=alt.Axis(labelAngle=0)
        ),
        y=alt.Y("percent:Q", title="percent of people", scale=alt.Scale(domainMin=0)),
    )
    return look.sized(chart.mark_bar(color=PALETTE["synthetic"], width={"band": 0.7}), COLUMN)


def beside(lines: Lines, field: str, title: str, base: str) -> alt.TopLevelMixin:
    """Return two columns of ``percent`` side by side for each value of a field. One is of people in
    the synthesis, the other of people outside it (``who``: in or out).

    ``base`` names what the percentages are of, such as people.
    """
    scale = alt.Scale(domain=["in", "out"], range=[PALETTE["synthetic"], PALETTE["original"]])
    chart = look.chart(lines).encode(
        x=alt.X(
            f"{field}:N", sort=None, title=look.folded(title, NUMBERS), axis=alt.Axis(labelAngle=0)
        ),
        xOffset=alt.XOffset("who:N", sort=["in", "out"]),
        y=alt.Y("percent:Q", title=f"percent of {base}", scale=alt.Scale(domainMin=0)),
        color=alt.Color("who:N", scale=scale, legend=alt.Legend(orient="bottom", title=None)),
    )
    return look.sized(chart.mark_bar(), COLUMN)


def number_line(lines: Lines, title: str = "percent of people guessed right") -> alt.TopLevelMixin:
    """Return a row for each ``who``, highest first, with a mark at each ``percent``. The ``role``
    sets the look of the mark (see `look.roles`).
    """
    x = _numbers("percent", title, domain=[0, 100])
    best: dict[str, float] = {}
    for line in lines:
        best[line["who"]] = max(best.get(line["who"], 0.0), line["percent"])
    chart = look.rows(lines, "who", sorted(best, key=lambda who: -best[who])).encode(x=x)
    return look.sized(alt.layer(*look.roles(chart)), look.height(lines, "who"))


def one_line(lines: Lines) -> alt.TopLevelMixin:
    """Return a mark at ``percent`` for each ``who``, all on one line.

    Above each mark is its name and number, higher where it would overlap others. The ``role`` sets
    the look of the mark.
    """
    low, high, step = look.ends([line["percent"] for line in lines])
    texts = {line["who"]: f"{line['who']} {line['percent']:.2f}" for line in lines}
    right = round(LETTER * max(map(len, texts.values()))) + 8
    scale = (WIDTH - look.PADDING["left"] - right) / (high - low)
    placed: list[dict[str, Any]] = []
    # a name is placed above the names of all marks to its right that it would overlap
    for line in sorted(lines, key=lambda line: -line["percent"]):
        end = line["percent"] + (len(texts[line["who"]]) * LETTER + 16) / scale
        level = 1 + max((each["level"] for each in placed if each["percent"] <= end), default=0)
        placed.append({**line, "text": texts[line["who"]], "level": level, "foot": 0})
    levels = max(each["level"] for each in placed)
    x = alt.X(
        "percent:Q",
        title=None,  # the caption names the unit: there is no room beside the names
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=look.axis((low, high, step), tickCount=3),
    )
    y_scale = alt.Scale(domain=[-0.6, levels + 0.5], nice=False)
    y = alt.Y("level:Q", axis=None, scale=y_scale)
    chart = look.chart(placed).encode(x=x)
    layers = [
        chart.mark_rule(color=PALETTE["original"]).encode(y=y, y2=alt.Y2("foot:Q")),
        chart.mark_text(
            align="left", baseline="middle", dx=4, fontSize=LETTERS, color=PALETTE["ink"]
        ).encode(y=y, text=alt.Text("text:N")),
        *look.roles(chart.encode(y=alt.Y("foot:Q", axis=None, scale=y_scale))),
    ]
    # The drawing has the measured width of the names; the padding is for a wider font.
    return look.sized(
        alt.layer(*layers).properties(padding={**look.PADDING, "right": round(right / 4)}),
        LINE * (levels + 1),
    )


def bars(lines: Lines, field: str, title: str) -> alt.TopLevelMixin:
    """Return a bar of ``percent`` for each value of a field."""
    x = _numbers("percent", title, domainMin=0)
    chart = look.rows(lines, field).encode(x=x).mark_bar(color=PALETTE["synthetic"], height=12)
    return look.sized(chart, look.height(lines, field))


def parts(lines: Lines, names: Sequence[str]) -> alt.TopLevelMixin:
    """Return a bar for each ``target`` with two parts, from ``low`` to ``high``. ``names`` are the
    values of ``part``: the first is light, the second dark.
    """
    legend = alt.Legend(
        **look.LEGEND, columns=1, symbolType="square", symbolStrokeColor=PALETTE["synthetic"]
    )
    fill = alt.Scale(domain=list(names), range=[PALETTE["fill"], PALETTE["synthetic"]])
    chart = look.rows(lines, "target").encode(
        x=_numbers("low", "percent of original records", domainMin=0),
        x2=alt.X2("high:Q"),
        fill=alt.Fill("part:N", scale=fill, legend=legend),
    )
    return look.sized(
        chart.mark_bar(height=14, stroke=PALETTE["synthetic"], strokeWidth=1),
        look.height(lines, "target"),
    )


def histogram(lines: Lines, mark: float, name: str, title: str) -> alt.TopLevelMixin:
    """Return a column for each bin (``low`` to ``high``), as high as its number of ``tables``. Add
    a vertical line at ``mark``, labeled with ``name``.
    """
    low = min(mark, *(line["low"] for line in lines))
    high = max(mark, *(line["high"] for line in lines))
    x = alt.X(
        "low:Q",
        bin="binned",
        title=look.folded(title, NUMBERS),
        scale=alt.Scale(domain=[low, high], nice=True, zero=False),
    )
    bins = look.chart(lines).mark_bar(
        color=PALETTE["fill"], stroke=PALETTE["synthetic"], strokeWidth=1, binSpacing=0
    )
    line = look.chart([{"mark": mark, "name": name}]).encode(x=alt.X("mark:Q"))
    left = mark > (low + high) / 2
    side: dict[str, Any] = {"align": "right" if left else "left", "dx": -5 if left else 5}
    layers = (
        bins.encode(
            x=x,
            x2=alt.X2("high:Q"),
            y=alt.Y("tables:Q", title="random tables", axis=alt.Axis(tickMinStep=1)),
        ),
        line.mark_rule(color=PALETTE["baseline"], strokeWidth=2.5, strokeDash=[5, 3]),
        line.mark_text(color=PALETTE["ink"], baseline="bottom", fontSize=LETTERS, **side).encode(
            text=alt.Text("name:N"), y=alt.value(-4)
        ),
    )
    return look.sized(alt.layer(*layers).properties(padding={**look.PADDING, "top": 20}), COLUMN)


def dots(lines: Lines, field: str, title: str, *, powers: bool = True) -> alt.TopLevelMixin:
    """Return a row for each value of a field, with a mark at ``value`` for each ``file``.

    The axis is logarithmic if ``powers``, all values are above 0, and the greatest is over 50 times
    the least.
    """
    values = [line["value"] for line in lines]
    far = powers and min(values) > 0 and max(values) > 50 * min(values)
    colour, _, shape = look.series(lines, "file")
    scale: dict[str, Any] = {"type": "log"} if far else {"domainMin": min(0, *values)}
    x = _numbers("value", title, **scale)
    chart = look.rows(lines, field).encode(x=x, color=colour, shape=shape)
    return look.sized(chart.mark_point(**look.POINT, size=70), look.height(lines, field))


def ranges(lines: Lines, field: str, title: str) -> alt.TopLevelMixin:
    """Return a row for each value of a field: a line from ``min`` to ``max``, a mark at ``mean``,
    and a line at 0.
    """
    chart = look.rows(lines, field)
    x = _numbers("mean", title, zero=True)
    layers = (
        look.chart([{"zero": 0}])
        .mark_rule(color=PALETTE["original"], strokeDash=[4, 3])
        .encode(x=alt.X("zero:Q")),
        chart.mark_rule(color=PALETTE["synthetic"], strokeWidth=2).encode(
            x=alt.X("min:Q"), x2=alt.X2("max:Q")
        ),
        chart.mark_point(**look.POINT, shape="diamond", color=PALETTE["synthetic"], size=80).encode(
            x=x
        ),
    )
    return look.sized(alt.layer(*layers), look.height(lines, field))


def squares(lines: Lines, order: Sequence[str], most: float) -> alt.TopLevelMixin:
    """Return a square for each pair of a file's columns (``row``, ``column``). Its area is
    proportional to ``value``. The value ``most`` fills its place completely.

    ``order`` has the names of all these columns, in the order of the axes. The ``column`` of a pair
    comes before its ``row`` in this order.
    """
    side = max(min((WIDTH - LABELS - 30) // max(len(order) - 1, 1), 34), 8)
    size = alt.Size(
        "value:Q", scale=alt.Scale(domain=[0, most], range=[0, (side - 2) ** 2]), legend=None
    )
    chart = look.chart(lines).encode(
        x=alt.X(
            "column:N",
            sort=list(order[:-1]),
            title=None,
            axis=alt.Axis(labelAngle=-90, grid=True, labelBaseline="middle"),
        ),
        y=alt.Y(
            "row:N",
            sort=list(order[1:]),
            title=None,
            axis=alt.Axis(grid=True, labelBaseline="middle"),
        ),
        size=size,
    )
    return look.sized(
        chart.mark_point(**look.POINT, shape="square", color=PALETTE["synthetic"]),
        side * (len(order) - 1),
    )


def scatter(lines: Lines, x: Sequence[str], y: str) -> alt.TopLevelMixin:
    """Return a point at (``x``, ``y``) for each row, with a color and shape for its ``name``.

    The arguments ``x`` (a list of text lines) and ``y`` are the titles of the axes. If an x is
    above ``FAR``, the x axis is logarithmic, and its title says so.
    """
    names = [str(line["name"]) for line in lines]
    colours = [PALETTE[name] for name in ("original", "synthetic", "baseline", "flag")]
    shapes = ("cross", "circle", "square", "diamond", "triangle-up")
    first = 0 if "original" in names else 1
    places = range(first, first + len(names))
    inks = alt.Scale(domain=names, range=[colours[place % len(colours)] for place in places])
    forms = alt.Scale(domain=names, range=[shapes[place % len(shapes)] for place in places])
    narrow = max(map(len, names)) <= look.NARROW
    legend = alt.Legend(orient="bottom", title=None, columns=2 if narrow else 1)
    most = max(line["x"] for line in lines)
    bent = most > FAR
    ticks = (
        [0, *(10**power for power in range(20) if 10**power <= 2 * most)] if bent else alt.Undefined
    )
    across = alt.Scale(type="symlog", constant=1) if bent else alt.Scale(zero=True, nice=True)
    chart = look.chart(lines).encode(
        x=alt.X(
            "x:Q",
            title=[*x, *(["logarithmic"] if bent else [])],
            scale=across,
            axis=alt.Axis(values=ticks, offset=APART),
        ),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=True, nice=True), axis=alt.Axis(offset=APART)),
        color=alt.Color("name:N", scale=inks, legend=legend),
        shape=alt.Shape("name:N", scale=forms, legend=legend),
    )
    return look.sized(chart.mark_point(filled=True, opacity=0.8, size=80), COLUMN)


def slope(lines: Lines, baseline: float | None) -> alt.TopLevelMixin:
    """Return a line from the original to each synthetic file (``name``), on an axis that covers
    only the range of the values. Next to it, the same lines are on a narrow axis from 0 to 100.

    Each file has two rows with a ``value`` (percent), one for each ``side``: original and
    synthetic. ``baseline`` is drawn as a broken line, unless it is None.
    """
    values = [line["value"] for line in lines] + ([] if baseline is None else [baseline])
    wide = _slope(lines, baseline, (look.ends(values), SLOPED[0]), title="percent of people")
    narrow = _slope(lines, baseline, ((0, 100, 50), SLOPED[1]), title=None)
    return look.styled(alt.hconcat(wide, narrow, spacing=14))


def _slope(
    lines: Lines,
    baseline: float | None,
    drawn: tuple[tuple[float, float, float], int],
    title: str | None,
) -> Any:
    ends, width = drawn
    scale = alt.Scale(domain=ends[:2], nice=False)
    sides = alt.Axis(labelAngle=0, grid=False, labels=title is not None)
    y = alt.Y("value:Q", title=title, scale=scale, axis=look.axis(ends))
    chart = look.chart(lines).encode(
        x=alt.X("side:N", sort=None, title=None, axis=sides, scale=alt.Scale(padding=0.5)), y=y
    )
    ring, mark = (chart.transform_filter(f"datum.side {sign} 'original'") for sign in ("==", "!="))
    layers = [
        chart.mark_line(color=PALETTE["synthetic"], strokeWidth=2).encode(
            detail=alt.Detail("name:N")
        ),
        mark.mark_point(**look.POINT, shape="diamond", color=PALETTE["synthetic"], size=70),
        ring.mark_point(
            **look.POINT, fill="#ffffff", stroke=PALETTE["original"], strokeWidth=2, size=70
        ),
    ]
    if baseline is not None:
        rule = look.chart([{"value": baseline}]).mark_rule(
            color=PALETTE["baseline"], strokeWidth=2, strokeDash=[5, 3]
        )
        layers.insert(0, rule.encode(y=y))
    return alt.layer(*layers).properties(width=width, height=COLUMN - 40)


def heat(lines: Lines, field: str, places: Sequence[str], title: str = "") -> alt.TopLevelMixin:
    """Return a heat map: a row for each value of a field, a column for each of ``places``, and a
    square for each line at its ``place``, bluer for a higher ``value``.

    If there is room, the number is written in its square. A line with ``words``, such as <1.41, has
    these words instead.
    """
    values = [line["value"] for line in lines]
    low, high = min(0, *values), max(0, *values)
    step = (high - low) / len(SHADES) or 1
    width = (WIDTH - LABELS - 24) // len(places)
    digits = next((digits for digits in (2, 1, 0) if width >= FITS[digits]), None)
    told = [
        {
            **line,
            "shade": min(int((line["value"] - low) / step), len(SHADES) - 1),
            "text": _in_square(line, digits),
        }
        for line in lines
    ]
    level = max(map(len, places)) * LETTER <= width
    axis = alt.Axis(
        orient="top", labelAngle=0 if level else -90, labelBaseline="middle", grid=False
    )
    chart = look.rows(told, field).encode(
        x=alt.X("place:N", sort=list(places), title=title or None, axis=axis)
    )
    fill = alt.Fill(
        "shade:O", legend=None, scale=alt.Scale(domain=[*range(len(SHADES))], range=SHADES)
    )
    layers = (
        chart.mark_rect(stroke=PALETTE["grid"], strokeWidth=1).encode(fill=fill),
        chart.mark_text(color=PALETTE["ink"], fontSize=LETTERS, baseline="middle").encode(
            text=alt.Text("text:N")
        ),
    )
    return look.sized(alt.layer(*layers), look.height(lines, field, 30))


def _in_square(line: Mapping[str, Any], digits: int | None) -> str:
    words: str | None = line.get("words")
    if digits is None or (words and digits < max(FITS)):  # words are never shortened
        return ""
    return words or f"{line['value']:.{digits}f}"


def lattice(points: Lines, steps: Lines, best: Lines, title: str) -> alt.TopLevelMixin:
    """Return a point for each subset of the keys, at its ``size`` (number of keys) and ``value``.
    ``title`` names the value.

    ``steps`` are thin lines to the subsets with one key more: from ``size`` and ``value`` to
    ``more`` and ``then``. ``best`` has the highest value of each size, joined by a thick line. If
    there are too many subsets to draw each, ``points`` has the ``low`` and ``high`` of each size
    instead.
    """
    sizes = [str(line["size"]) for line in best]
    ends = look.ends(
        [line["value"] for line in (*points, *best) if "value" in line]
        + [line["low"] for line in points if "low" in line]
    )
    x = alt.X(
        "size:O",
        title="keys known",
        sort=sizes,
        axis=alt.Axis(labelAngle=0, grid=False),
        scale=alt.Scale(padding=0.1),
    )
    y = alt.Y(
        "value:Q", title=title, scale=alt.Scale(domain=ends[:2], nice=False), axis=look.axis(ends)
    )
    layers: list[Any] = []
    if steps:
        joined = look.chart(steps).mark_rule(color=PALETTE["grid"], strokeWidth=1)
        layers.append(joined.encode(x=x, x2=alt.X2("more:O"), y=y, y2=alt.Y2("then:Q")))
    if any("low" in line for line in points):
        span = look.chart(points).mark_rule(color=PALETTE["original"], strokeWidth=2)
        layers.append(span.encode(x=x, y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q")))
    else:
        layers.append(
            look.chart(points)
            .mark_point(**look.POINT, color=PALETTE["original"], size=22)
            .encode(x=x, y=y)
        )
    chart = look.chart(best).encode(x=x, y=y)
    layers += [
        chart.mark_line(color=PALETTE["synthetic"], strokeWidth=2),
        chart.mark_point(**look.POINT, color=PALETTE["synthetic"], shape="diamond", size=80),
    ]
    return look.sized(alt.layer(*layers), COLUMN + 20)


def dumbbells(lines: Lines) -> alt.TopLevelMixin:
    """Return a row for each ``name``: a ring at ``before``, joined to a mark at ``after``, in
    percent. The axis covers only these numbers. The ``role`` (worse, better or changed) sets the
    look of the mark. With another role there is only the ring.
    """
    ends = look.ends([line[side] for line in lines for side in SIDES])
    chart = look.rows(lines, "name")
    x = alt.X(
        "before:Q",
        title="percent",
        axis=look.axis(ends, labelOverlap="parity", labelSeparation=APART),
        scale=alt.Scale(domain=ends[:2], nice=False, padding=APART),
    )
    inks = {
        "worse": ("flag", "triangle-up"),
        "better": ("synthetic", "diamond"),
        "changed": ("baseline", "square"),
    }
    # open, and below the mark: if both are in one place, both are seen
    layers: list[Any] = [
        chart.mark_point(
            filled=False, opacity=1, color=PALETTE["original"], strokeWidth=2, size=150
        ).encode(x=x)
    ]
    for role, (ink, shape) in inks.items():
        own = chart.transform_filter(f"datum.role == '{role}'")
        if any(line["role"] == role for line in lines):
            layers += [
                own.mark_rule(color=PALETTE[ink], strokeWidth=2).encode(x=x, x2=alt.X2("after:Q")),
                own.mark_point(**look.POINT, color=PALETTE[ink], shape=shape, size=70).encode(
                    x=alt.X("after:Q")
                ),
            ]
    return look.sized(alt.layer(*layers), look.height(lines, "name"))


def bullets(lines: Lines) -> alt.TopLevelMixin:
    """Return a row for each ``rule``: a tick at 100 for the limit, shading below it, and a mark at
    ``part``, the rule's number in percent of its limit.

    The ``role`` (pass, review or fail) sets the color and shape of the mark.
    """
    chart = look.rows(lines, "rule")
    x = alt.X(
        "part:Q",
        title=look.folded("percent of the limit"),
        axis=alt.Axis(values=[0, 100, 200], grid=False),
        scale=alt.Scale(domain=[0, max(120, *(line["part"] for line in lines))]),
    )
    limit = alt.X(datum=100)
    layers: list[Any] = [
        chart.mark_bar(color=PALETTE["fill"], height=22).encode(
            x=alt.X(datum=0), x2=alt.X2(datum=100)
        ),
        chart.mark_tick(color=PALETTE["original"], thickness=2.5, height=30).encode(x=limit),
    ]
    inks = {
        "pass": ("synthetic", "diamond"),
        "review": ("baseline", "square"),
        "fail": ("flag", "triangle-up"),
    }
    for role, (ink, shape) in inks.items():
        own = chart.mark_point(**look.POINT, color=PALETTE[ink], shape=shape, size=110)
        layers.append(own.transform_filter(f"datum.role == '{role}'").encode(x=x))
    return look.sized(alt.layer(*layers), look.height(lines, "rule"))


def levels(lines: Lines, title: str) -> alt.TopLevelMixin:
    """Return a row for each ``who``, in the given order, with a mark at each ``percent``. The
    ``role`` sets the look of the mark (see `look.roles`).
    """
    chart = look.rows(lines, "who").encode(x=_numbers("percent", title, domainMin=0, nice=True))
    return look.sized(alt.layer(*look.roles(chart)), look.height(lines, "who"))


def paired(lines: Lines) -> alt.TopLevelMixin:
    """Return a row for each ``who``: a mark at ``percent`` in the color of its ``role``, and a line
    from ``low`` to ``high``. The axis covers only these numbers.
    """
    ends = look.ends([line[side] for line in lines for side in ("low", "high", "percent")])
    scale = alt.Scale(domain=ends[:2], nice=False)
    axis = look.axis(ends, labelOverlap="parity", labelSeparation=30)
    chart = look.rows(lines, "who")
    inks = {role: PALETTE[role] for role in ("synthetic", "baseline")}
    colour = alt.Color(
        "role:N", legend=None, scale=alt.Scale(domain=[*inks], range=[*inks.values()])
    )
    reach = chart.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, scale=scale, axis=axis), x2=alt.X2("high:Q"), color=colour
    )
    points = chart.encode(x=alt.X("percent:Q", title=None, scale=scale, axis=axis))
    return look.sized(alt.layer(reach, *look.roles(points)), look.height(lines, "who"))


def profile(lines: Lines, title: str) -> alt.TopLevelMixin:
    """Return a line of ``value`` (percent) for each ``synthesis`` over the numbers ``at``."""
    colour, _, _ = look.series(lines, "synthesis")
    dash = alt.StrokeDash(
        "synthesis:N", sort=None, legend=None, scale=alt.Scale(range=[[1, 0], [5, 3]])
    )
    chart = look.chart(lines).encode(
        x=alt.X("at:Q", title=look.folded(title, NUMBERS), scale=alt.Scale(zero=False, nice=True)),
        y=alt.Y("value:Q", title="percent of people", scale=alt.Scale(domainMin=0, nice=True)),
        color=colour,
    )
    return look.sized(chart.mark_line(strokeWidth=2).encode(strokeDash=dash), COLUMN)
