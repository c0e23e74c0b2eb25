"""The figures of one group of people: some are rounded, the others are computed from rounded ones.

A figure is a numerator or a denominator that is a sum over people. Two measures that sum the same
people share a figure. A figure that is a sum or difference of earlier figures (such as the last
class size, or UiO - repU) is computed from their rounded values, so that it reveals nothing more.
The other figures are rounded, and rounded more coarsely until the audit finds no small count.

Figures of several scenarios about the same people are one group: they have the same kinds, and
`key_sets` ties a person's kinds by different keys. Scenarios with the same keys share their
figures.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from sqlrisk.common.errors import InputError
from sqlrisk.report.external.audit import Bands, Block, NoWorldError, Reader, counts_in
from sqlrisk.report.external.chain import steps
from sqlrisk.report.external.definitions import MAIN, Counted, PersonKind, Vector, amounts
from sqlrisk.report.external.grid import Interval, band
from sqlrisk.report.external.key_sets import KeysAndTarget, State, may_be, state, ties
from sqlrisk.report.wording import label_name, pooled

COARSER = (1, 2, 4)  # multiples of the step. A figure that is still too fine is hidden.
PAIRS, TRIPLES = 2, 3  # number of figures in the sums and differences that are attacked
# significant digits of a sum of shares. Later digits depend on the order in which an engine adds.
DIGITS = 12

Key = tuple["PublishedFigure", str]
"""A figure and the label of the synthesis of its comparison."""
_Look = tuple[bool, Counted, str]


@dataclass(frozen=True)
class PublishedFigure:
    """A published sum over the people of one population.

    ``vector`` holds what a person of each kind adds to it, as bytes. ``target`` is None for a
    figure about the keys only. ``theme`` is the theme of its kinds (see `definitions.theme`).
    ``public`` is True for a figure of only the synthetic file (see `definitions.Adds`). ``keys``
    are the keys by which people are compared.
    """

    target: str | None
    vector: bytes = field(repr=False)
    theme: str = MAIN
    population: str = "all"
    public: bool = False
    keys: frozenset[str] = frozenset()

    @property
    def adds(self) -> Vector:
        """The amount that a person of each kind adds to the figure, one number per kind."""
        return np.frombuffer(self.vector)


@dataclass
class Group:
    """Figures about one group of people: those of the original or of control, weighted or not.

    - ``people`` is their number. If the figures are ``weighted``, ``weight`` is the average weight
      of a person (0 if it is unknown), otherwise 1.
    - ``threshold`` is the least safe count of people (see `Reader.small`).
    - ``kept`` has the measures to coarsen last. The first of them is coarsened after all others.
    - ``exact`` has the unrounded numbers, ``steps`` the step of each figure's rounding grid, and
      ``names`` the first measure that uses the figure.
    - ``made`` maps a figure to the figures that it is computed from, each with a sign. None stands
      for all people.
    - ``coarse`` maps a figure without its target and keys to how often it was coarsened. After
      ``len(COARSER)`` times it is hidden.
    """

    people: int
    threshold: int
    kinds: Mapping[str, Sequence[PersonKind]]  # kinds by theme
    weighted: bool = False
    weight: float = 1.0
    kept: Sequence[str] = ()
    exact: dict[Key, float] = field(default_factory=dict)
    steps: dict[PublishedFigure, int] = field(default_factory=dict)
    names: dict[PublishedFigure, str] = field(default_factory=dict)
    # figures that are not counts of people: sums of shares, weights or synthetic records
    sums: set[PublishedFigure] = field(default_factory=set)
    made: dict[PublishedFigure, dict[PublishedFigure | None, int]] = field(default_factory=dict)
    coarse: dict[PublishedFigure, int] = field(default_factory=dict)

    def add(
        self, figure: PublishedFigure, label: str, number: float, step: int, measure: str
    ) -> None:
        """Add the exact ``number`` of a figure in the comparison ``label``. ``step`` is the step of
        its rounding grid, and ``measure`` the measure that uses it.
        """
        if isinstance(number, float):
            # Otherwise the last digits decide on which side of a band's end a number falls. Two
            # reports could then reveal that the number is that end.
            number = float(f"{number:.{DIGITS}g}")
        self.exact[figure, label] = number
        # a sum of shares that are all 0 or 1 is a count, like the same figure of another measure
        all_one = (
            not self.weighted
            and float(number).is_integer()
            and bool(np.isin(figure.adds, (0, 1)).all())
        )
        if figure.public or not (isinstance(number, int) or all_one):
            self.sums.add(figure)
        self.steps[figure] = max(step, self.steps.get(figure, 0))
        self.names.setdefault(figure, measure)

    def told(self, figure: PublishedFigure, label: str) -> Interval | None:
        """Return the published band of a figure, or None if the figure is hidden."""
        if figure not in self.made:
            return self._band(figure, label)
        everybody = band(self.people * self.weight, self.steps[figure], counts=not self.weighted)
        parts = {None: everybody} | {
            part: found
            for part in self.made[figure]
            if part is not None and (found := self._band(part, label)) is not None
        }
        if self.made[figure].keys() - parts.keys():
            return None
        signed = [
            parts[part] if sign > 0 else -parts[part] for part, sign in self.made[figure].items()
        ]
        low, shown, high = (
            sum(getattr(each, name) for each in signed) for name in ("low", "shown", "high")
        )
        least = 0.0 if (figure.adds >= 0).all() else low
        return Interval(max(low, least), high, max(shown, least), open_low=low <= least)

    def prove(self) -> Counter[str]:
        """Prove that no small count can be derived, and round figures more coarsely until this is
        so.

        Return the number of counts ``attacked``, and how many were proven by worlds of ``whole``
        people, or only by worlds with ``fractions``. If ``weight`` is 0, hide all figures and
        return an empty Counter. Raises InputError if no rounding is coarse enough, or if the audit
        takes too long.
        """
        if not self.weight:
            # all weights are 0, or no row is about all people and tells what a person weighs
            self.coarse = dict.fromkeys(map(_everywhere, self.names), len(COARSER))
            return Counter()
        self._derive()
        blocks = [*self._blocks()]
        reader = Reader(blocks, self.people, whole=not self.weighted)
        while True:
            before = dict(self.coarse)
            try:
                for count in reader.small(self.threshold, self._bands):
                    own = [
                        part
                        for figure, _ in count.made_of
                        for part in self.made.get(figure, {figure: 1})
                        if part is not None
                    ]
                    left = [figure for figure in own if self._coarseness(figure) < len(COARSER)]
                    self._coarsen(left or [figure for figure, _ in count.held_by])
            except NoWorldError as none:
                # A kind stands for all classes that measures cannot distinguish. Figures that
                # contradict this model are not published.
                self._hide({figure for figure, _ in none.figures})
            for figures in self._two_levels():
                self._coarsen(figures)
            if self.coarse == before:
                attacked = sum(len(block.counts) for block in blocks)
                return Counter(attacked=attacked) + reader.proofs(self.threshold, self._bands())

    def _hide(self, figures: Collection[PublishedFigure]) -> None:
        if not figures:
            raise InputError(
                "The external report is not written: the audit does not end. Score fewer measures."
            )
        self.coarse |= dict.fromkeys(map(_everywhere, figures), len(COARSER))

    def _coarsen(self, figures: Collection[PublishedFigure]) -> None:
        """Choose the figure with the finest rounding (if several, the least important) and coarsen
        or hide it.
        """
        left = [figure for figure in figures if self._coarseness(figure) < len(COARSER)]
        if not left:
            raise InputError(
                "The external report is not written: the audit could not keep a small count from "
                "being worked out. Score fewer measures, or take a lower --threshold."
            )
        chosen = max(left, key=lambda figure: (-self._coarseness(figure), self._rank(figure)))
        self.coarse[_everywhere(chosen)] = self._coarseness(chosen) + 1

    def _two_levels(self) -> Iterator[list[PublishedFigure]]:
        """Yield lists of figures that together reveal how many people have the rarer level of a
        target with two levels.

        The audit covers only sums over kinds, not a sum of squared shares. With two levels, all
        figures about levels are functions of one number. With more levels a reader learns less,
        unless the shares of all but two are known.
        """
        rarer = np.arange(self.people // 2 + 1, dtype=float)
        for target in dict.fromkeys(
            figure.target for figure in self.names if figure.theme == "levels"
        ):
            for label in dict.fromkeys(
                label for figure, label in self.exact if figure.target == target
            ):
                figures, fits = list[PublishedFigure](), np.ones(len(rarer), dtype=bool)
                for figure, told in self._of_rarer(target, label, rarer):
                    if (found := self._band(figure, label)) is not None:
                        figures.append(figure)
                        fits &= (told >= found.low) & (told <= found.high)
                possible = rarer[fits]
                if (
                    figures
                    and len(possible)
                    and possible[0] < self.threshold
                    and len(possible) < min(self.threshold, len(rarer))
                ):
                    yield figures

    def _of_rarer(
        self, target: str | None, label: str, rarer: Vector
    ) -> Iterator[tuple[PublishedFigure, Vector]]:
        """Yield figures about the levels of a target with two levels, each with its values: one
        for each possible number of people with the rarer level (``rarer``).
        """
        kinds = self.kinds.get("levels", ())
        own = {
            name: figure
            for name in ("share_level", "expected_mode_orig", "expected_mode", "expected_shuffled")
            for figure in self.names
            if figure.theme == "levels"
            and figure.target == target
            and (figure, label) in self.exact
            if np.array_equal(figure.adds, [kind.level.get(name, -kind.people) for kind in kinds])
        }
        rest = self.people - rarer
        squares = (rarer**2 + rest**2) / max(self.people, 1)
        if self.weighted or not own:
            return
        if "share_level" in own:
            yield own["share_level"], squares
        for name in ("expected_mode_orig", "expected_mode"):
            if name in own:
                yield own[name], rest if 2 * self.exact[own[name], label] >= self.people else rarer
        if "expected_shuffled" in own and "share_level" in own:
            # A reader can count the levels of the synthetic file. Here the share of the rarer level
            # is derived from two exact figures.
            there = rarer[np.abs(squares - self.exact[own["share_level"], label]).argmin()]
            apart = self.people - 2 * there
            exact = self.exact[own["expected_shuffled"], label]
            share = (self.people - there - exact) / apart if apart else 0.5
            yield own["expected_shuffled"], rarer * share + rest * (1 - share)

    def _people(self, theme: str) -> Vector:
        """Return a vector over the kinds of a theme: 1 for people, 0 for synthetic records."""
        return np.array([float(kind.people) for kind in self.kinds[theme]])

    def _coarseness(self, figure: PublishedFigure) -> int:
        """Return how often a figure was coarsened. All targets and keys share this number."""
        return self.coarse.get(_everywhere(figure), 0)

    def _rank(self, figure: PublishedFigure) -> tuple[int, int]:
        """Return the rank of a figure. Figures with a lower rank are coarsened later: measures to
        keep, then those that were added first. No two figures have equal ranks, so that each
        run publishes the same numbers.
        """
        kept = [*self.kept, self.names[figure]].index(self.names[figure])
        return kept, [*self.names].index(figure)

    def _band(self, figure: PublishedFigure, label: str) -> Interval | None:
        number, coarse = self.exact.get((figure, label)), self._coarseness(figure)
        if number is None or coarse >= len(COARSER) or np.any(figure.adds < 0):
            return None
        whole = np.inf if self.weighted or figure.public else self.people
        counts = isinstance(number, int) if figure.public else figure not in self.sums
        return band(number, self.steps[figure] * COARSER[coarse], whole, counts=counts)

    def _bands(self) -> Bands:
        found: dict[Hashable, tuple[float, float]] = {}
        for key in self.exact:
            if (told := self.told(*key)) is None:
                continue
            if not key[0].public:
                found[key] = told.low / self.weight, told.high / self.weight
            elif not self.weighted:  # weights do not tell how many people have synthetic records
                found[key] = told.low, told.high
        return found

    def _derive(self) -> None:
        """Fill ``made``: find the figures that are sums or differences of earlier figures."""
        for theme in self.kinds:
            figures = [
                figure for figure in self.names if figure.theme == theme and not figure.public
            ]
            # kinds with the same values in all figures are checked once
            everybody, *alike = np.unique(
                [self._people(theme), *(figure.adds for figure in figures)], axis=1
            )
            base: dict[PublishedFigure, Vector] = {}
            for figure, adds in zip(figures, alike, strict=True):
                own: dict[PublishedFigure | None, Vector] = {None: everybody}
                own |= {
                    each: vector
                    for each, vector in base.items()
                    if each.target in (None, figure.target) and each.keys == figure.keys
                }
                table = np.array([*own.values()]).T
                signs = np.array(np.round(np.linalg.lstsq(table, adds, rcond=None)[0]))
                if np.abs(signs).max() <= 1 and np.allclose(table @ signs, adds, atol=1e-9):
                    self.made[figure] = {
                        each: int(sign) for each, sign in zip(own, signs, strict=True) if sign
                    }
                else:
                    base[figure] = adds

    # ---- blocks and their links
    # ---------------------------------------------------------------------------------------------

    def _blocks(self) -> Iterator[Block]:
        of_keys = defaultdict[frozenset[str], dict[str | None, None]](dict)
        for figure in self.names:
            of_keys[figure.keys] |= {figure.target: None}
        targets: dict[frozenset[str], list[str | None]] = {
            keys: [each for each in own if each is not None] or [None]
            for keys, own in of_keys.items()
        }
        comparisons = [KeysAndTarget(keys, each) for keys, own in targets.items() for each in own]
        tied = [*ties(comparisons)]
        marks = {each: self._marks(each) for each in {own for pair in tied for own in pair}}
        for keys, own in targets.items():
            yield from self._by_keys(keys, own, marks)
        for pair in tied:
            yield from self._tied(pair, marks)

    def _by_keys(
        self,
        keys: frozenset[str],
        targets: Sequence[str | None],
        marks: Mapping[KeysAndTarget, Mapping[State, Hashable]],
    ) -> Iterator[Block]:
        """Yield the blocks of the comparisons by these keys. ``marks`` has the marks (see
        `_marks`) of comparisons tied to others.
        """
        labels = self._labels(keys)
        chains = [*_chains(labels)]
        for target in targets:
            comparison = KeysAndTarget(keys, target)
            own = self._figures(comparison)
            seen = _by([*map(_look, self.kinds[MAIN])], own)
            # figures of no target belong to the first
            whose = (target, None) if target == targets[0] else (target,)
            for label in labels:
                there = [figure for figure in own if (figure, label) in self.exact]
                links: dict[Hashable, Sequence[Hashable]] = {}
                if len(labels) > 1:
                    links["own", keys, target] = self._keys(
                        [each for each in own if each not in self.sums and self._own_only(each)]
                    )
                if len(targets) > 1:
                    about_keys = [
                        each for each in there if each.target is None and each not in self.sums
                    ]
                    # facts about the keys, which are equal for all targets
                    facts = [
                        (kind.seen.look != "N", kind.counted.classes) for kind in self.kinds[MAIN]
                    ]
                    links["keys", keys, label] = [*zip(self._keys(about_keys), facts, strict=True)]
                if any(label in chain for chain in chains):
                    links["chain", keys, target, label] = [*map(_look, self.kinds[MAIN])]
                if comparison in marks:
                    links["tied", comparison, label] = [
                        marks[comparison][state(kind)] for kind in self.kinds[MAIN]
                    ]
                for theme, kinds in self.kinds.items():
                    besides = [
                        each
                        for each in self.names
                        if each.theme == theme != MAIN
                        and each.keys == keys
                        and (each, label) in self.exact
                        and each.target in whose
                    ]
                    if besides:
                        name = "seen", keys, target, label
                        links[name] = [*map(_seen, self.kinds[MAIN])]
                        yield self._block(besides, label, {name: [*map(_seen, kinds)]}, theme)
                yield self._block(there, label, links, MAIN, first=label == labels[0])
            for chain in chains:
                yield self._chained(keys, target, chain, seen)

    def _labels(self, keys: frozenset[str]) -> list[str]:
        """Return the syntheses that are compared by these keys."""
        return [*dict.fromkeys(label for figure, label in self.exact if figure.keys == keys)]

    def _figures(self, comparison: KeysAndTarget) -> list[PublishedFigure]:
        """Return the figures of a comparison that are about the classes of people."""
        return [
            figure
            for figure in self.names
            if figure.keys == comparison.keys
            and figure.target in (None, comparison.target)
            and figure.theme == MAIN
        ]

    def _block(
        self,
        figures: Sequence[PublishedFigure],
        label: str,
        links: Mapping[Any, Sequence[Hashable]],
        theme: str,
        *,
        first: bool = True,
    ) -> Block:
        """Return the block of one comparison: the ``figures`` of the synthesis ``label``, over the
        kinds of people of ``theme``, with ``links`` to other blocks.

        Its counts to attack are sums or differences of two figures, or of three of one population
        or one measure, and the numbers of excluded people. Figures of only the original are
        attacked only if ``first`` is True (for the first synthesis).
        """
        told: dict[Any, Vector] = {
            (figure, label): figure.adds for figure in figures if self._counts_people(figure)
        }
        people = self._people(theme)
        # figures of only the original are attacked once
        known = {None, *((each, label) for each in figures if not first and self._own_only(each))}
        alike = defaultdict[Hashable, dict[Hashable, Vector]](dict)
        for (figure, _), adds in told.items():
            alike[figure.population][figure, label] = adds
            alike[self.names[figure], figure.target][figure, label] = adds
        counts = {
            vector.tobytes(): (signs, vector)
            for some, most in [*((each, TRIPLES) for each in alike.values()), (told, PAIRS)]
            for signs, vector in counts_in(some, people, most)
            if signs.keys() - known
        }
        for counted in zip(*(kind.counted for kind in self.kinds[theme]), strict=True):
            left_out = people - counted
            if left_out.any():
                counts[left_out.tobytes()] = {}, left_out
        kept: dict[Hashable, Vector] = {
            (figure, label): figure.adds for figure in figures if figure not in self.made
        }
        return Block(people, kept, dict(links), [*counts.values()], [*self._floors(theme)])

    def _floors(self, theme: str) -> Iterator[Vector]:
        """Yield what is known of special uniques, if a figure is about them: they are at least a
        tenth of all uniques.
        """
        if not self.weighted and any(each.population == "special" for each in self.names):
            yield np.array(
                [
                    10.0 * ("special" in kind.member) - ("uniques" in kind.member)
                    for kind in self.kinds[theme]
                ]
            )

    def _counts_people(self, figure: PublishedFigure) -> bool:
        """Return True if a figure is attacked as a count of people. A weighted count is
        small below ``threshold`` times the average weight.
        """
        by_weight = self.weighted and not figure.public
        return figure not in self.sums or (by_weight and bool(np.isin(figure.adds, (0, 1)).all()))

    def _chained(
        self,
        keys: frozenset[str],
        target: str | None,
        chain: tuple[str, str, str],
        seen: Mapping[PublishedFigure, Mapping[Hashable, float]],
    ) -> Block:
        """Return a block that links three comparisons by what each shows about people's keys.

        ``chain`` has their labels: the earlier pool, the added synthesis and the new pool. ``seen``
        has the figures to which all people with the same look add the same amount, each with the
        amount by look. A look is what the synthetic records show about a person's keys (see
        `definitions.Seen`).
        """
        looks = defaultdict[_Look, list[_Look]](list)
        for look in dict.fromkeys(_look(kind) for kind in self.kinds[MAIN] if kind.people):
            alone, counted, code = look
            looks[alone, counted.in_any_files, code].append(look)
        who = {key[:2] for key in looks}
        kinds = [
            (before, after, both)
            for each, step in product(sorted(who), steps())
            for before, after, both in product(*(looks[*each, code] for code in step))
            # the pool has the records of both, so it excludes whom one of them excludes
            if both[1].files <= min(before[1].files, after[1].files)
        ]
        links: dict[Hashable, Sequence[Hashable]] = {
            ("chain", keys, target, label): [kind[place] for kind in kinds]
            for place, label in enumerate(chain)
        }
        figures: dict[Hashable, Vector] = {
            (figure, label): np.array([adds[kind[place]] for kind in kinds])
            for figure, adds in seen.items()
            for place, label in enumerate(chain)
            if (figure, label) in self.exact and figure not in self.sums
        }
        people = np.ones(len(kinds))
        counts = [
            (signs, adds)
            for signs, adds in counts_in(figures, people, PAIRS)
            if signs.keys() & {None} or len(signs) > 1
        ]
        return Block(people, {}, links, counts)

    def _marks(self, comparison: KeysAndTarget) -> dict[State, Hashable]:
        """Return a mark for each state of people in a comparison (see `key_sets`). States have
        equal marks if no figure, and no pool of syntheses, tells them apart.
        """
        states = [*map(state, self.kinds[MAIN])]
        chained = any(_chains(self._labels(comparison.keys)))
        added = defaultdict[State, set[bytes]](set)
        for each, row in zip(states, self._keys(self._figures(comparison)), strict=True):
            added[each].add(row)
        looks = dict(zip(states, map(_look, self.kinds[MAIN]), strict=True)) if chained else {}
        return {each: (frozenset(rows), looks.get(each)) for each, rows in added.items()}

    def _tied(
        self,
        pair: tuple[KeysAndTarget, KeysAndTarget],
        marks: Mapping[KeysAndTarget, Mapping[State, Hashable]],
    ) -> Iterator[Block]:
        """Yield a block for each synthesis that links two comparisons by different keys, with the
        counts that are differences or sums of a figure of each.
        """
        people = {state(kind) for kind in self.kinds[MAIN] if kind.people}
        possible = (
            tuple(marks[own][each] for own, each in zip(pair, states, strict=True))
            for states in product(sorted(people), repeat=2)
            if may_be(*pair, *states)
        )
        kinds = [*dict.fromkeys(possible)]
        everybody = np.ones(len(kinds))
        adds = [
            _by([marks[own][state(kind)] for kind in self.kinds[MAIN]], self._figures(own))
            for own in pair
        ]
        for label in self._labels(pair[0].keys):
            figures: dict[Hashable, Vector] = {
                (figure, label): np.array([by_mark[kind[place]] for kind in kinds])
                for place, own in enumerate(adds)
                for figure, by_mark in own.items()
                if (figure, label) in self.exact and self._counts_people(figure)
            }
            counts = [
                (signs, vector)
                for signs, vector in counts_in(figures, everybody, PAIRS)
                if len({key[0].keys for key in signs if isinstance(key, tuple)}) > 1
            ]
            links: dict[Hashable, Sequence[Hashable]] = {
                ("tied", own, label): [kind[place] for kind in kinds]
                for place, own in enumerate(pair)
            }
            yield Block(everybody, {}, links, counts)

    def _own_only(self, figure: PublishedFigure) -> bool:
        """Return True if a figure depends only on files of people, so no synthetic file changes
        it.
        """
        return amounts(map(_own, self.kinds[MAIN]), figure.adds) is not None

    def _keys(self, figures: Sequence[PublishedFigure]) -> list[bytes]:
        """Return a label for each kind. Labels are equal if people of both kinds add the same
        amounts to these figures.
        """
        nothing = np.zeros(len(self.kinds[MAIN]))
        rows = np.array([nothing, *(figure.adds for figure in figures)]).T
        return [row.tobytes() for row in rows]


def _everywhere(figure: PublishedFigure) -> PublishedFigure:
    """Return the figure without its target and keys. A figure is coarsened for all targets and
    scenarios at once, because their figures may reveal the same count.
    """
    return replace(figure, target=None, keys=frozenset())


def _by(
    codes: Sequence[Hashable], figures: Sequence[PublishedFigure]
) -> dict[PublishedFigure, dict[Hashable, float]]:
    """Return the figures to which people of kinds with equal ``codes`` add equal amounts. For each
    figure, return the amount by code.
    """
    found = {figure: amounts(codes, figure.adds) for figure in figures}
    return {figure: adds for figure, adds in found.items() if adds is not None}


def _seen(kind: PersonKind) -> Hashable:
    return kind.counted, kind.seen.look, kind.member, kind.all == 1, kind.own == kind.all


def _look(kind: PersonKind) -> _Look:
    return kind.all == 1, kind.counted, kind.seen.code


def _own(kind: PersonKind) -> Hashable:
    more = tuple(kind.more.get(name) for name in ("levels", "low", "close_orig", "wide_orig"))
    return kind.own, kind.all, kind.base, kind.counted.in_any_files, kind.member, more


def _chains(labels: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each step of pooling as three labels: the earlier pool, the added synthesis, and the
    new pool.
    """
    single = defaultdict[str, list[str]](list)
    for label in labels:
        if not pooled(label):
            single[label_name(label)].append(label)
    for name, own in single.items():
        before = own[0]
        for number, after in enumerate(own[1:], start=2):
            both = f"{name} pooled 1-{number}".strip()
            if both in labels:
                yield before, after, both
                before = both
