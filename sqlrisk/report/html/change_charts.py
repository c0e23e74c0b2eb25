"""Figures of changes: between two releases, and before and after a file was rewritten."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlrisk.report.findings import everybody
from sqlrisk.report.html import marks
from sqlrisk.report.html.look import Figure, row_name
from sqlrisk.report.wording import Row, amount, in_percent, means, percent, shown, synthesis_name

MOST = 10  # maximum number of changes drawn: worse ones first, and the largest change first
ABOUT = ("scenario", "target", "synthesis")  # columns that distinguish rows of one measure
ALWAYS = ("scenario", "target")  # named with a change if the releases have several
# Unit of numbers that may fall far below 0. Next to them, no change of a percentage could be seen.
SCALED = "percent of the way from the baseline to certainty"
SIGNS = {"worse": "worse", "better": "better", "changed": "neither", "equal": "the same"}
RELEASES = (
    "Ring: the old release. Mark: the new one. A triangle is worse, a diamond better, a square "
    "neither by itself."
)


def releases(rows: Sequence[Row], named: Mapping[str, str]) -> Iterable[Figure]:
    """Draw how much percentages of all people changed between two releases. Worse numbers come
    first, the largest change at the top.

    If several syntheses share a name, their mean is drawn, unless one release has no mean.
    ``named`` are the labels of columns.
    """
    both = [row for row in everybody(rows) if row["change"] is not None]
    # scenarios may have different files
    labels = {
        name: means(row for row in both if row.get("scenario") == name)
        for name in {row.get("scenario") for row in both}
    }
    order = ["worse", "better", "changed"]
    changed = [
        row
        for row in both
        if row["synthesis"] in labels[row.get("scenario")] and row["outcome"] in order
        if in_percent(row) and row["unit"] != SCALED
    ]
    changed.sort(key=lambda row: (order.index(row["outcome"]), -abs(row["change"])))
    if first := changed[:MOST]:
        among = {name: both if name in ALWAYS else first for name in ABOUT}
        several = {name for name in ABOUT if len({row.get(name) for row in among[name]}) > 1}
        lines = [
            _line(_named(row, several, named), row["old"], row["new"], row["outcome"])
            for row in first
        ]
        worse = sum(row["outcome"] == "worse" for row in changed)
        title = f"What changed: {worse} worse, {len(changed) - worse} better or neither"
        more = f" The {MOST} of {len(changed)} that count most." if len(changed) > MOST else ""
        yield _figure(title, lines, f"{RELEASES}{more}")


def before_and_after(found: Any) -> Iterable[Figure]:
    """Draw each percentage before and after the file was rewritten. A row that was not measured
    afterwards has only the number before. ``found`` is a `Protection` or a `Recoding`.
    """
    rows = [row for row in found.risks if in_percent(row) and row["before"]["value"] is not None]
    several = {name for name in ("target", "synthesis") if len({row.get(name) for row in rows}) > 1}
    lines = []
    for row in rows:
        old, new = row["before"]["value"], (row["after"] or row["before"])["value"]
        if new is not None:
            role = "worse" if new > old else "better" if new < old else "equal"
            role = "" if row["after"] is None else role
            lines.append(_line(_named(row, several, found.labels), old, new, role))
    if lines:
        title, caption = "Before: nothing was measured after", "Ring: before."
        if any(line["role"] for line in lines):
            less = sum(line["after"] < line["before"] for line in lines)
            title = f"Before and after: {less} of {len(lines)} numbers fell"
            caption += " Mark: after. A triangle is a number that rose, a diamond one that fell."
        yield _figure(title, lines, caption)


def _figure(title: str, lines: list[dict[str, Any]], caption: str) -> Figure:
    told = _apart(lines)
    said = "; ".join(f"{' '.join(line['name'].split())}: {line['said']}" for line in told)
    # Two releases are often so alike that their marks overlap. The row has both numbers.
    drawn = [line | {"name": f"{line['name']}\n{line['numbers']}"} for line in told]
    return Figure("changes", title, f"{title}. {said}", marks.dumbbells(drawn), caption)


def _line(name: str, before: float, after: float, role: str) -> dict[str, Any]:
    ends = (before, after) if role else (before,)
    said = " to ".join(map(percent, ends)) + (f", {SIGNS[role]}" if role else "")
    numbers = " → ".join(amount(end, "percent") for end in ends)
    line = {"name": name, "before": before, "after": after, "role": role}
    return line | {"said": said, "numbers": numbers}


def _named(row: Row, several: Iterable[str], labels: Mapping[str, str]) -> str:
    """Return the measure of a row with its point (``at``), and the fields in ``several`` (with
    different values in different rows) in lines of their own.
    """
    words: Mapping[str, str] = {
        "scenario": shown(row.get("scenario")),
        "target": row_name(row.get("target"), labels),
        "synthesis": synthesis_name(row.get("synthesis")),
    }
    at = [str(row["at"])] if row.get("at") is not None else []
    wanted = [words[name] for name in ABOUT if name in several and row.get(name) is not None]
    return "\n".join([" ".join([shown(row["measure"]), *at]), *wanted])


def _apart(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines with unique names: if a name is repeated, a number is added."""
    found: dict[str, int] = {}
    for line in lines:
        found[line["name"]] = found.get(line["name"], 0) + 1
        if found[line["name"]] > 1:
            line["name"] = f"{line['name']} ({found[line['name']]})"
    return lines
