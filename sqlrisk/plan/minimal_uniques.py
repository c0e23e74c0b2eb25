"""Special uniques (SUDA): which few keys single a person out, as steps of plain SQL over a table of classes. Pure.

A minimal unique of a record is a set of keys on which nobody else agrees with it, while on every smaller part of the set
somebody does. The sets are tried by size, the smallest first: so a set is minimal if none found before is part of it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, gcd, lcm

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import KeyColumn, KeyRun, PackedKey
from sqlrisk.plan.steps import Step

SCORINGS = ("elliot", "ihsn")
FEWEST = 3  # the scores of one or two keys are those of three, as in sdcMicro
FRACTION = 0.01
LEAST_WORK = 10_000  # what a statement costs at least, in class visits
_WHOLE = 2**63  # whole numbers stay below


@dataclass(frozen=True)
class Search:
    """How special uniques are looked for and scored.

    Attributes:
        max_size: the most keys in a set; None for all of them. It does not change the weights.
        sampling_fraction: the share of the population that is in the file.
        scoring: ``elliot`` or ``ihsn``.
        missing: keys (by name) that have missing values, which single nobody out; None when that is not known.
    """

    max_size: int | None = None
    sampling_fraction: float = FRACTION
    scoring: str = "elliot"
    missing: Collection[str] | None = None


@dataclass(frozen=True)
class Weights:
    """What a minimal set counts by its size: ``points`` for sizes 1, 2 ..., in whole numbers; a point is worth ``unit``."""

    points: tuple[int, ...]
    unit: Fraction
    whole: bool = field(default=True)

    @property
    def score(self) -> str:
        """A score out of its points, as SQL. A whole number where it can be one."""
        if self.unit.denominator == 1 and self.whole:
            return f"points * {self.unit.numerator}"
        scaled = (
            f"CAST(points AS DOUBLE) * {float(self.unit.numerator)!r}" if self.unit.numerator != 1 else "CAST(points AS DOUBLE)"
        )
        return scaled if self.unit.denominator == 1 else f"{scaled} / CAST({self.unit.denominator} AS DOUBLE)"

    @property
    def number(self) -> str:
        """The type that holds the points."""
        return "BIGINT" if self.whole else "DOUBLE"


@dataclass(frozen=True)
class Tables:
    """The tables that the steps read and fill; a suffix keeps those of several files or keys apart.

    ``classes`` is any table (or subquery) with the class key and ``count``, the records of the class in the file.
    """

    classes: str = "classes"
    count: str = "n_orig"
    suffix: str = ""

    @property
    def minimal_uniques(self) -> str:
        """The minimal sets of keys."""
        return f"minimal_uniques{self.suffix}"

    @property
    def suda_scores(self) -> str:
        """The scores by class."""
        return f"suda_scores{self.suffix}"

    @property
    def dis_suda(self) -> str:
        """DIS-SUDA by score."""
        return f"dis_suda{self.suffix}"

    @property
    def special(self) -> str:
        """The special uniques."""
        return f"special{self.suffix}"


def weights(n_keys: int, search: Search) -> Weights:
    """The weights of the sets up to the largest that is looked for, for a file of so many keys."""
    keys = max(n_keys, FEWEST)
    sizes = range(1, largest(n_keys, search) + 1)
    if search.scoring == "elliot":
        each = [Fraction(factorial(keys - size)) for size in sizes]
    else:
        each = [Fraction(2 ** (keys - size) - 1, comb(keys, size)) for size in sizes]
    below = lcm(*(weight.denominator for weight in each))
    scaled = [int(weight * below) for weight in each]
    common = gcd(*scaled) or 1
    unit = Fraction(common, below)
    points = tuple(point // common for point in scaled)
    # Minimal sets are no part of each other, so a record has at most as many as one size can have (LYM inequality).
    most = max(comb(n_keys, size) * point for size, point in zip(sizes, points, strict=True))
    return Weights(points, unit, most * max(unit.numerator, 1) < _WHOLE)


def largest(n_keys: int, search: Search) -> int:
    """The most keys that a set is looked for with."""
    return n_keys if search.max_size is None else min(search.max_size, n_keys)


def work(n_keys: int, max_size: int, classes: int) -> int:
    """How many classes are visited: all of them for each set of up to ``max_size`` keys; a small file costs its statements."""
    return sum(comb(n_keys, size) for size in range(1, max_size + 1)) * max(classes, LEAST_WORK)


def most_keys(n_keys: int, classes: int, limit: int) -> int:
    """The largest size of sets that stays within a limit of work; 0 where none does."""
    return max((size for size in range(1, n_keys + 1) if work(n_keys, size, classes) <= limit), default=0)


def minimal_steps(key_columns: Sequence[KeyColumn], tables: Tables, search: Search) -> Iterator[Step]:
    """The minimal sets of keys of every record, set by set, the smallest first."""
    parts = _parts(key_columns)
    for size in range(largest(len(parts), search) + 1):
        for chosen in combinations(parts, size):
            sql = templates.stage(
                "uniques/minimal_uniques.sql",
                **_class_key(key_columns),
                parts=parts,
                chosen=chosen,
                groups=[group for key_column in key_columns if (group := projected(key_column, chosen))],
                missing=[part for part in chosen if search.missing is None or part.column.name in search.missing],
                classes=tables.classes,
                count=tables.count,
                minimal_uniques=tables.minimal_uniques,
            )
            yield Step(f"sets of {size} key{'s' * (size != 1)}", tables.minimal_uniques, sql)


def score_steps(key_columns: Sequence[KeyColumn], tables: Tables, search: Search) -> Iterator[Step]:
    """The minimal sets, then ``suda_scores``: class key, points, suda_score, points of each key, size of the smallest set."""
    yield from minimal_steps(key_columns, tables, search)
    parts = _parts(key_columns)
    given = weights(len(parts), search)
    sql = templates.stage(
        "uniques/suda_scores.sql",
        **_class_key(key_columns),
        parts=parts,
        weights=given.points if given.whole else [float(each) for each in given.points],
        score=given.score,
        number=given.number,
        minimal_uniques=tables.minimal_uniques,
    )
    yield Step("scores", tables.suda_scores, sql)


def special_step(key_columns: Sequence[KeyColumn], tables: Tables, name: str | None = None) -> Step:
    """The class keys of the special uniques (see ``special_uniques.sql``); needs ``suda_scores``."""
    sql = templates.stage(
        "uniques/special_uniques.sql",
        **_class_key(key_columns),
        classes=tables.classes,
        count=tables.count,
        suda_scores=tables.suda_scores,
    )
    return Step("special uniques", name or tables.special, sql)


def dis_step(key_columns: Sequence[KeyColumn], tables: Tables, search: Search) -> Step:
    """DIS-SUDA by score; needs ``suda_scores``."""
    keys = max(len(_parts(key_columns)), FEWEST)
    sql = templates.stage(
        "uniques/dis_suda.sql",
        fraction=search.sampling_fraction,
        exponent=float(1 + Fraction(8 - keys, 20)),
        classes=tables.classes,
        count=tables.count,
        suda_scores=tables.suda_scores,
    )
    return Step("scores", tables.dis_suda, sql)


def record_scores(key_columns: Sequence[KeyColumn], tables: Tables, records: str = "records", *, ordered: bool = True) -> str:
    """The query of the scores of every record, in file order unless told; ``records`` has the class key and ``record``."""
    parts = _parts(key_columns)
    return templates.stage(
        "uniques/record_scores.sql",
        **_class_key(key_columns),
        parts=parts,
        names={part.column.id: templates.quote(contribution(part.column.name)) for part in parts},
        records=records,
        ordered=ordered,
        suda_scores=tables.suda_scores,
        dis_suda=tables.dis_suda,
    )


def contribution(key: str) -> str:
    """The name of the column with a key's share of the score."""
    return f"contribution_{key}"


def counts(tables: Tables, search: Search) -> str:
    """The query of the classes, uniques and records in pairs of the file, and of DIS."""
    return templates.stage("uniques/uniques.sql", fraction=search.sampling_fraction, classes=tables.classes, count=tables.count)


def set_sizes(tables: Tables) -> str:
    """The query of the minimal sets by their size."""
    return templates.stage("uniques/set_sizes.sql", minimal_uniques=tables.minimal_uniques, suda_scores=tables.suda_scores)


def key_shares(key_columns: Sequence[KeyColumn], tables: Tables) -> str:
    """The query of each key's share of all scores."""
    return templates.stage("uniques/key_shares.sql", parts=_parts(key_columns), suda_scores=tables.suda_scores)


def projected(key_column: KeyColumn, chosen: Collection[PackedKey]) -> str:
    """A column of the class key with the digits of the chosen keys alone; empty where it has none of them."""
    runs: list[list[PackedKey]] = []
    for place, part in enumerate(key_column.parts):
        if part not in chosen:
            continue
        if runs and runs[-1][-1] is key_column.parts[place - 1]:
            runs[-1].append(part)
        else:
            runs.append([part])
    return " + ".join(KeyRun(number, tuple(run)).digits for number, run in enumerate(runs))


def _class_key(key_columns: Sequence[KeyColumn]) -> dict[str, object]:
    return {"key_columns": key_columns, "class_key": ", ".join(key_column.name for key_column in key_columns)}


def _parts(key_columns: Sequence[KeyColumn]) -> tuple[PackedKey, ...]:
    return tuple(part for key_column in key_columns for part in key_column.parts)
