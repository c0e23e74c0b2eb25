"""The amount that a person of each kind adds to each figure, found by running the SQL of measures.

So no list of measures or their relations is needed. The SELECT of each measure, also a user's own,
runs on one person of each kind. A kind is a combination of answers to these questions:

- Is the person unique on the keys?
- Does the synthetic file have these keys? With one level or several? With the person's level?
- Is the person counted or excluded? In which populations?

Every figure that is a sum over people is then a sum over kinds. Two figures are related if the same
people add to them.

A kind stands for all classes that measures cannot distinguish. A class is all people with the same
keys, a cell the people of a class with the same level of the target. If a share can be anything
between two ends, both ends are kinds. A mixture of people of both kinds can have any share between
them.
"""

import re
import sqlite3
import tomllib
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import inf
from typing import Any, NamedTuple

import numpy as np

from sqlrisk.catalogue import headers
from sqlrisk.catalogue.measures import catalog
from sqlrisk.catalogue.reads import OF_LEVELS
from sqlrisk.catalogue.templates import fill

MANY = 10**6  # size of a class in which one person is a negligible share
PRIORS = (1 / MANY, 1.0)  # the least and the greatest prior probability of a level
PUBLIC = ("uniques", "special")  # populations defined by the keys only
_BODY = re.compile(
    r"SELECT\s+(.+?)\s+AS numerator,\s+(.+?)\s+AS denominator\s+FROM \{\{ (\w+) \}\}", re.DOTALL
)
MAIN = "main"
# Numbers of a report that are not measures. sql/tables/overlap.sql counts a class as one row. Here
# each person has a row, which counts as a part of the class.
_SUM = "SELECT SUM({}) AS numerator, 0 AS denominator FROM {{{{ classes }}}}"
_PARTS = {"records": "people", "classes": "people / n_orig"}
PEOPLES = {name: _SUM.format(part) for name, part in _PARTS.items()}
RECORDS = {"records": _SUM.format("synthetic"), "classes": _SUM.format("synthetic / n_syn")}
OVERLAP = {
    f"{name}_{where}": _SUM.format(f"CASE WHEN n_syn {sign} 0 THEN {part} ELSE 0 END")
    for name, part in _PARTS.items()
    for where, sign in (("both", ">"), ("only_original", "="))
}
# Columns about the synthetic file only. _RECORDS are numbers of records, which measures sum.
# _PUBLIC also has the columns that decide which records are summed.
_RECORDS = {"synthetic", "counted_syn"}
_PUBLIC = {*_RECORDS, "n_syn", "n_syn_class", "share_syn"}
_PEOPLE = {
    *("n_orig", "n_orig_class", "n_base", "n_base_class", "people", "n_cells"),
    *("counted_orig", "counted_orig_class", "counted_modal", "counted_low", "counted_high"),
}

Vector = np.ndarray[Any, np.dtype[np.float64]]

Row = dict[str, float | None]


@dataclass(frozen=True)
class Adds:
    """The amount that a person of each kind adds to a sum: ``vector`` has a number for each kind.

    ``public`` is True for a sum over synthetic records only, to which no person adds. ``of_cells``
    is True for a sum over cells.
    """

    vector: Vector
    public: bool = False
    of_cells: bool = False


@dataclass(frozen=True)
class Seen:
    """A summary of the synthetic records that have a person's keys: ``all`` of them, and ``own``
    with the person's level.

    The records come from one or several files. ``look`` is a letter: N no record, R only the right
    level, W one wrong level, X several levels with the right one, O several wrong levels. For X,
    only the ratio of ``own`` to ``all`` counts. ``modal`` is 1 if the most frequent level is the
    right one.
    """

    look: str
    own: int
    all: int
    modal: int = 0

    @property
    def code(self) -> str:
        """The look as text, with the suffix 1 if it comes from a single record."""
        return self.look + ("1" if self.all == 1 else "")

    @property
    def least(self) -> tuple[int, int]:
        """The fewest records with this look: (records with the person's level, all records)."""
        return (1, 2) if self.look == "X" else (self.own, self.all)

    @property
    def most(self) -> float:
        """The most records with the person's level that have this look."""
        return inf if self.own and self.all > 1 else self.own


class Counted(NamedTuple):
    """1 if a person is counted, 0 if excluded: in the ``cells`` of a target, and in ``classes``.
    Only a missing key excludes people from classes. ``files`` is 0 if synthetic records exclude the
    person, so that other files may not.
    """

    cells: int = 1
    classes: int = 1
    files: int = 1

    @property
    def in_any_files(self) -> "Counted":
        """The part that is the same for all synthetic files."""
        return self if self.files else Counted()


class CellLimits(NamedTuple):
    """The limits of a cell in which people are counted: at most ``max_cell`` people and at most
    ``max_cell_syn`` synthetic records. Infinity is no limit.
    """

    max_cell: float = inf
    max_cell_syn: float = inf


UNLIMITED = CellLimits()


@dataclass(frozen=True)
class PersonKind:
    """A kind of person: in a cell of ``own`` people and a class of ``all`` people.

    - ``seen`` summarizes the synthetic records of this class.
    - ``base`` has the people of the original in the same cell and class. It equals ``own`` and
      ``all`` unless the person is one of control.
    - ``counted`` says whether the person is counted or excluded.
    - ``member`` has the populations of the person.
    - ``level`` and ``more`` have other facts that measures read, by name.

    If ``people`` is 0, it is a kind of synthetic records: a class without people, or one more
    record in a class that may have people.
    """

    own: int
    all: int
    seen: Seen
    base: tuple[int, int]
    counted: Counted
    member: frozenset[str]
    level: Mapping[str, float]
    more: Mapping[str, float]
    people: int = 1


class Definitions:
    """The kinds of people that some measures distinguish, and what each kind adds to their figures.

    ``columns`` maps the SQL of each measure to the columns that its sums read. The set is empty if
    the kinds lack one of them, or if the SQL has another form than the shipped measures.
    """

    def __init__(
        self,
        points: Mapping[str, Sequence[float]],
        populations: Sequence[frozenset[str]],
        *,
        excluded: Collection[Counted],
        control: bool,
        limits: CellLimits = UNLIMITED,
        priors: Sequence[float] = PRIORS,
    ) -> None:
        """Make the kinds. ``points`` maps the SQL of each measure to its points, such as the values
        of tau. A measure without points has an empty sequence.

        Each of the ``populations`` is a set of the user's populations to which one person belongs.
        ``excluded`` has the ways in which settings exclude people whatever the size of their cell,
        and ``limits`` the limits of this size. ``control`` is True if the people are those of
        control. ``priors`` are the ends of the probabilities that a level may have
        before the files, and 0 if it may be impossible.
        """
        self._points, self._excluded = points, bool(excluded) or limits != UNLIMITED
        self._tables = sqlite3.connect(":memory:")
        self._stages = {stage: ["person", *next(told(_SOMEBODY))] for stage, told in _ROWS.items()}
        for stage, columns in self._stages.items():
            typed = ", ".join(f"{name} REAL" for name in columns)
            self._tables.execute(f"CREATE TABLE {stage} ({typed})")
        self.columns: dict[str, set[str]] = {}
        stages = set[str]()
        for text, own in points.items():
            stage, sides = self._sides(text, next(iter(own), None))
            if read := self._columns(stage, sides):
                stages.add(stage)
            self.columns[text] = set().union(*read)
        names = stages.union(*self.columns.values())
        self.kinds = [
            *_kinds(
                points,
                names,
                populations,
                excluded=excluded,
                control=control,
                limits=limits,
                priors=priors,
            ),
            *map(_of_nobody, _NOBODY),
        ]
        for stage in stages:
            self._fill(stage)
        self._known: dict[tuple[str, float | None], list[Adds | None]] = {}

    def adds(self, text: str, at: float | None, population: str) -> list[Adds | None]:
        """Return what a person of each kind adds to the numerator and to the denominator of the
        measure with the SQL ``text``, at the point ``at`` (None without points).

        A side is None if it is not known to be a sum:

        - The SQL has another form than the shipped measures.
        - The sum mixes people with synthetic records that match nobody, a person adds more than 1,
          or exclusions decide which records are summed (see `_side`).
        - The sum is over the synthetic records of a population other than ``all``. Only the
          original determines which records belong to it.
        """
        if (text, at) not in self._known:
            self._known[text, at] = self._asked(text, at)
        if population == "all":
            return self._known[text, at]
        inside = np.array([population in kind.member for kind in self.kinds], dtype=float)
        return [
            None if side is None or side.public else replace(side, vector=side.vector * inside)
            for side in self._known[text, at]
        ]

    def _fill(self, stage: str) -> None:
        """Write the rows of each kind into the table of a stage."""
        columns = self._stages[stage]
        rows: list[Row] = []
        for place, kind in enumerate(self.kinds):
            own = _ROWS[stage](kind) if kind.people else [_records(kind.seen, columns)]
            rows += [{"person": place, **row} for row in own]
        self._tables.executemany(
            f"INSERT INTO {stage} VALUES ({', '.join('?' * len(columns))})",
            ([row.get(name) for name in columns] for row in rows),
        )

    def _sides(self, text: str, at: float | None) -> tuple[str, list[str]]:
        """Return the stage of a measure, and its numerator and denominator at the point ``at``.

        Return no sides unless the numerator is a SUM of the usual form.
        """
        header, body = headers.parts(text)
        form = _BODY.search(body)
        if form is None or not form[1].startswith(("SUM(", "COALESCE(SUM(")):
            return "", []
        names: dict[str, str] = {}
        if at is not None:
            point = Fraction(str(at))
            after = min((each for each in self._points[text] if each > at), default="NULL")
            names = {
                "at_numerator": f"{point.numerator}.0",
                "at_denominator": f"{point.denominator}.0",
                "at_next": f"{after}",
            }
        if (risky := tomllib.loads(header).get("risky")) is not None:
            names["risky"] = f"({fill(risky, **names)})"
        return form[3], [fill(side, **names) for side in (form[1], form[2])]

    def _columns(self, stage: str, sides: Sequence[str]) -> list[set[str]]:
        """Return the columns that each side of a measure reads, as SQLite reports them. Return an
        empty list without sides, or if the kinds lack the stage or a column.
        """
        found: list[set[str]] = []

        def noted(action: int, _table: str | None, column: str | None, *_: object) -> int:
            if action == sqlite3.SQLITE_READ and column:
                found[-1].add(column)
            return sqlite3.SQLITE_OK

        self._tables.set_authorizer(noted)
        try:
            for side in sides:
                found.append(set())
                self._tables.execute(f"EXPLAIN SELECT {side} FROM {stage}")
        except sqlite3.Error:
            return []
        finally:
            self._tables.set_authorizer(None)
        return found

    def _asked(self, text: str, at: float | None) -> list[Adds | None]:
        stage, sides = self._sides(text, at)
        columns = self._columns(stage, sides)
        if not columns:
            return [None, None]
        rows = self._tables.execute(
            f"SELECT {', '.join(sides)} FROM {stage} GROUP BY person ORDER BY person"
        )
        try:
            found = np.nan_to_num(np.array(rows.fetchall(), dtype=float)).T
        except ValueError:  # a user's own measure may return text
            return [None, None]
        return [self._side(*each) for each in zip(found, columns, strict=True)]

    def _side(self, found: Vector, columns: set[str]) -> Adds | None:
        """Return a sum over these ``columns`` as Adds, given what each kind was ``found`` to add.

        Return None if the sum mixes people and records, if a person adds more than 1, or if
        exclusions decide which records are summed.
        """
        if columns <= _PUBLIC and columns & _RECORDS:
            # which records are excluded does not follow from which people are
            return None if self._excluded and "counted_syn" in columns else Adds(found, public=True)
        of_nobody = np.array([not kind.people for kind in self.kinds])
        if found[of_nobody].any() or np.abs(found).max() > 1:
            return None
        return Adds(found, of_cells="n_cells" in columns)


def _kinds(
    points: Mapping[str, Sequence[float]],
    names: Collection[str],
    populations: Sequence[frozenset[str]],
    *,
    excluded: Collection[Counted],
    control: bool,
    limits: CellLimits,
    priors: Sequence[float],
) -> Iterator[PersonKind]:
    """Yield every kind of person that the measures can distinguish (see `Definitions`).

    ``names`` are the names of the stages and columns in the SQL of the measures.
    """
    taken = sorted({point for each in points.values() for point in each})
    sizes = {1, 2, MANY} | {
        int(size) + step for size in taken if size >= 1 for step in (0, -1) if size + step >= 1
    }
    if not any(theme(text) == MAIN for text in points):
        sizes = {1, 2, MANY}  # other themes hardly depend on the size of a class
    ends = {int(limits.max_cell), int(limits.max_cell) + 1} if limits.max_cell < inf else set[int]()
    cells = [
        (own, size)
        for size in sorted(sizes | ends)
        for own in sorted({size, size - 1, 1, *ends})
        if 0 < own <= size
    ]
    taus = {Fraction(str(point)) for point in taken if 0 < point < 1}
    taus |= {tau - Fraction(1, MANY) for tau in taus}
    shares = {Fraction(1, MANY), Fraction(MANY - 1, MANY), *taus}
    if "n_base" in names or "n_base_class" in names:  # a measure compares both files
        cells += [(round(tau * MANY), MANY) for tau in sorted(taus)]
        # slightly below and above the original's shares at both ends
        few = {Fraction(1, 4 * MANY), Fraction(4, MANY)}
        shares |= {
            Fraction(1, 2),
            *few,
            *(1 - share for share in few),
            *(Fraction(own, size) for own, size in cells if own < size),
        }
    voted = "counted_modal" in names or "n_modal" in names
    seen = [*_looks(sorted(share for share in shares if 0 < share < 1), voted=voted)]
    levels = [name for name in OF_LEVELS if name in names or f"{name}_within" in names]
    corners = product((0.0, 1.0), repeat=len(levels))
    of_levels = [dict(zip(levels, corner, strict=True)) for corner in corners]
    whose, of_base = cells, []
    if control:
        whose = [(own, size) for own, size in cells if size < MANY or own in (1, MANY)]
        of_base = [(0, 0), (0, 1), *(cell for cell in cells if cell[1] == MANY)]
    for (own, size), look in product(whose, seen):
        ways = [*_counted(own, size, look, excluded, limits)]
        bases = of_base or [(own, size)]
        public = [["uniques"], ["uniques", "special"]] if size == 1 else [[]]
        facts = [*_more(names, taken, own, size, look, priors)]
        for counted, base, inside, group, level, more in product(
            ways, bases, public, populations, of_levels, facts
        ):
            yield PersonKind(own, size, look, base, counted, group | {*inside}, level, more)


@lru_cache(maxsize=1024)
def theme(text: str) -> str:
    """Return the theme of a measure: the facts about a person that it reads, besides what synthetic
    files show about their keys. Each theme has its own kinds of people.
    """
    return str(tomllib.loads(headers.parts(text)[0]).get("theme", MAIN))


def excluded() -> str:
    """Return the SQL of the measure that counts the people whom exclusions remove."""
    return catalog()["excluded"].sql


def derived(text: str) -> str:
    """Return the SQL of numerator and denominator of a measure that is computed from others, as a
    template to fill in their values. Return an empty text for any other measure.

    ``text`` is the SQL of the measure.
    """
    form = _BODY.search(text)
    return f"{form[1]}, {form[2]}" if form is not None and form[3] == "results" else ""


def amounts(codes: Iterable[Hashable], adds: Vector) -> dict[Hashable, float] | None:
    """Return the amount that a person adds, by the code of the kind. Return None if kinds with the
    same code add different amounts.

    ``codes`` and ``adds`` have the code and the amount of each kind.
    """
    found: dict[Hashable, float] = {}
    for code, number in zip(codes, adds, strict=True):
        if found.setdefault(code, number) != number:
            return None
    return found


def _looks(shares: Sequence[Fraction], *, voted: bool) -> Iterator[Seen]:
    """Yield what synthetic files can show about a person's keys. ``shares`` are the shares of the
    person's level among records with several levels.

    If a measure uses the records' most frequent level (``voted``), yield both cases: it is the
    person's level, or another.
    """
    yield from (
        Seen("N", 0, 0),
        Seen("R", 1, 1, 1),
        Seen("R", 2, 2, 1),
        Seen("W", 0, 1),
        Seen("W", 0, 2),
        Seen("O", 0, 2),
    )
    for share in shares:
        modal = (1,) if share > Fraction(1, 2) or not voted else (0, 1)
        yield from (Seen("X", share.numerator, share.denominator, each) for each in modal)


def _counted(
    own: int, size: int, seen: Seen, excluded: Collection[Counted], limits: CellLimits
) -> Iterator[Counted]:
    """Yield the ways in which a person may be counted or excluded, who is in a cell of ``own``
    people and a class of ``size``.
    """
    # a part of a class of MANY stands for parts of any size
    least, most = (1, inf) if own < size == MANY else (own, own)
    if least <= limits.max_cell:
        if seen.least[0] <= limits.max_cell_syn:
            yield Counted()
        if seen.most > limits.max_cell_syn:
            yield Counted(cells=0, files=0)
    if most > limits.max_cell:
        yield Counted(cells=0)
    yield from excluded


def _more(
    names: Collection[str],
    taken: Sequence[float],
    own: int,
    size: int,
    seen: Seen,
    priors: Sequence[float],
) -> Iterator[dict[str, float]]:
    """Yield every combination of the other facts that measures read about a person, by name.

    ``names`` has the stages and columns that measures read, ``taken`` are their points.
    """
    found = seen.look != "N"
    facets: dict[str, Sequence[float]] = {}
    if "n_levels_orig" in names:
        several = [level for level in {2.0, *taken} if 2 <= level <= size]
        facets["levels"] = [1] if own == size else several
    if "counted_low" in names:
        facets["low"] = [0.0] if own == size else [0.0, 0.5]
    if "counted_high" in names:
        facets["high"] = sorted({_share(most, size) for most in (own, max(own, size - own))})
    if "neighbours" in names or "neighbour_profiles" in names:
        facets["radius"] = [0.0] if found else [radius for radius in taken if radius >= 1] or [1.0]
        facets["near"] = [float(_share(seen.own, seen.all))] if found else [0.0, 1.0]
        facets["near_modal"] = [float(seen.modal)] if found else [0.0, 1.0]
    if "within" in names:
        facets["close_orig"] = [1] if own == size else [0, 1]
        facets["close_syn"] = [0] if not found else [1] if seen.look == "R" else [0, 1]
        facets |= {name: [0.0, 1.0] for name in ("wide_orig", "wide_syn", "wide_level")}
    if "posteriors" in names:
        facets |= {"prior": priors, "posterior": [0.0, 1.0], "mode": [0.0, 1.0]}
    if "matches" in names:
        facets |= {"candidates": [1, 2] if found else [0], "own_one": [0, 1] if found else [0]}
    for values in product(*facets.values()):
        more = dict(zip(facets, values, strict=True))
        # what is impossible before the files is impossible after them
        if more.get("prior") != 0 or more["posterior"] == more["mode"] == 0:
            yield more


def _share(part: int, whole: int) -> float:
    """Return a share. In a large class the share is rounded: a negligible share to 0, a share near
    1 to 1.
    """
    return round(part / whole, 5) if whole >= MANY // 2 else part / whole


def _cell(kind: PersonKind) -> Row:
    seen = kind.seen
    return {
        "n_orig": kind.own,
        "n_orig_class": kind.all,
        "n_syn": seen.own,
        "n_syn_class": seen.all,
        "n_base": kind.base[0],
        "n_base_class": kind.base[1],
        "people": 1,
        "counted_orig": kind.counted.cells,
        "counted_orig_class": kind.counted.cells,
        "n_cells": 1 / kind.own,
        **dict.fromkeys(_RECORDS, seen.least[0] / kind.own),
        "share_orig": _share(*kind.base) if kind.base[1] else None,
        "share_syn": _share(seen.own, seen.all) if seen.all else None,
        "share_level": kind.level.get("share_level"),
    }


def _cells(kind: PersonKind) -> Iterator[Row]:
    """Yield the person's cell. If all synthetic records of the class have one wrong level, also
    yield the cell of that level.
    """
    yield _cell(kind)
    if kind.seen.look == "W":
        others = kind.own < kind.all  # people to whom the records may belong
        other = {
            "n_orig": 1 if others else 0,
            "n_syn": kind.seen.all,
            "people": 0,
            "counted_orig": 0,
            "n_cells": 0,
        }
        records = dict.fromkeys(_RECORDS, 0 if others else kind.seen.all / kind.all)
        yield _cell(kind) | other | records | {"share_syn": 1, "share_orig": None, "share_level": 0}


def _classes(kind: PersonKind) -> Iterator[Row]:
    yield {
        "n_orig": kind.all,
        "n_syn": kind.seen.all,
        "people": 1,
        "counted_orig": kind.counted.classes,
        **dict.fromkeys(_RECORDS, kind.seen.least[1] / kind.all),
        "population_risk": kind.level.get("population_risk"),
    }


def _profiles(kind: PersonKind) -> Iterator[Row]:
    counted = kind.counted.cells
    yield {
        "n_orig": kind.all,
        "n_syn": kind.seen.all,
        "people": 1,
        "counted_orig": counted,
        "counted_modal": counted * kind.seen.modal,
        "n_modal": 1 if kind.seen.all else 0,
        "n_levels_orig": kind.more.get("levels"),
        "n_levels_all": 2,
        "counted_low": counted * kind.more.get("low", 0),
        "counted_high": counted * kind.more.get("high", 0),
        **{name: counted * kind.level.get(name, 0) for name in OF_LEVELS[1:]},
    }


def _neighbours(kind: PersonKind) -> Iterator[Row]:
    yield _cell(kind) | {"radius": kind.more.get("radius"), "share_syn": kind.more.get("near")}


def _neighbour_profiles(kind: PersonKind) -> Iterator[Row]:
    yield {
        **next(_profiles(kind)),
        "counted_modal": kind.counted.cells * kind.more.get("near_modal", 0),
        "n_modal": 1,
    }


def _within(kind: PersonKind) -> Iterator[Row]:
    cell, more = _cell(kind), kind.more
    close = {name: more.get(name, 0) for name in ("close_orig", "close_syn")}
    shares = {
        f"share_{of}_within": None
        if (least := cell[f"share_{of}"]) is None
        else max(least, more.get(f"wide_{of}", 0), close.get(f"close_{of}", 0))
        for of in ("orig", "syn", "level")
    }
    yield {**cell, **shares, **close}


def _posteriors(kind: PersonKind) -> Iterator[Row]:
    beliefs = ("prior", "posterior", "mode")
    yield _cell(kind) | {f"chance_{name}": kind.more.get(name) for name in beliefs}


def _matches(kind: PersonKind) -> Iterator[Row]:
    yield {
        "people": 1,
        "counted_orig": kind.counted.classes,
        "n_candidates": kind.more.get("candidates"),
        "found": kind.more.get("own_one"),
    }


# Synthetic records whose keys no person has, as (own, all): a class of one record, of two with the
# same level, and of two with different levels. Then one more record in a large class: its level is
# that of all others, of none, and of nearly all.
_NOBODY = ((1, 1), (2, 2), (1, 2), (MANY, MANY), (1, MANY), (MANY - 1, MANY))
_SOMEBODY = PersonKind(1, 1, Seen("R", 1, 1, 1), (1, 1), Counted(), frozenset(), {}, {})


def _of_nobody(seen: tuple[int, int]) -> PersonKind:
    return PersonKind(
        0, 0, Seen("-", *seen), (0, 0), Counted(0, 0, 0), frozenset(), {}, {}, people=0
    )


def _records(seen: Seen, columns: Collection[str]) -> Row:
    """Return the values of these ``columns`` for synthetic records whose keys no person has."""
    return {
        **{name: 0.0 for name in columns if name in _PEOPLE},
        **dict.fromkeys(_RECORDS, seen.all if seen.all < MANY else 1),
        "n_syn": seen.own if "n_syn_class" in columns else seen.all,
        "n_syn_class": seen.all,
        "share_syn": seen.own / seen.all,
    }


_ROWS: dict[str, Callable[[PersonKind], Iterator[Row]]] = {
    "classes": _classes,
    "cells": _cells,
    "profiles": _profiles,
    "neighbours": _neighbours,
    "neighbour_profiles": _neighbour_profiles,
    "within": _within,
    "posteriors": _posteriors,
    "matches": _matches,
}
