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
NO_COUNTS = ("percentage points", "percent of the way")  # how the unit of a numerator begins that counts nobody


def hidden_rows(rows: Sequence[Row], threshold: int) -> set[int]:
    """Return the places of the result rows that the rules hide."""
    scopes = _Scopes(rows, threshold)
    hidden = {place for place, row in enumerate(rows) if _is_small(row, threshold)}
    while True:
        more = {place for rule in RULES for place in rule(scopes, hidden)} - hidden
        if not more:
            return hidden
        hidden |= more


class _Scopes:
    """The rows by what they have in common."""

    def __init__(self, rows: Sequence[Row], threshold: int) -> None:
        self.rows = rows
        self.threshold = threshold
        self.all_of = _grouped(rows, lambda row: (row["people"], row["population"], row["weighted"]))
        self.beside = _grouped(
            rows, lambda row: (row["target"], row["synthesis"], row["people"], row["population"], row["weighted"])
        )
        self.populations = _grouped(rows, lambda row: (*_line(row), row["synthesis"]))
        self.syntheses = _grouped(rows, lambda row: (*_line(row), row["population"], label_name(str(row["synthesis"]))))
        self.by_weight = _grouped(rows, lambda row: (*subject_of(row)[:6],))

    def small(self, number: float) -> bool:
        """Whether a count, or a difference of counts, is small."""
        return is_small_count(number, self.threshold)


def _nested(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for (target, *rest), places in scopes.beside.items():
        beside = [*places, *(scopes.beside.get((None, *rest), []) if target is not None else [])]
        found = {scopes.rows[place]["measure"]: place for place in beside if scopes.rows[place]["at"] is None}
        for chain in NESTED:
            for one, other in combinations([name for name in chain if name in found], 2):
                places_of = (found[one], found[other])
                if hidden.isdisjoint(places_of) and scopes.small(_difference(scopes, *places_of)):
                    yield found[max(one, other, key=IMPORTANCE.index)]


def _partitions(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for places in scopes.beside.values():
        for names in PARTITIONS:
            own = [place for place in places if scopes.rows[place]["measure"] in names]
            lost = [place for place in own if place in hidden]
            if not lost or len(own) == len(lost):
                continue
            together = sum(scopes.rows[place]["numerator"] or 0 for place in lost)
            if len(lost) == 1 or scopes.small(together):
                rest = [place for place in own if place not in hidden]
                # A row of nobody would hide nothing.
                yield min(rest, key=lambda place: (not scopes.rows[place]["numerator"], scopes.rows[place]["numerator"] or 0))


def _populations(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for places in scopes.populations.values():
        parts = [place for place in places if scopes.rows[place]["population"] != "all"]
        if parts and (len(parts) > POPULATIONS or not hidden.isdisjoint(places) or _small_sums(scopes, places)):
            yield from parts


def _small_sums(scopes: _Scopes, places: Sequence[int]) -> bool:
    """Whether some sum or difference of the rows' numerators, denominators, or their differences, is small."""
    counts = [(row["numerator"], row["denominator"]) for row in (scopes.rows[place] for place in places)]
    whole = [(n, d) for n, d in counts if isinstance(n, int | float) and isinstance(d, int | float)]
    for signs in product((-1, 0, 1), repeat=len(whole)):
        sums = [sum(sign * count[side] for sign, count in zip(signs, whole, strict=True)) for side in (0, 1)]
        if any(map(scopes.small, (*sums, sums[1] - sums[0]))):
            return True
    return False


def _summaries(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for places in scopes.syntheses.values():
        words = {place: str(scopes.rows[place]["synthesis"]) for place in places}
        members = [place for place, label in words.items() if label.split(" ")[-1].isdecimal() and not pooled(label)]
        if not hidden.isdisjoint(members):
            yield from (place for place, label in words.items() if label.split(" ")[-1] in ("mean", "min", "max"))


def _parts(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for (target, *rest), places in scopes.beside.items():
        beside = [*places, *(scopes.beside.get((None, *rest), []) if target is not None else [])]
        lost = {scopes.rows[place]["measure"] for place in beside if place in hidden and scopes.rows[place]["at"] is None}
        yield from (place for place in places if lost.intersection(PARTS.get(scopes.rows[place]["measure"], ())))
        wholes = {whole for rate, whole in RATES.items() if rate in lost and not lost.intersection(PARTS[rate])}
        yield from (place for place in places if scopes.rows[place]["measure"] in wholes)


def _twins(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for places in scopes.all_of.values():
        lost = {
            scopes.rows[place]["numerator"] for place in places if place in hidden and scopes.rows[place]["measure"] not in PARTS
        }
        lost -= {None, 0}
        for place in places:
            row = scopes.rows[place]
            if row["numerator"] in lost and row["numerator"] != row["denominator"]:
                yield place


def _weights(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    for places in scopes.by_weight.values():
        if not hidden.isdisjoint(places):
            yield from places


def _control(scopes: _Scopes, hidden: set[int]) -> Iterator[int]:
    by_line = _grouped(scopes.rows, lambda row: (*subject_of(row)[:5], row["weighted"]))
    for places in by_line.values():
        people = {scopes.rows[place]["people"] for place in places if place in hidden}
        if people & {"original", "control"}:
            yield from (place for place in places if scopes.rows[place]["people"] not in ("original", "control"))


RULES: tuple[Callable[[_Scopes, set[int]], Iterable[int]], ...] = (
    _nested, _partitions, _populations, _summaries, _parts, _twins, _weights, _control,
)  # fmt: skip


def _is_small(row: Row, threshold: int) -> bool:
    numerator, denominator, value = row["numerator"], row["denominator"], row["value"]
    if not isinstance(numerator, int | float) or not isinstance(denominator, int | float):
        return isinstance(value, int | float) and str(row["unit"]).startswith(COUNTING) and is_small_count(value, threshold)
    if str(row["unit"]).startswith(NO_COUNTS):
        return False
    return any(is_small_count(number, threshold) for number in (numerator, denominator, denominator - numerator))


def is_small_count(number: float, threshold: int) -> bool:
    """Whether a count of people is small."""
    return 0 < abs(number) < threshold


def _difference(scopes: _Scopes, one: int, other: int) -> float:
    counts = [scopes.rows[place]["numerator"] for place in (one, other)]
    return counts[0] - counts[1] if None not in counts else 0


def _line(row: Row) -> tuple[Hashable, ...]:
    return (row["measure"], row["at"], row["target"], row["people"], row["weighted"])


def subject_of(row: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return what a row is of; a field that it lacks is None."""
    return tuple(map(row.get, PLACE))


def _grouped(rows: Sequence[Row], by: Callable[[Row], Hashable]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        groups[by(row)].append(place)
    return dict(groups)
