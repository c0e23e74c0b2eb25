"""Check whether the files can be assessed: run the checks of sql/reasons and write a sentence for
each finding, by synthesis and target.

A command that compares synthetic files with an original calls `begin` first and `assess` last.
Between the two it makes the table ``overlap`` (classes that the files share). Without that table,
key combinations are not judged.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from sqlrisk.analyses import look_alikes
from sqlrisk.analyses.preparation.encoding import encode
from sqlrisk.analyses.preparation.opening import labels_by_column
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.reasons import ASSESSABLE, STATES, Reason, reasons
from sqlrisk.inputs.datatypes import family, is_whole
from sqlrisk.inputs.labels import disagreements
from sqlrisk.inputs.request import Question
from sqlrisk.plan import assessment as plan
from sqlrisk.plan.assessment import TEXT, Change
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.membership import row_scores
from sqlrisk.report.wording import amount, shown

# Minimum number of people unique on all columns, or of empty records: fewer do not prove a copy or
# a badly formatted file.
LEAST = 10
# A column is doubtful if at least this percentage of records have levels that the other file lacks.
APART = 50
# The lower threshold of a column whose levels mostly match once their spelling is normalized.
SOME = 5
EMPTY = 1  # Report empty records if they are at least this percentage of a file's records.
NAMES_PEOPLE = 90  # A key identifies people if at least this percentage of people is unique on it.
# Maximum number of levels for which spellings are compared: each spelling takes one more scan of
# the dictionary.
FOLDED = 1_000_000
COPIES = (
    "people", "records", "people_released", "records_of_people", "uniques", "pairs",
    "uniques_released", "people_percent", "records_percent", "uniques_percent",
)  # fmt: skip
# Phrases for levels that match once their spelling is normalized. The keys are the folds of
# sql/macros/folds.sql.
CAUSES = {
    "case": "in capitals in one file, in small letters in the other",
    "blanks": "with blanks at the start or end in one file",
    "leading_zeros": "with leading zeros in one file",
    "decimal_comma": "with a decimal comma in one file, a point in the other",
    "number_as_text": "as text, with decimals in one file",
    "date_format": "as dates in two formats",
    "missing_text": "with a text for missing values (NA and the like) in one file",
}
MANY = 200  # A column with more levels is not a list of codes.
AS_THEY_ARE = "as_they_are"  # spelling not normalized
SIDES = (
    "people_apart", "records_apart", "levels_original", "levels_synthetic", "people", "records",
)  # fmt: skip
NAMES = "; if it only names records, say so: "
CODES = "; both have the same number of levels: perhaps codes in one file, labels in the other"


def begin(
    question: Question, session: Session, *, numbered: bool = False, every_target: bool = True
) -> Layout:
    """Encode the files of a question, and count copied rows in the table ``copies``.

    Without syntheses, no copies are counted. ``numbered`` and ``every_target`` are passed to
    `encode`. Raises the errors of `encode`.
    """
    compared = bool(question.syntheses)
    layout = encode(
        question, session, numbered=numbered, every_target=every_target, whole_rows=compared
    )
    if compared:
        session.once("copies", lambda: count_copies(layout, session))
    return layout


def count_copies(layout: Layout, session: Session) -> None:
    """Make the table ``copies``: people and synthetic records with the same whole row."""
    rows = plan.rows_of(layout)
    session.create(chain(plan.distinct_rows(rows), plan.copies(rows, layout)))


def compare_rows(layout: Layout, session: Session, *, membership: bool = False) -> Rows:
    """Make and read the table ``copies``: people and synthetic records with the same whole row.

    Returns one row per synthesis and file of people. Its ``independent`` is the chance that a
    random record equals some person's row, if its columns are drawn independently with the
    original's shares. With ``membership``, also count people by the number of synthetic records
    with their whole row, in the table ``row_scores``.
    """
    return session.once(
        ("copies", membership), lambda: _compare_rows(layout, session, membership=membership)
    )


def _compare_rows(layout: Layout, session: Session, *, membership: bool) -> Rows:
    rows = plan.rows_of(layout)
    session.create(plan.distinct_rows(rows))
    if membership:
        session.create([row_scores(layout, "distinct_rows")])
    session.create(plan.log_shares(rows))
    ((independent,),) = session.fetch(plan.independent())
    session.create(plan.copies(rows, layout))
    found = session.fetch(plan.people_copied())
    labels = {each.number: each.label for each in layout.singles}
    return [
        {
            "synthesis": labels[number],
            "who": "control" if of_control else "original",
            "columns": len(rows.columns),
            "looked_at": rows.whole.share,
            **dict(zip(COPIES, counted, strict=True)),
            "independent": float(independent) / rows.whole.share,
        }
        for number, of_control, *counted in sorted(found)
    ]


def assess(layout: Layout, session: Session) -> tuple[Rows, Rows, Rows]:
    """Return three lists: the assessment, the level differences, and the levels that look the same.

    The assessment has a row per synthesis and target, with its state and the reasons. A row with
    target None is about the whole synthesis. A row with synthesis None holds the reasons that
    concern no synthesis. The level differences have a row per synthesis and column without a
    tolerance. All lists are empty without a synthesis. Key combinations are judged only if the
    table ``overlap`` exists.
    """
    if not layout.singles:
        return [], [], []
    sides = _look_at_levels(layout, session)
    alike = look_alikes.find(layout, session, *_texts(layout, sides))
    if alike.rows:
        session.create([plan.look_alikes(alike.rows)])
    labelled = _labelled_otherwise(layout, session)
    if labelled:
        session.create([plan.label_sides(labelled)])
    if cut := _cut_numbers(layout, session):
        session.create([plan.cut_numbers(cut)])
    targets_looked_at = _look_at_keys(layout, session)
    _look_at_empty_rows(layout, session)
    if "overlap" in session.tables:
        session.create([plan.matched_people(layout)])
    scenario = layout.scenario
    limits = {
        "copied": f"{scenario.copied:.15g}",
        "matched": f"{scenario.matched:.15g}",
        "least": LEAST,
        "apart": APART,
        "some": SOME,
        "names": NAMES_PEOPLE,
        "empty": EMPTY,
    }
    words = _Words(layout, sides, labelled, alike.words)
    known = {reason.name: reason for reason in reasons() if reason.reads in session.tables}
    found: dict[tuple[int, int], list[tuple[Reason, str]]] = {}
    rows = session.fetch(plan.reasons_found(known.values(), targets_looked_at, limits))
    for name, number, target, subject, value in sorted(
        rows, key=lambda row: (known[row[0]].order, row[1:4])
    ):
        sentence = words.sentence(known[name], number, target, subject, value)
        found.setdefault((number, target), []).append((known[name], sentence))
    places = [
        (each.number, target)
        for each in layout.singles
        for target in (0, *(one.number for one in layout.targets))
    ]
    labels = {each.number: each.label for each in layout.singles}
    targets = {target.number: target.name for target in layout.targets}
    worst: Any = {"key": STATES.index, "default": ASSESSABLE}
    assessment = [
        {
            "synthesis": labels.get(number),
            "target": targets.get(target),
            # A target's state is never better than that of its file.
            "state": max(
                (
                    reason.state
                    for place in (0, target)
                    for reason, _ in found.get((number, place), ())
                ),
                **worst,
            ),
            "reasons": [
                {"code": reason.name, "text": text, "state": reason.state}
                for reason, text in found.get((number, target), ())
            ],
        }
        for number, target in (*sorted(place for place in found if not place[0]), *places)
    ]
    columns = [
        {
            "synthesis": labels[number],
            "column": layout.columns[place].name,
            "type": None if (kind := layout.columns[place].kind) is None else family(kind),
            **dict(zip(SIDES, counted, strict=True)),
        }
        for (number, place, fold), counted in sorted(sides.items())
        if fold == AS_THEY_ARE
    ]
    return assessment, columns, alike.merges


Sides = dict[tuple[int, int, str], tuple[int, ...]]
"""(comparison, position of a column, fold) -> the counts that `SIDES` names."""


def _look_at_levels(layout: Layout, session: Session) -> Sides:
    """Make and return the table ``level_sides``: for each column, the people and records whose
    level the other file lacks.

    It covers all columns without a tolerance. Some text columns are also compared with each
    spelling normalized. They have no bins or recodes, and at most `FOLDED` levels in each file. At
    least `SOME` percent of the people or of the synthetic records have a level that the other file
    lacks.
    """
    exact = [place for place, column in enumerate(layout.columns) if column.tolerance is None]
    if not exact:
        return {}
    session.create(plan.level_sides(layout, exact, [AS_THEY_ARE]))
    sides = _sides(session)
    far = {
        place
        for (_, place, _), (
            people_apart,
            records_apart,
            original,
            synthetic,
            people,
            records,
        ) in sides.items()
        if max(original, synthetic) <= FOLDED
        and (SOME * people <= 100 * people_apart or SOME * records <= 100 * records_apart)
    }
    texts = sorted(
        place
        for place in far
        if layout.columns[place].type in (TEXT, None) and not layout.columns[place].shares_codes
    )
    if not texts:
        return sides
    session.create(plan.level_sides(layout, texts, plan.FOLDS, adds=True))
    return _sides(session)


def _texts(layout: Layout, sides: Sides) -> tuple[list[int], set[int]]:
    """Return the positions of the columns to search for look-alike levels, and of the columns in
    which one file has a level that another lacks.

    Only text columns with at most `FOLDED` levels are searched.
    """
    found = [(place, counts) for (_, place, fold), counts in sides.items() if fold == AS_THEY_ARE]
    many = {
        place
        for place, (_, _, original, synthetic, _, _) in found
        if max(original, synthetic) > FOLDED
    }
    texts = {place for place, _ in found if layout.columns[place].type == TEXT}
    apart = {
        place for place, (people_apart, records_apart, *_) in found if people_apart or records_apart
    }
    return sorted(texts - many), apart


def _sides(session: Session) -> Sides:
    found = session.fetch(f"SELECT comparison, position, fold, {', '.join(SIDES)} FROM level_sides")
    return {tuple(row[:3]): tuple(row[3:]) for row in found}


def _labelled_otherwise(layout: Layout, session: Session) -> dict[tuple[int, int], str]:
    """Find columns whose codes the files label differently, by (synthesis, column position).

    Synthesis 0 stands for the original, control and universe. Each value quotes one code with both
    labels. A column that is compared by label is listed once, for synthesis 0 and with an empty
    value. It is not listed if the user asked for labels.
    """
    found: dict[tuple[int, int], str] = {}
    for number, files in _compared(layout).items():
        known = labels_by_column([layout.sources[file.number] for file in files], session.engine)
        for place, name in enumerate(column.name for column in layout.columns):
            if name in session.engine.by_label:
                entry = layout.scenario.column.get(name)
                if number == 0 and not (entry and entry.codes):
                    found[0, place] = ""
                continue
            parts = known.get(name, [])
            for each in (
                each
                for each in disagreements([labels for _, labels in parts])
                if each.code is not None
            ):
                one, other = (shown(parts[part][0].name) for part in each.files)
                first, second = map(shown, each.labels)
                found[number, place] = (
                    f"the code {shown(each.code)} is {first!r} in {one} and {second!r} in {other}"
                )
                break
    return found


def _compared(layout: Layout) -> dict[int, list[File]]:
    """Return number -> files to compare with each other. The number of a synthesis has the original
    and the synthetic file. 0 has the original, control and universe.
    """
    return {0: [file for file in layout.files if not file.synthetic]} | {
        each.number: [each.people, *each.members] for each in layout.singles
    }


def _cut_numbers(layout: Layout, session: Session) -> dict[tuple[int, int], int]:
    """Find columns whose numbers a SAS file stores in fewer bytes than another file, so decimals
    are lost.

    Returns (synthesis, column position) -> the smallest number of bytes. Synthesis 0 stands for the
    original, control and universe.
    """
    found: dict[tuple[int, int], int] = {}
    for number, files in _compared(layout).items():
        said = [
            (file.types, part.columns)
            for file in files
            for part in session.engine.labels(layout.sources[file.number])
        ]
        for place, name in (
            (place, each.name)
            for place, each in enumerate(layout.columns)
            if each.tolerance is None
        ):
            left = {
                None if is_whole(kinds[name]) or name not in columns else columns[name].cut_to
                for kinds, columns in said
                if name in kinds
            }
            if len(left) > 1:
                found[number, place] = min(filter(None, left))
    return found


def _look_at_keys(layout: Layout, session: Session) -> list[Column]:
    """Make the table ``determined``, and return the targets that a single key may determine.

    Testing all people is slow. If there are many people, a sample of classes is tested first. Keys
    and targets that the sample rules out are then not tested on all people.
    """
    if not layout.parts:
        return []
    # Several scenarios number their keys together. A reason counts the keys of its own.
    keys = [
        replace(part, column=replace(part.column, number=layout.keys.index(part.column) + 1))
        for part in layout.parts
    ]
    targets, some = list(layout.targets), plan.some_people(layout)
    if targets and some is not None:
        session.create(
            [some, plan.determined(keys, targets, some.table, into="determined_of_some")]
        )
        counts = ", ".join(f"several_{target.id}" for target in targets)
        rows = session.fetch(f"SELECT key_number, {counts} FROM determined_of_some")
        found = {number: several for number, *several in rows}
        if found:  # a sample of few classes may hold nobody, and rules out nothing
            keys = [key for key in keys if 0 in found[key.column.number]]
            targets = [
                target
                for target, *several in zip(targets, *found.values(), strict=True)
                if 0 in several
            ]
    if targets:
        session.create([plan.determined(keys, targets, "records", into="determined")])
    return targets


def _look_at_empty_rows(layout: Layout, session: Session) -> None:
    """Make the table ``empty_rows`` for files in which at least `LEAST` records and `EMPTY` percent
    may be empty.

    An upper bound of the empty records is cheap to find: the dictionaries count the missing values
    of each column.
    """
    rows = plan.rows_of(layout)
    # With one column, an empty row is only a missing value.
    files = layout.counted_files if len(rows.columns) > 1 else ()
    for query in plan.empty_at_most(layout) if files else ():
        (counts,) = session.fetch(query)
        at_most = {
            file.number: most for file, most in zip(layout.counted_files, counts, strict=True)
        }
        files = tuple(
            file
            for file in files
            if at_most[file.number] >= max(LEAST, EMPTY * layout.records[file.number] / 100)
        )
        if not files:
            return
    if files:
        session.create([plan.empty_rows(rows, files, layout)])


class _Words:
    """The sentences of reasons, with the names of files and columns filled in."""

    def __init__(
        self,
        layout: Layout,
        sides: Sides,
        labelled: Mapping[tuple[int, int], str],
        alike: Mapping[tuple[str, int, int | None], str],
    ) -> None:
        self._labelled, self._alike = labelled, alike
        self._rows, self._columns, self._sides = plan.rows_of(layout), layout.columns, sides
        self._changes = {change.number: change for change in self._rows.changes}
        self._targets = {target.number: shown(target.name) for target in layout.targets}
        names = look_alikes.named(layout)
        self._files = {each.number: names[each.members[0].number] for each in layout.singles}
        # file number -> name
        self._sources = {
            each.members[0].number: self._files[each.number] for each in layout.singles
        }
        for file in layout.people_files:
            who = "control" if file.control else "the original"
            self._sources[file.number] = f"{who} ({look_alikes.file_name(layout, file.number)})"

    def sentence(
        self, reason: Reason, number: int, target: int, subject: int | None, value: float
    ) -> str:
        """Return the sentence of a reason for a synthesis ``number`` and a target, 0 for none.

        ``subject`` is the number of a change to whole rows, the number of a file, or the position
        of a column: the text of the reason decides. ``value`` is the amount found.
        """
        says = {
            "file": self._files.get(number, ""),
            "target": self._targets.get(target, ""),
            "columns": str(len(self._rows.columns)),
            "amount": amount(int(value) if reason.unit == "count" else value, reason.unit),
            "found": self._alike.get((reason.name, number, subject), ""),
        }
        sample = self._rows.whole
        if "{source}" in reason.says:
            says["source"] = self._sources[subject or 0]
        elif "{change}" in reason.says:
            change = self._changes[subject or 0]
            says["change"], sample = _change(change), change.sample
        elif "{column}" in reason.says and subject is not None:
            says |= {
                "column": shown(self._columns[subject].name),
                "cause": self._cause(number, subject),
            }
            says["labels"] = self._labelled.get((number, subject), "")
        says["looked_at"] = (
            f", among the 1 in {sample.mask + 1} rows that were compared" if sample.mask else ""
        )
        # str.format would evaluate a column name such as {x.attribute}.
        text = "".join(
            says[piece[1:-1]] if piece.startswith("{") else piece
            for piece in re.split(r"(\{\w+\})", reason.says)
        )
        return text[:1].upper() + text[1:] if reason.says.startswith("{file}") else text

    def _cause(self, number: int, position: int) -> str:
        """Name the spelling difference that explains at least half of the unmatched records.

        If no spelling does, and both columns are text with an equal number of levels, at most
        `MANY`, suggest that one file may hold codes. If each record has a level of its own and the
        files share none, suggest that the column only names records. Otherwise return "".
        """
        if (number, position, AS_THEY_ARE) not in self._sides:
            return ""
        plain = self._sides[number, position, AS_THEY_ARE]
        apart = plain[0] + plain[1]
        left = {
            fold: sum(self._sides[number, position, fold][:2])
            for fold in CAUSES
            if (number, position, fold) in self._sides
        }
        best = min(left, key=left.__getitem__, default=None)
        if best is not None and 2 * left[best] <= apart:
            return f"; they are written {CAUSES[best]}"
        known = (look_alikes.LEVELS, number, position) in self._alike
        coded = (
            not known
            and self._columns[position].type == TEXT
            and plain[2] == plain[3]
            and 1 < plain[2] <= MANY
        )
        if coded:
            return CODES
        # each record has its own level, and the files share none
        people_apart, records_apart, *levels, people, records = plain
        alone = [people_apart, records_apart] == [people, records] == levels
        name = shown(self._columns[position].name)
        return f"{NAMES}--column {name}.role=identifier" if alone else ""


def _change(change: Change) -> str:
    if change.column is not None:
        return f"without the column {shown(change.column.name)}"
    return f"with numbers rounded to {change.digits} digits"
