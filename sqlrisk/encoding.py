"""The files as integers: dictionaries, class key, records, and in how many passes to count them. Where every run begins."""

from sqlrisk import nearest, plan
from sqlrisk.door import Door
from sqlrisk.engines import Engine
from sqlrisk.errors import InputError
from sqlrisk.layout import Comparison, Layout, table
from sqlrisk.prepare import lay_out, sources_of, with_class_key
from sqlrisk.question import Question
from sqlrisk.suggest import suggestion


def encode(question: Question, engine: Engine, door: Door, *, numbered: bool = False, every_target: bool = True) -> Layout:
    """Make the dictionaries and return the layout with its class key; the choices are those of `lay_out`."""
    layout = lay_out(question, engine, numbered=numbered, every_target=every_target)
    engine.take(layout, question.measures_from)
    door.make(plan.encode(layout))
    return with_class_key(layout, door.ask, sources_of(question))


def record_all(layout: Layout, engine: Engine, door: Door, into: str = "records") -> int:
    """Make the records, and say in how many passes to count them."""
    door.make(plan.record(layout, temporary=engine.fits(size(layout)), into=into))
    return count_passes(layout, engine, door, into)


def size(layout: Layout) -> int:
    """About how many bytes the records take."""
    numbers = 8 * (layout.files[0].record is not None)
    return sum(layout.records) * (4 + 8 * len(layout.limbs) + 4 * len(layout.targets) + numbers)


def count_passes(layout: Layout, engine: Engine, door: Door, recorded: str = "records") -> int:
    """How often the records are counted, each time other classes, so that the groups of a pass fit the memory limit.

    The target with most levels stands for all: an estimate shapes the run and enters no result.
    """
    records = sum(layout.records)
    limbs = [limb.name for limb in layout.limbs]
    sizes = {target: door.ask(f"SELECT MAX(code) FROM {table('levels', target)}")[0][0] for target in layout.targets}
    largest = sorted(layout.targets, key=lambda target: int(sizes[target]))[-1:]  # none where only classes are counted

    def groups() -> int:
        cells = engine.estimate_groups(recorded, [*limbs, *(target.id for target in largest)])
        # Classes are no more than cells; with neighbours, people's cells once more.
        return cells * (4 if nearest.sought(layout) else 2)

    passes = engine.passes(records, groups, columns=len(layout.files) + len(limbs) + len(layout.targets))
    while passes > 1 and not plan.spreads(layout, passes):
        passes += 1
    return passes


def named(synthesis: str, layout: Layout) -> Comparison:
    """The comparison of the original's people of that label. Raises InputError with near labels."""
    labels = {comparison.label: comparison for comparison in layout.of_original}
    if synthesis not in labels:
        raise InputError(f"There is no synthesis {synthesis!r}{suggestion(synthesis, labels)}; there are {', '.join(labels)}.")
    return labels[synthesis]
