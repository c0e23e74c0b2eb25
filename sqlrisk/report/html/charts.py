"""The figures of a report: from its rows to charts, one function a figure; `marks` draws them.

A chart is native to notebooks (``Report.plot``) and drawn as SVG for the HTML page.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.html import marks
from sqlrisk.report.html.marks import Figure
from sqlrisk.report.html.summary import flags
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.wording import (
    Row,
    amount,
    base_of,
    distinct,
    label_name,
    means,
    percent,
    pooled,
    shown,
    split,
    synthesis_name,
)

ARROWS = (("Dorig", "DiSCO", False), ("CAPd", "DCAP", True))  # original, synthetic, and whether there is a baseline

# The ways of guessing on one line: measure -> what it guesses from, and what is known for that.
GUESSES = {
    "baseCAPd": ("original shares", "baseline"),
    "accuracy_marginal": ("synthetic shares", "synthetic"),
    "accuracy_uniform": ("any level", "synthetic"),
    "accuracy_mode_orig": ("original mode", "baseline"),
    "accuracy_mode": ("synthetic mode", "synthetic"),
    "DCAP": ("DCAP", "synthetic"),
    "accuracy_0CAP": ("0CAP", "synthetic"),
    "accuracy_ICAP": ("ICAP", "synthetic"),
    "accuracy_GCAP": ("GCAP", "synthetic"),
    "CAPd": ("the original itself", "original"),
}


def figures(report: Findings, attacks: Attacks | None = None) -> list[Figure]:
    """Return every figure that the report has rows for, in the order of the page."""
    found = [figure for draw, _ in FIGURES.values() for figure in draw(report)]
    return found + (list(_attackers(attacks)) if attacks is not None else [])


def plot(report: Findings, name: str | None = None) -> Any:
    """Return the chart of one figure, titled; of several of a name (a chart for each target) one below the other."""
    name = next(iter(FIGURES)) if name is None else name
    if name not in FIGURES:
        raise InputError(f"There is no figure {name!r}{suggestion(name, FIGURES)}; there are {', '.join(FIGURES)}.")
    draw, wants = FIGURES[name]
    drawn = [marks.titled(figure) for figure in draw(report)]
    if not drawn:
        raise InputError(f"This report has no rows for the figure {name!r}: {wants}.")
    return marks.stacked(drawn)


def _arrows(report: Findings) -> Iterable[Figure]:
    """Draw how far the synthesis moves a measure, target by target (Raab 2024, figures 1 to 3)."""
    flagged = flags(report)
    for before, after, whole in ARROWS:
        base = base_of(report.scenario) if whole else None
        rows = _plain(report, (before, after, base))
        for label in means(rows):
            own = split([row for row in rows if row["synthesis"] == label], "target")
            values = {target: {row["measure"]: row["value"] for row in each} for target, each in own}
            values = {target: found for target, found in values.items() if None not in (found.get(before), found.get(after))}
            targets = sorted(values, key=lambda target: -values[target][after])
            if not targets:
                continue
            lines, said = [], []
            for target in targets:
                original, synthetic, baseline = (values[target].get(name) for name in (before, after, base))
                numbers = f"{amount(original, 'percent')} → {amount(synthetic, 'percent')}"
                name = "\n".join([shown(target), numbers, *([flagged[target]] if target in flagged else [])])
                lines.append({"target": name, "original": original, "synthetic": synthetic, "baseline": baseline})
                said.append(
                    f"{shown(target)}: original {percent(original)}, synthetic {percent(synthetic)}"
                    + (f", baseline {percent(baseline)}" if base else "")
                    + (f", flagged {flagged[target]}" if target in flagged else "")
                )
            caption = (
                f"Percent of original records. Circle: {before}, what the original itself would reveal. Arrow: {after}, what "
                f"the synthetic file reveals{', over the syntheses' if label.endswith('mean') else ''}."
                + (f" Line: {base}, a guess from the target's shares." if base else "")
                + (" Marked: see the one-way and two-way checks." if flagged.keys() & set(targets) else "")
            )
            title = f"{before} to {after}{_whom(label)}"
            yield Figure(f"arrows {before} {label}", title, "; ".join(said), marks.arrows(lines, base is not None), caption)


def _curves(report: Findings) -> Iterable[Figure]:
    """Draw correct attribution by the share of synthetic records that a guess must have behind it."""
    rows = [row for row in of_everybody(report) if row["measure"] == "CAP_at_least" and row["value"] is not None]
    labels = means(rows)
    for target, every in split(rows, "target"):
        own = [row for row in every if row["synthesis"] in labels]
        lines = [{"at": row["at"], "value": row["value"], "synthesis": synthesis_name(row["synthesis"])} for row in own]
        said = "; ".join(f"{percent(row['value'])} at {row['at']}" for row in own if row["synthesis"] == labels[0])
        words = f"CAP_at_least of {shown(target)}: {said}"
        yield Figure(f"curves {target}", shown(target), words, marks.lines(lines, "least share (tau)"))


def _pools(report: Findings) -> Iterable[Figure]:
    """Draw DiSCO and DCAP by the number of syntheses that an intruder pools."""
    rows = [row for row in _plain(report, ("DiSCO", "DCAP")) if row["value"] is not None]
    for target, own in split(rows, "target"):
        lines = [
            {"at": held, "value": row["value"], "synthesis": f"{row['measure']} {label_name(str(row['synthesis']))}".strip()}
            for row in own
            if (held := _held(report, str(row["synthesis"])))
        ]
        if len({line["at"] for line in lines}) > 1:
            said = "; ".join(f"{line['synthesis']} of {line['at']}: {percent(line['value'])}" for line in lines)
            words = f"{shown(target)}, by syntheses pooled: {said}"
            yield Figure(f"pools {target}", shown(target), words, marks.lines(lines, "syntheses pooled"))


def _held(report: Findings, label: str) -> int:
    """Count the syntheses that an intruder holds who pools those of a label; 0 for mean, min, max and all but the first."""
    last = label.rpartition(" ")[2]
    if pooled(label):
        return int(last.rpartition("-")[2])
    return 1 if last == "1" and len(report.synthetic) > 1 else 0


def _persons(report: Findings) -> Iterable[Figure]:
    """Draw CAP person by person: a box for each synthesis (Baillargeon & Charest 2020, figure 1)."""
    rows = [
        row
        for row in report.distributions
        if row["population"] == "all" and row["people"] == "original" and not row["weighted"] and row["mean"] is not None
    ]
    for target, own in split(rows, "target"):
        original = next(row["mean"] for row in own if row["of"] == "cap_original")
        drawn = sorted((row for row in own if row["of"] == "cap_synthetic"), key=lambda row: -float(row["mean"]))
        drawn = [row for row in drawn if not pooled(str(row["synthesis"]))] or drawn
        lines = [
            {
                "synthesis": synthesis_name(row["synthesis"]),
                "mean": row["mean"],
                **{f"q{each['percent']}": each["value"] for each in row["quantiles"]},
            }
            for row in drawn
        ]
        said = "; ".join(
            f"{line['synthesis']}: mean {line['mean']:.2f}, half of the people from {line['q25']:.2f} to {line['q75']:.2f}"
            for line in lines
        )
        words = f"CAP of {shown(target)} person by person, mean of the original {original:.2f}; {said}"
        yield Figure(f"persons {target}", shown(target), words, marks.boxes(lines, original))


def _shares(report: Findings) -> Iterable[Figure]:
    """Draw the most frequent levels of each target, in every file."""
    for target, rows in split(report.shares, "target"):
        lines = [
            {
                "level": "all others" if row["rest"] else shown(row["level"]),
                "file": "original" if row["file"] == "original" else "synthetic",
                "named": str(row["file"]),
                "percent": row["percent"],
            }
            for row in rows
        ]
        first = distinct(lines, "named")[:2]
        said = "; ".join(
            f"{each['level']}: {percent(each['percent'])} of {each['named']}" for each in lines if each["named"] in first
        )
        words = f"Shares of the levels of {shown(target)}: {said}"
        yield Figure(f"shares {target}", shown(target), words, marks.shares(lines, len(distinct(rows, "level"))))


def _sizes(report: Findings) -> Iterable[Figure]:
    """Draw how many people share their keys with how many others."""
    rows = [row for row in of_everybody(report) if row["measure"] == "class_size"]
    own = [row for row in rows if row["synthesis"] == rows[0]["synthesis"]]  # of the original, so the same for each synthesis
    key_runs = [_span(row["at"], following["at"] if following else None) for row, following in zip_longest(own, own[1:])]
    lines = [{"size": span, "percent": row["value"]} for span, row in zip(key_runs, own, strict=True) if row["value"] is not None]
    if lines:
        yield _columns("sizes", "People by the size of their class", "size", "people who share all keys", lines)


def _radii(report: Findings) -> Iterable[Figure]:
    """Draw in how many keys the nearest synthetic records differ from a person."""
    rows = [row for row in of_everybody(report) if row["measure"] == "records_by_radius" and row["value"] is not None]
    for label in means(rows):
        own = [row for row in rows if row["synthesis"] == label and row["target"] == rows[0]["target"]]  # the same for each
        lines = [{"radius": f"{row['at']:g}", "percent": row["value"]} for row in own]
        title = f"People by how far the nearest records are{_whom(label)}"
        yield _columns(f"radii {label}", title, "radius", "keys in which the nearest synthetic records differ", lines)


def _span(low: float, following: float | None) -> str:
    if following is None:
        return f"{low:g} or more"
    return f"{low:g}" if following == low + 1 else f"{low:g} to {following - 1:g}"


def _columns(name: str, title: str, field: str, said: str, lines: list[dict[str, Any]]) -> Figure:
    words = "; ".join(f"{line[field]}: {percent(line['percent'])}" for line in lines)
    return Figure(name, title, f"{title}. {said}: {words}", marks.columns(lines, field, said))


def _accuracies(report: Findings) -> Iterable[Figure]:
    """Draw a number line of guessing: what each way of guessing gets right, between the baseline and the original."""
    guesses = {base_of(report.scenario) if name == "baseCAPd" else name: how for name, how in GUESSES.items()}
    rows = [row for row in _plain(report, tuple(guesses)) if row["value"] is not None]
    if not any(str(row["measure"]).startswith("accuracy_") for row in rows):
        return
    for label in means(rows):
        for target, every in split(rows, "target"):
            found = {guesses[row["measure"]]: row["value"] for row in every if row["synthesis"] == label}
            lines = [{"who": who, "percent": value, "role": role} for (who, role), value in found.items()]
            yield _number_line(f"accuracies {target} {label}", f"{shown(target)}{_whom(label)}", lines)


def _attackers(attacks: Attacks) -> Iterable[Figure]:
    """Draw a number line for each target: how often each attacker is right (as in Hittmeir et al. 2020)."""
    for target, rows in split(attacks.rows, "target"):
        lines = [
            {"who": str(row["attacker"]), "percent": row["accuracy"], "role": _trained(row)}
            for row in rows
            if row["people"] == "original" and row["trained_on"] != "control" and row["accuracy"] is not None
        ]
        yield _number_line(f"attackers {target}", shown(target), lines)


def _trained(row: Row) -> str:
    """Return what an attacker knows: the shares alone, the original, a synthetic file."""
    return "baseline" if row["kind"] == "baseline" else "original" if row["trained_on"] == "original" else "synthetic"


def _number_line(name: str, title: str, lines: list[dict[str, Any]]) -> Figure:
    words = "; ".join(f"{line['who']} ({line['role']}): {percent(line['percent'])}" for line in lines)
    return Figure(name, title, f"{title}. {words}", marks.number_line(lines))


def _plain(report: Findings, measures: Sequence[str | None]) -> list[Row]:
    return [row for row in of_everybody(report) if row["measure"] in measures and row["at"] is None]


def _whom(label: str) -> str:
    """Return what a title adds where the files have names or are several."""
    return "" if label == "1" else f", {shown(label)}"


# How each figure is drawn, and what a report without it lacks.
FIGURES: dict[str, tuple[Callable[[Findings], Iterable[Figure]], str]] = {
    "arrows": (_arrows, "it shows Dorig and DiSCO, CAPd and DCAP"),
    "curves": (_curves, "it shows CAP_at_least"),
    "pools": (_pools, "it needs two syntheses or more, and DiSCO or DCAP"),
    "accuracies": (_accuracies, "it needs measures of the family neighbours"),
    "persons": (_persons, "ask for distributions"),
    "shares": (_shares, "ask for distributions"),
    "sizes": (_sizes, "it needs the measure class_size"),
    "radii": (_radii, "it needs the measure records_by_radius"),
}
