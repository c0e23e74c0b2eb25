"""Blocks of `inspect`: verdict, reasons, shared rows, levels, CSV forms, missing codes, and
look-alike levels.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter

from sqlrisk.catalogue.reasons import STATES, is_note, state_of
from sqlrisk.common.look_alikes import toml_key, toml_text
from sqlrisk.report.blocks import Block, GridColumn, Heading, Items, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import (
    amount,
    names,
    or_nothing,
    share,
    shown,
    split,
    synthesis_name,
)

NOTE = "note"
SAME_LEVELS = "Do the files have the same levels?"
LOOK_ALIKES = "Which levels look the same?"
MERGES = 20  # maximum number of groups of levels that look the same: nobody reads a longer list


def worst(assessment: Sequence[Row]) -> str:
    """Return the worst state of an assessment's rows, ``assessable`` if there are none."""
    return max((str(row["state"]) for row in assessment), key=STATES.index, default=STATES[0])


def of_all(assessments: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the rows of several assessments, given by name. A reason that only some of them have
    begins with their names.
    """
    having: dict[str, list[str]] = {}
    for name, rows in assessments.items():
        for text in {reason["text"] for row in rows for reason in row["reasons"]}:
            having.setdefault(text, []).append(name)

    def named(reason: Row) -> Row:
        names = having[reason["text"]]
        if len(names) == len(assessments):
            return reason
        return {**reason, "text": f"{', '.join(names)}: {reason['text']}"}

    return [
        {**row, "reasons": [named(reason) for reason in row["reasons"]]}
        for rows in assessments.values()
        for row in rows
    ]


def told(assessment: Sequence[Row]) -> list[tuple[str, str]]:
    """Return each reason once, as (state, text). Its state is `NOTE` if it raises no doubt."""
    found = [
        (NOTE if is_note(reason["code"]) else state_of(reason, row), reason["text"])
        for row in assessment
        for reason in row["reasons"]
    ]
    return list(dict.fromkeys(found))


def doubts(assessment: Sequence[Row]) -> Iterator[str]:
    """Yield the text of each reason that makes files less assessable. If several synthetic files
    have reasons of one kind, only those of the first are told, and the others are counted.
    """
    found: dict[str, dict[str, object]] = {}  # code -> text -> the first synthesis that has it
    for row in assessment:
        for reason in row["reasons"]:
            if not is_note(reason["code"]):
                found.setdefault(reason["code"], {}).setdefault(reason["text"], row["synthesis"])
    for texts in found.values():
        first = next(iter(texts.values()))
        *others, last = [each for each, synthesis in texts.items() if synthesis == first]
        yield from others
        more = len(texts) - len(others) - 1
        yield f"{last} {more} more of this kind in other files." if more else last


def blocks(
    assessment: Sequence[Row], copies: Sequence[Row] = (), *, keyless: bool = False
) -> list[Block]:
    """Return the verdict, each reason once, and the number of people whose whole row is in a
    synthetic file. Empty without an assessment.

    If no keys were named (``keyless``), the verdict says that keys were not checked.
    """
    if not assessment:
        return []
    reasons = {text: state for state, text in told(assessment)}
    found = {
        "reasons": [*reasons.items()],
        "copies": copies,
        "state": worst(assessment),
        "keyless": keyless,
    }
    return said("assessment", found, copies=[_copies(copies)])


def _copies(copies: Sequence[Row]) -> Block:
    return table(
        [
            cells.text("file", _file),
            cells.text("people", itemgetter("who")),
            cells.number("records_percent", "rows of\npeople, %", "percent"),
            cells.number("people_percent", "people\nin it, %", "percent"),
            cells.number("uniques", "unique\nrows"),
            cells.number("uniques_percent", "of them\nin it, %", "percent"),
        ],
        copies,
    )


def _file(row: Row) -> str:
    return synthesis_name(shown(row["synthesis"]))


def columns(found: Sequence[Row]) -> list[Block]:
    """Return how many records of each column have levels that the other side lacks."""
    return [
        Heading(SAME_LEVELS),
        table(
            [
                cells.label("column"),
                cells.text("type", lambda row: or_nothing(row["type"])),
                cells.text("file", _file),
                cells.number("levels_original", "levels of\noriginal"),
                cells.number("levels_synthetic", "levels of\nthe file"),
                *(
                    (GridColumn(f"{side}\napart, %"), partial(_apart, side))
                    for side in ("people", "records")
                ),
            ],
            [row for _, of_column in split(found, "column") for row in of_column],
        ),
        Paragraph("Apart: at a level that the other file lacks.", quiet=True),
    ]


def files(read: Sequence[Row]) -> list[Block]:
    """Return how the CSV files are read, or nothing if there are none."""
    found = [row for row in read if row["format"] == "CSV"]
    if not found:
        return []
    return [
        Heading("How are the CSV files read?"),
        table(
            [
                cells.label("file"),
                cells.label("encoding"),
                cells.text("separated by", partial(_mark, "delimiter")),
                cells.text("decimal mark", partial(_mark, "decimal")),
                cells.text("quoted by", partial(_mark, "quote")),
            ],
            found,
        ),
    ]


def _mark(field: str, row: Row) -> str:
    mark: str = row[field]
    return {"\t": "tab", " ": "space", "": "none"}.get(mark, mark)


def left_out(sides: Sequence[Row]) -> list[Block]:
    """Return the rows and columns of files that were not read, or nothing if all were read."""
    said = []
    for side in sides:
        what = []
        if rows := side.get("empty_rows"):
            what.append(f"{amount(rows)} empty row{'s' if rows != 1 else ''}")
        if side.get("row_names"):
            what.append("the first column, which has no name")
        if side.get("reasons"):
            what.append("reasons for missing values")
        if columns := side.get("columns"):
            several = "s" if len(columns) > 1 else ""
            what.append(f"the column{several} {names(columns)}, which the database cannot hold")
        if what:
            file = side.get("source", side.get("file"))
            said.append(f"{shown(file)}: {' and '.join(what)}.")
    return [Paragraph("Left out:"), Items(list(dict.fromkeys(said)))] if said else []


def missing(found: Sequence[Row]) -> list[Block]:
    """Return how many records have each code that its file declares missing, if any."""
    if not found:
        return []
    return [
        Heading("Which values do the files declare missing?"),
        table(
            [
                *map(cells.label, ("file", "column", "code")),
                cells.text("label", lambda row: or_nothing(row["label"])),
                cells.number("records"),
            ],
            found,
        ),
    ]


def merges(found: Sequence[Row]) -> list[Block]:
    """Return the recode that merges levels that look the same, or nothing if there are none."""
    if not found:
        return []
    left = len(found) - MERGES
    return [
        Heading(LOOK_ALIKES),
        table(
            [
                cells.text(
                    "below, in a scenario file",
                    lambda row: f"[column.{toml_key(row['column'])}.merge]",
                ),
                cells.text("levels that become one", _merge),
            ],
            found[:MERGES],
        ),
        *([Paragraph(f"{amount(left)} more in JSON, which has all of them.")] if left > 0 else []),
        Paragraph(
            "This recode makes them one. Characters that look alike are written as code points. "
            "Disclosive: these are levels of real people. Keep them where the original is kept.",
            quiet=True,
        ),
    ]


def _merge(row: Row) -> str:
    return f"{toml_text(row['level'])} = [{', '.join(map(toml_text, row['levels']))}]"


def _apart(side: str, row: Row) -> str:
    return share(row[f"{side}_apart"], row[side])
