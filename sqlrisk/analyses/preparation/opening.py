"""Open the files of a run. Files with labels are opened last, when it is known which columns are
compared by label.
"""

from collections.abc import Collection, Sequence
from itertools import chain

from sqlrisk.common.errors import InputError
from sqlrisk.engines.engine import Attached, Engine, Reading
from sqlrisk.engines.formats.streams import LABELLED
from sqlrisk.inputs.datatypes import is_numeric, is_text
from sqlrisk.inputs.labels import Labels, labels_decide
from sqlrisk.inputs.sources import Source

AttachArguments = tuple[Source, Sequence[str], str, Reading]  # the arguments of `Engine.attach`


def open_files(
    asked: Sequence[AttachArguments], engine: Engine, by_label: Collection[str] = ()
) -> list[Attached]:
    """Open files, and return the result of `Engine.attach` for each.

    Files may declare labels for codes. In the columns ``by_label``, and in those that
    `_compared_by_label` finds, codes are replaced by the labels of their file. Raises the errors of
    `_compared_by_label`.
    """
    labelled = {place for place, (source, *_) in enumerate(asked) if source.kind in LABELLED}
    found = {
        place: _open(each, engine) for place, each in enumerate(asked) if place not in labelled
    }
    if labelled:
        decided = _compared_by_label(asked, found, labelled, engine, by_label)
        engine.read_by_label({*decided, *by_label})
        found |= {place: _open(asked[place], engine) for place in sorted(labelled)}
    return [found[place] for place in range(len(asked))]


def labels_by_column(
    sources: Sequence[Source], engine: Engine
) -> dict[str, list[tuple[Source, Labels]]]:
    """Return column -> (source, labels of levels) of each part of a source that labels the
    column.
    """
    found: dict[str, list[tuple[Source, Labels]]] = {}
    for source in sources:
        for name, said in chain.from_iterable(
            part.columns.items() for part in engine.labels(source)
        ):
            if said.levels:
                found.setdefault(name, []).append((source, said.levels))
    return found


def _open(asked: AttachArguments, engine: Engine) -> Attached:
    source, columns, name, how = asked
    return engine.attach(source, columns, name, **how)


def _compared_by_label(
    asked: Sequence[AttachArguments],
    opened: dict[int, Attached],
    labelled: Collection[int],
    engine: Engine,
    by_label: Collection[str],
) -> set[str]:
    """Return the columns to compare by label, because files, or parts of one, label codes
    differently (see `labels_decide`).

    A column is also compared by label if most of its values in a file without labels are labels of
    another file. ``labelled`` are the positions of the files with labels. ``opened`` holds the
    other files, by position. Raises InputError if a file without labels holds codes of a column
    that is compared by label, since their meaning there is unknown.
    """
    known = labels_by_column([source for source, *_ in asked], engine)
    decided = {
        name
        for name, parts in known.items()
        if labels_decide([(id(source), labels) for source, labels in parts])
    }
    held_as_codes: list[tuple[str, Source]] = []
    for name, parts in known.items():
        labels = {label for _, each in parts for label in each.values()}
        codes = {code for _, each in parts for code in each}
        for place, (source, columns, table, _) in enumerate(asked):
            if place not in labelled:
                relation, types, _ = opened[place]
            elif name in columns and all(each is not source for each, _ in parts):
                # A file with labels, but none for this column, is read once more for it before the
                # decision.
                relation, types, _ = engine.attach(
                    source, [name], f"{table}_texts_{columns.index(name)}"
                )
            else:
                continue
            kind = types.get(name, "")
            if not (is_text(kind) or (is_numeric(kind) and source.kind == "csv")):
                continue
            present, called, coded = engine.texts_among(
                relation, name, labels - codes, codes - labels
            )
            if called > max(coded, present // 2):
                decided.add(name)
            elif (coded or is_numeric(kind)) and name in columns and name not in by_label:
                held_as_codes.append((name, source))
    for name, source in held_as_codes:
        if name in decided:
            labelling = dict.fromkeys(each.name for each, _ in known[name])
            raise InputError(
                f"The column {name!r}: {' and '.join(labelling)} label its codes differently, and "
                f"{source.name} holds codes without labels. Write labels instead of codes there."
            )
    return decided
