"""The special uniques of one file: from the question to a summary, and to a score for each of its records."""

from dataclasses import replace

from sqlrisk.analyses.people.uniques_request import Question, require_work
from sqlrisk.analyses.preparation.files import lay_out_file, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.plan import encoding, minimal_uniques, pass_tables
from sqlrisk.plan.columns import table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.minimal_uniques import Tables
from sqlrisk.report.results.uniques import Uniques

Rows = tuple[str, str]  # a file to write rows to, and its form
TABLES = Tables()


def find(question: Question, session: Session, *, rows: Rows | None = None) -> Uniques:
    """Find the special uniques of a file, and write a row for each record where rows are wanted.

    Raises:
        InputError: what only the data shows to be wrong, or more work than the limit.
        EngineError: the database failed.
    """
    if rows is not None:
        session.output(rows[0])
    layout = lay_out_file(question.source, question.scenario, question.missing, session.engine)
    session.create(encoding.encode(layout))
    layout = with_class_key(layout, session, [question.source])
    key_columns, records = layout.key_columns, layout.records[0]
    width = 12 + 8 * len(key_columns)
    numbered = encoding.record(layout, temporary=session.engine.fits_in_memory(records * width))
    session.create([*numbered, pass_tables.classes(layout)])
    ((classes, uniques, paired, dis),) = session.fetch(minimal_uniques.counts(TABLES, question.search))
    require_work(question, int(classes))
    search = replace(question.search, missing=_keys_with_missing(layout, session))
    session.create(
        [
            *minimal_uniques.score_steps(key_columns, TABLES, search),
            minimal_uniques.dis_step(key_columns, TABLES, search),
            minimal_uniques.special_step(key_columns, TABLES),
        ]
    )
    if rows is not None:
        session.export("writing", minimal_uniques.record_scores(key_columns, TABLES), *rows)
    scores = session.fetch(f"SELECT suda_score, n_records, dis_suda FROM {TABLES.dis_suda} ORDER BY points DESC")
    ((special, lowest),) = session.fetch(f"SELECT COUNT(*), MIN(suda_score) FROM {TABLES.special}")
    (shares,) = session.fetch(minimal_uniques.key_shares(key_columns, TABLES))
    return Uniques(
        source=question.source.label,
        records=records,
        classes=int(classes),
        uniques=int(uniques),
        paired=int(paired),
        dis=dis,
        special=int(special),
        special_from=lowest,
        settings=_settings(question),
        sizes=[
            {"keys": int(size), "minimal_uniques": int(sets), "records": int(count)}
            for size, sets, count in sorted(session.fetch(minimal_uniques.set_sizes(TABLES)))
        ],
        scores=[{"suda_score": score, "records": int(count), "dis_suda": risk} for score, count, risk in scores],
        contributions=[{"key": part.column.name, "percent": share} for part, share in zip(layout.parts, shares, strict=True)],
    )


def _keys_with_missing(layout: Layout, session: Session) -> tuple[str, ...]:
    """Return the keys that have missing values; only those have to be looked at for them."""
    counts = ", ".join(f"(SELECT COUNT(*) FROM {table('levels', key)} WHERE code = 0)" for key in layout.keys)
    (found,) = session.fetch(f"SELECT {counts}")
    return tuple(key.name for key, count in zip(layout.keys, found, strict=True) if count)


def _settings(question: Question) -> dict[str, object]:
    """Return every setting as plain values, defaults included."""
    given = question.scenario.settings()
    return {
        **{name: given[name] for name in ("keys", "bins", "special")},
        "missing_value": list(question.missing),
        "max_size": question.search.max_size,
        "sampling_fraction": question.search.sampling_fraction,
        "scoring": question.search.scoring,
        "work_limit": question.work_limit,
    }
