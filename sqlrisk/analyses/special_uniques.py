"""Special uniques (SUDA) as steps of a run, for a population or for the scores of people."""

from collections.abc import Iterator

from sqlrisk.analyses import limits
from sqlrisk.plan.columns import File
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step, fill
from sqlrisk.plan.subsets import minimal_uniques
from sqlrisk.plan.subsets.minimal_uniques import SpecialUniques


def population_steps(layout: Layout) -> Iterator[Step]:
    """Yield the steps that find the special uniques of each file of people. There are none if no
    population of the question needs them.
    """
    if not any(population.kind == "special" for population in layout.populations):
        return
    for file in layout.people_files:
        yield from _search(layout, file)
        yield _uniques(layout, file).special_step()


def score_steps(layout: Layout, file: File) -> Iterator[Step]:
    """Yield the steps that compute the DIS-SUDA scores of the people of a file, as part of a
    run.
    """
    yield from _search(layout, file)
    yield _uniques(layout, file).dis_step()


def record_scores(layout: Layout, file: File, records: str) -> str:
    """Return the query of each record's SUDA scores, unordered. ``records`` is as in
    `SpecialUniques.record_scores`.
    """
    return _uniques(layout, file).record_scores(records, ordered=False)


def _search(layout: Layout, file: File) -> Iterator[Step]:
    uniques = _uniques(layout, file)
    yield fill(
        "special uniques", uniques.classes, "uniques/own_classes.sql", **layout.names, file=file
    )
    yield from uniques.score_steps()


def _uniques(layout: Layout, file: File) -> SpecialUniques:
    number = file.number
    return SpecialUniques(
        layout.key_columns, classes=f"classes_of_{number}", count="n_records", suffix=f"_{number}"
    )


def require_work(layout: Layout, takes: int | None = None, what: str | None = None) -> None:
    """Raise InputError if finding special uniques takes more class visits than the work limit.

    A class visit is one class looked at for one set of keys. ``takes`` is the number of visits, by
    default an estimate for all keys. ``what`` names the keys in the message.
    """
    keys = len(layout.keys)
    takes = minimal_uniques.work(keys, keys, max(layout.records)) if takes is None else takes
    what = f"Finding the special uniques of {what or f'{keys} keys'}"
    limits.require(
        layout.scenario.work_limit,
        takes,
        what,
        "class visits",
        "name fewer keys, leave special uniques out",
    )
