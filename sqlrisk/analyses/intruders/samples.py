"""Draw samples of records for training and testing models. Python draws record numbers, and the
database returns the records.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sqlrisk.analyses.intruders.attack_request import Attack
from sqlrisk.analyses.intruders.learners import Numbers
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import EngineError
from sqlrisk.plan.columns import File, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step


@dataclass(frozen=True)
class Sample:
    """Records of some files, sorted by file and number.

    Attributes:
        number: the number of the sample.
        records: the number of each record in its file.
        digits: the part of each key in the class key (its code times the key's stride), of shape
            (records, keys).
        levels: the level codes of the targets, of shape (records, targets).
    """

    number: int
    records: Numbers
    digits: Numbers
    levels: Numbers


def draw(attack: Attack, layout: Layout, session: Session) -> dict[tuple[int, ...], Sample]:
    """Draw a sample from each file or pool that the comparisons need. Returns file numbers ->
    sample.

    A file has one sample, used for training and for testing. Raises EngineError if a file changed
    during the run.
    """
    wanted = dict.fromkeys(
        numbers_of(files) for each in layout.comparisons for files in (each.members, [each.people])
    )
    drawn = []
    for number, files in enumerate(wanted, start=1):
        of_half = layout.own_id is not None or layout.files[files[0]].of_people
        if layout.scenario.split is not None and of_half:
            owners, records = _drawn_of_half(files, attack, layout, session)
        else:
            owners, records = _drawn(files, [layout.records[file] for file in files], attack)
        drawn.append(
            pa.table({"sample": np.full(len(records), number), "file": owners, "record": records})
        )
    relation = session.load("samples_drawn", pa.concat_tables(drawn), "the samples")
    names = {
        "key_columns": layout.key_columns,
        "targets": layout.targets,
        "records": "records",
        "samples": "samples",
    }
    sampled = templates.stage("stages/intruder/sampled.sql", **names)
    made = {"samples": f"SELECT sample, file, record FROM {relation}", "sampled": sampled}
    session.create(Step("samples", name, sql) for name, sql in made.items())
    session.fetch(f"DROP TABLE {relation}")
    digits = [part.digit for part in layout.parts]
    columns = ["file", "record", *digits, *(target.id for target in layout.targets)]
    found = {}
    for number, files in enumerate(wanted, start=1):
        rows = session.fetch(f"SELECT {', '.join(columns)} FROM sampled WHERE sample = {number}")
        if len(rows) != drawn[number - 1].num_rows:
            raise EngineError("A file changed during the run: run again.")
        values = np.array(rows, dtype=np.int64).reshape(len(rows), len(columns))
        values = values[np.lexsort((values[:, 1], values[:, 0]))]
        keys = 2 + len(digits)
        found[files] = Sample(number, values[:, 1], values[:, 2:keys], values[:, keys:])
    return found


def _drawn(files: Sequence[int], records: Sequence[int], attack: Attack) -> tuple[Numbers, Numbers]:
    """Draw records of some files without replacement. If there are no more records than the sample
    size, take all.

    Returns two arrays: the file of each record, and the record's number in the file (from 1).
    """
    total = sum(records)
    if total <= attack.sample:
        places = np.arange(total)
    else:
        generator = np.random.Generator(np.random.PCG64([attack.seed, *files]))
        places = np.sort(generator.choice(total, attack.sample, replace=False, shuffle=False))
    ends = np.cumsum(records)
    owner = np.searchsorted(ends, places, side="right")
    return np.asarray(files)[owner].astype(np.int64), (
        places - (ends - np.asarray(records))[owner] + 1
    ).astype(np.int64)


def _drawn_of_half(
    files: Sequence[int], attack: Attack, layout: Layout, session: Session
) -> tuple[Numbers, Numbers]:
    """Draw records of one half of a split file, or of synthetic files that ids align with it, in
    the form that `_drawn` returns.

    Record numbers refer to the whole file, so the numbers of a half have gaps. Numbers of the whole
    file are tried in random order until the half has given enough records.
    """
    own = sum(layout.records[file] for file in files)
    whole = sum(layout.records[each.number] for each in layout.people_files)
    found: list[tuple[int, int]] = []
    if own <= attack.sample:
        listed = ", ".join(map(str, files))
        rows = session.fetch(f"SELECT file, record FROM records WHERE file IN ({listed})")
        found = [(int(file), int(record)) for file, record in rows]
    else:
        numbers = len(files) * whole  # of all files, one file after another
        order = np.random.Generator(np.random.PCG64([attack.seed, *files])).permutation(numbers)
        size = 2 * attack.sample * numbers // own  # numbers per draw: twice the expected need
        for first in range(0, numbers, size):
            places = order[first : first + size]
            tried = pa.table(
                {
                    "file": np.asarray(files, dtype=np.int64)[places // whole],
                    "record": places % whole + 1,
                    "place": np.arange(len(places)),
                }
            )
            relation = session.load("samples_tried", tried, "the samples")
            rows = session.fetch(
                f"SELECT tried.place, records.file, records.record FROM records JOIN {relation} AS "
                "tried ON records.file = tried.file AND records.record = tried.record"
            )
            session.fetch(f"DROP TABLE {relation}")
            found += [(int(file), int(record)) for _, file, record in sorted(rows)]
            if len(found) >= attack.sample:
                break
    owners, records = np.array(sorted(found[: attack.sample]), dtype=np.int64).reshape(-1, 2).T
    return owners, records


def coded(
    layout: Layout, comparison: Comparison, training: Sample, people: Sample, session: Session
) -> tuple[Numbers, Numbers, list[int]]:
    """Return the keys of both samples as level codes, renumbered from 0 without gaps, and the
    number of codes of each key.

    All levels in the comparison's files have codes, even those in no sample. The arrays have the
    shape (records, keys).
    """
    counts = " + ".join(file.count for file in (comparison.people, *comparison.members))
    sides: list[list[Numbers]] = [[], []]
    sizes = []
    for place, part in enumerate(layout.parts):
        codes = session.fetch(
            f"SELECT DISTINCT code FROM {table('levels', part.column)} WHERE {counts} > 0"
        )
        digits = np.sort(np.array([int(code) for (code,) in codes], dtype=np.int64)) * part.stride
        sizes.append(len(digits))
        for side, sample in zip(sides, (training, people), strict=True):
            side.append(np.searchsorted(digits, sample.digits[:, place]))
    known, asked = (np.stack(side, axis=1).astype(np.int64) for side in sides)
    return known, asked, sizes


def numbers_of(files: Sequence[File]) -> tuple[int, ...]:
    """Return the numbers of the files as a tuple, the key under which their sample is stored."""
    return tuple(file.number for file in files)
