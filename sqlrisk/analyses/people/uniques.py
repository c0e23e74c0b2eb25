"""The special uniques of one file: from the question to a summary, and to a score for each of its records."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath

from sqlrisk.analyses.people.uniques_request import FORMS, Question, require_work
from sqlrisk.analyses.preparation.files import lay_out_file, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import format_of, replacing
from sqlrisk.plan import encoding, pass_tables
from sqlrisk.plan.columns import table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.minimal_uniques import SpecialUniques
from sqlrisk.report.results.uniques import Uniques

Rows = tuple[str, str]  # a file to write rows to, and its form


@contextmanager
def rows_to(output: str | PathLike[str] | None, question: Question) -> Iterator[Rows | None]:
    """Yield the file that rows go to, readable by its owner alone, and its form; None where rows are not asked for.

    Raises:
        InputError: an output that cannot be written or is the input itself, or that is neither Parquet nor CSV.
    """
    if output is None:
        yield None
        return
    path = fspath(output)
    form = format_of(path)
    if form not in FORMS:
        raise InputError(f"The output {path!r} is {form} by its suffix; rows are written as .parquet or .csv.")
    with replacing(path, question.source.paths, private=True) as file:
        yield file.name, form


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
    records, width = layout.records[0], 12 + 8 * len(layout.key_columns)
    numbered = encoding.record(layout, temporary=session.engine.fits_in_memory(records * width))
    session.create([*numbered, pass_tables.classes(layout)])
    wanted = SpecialUniques(layout.key_columns, question.search)
    ((classes, uniques, paired, dis),) = session.fetch(wanted.counts())
    require_work(question, int(classes))
    wanted = replace(wanted, search=replace(question.search, missing=_keys_with_missing(layout, session)))
    session.create([*wanted.score_steps(), wanted.dis_step(), wanted.special_step()])
    if rows is not None:
        session.export("writing", wanted.record_scores(), *rows)
    scores = session.fetch(f"SELECT suda_score, n_records, dis_suda FROM {wanted.table('dis_suda')} ORDER BY points DESC")
    ((special, lowest),) = session.fetch(f"SELECT COUNT(*), MIN(suda_score) FROM {wanted.table('special')}")
    (shares,) = session.fetch(wanted.key_shares())
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
            for size, sets, count in sorted(session.fetch(wanted.set_sizes()))
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
