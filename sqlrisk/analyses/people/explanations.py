"""Explain why one person is at risk: their class, the other people in it, and the targets of the
synthetic records with the same keys. Disclosive.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlrisk.analyses import assessment
from sqlrisk.analyses.level_names import level_names
from sqlrisk.analyses.people import record_risk
from sqlrisk.analyses.people.record_risk import OF_CLASS, OF_TARGET
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.request import Question
from sqlrisk.plan import comparisons, pass_tables
from sqlrisk.plan.columns import Column
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.report.results.explanation import Explanation


@dataclass(frozen=True)
class _Person:
    """One record of the original.

    Attributes:
        record: the record's number, from 1.
        key_columns: the value of each class key column, by the name of that column.
        codes: the level code of each key and target, by the id of the column.
    """

    record: int
    key_columns: Mapping[str, int]
    codes: Mapping[str, int]


def explain(
    question: Question, session: Session, record: object, *, synthesis: str | None = None
) -> Explanation:
    """Explain the risk of one record of the original. Arguments and errors are those of
    `sqlrisk.explain`.
    """
    layout, comparison, passes = record_risk.prepare(question, synthesis, session)
    person = _find(layout, record, question.original.name, session)
    # From here on the record is identified by its number.
    layout = replace(layout, scenario=replace(layout.scenario, id=None))
    key_range = next(
        each
        for each in reversed(passes)
        if each.low is None or person.key_columns["class_key"] >= each.low
    )
    asked = record_risk.Asked(layout, comparison)
    for other in (each for each in passes if each != key_range):
        session.create(
            [pass_tables.classes(layout, other), *comparisons.overlaps(layout, layout.singles)]
        )
    session.create(record_risk.counts(asked, key_range))
    names = [*OF_CLASS]
    names += [f"{name}_{target.name}" for target in layout.targets for name in OF_TARGET]
    risk = record_risk.risk(asked, ordered=False)
    chosen = ", ".join(templates.quote(name) for name in names)
    (row,) = session.fetch(
        f"SELECT {chosen} FROM (\n{risk}\n) AS risk WHERE record = {person.record}"
    )
    found = dict(zip(names, row, strict=True))
    packed = {part.column.id: person.codes[part.column.id] * part.stride for part in layout.parts}
    (row,) = session.fetch(
        templates.stage("tables/agreeing.sql", parts=layout.parts, digits=packed, records="records")
    )
    # key -> how many people, with the person, agree on all other keys
    agreeing = dict(zip(packed, row, strict=True))

    def level(column: Column) -> str | None:
        code = person.codes[column.id]
        return level_names(column, {code}, session)[code]

    assessed, *_ = assessment.assess(layout, session)
    return Explanation(
        assessment=assessed,
        record=str(record),
        source=question.original.label,
        synthesis=comparison.label,
        records=layout.records[0],
        keys=[
            {"key": key.name, "level": level(key), "agree_on_others": int(agreeing[key.id])}
            for key in layout.keys
        ],
        **{name: found[name] for name in OF_CLASS},
        targets=[
            {
                "target": target.name,
                "level": level(target),
                **{name: found[f"{name}_{target.name}"] for name in OF_TARGET},
                **_most_frequent(layout, comparison, target, person, session),
            }
            for target in layout.targets
        ],
        labels=column_labels(layout.columns, layout.scenario, question.sources, session.engine),
    )


def _find(layout: Layout, record: object, source: str, session: Session) -> _Person:
    """Return the person with this number or id. Raises InputError if there is none, or several."""
    name, split = layout.scenario.id, layout.scenario.split
    if name is None:
        wanted = str(record).strip()
        # The records of a split file keep their numbers in the whole file.
        halves = layout.people_files if split is not None else layout.files[:1]
        last = sum(layout.records[file.number] for file in halves)
        if not wanted.isdecimal() or not 1 <= int(wanted) <= last:
            raise InputError(f"record: {source} has the records 1 to {last:,}; got {record!r}.")
        wanted = str(int(wanted))
    else:
        wanted = Column("i", 0, name, layout.files[0].types[name]).level(str(record))
    columns = [
        *(key_column.name for key_column in layout.key_columns),
        *(target.id for target in layout.targets),
    ]
    names = {
        "class_key": layout.class_key,
        "targets": layout.targets,
        "id": name,
        "wanted": wanted,
        "records": "records",
    }
    rows = session.fetch(templates.stage("tables/person.sql", **names))
    if not rows:
        half = (
            f" in the synthesis ({split}={layout.scenario.split_in})" if split is not None else ""
        )
        who = f"{record!r} in the column {name!r}" if name is not None else f"the number {wanted}"
        raise InputError(f"record: no record of {source}{half} has {who}.")
    if len(rows) > 1:
        raise InputError(
            f"record: several records of {source} have {record!r} in the column {name!r}; leave "
            "--id out, and count."
        )
    number, *codes = (int(each) for each in rows[0])
    known = dict(zip(columns, codes, strict=True))
    own = {target.id: known[target.id] for target in layout.targets}
    for part in layout.parts:
        code = known[part.key_column] // part.stride
        own[part.column.id] = code if part.size is None else code % part.size
    return _Person(number, known, own)


def _most_frequent(
    layout: Layout, comparison: Comparison, target: Column, person: _Person, session: Session
) -> dict[str, object]:
    """Return the most frequent level among the synthetic records with the person's keys.

    ``tied`` is the number of levels that are equally frequent. The first of them is returned. If no
    synthetic record has these keys, the level is None and ``tied`` is 0.
    """
    sql = templates.stage(
        "tables/top_level.sql",
        compared=comparisons.Cells(layout, (comparison,), (target,)).compared,
        key_columns=layout.key_columns,
        codes=person.key_columns,
    )
    ((code, records, tied),) = session.fetch(sql)
    if not tied:
        return {"top_level": None, "top_records": 0, "tied": 0}
    return {
        "top_level": level_names(target, {int(code)}, session)[int(code)],
        "top_records": int(records),
        "tied": int(tied),
    }
