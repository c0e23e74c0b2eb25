"""Special uniques (SUDA) of one file: a summary, and a score for each record."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlrisk.analyses import limits
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import records
from sqlrisk.analyses.preparation.files import lay_out_file, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs.fields import CsvFiles, rows
from sqlrisk.inputs.readers import Reader, limit
from sqlrisk.inputs.request import NO_KEYS, set_aside
from sqlrisk.inputs.scenario import WORK_LIMIT, Scenario, read
from sqlrisk.inputs.settings import read_missing
from sqlrisk.inputs.sources import Source, Tables, read_source
from sqlrisk.plan import encoding, pass_tables
from sqlrisk.plan.columns import table
from sqlrisk.plan.subsets import minimal_uniques
from sqlrisk.plan.subsets.minimal_uniques import Search, SpecialUniques
from sqlrisk.report.results.uniques import Uniques

# the settings of a scenario that a search uses
USED = ("keys", "bins", "special", "column", *rows(CsvFiles))


@dataclass(frozen=True)
class FileQuestion:
    """A question about the special uniques of one file.

    Attributes:
        scenario: the keys, and the texts that stand for missing values.
        search: how special uniques are searched and scored.
        work_limit: the maximum number of class visits.
        unread: messages about unreadable parts of the column dictionary.
    """

    source: Source
    scenario: Scenario
    search: Search
    work_limit: int
    unread: tuple[str, ...] = ()  # as in `sqlrisk.inputs.request.Question`


def ask(
    file: object,
    settings: Mapping[str, object],
    search: Mapping[str, object],
    *,
    tables: Tables = "",
) -> FileQuestion:
    """Make a question from the user's arguments. None stands for the default.

    ``settings`` are those of a scenario (keys, bins and so on), ``search`` the other arguments of
    `sqlrisk.uniques`. With ``tables``, a text that is not a file names a table. Raises InputError
    with every problem.
    """
    settings, waiting = set_aside(settings)
    problems = ProblemList()
    with problems:
        scenario = read(settings)
        problems += [] if scenario.keys else [NO_KEYS]
        problems += [
            f"{name}: {column!r} is not a key{suggestion(column, scenario.keys)}."
            for name in ("bins", "special")
            for column in getattr(scenario, name)
            if scenario.keys and column not in scenario.keys
        ]
    with problems:
        if file is None:
            raise InputError("Name the file.")
        source = read_source(file, "the file", tables=tables)
    found: dict[str, Any] = {}
    for name, (reader, default) in _READERS.items():
        with problems:
            found[name] = default if search.get(name) is None else reader(search[name], name)
    problems.stop(waiting)
    ProblemList(scenario.names_no_file([source])).stop(waiting)
    scenario, limit = replace(scenario, missing=found.pop("missing_value")), found.pop("work_limit")
    source = scenario.with_missing(scenario.as_written("original", source))
    question = FileQuestion(source, scenario, Search(**found), limit, waiting)
    with problems:
        require_work(question, 0)
    problems.stop(waiting)
    return question


def find(
    question: FileQuestion, session: Session, *, rows: tuple[str, str] | None = None
) -> Uniques:
    """Find the special uniques of a file. If ``rows`` (a path and a format) is given, also write a
    row for each record.

    Raises InputError above the work limit, and for problems that only the data show.
    """
    if rows is not None:
        session.output(rows[0])
    with (problems := ProblemList(question.unread)):
        layout = lay_out_file(question.source, question.scenario, session.engine)
    problems.stop()
    session.create(encoding.encode(layout))
    layout = with_class_key(layout, session)
    width = 12 + 8 * len(layout.key_columns)
    fits = session.engine.fits_in_memory(layout.records[0] * width)
    session.create([*records(layout, session, in_memory=fits), pass_tables.classes(layout)])
    wanted = SpecialUniques(layout.key_columns, question.search)
    ((classes, uniques, paired, dis),) = session.fetch(wanted.query("uniques"))
    require_work(question, int(classes))
    counts = ", ".join(
        f"(SELECT COUNT(*) FROM {table('levels', key)} WHERE code = 0)" for key in layout.keys
    )
    # Only keys that have a missing value need the check for missing values.
    (missing,) = session.fetch(f"SELECT {counts}")
    with_missing = tuple(
        key.name for key, number in zip(layout.keys, missing, strict=True) if number
    )
    wanted = replace(wanted, search=replace(question.search, missing=with_missing))
    session.create([*wanted.score_steps(), wanted.dis_step(), wanted.special_step()])
    if rows is not None:
        session.export("writing", wanted.record_scores(), *rows)
    scores = session.fetch(
        f"SELECT suda_score, n_records, dis_suda FROM {wanted.table('dis_suda')} ORDER BY points "
        "DESC"
    )
    ((special, lowest),) = session.fetch(
        f"SELECT COUNT(*), MIN(suda_score) FROM {wanted.table('special')}"
    )
    (shares,) = session.fetch(wanted.query("key_shares"))
    given = question.scenario.settings()
    return Uniques(
        labels=column_labels(layout.columns, question.scenario, [question.source], session.engine),
        source=question.source.label,
        records=layout.records[0],
        classes=int(classes),
        uniques=int(uniques),
        paired=int(paired),
        dis=dis,
        special=int(special),
        special_from=lowest,
        settings={
            **{name: given[name] for name in USED},
            "missing_value": list(question.scenario.missing),
            **{
                name: getattr(question.search, name)
                for name in ("max_size", "sampling_fraction", "scoring")
            },
            "work_limit": question.work_limit,
        },
        sizes=[
            {"keys": int(size), "minimal_uniques": int(sets), "records": int(count)}
            for size, sets, count in sorted(session.fetch(wanted.query("set_sizes")))
        ],
        scores=[
            {"suda_score": score, "records": int(count), "dis_suda": risk}
            for score, count, risk in scores
        ],
        contributions=[
            {"key": part.column.name, "percent": share}
            for part, share in zip(layout.parts, shares, strict=True)
        ],
        left_out=dict(session.engine.left_out(question.source)),
    )


def require_work(question: FileQuestion, classes: int) -> None:
    """Raise InputError if searching the sets of keys takes more class visits than the work limit. A
    class visit is one class looked at for one set of keys.
    """
    keys = len(question.scenario.keys)
    size = minimal_uniques.largest(keys, question.search)
    takes = minimal_uniques.work(keys, size, classes)
    most = minimal_uniques.most_keys(keys, classes, question.work_limit)
    sets = takes // max(classes, minimal_uniques.LEAST_WORK)
    way = f"--max-size {most} stays within it" if most else "name fewer keys"
    what = f"Looking at {sets:,} sets of up to {size} of the {keys} keys"
    limits.require(question.work_limit, takes, what, "class visits", way)


def _missing(value: object, setting: str) -> tuple[str, ...]:
    """Read one value or a list of values as text."""
    return read_missing([value] if isinstance(value, str) else value, setting)


def _fraction(value: object, _setting: str) -> float:
    """Read a number above 0 and at most 1, also given as text."""
    with suppress(ValueError):
        number = float(str(value))
        if 0 < number <= 1:
            return number
    raise InputError(
        "sampling_fraction: expected the share of the population that is in the file, over 0 and "
        f"up to 1; got {value!r}."
    )


def _scoring(value: object, _setting: str) -> str:
    known = minimal_uniques.SCORINGS
    if str(value) not in known:
        near = suggestion(str(value), known)
        raise InputError(
            f"scoring: there is no scoring {str(value)!r}{near}; it is {' or '.join(known)}."
        )
    return str(value)


# The reader and the default of each argument of a search.
_READERS: dict[str, tuple[Reader[Any], object]] = {
    "max_size": (limit("keys"), None),
    "sampling_fraction": (_fraction, minimal_uniques.FRACTION),
    "scoring": (_scoring, minimal_uniques.SCORINGS[0]),
    "work_limit": (limit("class visits"), WORK_LIMIT),
    "missing_value": (_missing, ()),
}
