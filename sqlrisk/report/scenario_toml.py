"""Write a draft of a scenario file: TOML with counts of columns in comments, but no level."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sqlrisk.common.look_alikes import toml_key
from sqlrisk.common.objects import is_address
from sqlrisk.common.output_files import replacing
from sqlrisk.inputs.columns.dictionary import LEFT_OUT
from sqlrisk.inputs.columns.guesses import NONE
from sqlrisk.inputs.release import LOGO, SAID
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.report.prose import environment
from sqlrisk.report.results.file_survey import MANY_LEVELS, NAMES_RECORDS, TOO_MANY_LEVELS, Look
from sqlrisk.report.wording import amount, shown

FEW = 3  # maximum number of syntheses with a count each
BINS = 10  # suggested number of bins, which makes bands of several years of ages
HEADINGS = (
    (
        "column",
        "type",
        "levels",
        "only in",
        "only in",
        "missing in",
        "missing in",
        "unique",
        "unique",
    ),
    ("", "", "", "original", "synthetic", "original", "synthetic", "", "percent"),
)


# Editors complete a draft by this file in its folder: `sqlrisk schema scenario -o FILE`.
SCHEMA_FILE = "scenario.schema.json"


def write(
    look: Look,
    original: Source,
    syntheses: Sequence[Synthesis],
    path: str | os.PathLike[str] | None,
    written: Mapping[str, Mapping[str, str]],
) -> str:
    """Return the text of a scenario file. If there is a ``path``, also save the text. Raises
    InputError if saving fails.

    Paths in the text are relative to the file's folder, or to the working folder if ``path`` is
    None. ``written`` maps each CSV setting to a value by file, and its files are located likewise.
    If the folder of ``path`` has ``SCHEMA_FILE``, the first line refers editors to it.
    """
    folder = Path() if path is None else Path(path).parent
    sources = [original, *(synthesis.source for synthesis in syntheses)]
    located = {source.label: _located(source, folder) for source in sources}
    synthetic: dict[str, list[tuple[str, str]]] = {}
    for synthesis, records in zip(syntheses, look.records[1:], strict=True):
        synthetic.setdefault(synthesis.method, []).append(
            (located[synthesis.source.label], f"{records:,} records")
        )
    people = look.records[0]
    keys = [
        (name, f"{unique:,} of {people:,} people, {100 * unique / people:.2f} %")
        for name, unique in look.keys
    ]
    template = environment("sqlrisk.report", quoted=_quoted, key=toml_key).get_template(
        "scenario.toml.j2"
    )
    text = template.render(
        file="scenario.toml" if path is None else os.fspath(path),
        tables=any(each.kind == "table" for each in sources),
        look=look,
        original=located[original.label],
        synthetic=synthetic,
        table=[*_table(look)],
        keys=keys,
        lines=[*_dictionary(look)],
        names_records=NAMES_RECORDS,
        too_many_levels=TOO_MANY_LEVELS,
        many_levels=MANY_LEVELS,
        bins=BINS,
        written={
            setting: {located.get(file, file): form for file, form in forms.items()}
            for setting, forms in written.items()
        },
        said=SAID,
        logo=LOGO,
    )
    text = text.rstrip("\n") + "\n"
    if path is not None:
        if (Path(path).parent / SCHEMA_FILE).is_file():
            text = f"#:schema ./{SCHEMA_FILE}\n{text}"
        inputs = [each for source in sources for each in source.paths]
        with replacing(os.fspath(path), inputs) as file:
            file.write(text.encode())
    return text


def _dictionary(look: Look) -> Iterator[str]:
    """Yield the lines of the column dictionary. A guess that would change no count is a comment."""
    for each in look.guesses:
        answered = each.name in look.answers
        yield f"[column.{toml_key(each.name)}]"
        if each.name in look.labels:
            yield f"label = {_quoted(look.labels[each.name])}"
        known = each.words or "nothing is known of it, so it may be a secret"
        why = "" if answered else f"  # a guess: {known}"
        yield f'{"" if answered or each.role in LEFT_OUT else "# "}role = "{each.role}"{why}'
    for name in look.unmet:
        yield f"[column.{toml_key(name)}]"
        yield f'role = "{NONE}"  # see above: it can be neither a key nor a target'


def _of_each(counts: Sequence[int]) -> str:
    """Return the counts of the syntheses as text: one count if all are equal, their range if there
    are more than ``FEW``.
    """
    if len({*counts}) == 1:
        return amount(counts[0])
    if len(counts) <= FEW:
        return "; ".join(map(amount, counts))
    return f"{amount(min(counts))} to {amount(max(counts))}"


def _table(look: Look) -> Iterator[str]:
    rows = [
        (
            shown(column.name), column.type,
            *map(amount, (column.levels, column.only_original, column.only_synthetic)),
            amount(column.missing_original), _of_each(column.missing_synthetic),
            amount(column.unique),
            f"{100 * column.unique / look.records[0]:.2f}",
        )
        for column in look.columns
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*HEADINGS, *rows, strict=True)]
    for row in (*HEADINGS, *rows):
        cells = [
            f"{cell:{'<' if place < 2 else '>'}{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _located(source: Source, folder: Path) -> str:
    """Return a source relative to the folder of the scenario file. Absolute paths, addresses and
    table names stay unchanged.
    """
    stays = not source.paths or Path(source.label).is_absolute() or is_address(source.label)
    return source.label if stays else os.path.relpath(source.label, folder)


def _quoted(text: str) -> str:
    """Return a TOML string. It is like a JSON string, except that TOML escapes DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
