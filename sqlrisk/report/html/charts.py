"""The figures of a report. Each function draws one figure from the report's rows, with the charts
of `marks`.

``Report.plot`` shows the charts in a notebook, and the HTML page contains them as SVG. The module
`figures` lists these figures, and those of other results.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate

from sqlrisk.report.decision.glance import flags
from sqlrisk.report.decision.sentences import of_sides
from sqlrisk.report.declared import CERTAIN, drawn_in, having, leading, of_targets
from sqlrisk.report.findings import Findings, everybody, of_everybody
from sqlrisk.report.html import marks, target_charts
from sqlrisk.report.html.look import Figure, described, row_name
from sqlrisk.report.html.result_charts import columns, number_line
from sqlrisk.report.result import amount_of
from sqlrisk.report.sections import risk_utility
from sqlrisk.report.sections.membership import curve_name
from sqlrisk.report.wording import (
    Row,
    base_of,
    by_mean,
    distinct,
    label_name,
    means,
    number_of,
    percent,
    percent_of,
    pooled,
    representatives,
    shown,
    split,
    synthesis_name,
    valued,
    with_label,
)

PEOPLE_OF = {"percent of original records": "people"}  # units of measures that count people
# people of a row -> role that sets the look of their mark
PEOPLE = {"original": "synthetic", "control": "baseline"}


def figures(report: Findings) -> list[Figure]:
    """Return every figure that the report has rows for, in the order of the page."""
    return [figure for draw, _ in FIGURES.values() for figure in draw(report)]


def _arrows(report: Findings) -> Iterable[Figure]:
    """Draw an arrow for each target, from the risk of the original to that of a synthesis (Raab
    2024, figures 1 to 3). There is a figure for each headline measure and synthesis.

    If several syntheses have one name, draw their mean.
    """
    flagged = flags(report)
    for each in of_targets(report.declared):
        before, after = each.original, each.name
        base = None if each.baseline is None else base_of(report, each.baseline)
        for label, rows in by_mean(_plain(report, (before, after, base))):
            values = {}
            for target, own in split(rows, "target"):
                found = {row["measure"]: row for row in valued(own)}
                if {before, after} <= found.keys():
                    values[target] = found
            if not values:
                continue
            lines, said = [], []
            for target, found in sorted(values.items(), key=lambda each: -each[1][after]["value"]):
                original, synthetic = found[before], found[after]
                baseline = found.get(base)
                numbers = " → ".join(
                    number_of(row, "value", "percent") for row in (original, synthetic)
                )
                name = [row_name(target, report.labels), numbers, flagged.get(target, "")]
                lines.append(
                    {
                        "target": "\n".join(filter(None, name)),
                        "original": original["value"],
                        "synthetic": synthetic["value"],
                        "baseline": baseline["value"] if baseline else None,
                    }
                )
                said.append(
                    f"{shown(target)}: original {percent_of(original)}, "
                    f"synthetic {percent_of(synthetic)}"
                    + (f", baseline {percent_of(baseline)}" if baseline else "")
                    + (f", flagged {flagged[target]}" if target in flagged else "")
                )
            caption = (
                f"Percent of original records. Hollow bar: {before}, what the original itself "
                f"would reveal. Filled bar: {after}, what the synthetic file reveals"
                f"{', on average over the syntheses' if label.endswith('mean') else ''}. "
                "Arrow: the difference."
                + (f" Line: {base}, a guess from the target's shares." if base else "")
            )
            if flagged.keys() & values.keys():
                caption += " Marked: see the one-way and two-way checks."
            title = f"{before} to {after}{_whom(label)}"
            words = described(title, said, [line["synthetic"] for line in lines])
            chart = marks.arrows(lines, base is not None)
            yield Figure(f"arrows {before} {label}", title, words, chart, caption)


def _curves(report: Findings) -> Iterable[Figure]:
    """Draw correct attribution by tau, the least share of records that must support a guess."""
    for measure, of_measure, of in _each_drawn(report, "curves"):
        rows = valued(of_measure)
        labels = means(rows)
        for target, every in split(rows, "target"):
            own = [row for row in every if row["synthesis"] in labels]
            lines = [
                {
                    "at": row["at"],
                    "value": row["value"],
                    "synthesis": synthesis_name(row["synthesis"]),
                }
                for row in own
            ]
            first = (row for row in own if row["synthesis"] == labels[0])
            said = [f"{percent_of(row)} at {row['at']}" for row in first]
            ends = f"From {said[0]} to {said[-1]}. " if len(said) > 1 else ""
            words = f"{measure} of {shown(target)}. {ends}{'; '.join(said)}"
            title = f"{with_label(target, report.labels)}: {measure}"
            chart = marks.lines(lines, "least share (tau)")
            yield Figure(f"curves {target}{of}", title, words, chart)


def _pools(report: Findings) -> Iterable[Figure]:
    """Draw the headline measures of each target by the number of syntheses that are pooled."""
    rows = _plain(report, [each.name for each in of_targets(report.declared)])
    for target, own in split(valued(rows), "target"):
        lines = [
            {
                "at": held,
                "value": row["value"],
                "synthesis": f"{row['measure']} {label_name(str(row['synthesis']))}".strip(),
                "said": percent_of(row),
            }
            for row in own
            if (held := _held(report, str(row["synthesis"])))
        ]
        if len({line["at"] for line in lines}) > 1:
            said = [f"{line['synthesis']} of {line['at']}: {line['said']}" for line in lines]
            about = f"{shown(target)}, by syntheses pooled"
            words = described(about, said, [line["value"] for line in lines])
            of = with_label(target, report.labels)
            title = f"{of}: {' and '.join(distinct(own, 'measure'))}"
            chart = marks.lines(lines, "syntheses pooled")
            yield Figure(f"pools {target}", title, words, chart)


def _held(report: Findings, label: str) -> int:
    """Return the number of syntheses in the pool that a label names. The first of several
    syntheses is a pool of 1. Return 0 for other labels, e.g. later syntheses and means.
    """
    last = label.rpartition(" ")[2]
    if pooled(label):
        return int(last.rpartition("-")[2])
    return 1 if last == "1" and len(report.synthetic) > 1 else 0


def _persons(report: Findings) -> Iterable[Figure]:
    """Draw the CAP of people: a box for each synthesis (Baillargeon & Charest 2020, figure 1)."""
    rows = [row for row in everybody(report.distributions) if row["mean"] is not None]
    for target, own in split(rows, "target"):
        original = next(row["mean"] for row in own if row["of"] == "cap_original")
        drawn = sorted(
            (row for row in own if row["of"] == "cap_synthetic"),
            key=lambda row: -float(row["mean"]),
        )
        drawn = [row for row in drawn if not pooled(str(row["synthesis"]))] or drawn
        lines = [
            {
                "synthesis": synthesis_name(row["synthesis"]),
                "mean": row["mean"],
                **{f"q{each['percent']}": each["value"] for each in row["quantiles"]},
            }
            for row in drawn
        ]
        said = [
            f"{line['synthesis']}: mean {line['mean']:.2f}, half of the people from "
            f"{line['q25']:.2f} to {line['q75']:.2f}"
            for line in lines
        ]
        about = f"CAP of {shown(target)} person by person, mean of the original {original:.2f}"
        words = described(about, said, [line["mean"] for line in lines])
        title = with_label(target, report.labels)
        yield Figure(f"persons {target}", title, words, marks.boxes(lines, original))


def _roc(report: Findings) -> Iterable[Figure]:
    """Draw the ROC curves of membership: at each threshold, the percent of people in the synthesis
    and outside it who are called members.
    """
    rows = [row for row in report.membership if row["population"] == "all"]
    widest = representatives(str(row["synthesis"]) for row in rows)
    curves = [
        (curve_name(rows, row) or synthesis_name(row["synthesis"]), row)
        for row in rows
        if row["synthesis"] in widest
    ]
    if curves:
        lines = [
            {"false": point["false_positives"], "true": point["true_positives"], "curve": name}
            for name, row in curves
            for point in row["curve"]
        ]
        rates = [
            (name, rate)
            for name, row in curves
            for rate in row["rates"]
            if rate["interpolated"] is not None
        ]
        words = described(
            "Percent of the people in the synthesis who are called members, at a percentage of "
            "the people out of it",
            [f"{name} at {percent(r['at'])}: {percent(r['interpolated'])}" for name, r in rates],
            [rate["interpolated"] - rate["at"] for _, rate in rates],
            "Most beyond chance",
        )
        yield Figure("roc", "Membership by a score", words, marks.roc(lines))


def _shares(report: Findings) -> Iterable[Figure]:
    """Draw the shares of each target's most frequent levels in every file but control."""
    shares = [row for row in report.shares if row["file"] != "control"]
    for target, rows in split(shares, "target"):
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
        told = [line for line in lines if line["named"] in first and line["percent"] is not None]
        said = [f"{each['level']}: {percent(each['percent'])} of {each['named']}" for each in told]
        about = f"Shares of the levels of {shown(target)}"
        words = described(about, said, [each["percent"] for each in told])
        title = with_label(target, report.labels)
        yield Figure(f"shares {target}", title, words, marks.shares(lines))


def _sizes(report: Findings) -> Iterable[Figure]:
    """Draw the percent of people by the size of their class."""
    for _, rows, of in _each_drawn(report, "sizes"):
        # class sizes are those of the original, the same for each synthesis
        own = [row for row in rows if row["synthesis"] == rows[0]["synthesis"]]
        sizes = [row["at"] for row in own]
        lines = [
            {
                "size": _span(row["at"], following),
                "percent": row["value"],
                "said": percent_of(row),
            }
            for row, following in zip(own, [*sizes[1:], None], strict=True)
            if row["value"] is not None
        ]
        if lines:
            title, axis = "People by the size of their class", "people who share all keys"
            yield columns(f"sizes{of}", title, "size", axis, lines)


def _presence(report: Findings) -> Iterable[Figure]:
    """Draw delta-presence: the percent of people in the universe whose class has at least delta
    records per person, in the original and in each file.
    """
    drawn = drawn_in(report.declared, "presence")
    rows = [row for row in valued(of_everybody(report)) if row["measure"] in drawn]
    labels = means(rows)
    files = [
        (measure, label, header.get("label", synthesis_name(label)))
        for measure, header in drawn.items()
        # a measure with a label is the same for each file
        for label in (labels[:1] if "label" in header else labels)
    ]
    lines = [
        {"at": row["at"], "value": row["value"], "synthesis": name, "said": percent_of(row)}
        for measure, label, name in files
        for row in rows
        if (row["measure"], row["synthesis"]) == (measure, label)
    ]
    if lines:
        said = [f"{line['synthesis']} at {line['at']}: {line['said']}" for line in lines]
        about = "People of the universe by delta"
        words = described(about, said, [line["value"] for line in lines])
        chart = marks.lines(lines, "records for each person (delta)")
        yield Figure("presence", "People by delta-presence", words, chart)


def _radii(report: Findings) -> Iterable[Figure]:
    """Draw the percent of people by the number of keys in which their nearest records differ."""
    axis = "keys in which the nearest synthetic records differ"
    for _, of_measure, of in _each_drawn(report, "radii"):
        rows = valued(of_measure)
        # all targets have equal values, so the first stands for all
        for label, own in by_mean([row for row in rows if row["target"] == rows[0]["target"]]):
            lines = [
                {"radius": f"{row['at']:g}", "percent": row["value"], "said": percent_of(row)}
                for row in own
            ]
            title = f"People by the distance of their nearest records{_whom(label)}"
            yield columns(f"radii {label}{of}", title, "radius", axis, lines)


def _map(report: Findings) -> Iterable[Figure]:
    """Draw risk against utility for each target: a point for each synthesis and the original."""
    for rows in risk_utility.maps(report.maps):
        risk, useful = risk_utility.axes(report, rows)
        x = [useful, str(rows[0]["more_useful"])]
        y = f"{risk}: {rows[0]['safer'] or rows[0]['risk_unit']}"
        for target, every in split(rows, "target"):
            own = [row for row in every if None not in (row["risk_value"], row["utility_value"])]
            lines = [
                {
                    "name": synthesis_name(row["point"]),
                    "x": row["utility_value"],
                    "y": row["risk_value"],
                }
                for row in own
            ]
            if lines:
                said = [f"{line['name']}: {line['y']:.4g} and {line['x']:.4g}" for line in lines]
                title = "" if target is None else f"{with_label(target, report.labels)}, "
                title += risk
                values = [line["y"] for line in lines]
                words = described(f"{title} against {useful}", said, values)
                yield Figure(f"map {title} {useful}", title, words, marks.scatter(lines, x, y))


def _links(report: Findings) -> Iterable[Figure]:
    """Draw the percent of people for whom an intruder joins the two sides of a link (two sets of
    columns), for the original and for control.

    There is a measure for each way to choose among several nearest records.
    """
    for label, rows in by_mean(_beside_control(report, drawn_in(report.declared, "links"))):
        for link, every in split(rows, "target"):
            lines = [
                {"who": row["measure"], "percent": row["value"], "role": PEOPLE[row["people"]]}
                for row in every
            ]
            said = [
                f"{row['measure']}: "
                f"{percent_of(row)}{' of control' if row['people'] == 'control' else ''}"
                for row in every
            ]
            title = of_sides(link, lambda each: with_label(each, report.labels)) + _whom(label)
            words = described(title, said, [line["percent"] for line in lines])
            chart = marks.number_line(lines, "percent of people")
            yield Figure(f"links {link} {label}", title, words, chart)


def _singled(report: Findings) -> Iterable[Figure]:
    """Draw the percent of people singled out by predicates, by the maximum number of keys in a
    predicate, for the original and for control.
    """
    every = _beside_control(report, drawn_in(report.declared, "singled"))
    for measure, rows in split(every, "measure"):
        for label, own in by_mean(rows):
            lines = [
                {"at": f"{row['at']:g}", "value": row["value"], "synthesis": str(row["people"])}
                for row in own
            ]
            said = [
                f"{row['people']}, {amount_of(int(row['at']), 'key')}: {percent_of(row)}"
                for row in own
            ]
            title, sizes = f"{measure}{_whom(label)}", distinct(lines, "at")
            words = described(title, said, [line["value"] for line in lines])
            chart = marks.lines(lines, "keys of a predicate, at most", sizes)
            yield Figure(f"singled {label}", title, words, chart)


def _near_rows(report: Findings) -> Iterable[Figure]:
    """Draw the percent of rows that have a near row on the other side (people or synthetic
    records), by the maximum number of columns in which the two may differ. Compare people in the
    synthesis with people outside it.
    """
    said = drawn_in(report.declared, "nearness")
    for measure, rows in split(_beside_control(report, said), "measure"):
        for label, own in by_mean(rows):
            lines = [
                {
                    "radius": f"{row['at']:g}",
                    "who": "in" if row["people"] == "original" else "out",
                    "percent": row["value"],
                    "said": percent_of(row),
                }
                for row in own
            ]
            told = [f"{line['who']}, {line['radius']}: {line['said']}" for line in lines]
            title = f"{said[measure].get('label', measure)} near by{_whom(label)}"
            unit = own[0]["unit"]
            base = PEOPLE_OF.get(unit, unit.removeprefix("percent of "))
            chart = marks.beside(lines, "radius", "columns that differ, at most", base)
            about = f"{title}, by columns that differ at most"
            words = described(about, told, [line["percent"] for line in lines])
            yield Figure(f"nearness {measure} {label}", title, words, chart)


def _span(low: float, following: float | None) -> str:
    """Return a name for the sizes from ``low`` to below ``following``: ``3–4`` or ``5+``."""
    if following is None:
        return f"{low:g}+"
    return f"{low:g}" if following == low + 1 else f"{low:g}–{following - 1:g}"


def _accuracies(report: Findings) -> Iterable[Figure]:
    """Draw a number line for each target: the percent of people guessed right in each way of
    guessing, by the baseline, and from the original.
    """
    said = drawn_in(report.declared, "accuracies")
    guesses = {}
    for name, header in said.items():
        role = header.get("mark", header.get("above", "synthetic"))
        guesses[base_of(report, name)] = header.get("label", name), role
    rows = valued(_plain(report, guesses))
    # The headlines and their baselines are drawn elsewhere.
    if not any("knows" in said.get(row["measure"], {}) for row in rows):
        return
    for label, of_label in by_mean(rows):
        for target, every in split(of_label, "target"):
            found = {guesses[row["measure"]]: row for row in every}
            lines = [
                {"who": who, "percent": row["value"], "role": role, "said": percent_of(row)}
                for (who, role), row in found.items()
            ]
            title = f"{with_label(target, report.labels)}{_whom(label)}"
            yield number_line(f"accuracies {target} {label}", title, lines)


def _guesses(report: Findings) -> Iterable[Figure]:
    """Draw the precision of guesses over their coverage at each tau (Francis & Wagner 2025). There
    is a line for each synthetic file, and for each file that it is compared with.
    """
    over = having("over", drawn_in(report.declared, "guesses"))
    known = {*over, *over.values()}
    rows = [row for row in valued(of_everybody(report)) if row["measure"] in known]
    labels = means(rows)
    for target, own in split(rows, "target"):
        found = {(row["measure"], row["synthesis"], row["at"]): row for row in own}
        taus = distinct(own, "at")
        lines, said = [], []
        for precision, coverage in over.items():
            alike = report.declared[precision].get("label")  # a label: the same for each file
            for label in labels if alike is None else labels[:1]:
                name = alike or synthesis_name(label)
                for at in taus:
                    x, y = (found.get((each, label, at)) for each in (coverage, precision))
                    if x and y:
                        lines.append(
                            {"synthesis": name, "x": x["value"], "y": y["value"], "at": at}
                        )
                        said.append(
                            f"{name} at tau {at:g}: {percent_of(x)} guessed at, "
                            f"{percent_of(y)} of them right"
                        )
        if not lines:
            continue
        title = with_label(target, report.labels)
        words = described(shown(target), said, [line["y"] for line in lines], "Most often right")
        chart = marks.trails(lines, lines[0]["synthesis"])
        yield Figure(f"guesses {target}", title, words, chart)


def _others(report: Findings) -> Iterable[Figure]:
    """Draw the people whose target is certainly disclosed in two parts: those whom the other
    records of the original would reveal too, and those revealed only through their own record.
    """
    whole = leading(report.declared, CERTAIN).name
    headers = drawn_in(report.declared, "others")
    parts = {name: str(header.get("label", name)) for name, header in headers.items()}
    for label, rows in by_mean(valued(_plain(report, parts))):
        lines, said = [], []
        for target, own in split(rows, "target"):
            found = {row["measure"]: row for row in own}
            if len(found) < len(parts):
                continue
            values = [found[name] for name in parts]
            numbers = " + ".join(number_of(row, "value", "percent") for row in values)
            name = f"{row_name(target, report.labels)}\n{numbers}"
            highs = [*accumulate(row["value"] for row in values)]
            lines += [
                {"target": name, "part": part, "low": low, "high": high}
                for part, low, high in zip(parts.values(), [0, *highs[:-1]], highs, strict=True)
            ]
            told = ", ".join(
                f"{percent_of(row)} {part}"
                for row, part in zip(values, parts.values(), strict=True)
            )
            said.append(f"{shown(target)}: {told}")
        if lines:
            title = f"{whole} in two parts{_whom(label)}"
            highest = [line["high"] for line in lines[len(parts) - 1 :: len(parts)]]
            words = described(title, said, highest)
            chart = marks.parts(lines, [*parts.values()])
            yield Figure(f"others {label}", title, words, chart)


def _each_drawn(report: Findings, figure: str) -> Iterator[tuple[str, Sequence[Row], str]]:
    """Yield each measure that has a figure of this kind, its rows, and a suffix for the figure's
    name. The first measure has no suffix.
    """
    drawn = drawn_in(report.declared, figure)
    rows = [row for row in of_everybody(report) if row["measure"] in drawn]
    for place, (measure, own) in enumerate(split(rows, "measure")):
        yield measure, own, f" {measure}" if place else ""


def _plain(report: Findings, measures: Collection[str | None]) -> list[Row]:
    return [row for row in of_everybody(report) if row["measure"] in measures and row["at"] is None]


def _beside_control(report: Findings, measures: Collection[str]) -> list[Row]:
    """Return the unweighted rows of all people of the original and control that have a value."""
    rows = [row for row in report.results if row["measure"] in measures and row["people"] in PEOPLE]
    return [row for row in valued(rows) if row["population"] == "all" and not row["weighted"]]


def _whom(label: str) -> str:
    """Return the part of a title that names the synthesis, or nothing for the only one."""
    return "" if label == "1" else f", {shown(label)}"


# name -> function that draws it, and why a report may lack it (`declared.names_in` fills in the
# names of measures)
FIGURES: dict[str, tuple[Callable[[Findings], Iterable[Figure]], str]] = {
    "arrows": (_arrows, "it shows {pairs}"),
    "heat": (target_charts.heat, "it shows {targets} of several targets or files"),
    "slopes": (target_charts.slopes, "it shows {pairs}"),
    "control": (
        target_charts.control,
        "it shows {targets} of people in the synthesis and of control",
    ),
    "replicated": (target_charts.replicated, "it shows {unique} of a synthetic file"),
    "policy": (
        lambda report: target_charts.policy(report.policy, report.labels),
        "it needs a policy with numbers",
    ),
    "people": (target_charts.people, "it shows {headlines} of the levels of a column: --by region"),
    "curves": (_curves, "it shows {any}"),
    "pools": (_pools, "it needs two syntheses or more, and {targets}"),
    "accuracies": (_accuracies, "it needs measures of the family {family}"),
    "persons": (_persons, "ask for distributions"),
    "shares": (_shares, "ask for distributions"),
    "sizes": (_sizes, "it needs the measure {any}"),
    "presence": (_presence, "it needs the measure {first}, and a universe"),
    "radii": (_radii, "it needs the measure {any}"),
    "guesses": (_guesses, "it needs measures of the family {family}"),
    "others": (_others, "it shows {all}"),
    "map": (_map, "ask for utility together with the risk"),
    "links": (_links, "it needs measures of the family {family}, with --link"),
    "singled": (_singled, "it needs the measure {any}"),
    "nearness": (_near_rows, "it needs the measures {any}"),
    "roc": (_roc, "it needs a measure of the family {family}"),
}
