"""The rows of an external report that are hidden, so that no small count of people can be seen or worked out.

A count is small when it is 1 or more and below the threshold. Hidden means that numerator, denominator and value are gone from
the row, so that nothing made from the report later can hold them. The rules, applied until none hides anything more:

1. Small. A row is hidden when its numerator, its denominator or their difference is small. A row without a numerator is hidden
   when its value counts people or records and is small.
2. Nested. Where a measure counts some of the people of another (DiSCO of DiS), the difference of the two is a count of people
   too. When it is small, the less important of the two is hidden.
3. Partitions. Rows that add up to a whole (class sizes; better, equally and worse protected) give one hidden row away, and a
   small sum of several. The next smallest rows are hidden until at least two are, and what is hidden is not small together.
4. Populations. Any sums and differences of populations may be small: then only ``all`` is shown. It is so too when one population
   is hidden, and when there are more than ``POPULATIONS``. When ``all`` is hidden, so are they.
5. Syntheses. Mean, min and max are hidden when one that they are taken over is.
6. Parts. A measure that is worked out from others (TCAP of DiSCO and iS) is hidden with any of them. When a rate is hidden, so is
   its denominator, where that is a measure too.
7. Twins. A row with the numerator of a hidden row, of the same people, is hidden: measures that differ in name may count alike.
   Measures that are worked out from others have their numerators, and are hidden by rule 6.
8. Weights. A weighted row is hidden with the row that counts the same people.
9. Control. Differences between original and control are hidden when one of the two is.

What the rules do not do: they hide exact counts, not ranges; somebody who knows that a hidden count is small knows that much.
Where a measure is the difference of two others (Dorig-DiSCO) it counts nobody, and is not small whatever it is.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from sqlrisk.inputs.policy import PLACE
from sqlrisk.report.columns import Row
from sqlrisk.report.wording import label_name, pooled

POPULATIONS = 7  # sums and differences of more are too many to look at
COUNTING = ("people", "synthetic records", "pairs")  # how the unit of a value begins that is a count

# Each counts some of the people of the one before it; the identity measures stand beside every target.
NESTED = (
    ("iS", "DiS", "DiSCO", "DiSDiO"),
    ("iS", "UiOiS", "repU"),
    ("Dorig", "DiSDiO"),
    ("Dorig", "UiO", "UiOiS", "repU"),
    ("perceived_match_risk", "true_match_rate"),
)
IMPORTANCE = ("repU", "DiSCO", "UiO", "Dorig", "iS", "true_match_rate", "UiOiS", "DiS", "DiSDiO", "perceived_match_risk")
PARTITIONS = (
    ("class_size",),
    ("records_by_radius",),
    ("l_distinct_people",),
    ("better_protected", "equally_protected", "worse_protected"),
)
PARTS = {
    "TCAP": ("DiSCO", "iS"),
    "TCAP_disclosive": ("DiSCO", "DiS"),
    "TCAP_scaled": ("TCAP", "DiSCO", "iS", "baseCAPd_counted"),
    "DCAP_matched": ("DCAP", "iS"),
    "DCAP_scaled": ("DCAP", "baseCAPd_counted"),
    "CAP_at_least": ("DCAP", "DiSCO"),
    "mean_denom": ("DiSCO",),
    "max_denom": ("DiSCO",),
    "mean_denom_syn": ("DiSCO",),
    "max_denom_syn": ("DiSCO",),
    "repU_syn": ("repU",),
    "UiO-repU": ("UiO", "repU"),
    "Dorig-DiSCO": ("Dorig", "DiSCO"),
    "CAPd-DCAP": ("CAPd", "DCAP"),
    "R_known_DiSCO": ("DiSCO",),
    "R_known_DCAP": ("DCAP",),
    "false_match_rate": ("true_match_rate", "perceived_match_risk"),
    "CAP_within_matched": ("CAP_within",),
}
RATES = {"TCAP": "iS", "TCAP_disclosive": "DiS", "DCAP_matched": "iS"}  # the measure that each is a part of
TWO_SIDES = ("original", "control")  # between whom there are differences
NO_COUNTS = ("percentage points", "percent of the way")  # how the unit of a numerator begins that counts nobody


Rule = Callable[["_Rows", set[int]], Iterable[int]]


def hidden_rows(rows: Sequence[Row], threshold: int) -> set[int]:
    """Return the places of the result rows that the rules hide."""
    known = _Rows(rows, threshold)
    hidden = {place for place, row in enumerate(rows) if _is_small(row, threshold)}
    while more := {place for rule in RULES for place in rule(known, hidden)} - hidden:
        hidden |= more
    return hidden


def is_small_count(number: float, threshold: int) -> bool:
    """Return whether a count of people, or a difference of counts, is small."""
    return 0 < abs(number) < threshold


def subject_of(row: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return what a row is of; a field that it lacks is None."""
    return tuple(map(row.get, PLACE))


class _Rows:
    """The rows, and which of them differ in nothing but some fields."""

    def __init__(self, rows: Sequence[Row], threshold: int) -> None:
        self.rows = [{**row, "name": label_name(str(row["synthesis"]))} for row in rows]
        self.threshold = threshold
        self._groups: dict[tuple[str, ...], dict[Any, list[int]]] = {}

    def __getitem__(self, place: int) -> Row:
        return self.rows[place]

    def alike(self, *but: str) -> dict[Any, list[int]]:
        """Group the places of rows that are of the same but for some fields; the key holds the other fields."""
        if but not in self._groups:
            groups = self._groups[but] = defaultdict(list)
            for place, row in enumerate(self.rows):
                groups[tuple(row[field] for field in (*PLACE, "name") if field not in but)].append(place)
        return self._groups[but]

    def beside(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the places of the rows of a target, then these and those that stand beside every target."""
        groups = self.alike("measure", "at")
        for (target, *rest), places in groups.items():
            yield places, [*places, *(groups.get((None, *rest), []) if target is not None else [])]


def _nested(rows: _Rows, hidden: set[int]) -> Iterator[int]:
    for _, beside in rows.beside():
        found = {rows[place]["measure"]: place for place in beside if rows[place]["at"] is None}
        for chain in NESTED:
            for one, other in combinations([name for name in chain if name in found], 2):
                counts = [rows[found[name]]["numerator"] for name in (one, other)]
                shown = hidden.isdisjoint((found[one], found[other])) and None not in counts
                if shown and is_small_count(counts[0] - counts[1], rows.threshold):
                    yield found[max(one, other, key=IMPORTANCE.index)]


def _partitions(rows: _Rows, hidden: set[int]) -> Iterator[int]:
    for places, _ in rows.beside():
        for names in PARTITIONS:
            own = [place for place in places if rows[place]["measure"] in names]
            lost, rest = [place for place in own if place in hidden], [place for place in own if place not in hidden]
            together = sum(rows[place]["numerator"] or 0 for place in lost)
            if lost and rest and (len(lost) == 1 or is_small_count(together, rows.threshold)):
                # A row of nobody would hide nothing.
                yield min(rest, key=lambda place: (not rows[place]["numerator"], rows[place]["numerator"] or 0))


def _populations(rows: _Rows, hidden: set[int]) -> Iterator[int]:
    for places in rows.alike("population").values():
        parts = [place for place in places if rows[place]["population"] != "all"]
        if parts and (len(parts) > POPULATIONS or not hidden.isdisjoint(places) or _small_sums(rows, places)):
            yield from parts


def _small_sums(rows: _Rows, places: Sequence[int]) -> bool:
    """Return whether some sum or difference of the rows' numerators, denominators, or their differences, is small."""
    counts = [(rows[place]["numerator"], rows[place]["denominator"]) for place in places]
    whole = [(n, d) for n, d in counts if isinstance(n, int | float) and isinstance(d, int | float)]
    for signs in product((-1, 0, 1), repeat=len(whole)):
        n, d = (sum(sign * count[side] for sign, count in zip(signs, whole, strict=True)) for side in (0, 1))
        if any(is_small_count(number, rows.threshold) for number in (n, d, d - n)):
            return True
    return False


def _parts(rows: _Rows, hidden: set[int]) -> Iterator[int]:
    for places, beside in rows.beside():
        lost = {rows[place]["measure"] for place in beside if place in hidden and rows[place]["at"] is None}
        wholes = {whole for rate, whole in RATES.items() if rate in lost and not lost.intersection(PARTS[rate])}
        measures = {measure for measure, parts in PARTS.items() if lost.intersection(parts)} | wholes
        yield from (place for place in places if rows[place]["measure"] in measures)


def _twins(rows: _Rows, hidden: set[int]) -> Iterator[int]:
    for places in rows.alike("measure", "at", "target", "synthesis", "name").values():
        lost = {rows[place]["numerator"] for place in places if place in hidden and rows[place]["measure"] not in PARTS}
        counts = lost - {None, 0}
        alike = (place for place in places if rows[place]["numerator"] in counts)
        yield from (place for place in alike if rows[place]["numerator"] != rows[place]["denominator"])


def _spread(but: str, of: Callable[[Row], bool], to: Callable[[Row], bool]) -> Rule:
    """Return a rule by which rows ``to`` are hidden with any of the rows ``of`` that they differ from in one field alone."""

    def rule(rows: _Rows, hidden: set[int]) -> Iterator[int]:
        for places in rows.alike(but).values():
            if any(place in hidden and of(rows[place]) for place in places):
                yield from (place for place in places if to(rows[place]))

    return rule


def _is_one_synthesis(row: Row) -> bool:
    label = str(row["synthesis"])
    return label.rsplit(" ", maxsplit=1)[-1].isdecimal() and not pooled(label)


RULES: tuple[Rule, ...] = (
    _nested,
    _partitions,
    _populations,
    _spread("synthesis", _is_one_synthesis, lambda row: str(row["synthesis"]).split(" ")[-1] in ("mean", "min", "max")),
    _parts,
    _twins,
    _spread("weighted", lambda _: True, lambda _: True),
    _spread("people", lambda row: row["people"] in TWO_SIDES, lambda row: row["people"] not in TWO_SIDES),
)


def _is_small(row: Row, threshold: int) -> bool:
    numerator, denominator, value = row["numerator"], row["denominator"], row["value"]
    if not isinstance(numerator, int | float) or not isinstance(denominator, int | float):
        return isinstance(value, int | float) and str(row["unit"]).startswith(COUNTING) and is_small_count(value, threshold)
    if str(row["unit"]).startswith(NO_COUNTS):
        return False
    return any(is_small_count(number, threshold) for number in (numerator, denominator, denominator - numerator))
