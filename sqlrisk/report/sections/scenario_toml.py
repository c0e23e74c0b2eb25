"""A draft of a scenario file: TOML with what was counted of each column in its comments, and no level of the data."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sqlrisk.common.output_files import replacing
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.report.results.file_survey import MANY_LEVELS, NAMES_RECORDS, TOO_MANY_LEVELS, ColumnCounts, Look
from sqlrisk.report.wording import shown

BINS = 10  # suggested: as many as make an age band of some years

HEAD = """\
# A scenario for sqlrisk, drafted by `sqlrisk init`. It holds names of columns and counts, no value of a record.
# Only you know what an intruder can know: edit keys and targets, and remove the # before what you want. Then run
#
#     sqlrisk score --scenario {file}
#
# `sqlrisk score --help` names every setting; - is written _ here."""
COLUMNS = """\
# The columns that all files have. Levels are the distinct values in the original, missing ones left out; only in: levels
# that one side alone has; missing in: records; alone: people whom the column by itself singles out."""
KEYS = """\
# What the intruder knows of a person. Suggested are the columns that, one after the other, single out most people; beside
# each, how many are alone with this one and those above it. Numbers with more than {many} levels are not suggested."""
TARGETS = """\
# What the intruder wants to learn."""
NUMBERS = """\
# Numbers with many levels agree only where they are the same. They can be cut into quantile bins, or, as targets, be right
# within a tolerance."""
MORE = """\
# Others that a first scenario may want:
#
# measures = ["identity", "attribute", "cap"]             # sqlrisk list names all, sqlrisk explain MEASURE tells more
# exclude_level = { COLUMN = ["LEVEL"] }                   # a target's level that is no secret; say why in the release note
# exclude_missing = ["COLUMN"]                             # people without a level there
# weights = "COLUMN"                                       # survey weights
# control = "FILE"                                         # people who were not in the synthesis, to compare with"""
HEADINGS = (
    ("column", ""),
    ("type", ""),
    ("levels", ""),
    ("only in", "original"),
    ("only in", "synthetic"),
    ("missing in", "original"),
    ("missing in", "synthetic"),
    ("alone", ""),
    ("alone", "percent"),
)


def write(look: Look, original: Source, syntheses: Sequence[Synthesis], path: str | os.PathLike[str] | None) -> str:
    """Return the text of a scenario file, which is saved where there is a ``path``. Raises InputError where it cannot be."""
    if path is None:
        return draft(look, original, syntheses, None)
    text = draft(look, original, syntheses, os.fspath(path))
    inputs = [each for source in (original, *(synthesis.source for synthesis in syntheses)) for each in source.paths]
    with replacing(os.fspath(path), inputs) as file:
        file.write(text.encode())
    return text


def draft(look: Look, original: Source, syntheses: Sequence[Synthesis], file: str | None) -> str:
    """Return the text of a scenario file to be saved as ``file``; its paths start there, or for None in the working folder."""
    folder = Path(file).parent if file is not None else Path()
    blocks = [
        HEAD.format(file=shown(file or "scenario.toml")),
        "\n".join(_files(look, original, syntheses, folder)),
        "\n".join([COLUMNS, "#", *_table(look)]),
        *("\n".join(block) for block in (_apart(look), _names_records(look)) if block),
        "\n".join([KEYS.format(many=TOO_MANY_LEVELS), *_keys(look)]),
        "\n".join([TARGETS, *_list("targets", [(name, "") for name in look.targets])]),
        *("\n".join([NUMBERS, *block]) for block in [_numbers(look)] if block),
        MORE,
    ]
    return "\n\n".join(blocks) + "\n"


def _files(look: Look, original: Source, syntheses: Sequence[Synthesis], folder: Path) -> Iterator[str]:
    people, *others = look.records
    yield f"original = {_quoted(_located(original, folder))}  # {people:,} records"
    methods: dict[str, list[tuple[str, str]]] = {}
    for synthesis, records in zip(syntheses, others, strict=True):
        methods.setdefault(synthesis.method, []).append((_located(synthesis.source, folder), f"{records:,} records"))
    for method, files in methods.items():
        yield from _list(f"synthetic.{_key(method)}" if method else "synthetic", files)


def _table(look: Look) -> Iterator[str]:
    rows = [
        (
            shown(column.name), column.type, column.levels, column.only_original, column.only_synthetic,
            column.missing_original, column.missing_synthetic, column.unique, f"{100 * column.unique / look.records[0]:.2f}",
        )
        for column in look.columns
    ]  # fmt: skip
    texts = [[each if isinstance(each, str) else f"{each:,}" for each in row] for row in rows]
    widths = [max(map(len, (*HEADINGS[place], *(row[place] for row in texts)))) for place in range(len(HEADINGS))]
    for row in ([above for above, _ in HEADINGS], [below for _, below in HEADINGS], *texts):
        cells = [
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"# {'  '.join(cells)}".rstrip()


def _apart(look: Look) -> list[str]:
    if not look.apart:
        return []
    return [
        "# These columns can be neither keys nor targets:",
        "#",
        *(f"# {shown(name)}: {shown(why)}" for name, why in look.apart.items()),
    ]


def _names_records(look: Look) -> list[str]:
    if not look.names_records:
        return []
    return [
        f"# More than {NAMES_RECORDS:.0%} of the people are alone with their value of these columns, which name them; they are",
        "# suggested neither as keys nor as targets. One can name the records in `sqlrisk records`.",
        *(f"# id = {_quoted(name)}" for name in look.names_records),
    ]


def _keys(look: Look) -> Iterator[str]:
    people = look.records[0]
    words = [f"{unique:,} of {people:,} people, {100 * unique / people:.2f} %" for _, unique in look.keys]
    yield from _list("keys", [(name, said) for (name, _), said in zip(look.keys, words, strict=True)])


def _numbers(look: Look) -> list[str]:
    return [
        line
        for column in look.columns
        if column.is_numeric and column.levels > MANY_LEVELS and column.name not in look.names_records
        for line in _ways(column, target=column.name in look.targets)
    ]


def _ways(column: ColumnCounts, *, target: bool) -> Iterator[str]:
    yield f"# bins.{_key(column.name)} = {BINS}  # {column.levels:,} levels"
    if target:
        yield f'# within.{_key(column.name)} = "5%"'


def _list(name: str, items: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a list with an item and a comment on each line."""
    quoted = [(f"    {_quoted(item)},", words) for item, words in items]
    width = max(len(item) for item, _ in quoted)
    yield f"{name} = ["
    yield from (f"{item.ljust(width)}  # {words}" if words else item for item, words in quoted)
    yield "]"


def _located(source: Source, folder: Path) -> str:
    """Return a source as seen from the folder of the scenario file; an absolute path, or a table's name, stays as it is."""
    return source.label if not source.paths or Path(source.label).is_absolute() else os.path.relpath(source.label, folder)


def _quoted(text: str) -> str:
    """Return a TOML string: JSON's escapes are TOML's, but for DEL, which JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    """Return a name as a TOML key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)
