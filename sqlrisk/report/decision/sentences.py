"""Write the numbers of a report as sentences."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sqlrisk.inputs.columns.links import sides_of
from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report.blocks import Block, Heading, Items, Paragraph, Sentence
from sqlrisk.report.declared import having
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.wording import (
    HIDDEN,
    Row,
    comparable,
    count,
    distinct,
    in_percent,
    is_single,
    label_name,
    listed,
    number_of,
    plain_text,
    pooled,
    pools,
    shown,
    split,
    spoken,
    unit_of,
)

# Beginning of a sentence about a count of people. The words decide, not a property of the measure,
# because they are replaced if the number is hidden (sql/docs/measures.md, `says`).
OF_PEOPLE = "Of {denominator} people, {numerator} ({value} %)"
KEYS_SAID = 3  # with more keys, they are named once, above the sentences
MANY_KEYS = "these columns"
# Word next to a count -> its form next to the count 1: "1 (0.02 %) is unique", "1 person who has".
OF_ONE = {
    "are": "is",
    "were": "was",
    "have": "has",
    "share": "shares",
    "fit": "fits",
    "differ": "differs",
    "people": "person",
    "records": "record",
    "groups": "group",
    "levels": "level",
    "cells": "cell",
    "columns": "column",
    "rows": "row",
    "descriptions": "description",
}
# with many keys, "their keys" becomes "their values of these columns"
OWNED = re.compile(r"\b(their|whose|same|own|file's) (?=\{keys\})")


def of_rows(report: Findings) -> Iterator[tuple[Row, Sentence]]:
    """Yield the rows that have a sentence, with that sentence. If there are several syntheses,
    yield only the row with the highest value for each measure and target.
    """
    measures = distinct(comparable(report.results, report), "measure")
    said = having("finding", report.declared)
    for measure in [measure for measure in measures if measure in said] or measures:
        says = report.headers.get(measure, {}).get("says")
        rows = _at_its_point(of_files(report, measure), report.declared.get(measure, {}))
        first = [(row["population"], row["weighted"], "original") for row in rows[:1]]
        rows = [row for row in rows if (row["population"], row["weighted"], row["people"]) in first]
        several = len({row["synthesis"] for row in rows}) > 1
        for _, every in split(rows if isinstance(says, str) else [], "target"):
            own = [row for row in every if None not in (row["value"], row["numerator"])]
            if own:
                worst = max(own, key=lambda row: count(row["value"]))
                highest = "highest" if len(own) == len(every) else "highest of those not hidden"
                lead = (
                    f"In synthesis {worst['synthesis']}, where it is {highest}, " if several else ""
                )
                yield worst, _said(str(says), worst, report, lead)
            elif every[0].get("hidden"):
                yield every[0], _hidden(str(says), every[0], report)


def _at_its_point(rows: list[Row], shown: Mapping[str, object]) -> list[Row]:
    """Return the rows at the first or last point, as the measure's header ``shown`` requires
    (`said_at`). If it requires neither, return the rows without points.
    """
    points = {row["at"] for row in rows} - {None}
    end = {"first": min, "last": max}.get(str(shown.get("said_at")))
    point = end(points, key=float) if end and points else None
    return [row for row in rows if row["at"] == point]


def of_files(report: Findings, measure: object) -> list[Row]:
    """Return the rows of a measure about a single file."""
    rows = report.of_measure.get(plain_text(measure), [])
    return [row for row in rows if is_single(plain_text(row["synthesis"]))]


def pool_blocks(report: Findings) -> list[Block]:
    """Return the blocks about pooled files. Empty if no number falls when files are pooled."""
    said = [*of_pools(report)]
    warning = Paragraph("More files do not make a release safer, although a number falls:")
    return [Heading("The files together"), warning, Items(said)] if said else []


def of_pools(report: Findings) -> Iterator[Sentence]:
    """Yield a sentence for each number that pooling lowers, naming numbers that do not fall."""
    rows = _without_points(report)
    widest = _widest(synthesis for *_, synthesis in rows)
    brief = having("brief", report.declared)
    beside = having("pooled", report.declared)
    for measure, target in dict.fromkeys(
        (measure, target) for measure, target, _ in rows if measure in beside
    ):
        for name, (files, label) in widest.items():
            ends = (f"{name} mean".strip(), label)
            alone, together = (rows.get((measure, target, end)) for end in ends)
            if alone and together and _falls(alone["value"], together["value"]):
                about = f"{shown(name)}: p" if name else "P"
                of = "" if target is None else f" of {shown(target)}"
                numbers = [
                    {each: rows.get((each, target, end)) for each in beside[measure]}
                    for end in ends
                ]
                yield Sentence(
                    f"{about}ooled, {measure}{of} falls from ",
                    number_of(alone, "value", "percent"),
                    f" % (mean of the {files} files) to ",
                    number_of(together, "value", "percent"),
                    " %.",
                    *_not_falling(beside[measure], numbers, brief),
                )


def of_all_files(report: Findings, found: Iterable[Row]) -> Iterator[Sentence]:
    """Yield a sentence for each name of syntheses. It says which targets somebody learns more about
    from all files of this name than from the single file of a finding.

    Yield none if they learn no more. ``found`` are the rows of the findings.
    """
    beside, brief = having("pooled", report.declared), having("brief", report.declared)
    rows = _without_points(report)
    widest = _widest(synthesis for *_, synthesis in rows)
    told: dict[str, list[str]] = {}
    words = ""
    for row in found:
        name, target = label_name(row["synthesis"]), row["target"]
        _, label = widest.get(name, (0, ""))
        for measure in beside.get(row["measure"], ()) if target is not None else ():
            together = rows.get((measure, target, label))
            if together and measure in brief and _falls(together["value"], row["value"]):
                words = brief[measure]
                learned = told.setdefault(name, [])
                learned += [", " if learned else "", f"{in_words(report, target)} "]
                learned += [number_of(together, "value", "percent"), " %"]
    for name, learned in told.items():
        of = f" of {shown(name)}" if name else ""
        holds = f"Somebody who holds all {widest[name][0]} files{of} learns more: "
        yield Sentence(holds, *learned, f" of all people ({words}).")


def _without_points(report: Findings) -> dict[tuple[str, str | None, str], Row]:
    """Return (measure, target, synthesis) -> row of all people, of measures without points."""
    return {
        (row["measure"], row["target"], row["synthesis"]): row
        for row in of_everybody(report)
        if row["at"] is None
    }


def _widest(labels: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return a dict of name of syntheses to (number of files, label of all of them pooled)."""
    every = list(dict.fromkeys(labels))
    return {name: (count, label) for name, count, label in pools(every) if pooled(label)}


def _falls(alone: object, together: object) -> bool:
    """Return True if pooling makes a number smaller, by more than rounding errors of a sum."""
    return None not in (alone, together) and count(together) < count(alone) * (1 - 1e-11)


def _not_falling(
    measures: Sequence[str], ends: Sequence[Mapping[str, Row | None]], brief: Mapping[str, str]
) -> Iterator[str]:
    """Yield the pieces of a sentence that compares these measures for one file and for all files.
    If none was computed for both, the sentence names a measure to request.

    ``ends`` has the rows by measure, for one file (the mean) and for all files pooled. ``brief``
    says in a few words what a measure means.
    """
    lead = " From one file to all of them, "
    for measure in measures:
        alone, together = (end[measure] for end in ends)
        if alone and together and None not in (alone["value"], together["value"]):
            yield f"{lead}{measure} goes from "
            yield number_of(alone, "value", "percent")
            yield " % to "
            yield number_of(together, "value", "percent")
            yield f" % ({brief[measure]})" if measure in brief else " %"
            lead = ", "
    yield "." if lead == ", " else f" Ask for {measures[-1]} as well: {brief[measures[-1]]}."


def without_exclusions(report: Findings, row: Row) -> tuple[Row, Row] | None:
    """Return `excluded`, and the measure's row without exclusions. None if nobody is excluded, or
    if the measure counts who is excluded.
    """
    out = excluded(report, row)
    whole = _in_place_of(row, report.without_exclusions, "measure", "at")
    return (out, whole) if out and whole and row["measure"] not in EXCLUDED else None


def excluded(report: Findings, row: Row) -> Row | None:
    """Return the row of the people whom exclusions remove from a measure. None if there are none,
    or if their number is hidden.
    """
    left = [each for measure in EXCLUDED for each in report.of_measure.get(measure, [])]
    out = _in_place_of(row, left)
    return out if out and out["numerator"] else None


def _in_place_of(row: Row, rows: Iterable[Row], *names: str) -> Row | None:
    """Return the first of the rows about the same people and target, and with equal ``names``."""
    names = ("target", "synthesis", "population", "people", "weighted", *names)
    return next((each for each in rows if all(each[name] == row[name] for name in names)), None)


def _beside(report: Findings, row: Row) -> list[str]:
    """Return the pieces of a sentence about `without_exclusions`. Empty if nobody is excluded."""
    both = without_exclusions(report, row)
    if both is None:
        return []
    out, whole = both
    left_out = number_of(out, "numerator")
    noun, verb = ("person", "is") if left_out == "1" else ("people", "are")
    beside = [
        " This leaves out ",
        left_out,
        f" {noun} (",
        number_of(out, "value", "percent"),
        f" % of all) who {verb} not counted; with them it is ",
    ]
    if whole.get("hidden"):
        return [*beside, "hidden."]
    value = [number_of(whole, "value", unit_of(row)), " %" * in_percent(row)]
    if "{numerator}" in str(report.headers[str(row["measure"])]["says"]):
        value = [number_of(whole, "numerator"), " (", *value, ")"]
    return [*beside, *value, "."]


def again(report: Findings, row: Row) -> Sentence:
    """Return a short sentence for a count of people, for use below a full sentence about the same
    measure. Empty if the number is hidden, or not a count of people.
    """
    says = report.headers.get(str(row["measure"]), {}).get("says")
    if not str(says).startswith(OF_PEOPLE) or row.get("hidden"):
        return Sentence()
    several = len({each["synthesis"] for each in of_files(report, row["measure"])}) > 1
    where = f", in synthesis {row['synthesis']}" if several else ""
    return Sentence(
        spoken(row, "numerator"),
        " of ",
        spoken(row, "denominator"),
        " people (",
        number_of(row, "value", unit_of(row)),
        f" %){where}.",
        *_beside(report, row),
    )


def _said(says: str, row: Row, report: Findings, lead: str) -> Sentence:
    if keys_in_words(report) == MANY_KEYS:
        says = OWNED.sub(r"\1 values of ", says)
    words = {
        "numerator": spoken(row, "numerator"),
        "denominator": spoken(row, "denominator"),
        "value": number_of(row, "value", unit_of(row)),
        "target": in_words(report, row["target"]),
        "keys": keys_in_words(report),
        "at": f"{row['at']}",
    }
    for name in ("numerator", "denominator", "value", "at"):
        if words[name] == "1":
            says = _of_one(says, name)
    says = says[0].lower() + says[1:] if lead else says
    # not str.format: a user's own sentence must not reach into objects
    pieces = re.split(r"(\{\w+\})", says)
    told = (words.get(piece[1:-1], piece) if piece.startswith("{") else piece for piece in pieces)
    return Sentence(lead, *told, *_beside(report, row))


def _of_one(says: str, name: str) -> str:
    """Return a sentence in which the words next to the count ``name`` agree with 1."""
    word = rf"(?:{'|'.join(OF_ONE)})\b"
    beside = rf"(?:There are )?\{{{name}\}}(?:(?: synthetic| different| fewer| who)* {word})*"
    if name == "numerator":  # its verb stands behind its percentage
        beside += rf"|\{{value\}}(?: %)?\) {word}"
    return re.sub(
        beside,
        lambda found: re.sub(r"\w+", lambda each: OF_ONE.get(each[0], each[0]), found[0]),
        says,
    )


def _hidden(says: str, row: Row, report: Findings) -> Sentence:
    """Return the sentence for a hidden number, with an upper limit of people if one is known."""
    if not says.startswith(OF_PEOPLE):
        return Sentence("The number is hidden.")
    most = None if spoken(row, "numerator") == HIDDEN else row.get("numerator_high")
    people = "A hidden number of people" if most is None else f"Fewer than {most + 1:,} people"
    return Sentence(people, _said(says.removeprefix(OF_PEOPLE), row, report, ""))


def in_words(report: Findings, column: object) -> str:
    """Return a column in words: its label or its name. A link names two sets of columns."""
    text = plain_text(column)
    if text in listed(report.scenario.get("link")):
        return of_sides(text, partial(in_words, report))
    return shown(report.labels.get(text, text.replace("_", " ").strip() or text))


def of_sides(link: str, named: Callable[[object], str]) -> str:
    """Return both sides of a link in words. ``named`` names a column."""
    return " with ".join(conjoined(map(named, side)) for side in sides_of(link))


def keys_in_words(report: Findings) -> str:
    """Return the keys in words for use in a sentence. If there are more than ``KEYS_SAID``, return
    "these columns". `known` lists them all.
    """
    keys = listed(report.scenario.get("keys"))
    return MANY_KEYS if len(keys) > KEYS_SAID else conjoined(in_words(report, key) for key in keys)


def known(report: Findings) -> str:
    """Return the keys that an intruder is assumed to know, in words."""
    return conjoined(in_words(report, key) for key in listed(report.scenario.get("keys")))


def conjoined(items: Iterable[str]) -> str:
    """Return items joined by commas and "and"."""
    *most, last = [*items] or [""]
    return f"{', '.join(most)} and {last}" if most else last
