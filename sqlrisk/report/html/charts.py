"""The figures of a report: from its rows to charts of Altair, one function a figure.

A chart is native to notebooks (``Report.plot``) and drawn as SVG for the HTML page. It is as wide as a phone, so that a page
shows two beside each other, or one, and never has to shrink its text. Colours are those of ``PALETTE``: a style sheet can
replace each by the colour of the same name, for a dark screen.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.report.sections.report_sections import amount, label_name, left_out, pooled, representatives, shown

if TYPE_CHECKING:
    import altair as alt

    from sqlrisk.report.report import Report
    from sqlrisk.report.results.attacks import Attacks


Row = Mapping[str, Any]

NEEDED = "The figures of an HTML report need Altair and vl-convert: pip install 'sqlrisk[report]'."
WIDTH = 336  # of a whole figure, in pixels: what a phone shows beside its margins
LABELS = 128  # the widest label of an axis
STEP = 34  # the height of a row
DRAWN = 12  # levels, attackers and the like that a figure shows; the tables hold all

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
ARROWS = (("Dorig", "DiSCO", False), ("CAPd", "DCAP", True))  # original, synthetic, and whether there is a baseline


@dataclass(frozen=True)
class Figure:
    """A chart, its title, the sentence below it, and what it shows in words for somebody who cannot see it."""

    name: str
    title: str
    caption: str
    words: str
    chart: "alt.TopLevelMixin"


def figures(report: "Report", attacks: "Attacks | None" = None) -> list[Figure]:
    """Return every figure that the report has rows for, in the order of the page.

    Raises InputError where the plotting library is not installed.
    """
    require()
    found = [figure for draw in FIGURES.values() for figure in draw(report)]
    return found + (list(_attackers(attacks)) if attacks is not None else [])


def plot(report: "Report", name: str | None = None) -> "alt.TopLevelMixin":
    """Return the chart of one figure, titled; of several of a name (a chart for each target) one below the other.

    Raises InputError for a figure that is none, or that the report has no rows for.
    """
    require()
    import altair as alt

    name = next(iter(FIGURES)) if name is None else name
    if name not in FIGURES:
        raise InputError(f"There is no figure {name!r}{suggestion(name, FIGURES)}; there are {', '.join(FIGURES)}.")
    drawn = [figure.chart.properties(title=alt.Title(figure.title)) for figure in FIGURES[name](report)]
    if not drawn:
        raise InputError(f"This report has no rows for the figure {name!r}: {WANTS[name]}.")
    return drawn[0] if len(drawn) == 1 else _styled(alt.vconcat(*(_bare(chart) for chart in drawn)))


def svg(figure: Figure) -> str:
    """Return the figure as an SVG element; its ids are its own, so that several fit on one page."""
    import vl_convert

    # Its parts were checked when it was made; to check the whole again takes as long as to draw it.
    text: str = vl_convert.vegalite_to_svg(figure.chart.to_dict(validate=False))
    own = re.sub(r"\W+", "-", figure.name)
    text = re.sub(r'id="([^"]+)"', rf'id="{own}-\1"', text)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", text)


def require() -> None:
    """Raise InputError where a library that figures need is not installed."""
    try:
        import altair as alt  # noqa: F401
        import vl_convert  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(NEEDED) from None


def _arrows(report: "Report") -> Iterable[Figure]:
    """How far the synthesis moves a measure, target by target (Raab 2024, figures 1 to 3)."""
    flagged = flags(report)
    for before, after, whole in ARROWS:
        base = base_of(report) if whole else None
        rows = _plain(report, (before, after, base))
        for label in representatives((str(row["synthesis"]) for row in rows), "mean"):
            values = {(row["measure"], row["target"]): row["value"] for row in rows if row["synthesis"] == label}
            targets = [t for m, t in values if m == after and values[m, t] is not None and values.get((before, t)) is not None]
            if not targets:
                continue
            targets.sort(key=lambda target: -values[after, target])
            lines = [
                {
                    "target": _label(target, values[before, target], values[after, target], flagged.get(target)),
                    "original": values[before, target],
                    "synthetic": values[after, target],
                    "baseline": values.get((base, target)),
                }
                for target in targets
            ]
            whom = _whom(label)
            yield Figure(
                name=f"arrows {before} {label}",
                title=f"{before} to {after}{whom}",
                caption=(
                    f"Percent of original records. Circle: {before}, what the original itself would reveal. Arrow: {after}, what "
                    f"the synthetic file reveals{', over the syntheses' if label.endswith('mean') else ''}."
                    + (f" Line: {base}, a guess from the target's shares." if base else "")
                    + (" Marked: see the one-way and two-way checks." if any(flagged.get(t) for t in targets) else "")
                ),
                words="; ".join(
                    f"{shown(t)}: original {_percent(values[before, t])}, synthetic {_percent(values[after, t])}"
                    + (f", baseline {_percent(values.get((base, t)))}" if base else "")
                    + (f", flagged {flagged[t]}" if flagged.get(t) else "")
                    for t in targets
                ),
                chart=_arrow_chart(lines, base is not None),
            )


def _arrow_chart(lines: list[dict[str, Any]], based: bool) -> "alt.TopLevelMixin":
    import altair as alt

    chart = alt.Chart(alt.Data(values=lines))
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
    return _styled(alt.layer(*layers).properties(width=WIDTH, height=_height(len(lines), 52), autosize=_FIT))


def _curves(report: "Report") -> Iterable[Figure]:
    """Correct attribution by the share of synthetic records that a guess must have behind it."""
    rows = [row for row in _rows(report) if row["measure"] == "CAP_at_least" and row["value"] is not None]
    labels = representatives((str(row["synthesis"]) for row in rows), "mean")
    for target in _targets(rows):
        own = [row for row in rows if row["target"] == target and row["synthesis"] in labels]
        lines = [{"at": row["at"], "value": row["value"], "synthesis": _synthesis(row["synthesis"])} for row in own]
        yield Figure(
            name=f"curves {target}",
            title=shown(target),
            caption="",
            words=f"CAP_at_least of {shown(target)}: "
            + "; ".join(f"{_percent(row['value'])} at {row['at']}" for row in own if row["synthesis"] == labels[0]),
            chart=_lines(lines, "least share (tau)"),
        )


def _pools(report: "Report") -> Iterable[Figure]:
    """DiSCO and DCAP by the number of syntheses that an intruder pools."""
    rows = [row for row in _plain(report, ("DiSCO", "DCAP")) if row["value"] is not None]
    for target in _targets(rows):
        lines = [
            {"at": held, "value": row["value"], "synthesis": f"{row['measure']} {label_name(str(row['synthesis']))}".strip()}
            for row in rows
            if row["target"] == target and (held := _held(report, str(row["synthesis"])))
        ]
        if len({line["at"] for line in lines}) > 1:
            yield Figure(
                name=f"pools {target}",
                title=shown(target),
                caption="",
                words=f"{shown(target)}, by syntheses pooled: "
                + "; ".join(f"{line['synthesis']} of {line['at']}: {_percent(line['value'])}" for line in lines),
                chart=_lines(lines, "syntheses pooled"),
            )


def _lines(lines: list[dict[str, Any]], title: str) -> "alt.TopLevelMixin":
    """A line of points for each of ``synthesis``, in colours and dashes of their own, told below. Points stand evenly apart."""
    import altair as alt

    names = list(dict.fromkeys(str(line["synthesis"]) for line in lines))
    colours = [PALETTE[name] for name in ("synthetic", "baseline", "original", "flag")]
    scale = alt.Scale(domain=names, range=[colours[place % len(colours)] for place in range(len(names))])
    dashes = alt.Scale(domain=names, range=[[1, 0] if place < len(colours) else [4, 3] for place in range(len(names))])
    legend = alt.Legend(orient="bottom", title=None, columns=2) if len(names) > 1 else None
    chart = alt.Chart(alt.Data(values=lines)).encode(
        x=alt.X("at:O", title=title, scale=alt.Scale(padding=0.1), axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("value:Q", title="percent of people", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color("synthesis:N", scale=scale, legend=legend),
        strokeDash=alt.StrokeDash("synthesis:N", scale=dashes, legend=None),
    )
    marks = alt.layer(chart.mark_line(strokeWidth=2), chart.mark_point(filled=True, size=45, opacity=1))
    return _styled(marks.properties(width=WIDTH, height=190, autosize=_FIT))


def _persons(report: "Report") -> Iterable[Figure]:
    """CAP person by person: a box for each synthesis (Baillargeon & Charest 2020, figure 1)."""
    rows: list[Row] = [
        row
        for row in report.distributions
        if row["population"] == "all" and row["people"] == "original" and not row["weighted"] and row["mean"] is not None
    ]
    for target in _targets(rows):
        own = [row for row in rows if row["target"] == target]
        original = next(row for row in own if row["of"] == "cap_original")
        drawn: list[Any] = sorted((row for row in own if row["of"] == "cap_synthetic"), key=lambda row: -float(row["mean"]))
        drawn = [row for row in drawn if not pooled(str(row["synthesis"]))] or drawn
        lines = [{"synthesis": _synthesis(row["synthesis"]), "mean": row["mean"], **_quantiles(row)} for row in drawn]
        yield Figure(
            name=f"persons {target}",
            title=shown(target),
            caption="",
            words=f"CAP of {shown(target)} person by person, mean of the original {original['mean']:.2f}; "
            + "; ".join(
                f"{line['synthesis']}: mean {line['mean']:.2f}, half of the people from {line['q25']:.2f} to {line['q75']:.2f}"
                for line in lines
            ),
            chart=_box_chart(lines, original["mean"]),
        )


def _box_chart(lines: list[dict[str, Any]], original: float) -> "alt.TopLevelMixin":
    import altair as alt

    chart = alt.Chart(alt.Data(values=lines))
    y = _rows_axis("synthesis", [line["synthesis"] for line in lines])
    x = alt.X("q5:Q", title="CAP of a person", scale=alt.Scale(domain=[0, 1]))
    line = alt.Chart(alt.Data(values=[{"original": original}]))
    layers = [
        line.mark_rule(color=PALETTE["original"], strokeWidth=1.5, strokeDash=[4, 3]).encode(x=alt.X("original:Q")),
        chart.mark_rule(color=PALETTE["synthetic"]).encode(x=x, x2="q95:Q", y=y),
        chart.mark_bar(fill=PALETTE["fill"], stroke=PALETTE["synthetic"], height=14, minBandSize=2).encode(
            x="q25:Q", x2="q75:Q", y=y
        ),
        chart.mark_tick(color=PALETTE["synthetic"], thickness=2.5, height=14).encode(x="q50:Q", y=y),
        chart.mark_point(filled=True, shape="diamond", color=PALETTE["baseline"], size=60, opacity=1).encode(x="mean:Q", y=y),
    ]
    return _styled(alt.layer(*layers).properties(width=WIDTH, height=_height(len(lines)), autosize=_FIT))


def _shares(report: "Report") -> Iterable[Figure]:
    """The most frequent levels of each target, in every file."""
    for target in _targets(report.shares):
        rows = [row for row in report.shares if row["target"] == target]
        files = list(dict.fromkeys(str(row["file"]) for row in rows))
        levels = list(dict.fromkeys(row["level"] for row in rows))
        lines = [
            {
                "level": _level(row),
                "file": "original" if row["file"] == "original" else "synthetic",
                "named": str(row["file"]),
                "percent": row["percent"],
            }
            for row in rows
        ]
        yield Figure(
            name=f"shares {target}",
            title=shown(target),
            caption="",
            words=f"Shares of the levels of {shown(target)}: "
            + "; ".join(
                f"{_level(row)}: {_percent(row['percent'])} of {row['file']}"
                for row in rows
                if row["file"] in (files[0], files[1])
            ),
            chart=_share_chart(lines, len(levels)),
        )


def _share_chart(lines: list[dict[str, Any]], levels: int) -> "alt.TopLevelMixin":
    import altair as alt

    chart = alt.Chart(alt.Data(values=lines))
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
    return _styled(alt.layer(*layers).properties(width=WIDTH, height=_height(levels, 24), autosize=_FIT))


def _sizes(report: "Report") -> Iterable[Figure]:
    """How many people share their keys with how many others."""
    rows = [row for row in _rows(report) if row["measure"] == "class_size"]
    own = [row for row in rows if row["synthesis"] == rows[0]["synthesis"]]  # of the original, so the same for each synthesis
    spans = [_span(row["at"], following["at"] if following else None) for row, following in zip_longest(own, own[1:])]
    lines = [{"size": span, "percent": row["value"]} for span, row in zip(spans, own, strict=True) if row["value"] is not None]
    if lines:
        yield _columns("sizes", "People by the size of their class", "size", "people who share all keys", lines)


def _radii(report: "Report") -> Iterable[Figure]:
    """In how many keys the nearest synthetic records differ from a person."""
    rows = [row for row in _rows(report) if row["measure"] == "records_by_radius" and row["value"] is not None]
    for label in representatives((str(row["synthesis"]) for row in rows), "mean"):
        own = [row for row in rows if row["synthesis"] == label and row["target"] == rows[0]["target"]]  # the same for each
        lines = [{"radius": f"{row['at']:g}", "percent": row["value"]} for row in own]
        title = f"People by how far the nearest records are{_whom(label)}"
        yield _columns(f"radii {label}", title, "radius", "keys in which the nearest synthetic records differ", lines)


def _span(low: float, following: float | None) -> str:
    if following is None:
        return f"{low:g} or more"
    return f"{low:g}" if following == low + 1 else f"{low:g} to {following - 1:g}"


def _columns(name: str, title: str, at: str, said: str, lines: list[dict[str, Any]]) -> Figure:
    import altair as alt

    chart = alt.Chart(alt.Data(values=lines)).encode(
        x=alt.X(f"{at}:N", sort=None, title=said, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("percent:Q", title="percent of people", scale=alt.Scale(domainMin=0)),
    )
    marks = chart.mark_bar(color=PALETTE["synthetic"], width={"band": 0.7}).properties(width=WIDTH, height=190, autosize=_FIT)
    words = "; ".join(f"{line[at]}: {_percent(line['percent'])}" for line in lines)
    return Figure(name, title, "", f"{title}. {said}: {words}", _styled(marks))


def _accuracies(report: "Report") -> Iterable[Figure]:
    """A number line of guessing: what each way of guessing gets right, between the baseline and the original."""
    named = {
        "baseCAPd": "original shares",
        "accuracy_marginal": "synthetic shares",
        "accuracy_uniform": "any level",
        "accuracy_mode_orig": "original mode",
        "accuracy_mode": "synthetic mode",
        "DCAP": "DCAP",
        "accuracy_0CAP": "0CAP",
        "accuracy_ICAP": "ICAP",
        "accuracy_GCAP": "GCAP",
        "CAPd": "the original itself",
    }
    rows = [row for row in _plain(report, tuple(named)) if row["value"] is not None]
    if not any(str(row["measure"]).startswith("accuracy_") for row in rows):
        return
    for label in representatives((str(row["synthesis"]) for row in rows), "mean"):
        for target in _targets(rows):
            own = [row for row in rows if row["target"] == target and row["synthesis"] == label]
            lines = [{"who": named[row["measure"]], "percent": row["value"], "role": _role(row["measure"])} for row in own]
            yield _number_line(f"accuracies {target} {label}", f"{shown(target)}{_whom(label)}", lines)


def _role(measure: str) -> str:
    return {"CAPd": "original", "baseCAPd": "baseline", "accuracy_mode_orig": "baseline"}.get(measure, "synthetic")


def _attackers(attacks: "Attacks") -> Iterable[Figure]:
    """A number line for each target: how often each attacker is right (as in Hittmeir et al. 2020)."""
    for target in _targets(attacks.rows):
        lines = [
            {"who": str(row["attacker"]), "percent": row["accuracy"], "role": _trained(row)}
            for row in attacks.rows
            if row["target"] == target and row["people"] == "original" and row["trained_on"] != "control"
        ]
        yield _number_line(f"attackers {target}", shown(target), [line for line in lines if line["percent"] is not None])


def _trained(row: Row) -> str:
    """What an attacker knows: the shares alone, the original, a synthetic file."""
    return "baseline" if row["kind"] == "baseline" else "original" if row["trained_on"] == "original" else "synthetic"


def _number_line(name: str, title: str, lines: list[dict[str, Any]]) -> Figure:
    import altair as alt

    best: dict[str, float] = {}
    for line in lines:
        best[line["who"]] = max(best.get(line["who"], 0.0), line["percent"])
    order = sorted(best, key=lambda who: -best[who])
    chart = alt.Chart(alt.Data(values=lines))
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
    words = "; ".join(f"{line['who']} ({line['role']}): {_percent(line['percent'])}" for line in lines)
    chart = alt.layer(*layers).properties(width=WIDTH, height=_height(len(order), 24), autosize=_FIT)
    return Figure(name, title, "", f"{title}. {words}", _styled(chart))


FIGURES: dict[str, Callable[["Report"], Iterable[Figure]]] = {
    "arrows": _arrows,
    "curves": _curves,
    "pools": _pools,
    "accuracies": _accuracies,
    "persons": _persons,
    "shares": _shares,
    "sizes": _sizes,
    "radii": _radii,
}
WANTS = {
    "arrows": "it shows Dorig and DiSCO, CAPd and DCAP",
    "curves": "it shows CAP_at_least",
    "pools": "it needs two syntheses or more, and DiSCO or DCAP",
    "accuracies": "it needs measures of the family neighbours",
    "persons": "ask for distributions",
    "shares": "ask for distributions",
    "sizes": "it needs the measure class_size",
    "radii": "it needs the measure records_by_radius",
}

_FIT = {"type": "fit-x", "contains": "padding"}
_PADDING = {"left": 16, "right": 6, "top": 4, "bottom": 2}  # to the left, room for a font wider than the one that was measured


def _styled(chart: Any) -> "alt.TopLevelMixin":
    """The look of every figure: no frame, a quiet grid, text large enough to read."""
    text = {"labelColor": PALETTE["ink"], "labelFontSize": 12, "titleColor": PALETTE["quiet"], "titleFontSize": 12}
    axis = {
        **text,
        "titleFontWeight": "normal",
        "domain": False,
        "ticks": False,
        "gridColor": PALETTE["grid"],
        "labelLimit": LABELS,
    }
    styled: alt.TopLevelMixin = (
        chart.configure(font="Helvetica, Arial, sans-serif", background="transparent", padding=_PADDING)
        .configure_view(stroke=None)
        .configure_axis(**axis, labelPadding=6, titlePadding=8)
        .configure_axisX(tickCount=5)
        .configure_axisY(tickCount=5)
        .configure_legend(**{**text, "labelFontSize": 12}, symbolSize=70)
        .configure_title(anchor="start", color=PALETTE["ink"], fontSize=14)
    )
    return styled


def _bare(chart: Any) -> Any:
    """The chart without its own settings, to go into a chart of charts."""
    import altair as alt

    copy = chart.copy()
    copy.config = alt.Undefined
    copy.autosize = alt.Undefined
    return copy


def _rows_axis(field: str, order: Sequence[str]) -> "alt.Y":
    import altair as alt

    # An expression, as a text with a line break in it would be drawn in one line.
    axis = alt.Axis(labelExpr="split(datum.label, '\\n')", grid=False, labelBaseline="middle")
    return alt.Y(f"{field}:N", sort=list(dict.fromkeys(order)), title=None, axis=axis)


def _height(rows: int, step: int = STEP) -> int:
    return rows * step + 8


def _rows(report: "Report") -> list[Row]:
    """The rows of everybody in the original, counted."""
    found = [row for row in report.results if row["people"] == "original" and not row["weighted"]]
    return [row for row in found if row["population"] == "all"]


def _plain(report: "Report", measures: Sequence[str | None]) -> list[Row]:
    return [row for row in _rows(report) if row["measure"] in measures and row["at"] is None]


def _targets(rows: Iterable[Row]) -> list[Any]:
    return list(dict.fromkeys(row["target"] for row in rows))


def base_of(report: "Report") -> str:
    """Return the baseline to compare with: that over the people who are counted, where not all are."""
    return "baseCAPd_counted" if any(left_out(report.scenario)) else "baseCAPd"


def flags(report: "Report") -> dict[Any, str]:
    """Return which checks flag a target: ``one-way``, ``two-way``, or both."""
    found: dict[Any, str] = {}
    for check, word in (("one_way", "one-way"), ("two_way", "two-way")):
        for target in _targets(report.checks.get(check, [])):
            found[target] = f"{found[target]}, {word}" if target in found else word
    return found


def _held(report: "Report", label: str) -> int:
    """How many syntheses an intruder holds who pools those of a label; 0 for mean, min, max and all but the first."""
    last = label.rpartition(" ")[2]
    if pooled(label):
        return int(last.rpartition("-")[2])
    return 1 if last == "1" and len(report.synthetic) > 1 else 0


def _synthesis(label: object) -> str:
    text = shown(label)
    return f"synthesis {text}" if text.isdecimal() else text


def _whom(label: str) -> str:
    """What a title adds where the files have names or are several."""
    return "" if label == "1" else f", {shown(label)}"


def _label(target: object, original: float, synthetic: float, flag: str | None) -> str:
    numbers = f"{amount(original, 'percent')} → {amount(synthetic, 'percent')}"
    return "\n".join([shown(target), numbers, *([flag] if flag else [])])


def _level(row: Row) -> str:
    return "all others" if row["rest"] else shown(row["level"])


def _quantiles(row: Row) -> dict[str, Any]:
    return {f"q{each['percent']}": each["value"] for each in row["quantiles"]}


def _percent(value: object) -> str:
    return f"{amount(value, 'percent')} %"
