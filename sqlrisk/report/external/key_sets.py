"""Several sets of keys about the same people: which kinds a person may have by one set, given the
kind by another.

If keys A are among keys B, everybody who shares B with a person shares A. So the person's class by
B is a part of the class by A, in every file. Somebody unique by A is unique by B. A cell (the
class and the target's level) is the class of the keys and the target together. So a target of one
scenario that is a key of another is tied as well. Nothing else follows about a person, and nothing
at all if neither set contains the other.

A tie is about two comparisons at a time. It has the pairs of states that a person may have in the
two. It does not cover:

- sums of shares: that the average share of a person's level (CAPd) does not fall with more keys
- scenarios in a ring, such as A in B and C, and both in D: each pair may be possible, but not all
- how many synthetic records all scenarios need together

A figure that states do not determine is not published (see `is_tied`).
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np

from sqlrisk.common.errors import ProblemList
from sqlrisk.inputs.fields import EXCLUSIONS, OF_COLUMNS, Recoded, rows
from sqlrisk.report.external.definitions import MAIN, MANY, Adds, Counted, PersonKind, amounts
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import listed

Ends = tuple[int, int]
"""The fewest and the most records that a state may stand for."""
State = tuple[int, bool, str, Counted, str]
"""A person's class size, True if all of the class have the person's level, a code of the base's
records (`PersonKind.base`), whether the person is counted, and the code of the synthetic records
(see `definitions.Seen`).
"""

# Settings that exclude people by the keys, so that each scenario excludes others.
_BY_KEYS = tuple(name for name in EXCLUSIONS if name not in OF_COLUMNS)
_RECODES = tuple(name for name, field in rows(Recoded).items() if not field.about_records)
_UNUSED = ("label", "role")  # fields of a column's entry that recode nothing
_NONE, _ONE, _SOME, _MORE = (0, 0), (1, 1), (1, MANY), (2, MANY)
# Code -> records with the same keys, those of them with the person's level, those with others, and
# the number of other levels.
_RECORDS: Mapping[str, tuple[Ends, Ends, Ends, Ends]] = {
    "N": (_NONE, _NONE, _NONE, _NONE),
    "R1": (_ONE, _ONE, _NONE, _NONE),
    "R": (_MORE, _MORE, _NONE, _NONE),
    "W1": (_ONE, _NONE, _ONE, _ONE),
    "W": (_MORE, _NONE, _MORE, _ONE),
    "O": (_MORE, _NONE, _MORE, _MORE),
    "X": (_MORE, _SOME, _SOME, _SOME),
    # codes of the base, whose class sizes are not distinguished
    "right": (_SOME, _SOME, _NONE, _NONE),
    "wrong": (_SOME, _NONE, _SOME, _SOME),
}


@dataclass(frozen=True)
class KeysAndTarget:
    """The keys and the target of a comparison of two files. The target is None without targets."""

    keys: frozenset[str]
    target: str | None

    @property
    def sets(self) -> list[frozenset[str]]:
        """The columns of its classes, and those of its cells."""
        return [self.keys, *([] if self.target is None else [self.keys | {self.target}])]


def state(kind: PersonKind) -> State:
    """Return the state of a kind of person: what it says about the person's class in each file."""
    own, every = kind.base
    base = "N" if not every else "wrong" if not own else "right" if own == every else "X"
    return kind.all, kind.own == kind.all, base, kind.counted, kind.seen.code


def is_tied(kinds: Sequence[PersonKind], adds: Adds, theme: str, target: str | None) -> bool:
    """Return True if a figure may be published for several sets of keys. What a person adds must
    depend only on the classes in all files (states or shares), or on the level, which no key
    changes.
    """
    whose: list[Hashable] = []
    if theme == MAIN and not adds.of_cells:
        in_shares = not np.isin(adds.vector, (0, 1)).all()
        whose = [(*state(each)[:4], each.seen, each.own * in_shares) for each in kinds]
    elif theme == "levels" and target is not None:
        whose = [(each.people, each.counted, *each.level.values()) for each in kinds]
    return bool(whose) and amounts(whose, adds.vector) is not None


def ties(comparisons: Sequence[KeysAndTarget]) -> Iterator[tuple[KeysAndTarget, KeysAndTarget]]:
    """Yield the pairs of comparisons by different keys to tie: those that tell something about
    two sets of columns that no earlier pair of the same keys tells.
    """
    for first, second in combinations(dict.fromkeys(each.keys for each in comparisons), 2):
        of = ([each for each in comparisons if each.keys == keys] for keys in (first, second))
        known = set[tuple[frozenset[str], frozenset[str]]]()
        # with one target the pair tells more: about the levels
        for one, other in sorted(product(*of), key=lambda pair: pair[0].target != pair[1].target):
            if told := {*_told(one, other), *_told(other, one)} - known:
                known |= told
                yield one, other


def may_be(one: KeysAndTarget, other: KeysAndTarget, first: State, second: State) -> bool:
    """Return True if a person can have these states in two comparisons."""
    alike = one.target is not None and one.target == other.target
    return (
        (not alike or first[3] == second[3])
        and _may_hold(one, other, first, second)
        and _may_hold(other, one, second, first)
    )


def _may_hold(outer: KeysAndTarget, inner: KeysAndTarget, state: State, other: State) -> bool:
    """Return True if the sizes in these states allow each class or cell of ``inner`` to be a part
    of every class or cell of ``outer`` whose columns it has.
    """
    around, within = _ends(state), _ends(other)
    return all(
        most >= least
        for place, part in _contained(outer, inner)
        for (_, most), (least, _) in zip(around[place], within[part], strict=True)
    )


@lru_cache(maxsize=1024)
def _contained(outer: KeysAndTarget, inner: KeysAndTarget) -> list[tuple[int, int]]:
    """Return which parts of ``outer`` contain which parts of ``inner``, as pairs of places in
    `_ends`.
    """
    found = [
        (place, part)
        for place, columns in enumerate(outer.sets)
        for part, more in enumerate(inner.sets)
        if columns <= more
    ]
    alike = outer.target is not None and outer.target == inner.target
    return [*found, (2, 2)] if alike and outer.keys <= inner.keys else found


def _told(
    outer: KeysAndTarget, inner: KeysAndTarget
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield pairs of column sets, the first within the second, except those that follow from
    another pair.
    """
    found = [(few, many) for few, many in product(outer.sets, inner.sets) if few <= many]
    for few, many in found:
        if not any(
            few <= less and more <= many and (few, many) != (less, more) for less, more in found
        ):
            yield few, many


@lru_cache(maxsize=4096)
def _ends(state: State) -> tuple[Sequence[Ends], Sequence[Ends], Sequence[Ends]]:
    """Return the ends of the sizes of a person's class, cell and rest of the class, each for
    people, synthetic records and the base's records. The rest also has the ends of the number of
    other levels.
    """
    size, pure, base, _, look = state
    part = (1, size if size == MANY else size - 1)
    (seen, own, others, levels), of_base = _RECORDS[look], _RECORDS[base]
    return (
        [(size, size), seen, of_base[0]],
        [(size, size) if pure else part, own, of_base[1]],
        [_NONE if pure else part, others, of_base[2], levels],
    )


def check(reports: Mapping[str, Findings]) -> None:
    """Raise InputError if files, people or levels differ between several reports, so that no audit
    covers them together.
    """
    if len(reports) < 2:
        return
    scenarios: Mapping[str, Mapping[str, Any]] = {
        name: report.scenario for name, report in reports.items()
    }
    problems = ProblemList()
    if len({str(_files(report)) for report in reports.values()}) > 1:
        problems.append(
            "These reports are not about the same files, so no audit covers them together. Score "
            "all scenarios in one run."
        )
    for name, own in scenarios.items():
        by_keys = [setting for setting in _BY_KEYS if own.get(setting) not in (None, [])]
        if {*listed(own.get("exclude_missing"))} & {*listed(own.get("keys"))}:
            by_keys.append("exclude_missing of a key")
        if by_keys:
            problems.append(
                f"Scenario {name!r} excludes people by its keys ({', '.join(by_keys)}), so that "
                f"others are counted than in the other scenarios. {_ALONE}"
            )
    for (name, own), (other_name, other) in combinations(scenarios.items(), 2):
        where = f"Scenarios {name!r} and {other_name!r}"
        if not problems and any(own.get(each) != other.get(each) for each in EXCLUSIONS):
            problems.append(f"{where} exclude different people. {_ONCE} {_ALONE}")
        used = [{*listed(each.get("keys")), *listed(each.get("targets"))} for each in (own, other)]
        problems += [
            f"{where} recode {column!r} differently. {_ONCE} {_ALONE}"
            for column in sorted(set.intersection(*used))
            if _recode(own, column) != _recode(other, column)
        ]
    problems.stop()


_ONCE = "Set it once, for all scenarios."
_ALONE = (
    "An external report of several scenarios cannot cover this; make one of a single scenario: "
    "--scenario FILE#NAME."
)


def _files(report: Findings) -> list[tuple[object, ...]]:
    sides = [report.original, report.control or {}, *report.synthetic]
    return [tuple(map(each.get, ("source", "synthesis", "records"))) for each in sides]


def _recode(scenario: Mapping[str, Any], column: str) -> object:
    said = [(scenario.get(setting) or {}).get(column) for setting in _RECODES]
    entry = said[-1] or {}
    return [*said[:-1], {name: each for name, each in entry.items() if name not in _UNUSED}]
