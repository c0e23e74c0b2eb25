"""Split a file of people at random into two halves, before anything is synthesized. One half is for
making syntheses, the other is control.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from pathlib import Path

from sqlrisk.analyses.audit import environment, hashed, reads
from sqlrisk.analyses.people import protection, release
from sqlrisk.analyses.people.parquet_copy import held
from sqlrisk.analyses.session import Session, SessionOpener
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs.fields import CsvFiles, rows
from sqlrisk.inputs.readers import limit
from sqlrisk.inputs.request import Question, read_original, with_file
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.settings import read_fraction
from sqlrisk.inputs.sources import Source, Tables
from sqlrisk.plan.steps import Step, fill
from sqlrisk.report.columns import Row
from sqlrisk.report.formats.tabular import to_json
from sqlrisk.report.results.protection import Halves

MANIFEST = "split.manifest.json"
HALVES = ("in", "control")


@dataclass(frozen=True)
class SplitOrder:
    """An order to split the original of ``question`` into two files in ``folder``.

    Attributes:
        names: the names of the two files. The first one gets the drawn records.
        share: the share of the records to draw.
        seed: the seed of the draw.
    """

    question: Question
    folder: Path
    names: tuple[str, str]
    share: Fraction
    seed: int


def order(
    original: object,
    folder: str,
    settings: Mapping[str, object],
    *,
    share: object,
    seed: object,
    scenario_file: str | None,
    tables: Tables = "",
) -> SplitOrder:
    """Check the arguments of `sqlrisk.split` as far as possible without reading the data, and make
    an order from them.

    Raises InputError with every problem.
    """
    problems = ProblemList([] if folder else ["Name the folder to write to (-o FOLDER)."])
    given, (original, _, control) = with_file(
        settings, (original, None, None), scenario_file, tables=tables
    )
    if control is not None or given.get("split") is not None:
        other = "control" if control is not None else "split"
        problems.append(
            f"{other}: the people who were not in the synthesis are known already; split only "
            "a file without control."
        )
    part, begun = Fraction(1, 2), 1
    with problems:
        part = read_fraction(share, "share")
    with problems:
        begun = limit(least=0)(seed, "seed")
    with problems:
        scenario = read({name: given[name] for name in rows(CsvFiles) if name in given})
        source = scenario.as_written("original", held(read_original(original, tables=tables)))
        if source.is_remote:
            problems.append(
                f"{source.name} is not a file on this machine: copy it here, and split the copy."
            )
        (name,) = release.names_of([source], folder or ".")
        # A scenario file may also name files that are not split.
        problems += read(settings).names_no_file([source])
    problems.stop()
    question = Question(scenario, source, (), catalog(), ())
    return SplitOrder(
        question, Path(folder), (_called(name, HALVES[0]), _called(name, HALVES[1])), part, begun
    )


def _called(name: str, half: str) -> str:
    """Return the file name of one half, such as ``people_in.csv.gz`` for ``people.csv.gz``."""
    extensions = 2 if name.lower().endswith(".gz") else 1
    ending = "".join(Path(name).suffixes[-extensions:])
    return f"{name.removesuffix(ending)}_{half}{ending}"


def split(wanted: SplitOrder, open_session: SessionOpener) -> Halves:
    """Write the two halves and a manifest to the folder, all of them or none.

    Raises InputError if the folder is not empty, a half would be empty, or the file cannot be read.
    """
    (given,) = reads(wanted.question, {})
    names, read = (*wanted.names, MANIFEST), wanted.question.paths
    with (
        release.new_folder(wanted.folder, names, read) as (*paths, manifest),
        open_session() as session,
    ):
        for path in paths:
            session.output(path)
        counts, not_kept = _write(wanted, paths, session)
        found = Halves(
            folder=str(wanted.folder),
            source=wanted.question.original.label,
            share=float(wanted.share),
            seed=wanted.seed,
            files=[
                {"half": half, "output": name, "records": count}
                for half, name, count in zip(HALVES, wanted.names, counts, strict=True)
            ],
            not_kept=not_kept,
            left_out=release.left_out([wanted.question.original], session.engine),
        )
        said = {**found.to_dict(), "environment": environment(), "original": hashed(given)}
        Path(manifest).write_text(to_json(said), encoding="utf-8")
    return found


def _write(
    wanted: SplitOrder, paths: list[str], session: Session
) -> tuple[tuple[int, int], list[Row]]:
    """Write both halves, each without the records of the other.

    Returns the number of records of each half, and the properties of columns that were lost, as in
    `release.not_kept`.
    """
    source = wanted.question.original
    plain = protection.ProtectOrder(
        "original", wanted.question, source, "", release.form_of(source), None, None
    )
    opened = protection.open_whole(plain, session.engine)
    records = _draw(wanted, opened, source, session)
    drawn = session.number("SELECT SUM(drawn) FROM drawn")
    for path, name, left_out in zip(paths, wanted.names, (0, 1), strict=True):
        others = f"SELECT record, 1 AS hit FROM drawn WHERE drawn = {left_out}"
        session.create([Step("records", "singled_out", others, in_memory=True)])
        protection.write(replace(plain, path=name), path, opened, {}, records, session)
        session.clear(keep=("drawn",))
    return (drawn, records - drawn), list(opened.not_kept)


def _draw(wanted: SplitOrder, opened: protection.Opened, source: Source, session: Session) -> int:
    """Draw one half at random: make the table ``drawn``, with 1 or 0 for each record.

    Returns the number of all records. Raises InputError if a half would be empty.
    """
    relation, record = opened.relation, opened.record
    if record is None:
        relation, _, record = session.engine.attach(
            source, opened.names, "drawn_from", numbered=True
        )
    records = session.number(f"SELECT COUNT(*) FROM {relation}")
    size = floor(records * wanted.share + Fraction(1, 2))
    if not 0 < size < records:
        raise InputError(
            f"share: {size:,} of the {records:,} records of {source.name} would be drawn, "
            "which leaves one half empty; choose another share."
        )
    columns = [f"CAST({templates.quote(name)} AS VARCHAR)" for name in opened.names]
    names = {
        "columns": columns,
        "relation": relation,
        "record": record,
        "size": size,
        "seed": wanted.seed,
    }
    session.create([fill("records", "drawn", "stages/people/drawn.sql", **names)])
    return records
