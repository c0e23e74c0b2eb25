"""Who was in the synthesis, by a score: every pair and threshold one by one, and the reference
values.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from curves import Curve, precision, wilson
from oracle import ABSENT, ORACLE, reference_values
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.statistics.epsilon import lower_bound
from sqlrisk.catalogue.measures import catalog
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.settings import RATIOS
from sqlrisk.plan.membership import RATES
from tests.analyses.scores.test_populations import KEYS, POPULATIONS, file, rows_of

SYNTHETIC = [file(2, 60), file(3, 200)]
LABELS = {"1": [0], "2": [1], "pooled 1-2": [0, 1]}
BASES = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))
NEAR: dict[str, Any] = {"rel": 1e-9, "abs": 1e-9}


def percent(share: Fraction | float | None) -> Any:
    """What a report says of a share."""
    return None if share is None else pytest.approx(100 * float(share), **NEAR)


# the word of the reference values -> the score
SCORES = {
    "share": "share",
    "ratio_0over0_is_0": "ratio, 0/0 is 0",
    "ratio_0over0_is_1": "ratio, 0/0 is 1",
    "ratio_plus_one": "ratio plus one",
    "share_same_people_as_ratio": "share, same people",
}


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", few(reference_values("membership"), 6))
def test_the_reference_values_are_met(case: dict[str, Any]) -> None:
    scenario = case["scenario"]
    folder = ORACLE / scenario["data"]
    report = sqlrisk.score(
        folder / "original.parquet", folder / f"{scenario['synthesis']}.parquet",
        control=folder / "control.parquet",
        keys=scenario["keys"], measures=["membership"], membership_ratio=True,
    )  # fmt: skip
    values = {
        (row["measure"], row["at"]): row["value"] for row in report.results if row["target"] is None
    }
    ratios = {(row["measure"], row["at"], row["target"]): row["value"] for row in report.results}
    parts = {row["score"]: row for row in report.membership if row["columns"] == "keys"}
    assert {*parts} == {*SCORES.values()}
    for word, expected in case["expected"].items():
        found = parts[SCORES[word]]
        assert found["auc"] == pytest.approx(expected["auc"], **NEAR)
        above = max(point["true_positives"] - point["false_positives"] for point in found["curve"])
        assert above == percent(expected["advantage"])
        assert found["scores"] == expected["distinct_scores"]
        if word != "share":
            assert ratios["membership_ratio_AUC", None, SCORES[word]] == pytest.approx(
                expected["auc"], **NEAR
            )
            assert ratios["membership_ratio_advantage", None, SCORES[word]] == percent(
                expected["advantage"]
            )
            for rate in expected["tpr"]:
                for measure, field in (("TPR", "step"), ("FPR", "step_fpr")):
                    told = ratios[f"membership_ratio_{measure}", 100 * rate["at_fpr"], SCORES[word]]
                    assert told == percent(rate[field])
        for rate in expected["tpr"]:
            own = next(each for each in found["rates"] if each["at"] == 100 * rate["at_fpr"])
            assert own["true_positives"] == percent(rate["step"])
            assert own["false_positives"] == percent(rate["step_fpr"])
            assert own["interpolated"] == percent(rate["interpolated"])
            for base in rate["precision"]:
                told = next(
                    each for each in own["precision"] if each["base_rate"] == 100 * base["base"]
                )
                assert told["value"] == percent(base["value"])
                assert told["interpolated"] == percent(base["interpolated"])
    expected = case["expected"]["share"]
    assert values["membership_AUC", None] == pytest.approx(expected["auc"], **NEAR)
    assert values["membership_advantage", None] == percent(expected["advantage"])
    for rate in expected["tpr"]:
        told = [
            values[f"membership_{name}", 100 * rate["at_fpr"]]
            for name in ("TPR", "FPR", "TPR_drawn")
        ]
        assert told == [percent(rate[name]) for name in ("step", "step_fpr", "interpolated")]


def ratio(
    rule: str, records: Counter[Any], reference: Counter[Any], row: dict[str, Any]
) -> Fraction:
    """The share of the synthetic records with a person's keys, over that of the people of the
    reference, by a rule.
    """
    s, r = (Fraction(counts[tuple(row[key] for key in KEYS)]) for counts in (records, reference))
    if rule == "share, same people":
        return s
    if rule == "ratio plus one":
        return (s + 1) / (records.total() + 1) / ((r + 1) / (reference.total() + 1))
    if r == 0:
        return Fraction(10**9) if s else Fraction(int(rule == "ratio, 0/0 is 1"))
    return s / records.total() / (r / reference.total())


def whole_row(row: Mapping[str, Any]) -> str:
    """A row without the column of weights, which says nothing of a person."""
    return str({name: value for name, value in row.items() if name != "weight"})


@pytest.mark.slow
@pytest.mark.parametrize("passes", some([3], [1, 3]))
def test_every_pair_and_every_threshold_one_by_one(
    passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: passes)
    # some have whole rows of the synthetic file
    control = pa.concat_tables([file(9, 100), SYNTHETIC[1].slice(0, 30)])
    report = sqlrisk.score(
        file(1), SYNTHETIC, control=control, keys=KEYS, targets=["ill"], measures=["membership"],
        exclude_missing=["sex"],
        populations="all", population={name: text for name, (text, _) in POPULATIONS.items()},
        weights="weight", confidence=0.9,
        membership_ratio=True,
    )  # fmt: skip
    values = {
        (row["measure"], row["at"], row["synthesis"], row["population"]): row["value"]
        for row in report.results
        if row["target"] is None
    }
    against = [row for row in report.results if row["target"] in RATIOS]
    held = {
        (row["measure"], row["at"], row["synthesis"], row["target"]): row["value"]
        for row in against
    }
    whole_held = {
        (row["synthesis"], row["target"]): row["value"]
        for row in report.without_exclusions
        if row["measure"] == "membership_ratio_AUC"
    }
    assert {row["population"] for row in against} == {"all"}
    assert {row["measure"] for row in against} == {
        f"membership_ratio_{each}" for each in ("AUC", "advantage", "TPR", "FPR")
    }
    parts = {
        (row["synthesis"], row["population"]): row
        for row in report.membership
        if (row["columns"], row["score"]) == ("keys", "share")
    }
    ratios = {
        (row["synthesis"], row["score"]): row
        for row in report.membership
        if row["score"] != "share"
    }
    whole = {row["synthesis"]: row for row in report.membership if row["columns"] == "all shared"}
    own = [row for row in report.results if row["family"] == "membership"]
    assert {(row["people"], row["weighted"]) for row in own} == {("original", False)}
    for label, chosen in LABELS.items():
        rows = Counter(whole_row(row) for number in chosen for row in rows_of(SYNTHETIC[number]))
        by_rows = Curve(
            *([rows[whole_row(row)] for row in rows_of(people)] for people in (file(1), control))
        )
        assert [
            (point["false_positives"], point["true_positives"]) for point in whole[label]["curve"]
        ] == [tuple(map(percent, point)) for point in by_rows.points]
        records = Counter(
            tuple(row[key] for key in KEYS)
            for number in chosen
            for row in rows_of(SYNTHETIC[number])
        )
        half = control.num_rows // 2
        reference = Counter(tuple(row[key] for key in KEYS) for row in rows_of(control.slice(half)))
        for rule in RATIOS:
            score = partial(ratio, rule, records, reference)
            groups = [
                [score(row) for row in rows_of(people) if row["sex"] is not None]
                for people in (file(1), control.slice(0, half))
            ]
            curve = Curve(*groups)
            assert [
                (point["false_positives"], point["true_positives"])
                for point in ratios[label, rule]["curve"]
            ] == [tuple(map(percent, point)) for point in curve.points]
            assert held["membership_ratio_AUC", None, label, rule] == pytest.approx(
                float(curve.area), **NEAR
            )
            assert held["membership_ratio_advantage", None, label, rule] == percent(curve.advantage)
            for text in RATES:
                steps = [
                    held[f"membership_ratio_{name}", float(text), label, rule]
                    for name in ("FPR", "TPR")
                ]
                assert steps == [*map(percent, curve.step(Fraction(text) / 100))]
            everybody = Curve(
                *(
                    [score(row) for row in rows_of(people)]
                    for people in (file(1), control.slice(0, half))
                )
            )
            assert whole_held[label, rule] == pytest.approx(float(everybody.area), **NEAR)
        for population, (_, holds) in {"all": ("", lambda _: True), **POPULATIONS}.items():
            scores = [
                [
                    records[tuple(row[key] for key in KEYS)]
                    for row in rows_of(people)
                    if holds(row) and row["sex"] is not None
                ]
                for people in (file(1), control)
            ]
            if not all(scores):
                assert values["membership_AUC", None, label, population] is None
                assert (label, population) not in parts
                continue
            curve, part = Curve(*scores), parts[label, population]
            assert (part["people_in"], part["people_out"]) == tuple(map(len, scores))
            assert values["membership_AUC", None, label, population] == pytest.approx(
                float(curve.area), **NEAR
            )
            assert part["auc_error"] == pytest.approx(curve.error, **NEAR)
            assert values["membership_advantage", None, label, population] == percent(
                curve.advantage
            )
            assert [
                (each["false_positives"], each["true_positives"]) for each in part["curve"]
            ] == [tuple(map(percent, point)) for point in curve.points]
            for text, rate in zip(RATES, part["rates"], strict=True):
                allowed = Fraction(text) / 100
                false, true = curve.step(allowed)
                told = [
                    values[f"membership_{name}", float(text), label, population]
                    for name in ("FPR", "TPR")
                ]
                assert (
                    told
                    == [percent(false), percent(true)]
                    == [rate["false_positives"], rate["true_positives"]]
                )
                for share, people, name in ((true, scores[0], "true"), (false, scores[1], "false")):
                    ends = [rate[f"{name}_{end}"] for end in ("low", "high")]
                    assert ends == [percent(end) for end in wilson(share, len(people), 0.9)]
                drawn = curve.drawn(allowed)
                assert values["membership_TPR_drawn", float(text), label, population] == percent(
                    drawn
                )
                assert rate["interpolated"] == percent(drawn)
                for base, each in zip(BASES, rate["precision"], strict=True):
                    wanted = [precision(base, false, true), precision(base, allowed, drawn)]
                    assert [each["value"], each["interpolated"]] == [
                        percent(share) for share in wanted
                    ]
                    if text == "1":
                        names = ("membership_precision", "membership_precision_drawn")
                        assert [values[name, 100 * base, label, population] for name in names] == [
                            *map(percent, wanted)
                        ]
            low, high = (
                part["auc"] + sign * 1.6448536269514722 * part["auc_error"] for sign in (-1, 1)
            )
            assert (part["auc_low"], part["auc_high"]) == (
                pytest.approx(low, **NEAR),
                pytest.approx(high, **NEAR),
            )


def test_the_rates_of_the_report_are_those_of_the_measure() -> None:
    assert catalog()["membership_TPR"].at == catalog()["membership_ratio_TPR"].at == RATES


@pytest.mark.slow
def test_no_rate_and_no_precision_is_above_100_percent() -> None:
    """All members are above everybody else, and their shares add up to 1.0000000000000002."""
    keys = list("abcde")
    times = dict(zip(keys, (5, 1, 1, 1, 1), strict=True))
    original = pa.table({"k": [key for key in keys for _ in range(times[key])]})
    synthetic = pa.table({"k": [key for number, key in enumerate(keys) for _ in range(9 - number)]})
    report = sqlrisk.score(
        original, synthetic, control=pa.table({"k": ["z"] * 7}), keys="k", measures=["membership"]
    )
    for rate in (rate for row in report.membership for rate in row["rates"]):
        assert (rate["true_positives"], rate["interpolated"]) == (100, 100)
        assert {each["value"] for each in rate["precision"]} == {100}
    third = sqlrisk.score(
        pa.table({"k": [*"abb"]}), pa.table({"k": ["a"]}), control=pa.table({"k": ["b"]}), keys="k",
        measures=["membership_precision"],
    )  # fmt: skip
    assert {row["value"] for row in third.results} == {100}


@pytest.mark.parametrize(("one", "two", "strict"), [("aab", "bbbb", False), ("bba", "aaaaa", True)])
def test_a_rate_that_no_threshold_meets_is_told_of_the_pool_whose_rates_are_shown(
    one: str, two: str, strict: bool
) -> None:
    """Nobody in control has b. One of synthesis 1 and the pool has more of a, the other of b."""
    report = sqlrisk.score(
        *(pa.table({"k": [*"ab"]}), [pa.table({"k": [*one]}), pa.table({"k": [*two]})]),
        control=pa.table({"k": [*"accc"]}), keys="k", measures=["membership"],
    )  # fmt: skip
    assert {row["synthesis"] for row in report.membership} == {"1", "2", "pooled 1-2"}
    text = " ".join(report.to_text().split())
    said = "No threshold has 10 % false positives or fewer: those with the highest score are "
    said += "already 25.00 % of the people out of the synthesis, and one person is 25.00 %."
    assert ("No threshold" in text, said in text) == (strict, strict)


@pytest.mark.parametrize(("control", "one"), [("a", "100.00"), ("accccccc", "12.50")])
def test_the_note_on_a_rate_says_how_many_percent_one_person_is(control: str, one: str) -> None:
    report = sqlrisk.score(
        *(pa.table({"k": [*each]}) for each in ("ab", "aab")),
        control=pa.table({"k": [*control]}),
        keys="k",
        measures=["membership"],
    )
    said = f"already {one} % of the people out of the synthesis, and one person is {one} %."
    assert said in " ".join(report.to_text().split())


@pytest.mark.slow
def test_a_policy_reads_one_ratio_and_a_diff_all(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "control": file(9, 100),
        "keys": KEYS,
        "targets": ["ill"],
        "link": "sex/town",
    }
    asked |= {"measures": ["membership", "linked"], "membership_ratio": True}
    rules = ("membership_ratio_AUC: ratio, 0/0 is 1 <= 0.1", "linked: sex/town <= 1")
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'name = "ours"\n' + "".join(f'[[rule]]\nrule = "{rule}"\nreason = "so"\n' for rule in rules)
    )
    with pytest.raises(sqlrisk.PolicyError) as unmet:
        sqlrisk.score(file(1), SYNTHETIC[0], **asked, policy=policy)
    report = unmet.value.report
    verdicts = [each for each in report.policy["verdicts"] if each["rule"] in rules]
    assert [(each["target"], each["verdict"]) for each in verdicts] == [
        ("ratio, 0/0 is 1", "fail"),
        ("sex/town", "fail"),
    ]
    rows = json.loads(sqlrisk.diff(report, report).to_json())["rows"]
    assert {row["target"] for row in rows if row["measure"] == "membership_ratio_AUC"} == {*RATIOS}
    policy.write_text(policy.read_text().replace("ratio, 0/0 is 1", "ratio"))
    with pytest.raises(sqlrisk.InputError, match="the scenario has no target 'ratio'"):
        sqlrisk.score(file(1), SYNTHETIC[0], **asked, policy=policy)


# ---- a lower bound of epsilon
# ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_worst_keys_are_named_with_the_interval_of_their_own_run() -> None:
    """Of the sets of a sweep and of scenarios, each against a score of its own; of equals the
    first.
    """
    files, people = (file(1), {"cart": SYNTHETIC[:2]}), {"control": file(9, 90)}
    asked: dict[str, Any] = {
        "targets": ["ill"],
        "measures": ["membership_AUC"],
        **people,
        "by": ["sex"],
    }
    area = ("auc", "auc_low", "auc_high")
    alone = {
        keys: sqlrisk.score(*files, **asked, keys=keys).membership
        for size in (1, 2)
        for keys in combinations(["age", "town", "sex"], size)
    }
    places = {
        (row["synthesis"], row["population"]) for row in alone["age",] if row["columns"] == "keys"
    }
    assert {label for label, _ in places} == {"cart 1", "cart 2", "cart pooled 1-2"}

    def best(sets: Sequence[tuple[str, ...]], place: tuple[str, str]) -> tuple[Any, ...]:
        found = [
            (keys, *(row[name] for name in area))
            for keys in sets
            for row in alone[keys]
            if row["columns"] == "keys" and (row["synthesis"], row["population"]) == place
        ]
        return max(found, key=itemgetter(1))

    sweep = sqlrisk.sweep(*files, **asked, keys=["age", "town", "sex"], key_length=[1, 2])
    scenarios = {"few": ("age",), "more": ("age", "town"), "again": ("town", "age")}
    alone["town", "age"] = alone["age", "town"]
    reports = sqlrisk.score_all(
        {name: {"keys": [*keys]} for name, keys in scenarios.items()}, *files, **asked
    )
    for found, sets in ((sweep, [*alone][:-1]), (reports, [*scenarios.values()])):
        document = json.loads(found.to_json())["membership_worst"]
        by_keys = [row for row in document if row.get("columns") != "all shared"]
        assert {(row["synthesis"], row["population"]) for row in by_keys} == places
        for row in by_keys:
            keys, *numbers = best(sets, (row["synthesis"], row["population"]))
            assert (tuple(row["keys"]), row["sets"]) == (keys, len(sets))
            assert [row[name] for name in area] == pytest.approx(numbers, **NEAR)
        told = best(sets, ("cart pooled 1-2", "all"))
        text = " ".join(found.to_text().split())
        said = f"membership_AUC is highest by {'' if found is sweep else 'the keys of '}"
        assert text.count(said) == 1
        assert (
            f"{told[1]:.4f} (95 % interval {told[2]:.4f} to {told[3]:.4f}). It was chosen "
            f"from {len(sets)} sets of keys"
        ) in text
        assert f"{told[1]:.4f}" in found.to_markdown()
    shared = next(row for row in document if row.get("columns") == "all shared")
    own = next(row for row in alone["age",] if row["columns"] == "all shared")
    assert [shared[name] for name in ("synthesis", *area)] == [
        own[name] for name in ("synthesis", *area)
    ]
    silent = sqlrisk.score_all(
        {"one": {"keys": ["age"]}}, *files, targets=["ill"], measures=["repU"]
    )
    assert "membership_worst" not in silent.to_dict()


def tail(hits: int, people: int, share: float) -> float:
    """The chance of so many or more, of people who are so with this chance each."""
    return math.fsum(
        math.comb(people, each) * share**each * (1 - share) ** (people - each)
        for each in range(hits, people + 1)
    )


def end(chance: float, exceeds: Callable[[float], float]) -> float:
    """The share at which a chance that grows with it is reached."""
    low, high = 0.0, 1.0
    for _ in range(60):
        low, high = (
            (low, (low + high) / 2)
            if exceeds((low + high) / 2) > chance
            else ((low + high) / 2, high)
        )
    return low


@pytest.mark.parametrize(("delta", "confidence"), few([(0, 0.95), (0.02, 0.8)], 2))
def test_the_bound_of_epsilon_is_that_of_the_best_threshold(
    delta: float, confidence: float
) -> None:
    control = file(9, 60).slice(0, 40)
    original = pa.concat_tables([SYNTHETIC[0].slice(0, 35), file(1).slice(0, 10)])
    asked: dict[str, Any] = {
        "keys": KEYS,
        "targets": ["ill"],
        "measures": ["membership_AUC"],
        "confidence": confidence,
    }
    report = sqlrisk.score(
        original, SYNTHETIC[0], control=control, **asked, membership_epsilon=delta
    )
    for row in report.membership:
        found, inside, outside = row["epsilon"], row["people_in"], row["people_out"]
        points = row["curve"][1:-1]
        chance = (1 - confidence) / 2 / len(points)
        bounds: list[Any] = []
        for point in points:
            hits, false = point["flagged_in"], point["flagged_out"]
            low = end(chance, partial(tail, hits, inside))
            high = end(1 - chance, partial(tail, false + 1, outside))
            if low > delta and (bound := math.log((low - delta) / high)) > 0:
                bounds.append((bound, 100 * low, 100 * high))
        best = max(bounds, default=(0, None, None), key=itemgetter(0))
        assert found["bound"] == pytest.approx(best[0], rel=1e-9)
        assert [found["true_low"], found["false_high"]] == [
            rate and pytest.approx(rate, rel=1e-9) for rate in best[1:]
        ]
        assert (found["thresholds"], found["delta"]) == (len(points), delta)
    assert {row["columns"]: row["epsilon"]["bound"] > 0.2 for row in report.membership} == {
        "keys": False,
        "all shared": True,
    }
    assert "lower bound of epsilon" in report.to_text()


@pytest.mark.slow
def test_randomised_response_has_at_most_its_own_epsilon() -> None:
    """Everybody says whether they are in, and the truth e times as often as not: epsilon is 1."""
    people = 10**6
    true, false = (round(people * share) for share in (math.e / (1 + math.e), 1 / (1 + math.e)))
    told = [(0, 0), (true, false), (people, people)]
    curve = [{"score": None, "flagged_in": one, "flagged_out": other} for one, other in told]
    assert 0.98 < lower_bound(curve, people, people, delta=0, confidence=0.95)["bound"] < 1
    nobody = lower_bound(curve[::2], people, people, delta=0, confidence=0.95)
    assert (nobody["bound"], nobody["thresholds"], nobody["true_low"]) == (0, 0, None)
    certain = [{"score": 1, "flagged_in": 9, "flagged_out": 0}]
    # of 9, none or all
    found = lower_bound([curve[0], *certain, curve[-1]], 9, 9, delta=0, confidence=0.95)
    all_hit = 0.025 ** (1 / 9)
    assert [found["true_low"], found["false_high"]] == [percent(all_hit), percent(1 - all_hit)]
    silent = lower_bound(
        [curve[0], {"score": 1, "flagged_in": 0, "flagged_out": 9}, curve[-1]],
        9,
        9,
        delta=0,
        confidence=0.95,
    )
    assert silent["bound"] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"membership_epsilon": 0, "measures": "UiO"},
            "membership_epsilon: it is used only by membership measures",
        ),
        (
            {"membership_ratio": True, "membership_epsilon": 0, "measures": "UiO"},
            "membership_ratio and membership_epsilon: they",
        ),
        (
            {"measures": "membership_ratio_AUC"},
            "membership_ratio_AUC needs a reference: .*--membership-ratio",
        ),
        (
            {"measures": "DiSCOO", "membership_ratio": True},
            r"^There is no measure or family 'DiSCOO' \(did you mean 'DiSCO'",
        ),
    ],
)
def test_what_is_no_question_of_membership_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    asked: dict[str, Any] = {"keys": KEYS, "targets": ["ill"], "measures": "membership", **settings}
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(file(1), file(2), control=file(9), **asked)


def test_without_control_one_need_is_told_for_the_whole_family() -> None:
    with pytest.raises(sqlrisk.InputError) as found:
        sqlrisk.score(file(1), file(2), keys=KEYS, targets=["ill"], measures="membership")
    assert str(found.value).startswith("measures: membership needs control: ")
    with pytest.raises(sqlrisk.InputError, match="membership_AUC, membership_TPR need control: "):
        sqlrisk.score(
            file(1), file(2), keys=KEYS, targets=["ill"], measures="membership_AUC,membership_TPR"
        )
