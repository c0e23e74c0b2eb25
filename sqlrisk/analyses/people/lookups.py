"""Look up what an intruder sees: the target levels of the synthetic records that match all known
keys. If none does, use the records that match most keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlrisk.analyses.preparation.column_types import (
    column_labels,
    labelled,
    labels_of,
    settled_types,
)
from sqlrisk.analyses.preparation.opening import open_files
from sqlrisk.analyses.saved_runs import RunReader
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.engines.engine import Engine, SqlRow
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.labels import code_text, merged
from sqlrisk.inputs.readers import split_line
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.plan.columns import Column, File
from sqlrisk.report.listing import Listing

COLUMNS = ("target", "synthesis", "radius", "level", "records", "percent")
TITLE = "What an intruder would see"


def read_known(key: object, missing: Sequence[str]) -> dict[str, str | None]:
    """Return the known levels by column, with None for a missing value.

    ``key`` is a mapping, a line ``name=level`` or a list of lines. ``missing`` names the keys that
    are known to be missing. Raises InputError if no key is given, one is given twice, or a line has
    no level.
    """
    lines = [key] if isinstance(key, str) else key
    pairs: list[tuple[str, str | None]] = []
    if isinstance(lines, Mapping):
        pairs = [
            (str(name), None if level is None else str(level)) for name, level in lines.items()
        ]
    elif isinstance(lines, Sequence):
        pairs = [pair for line in lines for pair in split_line(str(line), "key")]
        ProblemList(
            f"key: {name!r} needs a level, as in {name}=57."
            for name, level in pairs
            if level is None
        ).stop()
    pairs += [(name, None) for name in missing]
    names = [name for name, _ in pairs]
    ProblemList(
        f"key: the column {name!r} is named twice." for name in names if names.count(name) > 1
    ).stop()
    if not pairs:
        raise InputError("Name at least one key that the intruder knows: --key age=57.")
    return dict(pairs)


def in_files(
    syntheses: Sequence[Synthesis],
    engine: Engine,
    known: Mapping[str, str | None],
    scenario: Scenario,
) -> Listing:
    """Look up known keys in synthetic files. By default the targets of the scenario are all columns
    that every file has, except the keys.

    Raises InputError for unknown columns, for levels that a column cannot have or that mean a
    missing value, if there is no target, and if a file has no records.
    """
    sources = [synthesis.source for synthesis in syntheses]
    names = [list(engine.columns(source)) for source in sources]
    shared = [name for name in names[0] if all(name in each for each in names)]
    wanted = list(scenario.targets) or [name for name in shared if name not in known]
    problems = ProblemList(
        f"{setting}: no such column {name!r} in every file{suggestion(name, shared)}."
        for setting, columns in (("key", known), ("targets", wanted))
        for name in columns
        if name not in shared
    )
    if not wanted:
        problems.append("No column besides the keys is in all files: there is nothing to look up.")
    problems.stop()
    chosen = list(dict.fromkeys((*known, *wanted)))
    opened = open_files(
        [
            (source, chosen, f"source_{number}", {})
            for number, source in enumerate(sources, start=1)
        ],
        engine,
    )
    files = [File(number, *held) for number, held in enumerate(opened, start=1)]
    # Synthetic files are numbered from 1, so the first source is only a placeholder.
    files = settled_types(files, [sources[0], *sources], engine, chosen)
    engine.fix_types({file.relation: file.types for file in files})

    def column(name: str) -> Column:
        kinds = [
            (file.types[name], source.name) for file, source in zip(files, sources, strict=True)
        ]
        return labelled(Column("c", 0, name, datatypes.shared(name, kinds)), sources, engine)

    keys = {name: column(name) for name in known}
    ProblemList(
        f"key: {level!r} of {name!r} is a missing value: say so by --missing-keys {name} "
        f"(missing=[{name!r}])."
        for name, level in known.items()
        if level is not None and _is_missing(level, keys[name], sources, engine)
    ).stop()
    parts = [
        {
            "position": position,
            "comparison": file.number,
            "value": column(name).value_in(file),
            "relation": file.relation,
            "matches": [
                f"{keys[key].value_in(file)} "
                f"{'IS NULL' if level is None else f'= {keys[key].level(level)}'}"
                for key, level in known.items()
            ],
        }
        for position, name in enumerate(wanted)
        for file in files
    ]
    labels = {
        file.number: synthesis.label for file, synthesis in zip(files, syntheses, strict=True)
    }
    called = [labels_of(name, sources, engine) for name in wanted]
    rows = [
        (position, *rest, called[position].get(code_text(level), level), records, percent)
        for position, *rest, level, records, percent in engine.run(
            templates.stage("tables/lookup.sql", parts=parts)
        )
    ]
    answered = {
        comparison for _, comparison, *_ in rows
    }  # whatever is known, some records are best
    ProblemList(
        f"{source.name} has no records."
        for file, source in zip(files, sources, strict=True)
        if file.number not in answered
    ).stop()
    listing = _listing(rows, wanted, len(known), labels)
    return replace(listing, labels=column_labels(map(column, chosen), scenario, sources, engine))


def _is_missing(level: str, key: Column, sources: Sequence[Source], engine: Engine) -> bool:
    """Return True if a typed level means a missing value.

    An empty level does, unless the column is text. So does a code that the files declare missing,
    and its label.
    """
    if not level:
        return key.type not in (None, "VARCHAR")
    code = next((code for code, label in key.labels if label == level), level)
    declared = (merged(engine.labels(source)).get(key.name) for source in sources)
    return any(each.means_missing(code) for each in declared if each is not None)


def in_saved(saved: RunReader, known: Mapping[str, str | None], targets: Sequence[str]) -> Listing:
    """Look up known keys in a saved run. The level of a binned key stands for its bin.

    Raises InputError for unknown keys and targets, for levels that a key cannot have, and if the
    run has no target.
    """
    there = saved.layout.scenario.targets
    wanted = list(targets or there)
    if not wanted:
        raise InputError("The saved run has no target: there is nothing to look up.")
    unknown = [name for name in wanted if name not in there]
    ProblemList(
        f"targets: the saved run has no target {name!r}{suggestion(name, there)}."
        for name in unknown
    ).stop()
    labels = {comparison.number: comparison.label for comparison in saved.layout.singles}
    listing = _listing(saved.lookup(known, wanted), wanted, len(known), labels)
    return replace(listing, assessment=saved.assessment, labels=saved.labels)


def _listing(
    rows: Sequence[SqlRow], targets: Sequence[str], keys: int, labels: Mapping[int, str]
) -> Listing:
    """List rows by target and synthesis, the most frequent levels first.

    ``rows`` are (position of the target, comparison, radius, level, records, percent). ``keys`` is
    the number of known keys, and ``labels`` maps comparisons to labels of syntheses.
    """
    places = {number: place for place, number in enumerate(labels)}
    radii = {labels[comparison]: int(radius) for _, comparison, radius, *_ in rows}
    found: list[SqlRow] = [
        (targets[position], labels[comparison], int(radius), level, int(records), percent)
        for position, comparison, radius, level, records, percent in sorted(
            rows, key=lambda row: (row[0], places[row[1]], -row[4], str(row[3]))
        )
    ]
    title = TITLE
    if far := [label for label in labels.values() if radii.get(label)]:
        where = (
            "no synthetic record has these keys"
            if len(far) == len(labels)
            else f"not found in {', '.join(far)}"
        )
        title += (
            f": {where}; the nearest differ in "
            f"{' or '.join(map(str, sorted({radii[label] for label in far})))} of {keys} keys"
        )
    return replace(Listing("", title, list(COLUMNS), found), disclosive=False)
