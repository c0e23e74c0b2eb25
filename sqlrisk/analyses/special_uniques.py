"""The special uniques of the files of a run, as steps of it: where they are a population, or people are scored."""

from collections.abc import Iterator

from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.plan import minimal_uniques
from sqlrisk.plan.columns import File
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.minimal_uniques import Search, Tables
from sqlrisk.plan.steps import Step


def population_steps(layout: Layout) -> Iterator[Step]:
    """The steps that find the special uniques of each file of people, where they are one of the populations."""
    if not any(population.kind == "special" for population in layout.populations):
        return
    for file in layout.people_files:
        yield from _search(layout, file)
        yield minimal_uniques.special_step(layout.limbs, _tables(file))


def score_steps(layout: Layout, file: File) -> Iterator[Step]:
    """The steps that score the people of a file, inside another run."""
    yield from _search(layout, file)
    yield minimal_uniques.dis_step(layout.limbs, _tables(file), Search())


def record_scores(layout: Layout, file: File, records: str) -> str:
    """The query of the scores of each of these records, in any order."""
    return minimal_uniques.record_scores(layout.limbs, _tables(file), records, ordered=False)


def _search(layout: Layout, file: File) -> Iterator[Step]:
    class_key = ", ".join(limb.name for limb in layout.limbs)
    sql = templates.stage("uniques/own_classes.sql", class_key=class_key, records="records", file=file)
    yield Step("special uniques", _tables(file).classes, sql)
    yield from minimal_uniques.score_steps(layout.limbs, _tables(file), Search())


def _tables(file: File) -> Tables:
    return Tables(classes=f"classes_of_{file.number}", count="n_records", suffix=f"_{file.number}")


def refuse_work(layout: Layout, classes: int) -> None:
    """Refuse to look for the special uniques of too many classes. Raises InputError."""
    keys = len(layout.keys)
    work = minimal_uniques.work(keys, keys, classes)
    limit = layout.scenario.work_limit
    if work > limit:
        raise InputError(
            f"Finding the special uniques of {keys} keys takes about {work:,} class visits; the limit is "
            f"{limit:,}. Name fewer keys, leave special uniques out, or raise --work-limit."
        )
