"""Find texts that look alike but differ (levels and column names), and files that were read in a
wrong encoding.

Levels come from the dictionaries, so no record is read again. Look-alikes are reported, never
merged. See `sqlrisk.inspect`.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.common.look_alikes import difference, is_misread, plain
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.sources import Source
from sqlrisk.plan.assessment import LookAlike
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.wording import shown, synthesis_name

LEVELS, COLUMNS, TEXTS = "levels_look_alike", "columns_look_alike", "texts_misread"
# the number of the synthesis (0 for the universe), and the two files to compare
Pair = tuple[int, File, File]
# a level: its code, one of its texts, and file number -> records
Level = tuple[int, str, dict[int, int]]


@dataclass
class LookAlikes:
    """Look-alike texts of a run: the findings, their sentences, and the levels to merge.

    ``words`` maps (reason, synthesis, subject) to the words that complete the sentence of a finding
    (see `LookAlike`). ``merges`` has a row for each set of look-alike levels: the ``column``, their
    plain text as ``level``, and the ``levels``.
    """

    rows: list[LookAlike] = field(default_factory=list)
    words: dict[tuple[str, int, int | None], str] = field(default_factory=dict)
    merges: Rows = field(default_factory=list)

    def add(self, row: LookAlike, words: str) -> None:
        """Add a finding and its words."""
        self.rows.append(row)
        self.words[row.what, row.comparison, row.subject] = words


def find(
    layout: Layout,
    session: Session,
    places: Collection[int],
    apart: Collection[int],
) -> LookAlikes:
    """Find levels and column names that look alike, and files whose texts were misread.

    ``places`` are the positions of the columns whose levels may be compared. ``apart`` are the
    positions of the columns in which one file has a level that another lacks.
    """
    found = LookAlikes()
    names, pairs = named(layout), list(_pairs(layout))
    texts = {
        number: list(_said(source, session.engine))
        for number, source in enumerate(layout.sources)
        if _unsaid(source, session.engine)
    }
    for place in places:
        if place in apart or texts or len(pairs) > len(layout.singles):
            levels = _levels(layout.columns[place], layout, session, every=bool(texts))
            _compare_levels(place, levels, layout, pairs, names, found)
            for number, own in texts.items():
                own += [text for _, text, records in levels if records.get(number)]
    for number, own in texts.items():
        beyond = [text for text in own if not text.isascii()]
        if beyond and all(map(is_misread, beyond)):
            comparison = next(
                (each.number for each in layout.singles if each.members[0].number == number), 0
            )
            found.add(LookAlike(TEXTS, comparison, 0, number), file_name(layout, number))
    _compare_columns(layout, pairs, names, found)
    return found


def named(layout: Layout) -> dict[int, str]:
    """Return the name of each file for use in sentences, by the file's number."""
    names = {
        file.number: "the universe" if file.universe else f"the {file.who}" for file in layout.files
    }
    for each in layout.singles:
        number = each.members[0].number
        names[number] = f"{synthesis_name(shown(each.label))} ({file_name(layout, number)})"
    return names


def file_name(layout: Layout, number: int) -> str:
    """Return the name of a file without its folder, by the file's number."""
    return shown(PurePath(layout.sources[number].label).name)


def _pairs(layout: Layout) -> Iterator[Pair]:
    """Yield the pairs of files to compare: original and control with each synthesis, and the
    original with the universe.
    """
    for each in layout.singles:
        yield from ((each.number, people, each.members[0]) for people in layout.people_files)
    if layout.universe is not None:
        yield 0, layout.files[0], layout.universe


def _unsaid(source: Source, engine: Engine) -> bool:
    return any(part.encoding_unsaid for part in engine.labels(source))


def _said(source: Source, engine: Engine) -> Iterator[str]:
    """Yield the labels of columns and values that a file declares."""
    for part in engine.labels(source):
        for column in part.columns.values():
            yield from (column.label or "", *column.values.values())


def _levels(column: Column, layout: Layout, session: Session, *, every: bool) -> list[Level]:
    """Return the levels of a column that may look like another level.

    These are the levels that differ from their plain form (`plain`), and the levels that are the
    plain form of another. For a recoded or binned column, or with ``every``, return all levels. The
    universe is counted only for keys.
    """
    files = [file for file in layout.files if not file.universe or column in layout.keys]
    query = (
        f"SELECT code, value, {', '.join(file.count for file in files)} FROM "
        f"{table('levels', column)} WHERE "
    )
    numbers = [file.number for file in files]
    rows = session.fetch(
        query + ("value IS NOT NULL" if column.shares_codes or every else session.engine.odd_texts)
    )
    if not column.shares_codes and not every:
        odd = {text for _, text, *_ in rows if plain(text) != text}
        meant = odd.union(map(plain, odd))
        rows = (
            [row for row in session.fetch(query + "value IS NOT NULL") if row[1] in meant]
            if odd
            else []
        )
    return sorted(
        (code, text, dict(zip(numbers, map(int, counts), strict=True)))
        for code, text, *counts in rows
    )


def _compare_levels(
    place: int,
    levels: Sequence[Level],
    layout: Layout,
    pairs: Sequence[Pair],
    names: dict[int, str],
    found: LookAlikes,
) -> None:
    """Add a finding for each synthesis if one of two files has a level that the other lacks, and
    the other has a look-alike of it.

    ``place`` is the position of the column. The sentence of a finding names the pair of levels with
    the most records.
    """
    column = layout.columns[place]
    records: dict[int, dict[int, int]] = {}  # code -> file number -> records
    alike: dict[str, dict[int, str]] = {}  # plain text -> code -> one of its texts
    for code, text, counts in levels:
        known = records.setdefault(code, dict.fromkeys(counts, 0))
        records[code] = {number: known[number] + many for number, many in counts.items()}
        alike.setdefault(plain(text), {}).setdefault(code, text)
    # synthesis -> (file number, code) -> records
    told: dict[int, dict[tuple[int, int], int]] = {}
    most: dict[int, tuple[int, str]] = {}
    for level, texts in alike.items():
        met = False
        for number, *files in pairs if len(texts) > 1 else ():
            for mine, theirs in (files, files[::-1]):
                there = [code for code in texts if records[code].get(theirs.number)]
                lacked = [
                    code for code in texts if records[code].get(mine.number) and code not in there
                ]
                if there and lacked:
                    met = True
                    own = {(mine.number, code): records[code][mine.number] for code in lacked}
                    told.setdefault(number, {}).update(own)
                    (_, code), many = max(own.items(), key=lambda each: each[1])
                    other = max(there, key=lambda each: records[each][theirs.number])
                    if many > most.get(number, (0, ""))[0]:
                        pair = (code, other) if mine is files[0] else (other, code)
                        way, one, two = difference(*(texts[each] for each in pair))
                        most[number] = (
                            many,
                            (
                                f"{way}: {one} in {names[files[0].number]}, {two} in "
                                f"{names[files[1].number]}"
                            ),
                        )
        if met and level:
            found.merges.append(
                {"column": column.name, "level": level, "levels": list(texts.values())}
            )
    target = column.number if column in layout.targets else 0
    for number, own in told.items():
        found.add(LookAlike(LEVELS, number, target, place, sum(own.values())), most[number][1])


def _compare_columns(
    layout: Layout, pairs: Sequence[Pair], names: dict[int, str], found: LookAlikes
) -> None:
    """Add findings for column names that differ between two files but look the same."""
    told: dict[tuple[int, int], dict[tuple[str, str], str]] = {}
    columns = dict(enumerate(layout.file_columns))
    for number, one, other in pairs:
        # Control may be half of the original file, and then has no columns of its own.
        mine, theirs = (columns.get(file.number, columns[0]) for file in (one, other))
        called: dict[str, list[str]] = {}
        for name in theirs:
            called.setdefault(plain(name), []).append(name)
        for name in mine:
            for each in called.get(plain(name), ()):
                if each != name and not (each in mine and name in theirs):
                    way, first, second = difference(name, each)
                    words = (
                        f"{each!r}, in {way}: {first} in {names[one.number]}, {second} in "
                        f"{names[other.number]}"
                    )
                    told.setdefault((number, other.number), {}).setdefault((name, each), words)
    for (number, file), every in told.items():
        found.add(LookAlike(COLUMNS, number, 0, file), "; ".join(every.values()))
