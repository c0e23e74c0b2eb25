"""Special uniques (SUDA): the smallest sets of keys that single a person out, found by SQL over a
table of classes.

A minimal unique of a record is a set of keys with two properties. No other record agrees with it on
the whole set. On every smaller part of the set, some other record agrees with it. Smaller sets are
tried first, so a set is minimal if it contains none found before.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby
from math import comb, factorial, gcd, lcm
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import KeyColumn, KeyRun, PackedKey
from sqlrisk.plan.steps import Step, fill

SCORINGS = ("elliot", "ihsn")
FEWEST = 3  # one or two keys are scored as three, as in sdcMicro
FRACTION = 0.01
LEAST_WORK = 10_000  # minimum cost of a statement, in class visits
_WHOLE = 2**63  # whole numbers stay below


@dataclass(frozen=True)
class Search:
    """How special uniques are searched and scored.

    Attributes:
        max_size: the maximum number of keys in a set, None for all. It does not change the weights.
        sampling_fraction: the share of the population that is in the file, 0 to 1.
        scoring: ``elliot`` or ``ihsn``.
        missing: names of keys with missing values, None if unknown. A missing value singles nobody
            out.
    """

    max_size: int | None = None
    sampling_fraction: float = FRACTION
    scoring: str = "elliot"
    missing: Collection[str] | None = None


@dataclass(frozen=True)
class Weights:
    """The ``points`` of a minimal set of 1 key, 2 keys and so on. A point adds ``unit`` to the
    score.
    """

    points: tuple[int, ...]
    unit: Fraction
    whole: bool = True

    @property
    def score(self) -> str:
        """The SQL that turns the column ``points`` into a score, a whole number if possible."""
        times, over = self.unit.numerator, self.unit.denominator
        if over == 1 and self.whole:
            return f"points * {times}"
        scaled = f"CAST(points AS DOUBLE){f' * {float(times)!r}' if times != 1 else ''}"
        return scaled if over == 1 else f"{scaled} / CAST({over} AS DOUBLE)"

    @property
    def number(self) -> str:
        """The SQL type that holds the points."""
        return "BIGINT" if self.whole else "DOUBLE"


def weights(n_keys: int, search: Search) -> Weights:
    """Return the weights of minimal uniques by their number of keys, 1 to the largest searched.

    With n the larger of ``n_keys`` and ``FEWEST``, a set of k keys weighs (n - k)! under ``elliot``
    (Elliot, Manning & Ford 2002). Under ``ihsn`` it weighs (2^(n - k) - 1) / C(n, k) (International
    Household Survey Network, as in sdcMicro).
    """
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
    # No minimal set contains another, so a record has at most as many as one size allows (LYM
    # inequality).
    most = max(comb(n_keys, size) * point for size, point in zip(sizes, points, strict=True))
    return Weights(points, unit, most * max(unit.numerator, 1) < _WHOLE)


def largest(n_keys: int, search: Search) -> int:
    """Return the maximum number of keys in a searched set."""
    return n_keys if search.max_size is None else min(search.max_size, n_keys)


def work(n_keys: int, max_size: int, classes: int) -> int:
    """Count the class visits of a search: every class once for each set of up to ``max_size`` keys.

    A set costs at least ``LEAST_WORK`` (one statement).
    """
    return sum(comb(n_keys, size) for size in range(1, max_size + 1)) * max(classes, LEAST_WORK)


def most_keys(n_keys: int, classes: int, limit: int) -> int:
    """Return the largest size of key sets whose search stays within a limit of work, or 0."""
    return max(
        (size for size in range(1, n_keys + 1) if work(n_keys, size, classes) <= limit), default=0
    )


@dataclass(frozen=True)
class SpecialUniques:
    """The special uniques of a file: the steps that find them, and queries of the results.

    ``classes`` is a table or subquery with the class key and ``count``, the number of the file's
    records in the class. ``suffix`` keeps the tables of several files or keys apart.
    """

    key_columns: Sequence[KeyColumn]
    search: Search = Search()
    classes: str = "classes"
    count: str = "n_orig"
    suffix: str = ""

    @property
    def parts(self) -> tuple[PackedKey, ...]:
        """The keys inside the class key."""
        return tuple(part for key_column in self.key_columns for part in key_column.parts)

    def table(self, name: str) -> str:
        """Return the name of a table (minimal_uniques, suda_scores by class, dis_suda by score or
        special) with the suffix.
        """
        return f"{name}{self.suffix}"

    @property
    def _names(self) -> dict[str, Any]:
        """The names to fill all stages with."""
        class_key = ", ".join(key_column.name for key_column in self.key_columns)
        names = {"key_columns": self.key_columns, "class_key": class_key, "parts": self.parts}
        tables = {name: self.table(name) for name in ("minimal_uniques", "suda_scores", "dis_suda")}
        return {
            **names,
            **tables,
            "classes": self.classes,
            "count": self.count,
            "fraction": self.search.sampling_fraction,
        }

    def score_steps(self) -> Iterator[Step]:
        """Find the minimal sets, smallest first, then ``suda_scores`` by class.

        ``suda_scores`` has the points of each class, its score, and the points of each key.
        """
        names, parts, search = self._names, self.parts, self.search
        for size in range(largest(len(parts), search) + 1):
            for chosen in combinations(parts, size):
                yield fill(
                    f"sets of {size} key{'s' * (size != 1)}",
                    self.table("minimal_uniques"),
                    "uniques/minimal_uniques.sql",
                    **names,
                    chosen=chosen,
                    groups=projected(self.key_columns, chosen),
                    missing=[
                        part
                        for part in chosen
                        if search.missing is None or part.column.name in search.missing
                    ],
                )
        given = weights(len(parts), search)
        points = given.points if given.whole else [float(each) for each in given.points]
        scored = {"weights": points, "score": given.score, "number": given.number}
        yield fill(
            "scores", self.table("suda_scores"), "uniques/suda_scores.sql", **names, **scored
        )

    def special_step(self) -> Step:
        """Make the table ``special``: the class key and score of each special unique, which is a
        unique with a score in the highest tenth. Needs ``suda_scores``.
        """
        return fill(
            "special uniques", self.table("special"), "uniques/special_uniques.sql", **self._names
        )

    def dis_step(self) -> Step:
        """Compute DIS-SUDA by score (formula and source: ``uniques/dis_suda.sql``). Needs
        ``suda_scores``.
        """
        exponent = float(1 + Fraction(8 - max(len(self.parts), FEWEST), 20))
        return fill(
            "scores",
            self.table("dis_suda"),
            "uniques/dis_suda.sql",
            **self._names,
            exponent=exponent,
        )

    def record_scores(self, records: str = "records", *, ordered: bool = True) -> str:
        """Return the query of each record's score, DIS-SUDA and key contributions (shares of the
        score), in file order if ``ordered``. Needs ``suda_scores`` and ``dis_suda``.

        ``records`` is a table with the class key and ``record``, the record's number.
        """
        contributions = {
            part.column.id: templates.quote(contribution(part.column.name)) for part in self.parts
        }
        names = {**self._names, "names": contributions, "records": records, "ordered": ordered}
        return templates.stage("uniques/record_scores.sql", **names)

    def query(self, name: str) -> str:
        """Return a query by its name: ``uniques`` (counts and DIS), ``set_sizes``, or
        ``key_shares``.
        """
        return templates.stage(f"uniques/{name}.sql", **self._names)


def contribution(key: str) -> str:
    """Name the column of a key's contribution."""
    return f"contribution_{key}"


def projected(key_columns: Iterable[KeyColumn], chosen: Collection[PackedKey]) -> list[str]:
    """Return SQL of the class key with only the digits of the chosen keys: an expression for each
    column that holds any of them.
    """
    return [each for each in (_digits(column, chosen) for column in key_columns) if each]


def _digits(key_column: KeyColumn, chosen: Collection[PackedKey]) -> str:
    runs = (
        tuple(run) for taken, run in groupby(key_column.parts, key=chosen.__contains__) if taken
    )
    return " + ".join(KeyRun(number, run).digits for number, run in enumerate(runs))
