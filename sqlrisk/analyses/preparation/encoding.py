"""The files as integers: dictionaries, class key, records, and in how many passes to count them. Where every run begins."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from sqlrisk.analyses import neighbours
from sqlrisk.analyses.preparation.files import lay_out, sources_of, with_class_key
from sqlrisk.analyses.session import Door
from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.request import Question
from sqlrisk.plan import encoding, steps
from sqlrisk.plan.class_key import EVERY_CLASS, Pass
from sqlrisk.plan.columns import table
from sqlrisk.plan.dialect_overrides import own_sql
from sqlrisk.plan.layout import Comparison, Layout


def encode(question: Question, engine: Engine, door: Door, *, numbered: bool = False, every_target: bool = True) -> Layout:
    """Make the dictionaries and return the layout with its class key; the choices are those of `lay_out`."""
    layout = lay_out(question, engine, numbered=numbered, every_target=every_target)
    engine.use_overrides(partial(own_sql, layout, question.measures_from))
    door.make(encoding.encode(layout))
    return with_class_key(layout, door.ask, sources_of(question))


def record_all(layout: Layout, engine: Engine, door: Door) -> Sequence[Pass]:
    """Make the records, and say in which passes to count them."""
    door.make(encoding.record(layout, temporary=engine.fits(size(layout))))
    return choose_passes(layout, engine, door)


def size(layout: Layout) -> int:
    """About how many bytes the records take."""
    numbers = 8 * (layout.files[0].record is not None)
    return sum(layout.records) * (4 + 8 * len(layout.limbs) + 4 * len(layout.targets) + numbers)


def choose_passes(layout: Layout, engine: Engine, door: Door) -> Sequence[Pass]:
    """In which passes the records are counted, each time other classes, so that the groups of a pass fit the memory limit."""
    cell = _cell(layout, door)
    wanted = _wanted(layout, engine, "records", cell)
    if wanted == 1:
        return (EVERY_CLASS,)
    lows = [int(low) for (low,) in door.ask(encoding.pass_bounds(layout, wanted, cell))]
    return [Pass(low, high) for low, high in pairwise([None, *sorted(set(lows[1:])), None])]


def count_passes(layout: Layout, engine: Engine, door: Door, recorded: str) -> int:
    """How many passes the records of that table are counted in, as far as is known before keys are chosen."""
    return _wanted(layout, engine, recorded, _cell(layout, door))


def _wanted(layout: Layout, engine: Engine, recorded: str, cell: Sequence[str]) -> int:
    def groups() -> int:
        # Classes are no more than cells; with neighbours, people's cells once more.
        return engine.estimate_groups(recorded, cell) * (4 if neighbours.sought(layout) else 2)

    return engine.passes(sum(layout.records), groups, columns=len(layout.files) + len(layout.limbs) + len(layout.targets))


def _cell(layout: Layout, door: Door) -> list[str]:
    """The columns that tell cells apart: of the target with most levels, as an estimate; none where only classes are counted."""
    sizes = {target: int(door.ask(f"SELECT MAX(code) FROM {table('levels', target)}")[0][0]) for target in layout.targets}
    largest = sorted(layout.targets, key=sizes.__getitem__)[-1:]
    return [*steps.limb_names(layout), *(target.id for target in largest)]


def named(synthesis: str, layout: Layout) -> Comparison:
    """The comparison of the original's people of that label. Raises InputError with near labels."""
    labels = {comparison.label: comparison for comparison in layout.of_original}
    if synthesis not in labels:
        raise InputError(f"There is no synthesis {synthesis!r}{suggestion(synthesis, labels)}; there are {', '.join(labels)}.")
    return labels[synthesis]
