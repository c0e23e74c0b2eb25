"""An external report: every figure rounded, and no small count that can be worked out, by attacks that know the definitions."""

import itertools
import random
from collections import defaultdict

import numpy as np
import pytest

from sqlrisk.report.external.grid import band
from tests.report.test_report import report, row

# ---- the grid --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [2, 3, 5, 10])
@pytest.mark.parametrize("whole", [0, 1, 9, 10, 14, 25, 29, 30, 31, 77])
def test_every_number_is_in_one_band_and_no_band_holds_fewer_numbers_than_the_step(step, whole):
    bands = {band(number, step, whole) for number in range(whole + 1)}
    assert sorted(number for each in bands for number in range(int(each.low), int(each.high) + 1)) == [*range(whole + 1)]
    assert all(each.high - each.low + 1 >= min(step, whole + 1) and each.shown % step == 0 for each in bands)


def test_a_count_is_rounded_to_the_nearest_multiple_and_the_ends_are_open():
    assert [(each.low, each.high, each.shown) for each in (band(number, 10, 203) for number in (0, 14, 15, 24, 25, 190, 203))] == [
        (0, 14, 10), (0, 14, 10), (15, 24, 20), (15, 24, 20), (25, 34, 30), (185, 203, 190), (185, 203, 190),
    ]  # fmt: skip
    assert band(0, 10, 203).open_low
    assert band(203, 10, 203).open_high


# ---- a slow attack: every small world --------------------------------------------------------------------------------------

PEOPLE = 10
MEASURES = ("UiO", "UiOiS", "repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO")


def of_class(people, records):
    """What a class of two levels adds to the measures, in words of the papers rather than of the program's SQL."""
    size, found = sum(people), sum(records)
    certain = found > 0 and max(records) == found
    right = people[records.index(found)] if certain else 0
    return (
        int(size == 1), int(size == 1 and found > 0), int(size == 1 and found == 1), size if max(people) == size else 0,
        size if found else 0, size if certain else 0, right, right if right == size else 0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def worlds():
    """The counts of every original of ten people, two levels and any number of classes, with any synthetic file."""
    kinds = defaultdict(set)
    for size in range(1, PEOPLE + 1):
        for first, records in itertools.product(range(size + 1), [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)]):
            kinds[size].add(of_class((first, size - first), records))
    reached = [{(0,) * len(MEASURES)}, *(set() for _ in range(PEOPLE))]
    for people in range(1, PEOPLE + 1):
        for size in range(1, people + 1):
            for added, before in itertools.product(kinds[size], reached[people - size]):
                reached[people].add(tuple(map(sum, zip(before, added, strict=True))))
    return np.array(sorted(reached[PEOPLE]))


def test_no_pair_or_triple_of_figures_gives_a_small_count_away(worlds):
    """Random releases: of all worlds that agree with what is published, every count has as many values as the threshold."""
    everybody = np.full(len(worlds), PEOPLE)
    counts = []
    for size, whole in itertools.product((1, 2, 3), (0, 1)):
        for places in itertools.combinations(range(len(MEASURES)), size):
            for signs in itertools.product((1, -1), repeat=size):
                values = whole * everybody + sum(sign * worlds[:, place] for place, sign in zip(places, signs, strict=True))
                if (values.min() == 0 and values.max() == PEOPLE) or (
                    values.min() == 0 and (values <= PEOPLE).all() and size == 1
                ):
                    counts.append((places, signs, whole, values))
    assert len(counts) > 30
    chosen = random.Random(5)  # noqa: S311
    for threshold, _ in itertools.product((3, 4), range(150)):
        truth = worlds[chosen.randrange(len(worlds))]
        rows = [
            row(name, 10.0 * count, int(count), PEOPLE, target=None if "U" in name else "income")
            for name, count in zip(MEASURES, truth, strict=True)
        ]
        told = report(rows, original={"source": "o", "records": PEOPLE, "classes": 6}, scenario={"targets": ["income"]}).external(
            threshold
        )
        agree = np.ones(len(worlds), dtype=bool)
        for place, each in enumerate(told.results):
            if each["numerator"] is not None:
                agree &= (worlds[:, place] >= each["numerator_low"]) & (worlds[:, place] <= each["numerator_high"])
        assert (worlds[agree] == truth).all(axis=1).any()
        for places, signs, whole, values in counts:
            believed = {*values[agree].tolist()}
            if not (min(believed) >= threshold or max(believed) - min(believed) + 1 >= threshold):
                print(
                    truth.tolist(),
                    threshold,
                    [MEASURES[p] for p in places],
                    signs,
                    whole,
                    sorted(believed),
                    [(each["numerator_low"], each["numerator_high"]) for each in told.results],
                    told.rounding,
                )
