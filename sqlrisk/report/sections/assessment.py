"""Blocks that say whether the files can be assessed and how many whole rows they share."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sqlrisk.catalogue.reasons import STATES, is_note, state_of
from sqlrisk.common.look_alikes import toml_key, toml_text
from sqlrisk.report.blocks import Block, GridColumn, Heading, Items, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.wording import NOTHING, amount, number_of, or_nothing, shown, synthesis_name

NOTE = "note"
SAME_LEVELS = "Do the files have the same levels?"
MERGES = 20  # maximum number of groups of levels that look the same: nobody reads a longer list


def worst(assessment: Sequence[Row]) -> str:
    """Return the worst state of an assessment's rows."""
    return max((str(row["state"]) for row in assessment), key=STATES.index, default=STATES[0])


def of_all(assessments: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the rows of several assessments together. If only some assessments have a reason, its
    text begins with their names.
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
    """Return each reason once, as (state, text). A reason that does not make the files less
    assessable has the state `NOTE`.
    """
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
        *others, last = [text for text in texts if texts[text] == next(iter(texts.values()))]
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
            (GridColumn("file", label=True), lambda row: synthesis_name(shown(row["synthesis"]))),
            (GridColumn("people", label=True), lambda row: row["who"]),
            (
                GridColumn("rows of\npeople, %"),
                partial(number_of, field="records_percent", unit="percent"),
            ),
            (
                GridColumn("people\nin it, %"),
                partial(number_of, field="people_percent", unit="percent"),
            ),
            (GridColumn("unique\nrows"), partial(number_of, field="uniques")),
            (
                GridColumn("of them\nin it, %"),
                partial(number_of, field="uniques_percent", unit="percent"),
            ),
        ],
        copies,
    )


def columns(found: Sequence[Row]) -> list[Block]:
    """Return how many records of each column have levels that the other side lacks."""
    return [
        Heading(SAME_LEVELS),
        table(
            [
                (GridColumn("column", label=True), lambda row: shown(row["column"])),
                (GridColumn("type", label=True), lambda row: or_nothing(row["type"])),
                (
                    GridColumn("file", label=True),
                    lambda row: synthesis_name(shown(row["synthesis"])),
                ),
                (GridColumn("levels of\noriginal"), lambda row: amount(row["levels_original"])),
                (GridColumn("levels of\nthe file"), lambda row: amount(row["levels_synthetic"])),
                (
                    GridColumn("people\napart, %"),
                    lambda row: _percent(row["people_apart"], row["people"]),
                ),
                (
                    GridColumn("records\napart, %"),
                    lambda row: _percent(row["records_apart"], row["records"]),
                ),
            ],
            sorted(found, key=lambda row: [each["column"] for each in found].index(row["column"])),
        ),
        Paragraph("Apart: at a level that the other file lacks.", quiet=True),
    ]


def files(read: Sequence[Row]) -> list[Block]:
    """Return how the CSV files are read, or nothing if there are none."""
    found = [row for row in read if row["format"] == "CSV"]
    if not found:
        return []
    named = {"\t": "tab", " ": "space", "": "none"}
    return [
        Heading("How are the CSV files read?"),
        table(
            [
                (GridColumn("file", label=True), lambda row: shown(row["file"])),
                (GridColumn("encoding", label=True), lambda row: shown(row["encoding"])),
                *(
                    (
                        GridColumn(heading, label=True),
                        lambda row, name=name: named.get(row[name], row[name]),
                    )
                    for name, heading in (
                        ("delimiter", "separated by"),
                        ("decimal", "decimal mark"),
                        ("quote", "quoted by"),
                    )
                ),
            ],
            found,
        ),
    ]


def left_out(sides: Sequence[Row]) -> list[Block]:
    """Return the rows and columns of files that were not read, or nothing if all were read."""
    said = []
    for side in sides:
        what = (
            [f"{amount(rows)} empty row{'s' if rows != 1 else ''}"]
            if (rows := side.get("empty_rows"))
            else []
        )
        what += ["the first column, which has no name"] if side.get("row_names") else []
        what += ["reasons for missing values"] if side.get("reasons") else []
        what += [_unread(columns)] if (columns := side.get("columns")) else []
        said += (
            [f"{shown(side.get('source', side.get('file')))}: {' and '.join(what)}."]
            if what
            else []
        )
    return [Paragraph("Left out:"), Items(list(dict.fromkeys(said)))] if said else []


def _unread(columns: Sequence[str]) -> str:
    return (
        f"{'the column' if len(columns) == 1 else 'the columns'} "
        f"{', '.join(map(shown, columns))}, which no database can hold"
    )


def missing(found: Sequence[Row]) -> list[Block]:
    """Return how many records have each code that its file declares missing, or nothing if there
    are none.
    """
    if not found:
        return []
    return [
        Heading("Which values do the files declare missing?"),
        table(
            [
                *(
                    (GridColumn(name, label=True), lambda row, name=name: shown(row[name]))
                    for name in ("file", "column", "code")
                ),
                (GridColumn("label", label=True), lambda row: or_nothing(row["label"])),
                (GridColumn("records"), lambda row: amount(row["records"])),
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
        Heading("Which levels look the same?"),
        table(
            [
                (
                    GridColumn("below, in a scenario file", label=True),
                    lambda row: f"[column.{toml_key(row['column'])}.merge]",
                ),
                (GridColumn("levels that become one", label=True), _merge),
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


def _percent(part: int, whole: int) -> str:
    return amount(100 * part / whole, "percent") if whole else NOTHING
