"""Files made by arithmetic, so that every figure is known without counting.

A file repeats a block of 20 records. Each repetition has its own classes, in which the original and
the synthetic file have the levels listed in BLOCK. Each measure is computed for one block in exact
fractions, and multiplied. The records of a block are far apart in the file, and neighboring classes
differ in every key, as people do.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from math import gcd, prod
from pathlib import Path

from benchmark.children import write

# One class per line: the target levels of its records in the original and in the synthetic file.
BLOCK = (
    ("a", "a"),  # unique in both, the level is right
    ("b", "c"),  # unique in both, the level is wrong
    ("c", ""),  # unique, and not found
    ("d", "dda"),  # unique, and found as one of three
    ("aa", "a"),  # two people whose level one record reveals
    ("ab", "ab"),
    ("bcd", "bc"),
    ("ccc", "cccc"),  # revealed, and so is the original
    ("eeab", "e"),
    ("fg", ""),
    ("", "g"),  # only in the synthetic file
    ("", "fafb"),
)
SIDES = tuple("".join(levels) for levels in zip(*BLOCK, strict=True))
RECORDS = len(SIDES[0])  # in a block, of each file
# the class of each record in a block, of both files
PLACES = tuple([n for n, levels in enumerate(BLOCK) for _ in levels[side]] for side in (0, 1))
LEVELS = "abcdefg"
VERSION = 1  # version of the files, to be changed whenever their content changes
GOLDEN = 0.6180339887498949  # multiples of about this share of a whole are spread evenly over it

# The keys, into which a class number is split digit by digit: name, number of levels, SQL of the
# value.
DIGITS = (
    ("sex", 2, "CASE WHEN digit = 0 THEN 'M' ELSE 'F' END"),
    ("age", 81, "16 + digit"),
    ("region", 40, "'Region ' || digit"),
    ("occupation", 61, "CASE WHEN digit > 0 THEN 'Occupation group ' || digit END"),
    ("marital", 6, "['Single', 'Married', 'Divorced', 'Widowed', 'Separated', 'Civil'][1 + digit]"),
    ("ward", 2000, "'Ward ' || digit"),
)
KEYS = tuple(name for name, _, _ in DIGITS)
CLASSES = prod(levels for _, levels, _ in DIGITS)  # number of classes that the keys can distinguish
PERSON = "person"

Expected = dict[str, tuple[Fraction, int]]
"""Measure -> (numerator, denominator)."""


@dataclass(frozen=True)
class Shape:
    """The contents of a pair of files.

    Attributes:
        blocks: the number of repetitions of the block.
        targets: the number of targets. Each target assigns the letters of the block to records
            differently.
        levels: the number of equally frequent levels of a target, a divisor of ``blocks``. None for
            the seven levels of the block.
        person: True if the only key is a column with one level for each class.
        half: True if one further class has as many records as all others together.
    """

    blocks: int
    targets: int = 1
    levels: int | None = None
    person: bool = False
    half: bool = False

    @property
    def records(self) -> int:
        """Records in each file."""
        return self.blocks * RECORDS * (2 if self.half else 1)

    @property
    def classes(self) -> int:
        """Classes in both files together."""
        return self.blocks * len(BLOCK) + self.half

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys."""
        return (PERSON,) if self.person else KEYS

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the targets."""
        return tuple(f"target_{n}" for n in range(1, self.targets + 1))


@dataclass(frozen=True)
class Kind:
    """Identical classes: how many there are, and for each target level the records of one class in
    the original and in the synthetic file.
    """

    classes: int
    cells: Mapping[str, tuple[int, int]]


def make_pair(shape: Shape, folder: Path) -> tuple[Path, Path]:
    """Return the paths of an original and a synthetic file of a shape. Missing files are made."""
    if shape.classes > CLASSES:
        raise ValueError(f"keys tell {CLASSES:,} classes apart, not {shape.classes:,}")
    pair = folder / "original.parquet", folder / "synthetic.parquet"
    for side, path in enumerate(pair):
        write(path, _sql(shape, side))
    return pair


def _dealt(side: int, target: int) -> str:
    """Return the target level of each record of a block. The letters of BLOCK are rotated by the
    target's number, so that targets differ.
    """
    shift = target % RECORDS
    return SIDES[side][shift:] + SIDES[side][:shift]


def _near(whole: int, share: float) -> int:
    """Return a number near this share of ``whole`` that is coprime to ``whole``. Its multiples give
    every remainder once.
    """
    return next(each for each in count(int(whole * share) + 1) if gcd(each, whole) == 1)


def _sql(shape: Shape, side: int) -> str:
    """Return the query whose rows are the original (side 0) or the synthetic file (1)."""
    length = shape.records // shape.blocks
    scatter = _near(shape.records, GOLDEN if side == 0 else 1 - GOLDEN)
    number = f"block * {len(BLOCK)} + {PLACES[side]}[1 + place % {RECORDS}]"
    if shape.half:
        number = f"CASE WHEN place < {RECORDS} THEN {number} ELSE {shape.blocks * len(BLOCK)} END"
    spread, columns = 1, []
    for name, levels, value in DIGITS:
        columns.append(f"{value.replace('digit', f'(class // {spread} % {levels})')} AS {name}")
        spread *= levels
    if shape.person:
        columns = [f"'Person ' || class AS {PERSON}"]
    for number_of, name in enumerate(shape.names):
        dealt = [LEVELS.index(letter) for letter in _dealt(side, number_of)]
        level = f"{dealt}[1 + place % {RECORDS}]"
        if shape.levels is not None:
            level = f"({level} + block * {len(LEVELS)}) % {shape.levels}"
        columns.append(f"'Level ' || ({level}) AS {name}")
    return f"""
        WITH scattered AS (
            SELECT i * {scatter} % {shape.records} AS j FROM range({shape.records}) AS row(i)
        ),
        placed AS (SELECT j // {length} AS block, j % {length} AS place FROM scattered),
        numbered AS (
            SELECT block, place, ({number}) * {_near(CLASSES, GOLDEN)} % {CLASSES} AS class
            FROM placed
        )
        SELECT {", ".join(columns)} FROM numbered
    """


def kinds(shape: Shape, target: int) -> Iterator[Kind]:
    """Yield the classes of a pair of files, with their levels of a target (numbered from 0)."""
    counted = [Counter(zip(PLACES[side], _dealt(side, target), strict=True)) for side in (0, 1)]
    for place in range(len(BLOCK)):
        cells = {
            letter: (counted[0][place, letter], counted[1][place, letter]) for letter in LEVELS
        }
        yield Kind(shape.blocks, cells)
    if shape.half:
        letters = [Counter(SIDES[side]) for side in (0, 1)]
        yield Kind(
            1,
            {
                letter: (shape.blocks * letters[0][letter], shape.blocks * letters[1][letter])
                for letter in LEVELS
            },
        )


def expected(shape: Shape, target: int) -> Expected:
    """Return the expected measures of a target (numbered from 0)."""
    if shape.levels is not None and (
        shape.half or shape.blocks % shape.levels or gcd(shape.levels, len(LEVELS)) > 1
    ):
        raise ValueError("every level must have as many records as any other")
    return reckon(kinds(shape, target), shape.levels)


def reckon(classes: Iterable[Kind], levels: int | None = None) -> Expected:
    """Compute the measures over classes. If all target levels are equally frequent, ``levels`` is
    their number.
    """
    sums: Counter[str] = Counter()
    shares: dict[str, Fraction] = dict.fromkeys(("CAPd", "CAPs", "DCAP"), Fraction(0))
    totals: Counter[str] = Counter()
    for kind in classes:
        people, records = (sum(cell[side] for cell in kind.cells.values()) for side in (0, 1))
        sums["people"] += kind.classes * people
        sums["records"] += kind.classes * records
        sums["UiO"] += kind.classes * (people == 1)
        sums["UiS"] += kind.classes * (records == 1)
        sums["UiOiS"] += kind.classes * (people == 1 and records > 0)
        sums["repU"] += kind.classes * (people == records == 1)
        sums["iS"] += kind.classes * people * (records > 0)
        for level, (own, synthetic) in kind.cells.items():
            revealed = synthetic == records > 0
            totals[level] += kind.classes * own
            sums["Dorig"] += kind.classes * own * (own == people)
            sums["Dsyn"] += kind.classes * synthetic * (synthetic == records)
            sums["DiS"] += kind.classes * people * revealed
            sums["DiSCO"] += kind.classes * own * revealed
            sums["DiSDiO"] += kind.classes * own * (revealed and own == people)
            shares["CAPd"] += kind.classes * Fraction(own**2, people or 1)
            shares["CAPs"] += kind.classes * Fraction(synthetic**2, records or 1)
            shares["DCAP"] += kind.classes * Fraction(own * synthetic, records or 1)
    people, records = sums["people"], sums["records"]
    base = (
        Fraction(people, levels)
        if levels
        else Fraction(sum(total**2 for total in totals.values()), people)
    )
    found = {
        name: (Fraction(sums[name]), people)
        for name in ("UiO", "UiOiS", "repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO")
    }
    found |= {name: (Fraction(sums[name]), records) for name in ("UiS", "Dsyn")}
    found |= {
        "baseCAPd": (base, people),
        "CAPd": (shares["CAPd"], people),
        "CAPs": (shares["CAPs"], records),
    }
    found |= {"DCAP": (shares["DCAP"], people), "DCAP_matched": (shares["DCAP"], sums["iS"])}
    return found | {
        "TCAP": (Fraction(sums["DiSCO"]), sums["iS"]),
        "TCAP_disclosive": (Fraction(sums["DiSCO"]), sums["DiS"]),
    }
