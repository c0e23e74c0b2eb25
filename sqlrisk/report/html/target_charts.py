"""Figures of risk by target (heat maps, slopes, control, subgroups), of replicated uniques and of a
policy.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any

from sqlrisk.inputs.policy import FAIL, PASS, REVIEW
from sqlrisk.report.decision.margins import of_limit, told_beside, worst_of_rules
from sqlrisk.report.declared import UNIQUE, leading, of_targets, targets_first
from sqlrisk.report.findings import Findings, of_everybody, of_people
from sqlrisk.report.html import marks
from sqlrisk.report.html.look import Figure, described, in_lines, row_name
from sqlrisk.report.sections.control import compared
from sqlrisk.report.wording import (
    MISSING,
    Row,
    amount,
    base_of,
    by_mean,
    capitalized,
    distinct,
    interval,
    is_single,
    listed,
    number_of,
    percent,
    percent_of,
    plain_text,
    pooled,
    shown,
    split,
    synthesis_name,
    valued,
    with_label,
)

MOST = 10  # maximum number of targets with slopes (those at highest risk)
BEYOND = 250  # greatest percent of a limit on the axis, at which higher numbers are drawn
TALL = 40  # maximum number of targets in a heat map


def heat(report: Findings) -> Iterable[Figure]:
    """Draw a square for each target and file, bluer for higher risk, the highest risk first."""
    for each in of_targets(report.declared):
        original, measure = each.original, each.name
        rows = _plain(report, (original, measure))
        found = [row for row in rows if row["measure"] == measure and is_single(row["synthesis"])]
        labels = distinct(found, "synthesis")
        order = sorted(
            split(found, "target"), key=lambda each: -max(row["value"] for row in each[1])
        )
        if len(order) * len(labels) < 3:  # two numbers do not need a map
            continue
        references = {row["target"]: row for row in rows if row["measure"] == original}
        names = {label: synthesis_name(label).removeprefix("synthesis ") for label in labels}
        lines: list[dict[str, Any]] = []
        for target, own in order[:TALL]:
            placed = [(names[row["synthesis"]], row) for row in own]
            if target in references:
                placed.insert(0, ("original", references[target]))
            lines += [
                {
                    "target": row_name(target, report.labels),
                    "place": place,
                    "value": row["value"],
                    "words": row.get("words", {}).get("value"),
                    "said": f"{shown(target)}, {place}: {percent_of(row)}",
                }
                for place, row in placed
            ]
        highest = max(found, key=lambda row: row["value"])
        title = f"{measure} by target and file"
        words = (
            f"{title}. Highest: {shown(highest['target'])}, "
            f"{synthesis_name(highest['synthesis'])}, {percent_of(highest)}. "
            f"{'; '.join(line['said'] for line in lines)}"
        )
        caption = f"Percent of original records; the bluer, the more. Original: {original}."
        caption += _some(len(order), TALL)
        places = [*(["original"] if references else []), *names.values()]
        yield Figure(f"heat {measure}", title, words, marks.heat(lines, "target", places), caption)


def slopes(report: Findings) -> Iterable[Figure]:
    """Draw the original, each synthetic file and the baseline, zoomed in on the difference."""
    for each in of_targets(report.declared):
        before, after = each.original, each.name
        base = None if each.baseline is None else base_of(report, each.baseline)
        rows = _plain(report, (before, after, base))
        files = [row for row in rows if row["measure"] == after and is_single(row["synthesis"])]
        first = sorted(
            split(files, "target"), key=lambda each: -max(row["value"] for row in each[1])
        )[:MOST]
        references = {
            (row["measure"], row["target"]): row for row in rows if row["measure"] != after
        }
        for target, own in first:
            original, baseline = references.get((before, target)), references.get((base, target))
            if original is None:
                continue
            title = f"{with_label(target, report.labels)}: {before} to {after}"
            lines = [
                {"name": synthesis_name(row["synthesis"]), "side": side, "value": each["value"]}
                for row in own
                for side, each in (("original", original), ("synthetic", row))
            ]
            told = f"original {percent_of(original)}"
            for row in own:
                told += f", {synthesis_name(row['synthesis'])} {percent_of(row)}"
            told += f", baseline {percent_of(baseline)}" if baseline else ""
            caption = told
            # of numbers such as <1.41 nobody knows the difference
            if not any("value" in row.get("words", {}) for row in (original, *own)):
                change = _change(max(row["value"] for row in own) - original["value"])
                told = f"{change}: {told}"
                caption = told if len(own) == 1 else change
            caption = f"{capitalized(caption)}."
            caption += f" Broken line: {base}." if baseline else ""
            caption += " The second panel shows the same on a scale from 0 to 100."
            chart = marks.slope(lines, baseline["value"] if baseline else None)
            yield Figure(f"slopes {after} {target}", title, f"{title}. {told}", chart, caption)


def control(report: Findings) -> Iterable[Figure]:
    """Draw people in the synthesis and outside, with intervals, zoomed in on the difference."""
    said, every = [each.name for each in of_targets(report.declared)], compared(report)
    several = len(distinct(every, "synthesis")) > 1
    rows = [
        row
        for row in every
        if row["measure"] in said
        and row["population"] == "all"
        and row["original_error"]
        and row["control_error"] is not None  # the mean of one person has no error
    ]
    for measure in said:
        own = sorted(
            (row for row in rows if row["measure"] == measure),
            key=lambda row: -abs(row["difference"]),
        )
        for row in own[:MOST]:
            sides = [
                (words, role, row[side], 100 * row[f"{side}_rate"], 100 * row[f"{side}_error"])
                for side, words, role in (
                    ("original", "in the synthesis", "synthetic"),
                    ("control", "never in it", "baseline"),
                )
            ]
            lines = [
                {
                    "who": f"{words}\n{percent(value)}",
                    "role": role,
                    "percent": value,
                    "low": rate - error,
                    "high": rate + error,
                }
                for words, role, value, rate, error in sides
            ]
            target = with_label(row["target"], report.labels)
            title = f"{target}: {measure} in and out of the synthesis"
            title += f", {shown(row['synthesis'])}" * several
            told = "; ".join(f"{words} {percent(value)}" for words, _, value, *_ in sides)
            by = ", by the files pooled" if pooled(plain_text(row["synthesis"])) else ""
            caption = f"Percent of people{by}. Lines: {interval(report.scenario)}s."
            name = f"control {measure} {row['target']} {row['synthesis']}"
            yield Figure(name, title, f"{title}. People {told}", marks.paired(lines), caption)


def replicated(report: Findings) -> Iterable[Figure]:
    """Draw the percent of people who are unique in the original, and in each file as well."""
    headline = leading(report.declared, UNIQUE)
    rows = _plain(report, (headline.original, headline.name))
    originals = {row["synthesis"]: row for row in rows if row["measure"] == headline.original}
    lines: list[dict[str, Any]] = []
    for row in rows:
        original = originals.get(row["synthesis"])
        of_file = row["measure"] == headline.name and is_single(row["synthesis"])
        if not of_file or original is None:
            continue
        name = synthesis_name(row["synthesis"])
        numbers = " → ".join(number_of(each, "value", "percent") for each in (original, row))
        lines.append(
            {
                "target": f"{name}\n{numbers}",
                "original": original["value"],
                "synthetic": row["value"],
                "said": f"{name}: {percent_of(original)} unique, {percent_of(row)} found",
            }
        )
    if not lines:
        return
    title = f"{headline.original} to {headline.name}"
    said = [line["said"] for line in lines]
    words = described(title, said, [line["synthetic"] for line in lines])
    caption = (
        f"Hollow bar: {headline.original}, people who are unique in the original. Filled bar: "
        f"{headline.name}, those who are unique in the synthetic file, too. Arrow: the difference."
    )
    chart = marks.arrows(lines, based=False)
    yield Figure(f"replicated {headline.name}", title, words, chart, caption)


def policy(found: Row, labels: Mapping[str, str] = MappingProxyType({})) -> Iterable[Figure]:
    """Draw the worst number of each rule of a policy in percent of its limit. A higher number than
    ``BEYOND`` is drawn at ``BEYOND``. ``labels`` are the labels of targets.
    """
    told = [(row, of_limit(row)) for row in worst_of_rules(found)] if found else []
    lines: list[dict[str, Any]] = [
        {
            "rule": "\n".join([*_named(row, labels), in_lines(told_beside(row))]),
            "part": min(part, BEYOND),
            "role": row["verdict"] if row["verdict"] in (PASS, REVIEW) else FAIL,
            "said": f"{row['rule']}: {told_beside(row)}, {row['verdict']}",
        }
        for row, part in told
        if part is not None
    ]
    if not lines:
        return
    beyond = sum(line["part"] > 100 for line in lines)
    title = "Each rule against its limit"
    words = (
        f"{title}. {beyond} of {len(lines)} beyond the limit. "
        f"{'; '.join(str(line['said']) for line in lines)}"
    )
    caption = (
        "The worst number of each rule, in percent of its limit (line). The shaded side is "
        "allowed. Diamond: pass; square: for review; triangle: fail."
    )
    if any((part or 0) > BEYOND for _, part in told):
        caption += f" Larger numbers are drawn at {BEYOND}."
    yield Figure("policy", title, words, marks.bullets(lines), caption)


def _named(row: Row, labels: Mapping[str, str]) -> list[str]:
    """Return the rule of a verdict, and its target unless the rule names it."""
    rule, target = str(row["rule"]), row["target"]
    names = target is None or f":{target} " in rule
    return [in_lines(rule), *([] if names else [row_name(target, labels)])]


def people(report: Findings) -> Iterable[Figure]:
    """Yield a figure for each target, column of ``--by`` and synthesis (of several, their mean).

    It shows the risk of the people at each level, next to what the original would reveal about
    them. The risk is the first headline measure that has results. External reports have no such
    figures. A column with one level has none.
    """
    rows = valued(of_people(report))
    rows = [row for row in rows if row["at"] is None and row["population"] != "all"]
    # external reports must not name levels
    by = [] if report.rounding else [str(column) for column in listed(report.scenario.get("by"))]
    known = {str(row["measure"]) for row in rows}
    drawn = next((each for each in targets_first(report.declared) if each.name in known), None)
    if drawn is None:
        return
    measure = drawn.name
    of_measure = [row for row in rows if row["measure"] in (measure, drawn.original)]
    for (label, of_label), column in product(by_mean(of_measure), by):
        for target, own in split(of_label, "target"):
            found: dict[str, dict[str, float]] = {}
            for row in own:
                if (level := _level(str(row["population"]), column)) is not None:
                    role = "synthetic" if row["measure"] == measure else "original"
                    found.setdefault(level, {})[role] = row["value"]
            if len(found) > 1:
                of = "" if target is None else f" of {with_label(target, report.labels)}"
                title = f"{measure}{of} by {with_label(column, report.labels)}"
                title += "" if label == "1" else f", {shown(label)}"
                name = f"people {column} {target} {label}"
                yield _of_levels(name, title, column, found, drawn.original)


def _of_levels(
    name: str, title: str, column: str, found: Mapping[str, Mapping[str, float]], reference: str
) -> Figure:
    """Draw a row for each level, or only the ``MOST`` levels at highest risk if there are more than
    twice as many. If all levels are numbers and there are more than ``MOST``, draw a line instead.
    """
    risks = {level: values["synthetic"] for level, values in found.items() if "synthetic" in values}
    highest = max(risks, key=risks.__getitem__, default=next(iter(found)))
    said = "; ".join(
        f"{level}: {', '.join(f'{role} {percent(value)}' for role, value in values.items())}"
        for level, values in found.items()
    )
    words = f"{title}. Highest: {highest}, {percent(found[highest].get('synthetic'))}. {said}"
    if len(found) > MOST and all(_number(level) is not None for level in found):
        names = {"synthetic": "synthetic", "original": f"original ({reference})"}
        points = [
            {"at": _number(level), "value": values[role], "synthesis": names[role]}
            for role in names
            for level, values in sorted(found.items(), key=lambda each: _number(each[0]) or 0.0)
            if role in values
        ]
        chart = marks.profile(points, shown(column))
        return Figure(name, title, words, chart, "Percent of the people with each number.")
    order = list(found)
    if len(found) > 2 * MOST:
        order = sorted(risks, key=lambda level: -risks[level])[:MOST]
    lines = [
        {"who": level, "percent": value, "role": role}
        for level, values in found.items()
        if level in order
        for role, value in values.items()
    ]
    caption = (
        "Percent of the people of each level. Diamond: the synthetic file; ring: "
        f"{reference}, the original itself."
    )
    caption += _some(len(found), len(order))
    return Figure(name, title, words, marks.levels(lines, "percent of these people"), caption)


def _level(population: str, column: str) -> str | None:
    """Return the level of a column that defines a population, or None for another condition."""
    if population == f"{column} missing":
        return MISSING
    level = population.removeprefix(f"{column}=")
    return None if level == population else shown(level)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _change(difference: float) -> str:
    """Return in words how far a synthetic file is above or below the original."""
    if not difference:
        return "as in the original"
    points = f"{amount(abs(difference), 'percent')} points"
    return f"{points} {'more' if difference > 0 else 'less'} than the original"


def _some(every: int, drawn: int) -> str:
    return f" The {drawn} at most risk of {every}." if every > drawn else ""


def _plain(report: Findings, measures: Sequence[str | None]) -> list[Row]:
    rows = [row for row in of_everybody(report) if row["measure"] in measures and row["at"] is None]
    return valued(rows)
