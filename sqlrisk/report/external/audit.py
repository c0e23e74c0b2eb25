"""The audit by attack: what a reader who knows all definitions and published figures can infer
about a small count.

The unknowns are the numbers of people of each kind (see `definitions`). Their total is known. Each
published figure limits a sum over kinds to a band. The same people appear in several comparisons
(two targets, two syntheses, pooled syntheses), and links make their numbers equal there. A world is
a choice of the unknowns that agrees with all figures and links.

A count is safe if two worlds have values for the count that differ by at least the threshold. It is
also safe if it is small in no world. The search (see `worlds`) looks for the least and the greatest
value of each count. The two worlds that it finds are the proof.

If there are many kinds, a count may be published even if the worlds of its proof have fractions of
people. For as many counts as possible, the search also finds two worlds of whole people, and the
report says for how many.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import ceil, floor
from time import monotonic
from typing import Any

import numpy as np

from sqlrisk.common.errors import InputError
from sqlrisk.report.external.definitions import Vector
from sqlrisk.report.external.worlds import NEAR, Worlds, agrees

WAYS = 64  # random directions in which extreme kinds are searched
GAP = 0.5  # relative gap of the solver: how far from the best a world for many counts may be
# maximum numbers of searches for many counts at once: searches for any worlds, and pairs of
# searches for worlds of whole people
BEFORE, PAIRS = 20, 3
EACH, ALL = 20.0, 600.0  # seconds for one search, and for all of them
# seconds for the search for whole people after a proof by fractions; failures in a row that end it
AGAIN, MISSED = 10.0, 3
_ROWS = 4096  # combinations that are checked at once
_ANY = (-np.inf, np.inf)  # the band of a hidden figure

Bands = Mapping[Hashable, tuple[float, float]]
"""Published figure -> the lowest and highest value that it may have."""
Place = tuple[int, int]
"""A count, by the index of its block and its index within the block."""


@dataclass
class Block:
    """The kinds of people in one comparison: what each kind adds to the ``figures``, and links to
    other blocks.

    - ``people`` is 1 for a kind of person, 0 for a kind of synthetic records only.
    - ``links`` maps the name of a link to a label for each kind. Two blocks with the same link have
      equal numbers of people with each label.
    - ``counts`` are counts of people to attack, mostly sums or differences of figures. Each is a
      pair: a dict of figure to sign (1 or -1), and a vector: what a person of each kind adds. The
      figure None stands for all people. The dict is empty if the count is no sum of figures.
    - ``floors`` are further sums over kinds that a reader knows to be at least 0.
    """

    people: Vector
    figures: dict[Hashable, Vector] = field(default_factory=dict)
    links: dict[Hashable, Sequence[Hashable]] = field(default_factory=dict)
    counts: Sequence[tuple[Mapping[Hashable, int], Vector]] = ()
    floors: Sequence[Vector] = ()

    def merged(self) -> "Block":
        """Return the block without redundant kinds: those equal to another kind or a mixture of
        others.
        """
        codes = []
        for keys in self.links.values():
            numbers: dict[Hashable, int] = {}
            codes.append(
                np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=float)
            )
        counted = (vector for _, vector in self.counts)
        told = np.array([self.people, *self.figures.values(), *codes, *counted, *self.floors]).T
        first = np.unique(told, axis=0, return_index=True)[1]
        first = first[_corners(told[first])]
        return Block(
            self.people[first],
            {key: vector[first] for key, vector in self.figures.items()},
            {name: [keys[place] for place in first] for name, keys in self.links.items()},
            [(signs, vector[first]) for signs, vector in self.counts],
            [vector[first] for vector in self.floors],
        )


def _corners(kinds: Vector) -> Vector:
    """Return the indexes of the rows that are not mixtures of others. ``kinds`` has a row for each
    kind.

    Rows are compared only if their columns of whole numbers are equal. Keep the rows that are
    extreme along an axis of the other columns or in one of ``WAYS`` random directions. A row that
    is extreme only in another direction is lost. Without it fewer worlds are left, so a count
    that these prove safe is safe. The loss can only make a figure coarser than needed.
    """
    shares = kinds[:, (kinds % 1 != 0).any(axis=0)]
    whole = kinds[:, (kinds % 1 == 0).all(axis=0)]
    ways = np.random.default_rng(0).normal(size=(shares.shape[1], WAYS))
    ways = np.concatenate([np.eye(shares.shape[1]), -np.eye(shares.shape[1]), ways], axis=1)
    kept = set[int]()
    alike = np.unique(whole, axis=0, return_inverse=True)[1].ravel()
    for group in range(alike.max() + 1):
        places = np.flatnonzero(alike == group)
        kept.update(places[(shares[places] @ ways).argmax(axis=0)] if ways.size else places)
    return np.array(sorted(kept))


class NoWorldError(Exception):
    """No world agrees with all published figures. ``figures`` are the contradictory ones, empty if
    they were not found.
    """

    def __init__(self, figures: Sequence[Any]) -> None:
        super().__init__(figures)
        self.figures = figures


@dataclass(frozen=True)
class Count:
    """A count of people that a reader could derive.

    ``made_of`` are the published figures whose sum or difference it is, empty if it is no sum of
    figures. ``held_by`` are the figures whose bands limit it.
    """

    made_of: tuple[Any, ...]
    held_by: tuple[Any, ...]


class _Reach:
    """The least and the greatest value of each count in the worlds found so far."""

    def __init__(self, counts: Sequence[Vector], parts: Sequence[slice]) -> None:
        self._counts, self._parts = counts, parts
        self.lows = [np.full(len(own), np.inf) for own in counts]
        self.highs = [np.full(len(own), -np.inf) for own in counts]

    def see(self, world: Vector | None) -> None:
        """Widen the ranges by the counts of a world. Do nothing for None."""
        if world is None:
            return
        for own, part, lows, highs in zip(
            self._counts, self._parts, self.lows, self.highs, strict=True
        ):
            values = own @ world[part]
            np.minimum(lows, values, out=lows)
            np.maximum(highs, values, out=highs)

    def width(self, block: int, number: int) -> float:
        """Return the distance between the least and the greatest value of a count."""
        return float(self.highs[block][number] - self.lows[block][number])


class Reader:
    """A reader who knows the number of people, the definitions, and the published bands."""

    def __init__(self, blocks: Sequence[Block], people: float, *, whole: bool) -> None:
        """Link the blocks. ``people`` is the known total, and ``whole`` is True if people are
        counted one by one, not by weight.
        """
        from scipy.sparse import lil_array

        self._people, self._until = people, monotonic() + ALL
        # worlds found so far, which may agree with later bands, too
        self._worlds: list[Vector] = []
        self._blocks = [block.merged() for block in blocks]
        sizes = [len(block.people) for block in self._blocks]
        self._parts = [
            slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes), strict=True)
        ]
        vectors = [[vector for _, vector in block.counts] for block in self._blocks]
        self._counts = [
            np.array(own).reshape(-1, size) for own, size in zip(vectors, sizes, strict=True)
        ]
        ties = [*self._ties()]
        self._figures = [
            (key, part, vector)
            for block, part in self._each()
            for key, vector in block.figures.items()
        ]
        floors = [(part, vector) for block, part in self._each() for vector in block.floors]
        sums = [(part, block.people) for block, part in self._each()] + floors
        sums += [(part, vector) for _, part, vector in self._figures]
        rows = lil_array((len(ties) + len(sums), sum(sizes)))
        for number, tie in enumerate(ties):
            for place, sign in tie:
                rows[number, place] = sign
        for number, (part, vector) in enumerate(sums, len(ties)):
            rows[number, part] = vector
        self._rows = rows.tocsr()
        self._search = Worlds(
            self._rows, self._parts, [block.links for block in self._blocks], whole=whole
        )
        fixed = [0.0] * len(ties) + [people] * len(self._parts)
        # the least and the greatest values of the rows before those of figures
        self._fixed = np.array(fixed + [0.0] * len(floors))
        self._most = np.array(fixed + [np.inf] * len(floors))

    def small(self, least: int, bands: Callable[[], Bands]) -> Iterator[Count]:
        """Yield each unsafe count: it may be below ``least``, and a reader can narrow its value to
        a range shorter than ``least``.

        ``bands`` returns the bands as they are now. The caller widens some after each count, and
        the count is yielded again until it is proven safe. A count without a proof in time is
        unsafe. Raises NoWorldError if no world agrees with the bands, and InputError if the whole
        search takes too long.
        """
        wanted, told = self._wanted(least), bands()
        low, high, reach = self._begun(told)
        unproven = self._small(least, told)
        # chance decides only the order of the search, not which counts are safe
        chance = np.random.default_rng(0)
        for _ in range(BEFORE):
            left = [
                (place, chance.choice((-1, 1)))
                for place in unproven
                if reach.width(*place) < wanted
            ]
            if not left:
                break
            reach.see(self._world(left, low, high)[0])
        for place in unproven:
            while (worlds := self._held(place, least, wanted, reach, low, high)) is not None:
                signs = self._blocks[place[0]].counts[place[1]][0]
                yield Count(tuple(signs.keys() - {None}), tuple(self._narrow(worlds, low, high)))
                low, high, reach = self._begun(bands())

    def proofs(self, least: int, bands: Bands) -> Counter[str]:
        """Count the proofs: how many counts are proven by worlds of ``whole`` people, and how many
        only by worlds with ``fractions`` of people.

        Only counts that may be below ``least`` need a proof. Call it after all bands are
        wide enough.
        """
        wanted = self._wanted(least)
        low, high, reach = self._begun(bands)
        proven = [place for place in self._small(least, bands) if reach.width(*place) >= wanted]
        whole = _Reach(self._counts, self._parts)
        if self._search.whole:
            for world in self._worlds:
                whole.see(world if np.array_equal(world, np.round(world)) else None)
            until, missed = min(monotonic() + AGAIN, self._until), 0
            for wishes in self._wishes(proven, whole, wanted):
                begin = self._start(wishes[0][0][0])
                found = self._search.in_whole_people(
                    self._aim(wishes), low, high, begin, gap=GAP, until=until
                )
                whole.see(found)
                missed = missed + 1 if found is None else 0
                if missed == MISSED or monotonic() >= until:
                    break
        left = sum(whole.width(*place) < wanted for place in proven)
        return Counter(whole=len(proven) - left, fractions=left)

    def _wishes(
        self, counts: Sequence[Place], reach: _Reach, wanted: float
    ) -> Iterator[list[tuple[Place, int]]]:
        """Yield the requests for the next world: a list of counts, each with 1 if it should be
        small or -1 if it should be large. Stop when the range of every count is at least ``wanted``
        wide.

        First, many counts are requested together, then the same counts with opposite signs, so that
        the search finds both ends. Then each count is requested separately.
        """
        chance = np.random.default_rng(0)
        for _ in range(PAIRS):
            left = [place for place in counts if reach.width(*place) < wanted]
            if pulled := [
                (left[each], int(chance.choice((-1, 1)))) for each in chance.permutation(len(left))
            ]:
                yield pulled
                yield [(place, -sign) for place, sign in pulled]
        for place, sign in product(counts, (1, -1)):
            if reach.width(*place) < wanted:
                yield [(place, sign)]

    def _start(self, block: int) -> int:
        """Return the block to begin with: this block, or a linked block with figures if this one
        has none. A block with figures leaves the fewest possible worlds.
        """
        links = self._blocks[block].links.keys()
        tied = (
            number
            for number, each in enumerate(self._blocks)
            if each.figures and each.links.keys() & links
        )
        return block if self._blocks[block].figures else next(tied, block)

    def _wanted(self, least: int) -> float:
        return min(least, int(self._people)) - NEAR

    def _small(self, least: int, bands: Bands) -> list[Place]:
        """Return the counts that might be below ``least``, as (block, index)."""
        return [
            (block, number)
            for block, made in enumerate(self._blocks)
            for number, (signs, _) in enumerate(made.counts)
            if self._least(signs, bands) < least
        ]

    def _held(
        self, place: Place, least: int, wanted: float, reach: _Reach, low: Vector, high: Vector
    ) -> list[Vector] | None:
        """Return None if a count is safe. Otherwise return the worlds that were found with its
        least and its greatest value.

        The count is unsafe if it may be below ``least`` and the two values differ by less than
        ``wanted``. ``low`` and ``high`` limit all figures. New worlds are added to ``reach``.
        """
        worlds: list[Vector] = []
        block, number = place
        lows, highs = reach.lows[block], reach.highs[block]  # `reach` changes them
        # Search the maximum first if the highest value seen is too low: then even a minimum of 0 is
        # too close.
        for sign in (1, -1) if highs[number] >= wanted else (-1, 1):
            if reach.width(*place) >= wanted:
                return None
            # search no further than required: a world there ends the search
            end = highs[number] - wanted if sign == 1 else lows[number] + wanted
            world, best = self._world([(place, sign)], low, high, end)
            reach.see(world)
            worlds += [] if world is None else [world]
            if sign == 1 and best and lows[number] > least - 1 + NEAR:
                return None  # it is small in no world
        return None if reach.width(*place) >= wanted else worlds

    def _begun(self, bands: Bands) -> tuple[Vector, Vector, _Reach]:
        """Return the limits that the bands set, and the range of each count over the known worlds
        within these limits.
        """
        low, high = self._limits(bands)
        self._worlds = [world for world in self._worlds if agrees(self._rows @ world, low, high)]
        reach = _Reach(self._counts, self._parts)
        for world in self._worlds:
            reach.see(world)
        return low, high, reach

    def _least(self, signs: Mapping[Hashable, int], bands: Bands) -> float:
        """Return the lower bound of a sum or difference, given only the bands of its figures."""
        if not signs:
            return -np.inf
        ends = [
            (bands.get(key, _ANY) if key is not None else (self._people,) * 2, sign)
            for key, sign in signs.items()
        ]
        return sum(sign * (low if sign > 0 else high) for (low, high), sign in ends)

    def _world(
        self,
        wanted: Sequence[tuple[Place, int]],
        low: Vector,
        high: Vector,
        end: float | None = None,
    ) -> tuple[Vector | None, bool]:
        """Search for a world in which the wanted counts with sign 1 are small and those with sign
        -1 are large.

        Return the world, or None if time ran out, and True if the search ended in time. If ``end``
        is given, the search may stop once the single wanted count reaches it. Raises NoWorldError
        if no world agrees with the bands. Raises InputError if all searches together take more
        than ``ALL`` seconds.
        """
        aim = self._aim(wanted)
        ways: list[float | None] = [None]
        if end is not None and np.isfinite(end):
            # quicker, but rounding may make it impossible
            ways.insert(0, ceil(end - 1) if wanted[0][1] == 1 else -floor(end + 1))
        for presolve, enough in product((True, False), ways):
            if (left := self._until - monotonic()) <= 0:
                raise InputError(
                    f"The external report is not written: its audit takes more than {ALL / 60:g} "
                    "minutes. Score fewer measures, targets or populations."
                )
            gap = GAP if end is None else 0
            world, late = self._search.best(
                aim,
                low,
                high,
                gap=gap,
                seconds=min(EACH, left),
                enough=enough,
                presolve=presolve,
            )
            if world is not None or late:
                break
        else:
            raise NoWorldError(self._astray(low, high))
        if world is None:
            return None, False
        self._worlds.append(world)
        return world, not late

    def _aim(self, wanted: Sequence[tuple[Place, int]]) -> Vector:
        aim = np.zeros(self._rows.shape[1])
        for (block, number), sign in wanted:
            aim[self._parts[block]] += sign * self._counts[block][number]
        return aim

    def _astray(self, low: Vector, high: Vector) -> list[Any]:
        """Return the figures that contradict each other. Find the smallest total shift of values
        out of their bands that allows a world, and return the figures that it shifts.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, eye_array, hstack, vstack

        count, kinds = len(self._figures), self._rows.shape[1]
        moved = vstack([csr_array((len(self._fixed), count)), eye_array(count)])
        aim = np.concatenate([np.zeros(kinds), np.ones(2 * count)])
        rows = hstack([self._rows, moved, -moved]).tocsr()
        found = milp(aim, bounds=Bounds(0, np.inf), constraints=LinearConstraint(rows, low, high))
        if found.x is None:
            return []
        moves = found.x[kinds : kinds + count] + found.x[kinds + count :]
        return [key for (key, _, _), move in zip(self._figures, moves, strict=True) if move > NEAR]

    def _limits(self, bands: Bands) -> tuple[Vector, Vector]:
        pairs = [bands.get(key, _ANY) for key, _, _ in self._figures]
        low, high = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        return np.concatenate([self._fixed, low - NEAR]), np.concatenate([self._most, high + NEAR])

    def _narrow(self, worlds: Sequence[Vector], low: Vector, high: Vector) -> Iterator[Hashable]:
        """Yield the figures that lie at an end of their band in one of these worlds, or all
        published figures if there is no world.
        """
        values = np.array([self._rows @ world for world in worlds] or [low])
        at_end = np.any((values <= low + 0.5) | (values >= high - 0.5), axis=0)
        for number, (key, _, _) in enumerate(self._figures, len(self._fixed)):
            if at_end[number] and np.isfinite(high[number]):
                yield key

    def _each(self) -> Iterator[tuple[Block, slice]]:
        yield from zip(self._blocks, self._parts, strict=True)

    def _ties(self) -> Iterator[list[tuple[int, int]]]:
        """Yield an equation for each label of a link between two blocks: the people with this label
        in the first block, minus the people with this label in the second, are 0.

        An equation is a list of (index of a kind, sign 1 or -1).
        """
        first: dict[Hashable, dict[Hashable, list[int]]] = {}
        for block, part in self._each():
            for name, keys in block.links.items():
                own: dict[Hashable, list[int]] = {}
                for place, key in enumerate(keys):
                    if block.people[place]:
                        own.setdefault(key, []).append(part.start + place)
                if (other := first.setdefault(name, own)) is not own:
                    for key in own | other:  # not of sets: their order changes from run to run
                        yield [
                            *((place, 1) for place in own.get(key, ())),
                            *((place, -1) for place in other.get(key, ())),
                        ]


def counts_in(
    figures: Mapping[Hashable, Vector], people: Vector, most: int
) -> Iterator[tuple[dict[Hashable, int], Vector]]:
    """Yield each sum or difference of up to ``most`` figures that is a count of people, as (signs
    of the figures, what a person of each kind adds).

    In a count, a person of any kind adds 0 or 1. The number of all ``people`` may be added. Its key
    among the signs is None.
    """
    told = {key: vector for key, vector in figures.items() if np.isin(vector, (-1, 0, 1)).all()}
    if not told:
        return
    keys, known = [*told], set[bytes]()
    # kinds with the same values in all figures are checked once
    vectors, places_of = np.unique(np.array([people, *told.values()]), axis=1, return_inverse=True)
    everybody, vectors = vectors[0], vectors[1:]
    for size in range(1, most + 1):
        chosen = np.array([*combinations(range(len(keys)), size)], dtype=int).reshape(-1, size)
        parts = [chosen[start : start + _ROWS] for start in range(0, len(chosen), _ROWS)]
        for places, signs, whole in product(parts, product((1, -1), repeat=size), (0, 1)):
            sums = sum(
                (sign * vectors[places[:, each]] for each, sign in enumerate(signs)),
                whole * everybody,
            )
            counted = ((sums == 0) | (sums == 1)).all(axis=1)
            counted &= np.ptp(sums[:, everybody > 0], axis=1) > 0
            for place in np.flatnonzero(counted):
                if (mark := sums[place].tobytes()) not in known:
                    known.add(mark)
                    own = (keys[each] for each in places[place])
                    made = dict(zip(own, signs, strict=True)) | ({None: whole} if whole else {})
                    yield made, sums[place][places_of.ravel()]
