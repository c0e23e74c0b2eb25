"""An annex: which parts of a report answer the headings of SP 800-188 and WP216."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import Any

from sqlrisk.inputs.release import SAID, release_of
from sqlrisk.report.blocks import Block, Heading, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings, not_measured, of_first_population
from sqlrisk.report.sections.cells import text, word
from sqlrisk.report.wording import names, number_of, shown, unit_of, valued

COLUMNS = ("framework", "heading", "answered", "measures", "says")
ANSWERED, NOT_ANSWERED = "yes", "no"


@cache
def frameworks() -> list[dict[str, Any]]:
    """Return the frameworks with their name, title and headings.

    A heading may have ``measures`` and ``parts`` that answer it. ``otherwise`` and ``answered`` (by
    default "no") are for a report in which nothing answers it (see `rows`).
    """
    text = (files("sqlrisk.report.signing") / "evidence.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["framework"]
    return found


def rows(report: Findings) -> list[Row]:
    """Return a row of ``COLUMNS`` for each heading: the part of the report that answers the
    heading, or why there is none.
    """
    parts = dict(_parts(report))
    found = []
    for framework in frameworks():
        for heading in framework["heading"]:
            every = [_worst(report, name) for name in heading.get("measures", ())]
            worst = [row for row in every if row is not None]
            said = [parts[name] for name in heading.get("parts", ()) if name in parts]
            told = [*said, *map(_told, worst)]
            answered, says = heading.get("answered", NOT_ANSWERED), heading["otherwise"]
            if told:
                answered, says = ANSWERED, " ".join(told)
            elif not report.of_measure.keys().isdisjoint(heading.get("measures", ())):
                says = "Measured, but no number of it is shown."
            else:
                says = says.replace("Not measured", not_measured(report))
            measures = [row["measure"] for row in worst]
            values = (framework["name"], heading["heading"], answered, measures, says)
            found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def blocks(report: Findings) -> Iterator[Block]:
    """Yield the annex: a table for each framework."""
    yield Heading("Evidence: what answers the headings of two frameworks")
    yield Paragraph(
        "For each measure, the largest number of all targets and files is shown; the tables have "
        "the others. A measured risk may still be too high, and what was not measured proves "
        "nothing.",
        quiet=True,
    )
    found = rows(report)
    for framework in frameworks():
        yield Heading(framework["title"], 3)
        own = [row for row in found if row["framework"] == framework["name"]]
        yield table([word("heading"), word("answered"), text("by", itemgetter("says"))], own)


def _parts(report: Findings) -> Iterator[tuple[str, str]]:
    """Yield the name and sentence of each part that answers headings without a measure."""
    scenario = report.scenario
    if release := release_of(scenario):
        told = ", ".join(SAID.get(name, shown(name)).lower() for name in release)
        yield "release", f"Stated: {told}."
    if scenario.get("keys"):
        targets = names(scenario.get("targets")) or "none"
        yield "question", f"Known to an intruder: {names(scenario.get('keys'))}. Wanted: {targets}."
    if report.assessment:
        state = "; ".join(dict.fromkeys(str(row["state"]) for row in report.assessment))
        yield "assessment", f"Whole records and levels were compared: {state}."
    if report.control is not None:
        yield "control", "People in the synthesis were compared with people who were not in it."
    if report.population_uniques:
        said = "The number of people who are unique in the population was estimated."
        yield "population_uniques", said
    if report.utility is not None:
        yield "utility", "The tables of the file were compared with the original's."
    if report.policy:
        yield "policy", f"{shown(report.policy['name'])}: {shown(report.policy['verdict'])}."


def _worst(report: Findings, measure: str) -> Row | None:
    """Return the row with the largest number of a measure, or None."""
    rows = [row for row in valued(of_first_population(report)) if row["measure"] == measure]
    return max(rows, key=lambda row: row["value"], default=None)


def _told(row: Row) -> str:
    """Return a sentence with a result.

    For example: ``DiSCO 46.19 (income, synthesis 2; percent of original records).``
    """
    at = "" if row["at"] is None else f" at {row['at']:g}"
    target = "" if row["target"] is None else f"{shown(row['target'])}, "
    whom = "" if row["population"] == "all" else f", {shown(row['population'])}"
    where = f"{target}synthesis {shown(row['synthesis'])}{whom}"
    unit = unit_of(row)
    return f"{row['measure']}{at} {number_of(row, 'value', unit)} ({where}; {unit})."
