"""Steps that check if files can be assessed: copied records, mismatched codes, unusable keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeVar

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.reasons import Reason
from sqlrisk.inputs import datatypes
from sqlrisk.plan.class_key import PackedKey
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step, fill

# All records of a file are searched for copies up to this number of records.
ALL_LOOKED_AT = 1_000_000
# And up to this number of values, because grouping by many columns is slow and takes memory.
ALL_VALUES = 20_000_000
LOOKED_AT = 2**16  # about the maximum number of records that are searched in a larger file
CHANGED = 2**13  # about the maximum number of records of a file that are searched with a change
HASH_SIZE = 2**50  # sums of smaller hashes over thousands of columns fit into a BIGINT
ROUNDINGS = (3, 2)  # significant digits
FOLDS = (
    "case", "blanks", "leading_zeros", "decimal_comma", "number_as_text", "date_format",
    "missing_text",
)  # fmt: skip
TEXT = "VARCHAR"
# Blanks besides the space, in a text that says nothing.
BLANKS = tuple(map(templates.literal, "\t\n\r\u00a0\u3000"))
Each = TypeVar("Each")
# Columns or changes per statement. The time to plan it grows with their number times that of all
# columns.
TOGETHER = 50
FEW = 4  # fewest columns, besides numbers, that make two groups (hands) to choose a sample by
# Hand of a column -> the two hands that choose a sample without it.
_OTHERS = ((1, 2), (0, 2), (0, 1))


@dataclass(frozen=True)
class HashSample:
    """A sample of rows, chosen by their values. ``hands`` are the numbers of two groups of columns.
    A row is in the sample if the hashes of the two groups are equal in all bits of ``mask``, so
    equal rows of other files are in it too. With mask 0 all rows are in it.
    """

    hands: tuple[int, int]
    mask: int

    @property
    def flag(self) -> str:
        """The column that marks the rows in the sample."""
        return "in_{}_{}".format(*self.hands)

    @property
    def share(self) -> float:
        """The expected share of rows in the sample."""
        return 1 / (self.mask + 1)


@dataclass(frozen=True)
class LookAlike:
    """A finding about names or levels that look the same but differ, or about misread texts.

    ``what`` is the code of its reason. ``comparison`` is 0 if it concerns no synthesis, ``target``
    is 0 if it concerns no target. For levels, ``subject`` is the position of the column and
    ``records`` the number of records with these levels. Otherwise ``subject`` is the number of the
    file and ``records`` is 0.
    """

    what: str
    comparison: int
    target: int
    subject: int
    records: int = 0


@dataclass(frozen=True)
class Change:
    """A change to rows before they are compared: a column is left out, or numbers are rounded.

    ``rest`` is the SQL of the changed row's hash. ``column`` is the column that is left out, or
    None if numbers are rounded. ``digits`` is the number of significant digits to round to, or None
    if a column is left out.
    """

    number: int
    sample: HashSample
    rest: str
    column: Column | None = None
    digits: int | None = None


def is_number(column: Column) -> bool:
    """Return True if a column is numeric."""
    return datatypes.is_numeric(column.type or "")


@dataclass(frozen=True)
class Rows:
    """The comparison of whole rows of files, over the columns in `Layout.shared`.

    ``records`` is the number of records of the largest file. With ``everything``, unchanged rows
    are compared without a sample.
    """

    files: tuple[File, ...]
    columns: tuple[Column, ...]
    records: int
    everything: bool

    @cached_property
    def whole(self) -> HashSample:
        """The sample of rows that are compared unchanged."""
        few = self.records <= ALL_LOOKED_AT and self.records * len(self.columns) <= ALL_VALUES
        return HashSample(
            _OTHERS[0], 0 if few or self.everything else _mask(self.records, LOOKED_AT)
        )

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The changes: each column left out in turn, and numbers rounded to each of ``ROUNDINGS``.
        Numbers are not rounded if their sample cannot be chosen without them. Empty for a single
        column.
        """
        if len(self.columns) < 2:
            return ()
        mask = _mask(self.records, CHANGED)
        changes = [
            Change(0, HashSample(_OTHERS[turn], mask), f"hash_row - hash_{column.id}", column)
            for turn, hand in enumerate(self.hands)
            for column in hand
        ]
        numbers = {column.id for column in self.numbers}
        if numbers and (not mask or numbers <= {column.id for column in self.hands[0]}):
            changes += [
                Change(0, HashSample(_OTHERS[0], mask), f"hash_row_{digits}", digits=digits)
                for digits in ROUNDINGS
            ]
        return tuple(
            replace(change, number=number) for number, change in enumerate(changes, start=1)
        )

    @cached_property
    def numbers(self) -> tuple[Column, ...]:
        """The numeric columns."""
        return tuple(filter(is_number, self.columns))

    @cached_property
    def samples(self) -> tuple[HashSample, ...]:
        """The samples of all changes, without repeats."""
        return tuple(dict.fromkeys(change.sample for change in self.changes))

    @cached_property
    def hands(self) -> tuple[tuple[Column, ...], ...]:
        """The columns in three groups (hands), from which samples are chosen.

        If there are enough other columns for two groups, all numbers are in the first group. The
        sample for rounded numbers is then chosen by the two other groups, so rounding does not
        affect it.
        """
        numbers = self.numbers if len(self.columns) - len(self.numbers) >= FEW else ()
        first_of_all = {column.id for column in numbers}
        others = [column for column in self.columns if column.id not in first_of_all]
        # The number of other columns whose place in the first hand the numbers take.
        place = min(len(numbers), len(others) // 3)
        first = others[: max(0, len(others) // 3 - place)]
        rest = others[len(first) :]
        return (*numbers, *first), tuple(rest[::2]), tuple(rest[1::2])


def _mask(records: int, most: int) -> int:
    """Return the smallest mask whose sample has about ``most`` records or fewer."""
    mask = 0
    while records > most * (mask + 1):
        mask = 2 * mask + 1
    return mask


def rows_of(layout: Layout) -> Rows:
    """Return the comparison of whole rows of all files of a layout except the universe."""
    files = layout.counted_files
    return Rows(
        files,
        layout.shared,
        max(layout.records[file.number] for file in files),
        layout.scenario.every_record,
    )


def distinct_rows(rows: Rows) -> Iterator[Step]:
    """Make the table ``distinct_rows``. For large files it holds a sample, and the table
    ``sampled_rows`` is made too.
    """
    names: dict[str, object] = {"files": rows.files, "columns": rows.columns, "hands": rows.hands}
    shared: str = templates.nested(
        templates.union_all(
            templates.stage("stages/assessment/shared_rows.sql", file=file, **names)
            for file in rows.files
        )
    )
    if rows.whole.mask:
        names |= {"samples": _wanted(rows), "numbered": len(rows.columns) > TOGETHER}
        yield fill(
            "copies", "sampled_rows", "stages/assessment/sampled_rows.sql", rows=shared, **names
        )
        shared = "sampled_rows"
    yield fill(
        "copies",
        "distinct_rows",
        "stages/assessment/distinct_rows.sql",
        rows=shared,
        sample=rows.whole,
        **names,
    )


def log_shares(rows: Rows) -> Iterator[Step]:
    """Make the table ``log_shares`` from ``distinct_rows``: for each row of people, the logarithm
    of the probability of its values if columns were independent. A wide row has several entries,
    one for each group of columns.
    """
    original, parts = rows.files[0], _in_parts(rows.columns)
    for number, columns in enumerate(parts):
        read = "distinct_rows"
        if len(parts) > 1:
            names = ["row_number", original.count, *(column.id for column in columns)]
            some = fill(
                "copies",
                f"some_columns_{number}",
                "stages/assessment/some_columns.sql",
                rows=read,
                names=names,
            )
            yield some
            read = some.table
        shares = {"rows": read, "original": original, "columns": columns}
        step = fill("copies", "log_shares", "stages/assessment/log_shares.sql", **shares)
        yield replace(step, adds=number > 0, drops=read if len(parts) > 1 else None)


def independent() -> str:
    """Return the query of the probability that a record equals the row of some person, if columns
    were independent.
    """
    return templates.stage("stages/assessment/independent_rows.sql", log_shares="log_shares")


def copies(rows: Rows, layout: Layout) -> Iterator[Step]:
    """Make the table ``copies`` from ``distinct_rows``, which is dropped.

    ``copies`` counts the people whose row is in a file, unchanged and with changes.
    """
    compared = {"comparisons": _by_synthesis(layout)}
    whole = fill(
        "copies",
        "copies",
        "stages/assessment/copies.sql",
        rows="distinct_rows",
        change=0,
        **compared,
    )
    if not rows.changes:
        yield replace(whole, drops="distinct_rows")
        return
    yield whole
    parts = _in_parts([*chain(*rows.hands)])
    sums = _sums(rows, ())
    left_out = {change.column.id: change for change in rows.changes if change.column}
    rounded = [change for change in rows.changes if change.column is None]
    # The hashes of one part are dropped before the next are made: all together they fill the
    # memory.
    if len(parts) > 1:
        for columns in parts:
            yield replace(
                _row_hashes(rows, columns, "part_sums", kept=()), adds=columns is not parts[0]
            )
        yield replace(
            fill(
                "copies", "row_sums", "stages/assessment/row_sums.sql", parts="part_sums", sums=sums
            ),
            drops="part_sums",
        )
    for columns in parts:
        hashed = _row_hashes(rows, columns, "row_hashes", kept=columns, summed=len(parts) == 1)
        yield replace(hashed, drops="distinct_rows" if columns is parts[-1] else None)
        hashes = "row_hashes" if len(parts) == 1 else "summed_hashes"
        if len(parts) > 1:
            held = [f"hash_{column.id}" for column in columns]
            names = [
                *held,
                *(each.flag for each in rows.samples),
                *(each.count for each in rows.files),
            ]
            made = {"hashes": "row_hashes", "row_sums": "row_sums", "names": names, "sums": sums}
            yield replace(
                fill("copies", hashes, "stages/assessment/summed_hashes.sql", **made),
                drops="row_hashes",
            )
        changes = [left_out[column.id] for column in columns] + (
            rounded if columns is parts[-1] else []
        )
        changed = {"files": rows.files, "changes": changes, "hashes": hashes}
        yield replace(
            fill("copies", "changed_rows", "stages/assessment/changed_rows.sql", **changed),
            drops=hashes,
        )
        added = fill(
            "copies",
            "copies",
            "stages/assessment/copies.sql",
            rows="changed_rows",
            change="change",
            **compared,
        )
        yield replace(added, adds=True, drops="changed_rows")


def _in_parts(columns: Sequence[Each]) -> list[Sequence[Each]]:
    """Return the columns in groups, one group for each statement."""
    return [columns[start : start + TOGETHER] for start in range(0, len(columns), TOGETHER)]


def _sums(rows: Rows, columns: Sequence[Column]) -> dict[str, list[str]]:
    """Return column name -> the SQL hashes to add up for it: of the row unchanged (``hash_row``),
    and of the row with numbers rounded.
    """
    sums = {"hash_row": [f"hash_{column.id}" for column in columns]}
    for digits in ROUNDINGS if rows.numbers else ():
        sums[f"hash_row_{digits}"] = [
            f"hash_{each.id}_{digits}" if is_number(each) else f"hash_{each.id}" for each in columns
        ]
    return sums


def _row_hashes(
    rows: Rows, columns: Sequence[Column], into: str, *, kept: Sequence[Column], summed: bool = True
) -> Step:
    """Make or extend the table ``into`` with hashes of each row: one for each of the ``kept``
    columns and, with ``summed``, the sums over ``columns`` that identify a whole row (see `_sums`).
    """
    names = {
        "rows": "sampled_rows" if rows.whole.mask else "distinct_rows",
        "files": rows.files,
        "columns": columns,
        "kept": kept,
        "numbered": len(rows.columns) > TOGETHER,
        "samples": rows.samples,
        "numbers": [*filter(is_number, columns)] if summed else [],
        "roundings": ROUNDINGS,
        "sums": _sums(rows, columns) if summed else {},
        "size": HASH_SIZE,
    }
    placed = templates.stage("stages/assessment/placed_rows.sql", **names)
    return fill("copies", into, "stages/assessment/row_hashes.sql", **names, placed_rows=placed)


def people_copied() -> str:
    """Return the query of how many people have a row that is in the synthesis, and how many
    synthetic records have the row of a person.
    """
    return templates.stage("tables/people_copied.sql", copies="copies")


def _wanted(rows: Rows) -> list[HashSample]:
    """Return the samples to read from large files. The sample of unchanged rows contains every
    other sample by the same hashes, so those are dropped.
    """
    return list(
        dict.fromkeys(
            [rows.whole, *(each for each in rows.samples if each.hands != rows.whole.hands)]
        )
    )


def _by_synthesis(layout: Layout) -> list[tuple[Comparison, int]]:
    """Return each comparison with a single synthesis, and the number of the comparison of the
    original's people with that synthesis.
    """
    singles = [each for each in layout.comparisons if each.single]
    return [(each, layout.of_the_original(each).number) for each in singles]


def level_sides(
    layout: Layout, columns: Sequence[int], folds: Sequence[str], *, adds: bool = False
) -> Iterator[Step]:
    """Make or extend the table ``level_sides``, which counts records at levels that only one side
    has.

    ``columns`` are positions among keys and targets. ``folds`` name the spelling differences to
    ignore, such as case, or are ``as_they_are`` to ignore none (see sql/macros/folds.sql).
    """
    for number, places in enumerate(_in_parts(columns)):
        entries = [
            {
                "number": place,
                "target": column.number if column in layout.targets else 0,
                "levels": table("levels", column),
                "shared": column.shares_codes,
                "folds": folds,
            }
            for place in places
            for column in [layout.columns[place]]
        ]
        step = fill(
            "levels",
            "level_sides",
            "stages/assessment/level_sides.sql",
            entries=entries,
            comparisons=layout.singles,
        )
        yield replace(step, adds=adds or number > 0)


def label_sides(otherwise: Mapping[tuple[int, int], str]) -> Step:
    """Make the table ``label_sides`` of columns whose codes the files label differently. Its
    ``by_label`` is 1 if labels are compared, otherwise 0.

    ``otherwise`` maps (synthesis, column position) to the labels that differ, or to an empty text
    if labels are compared. Synthesis 0 stands for the files that are no synthesis.
    """
    entries = [
        {"comparison": number, "position": place, "by_label": 0 if differs else 1}
        for (number, place), differs in otherwise.items()
    ]
    return fill("levels", "label_sides", "stages/assessment/label_sides.sql", entries=entries)


def look_alikes(found: Iterable[LookAlike]) -> Step:
    """Make the table ``look_alikes`` from these findings."""
    return fill("levels", "look_alikes", "stages/assessment/look_alikes.sql", entries=list(found))


def empty_at_most(layout: Layout) -> Iterator[str]:
    """Yield queries that give an upper bound of each file's empty records. Each query reads some of
    the columns, text columns last, so a caller can stop as soon as no file may have many.
    """
    columns = (
        [column for column in layout.columns if not _is_text(column)],
        [*filter(_is_text, layout.columns)],
    )
    for some in chain(*map(_in_parts, columns)):
        entries = [
            {"levels": table("levels", column), "is_text": _is_text(column)} for column in some
        ]
        names = {"files": layout.counted_files, "entries": entries, "blanks": BLANKS}
        yield templates.stage("stages/assessment/empty_at_most.sql", **names)


def empty_rows(rows: Rows, files: Iterable[File], layout: Layout) -> Step:
    """Make the table ``empty_rows``, with a row per file: the number of its records, and of those
    with no value in any shared column.
    """
    numbers = {each.members[0].number: each.number for each in layout.singles}
    entries = [{"comparison": numbers.get(file.number, 0), "file": file} for file in files]
    columns = [(column, _is_text(column)) for column in rows.columns]
    names = {"entries": entries, "columns": columns, "blanks": BLANKS}
    return fill("levels", "empty_rows", "stages/assessment/empty_rows.sql", **names)


def _is_text(column: Column) -> bool:
    return datatypes.is_text(column.type or TEXT)


def cut_numbers(cut: Mapping[tuple[int, int], int]) -> Step:
    """Make the table ``cut_numbers`` of columns whose numbers a SAS file stores in fewer bytes than
    another file. ``cut`` maps (synthesis, column position) to the smallest number of bytes.
    Synthesis 0 stands for the files that are no synthesis.
    """
    entries = [
        {"comparison": number, "position": place, "bytes": left}
        for (number, place), left in cut.items()
    ]
    return fill("levels", "cut_numbers", "stages/assessment/cut_numbers.sql", entries=entries)


def some_people(layout: Layout) -> Step | None:
    """Make a table of the original's people in a sample of the classes. Return None if there are
    too few people to need a sample.
    """
    every = layout.every(max(1, layout.records[0] // LOOKED_AT))
    if every == 1:
        return None
    columns = [*layout.key_column_names, *(target.id for target in layout.targets)]
    return fill(
        "levels",
        "some_people",
        "stages/assessment/some_people.sql",
        columns=columns,
        every=every,
        records="records",
    )


def determined(
    keys: Sequence[PackedKey], targets: Sequence[Column], records: str, *, into: str
) -> Step:
    """Make a table that says which targets each key determines, for the people in a table of
    records.
    """
    names = {"parts": keys, "targets": targets, "records": records}
    return fill("levels", into, "stages/assessment/determined.sql", **names)


def matched_people(layout: Layout) -> Step:
    """Make the table ``matched_people``: the number of people whose keys each synthesis has, equal
    or within the tolerance.
    """
    overlap = "reached_overlap" if layout.scenario.near_keys else "overlap"
    return fill(
        "levels",
        "matched_people",
        "stages/assessment/matched_people.sql",
        overlap=overlap,
        comparisons=layout.singles,
    )


def reasons_found(
    reasons: Iterable[Reason], targets: Sequence[Column], limits: Mapping[str, object]
) -> str:
    """Return the query of the reasons that apply. ``limits`` are further names for the templates of
    reasons, such as thresholds.
    """
    queries = {
        reason.name: templates.stage(
            reason.path, **{reason.reads: reason.reads}, targets=targets, **limits
        )
        for reason in reasons
    }
    return templates.stage("stages/assessment/reasons_found.sql", reasons=queries)
