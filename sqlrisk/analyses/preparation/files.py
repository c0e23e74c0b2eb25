"""Turn a question into a layout: the columns with their common types and numbers of levels. All SQL
is made from the layout alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain

from sqlrisk.analyses.preparation import alignment, baselines, populations, recodes
from sqlrisk.analyses.preparation.column_types import (
    attach_labels,
    columns_of,
    comparable,
    settled_types,
    shared_column,
    text_among_numbers,
    typed_levels,
)
from sqlrisk.analyses.preparation.opening import AttachArguments, labels_by_column, open_files
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError, ProblemList, Problems, suggestion
from sqlrisk.engines.engine import Engine, Reading
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.columns.dictionary import LEFT_OUT
from sqlrisk.inputs.conditions import EQUAL
from sqlrisk.inputs.fields import OF_TARGETS, ONE_COLUMN
from sqlrisk.inputs.request import Question, unread
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.settings import BASELINE
from sqlrisk.inputs.sources import Source
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Layout, compare, taken

Names = Sequence[Sequence[str]]  # the columns of each file


def lay_out(
    questions: Mapping[str, Question],
    engine: Engine,
    *,
    numbered: bool = False,
    every_target: bool = True,
    whole_rows: bool = False,
) -> list[Layout]:
    """Return the layouts of questions about the same records.

    The questions, given by name, share files, weights, ids and the split. The files are opened
    once, for the columns of all questions. The layouts have no class keys yet.

    Args:
        numbered: number the records, which costs time. Aligned files are always numbered.
        every_target: if a question names no targets, use those of `_with_targets`.
        whole_rows: also open all other columns that the files share and that can be read and
            compared.

    Raises InputError for an unreadable part of the column dictionary, a column that a file lacks, a
    type that cannot be counted or compared, and a level that its column cannot have.
    """
    layouts: list[Layout] = []
    with (problems := unread(questions)):
        layouts = _lay_out(questions, engine, numbered, every_target, whole_rows)
    problems.stop()
    return layouts


def _lay_out(
    questions: Mapping[str, Question],
    engine: Engine,
    numbered: bool,
    every_target: bool,
    whole_rows: bool,
) -> list[Layout]:
    """Return the layouts, without reporting the problems in ``unread`` of the questions."""
    first, *_ = questions.values()
    sources = first.sources
    engine.typed = list(chain(*(_typed(question.scenario) for question in questions.values())))
    names = [list(engine.columns(source)) for source in sources]
    scenarios: dict[str, Scenario] = {}
    problems = Problems(questions)
    for name, question in questions.items():
        with problems[name]:
            scenarios[name] = _with_targets(question, names) if every_target else question.scenario
    problems.stop()
    for name, scenario in scenarios.items():
        problems[name] += _missing_columns(scenario, first, names) if first.checked else []
        problems[name] += _without_labels(scenario, sources, engine)
    # Columns that all files have are checked even if others are missing, to report all problems.
    counted = [*map(frozenset, _counted(first, names))]
    together = (
        [column for column in names[0] if all(column in known for known in counted)]
        if whole_rows
        else []
    )
    wanted = {
        name: [
            *(column for column in scenario.keys if all(column in known for known in names)),
            *(column for column in scenario.targets if all(column in known for known in counted)),
        ]
        for name, scenario in scenarios.items()
    }
    asked = list(dict.fromkeys(chain(*wanted.values())))
    files = _attached(first, list(scenarios.values()), asked, names, engine, numbered, together)
    used = {
        name: (
            *wanted[name],
            *populations.columns_wanted(scenario),
            *first.scenario.aligned_by,
        )
        for name, scenario in scenarios.items()
    }
    looked_at = list(dict.fromkeys(chain(*used.values()))) if first.checked else []
    mixed = text_among_numbers(files, sources, looked_at, engine)
    dated = {
        name
        for scenario in scenarios.values()
        for name, text in scenario.within.items()
        if text.endswith("d")
    }
    files = settled_types(files, sources, engine, {*chain(*used.values())}, dated)
    given = {
        target: path
        for scenario in scenarios.values()
        for target, path in scenario.baseline.items()
    }
    shares = _given_shares(given, files, first.scenario, sources, engine) if given else {}
    engine.fix_types({file.relation: file.types for file in (*files, *shares.values())})
    columns: dict[str, dict[str, Column]] = {}
    for name, scenario in scenarios.items():
        problems[name] += chain(*(mixed[column] for column in used[name] if column in mixed))
        known = [column for column in wanted[name] if column not in mixed]
        columns[name], found = columns_of(scenario, known, files, sources, engine)
        problems[name] += found
    problems.stop()
    files = populations.split(first.scenario, files, sources, engine)
    if first.scenario.split is not None:
        sources = (*sources, sources[0])
    shared = tuple(
        comparable(together, [file for file in files if not file.universe], first.scenario)
    )
    labels = [source.name for source in sources]
    aligned = first.scenario.aligned
    own_id = alignment.line_up(first.scenario, files, labels, engine) if aligned else None
    layouts: list[Layout] = []
    for name, scenario in scenarios.items():
        with problems[name]:
            keys, targets = (
                tuple(columns[name][each] for each in chosen)
                for chosen in (scenario.keys, scenario.targets)
            )
            people = populations.populations(scenario, files, columns[name], sources, engine)
            own_shares = {target: shares[target] for target in scenario.baseline}
            given_shares = baselines.read(own_shares, columns[name], engine) if own_shares else {}
            measures = taken(questions[name].computed, targets)
            rows = _row_columns(shared, scenario)
            # A question that names no keys and no targets is about all columns.
            if not keys and not targets and whole_rows:
                targets = _of_every_column(rows)
            parts = (keys, targets, compare(first.syntheses, files), measures, people, given_shares)
            layouts.append(
                Layout(
                    scenario,
                    tuple(files),
                    *parts,
                    own_id=own_id,
                    shared=rows,
                    file_columns=tuple(map(tuple, names)),
                    sources=sources,
                )
            )
    problems.stop()
    of_people = (
        each.column for layout in layouts for each in layout.populations if each.column is not None
    )
    attach_labels(chain(*(layout.columns for layout in layouts), of_people), engine)
    return layouts


def _given_shares(
    paths: Mapping[str, str],
    files: Sequence[File],
    scenario: Scenario,
    sources: Sequence[Source],
    engine: Engine,
) -> dict[str, File]:
    """Return the baseline files by target."""
    labels = {
        name: {label for _, labels in parts for label in labels.values()}
        for name, parts in labels_by_column(sources, engine).items()
        if name in engine.by_label
    }
    return baselines.attach(paths, files[0].types if files else {}, labels, scenario, engine)


def _row_columns(shared: tuple[Column, ...], scenario: Scenario) -> tuple[Column, ...]:
    """Return the shared columns that say something about a person: without weights, ids, the split
    and columns with the role identifier, weight or other. If none remains, return all.
    """
    return tuple(each for each in shared if each.name not in _no_answers(scenario)) or shared


def _no_answers(scenario: Scenario) -> list[str | None]:
    """Return the columns of settings such as weights and id, and the columns with the role
    identifier, weight or other. None stands for a setting that is not given.
    """
    named = [name for name, entry in scenario.column.items() if entry.role in LEFT_OUT]
    return [*(getattr(scenario, name) for name in ONE_COLUMN), *named]


def _of_every_column(shared: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns that all files share, as targets, so that their levels are assessed.
    Raises InputError if there is none.
    """
    if not shared:
        raise InputError("The files have no column in common whose values can be compared.")
    return tuple(shared)


def lay_out_file(source: Source, scenario: Scenario, engine: Engine) -> Layout:
    """Lay out the keys of a single file, with numbered records.

    Raises InputError for unknown columns, and for a missing-value text that occurs in no key.
    """
    engine.typed = scenario.keys
    known = list(engine.columns(source))
    wanted = [name for name in scenario.keys if name in known]
    problems = ProblemList(
        f"keys: {source.name} has no column {name!r}{suggestion(name, known)}."
        for name in scenario.keys
        if name not in wanted
    )
    problems += _recodes_of_none(scenario, [known])
    if not wanted:
        problems.stop()
    (opened,) = open_files(
        [(source, wanted, "source_0", {"numbered": True, "by": wanted})],
        engine,
        _by_label(scenario),
    )
    file = File(0, *opened)
    holding = [file]
    if scenario.missing and source.kind in ("csv", "excel"):  # reading replaces these texts
        holding.append(File(0, *engine.attach(source.as_texts, wanted, "source_0_texts")))
    engine.fix_types({each.relation: each.types for each in holding})
    columns: list[Column] = []
    for number, name in enumerate(scenario.keys, start=1):
        if name in wanted:
            with problems:
                columns.append(shared_column("k", number, name, scenario, [file], [source], engine))
    problems.stop()
    problems += (
        f"missing_value: no key holds the value {text!r}; check its spelling and case."
        for text in scenario.missing
        if not any(_holds(each, wanted, text, engine) for each in holding)
    )
    problems.stop()
    return Layout(scenario, (file,), tuple(columns), (), (), (), sources=(source,))


def _holds(file: File, names: Iterable[str], text: str, engine: Engine) -> bool:
    """Return True if one of these columns of a file has the value that the user typed."""
    columns = [Column("k", 0, name, datatypes.common([file.types[name]])) for name in names]
    held = [
        f"{each.value_in(file)} = {value}" for each in columns for value in each.values_of([text])
    ]
    count = f"SELECT COUNT(*) FROM {file.relation} WHERE {' OR '.join(held)}"
    return bool(held and engine.run(count)[0][0])


def survey(
    sources: Sequence[Source], engine: Engine
) -> tuple[list[File], list[Column], dict[str, str]]:
    """Return the files, the columns that all of them have with a common type, and column -> reason
    for each excluded column.
    """
    names = [list(engine.columns(source)) for source in sources]
    everywhere = [name for name in names[0] if all(name in known for known in names)]
    apart: dict[str, str] = {}
    for name in dict.fromkeys(chain(*names)):
        if name not in everywhere:
            has = [
                source.label for source, known in zip(sources, names, strict=True) if name in known
            ]
            apart[name] = f"only in {', '.join(has)}"
    if not everywhere:
        return [], [], apart
    opened = open_files(
        [(source, everywhere, f"source_{number}", {}) for number, source in enumerate(sources)],
        engine,
    )
    files = [File(number, *held) for number, held in enumerate(opened)]
    mixed = text_among_numbers(files, sources, everywhere, engine)
    apart |= {name: " ".join(problems) for name, problems in mixed.items()}
    files = settled_types(files, sources, engine, everywhere)
    engine.fix_types({file.relation: file.types for file in files})
    columns: list[Column] = []
    for name in (each for each in everywhere if each not in mixed):
        try:
            columns.append(
                shared_column("k", len(columns) + 1, name, Scenario(), files, sources, engine)
            )
        except InputError as error:
            apart[name] = " ".join(error.problems)
    return files, columns, apart


def with_class_key(layout: Layout, session: Session, *, checked: bool = True) -> Layout:
    """Return the layout with its class key, record counts and population numbers. The dictionaries
    must exist.

    Raises InputError if a file has no records or, if ``checked``, `missing_levels` returns
    messages.
    """
    records = records_of(layout.files, session)
    problems = ProblemList(
        f"{layout.sources[file.number].name} has no records."
        for file, count in zip(layout.files, records, strict=True)  # of whole rows, some files
        if not count
    )
    problems += missing_levels(layout, session) if checked else []
    problems.stop()
    codes = code_counts(
        (*layout.columns, *(each.column for each in layout.populations if each.column is not None)),
        session,
    )
    taken = [1 if each.column is None else codes[each.column.id] for each in layout.populations]
    numbers = accumulate(taken, initial=1)
    populations = tuple(
        replace(each, number=number)
        for each, number in zip(layout.populations, numbers, strict=False)
    )
    key_columns = pack(layout.keys, [codes[key.id] for key in layout.keys])
    return replace(
        layout, key_columns=key_columns, records=records, codes=codes, populations=populations
    )


def code_counts(columns: Iterable[Column], session: Session) -> dict[str, int]:
    """Return the number of codes of each column by id, by one query."""
    tables = {each.id: table("levels", each) for each in columns}
    counts = [
        f"SELECT '{each}' AS id, MAX(code) + 1 AS codes FROM {levels}"
        for each, levels in tables.items()
    ]
    found = session.fetch(templates.union_all(counts)) if counts else []
    return {each: int(codes) for each, codes in found}


def records_of(files: Sequence[File], session: Session) -> tuple[int, ...]:
    """Return the number of records of each file."""
    (counts,) = session.fetch(f"SELECT {', '.join(file.count for file in files)} FROM files")
    # A file without records has no levels, and the sum is NULL.
    return tuple(int(count or 0) for count in counts)


def _if_missing(setting: str, column: Column, text: str) -> str:
    """Return a hint if the level has a label in the files, which may declare it missing."""
    labelled = setting == "exclude_level" and any(text in pair for pair in column.labels)
    return (
        "; a value that is declared missing is not a level: use --exclude-missing "
        f"{column.name} (exclude_missing=[{column.name!r}])"
        if labelled
        else ""
    )


def missing_levels(layout: Layout, session: Session) -> list[str]:
    """Return messages about recodes, conditions, baselines and typed levels that do not fit the
    data. The dictionaries must exist.
    """
    return (
        (recodes.problems_of(layout, session) if layout.scenario.recoded else [])
        + _levels_of_nobody(layout, session)
        + _impossible_people(layout, session)
        + [
            f"{setting}: the column {column.name!r} has no level {text!r} in any file; check "
            f"its spelling and case{_if_missing(setting, column, text)}."
            for setting, column, text in typed_levels(
                layout.scenario, {column.name: column for column in layout.columns}
            )
            if not session.number(
                f"SELECT COUNT(*) FROM {table('levels', column)} AS levels WHERE "
                f"{column.matches(text)}"
            )
        ]
    )


def _levels_of_nobody(layout: Layout, session: Session) -> list[str]:
    """Return messages about conditions of populations that name a level of a recoded column, if
    nobody has the level.
    """
    people = " + ".join(file.count for file in layout.people_files)
    return [
        populations.NOBODY.format(name=population.name, text=text, column=column.name)
        for population in layout.populations
        for column, comparison in population.recoded
        for text in (comparison.levels if comparison.operator in EQUAL else ())
        if not session.number(
            f"SELECT COALESCE(SUM({people}), 0) FROM {table('levels', column)} AS levels WHERE "
            f"{column.matches(text)}"
        )
    ]


def _impossible_people(layout: Layout, session: Session) -> list[str]:
    """Return messages about an intruder's baselines that give a share of 0 to all levels of the
    original.
    """
    original = layout.files[0]
    return [
        f"intruder_prior: the baseline of {target.name!r} gives no share to any level that the "
        "original has."
        for target in (layout.targets if layout.scenario.intruder_prior == BASELINE else ())
        if not session.number(
            f"SELECT COUNT(*) FROM {table('marginals', target)} AS marginals WHERE share > 0 AND "
            f"{original.count} > 0"
        )
    ]


def _typed(scenario: Scenario) -> tuple[str, ...]:
    """Return the columns that the settings of a scenario name."""
    others = (
        *populations.columns_wanted(scenario),
        *scenario.aligned_by,
        *scenario.column,
    )
    return (*scenario.keys, *scenario.targets, *others)


def _of_universe(number: int, question: Question) -> bool:
    return question.universe is not None and number == len(question.syntheses) + 1


def _of_people(number: int, question: Question) -> bool:
    return number == 0 or number > len(question.syntheses) + (question.universe is not None)


def _counted(question: Question, names: Names) -> Names:
    """Return the columns of each file except the universe, which needs only keys."""
    return [known for number, known in enumerate(names) if not _of_universe(number, question)]


def _with_targets(question: Question, names: Names) -> Scenario:
    """Return a question's scenario with targets.

    The default is every column that all files but the universe have, except keys, weight, split, id
    and columns with another role. If no column remains, the scenario has no target. Raises
    InputError if a setting or all measures then need one.
    """
    scenario = question.scenario
    if scenario.targets:
        return scenario
    taken = (*scenario.keys, *_no_answers(scenario))
    targets = tuple(
        name
        for name in names[0]
        if name not in taken and all(name in each for each in _counted(question, names))
    )
    if targets:
        return read({**scenario.settings(), "targets": targets})
    alone = "no column besides the keys is in all files"
    tolerances = ("within", "within_floor")  # a key may have one, too
    asked = [name for name in tolerances if {*getattr(scenario, name)} - {*scenario.keys}]
    asked += [name for name in OF_TARGETS if getattr(scenario, name) != getattr(Scenario(), name)]
    problems = ProblemList(
        f"{name}: it needs a target, but {alone}; leave it out, or name targets with --targets."
        for name in asked
    )
    if not any(measure.untargeted for measure in question.measures):
        problems.append(
            f"{alone.capitalize()}: there is no target to protect. Name targets with --targets."
        )
    problems.stop()
    return scenario


def _missing_columns(scenario: Scenario, question: Question, names: Names) -> list[str]:
    """Return messages about columns of a scenario that a file lacks. ``names`` are the columns of
    each file.
    """
    sources = question.sources
    problems: list[str] = []
    for setting in ("keys", "targets"):
        asked_of = [
            (source.name, known)
            for number, (source, known) in enumerate(zip(sources, names, strict=True))
            if setting == "keys" or not _of_universe(number, question)
        ]
        for column in getattr(scenario, setting):
            lacking = [(name, known) for name, known in asked_of if column not in known]
            if len(lacking) == len(asked_of):
                problems.append(
                    f"{setting}: no file has a column "
                    f"{column!r}{suggestion(column, dict.fromkeys(chain(*names)))}."
                )
            else:
                problems += [
                    f"{setting}: {name} has no column {column!r}{suggestion(column, known)}."
                    for name, known in lacking
                ]
    files = list(zip(sources, names, strict=True))
    people = [file for number, file in enumerate(files) if _of_people(number, question)]
    asked = [
        (setting, column, people, "") for column, setting in populations.settings(scenario).items()
    ]
    if scenario.id is not None:
        asked.append(("id", scenario.id, files[:1], ""))
    syntheses, why = (
        files[1 : 1 + len(question.syntheses)],
        "; to be aligned by id, every file must have it",
    )
    asked += [("aligned", column, syntheses, why) for column in scenario.aligned_by]
    asked += [
        ("with", column, [files[number]], "")
        for number, columns in question.stored.items()
        for column in columns
    ]
    problems += _recodes_of_none(scenario, names)
    return problems + [
        f"{setting}: {source.name} has no column {column!r}{suggestion(column, known)}{why}."
        for setting, column, some, why in asked
        for source, known in some
        if column not in known
    ]


def _recodes_of_none(scenario: Scenario, names: Names) -> list[str]:
    """Return messages about columns of the column dictionary that no file has."""
    return [
        f"column.{column}: no file has this "
        f"column{suggestion(column, dict.fromkeys(chain(*names)))}."
        for column in scenario.column
        if not any(column in known for known in names)
    ]


def _without_labels(scenario: Scenario, sources: Sequence[Source], engine: Engine) -> list[str]:
    """Return messages about columns to be compared by label although no file labels their codes."""
    asked = [column for column, entry in scenario.column.items() if entry.codes]
    known = labels_by_column(sources, engine) if asked else {}
    return [
        f"column.{column}.codes: no file has labels for the codes of {column!r}; leave it out."
        for column in asked
        if column not in known
    ]


def _attached(
    question: Question,
    scenarios: Sequence[Scenario],
    together: Sequence[str],
    known: Names,
    engine: Engine,
    numbered: bool,
    beside: Sequence[str] = (),
) -> list[File]:
    """Open the files with the columns that the scenarios need.

    Args:
        together: columns needed in all files. The universe needs only the keys among them.
        known: the names of all columns of each file.
        numbered: number the records.
        beside: further columns, opened in files other than the universe if they can be read.
    """
    sources = question.sources
    identified = question.scenario.id
    asked: dict[int, AttachArguments] = {}
    for number, source in enumerate(sources):
        people = _of_people(number, question)
        own = dict.fromkeys(
            chain(
                *(
                    populations.columns_wanted(scenario) if people else scenario.aligned_by
                    for scenario in scenarios
                ),
                question.stored.get(number, ()),
            )
        )
        chosen = [
            *together,
            *(column for column in own if column in known[number] and column not in together),
        ]
        whole = _of_universe(number, question)
        if whole:
            keys = {*chain(*(scenario.keys for scenario in scenarios))}
            chosen = [column for column in together if column in keys]
        held_beside = [column for column in beside if column not in chosen and not whole]
        if chosen or held_beside:
            how: Reading = {
                "beside": held_beside,
                "numbered": numbered or question.scenario.aligned,
                # Records of a table are numbered by the id, which synthetic tables may lack.
                "by": [identified] if identified in chosen else chosen if identified else [],
            }
            asked[number] = source, chosen, f"source_{number}", how
    opened = open_files([*asked.values()], engine, {*chain(*map(_by_label, scenarios))})
    return [
        File(
            number,
            *held,
            control=number > 0 and _of_people(number, question),
            universe=_of_universe(number, question),
        )
        for number, held in zip(asked, opened, strict=True)
    ]


def _by_label(scenario: Scenario) -> list[str]:
    """Return the columns that the column dictionary compares by label."""
    return [column for column, entry in scenario.column.items() if entry.codes]
