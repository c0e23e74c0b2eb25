"""Check the user's choice of key subsets and measures, and make a `Sweeping` from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from typing import Unpack

from sqlrisk.analyses import limits
from sqlrisk.analyses.intruders import attack_request
from sqlrisk.analyses.intruders.attack_request import Attack
from sqlrisk.catalogue.measures import Measure, catalog
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import BEYOND, EXCLUSIONS
from sqlrisk.inputs.readers import as_list, limit, rising, several, whole
from sqlrisk.inputs.request import Question, Where, with_file
from sqlrisk.report.declared import of_targets
from sqlrisk.report.results.subset_rows import ORIGINAL
from sqlrisk.report.sections.sweep import ORDERS

VISIT = 5  # steps per record of a subset, once for its classes and once for each target (measured)
LEAST_RECORDS = 100_000  # Smaller files cost the same: running statements takes most of the time.
_READ_SIZES = several(
    lambda each: size if (size := whole(each) or 0) > 0 else None,
    "numbers of keys, 1 or more, as in 3,4",
    rising,
)


@dataclass(frozen=True)
class Sweeping:
    """A question whose keys are swept.

    Attributes:
        sizes: how many keys a subset has, such as (3, 4).
        reference: compare the original with itself, too.
        attack: the attackers besides the measures, or None.
        sort: the measure or order by which the text output sorts the subsets.
        top: how many subsets the text output shows.
    """

    question: Question
    sizes: tuple[int, ...]
    reference: bool
    attack: Attack | None
    sort: str
    top: int

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of every subset, then the attackers."""
        return (
            *self.question.measures,
            *(attack_request.measures(self.attack) if self.attack else ()),
        )

    @property
    def subsets(self) -> int:
        """The number of subsets."""
        return sum(comb(len(self.question.scenario.keys), size) for size in self.sizes)


def ask(
    files: Sequence[object],
    settings: Mapping[str, object],
    who: Mapping[str, object] | None = None,
    *,
    key_length: object = None,
    reference: bool = False,
    sort: str | None = None,
    top: object = 10,
    **where: Unpack[Where],
) -> Sweeping:
    """Make a sweep from the arguments of `sqlrisk.sweep`.

    ``files`` are the original, the syntheses and control. None stands for the default: all sizes,
    no attackers, and the measures with ``swept`` in their header (unless ``measures_from`` is
    given). A file that is None is taken from the scenario file. ``who`` is described in
    `attack_request.ask`. Raises InputError with every problem.
    """
    problems = ProblemList()
    tables = where.get("tables", "")
    given, (original, synthetic, control, universe) = with_file(
        settings, (*files, None), where.pop("scenario_file", None), tables=tables
    )
    problems += [
        (
            f"{name}: a sweep cannot use it; leave it out, or ask `sqlrisk score` about one set "
            "of keys."
        )
        for name in (*BEYOND, "link")
        if given.get(name, False) is not False  # a delta may be 0
    ]
    if where.get("measures_from") is None:
        given.setdefault("measures", [each.name for each in catalog() if each.shown.get("swept")])
    question: Question | None = None
    with problems:
        question = request.ask(
            original, synthetic, given, control=control, others=[universe], **where
        )
    with problems:
        shown = limit("subsets", least=0)(top, "top")
    with problems:
        sizes = _sizes(key_length, None if question is None else len(question.scenario.keys))
    if question is None:
        raise InputError(list(dict.fromkeys(problems)))
    attack: Attack | None = None
    asked_of = {name: each for name, each in (who or {}).items() if each is not None}
    if "attackers" in asked_of:
        with problems:
            counted = [
                name for name in (*EXCLUSIONS, "weights", "by") if getattr(question.scenario, name)
            ]
            counted += [] if question.scenario.populations == ("all",) else ["populations"]
            ProblemList(
                f"{name}: attackers are tested on all people; leave out this setting or "
                "--attackers."
                for name in counted
            ).stop()
            attack = attack_request.attack_on(question, attack_request.choose(asked_of))
    elif asked_of:
        problems.append(
            "sample, seed and preset are for models: name some models with --attackers (attackers)."
        )
    problems += [
        f"within: a sweep matches equal keys; leave the tolerance of {key!r} out, or ask "
        "`sqlrisk score` about one set of keys."
        for key in question.scenario.near_keys
    ]
    problems += [
        f"measures: a sweep computes each set of keys separately, but {measure.name} "
        "compares sets of them; leave it out, or ask `sqlrisk score`."
        for measure in question.measures
        if measure.of_sets
    ][:1]
    names = [
        measure.name
        for measure in (*question.measures, *(attack_request.measures(attack) if attack else ()))
    ]
    sort = sort and question.catalog.spelled(sort)
    problems += _problems(question, names, sort, reference=reference)
    problems.stop(question.unread)
    names = [measure.name for measure in question.measures]
    leading = {
        each.name for each in of_targets({each.name: each.shown for each in question.catalog})
    }
    first = next((name for name in names if name in leading), names[0])
    asked = Sweeping(question, sizes, reference, attack, sort or first, shown)
    with problems:
        require_work(asked, 0, len(question.scenario.targets) or 1)
    problems.stop(question.unread)
    return asked


def work(subsets: int, records: int, targets: int) -> int:
    """Return the steps of work: in every subset, `VISIT` per record of all files for the classes
    and for each target. Fewer than `LEAST_RECORDS` records count as that many.
    """
    return subsets * max(records, LEAST_RECORDS) * (targets + 1) * VISIT


def _sizes(key_length: object, keys: int | None) -> tuple[int, ...]:
    """Return the sizes of the subsets in ascending order, without repeats. Raises InputError for
    unusable ones.

    The default is every number from 1 to ``keys``, the number of keys of the question. It is empty
    if ``keys`` is None (the question has problems).
    """
    if as_list(key_length) in (None, "", [], ()):
        return tuple(range(1, (keys or 0) + 1))
    found: tuple[int, ...] = _READ_SIZES(key_length, "key_length")
    if keys is not None and found[-1] > keys:
        raise InputError(
            f"key_length: there are no subsets of {found[-1]} keys; the question has {keys} keys."
        )
    return found


def _problems(
    question: Question, names: Sequence[str], sort: str | None, *, reference: bool
) -> list[str]:
    problems = []
    orders = [*names, *ORDERS]
    if sort is not None and sort not in orders:
        problems.append(
            f"sort: cannot sort by {sort!r}{suggestion(sort, orders)}; there are "
            f"{', '.join(orders)}."
        )
    problems += [
        f"measures: {measure.name} compares whole rows, not keys; leave it out, or ask "
        "`sqlrisk score` for it."
        for measure in question.measures
        if measure.of_rows
    ][:1]
    unknown = [measure.name for measure in question.computed if not measure.knows_control]
    # Some measures assume that the file was made from its people, as a synthesis is.
    if reference and unknown:
        problems.append(
            f"reference: the original cannot be compared with itself by {unknown[0]}; leave "
            "out one of the two."
        )
    if reference and any(synthesis.method == ORIGINAL for synthesis in question.syntheses):
        problems.append(
            f"reference: {ORIGINAL!r} stands for the original against itself; give the synthetic "
            "files another name."
        )
    return problems


def require_work(asked: Sweeping, records: int, targets: int) -> None:
    """Raise InputError if the subsets take more steps than the work limit. The message names sizes
    that stay within the limit, if there are any.

    ``records`` is the number of records of all files, ``targets`` the number of targets.
    """
    limit = asked.question.scenario.work_limit
    keys = len(asked.question.scenario.keys)
    counts = [comb(keys, size) for size in asked.sizes]
    fits = [
        size
        for size, upto in zip(asked.sizes, accumulate(counts), strict=True)
        if work(upto, records, targets) <= limit
    ]
    fits = (
        fits
        or [
            size
            for size, n in zip(asked.sizes, counts, strict=True)
            if work(n, records, targets) <= limit
        ][:1]
    )
    lengths = ",".join(map(str, fits))
    way = (
        f"subsets of {lengths} keys (--key-length {lengths}) stay within it"
        if fits
        else "name fewer keys"
    )
    unit = f"steps ({VISIT} for each subset, record, and target + 1)"
    what = f"Sweeping {asked.subsets:,} subsets of {keys} keys"
    limits.require(limit, work(asked.subsets, records, targets), what, unit, way)
