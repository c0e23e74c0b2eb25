"""The slow oracle: recompute every number of a report with dictionaries and exact fractions.

The oracle shares no code, no SQL and no grouping library with sqlrisk. It is written to be read,
not to be fast. One loop counts the records of each (class, level), and every measure is one line
over these counts. Proportions are Fractions, so nothing is rounded. A test compares the numbers
with the database.

Words (as in sql/README.md): a *class* is a tuple of key levels, a *cell* is a class and one target
level, *seen* are all records, which the intruder sees, *counted* are the records left after
exclusions.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

Table: TypeAlias = Mapping[str, Sequence[object]]
"""Columns by name, all of one length."""
Level: TypeAlias = object
"""A value of a column, None if it is missing, a Bin if the column is binned."""
Class: TypeAlias = tuple[Level, ...]
Cell: TypeAlias = tuple[Class, Level]
Number: TypeAlias = int | Fraction
Row: TypeAlias = tuple[Number | None, Number | None, Number | None]
"""numerator, denominator, value (percent, ratio or count, as the measure's scale says)."""

TAUS = (
    Fraction(5, 10),
    Fraction(6, 10),
    Fraction(7, 10),
    Fraction(8, 10),
    Fraction(9, 10),
    Fraction(1),
)
GUESSED = (Fraction(0), *TAUS)
SIZES = (1, 2, 3, 5, 10)
IDENTITY = (
    "UiO",
    "UiS",
    "UiOiS",
    "repU",
    "repU_syn",
    "class_size",
    "reidentifications",
    "excluded_identity",
    "repU_union",
)
KNOWN = ("R_known_DiSCO", "R_known_DCAP")


@dataclass(frozen=True)
class Question:
    """The scenario, with values instead of text: a level is a value of the file."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    bins: Mapping[str, int] = field(default_factory=dict)
    special: Mapping[str, Sequence[object]] = field(default_factory=dict)
    exclude_level: Mapping[str, Sequence[object]] = field(default_factory=dict)
    exclude_missing: tuple[str, ...] = ()
    # target, its level, key, its level
    exclude_pair: tuple[tuple[str, object, str, object], ...] = ()
    max_cell: int | None = None
    max_cell_syn: int | None = None
    one_way: tuple[Number, Number] = (50, 90)
    two_way: tuple[Number, Number] = (4, 80)

    @property
    def excludes(self) -> bool:
        """True if the scenario excludes anything."""
        lists = (self.exclude_level, self.exclude_missing, self.exclude_pair)
        return any(lists) or self.max_cell is not None or self.max_cell_syn is not None


@dataclass(frozen=True)
class Answer:
    """The expected content of a report. Keys of rows are (measure, at, target, synthesis)."""

    results: dict[tuple[str, Fraction | None, str | None, str], Row]
    one_way: list[dict[str, object]]
    two_way: list[dict[str, object]]
    # reason, target, synthesis, side -> cells, records
    exclusions: dict[tuple[str, str, str, str], tuple[int, int]]
    # column, synthesis -> only original, only synthetic
    levels: dict[tuple[str, str], tuple[int, int]]
    overlap: dict[str, dict[str, int]]  # synthesis -> classes_both ...
    classes: tuple[int, ...]  # classes of the original, then of each synthesis


# --------------------------------------------------------------------------------------------------
# levels


@dataclass(frozen=True, order=True)
class Bin:
    """An interval [low, high). The last one includes its end: [low, high]."""

    low: Fraction
    high: Fraction
    last: bool

    def __str__(self) -> str:
        return f"[{float(self.low):.8g},{float(self.high):.8g}{']' if self.last else ')'}"


def clean(value: object) -> object:
    """Return None for NULL and NaN, which are one level. Return any other value unchanged."""
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value


def exact(value: object) -> Fraction:
    """Return the exact value of a number."""
    assert isinstance(value, int | float | Decimal)
    return Fraction(value)


def breaks_of(pool: Sequence[Fraction], wanted: int, specials: int = 0) -> list[Fraction] | None:
    """Return the breaks of a binned column: quantiles of type 7 at (N-1)k/n. Use equal widths if
    quantiles give fewer than three groups (special levels counted). None if every distinct value
    stays a level.
    """
    values = sorted(pool)
    if wanted >= len(set(values)):
        return None
    quantiles = []
    for k in range(wanted + 1):
        low, rest = divmod((len(values) - 1) * k, wanted)
        high = min(low + 1, len(values) - 1)
        quantiles.append(values[low] + Fraction(rest, wanted) * (values[high] - values[low]))
    breaks = sorted(set(quantiles))
    if len(breaks) - 1 + specials < 3:
        width = (values[-1] - values[0]) / wanted
        breaks = [values[0] + k * width for k in range(wanted + 1)]
    return breaks


def levels_of(column: str, files: Sequence[Table], question: Question) -> Callable[[object], Level]:
    """Return the function that maps a value of this column to its level."""
    if column not in question.bins:
        return clean
    special = set(question.special.get(column, ()))
    values = [clean(value) for table in files for value in table[column]]
    pool = [exact(value) for value in values if value is not None and value not in special]
    breaks = breaks_of(pool, question.bins[column], len(special)) if pool else None
    if breaks is None:
        return clean
    intervals = [Bin(low, high, high == breaks[-1]) for low, high in pairwise(breaks)]

    def level(value: object) -> Level:
        value = clean(value)
        if value is None or value in special:
            return value
        number = exact(value)
        return next(
            b for b in intervals if b.low <= number < b.high or (b.last and number == b.high)
        )

    seen = {value: level(value) for value in set(values)}
    return lambda value: seen[clean(value)] if clean(value) in seen else level(value)


# --------------------------------------------------------------------------------------------------
# one comparison


def exact_sum(terms: Iterable[tuple[int, int, int]]) -> Number:
    """Return the exact sum of people * part / whole. Terms with equal denominators are added first,
    only to be faster.
    """
    by_whole: Counter[int] = Counter()
    for people, part, whole in terms:
        by_whole[whole] += people * part
    total = sum((Fraction(top, whole) for whole, top in by_whole.items()), Fraction(0))
    return int(total) if total.denominator == 1 else total


@dataclass(frozen=True)
class Comparison:
    """The original compared with some syntheses, for one target. It has all counts that measures
    need: ``d`` for the original, ``s`` for the syntheses.
    """

    d: Counter[Cell]
    s: Counter[Cell]
    d_class: Counter[Class]
    s_class: Counter[Class]
    d_level: Counter[Level]
    people: int
    records: int
    reason: dict[tuple[str, Cell], str]  # (side, cell) -> why its records are not counted
    no_class: set[Class]  # classes that identity measures leave out

    def counted(self, cell: Cell) -> int:
        """Return the people of the cell after exclusions."""
        return 0 if ("original", cell) in self.reason else self.d[cell]

    def counted_syn(self, cell: Cell) -> int:
        """Return the synthetic records of the cell after exclusions."""
        return 0 if ("synthetic", cell) in self.reason else self.s[cell]

    def disclosed(self, cell: Cell) -> bool:
        """Return True if all synthetic records of the class have this target level."""
        return 0 < self.s[cell] == self.s_class[cell[0]]

    def unique(self, where: Callable[[Class], bool]) -> int:
        """Return the number of counted classes that have one original record and fulfill
        ``where``.
        """
        return sum(n == 1 and where(q) for q, n in self.d_class.items() if q not in self.no_class)


def compare(
    original: Counter[Cell],
    synthetic: Counter[Cell],
    target: str,
    question: Question,
    level: Mapping[str, Callable[[object], Level]],
) -> Comparison:
    """Count classes, and decide for each cell who is counted."""
    d_class: Counter[Class] = Counter()
    s_class: Counter[Class] = Counter()
    d_level: Counter[Level] = Counter()
    for (q, t), n in original.items():
        d_class[q] += n
        d_level[t] += n
    for (q, _), n in synthetic.items():
        s_class[q] += n
    missing_keys = [i for i, key in enumerate(question.keys) if key in question.exclude_missing]
    no_target = {level[target](value) for value in question.exclude_level.get(target, ())}
    pairs = [
        (level[target](target_level), question.keys.index(key), level[key](key_level))
        for name, target_level, key, key_level in question.exclude_pair
        if name == target
    ]
    reason: dict[tuple[str, Cell], str] = {}
    for cell in original.keys() | synthetic.keys():
        q, t = cell
        # limits by each side's own counts, and for people by the synthetic count that intruders see
        limits = {
            "original": [
                (original[cell], question.max_cell),
                (synthetic[cell], question.max_cell_syn),
            ],
            "synthetic": [(synthetic[cell], question.max_cell)],
        }
        for side, counts in limits.items():
            if t in no_target:
                why = "target level"
            elif t is None and target in question.exclude_missing:
                why = "missing target"
            elif any(q[i] is None for i in missing_keys):
                why = "missing key"
            elif any(
                t == target_level and q[i] == key_level for target_level, i, key_level in pairs
            ):
                why = "key-and-target pair"
            elif any(limit is not None and n > limit for n, limit in counts):
                why = "cell over the size limit"
            else:
                continue
            reason[side, cell] = why
    return Comparison(
        original, synthetic, d_class, s_class, d_level, original.total(), synthetic.total(), reason,
        {q for q in d_class.keys() | s_class.keys() if any(q[i] is None for i in missing_keys)},
    )  # fmt: skip


def percent(top: Number, bottom: Number) -> Row:
    """Return a percentage as a row. If there is nobody to count, the row has no value instead of
    0.
    """
    return top, bottom, (Fraction(100 * top) / bottom if bottom else None)


def measures(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return all measures of one comparison, except measures that need a second comparison
    (R_known, and unions over files).
    """
    rows: dict[tuple[str, Fraction | None], Row] = {}
    n, m = c.people, c.records
    cells = c.d.keys() | c.s.keys()
    # identity
    rep = c.unique(lambda q: c.s_class[q] == 1)
    rows["UiO", None] = percent(c.unique(lambda q: True), n)
    rows["UiS", None] = percent(sum(k == 1 for q, k in c.s_class.items() if q not in c.no_class), m)
    rows["UiOiS", None] = percent(c.unique(lambda q: c.s_class[q] > 0), n)
    rows["repU", None] = percent(rep, n)
    rows["repU_syn", None] = percent(rep, m)
    # attribute
    alone = {x for x in cells if 0 < c.d[x] == c.d_class[x[0]]}
    disclosed = {x for x in cells if c.disclosed(x)}
    told = {x[0] for x in disclosed}  # classes disclosive in the synthetic file
    disco = sum(c.counted(x) for x in disclosed)
    dis = sum(c.counted(x) for x in cells if x[0] in told)
    rows["Dorig", None] = percent(sum(c.counted(x) for x in alone), n)
    rows["Dsyn", None] = percent(sum(c.counted_syn(x) for x in disclosed), m)
    rows["iS", None] = percent(sum(c.counted(x) for x in cells if c.s_class[x[0]] > 0), n)
    rows["DiS", None] = percent(dis, n)
    rows["DiSCO", None] = percent(disco, n)
    rows["DiSDiO", None] = percent(sum(c.counted(x) for x in disclosed & alone), n)
    true = [x for x in disclosed if c.counted(x) > 0]  # the cells that make DiSCO
    for suffix, count in (("", c.d), ("_syn", c.s)):
        top = sum(count[x] for x in true)
        most = max((count[x] for x in true), default=None)
        rows["max_denom" + suffix, None] = (None, None, most)
        rows["mean_denom" + suffix, None] = (
            top,
            len(true),
            Fraction(top, len(true)) if true else None,
        )
    # cap
    matched = sum(k for q, k in c.d_class.items() if c.s_class[q] > 0)
    base = exact_sum((k, k, n) for k in c.d_level.values())
    base_counted = exact_sum((c.counted(x), c.d_level[x[1]], n) for x in cells)
    cap = exact_sum((c.counted(x), c.d[x], c.d_class[x[0]]) for x in cells if c.d_class[x[0]])
    cap_syn = exact_sum(
        (c.counted_syn(x), c.s[x], c.s_class[x[0]]) for x in cells if c.s_class[x[0]]
    )
    shares = [(c.counted(x), c.s[x], c.s_class[x[0]]) for x in cells if c.s_class[x[0]]]
    dcap = exact_sum(shares)
    rows["baseCAPd", None] = percent(base, n)
    rows["baseCAPd_counted", None] = percent(base_counted, n)
    rows["CAPd", None] = percent(cap, n)
    rows["CAPs", None] = percent(cap_syn, m)
    rows["DCAP", None] = percent(dcap, n)
    rows["DCAP_matched", None] = percent(dcap, matched)
    rows["TCAP", None] = percent(disco, matched)
    rows["TCAP_disclosive", None] = percent(disco, dis)
    for name in ("DCAP", "TCAP"):
        rows[name + "_scaled", None] = scaled(
            rows[name, None][2], rows["baseCAPd_counted", None][2]
        )
    for tau in TAUS:
        high = [term for term in shares if term[1] >= tau * term[2]]
        rows["CAP_at_least", tau] = percent(exact_sum(high), n)
    rows.update(sizes_and_diversity(c))
    rows.update(closeness(c))
    rows.update(votes_and_bounds(c))
    rows.update(neighbours(c))
    rows.update(others(c))
    rows.update(guesses(c))
    # protection
    for left, right in (("UiO", "repU"), ("Dorig", "DiSCO"), ("CAPd", "DCAP")):
        rows[f"{left}-{right}", None] = percent(*difference(rows[left, None], rows[right, None]))
    for name, (better, worse) in {"better": (1, 0), "equally": (0, 0), "worse": (0, 1)}.items():
        kept = [x for x in cells if (share(c.s, x, c.s_class) < share(c.d, x, c.d_class)) == better]
        kept = [x for x in kept if (share(c.s, x, c.s_class) > share(c.d, x, c.d_class)) == worse]
        rows[f"{name}_protected", None] = percent(sum(c.counted(x) for x in kept), n)
    # left out
    rows["excluded", None] = percent(n - sum(c.counted(x) for x in cells), n)
    rows["excluded_identity", None] = percent(
        sum(k for q, k in c.d_class.items() if q in c.no_class), n
    )
    return rows


def buckets(
    name: str, people_of: Mapping[int, int], n: int
) -> dict[tuple[str, Fraction | None], Row]:
    """Return the percent of people in each bucket of a size. A bucket begins at its own size and
    ends before the next bucket. ``people_of`` maps a size to its people.
    """
    ends = [*SIZES[1:], math.inf]
    return {
        (name, Fraction(size)): percent(sum(k for m, k in people_of.items() if size <= m < end), n)
        for size, end in zip(SIZES, ends, strict=True)
    }


def sizes_and_diversity(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return k-anonymity and l-diversity of the original."""
    of_size: Counter[int] = Counter()
    of_levels: Counter[int] = Counter()
    expected = Fraction(0)
    least: list[tuple[int, float, int]] = []
    for q, n in c.d_class.items():
        if q not in c.no_class:
            of_size[n] += n
            expected += 1
        counts = sorted((k for (other, _), k in c.d.items() if other == q and k), reverse=True)
        counted = sum(c.counted(x) for x in c.d if x[0] == q)
        of_levels[len(counts)] += counted
        if counted:
            entropy = -sum(k / n * math.log(k / n) for k in counts)
            recursive = 1 + sum(2 * sum(counts[j:]) > counts[0] for j in range(1, len(counts)))
            least.append((len(counts), math.exp(entropy), recursive))
    rows = buckets("class_size", of_size, c.people) | buckets(
        "l_distinct_people", of_levels, c.people
    )
    rows["reidentifications", None] = percent(expected, c.people)
    for place, name in enumerate(("l_distinct", "l_entropy", "l_recursive")):
        smallest = min((each[place] for each in least), default=None)
        rows[name, None] = (
            None,
            None,
            Fraction(smallest) if isinstance(smallest, float) else smallest,
        )
    return rows


def closeness(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return how far the target's shares in a class are from those of all people."""
    every = {t: Fraction(k, c.people) for t, k in c.d_level.items()}
    most: dict[str, list[float | Fraction]] = {
        "t_closeness": [],
        "beta_likeness": [],
        "delta_disclosure": [],
    }
    people: Counter[str] = Counter()
    total = Fraction(0)
    for q, n in c.d_class.items():
        here = {t: Fraction(c.d[q, t], n) for t in every}
        counted = sum(c.counted((q, t)) for t in every)
        moved = sum((abs(here[t] - every[t]) for t in every), Fraction(0)) / 2
        total += counted * moved
        gains = {t: (here[t] - every[t]) / every[t] for t in every}
        people["beta_beyond"] += sum(
            c.counted((q, t)) for t, gain in gains.items() if gain > -math.log(every[t])
        )
        people["delta_absent"] += counted * (0 in here.values())
        if counted:
            most["t_closeness"].append(moved)
            most["beta_likeness"].append(max(gains.values()))
            most["delta_disclosure"].append(
                max(abs(math.log(here[t] / every[t])) for t in every if here[t])
            )
    rows: dict[tuple[str, Fraction | None], Row] = {
        (name, None): (None, None, Fraction(max(found)) if found else None)
        for name, found in most.items()
    }
    rows |= {
        (name, None): percent(people[name], c.people) for name in ("beta_beyond", "delta_absent")
    }
    rows["t_closeness_mean", None] = (total, c.people, total / c.people)
    return rows


def votes_and_bounds(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return measures of the majority vote in synthetic classes, and the lowest and highest values
    that measures could have.
    """
    rows: dict[tuple[str, Fraction | None], Row] = {}
    s_level: Counter[Level] = Counter()
    for (_, t), k in c.s.items():
        s_level[t] += k
    found = [q for q in c.d_class if c.s_class[q] > 0]
    right = Fraction(0)
    for q in found:
        votes = {t: k for (other, t), k in c.s.items() if other == q and k}
        winners = [t for t, k in votes.items() if k == max(votes.values())]
        right += Fraction(sum(c.counted((q, t)) for t in winners), len(winners))
    pairs = {(q, t): c.counted((q, t)) for q in c.d_class for t in c.d_level}
    shares = {x: Fraction(k, c.d_class[x[0]]) for x, k in pairs.items()}
    low, low_share = min(pairs.values()), min(shares.values())
    at_totals = sum(min(pairs[q, t] for t in c.d_level) for q in found)
    shuffled = exact_sum((pairs[q, t], s_level[t], c.records) for q in found for t in c.d_level)
    rows["min_DCAP", None] = percent(low, c.people)
    rows["min_DCAP_matched", None] = (None, None, 100 * low_share)
    rows["min_DCAP_cells", None] = (None, None, sum(k == low for k in pairs.values()))
    rows["min_DCAP_matched_cells", None] = (
        None,
        None,
        sum(share == low_share for share in shares.values()),
    )
    matched = sum(c.d_class[q] for q in found)
    # class -> the people of each level, the least count first
    ends = {q: sorted(pairs[q, t] for t in c.d_level) for q in c.d_class}
    sure = sum(ends[q][0] for q in found if c.s_class[q] == 1 or len(c.d_level) == 1)
    most = sum(ends[q][-1] for q in found)
    for name, people in (("DiSCO", c.people), ("TCAP", matched)):
        rows[f"min_{name}_at_totals", None] = percent(sure, people)
        rows[f"max_{name}_at_totals", None] = percent(most, people)
    for end, place in (("lower", 0), ("higher", -1)):
        rows[f"GCAP_no_{end}", None] = percent(sum(each[place] for each in ends.values()), c.people)
    for suffix, people in (("", c.people), ("_matched", matched)):
        rows[f"min_DCAP{suffix}_at_totals", None] = percent(at_totals, people)
        rows[f"DCAP{suffix}_shuffled", None] = percent(shuffled, people)
    rows["accuracy_0CAP", None] = percent(right, c.people)
    rows["accuracy_ICAP", None] = percent(right, matched)
    return rows


def others(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return measures of what the original reveals about each person without their own record."""
    sums: Counter[str] = Counter()
    told: list[tuple[int, int, int]] = []
    company = 0
    for (q, t), n in c.d.items():
        rest = Counter({u: k for (other, u), k in c.d.items() if other == q})
        rest[t] -= 1
        people, without, guessed = c.counted((q, t)), rest.total(), share(c.s, (q, t), c.s_class)
        known = Fraction(rest[t], without) if without else Fraction(0)
        company += n if without else 0
        told += [(people, rest[t], without)] if without else []
        sums["DCAP_above_others"] += people if guessed > known else 0
        sums["DCAP_below_others"] += people if guessed < known else 0
        if c.disclosed((q, t)):
            sums["DiSCO_known_from_others" if known == 1 else "DiSCO_own"] += people
    names = ("DCAP_above_others", "DCAP_below_others", "DiSCO_known_from_others", "DiSCO_own")
    rows: dict[tuple[str, Fraction | None], Row] = {
        (name, None): percent(sums[name], c.people) for name in names
    }
    by_others = exact_sum(told)
    guessed_right = exact_sum(
        (c.counted(x), c.s[x], c.s_class[x[0]]) for x in c.d if c.s_class[x[0]]
    )
    rows["CAPd_others", None] = percent(by_others, c.people)
    rows["CAPd_others_left_out", None] = percent(by_others, company)
    rows["DCAP-CAPd_others", None] = percent(guessed_right - by_others, c.people)
    return rows


def guesses(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return how many people have a guess, and how many guesses are right. The guess is the most
    frequent level of a synthetic class or, for measures with ``_others``, of the other people.
    """
    rows: dict[tuple[str, Fraction | None], Row] = {}
    best: dict[str, float] = {}
    for suffix in ("", "_others"):
        # share of the guess, chance that it is right, people, counted
        told: list[tuple[Fraction, Fraction, int, int]] = []
        for (q, t), n in c.d.items():
            seen = Counter(
                {u: k for (other, u), k in (c.d if suffix else c.s).items() if other == q}
            )
            seen[t] -= 1 if suffix else 0
            if seen.total():
                winners = [u for u, k in seen.items() if k == max(seen.values())]
                chance = Fraction(int(t in winners), len(winners))
                told.append(
                    (Fraction(max(seen.values()), seen.total()), chance, n, c.counted((q, t)))
                )
        for tau in GUESSED:
            some = [each for each in told if each[0] >= tau]
            covered = percent(sum(counted for *_, counted in some), c.people)
            rightly = sum((chance * counted for _, chance, _, counted in some), Fraction(0))
            right = percent(rightly, sum(n for _, _, n, _ in some))
            rows["guess_coverage" + suffix, tau], rows["guess_precision" + suffix, tau] = (
                covered,
                right,
            )
            reached = float(covered[2] or 0) / 100
            weight = 1 - (math.log(reached) / math.log(1e-4)) ** 3 if reached > 1e-4 else None
            prc = reached if weight is None else weight * float(right[2] or 0) / 100
            rows["PRC" + suffix, tau] = (Fraction(100 * prc), 100, Fraction(prc))
            best[suffix] = max(best.get(suffix, 0.0), prc)
    above, left = Fraction(best[""]) - Fraction(best["_others"]), 1 - Fraction(best["_others"])
    rows["ALC", None] = (above, left, above / left if left else None)
    return rows


def neighbours(c: Comparison) -> dict[tuple[str, Fraction | None], Row]:
    """Return measures of the nearest synthetic records, found by comparing all pairs of classes,
    and measures of guessing without the keys.
    """
    rows: dict[tuple[str, Fraction | None], Row] = {}
    found: Counter[int] = Counter()
    drawn = voted = Fraction(0)
    for q in c.d_class:
        distances = {
            x: sum(a != b for a, b in zip(q, x[0], strict=True)) for x, k in c.s.items() if k
        }
        radius = min(distances.values())
        near: Counter[Level] = Counter()
        for (other, t), distance in distances.items():
            near[t] += c.s[other, t] if distance == radius else 0
        found[radius] += sum(c.counted(x) for x in c.d if x[0] == q)
        drawn += sum(Fraction(c.counted((q, t)) * k, near.total()) for t, k in near.items())
        winners = [t for t, k in near.items() if k == max(near.values())]
        voted += Fraction(sum(c.counted((q, t)) for t in winners), len(winners))
    rows["GCAP", None] = percent(drawn, c.people)
    rows["accuracy_GCAP", None] = percent(voted, c.people)
    for radius in range(len(next(iter(c.d_class))) + 1):
        rows["records_by_radius", Fraction(radius)] = percent(found[radius], c.people)
    people: Counter[Level] = Counter()
    s_level: Counter[Level] = Counter()
    for x in c.d:
        people[x[1]] += c.counted(x)
    for (_, t), k in c.s.items():
        s_level[t] += k
    held = [t for t, k in s_level.items() if k]
    for name, counts in (("accuracy_mode", s_level), ("accuracy_mode_orig", c.d_level)):
        winners = [t for t, k in counts.items() if k == max(counts.values())]
        rows[name, None] = percent(
            Fraction(sum(people[t] for t in winners), len(winners)), c.people
        )
    rows["accuracy_uniform", None] = percent(
        Fraction(sum(people[t] for t in held), len(held)), c.people
    )
    rows["accuracy_marginal", None] = percent(
        exact_sum((people[t], s_level[t], c.records) for t in held), c.people
    )
    return rows


def share(count: Counter[Cell], cell: Cell, count_class: Counter[Class]) -> Fraction:
    """Return the share of a cell in its class, or 0 if the class has no records."""
    return Fraction(count[cell], count_class[cell[0]]) if count_class[cell[0]] else Fraction(0)


def scaled(value: Number | None, base: Number | None) -> Row:
    """Return the position of a value between the baseline (0) and certainty (100)."""
    assert base is not None, "there are people"
    if value is None:
        return None, 100 - base, None
    return percent(value - base, 100 - base)


def difference(left: Row, right: Row) -> tuple[Number, Number]:
    """Return numerator and denominator of the difference between two percentages of one group of
    people.
    """
    assert left[0] is not None
    assert right[0] is not None
    assert left[1] is not None
    assert left[1] == right[1]
    return left[0] - right[0], left[1]


def known(everyone: Row, left: Row) -> Row:
    """Return R_known (Raab sect. 5), (all - after) / (100 - after), as a row of people: those at
    risk only because of excluded cells, among those not at risk after exclusions.
    """
    assert everyone[0] is not None
    assert left[0] is not None
    assert left[1] is not None
    assert left[1] == everyone[1]
    top, bottom = everyone[0] - left[0], left[1] - left[0]
    return top, bottom, (Fraction(top) / bottom if bottom else None)


def checks(
    c: Comparison, question: Question
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the flagged rows of the one-way and the two-way check. The checks ask if a guess
    without the file would also be right.
    """
    found = {x: c.counted(x) for x in c.d if c.disclosed(x) and c.counted(x) > 0}
    total = sum(found.values())
    by_level: Counter[Level] = Counter()
    for (_, t), k in found.items():
        by_level[t] += k
    most = max(by_level.values(), default=0)
    left = {
        t
        for q, t in c.d
        if c.reason.get(("original", (q, t))) not in ("target level", "missing target")
    }
    one_way: list[dict[str, object]] = [
        {
            "Level": t,
            "All": c.people,
            "PctLevelAll": Fraction(100 * c.d_level[t], c.people),
            "totalDisclosive": total,
            "nLevelDis": k,
            "PctLevelDis": Fraction(100 * k, total),
        }
        for t, k in by_level.items()
        if len(left) > 1
        and k == most
        and k > question.one_way[0]
        and 100 * k > question.one_way[1] * total
    ]
    pairs: Counter[tuple[int, Level, Level]] = Counter()
    for (q, t), k in found.items():
        if k > question.two_way[0]:
            for i, key_level in enumerate(q):
                pairs[i, t, key_level] += k
    key_total: Counter[tuple[int, Level]] = Counter()
    key_target_total: Counter[tuple[int, Level, Level]] = Counter()
    for (q, t), k in c.d.items():
        for i, key_level in enumerate(q):
            key_total[i, key_level] += k
            key_target_total[i, t, key_level] += k
    two_way: list[dict[str, object]] = [
        {
            "target_level": t,
            "key": question.keys[i],
            "key_level": key_level,
            "npairs": k,
            "key_target_total": key_target_total[i, t, key_level],
            "key_total": key_total[i, key_level],
            "PctTargetKeyLevel": Fraction(
                100 * key_target_total[i, t, key_level], key_total[i, key_level]
            ),
        }
        for (i, t, key_level), k in pairs.items()
        if 100 * key_target_total[i, t, key_level] > question.two_way[1] * key_total[i, key_level]
    ]
    return one_way, two_way


# --------------------------------------------------------------------------------------------------
# all comparisons


def length(table: Table) -> int:
    """Return the number of records of a table."""
    return len(next(iter(table.values())))


def choices(m: int) -> dict[str, tuple[int, ...]]:
    """Return the comparisons of m syntheses: each one, then the first 2, 3 ... m pooled."""
    singles = {str(i + 1): (i,) for i in range(m)}
    return singles | {f"pooled 1-{k}": tuple(range(k)) for k in range(2, m + 1)}


def summaries(values: Sequence[Number | None]) -> dict[str, Row]:
    """Return mean, min and max over the syntheses that have a value."""
    have = [value for value in values if value is not None]
    if not have:
        return dict.fromkeys(("mean", "min", "max"), (None, None, None))
    mean = Fraction(sum(have)) / len(have)
    return {
        "mean": (None, None, mean),
        "min": (None, None, min(have)),
        "max": (None, None, max(have)),
    }


def score(original: Table, syntheses: Sequence[Table], question: Question) -> Answer:
    """Return every number of a report about these tables."""
    files = [original, *syntheses]
    columns = [*question.keys, *question.targets]
    level = {column: levels_of(column, files, question) for column in columns}
    coded = [
        {column: [level[column](value) for value in table[column]] for column in columns}
        for table in files
    ]
    classes = [list(zip(*(table[key] for key in question.keys), strict=True)) for table in coded]
    answer = Answer({}, [], [], {}, {}, {}, tuple(len(set(rows)) for rows in classes))
    everything = Question(question.keys, question.targets, question.bins, question.special)

    def put(target: str, name: str, measure: str, at: Fraction | None, row: Row) -> None:
        about = None if measure in (*IDENTITY, "UiO-repU") else target
        earlier = answer.results.setdefault((measure, at, about, name), row)
        assert earlier == row, f"{measure} depends on the target"

    for target in question.targets:
        cells = [
            Counter(zip(rows, table[target], strict=True))
            for rows, table in zip(classes, coded, strict=True)
        ]
        for name, chosen in choices(len(syntheses)).items():
            pooled: Counter[Cell] = Counter()
            for i in chosen:
                pooled.update(cells[i + 1])
            c = compare(cells[0], pooled, target, question, level)
            rows = measures(c)
            alone = [compare(cells[0], cells[i + 1], target, question, level) for i in chosen]
            found = sum(c.counted(x) for x in c.d if any(each.disclosed(x) for each in alone))
            rows["DiSCO_union", None] = percent(found, c.people)
            single = {q for each in alone for q, n in each.s_class.items() if n == 1}
            rows["repU_union", None] = percent(c.unique(single.__contains__), c.people)
            if question.excludes:
                full = measures(compare(cells[0], pooled, target, everything, level))
                for measure in ("DiSCO", "DCAP"):
                    rows["R_known_" + measure, None] = known(
                        full[measure, None], rows[measure, None]
                    )
            for (measure, at), row in rows.items():
                put(target, name, measure, at, row)
            tally: dict[tuple[str, str], list[int]] = {}
            for (side, cell), why in c.reason.items():
                records = (c.d if side == "original" else c.s)[cell]
                if records:
                    entry = tally.setdefault((why, side), [0, 0])
                    entry[0] += 1
                    entry[1] += records
            for (why, side), (k, records) in tally.items():
                answer.exclusions[why, target, name, side] = (k, records)
            one_way, two_way = checks(c, question)
            answer.one_way.extend({"target": target, "synthesis": name} | row for row in one_way)
            answer.two_way.extend({"target": target, "synthesis": name} | row for row in two_way)
            both = c.d_class.keys() & c.s_class.keys()
            people_both = sum(c.d_class[q] for q in both)
            records_both = sum(c.s_class[q] for q in both)
            answer.overlap[name] = {
                "classes_both": len(both),
                "classes_only_original": len(c.d_class) - len(both),
                "classes_only_synthetic": len(c.s_class) - len(both),
                "records_both": people_both,
                "records_only_original": c.people - people_both,
                "synthetic_records_both": records_both,
                "synthetic_records_only_synthetic": c.records - records_both,
            }
    if len(syntheses) > 1:
        for measure, at, target_or_none in dict.fromkeys(key[:3] for key in answer.results):
            values = [
                answer.results[measure, at, target_or_none, str(i + 1)][2]
                for i in range(len(syntheses))
            ]
            for name, row in summaries(values).items():
                answer.results[measure, at, target_or_none, name] = row
    for column in columns:
        mine = set(coded[0][column])
        for i, table in enumerate(coded[1:]):
            theirs = set(table[column])
            answer.levels[column, str(i + 1)] = (len(mine - theirs), len(theirs - mine))
    return answer
