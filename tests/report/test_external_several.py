"""External reports of several scenarios: one audit over all, against every small world of two sets
of keys of which one is in the other.
"""

import itertools
import json
import random
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from quickly import few

import sqlrisk
from sqlrisk.report.external.definitions import MANY
from sqlrisk.report.external.key_sets import KeysAndTarget, may_be, ties
from sqlrisk.report.external.release import external_of_all
from tests.cli.test_cli import sqlrisk as command
from tests.report.test_external import MEASURES, of_class
from tests.report.test_report import report, row

# ---- a slow attack: every small world
# --------------------------------------------------------------------------------------

PEOPLE, LEAST = 11, 3
# figures of each chapter, as places in what a class adds
ASKED = ("UiO", "iS")
PLACES = [MEASURES.index(name) for name in ASKED]
RECORDS = [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)]
SCENARIOS = {
    "few": {"keys": ["a"], "targets": ["t"]},
    "many": {"keys": ["a", "b"], "targets": ["t"]},
}


def added(people, records, first):
    """What a class adds to the figures of a chapter, as digits of a number."""
    told = of_class(people, records)
    return sum(told[place] * (PEOPLE + 1) ** (first + digit) for digit, place in enumerate(PLACES))


def sums(one, other):
    return np.unique(np.add.outer(one, other))


@pytest.fixture(scope="module")
def worlds():
    """The figures of both chapters in every file of eleven people, two levels, any number of
    classes by the first key, each in any number of classes by both, with any synthetic file.
    """
    # people and records of a class by the first key -> what its classes by both keys add
    parts = [defaultdict(list) for _ in range(PEOPLE + 1)]
    parts[0][(0, 0), (0, 0)] = [np.zeros(1, dtype=np.int64)]
    single = [
        (people, records, added(people, records, len(ASKED)))
        for size in range(1, PEOPLE + 1)
        for people in ((first, size - first) for first in range(size + 1))
        for records in RECORDS
    ]
    for size in range(PEOPLE + 1):
        parts[size] = {about: np.unique(np.concatenate(own)) for about, own in parts[size].items()}
        for ((people, found), before), (more, records, adds) in itertools.product(
            parts[size].items(), single
        ):
            if (after := size + sum(more)) <= PEOPLE:
                # two records are as good as more
                both = tuple(min(sum(each), 2) for each in zip(found, records, strict=True))
                parts[after][tuple(map(sum, zip(people, more, strict=True))), both].append(
                    before + adds
                )
    classes = []
    for own in parts:
        reached = [np.zeros(0, dtype=np.int64)]
        # records that nobody has by both keys
        for ((people, found), inside), more in itertools.product(own.items(), [(0, 0), *RECORDS]):
            records = tuple(min(sum(each), 2) for each in zip(found, more, strict=True))
            reached.append(inside + added(people, records, 0))
        classes.append(np.unique(np.concatenate(reached)))
    reached = [np.zeros(1, dtype=np.int64), *(np.zeros(0, dtype=np.int64) for _ in range(PEOPLE))]
    for people in range(1, PEOPLE + 1):
        reached[people] = np.unique(
            np.concatenate(
                [sums(classes[size], reached[people - size]) for size in range(1, people + 1)]
            )
        )
    digits = [reached[PEOPLE] // (PEOPLE + 1) ** place for place in range(2 * len(ASKED))]
    return np.array(digits).T % (PEOPLE + 1)


@pytest.fixture(scope="module")
def counts(worlds):
    """Each figure, and each sum and difference of two of them and of everybody, that is a number of
    people in every world.
    """
    found = []
    for size, whole in itertools.product((1, 2), (0, 1)):
        for places in itertools.combinations(range(worlds.shape[1]), size):
            for signs in itertools.product((1, -1), repeat=size):
                values = whole * PEOPLE + worlds[:, places] @ np.array(signs)
                if values.min() == 0 and values.max() <= PEOPLE:
                    found.append((places, signs, whole, values))
    return found


def chapters(truth):
    numbers = np.split(truth, 2)
    return {
        name: report(
            [
                row(
                    measure,
                    1.0,
                    int(count),
                    PEOPLE,
                    target=None if measure == "UiO" else "t",
                )
                for measure, count in zip(ASKED, own, strict=True)
            ],
            original={"source": "o", "records": PEOPLE},
            synthetic=[{"source": "s", "synthesis": "1"}],
            scenario=scenario,
        )
        for (name, scenario), own in zip(SCENARIOS.items(), numbers, strict=True)
    }


def known(worlds, told):
    """The worlds in which all figures can be as they are told."""
    agree = np.ones(len(worlds), dtype=bool)
    rows = [each for chapter in told.values() for each in chapter.results]
    for place, each in enumerate(rows):
        if each["numerator"] is not None:
            agree &= worlds[:, place] >= each["numerator_low"]
            agree &= worlds[:, place] <= each["numerator_high"]
    return agree


def given_away(counts, agree):
    """The counts that a reader of these worlds narrows to fewer numbers than the threshold."""
    return [
        (places, signs, whole)
        for places, signs, whole, values in counts
        if values[agree].min() < LEAST and np.ptp(values[agree]) < LEAST
    ]


def near(worlds):
    """The worlds in which a figure of both chapters is rounded to one and the same number."""
    few, many = np.split((worlds >= 5) & (worlds <= 7), 2, axis=1)
    return worlds[(few & many).any(axis=1)]


@pytest.mark.parametrize("releases", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_no_figures_of_two_chapters_give_a_small_count_away(worlds, counts, releases):
    """Two reports proven each by itself do."""
    assert len(counts) > 10
    chosen, alone = random.Random(releases), 0  # noqa: S311 - nobody guards a secret with it
    for number in range(releases):
        drawn = worlds if number % 3 == 2 else near(worlds)
        truth = drawn[chosen.randrange(len(drawn))]
        made = chapters(truth)
        together = external_of_all(made, LEAST)
        agree = known(worlds, together)
        assert (worlds[agree] == truth).all(axis=1).any()
        assert together["few"].rounding["fractions"] == 0
        assert not given_away(counts, agree), truth
        each = {name: chapter.external(LEAST) for name, chapter in made.items()}
        alone += bool(given_away(counts, known(worlds, each)))
    assert alone


def file(alone, more, size=120):
    """People of whom so many have a town of their own, and so many more an age of their own."""
    rest = size - alone - more
    return pa.table(
        {
            "town": [*map(str, range(alone)), *["a"] * (more + rest)],
            "age": [*["0"] * alone, *map(str, range(1, more + 1)), *["0"] * rest],
            "ill": ["y", "n"] * (size // 2),
            "weight": [1.0, 2.0, 3.0, 4.0] * (size // 4),
        }
    )


def more_found(told, people):
    """The least and the most people whom both keys find and the first alone does not."""
    few, many = (
        next(row for row in told[name] if row["measure"] == "UiO" and row["people"] == people)
        for name in ("few", "many")
    )
    least = max(0, many["numerator_low"] - few["numerator_high"])
    return least, many["numerator_high"] - few["numerator_low"]


@pytest.mark.parametrize(
    ("settings", "who"),
    few(
        [
            ({}, "original"),
            ({"weights": "weight"}, "original"),
            ({"control": file(9, 2)}, "original"),
            ({"control": file(9, 2)}, "control"),
        ],
        4,
    ),
    ids=["alone", "weights", "beside control", "control"],
)
def test_people_found_by_more_keys_do_not_follow_from_both_chapters(settings, who, tmp_path):
    """9 people are alone in their town, and 11 with their age: both would be told as 8 to 12, so
    fewer than five are found by their age.
    """
    (tmp_path / "two.toml").write_text(
        """targets = ["ill"]
measures = ["UiO", "DiSCO"]
[scenario.few]
keys = ["town"]
[scenario.many]
keys = ["town", "age"]
"""
    )
    made = sqlrisk.score_all(tmp_path / "two.toml", file(9, 2), file(12, 20), **settings)
    told = made.external(5)
    apart = {name: each.external(5).results for name, each in made.items()}
    least, most = more_found(apart, who)
    assert most - least < 5
    least, most = more_found({name: each.results for name, each in told.items()}, who)
    assert least <= 2 <= most
    assert most - least >= 5
    shown = 0
    for name, chapter in told.items():
        for each, own in zip(chapter.results, made[name].results, strict=True):
            for side in ("numerator", "denominator"):
                if each[side] is not None and own[side] is not None:
                    shown += each["weighted"] if "weights" in settings else each["people"] == who
                    assert each[f"{side}_low"] <= own[side] <= each[f"{side}_high"]
    assert shown >= 6


# ---- what a state by one set of keys leaves possible by another
# -------------------------------------------------------------------------------------


def seen(code, *, size=MANY, pure=False, counted=1):
    return size, pure, "right" if pure else "X", counted, code


def compared(keys, target="t"):
    return KeysAndTarget(frozenset(keys), target)


def test_what_is_seen_by_fewer_keys_limits_what_is_seen_by_more():
    codes = ("N", "R1", "R", "W1", "W", "O", "X")
    found = {
        few: "".join(
            f"{many} "
            for many in codes
            if may_be(compared("a"), compared("ab"), seen(few), seen(many))
        ).split()
        for few in codes
    }
    assert found == {
        "N": ["N"],
        "R1": ["N", "R1"],
        "R": ["N", "R1", "R"],
        "W1": ["N", "W1"],
        "W": ["N", "W1", "W"],
        "O": ["N", "W1", "W", "O"],
        "X": [*codes],
    }


def test_classes_and_cells_do_not_grow_with_more_keys():
    few, many, apart = compared("a"), compared("ab"), compared("c")
    alone, two, mixed = (seen("N", size=size, pure=size < 3) for size in (1, 2, MANY))
    assert may_be(few, many, two, alone)
    assert not may_be(few, many, alone, two)
    assert not may_be(many, few, two, alone)
    assert not may_be(few, many, two, mixed)  # all have one level
    assert may_be(few, many, mixed, two)
    assert may_be(few, apart, alone, mixed)
    assert not may_be(few, many, seen("N", counted=0), mixed)
    assert may_be(few, compared("ab", "u"), seen("N", counted=0), mixed)


def test_a_target_that_is_a_key_elsewhere_is_tied():
    """Records with the keys and the level are those with all keys of the other."""
    few, many = compared("a", "t"), compared("at", "u")
    wrong, right = seen("W"), seen("R1")
    assert not may_be(few, many, wrong, seen("X"))
    assert may_be(few, many, wrong, seen("N"))
    assert may_be(few, many, right, seen("W1"))
    assert not may_be(few, many, right, seen("O"))


def test_comparisons_are_tied_where_that_tells_more():
    few = [compared("a", "t"), compared("a", "u")]
    many = [compared("ab", "t"), compared("ab", "v")]
    assert [*ties([*few, *many])] == [(few[0], many[0])]
    assert [*ties([few[1], many[1]])] == [(few[1], many[1])]  # of the keys alone
    assert [*ties([*few, compared("c", "t")])] == []
    assert [*ties([*few, compared("at", "u")])] == [
        (few[1], compared("at", "u")),
        (few[0], compared("at", "u")),
    ]


# ---- what is refused, and what is told
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("few", "many", "message"),
    [
        ({"bins": {"a": 3}}, {}, "Scenarios 'few' and 'many' recode 'a' differently"),
        ({"column": {"t": {"top": 9}}}, {}, "recode 't' differently"),
        ({"exclude_level": {"t": ["x"]}}, {}, "exclude different people"),
        ({"max_cell": 5}, {"max_cell": 5}, r"'few' excludes people by its keys \(max_cell\)"),
        ({"exclude_missing": ["a"]}, {}, "exclude_missing of a key"),
        ({"column": {"t": {"label": "T"}}}, {"bins": {"b": 3}}, ""),
    ],
)
def test_what_no_audit_covers_is_refused(few, many, message):
    made = chapters(np.array([5, 7, 7, 0]))
    reports = sqlrisk.Reports(
        {
            name: replace(made[name], scenario={**made[name].scenario, **more})
            for name, more in (("few", few), ("many", many))
        }
    )
    if not message:
        assert reports.external(LEAST).rounding["scenarios"] == 2
        return
    with pytest.raises(sqlrisk.InputError, match=message):
        reports.external(LEAST)


def test_reports_of_different_files_are_refused():
    made = chapters(np.array([5, 7, 7, 0]))
    other = replace(made["many"], original={"source": "other", "records": PEOPLE})
    with pytest.raises(sqlrisk.InputError, match="not about the same files"):
        sqlrisk.Reports({**made, "many": other}).external(LEAST)


def test_a_name_and_a_text_have_no_level_that_was_typed_for_another():
    made = chapters(np.array([5, 7, 7, 0]))
    typed = {"exclude_level": {"t": ["Xanadu"]}}
    names = {
        f"{name} of Xanadu": replace(
            each, scenario={**each.scenario, **typed, "justification": "Xanadu knows"}
        )
        for name, each in made.items()
    }
    told = sqlrisk.Reports(names).external(LEAST)
    assert [*told] == ["few of (a level)", "many of (a level)"]
    assert "Xanadu" not in told.to_json() + told.to_text() + told.to_markdown()
    assert "the counts of all 2 intruders" in " ".join(told.to_text().split())
    assert told.shared
    alike = dict(zip(("Xanadu", "xanadu"), names.values(), strict=True))
    assert [*sqlrisk.Reports(alike).external(LEAST)] == ["(a level) 1", "(a level) 2"]


SECRET = "QxSecret"
INTRUDERS = """targets = ["ill"]
exclude_level = { ill = "QxSecret" }
measures = ["UiO", "repU", "Dorig", "DiSCO", "DCAP"]
[scenario.neighbour]
keys = ["town"]
[scenario.employer]
keys = ["town", "age"]
"""
POLICY = """name = "Board"
about = "not of QxSecret"
[[rule]]
rule = "DiSCO <= 90"
reason = "so"
"""


def test_two_intruders_are_one_external_report_to_sign(tmp_path):
    draw = random.Random(5)  # noqa: S311 - nobody guards a secret with it
    for name in ("o", "s"):
        people = [
            f"{draw.choice('abcdef')},{draw.randrange(8)},{draw.choice(['y', 'n', SECRET])}"
            for _ in range(121)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["town,age,ill", *people, ""]))
    (tmp_path / "two.toml").write_text(INTRUDERS)
    (tmp_path / "policy.toml").write_text(POLICY)
    files = [str(tmp_path / f"{name}.csv") for name in ("o", "s")]
    inside = sqlrisk.score_all(str(tmp_path / "two.toml"), *files)
    code, _, err = command(
        *("score", "o.csv", "s.csv", "--scenario", "two.toml", "--policy", "policy.toml"),
        *("--report", "external", "--threshold", "5", "-o", "x.html", "-o", "x.json"),
        folder=tmp_path,
    )
    assert code == 0, err
    shared = ["x.html", "x.json", "x.json.external-manifest.json"]
    assert {*shared, "x.json.manifest.json"} <= {path.name for path in tmp_path.iterdir()}
    texts = [(tmp_path / name).read_text() for name in shared]
    assert not any(SECRET in text for text in texts)
    assert SECRET in (tmp_path / "x.json.manifest.json").read_text()
    told, manifest = (json.loads(text) for text in texts[1:])
    assert told["rounding"]["scenarios"] == 2
    assert [each["name"] for each in manifest["scenarios"]] == ["neighbour", "employer"]
    rows = 0
    for chapter, exact in zip(told["scenarios"], inside.values(), strict=True):
        for each, own in zip(chapter["results"], exact.results, strict=True):
            for side in ("numerator", "denominator"):
                if each[side] is not None:
                    rows += 1
                    assert each[side] % 5 == 0
                    assert each[f"{side}_low"] <= own[side] <= each[f"{side}_high"]
    assert rows > 8
    with pytest.raises(sqlrisk.InputError, match="is an external report: its numbers are rounded"):
        sqlrisk.check(str(tmp_path / "x.json"), str(tmp_path / "policy.toml"))
    signed = sqlrisk.sign(tmp_path / "x.json", "approve", by="B").signatures[0]["files"]
    assert {each["name"] for each in signed} == {*shared}
    assert not sqlrisk.signatures(tmp_path / "x.json").changed
    assert told["policy"]["verdict"] == "review"
