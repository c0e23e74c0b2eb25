"""The external level: a report without levels and cells, in which no small count of people can be seen or worked out.

The rules by which result rows are hidden are at the head of `hidden_rows`. Left out altogether: checks but for which target is
flagged, distributions over people, shares of levels, trends (lines through numbers that may be hidden), populations that are
levels of a column, and every level that the user typed. Files are named without their folders. Overlap, exclusions and levels of
one side alone are hidden row by row when a count in them is small, or hidden among the results.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sqlrisk.inputs import conditions
from sqlrisk.inputs.fields import FREE_TEXTS
from sqlrisk.inputs.policy import BESIDE
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.html.hidden_rows import hidden_rows, is_small_count, subject_of

F = TypeVar("F", bound=Findings)

THRESHOLD = 10
OWN_POPULATIONS = ("all", "uniques", "special")  # those whose names are the program's
INSIDE = ("union", "left_out")  # families that stay inside: beside DiSCO, repU and the baselines they tell small counts
UNNAMED = "a level that is not named here"
# What a row is about; all else in it is numbers.
_ABOUT = ("measure", "family", "at", "target", "synthesis", "population", "people", "weighted", "unit", "note")


def external(report: F, threshold: int = THRESHOLD) -> F:
    """Return the report as it may leave the house. ``threshold`` is the least count that is not small."""
    names = _names(report)
    typed = _typed(report.scenario)
    known = [row for row in report.results if row["population"] in names]
    kept, results = ([row for row in known if (row["family"] in INSIDE) == inside] for inside in (True, False))
    hidden = hidden_rows(results, threshold)
    gone = {subject_of(row) for row in (*kept, *(results[place] for place in hidden))}
    counts = {results[place]["numerator"] for place in hidden} - {None, 0}
    return replace(
        report,
        scenario=_scenario(report.scenario, names, typed),
        original=_named(report.original),
        synthetic=[_named(side) for side in report.synthetic],
        control=None if report.control is None else _named(report.control),
        results=[_shown(row, names, hide=place in hidden) for place, row in enumerate(results)],
        differences=[
            _shown(row, names, hide=any(subject_of({**row, "people": people}) in gone for people in ("original", "control")))
            for row in report.differences
            if row["population"] in names and row["measure"] not in {each["measure"] for each in kept}
        ],
        checks={check: _flags(rows) for check, rows in report.checks.items()},
        exclusions=[_counted(row, ("cells", "records"), threshold, counts) for row in report.exclusions],
        levels=[_counted(row, ("only_original", "only_synthetic"), threshold, set()) for row in report.levels],
        overlap=[_counted(row, [name for name in row if name != "synthesis"], threshold, counts) for row in report.overlap],
        distributions=[],
        shares=[],
        trends=[],
        listings=[],
        rerun=None,
        policy=verdicts(report.policy, gone, names, typed) if report.policy else {},
        without_exclusions=[],
        assessment=[_assessed(row, typed) for row in report.assessment],
    )


def _names(report: Findings) -> dict[str, str]:
    """Return the populations that are shown, by what they are called: a name of the user's own may tell a level."""
    found = {str(row["population"]) for row in report.results}
    own = report.scenario.get("population")
    defined = list(own) if isinstance(own, Mapping) else []
    names = {name: name for name in OWN_POPULATIONS if name in found}
    return names | {name: f"population {place}" for place, name in enumerate(defined, 1) if name in found}


def _shown(row: Row, names: Mapping[str, str], *, hide: bool) -> Row:
    shown = {**row, "population": names[row["population"]]}
    if hide:
        shown |= {**{name: None for name in row if name not in _ABOUT}, "hidden": True}
    return shown


def _counted(row: Row, fields: Sequence[str], threshold: int, counts: set[object]) -> Row:
    """Return a row of counts; none of them where one is small, or the numerator of a hidden row."""
    if any(isinstance(row[name], int) and (is_small_count(row[name], threshold) or row[name] in counts) for name in fields):
        return {**row, **dict.fromkeys(fields), "hidden": True}
    return row


def _assessed(row: Row, typed: Sequence[str]) -> Row:
    """Return a row of the assessment in whose texts no typed level is named."""
    return {**row, "reasons": [{**reason, "text": _without(reason["text"], typed)} for reason in row["reasons"]]}


def _flags(rows: Sequence[Row]) -> list[Row]:
    """Return which target a check flags, in which synthesis, and nothing more."""
    return [
        {**dict.fromkeys(rows[0]), "target": target, "synthesis": synthesis, "hidden": True}
        for target, synthesis in dict.fromkeys((row["target"], row["synthesis"]) for row in rows)
    ]


def _named(side: Mapping[str, object]) -> dict[str, object]:
    return {**side, "source": Path(str(side.get("source"))).name}


def _scenario(scenario: Mapping[str, Any], names: Mapping[str, str], typed: Sequence[str]) -> dict[str, object]:
    """Return the settings without what would tell a level."""
    shown = dict(scenario)
    for setting in ("exclude_level", "special"):
        shown[setting] = {column: [UNNAMED] * len(levels) for column, levels in (shown.get(setting) or {}).items()}
    shown["missing"] = [UNNAMED] * len(shown.get("missing") or [])
    shown["exclude_pair"] = [
        {**pair, "target_level": UNNAMED, "key_level": UNNAMED} if isinstance(pair, Mapping) else UNNAMED
        for pair in shown.get("exclude_pair") or []
    ]
    shown["population"] = {
        names[name]: "a condition that is not shown here" for name in shown.get("population") or {} if name in names
    }
    shown["populations"] = [names[name] for name in shown.get("populations") or [] if name in names]
    shown["baseline"] = {column: Path(file).name for column, file in (shown.get("baseline") or {}).items()}
    if shown.get("split_in") is not None:
        shown["split_in"] = UNNAMED
    shown |= {name: _without(shown[name], typed) for name in FREE_TEXTS if isinstance(shown.get(name), str)}
    return shown | {"distributions": False, "trend": False}


def _typed(scenario: Mapping[str, Any]) -> list[str]:
    """Return the levels that the user typed, the longest first."""
    levels = [level for name in ("exclude_level", "special") for each in (scenario.get(name) or {}).values() for level in each]
    pairs = [pair for pair in scenario.get("exclude_pair") or [] if isinstance(pair, Mapping)]
    levels += [pair[name] for pair in pairs for name in ("target_level", "key_level")]
    for condition in (scenario.get("population") or {}).values():
        levels += [level for comparison in conditions.read(condition, "population") for level in comparison.levels]
    return sorted({str(level) for level in [*levels, scenario.get("split_in")] if level not in (None, "")}, key=len, reverse=True)


def _without(text: str, typed: Sequence[str]) -> str:
    """Return a text in which levels that were typed are not named."""
    pattern = "|".join(re.escape(level) for level in typed)
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", "(a level)", text, flags=re.IGNORECASE) if typed else text


def verdicts(policy: Mapping[str, Any], gone: set[tuple[Hashable, ...]], names: Mapping[str, str], typed: Sequence[str]) -> Row:
    """Return the policy without the values of rows that are hidden, what is about populations that are not shown, and levels."""
    kept = []
    for row in policy["verdicts"]:
        if row.get("population") not in (None, *names):
            continue
        place = tuple(row.get(name) for name in ("target", "synthesis", "population"))
        # A limit may be a number of another measure.
        lost = {str(key[0]) for key in gone if key[2:5] == place or (key[2] is None and key[3:5] == place[1:])}
        hide = row.get("measure") in lost or any(name in str(row["rule"]) for name in lost)
        texts = {name: _without(row[name], typed) for name in ("rule", "reason", "exception") if isinstance(row.get(name), str)}
        # How many people are left out, and the number with them: their difference is a count that may be small.
        shown = {
            **row,
            **{name: None for name in BESIDE if name in row},
            **texts,
            "population": names.get(row.get("population"), row.get("population")),
        }
        kept.append({**shown, "value": None, "limit": None, "hidden": True} if hide else shown)
    return {**policy, "verdicts": kept}
