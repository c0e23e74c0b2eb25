"""`sqlrisk attack`: worked cases, a slow plain enumeration, scikit-learn and published figures
against the SQL.
"""

import json
import random
import statistics
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import forks
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import ABSENT, ORACLE
from portable import Passes
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.intruders import attack_request, attacks, learners, samples
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import attackers
from sqlrisk.report.results.attacks import TYPES

CASES = {
    file.stem: tomllib.loads(file.read_text())
    for file in sorted(Path(__file__).parents[2].glob("cases/attackers/*.toml"))
}
MISSING = "-"
Row = Mapping[str, Any]
MODELS = [*learners.SAYS, "ENS"]


def table(columns: Mapping[str, Sequence[object]]) -> pa.Table:
    return pa.table(
        {name: [None if v == MISSING else v for v in values] for name, values in columns.items()}
    )


def place(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("attacker", "target", "trained_on", "people"))


def found(result: sqlrisk.Attacks) -> dict[tuple[object, ...], Row]:
    rows = {place(row): row for row in result.rows}
    assert len(rows) == len(result.rows)
    return rows


@pytest.mark.parametrize(
    ("chosen", "made", "not_made"),
    [
        ("one_rule", {"key_counts_t1"}, {"key_sizes", "neighbours_t1"}),
        ("naive_bayes", {"key_counts_t1", "key_sizes"}, {"neighbours_t1"}),
        ("marginal", set(), {"key_counts_t1", "key_sizes", "neighbours_t1"}),
    ],
)
def test_only_tables_that_an_attacker_reads_are_made(
    chosen: str, made: set[str], not_made: set[str]
) -> None:
    files = table({"age": ["1", "2", "3", "3"], "ill": ["y", "n", "y", "n"]})
    statements: list[str] = []
    sqlrisk.attack(
        files,
        files,
        keys=["age"],
        targets=["ill"],
        attackers=[chosen],
        trace=lambda sql, _: statements.append(sql),
    )
    there = {name for name in made | not_made if any(f"TABLE {name} AS" in s for s in statements)}
    assert there == made


@pytest.mark.parametrize("name", few(CASES, 2))
def test_a_case_worked_by_hand(name: str) -> None:
    case = CASES[name]
    control = {"control": table(case["control"])} if "control" in case else {}
    names = list(dict.fromkeys(row["attacker"] for row in case["attacks"]))
    result = sqlrisk.attack(
        table(case["original"]),
        [table(each) for each in case["synthetic"]],
        attackers=names,
        **control,
        **case["scenario"],
    )
    rows = found(result)
    usual = {"target": case["scenario"]["targets"][0], "trained_on": "1", "people": "original"}
    for expected in case["attacks"]:
        row = rows[place(usual | expected)]
        said = {field: None if value == MISSING else value for field, value in expected.items()}
        assert {field: row[field] for field in said} == {
            field: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
            for field, value in said.items()
        }
    assert {row["attacker"] for row in result.rows} == set(names)


def test_every_attacker_has_a_case() -> None:
    worked = {row["attacker"] for case in CASES.values() for row in case["attacks"]}
    assert {each.name for each in attackers.attackers()} - worked == set()


# ---- the slow way ------------------------------------------------------------------------


def guesses(
    attacker: str, training: Sequence[Row], people: Sequence[Row], keys: Sequence[str], person: Row
) -> dict[Any, Fraction]:
    """The share of the guess for one person that each level has. The target is the column t."""
    levels = Counter(row["t"] for row in training)

    def best(scores: Mapping[Any, Any]) -> dict[Any, Fraction]:
        top = max(scores.values())
        tied = [level for level, score in scores.items() if score == top]
        return {level: Fraction(1, len(tied)) for level in tied}

    if attacker == "majority":
        return best(levels)
    if attacker == "uniform":
        return {level: Fraction(1, len(levels)) for level in levels}
    if attacker == "marginal":
        return {level: Fraction(n, len(training)) for level, n in levels.items()}
    if attacker == "naive_bayes":
        scores = {}
        for level, n in levels.items():
            score = Fraction(n, len(training))
            for key in keys:
                size = len({row[key] for row in (*training, *people)})
                score *= Fraction(
                    sum(row["t"] == level and row[key] == person[key] for row in training) + 1,
                    n + size,
                )
            scores[level] = score
        return best(scores)
    if attacker == "exact_match":
        distances = [sum(row[key] != person[key] for key in keys) for row in training]
        near = [
            row["t"]
            for row, distance in zip(training, distances, strict=True)
            if distance == min(distances)
        ]
        return best(Counter(near))
    assert attacker == "one_rule"

    def rule(key: str, value: object) -> Counter[Any]:
        return Counter(row["t"] for row in training if row[key] == value)

    right = {
        key: sum(max(rule(key, value).values()) for value in {row[key] for row in training})
        for key in keys
    }
    chosen = [key for key in keys if right[key] == max(right.values())]
    shares: dict[Any, Fraction] = {}
    for key in chosen:
        for level, share in best(rule(key, person[key]) or levels).items():
            shares[level] = shares.get(level, Fraction(0)) + share / len(chosen)
    return shares


def right(
    attacker: str, training: Sequence[Row], people: Sequence[Row], keys: Sequence[str]
) -> Fraction:
    return sum(
        (
            guesses(attacker, training, people, keys, each).get(each["t"], Fraction(0))
            for each in people
        ),
        Fraction(0),
    )


SLOW = ["majority", "marginal", "uniform", "exact_match", "naive_bayes", "one_rule"]
VALUES = st.sampled_from([None, 0, 1, 2])


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[list[dict[str, Any]]]]:
    """Keys, and the records of original, two syntheses and control."""
    keys = ["a", "b", "c"][: draw(st.integers(1, 3))]
    record = st.fixed_dictionaries({**dict.fromkeys(keys, VALUES), "t": VALUES})
    return keys, [draw(st.lists(record, min_size=1, max_size=9)) for _ in range(4)]


def arrow(rows: Sequence[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.int64()) for name in rows[0]})


@given(files())
def test_every_number_equals_the_slow_enumeration(
    drawn: tuple[list[str], list[list[dict[str, Any]]]],
) -> None:
    keys, (original, first, second, control) = drawn
    training = {
        "1": first, "2": second, "pooled 1-2": first + second, "original": original,
        "control": control,
    }  # fmt: skip
    asked = attack_request.ask(
        (arrow(original), [arrow(first), arrow(second)], arrow(control)),
        {"keys": keys, "targets": ["t"]},
        {"attackers": SLOW},
    )
    with Passes(3) as engine:
        rows = found(attacks.run(asked, Session(engine)))
    expected = {}
    for name in SLOW:
        for label, records in training.items():
            for word, people in (("original", original), ("control", control)):
                correct = right(name, records, people, keys)
                expected[name, "t", label, word] = (
                    float(correct),
                    len(people),
                    len(records),
                    float(100 * correct / len(people)),
                )
    assert {
        key: (row["correct"], row["tested"], row["trained_records"], row["accuracy"])
        for key, row in rows.items()
    } == {
        key: (*(pytest.approx(each, rel=1e-12) for each in value),)
        for key, value in expected.items()
    }


def people(seed: int, size: int, *, noise: float = 0.3) -> pa.Table:
    """Records whose target follows two of three keys, with missing values."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    rows = []
    for _ in range(size):
        a, b, c = (
            rng.choice([None, "u", "v", "w"]),
            rng.randrange(5),
            rng.choice([True, False, None]),
        )
        t = f"{a}{b % 2}" if rng.random() > noise else rng.choice(["u0", "v1", None, "z"])
        rows.append({"a": a, "b": b, "c": c, "t": t})
    return pa.table({name: [row[name] for row in rows] for name in "abct"})


KEYS = ["a", "b", "c"]


def codes(tables: Sequence[pa.Table]) -> list[np.ndarray[Any, Any]]:
    """Every column as codes of the values of all tables."""
    coded: list[list[list[int]]] = [[] for _ in tables]
    for name in "abct":
        values = sorted(
            {v for each in tables for v in each[name].to_pylist()},
            key=lambda v: (v is not None, str(v)),
        )
        for place, each in enumerate(tables):
            coded[place].append([values.index(v) for v in each[name].to_pylist()])
    return [np.array(each).T for each in coded]


def test_naive_bayes_is_that_of_scikit_learn() -> None:
    from sklearn.naive_bayes import CategoricalNB

    original, synthetic = people(1, 400), people(2, 300)
    asked, known = codes([original, synthetic])
    sizes = [len({*asked[:, place], *known[:, place]}) for place in range(3)]
    model = CategoricalNB(min_categories=sizes).fit(known[:, :3], known[:, 3])
    scores = model.predict_joint_log_proba(asked[:, :3])
    ties = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    correct = sum(
        1 / tie.sum()
        for tie, own in zip(ties, asked[:, 3], strict=True)
        if own in model.classes_[tie]
    )
    result = found(
        sqlrisk.attack(original, synthetic, keys=KEYS, targets="t", attackers="naive_bayes")
    )
    row = result["naive_bayes", "t", "1", "original"]
    assert row["correct"] == pytest.approx(correct, rel=1e-12)
    assert 100 < row["correct"] < 400


# ---- the whole ---------------------------------------------------------------------------


def test_an_attacker_that_learns_finds_more_than_the_baselines() -> None:
    rows = found(
        sqlrisk.attack(
            people(1, 500), people(2, 500), keys=KEYS, targets=["t"], control=people(3, 200)
        )
    )
    assert {key[0] for key in rows} == {each.name for each in attackers.attackers()}
    for trained_on in ("1", "original", "control"):
        for whom in ("original", "control"):
            accuracy = {
                key[0]: row["accuracy"]
                for key, row in rows.items()
                if key[2:] == (trained_on, whom)
            }
            assert (
                accuracy["naive_bayes"]
                > accuracy["one_rule"]
                > accuracy["majority"]
                > accuracy["uniform"]
            )
    assert all(row["low"] < row["accuracy"] < row["high"] for row in rows.values())


@pytest.mark.slow
def test_the_interval_is_wilsons() -> None:
    original = pa.table({"k": [1] * 10, "t": ["x"] * 7 + ["y"] * 3})
    rows = {level: found(sqlrisk.attack(original, original, keys="k", targets="t",
        attackers="majority", confidence=level))
            for level in (0.95, 0.5)}  # fmt: skip
    row = rows[0.95]["majority", "t", "1", "original"]
    # 7 of 10, as every table of Wilson's interval has it
    assert (row["correct"], row["tested"]) == (7, 10)
    assert (row["low"], row["high"]) == (
        pytest.approx(39.678, abs=5e-4),
        pytest.approx(89.221, abs=5e-4),
    )
    narrow = rows[0.5]["majority", "t", "1", "original"]
    assert row["low"] < narrow["low"] < 70 < narrow["high"] < row["high"]
    sure = found(
        sqlrisk.attack(original[:7], original[:7], keys="k", targets="t", attackers="majority")
    )
    never = found(
        sqlrisk.attack(original[:7], original[7:], keys="k", targets="t", attackers="majority")
    )
    assert sure["majority", "t", "1", "original"]["high"] == pytest.approx(100, rel=1e-12)
    assert never["majority", "t", "1", "original"]["low"] == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_other_files_of_the_run_change_nothing() -> None:
    """Levels that only another synthesis or control has are no levels of this comparison."""
    original, synthetic = people(1, 60), people(2, 60)
    strange = pa.table({"a": ["x", "y"], "b": [77, 78], "c": [True, None], "t": ["u0", "strange"]})
    alone = found(sqlrisk.attack(original, synthetic, keys=KEYS, targets="t"))
    among = found(
        sqlrisk.attack(original, [synthetic, strange], keys=KEYS, targets="t", control=strange)
    )
    assert {key: among[key] for key in alone} == {
        key: {
            name: pytest.approx(v, rel=1e-12) if isinstance(v, float) else v
            for name, v in row.items()
        }
        for key, row in alone.items()
    }


@pytest.mark.slow
def test_neither_rows_nor_keys_have_an_order() -> None:
    original, synthetic = people(1, 200), people(2, 200)
    expected = found(sqlrisk.attack(original, synthetic, keys=KEYS, targets="t"))
    turned = [each.take(list(reversed(range(each.num_rows)))) for each in (original, synthetic)]
    assert found(sqlrisk.attack(*turned, keys=KEYS[::-1], targets="t", threads=1)) == {
        key: {
            name: pytest.approx(v, rel=1e-12) if isinstance(v, float) else v
            for name, v in row.items()
        }
        for key, row in expected.items()
    }


@pytest.mark.slow
def test_many_keys_in_several_columns_of_the_class_key(tmp_path: Path) -> None:
    """Ten keys of 200 levels do not fit in one number; two key columns give what one gives."""
    rng = random.Random(4)  # noqa: S311 - no secret
    rows = [
        {
            **{f"k{n}": rng.choice([0, n, rng.randrange(200)]) for n in range(10)},
            "t": rng.randrange(3),
        }
        for _ in range(400)
    ]
    original, synthetic = arrow(rows[:200]), arrow(rows[200:])
    keys = [f"k{n}" for n in range(10)]
    assert len({row[key] for row in rows for key in keys}) ** 10 > 2**62
    result = found(
        sqlrisk.attack(
            original, synthetic, keys=keys, targets="t", attackers="naive_bayes,one_rule"
        )
    )
    for name in ("naive_bayes", "one_rule"):
        slow = right(name, rows[200:], rows[:200], keys)
        assert result[name, "t", "1", "original"]["correct"] == pytest.approx(
            float(slow), rel=1e-12
        )


@pytest.mark.slow
def test_bins_split_and_a_scenario_file(tmp_path: Path) -> None:
    whole = pa.table(
        {"age": [*range(30)], "t": list("xyz") * 10, "half": [1, 0, 1] * 10, "id": [*range(30)]}
    )
    pq.write_table(whole, tmp_path / "people.parquet")
    pq.write_table(whole.slice(10), tmp_path / "synthetic.parquet")
    (tmp_path / "s.toml").write_text(
        'original = "people.parquet"\nsynthetic = "synthetic.parquet"\nkeys = ["age"]\nbins = '
        "{age = 3}\n"
        'split = "half"\nsplit_in = 1\nid = "id"\nmeasures = ["DiSCO"]\n'
    )
    result = sqlrisk.attack(scenario=str(tmp_path / "s.toml"), attackers=["majority", "one_rule"])
    rows = found(result)
    assert {key[1] for key in rows} == {"t"}
    assert rows["majority", "t", "original", "control"]["tested"] == 10
    assert rows["majority", "t", "original", "control"]["trained_records"] == 20
    assert rows["one_rule", "t", "1", "original"]["tested"] == 20
    assert result.settings["bins"] == {"age": 3}
    assert [(each["file"], each["records"]) for each in result.files] == [
        ("original", 20),
        ("1", 20),
        ("control", 10),
    ]
    assert [each["source"] for each in result.files] == [
        *(str(tmp_path / name) for name in ("people.parquet", "synthetic.parquet",
            "people.parquet")),
    ]  # fmt: skip


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize(
    ("file", "keys", "target"),
    [
        ("cmc", ["wife_age", "wife_edu"], "method"),
        ("cmc", ["wife_age", "wife_edu"], "husb_edu"),
        ("fertility", ["age"], "accident"),
        ("fertility", ["age"], "surgery"),
    ],
)
def test_the_published_baseline_of_the_most_frequent_level(
    file: str, keys: list[str], target: str
) -> None:
    text = json.loads((ORACLE / "published" / "published.json").read_text())
    printed = text["hittmeir_2020_original_rows"]["most_frequent_level_baseline"][target]
    path = str(ORACLE / "published" / f"{file}.parquet")
    rows = found(sqlrisk.attack(path, path, keys=keys, targets=[target], attackers="majority"))
    digits = len(str(printed).partition(".")[2])
    assert round(rows["majority", target, "original", "original"]["accuracy"], digits) == printed


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("number", some([10], [1, 3, 10, 11]))
def test_the_published_accuracy_of_the_original_against_itself(number: int) -> None:
    """Hittmeir, Mayer & Ekelhart 2020: mean and deviation over all key sets of one size."""
    tables = json.loads((ORACLE / "published" / "published.json").read_text())[
        "hittmeir_2020_original_rows"
    ]["tables"]
    (printed,) = (each for each in tables if each["table"] == number)
    path = str(ORACLE.parent / printed["data"])
    accuracies = [
        found(
            sqlrisk.attack(
                path, path, keys=keys, targets=[printed["target"]], attackers="exact_match"
            )
        )["exact_match", printed["target"], "original", "original"]["accuracy"]
        for keys in combinations(printed["quasi_identifiers"], printed["key_length"])
    ]
    assert len(accuracies) == printed["subsets"]
    assert (round(statistics.fmean(accuracies), 1), round(statistics.pstdev(accuracies), 1)) == (
        printed["mean"],
        printed["sd"],
    )


@pytest.mark.slow
def test_exact_match_is_the_vote_of_gcap() -> None:
    original, syntheses = people(1, 200), [people(2, 60, noise=0.6), people(3, 40)]
    rows = found(
        sqlrisk.attack(
            original, syntheses, keys=KEYS, targets="t", attackers="exact_match,majority"
        )
    )
    report = sqlrisk.score(
        original, syntheses, keys=KEYS, targets=["t"], measures=["accuracy_GCAP", "accuracy_mode"]
    )
    for name, measure in (("exact_match", "accuracy_GCAP"), ("majority", "accuracy_mode")):
        for row in report[measure].rows:
            if row["numerator"] is not None:
                assert rows[name, "t", row["synthesis"], "original"]["accuracy"] == pytest.approx(
                    row["value"], rel=1e-12
                )


# ---- models that learn from samples ------------------------------------------------------


@pytest.fixture(scope="module")
def learned() -> sqlrisk.Attacks:
    """Every model, on whole files."""
    return sqlrisk.attack(
        people(1, 300),
        people(2, 250),
        keys=KEYS,
        targets=["t"],
        control=people(3, 100),
        attackers="sklearn",
    )


@pytest.mark.slow
def test_models_are_tried_on_everybody_where_the_sample_holds_them(
    learned: sqlrisk.Attacks,
) -> None:
    rows = found(learned)
    assert list(dict.fromkeys(key[0] for key in rows)) == MODELS
    assert {(row["trained_records"], row["tested"]) for row in rows.values()} == {
        (trained, tested) for trained in (250, 300, 100) for tested in (300, 100)
    }
    assert all(
        row["kind"] == "sklearn" and not row["sampled"] and row["converged"] is True
        for row in rows.values()
    )
    assert learned.library == learners.version()
    assert (
        rows["RandomForest", "t", "original", "original"]["correct"]
        > rows["RandomForest", "t", "1", "original"]["correct"]
    )


@pytest.mark.slow
def test_the_models_count_as_a_plain_loop_does(learned: sqlrisk.Attacks) -> None:
    """The same models by hand on codes of their own, and the vote of all, ties split evenly."""
    rows = found(learned)
    asked, known = codes([people(1, 300), people(2, 250)])
    sizes = [len({*asked[:, place], *known[:, place]}) for place in range(3)]
    votes: list[Any] = [Counter() for _ in asked]
    for name in learners.SAYS:
        guess = learners.guess(name, known[:, :3], known[:, 3], asked[:, :3], sizes, seed=1).codes
        assert rows[name, "t", "1", "original"]["correct"] == int((guess == asked[:, 3]).sum())
        for vote, level in zip(votes, guess, strict=True):
            vote[int(level)] += 1
    right = Fraction(0)
    for vote, person in zip(votes, asked, strict=True):
        same = (known[:, :3] == person[:3]).sum(axis=1)
        near = Counter(known[same == same.max(), 3].tolist())
        own, best = int(person[3]), [level for level, n in near.items() if n == max(near.values())]
        for level in best:
            vote[level] += Fraction(1, len(best))
        tied = [level for level, n in vote.items() if n == max(vote.values())]
        right += Fraction(int(own in tied), len(tied))
    assert rows["ENS", "t", "1", "original"]["correct"] == pytest.approx(float(right), rel=1e-12)


def test_naive_bayes_of_the_library_is_that_in_sql() -> None:
    rows = found(
        sqlrisk.attack(
            people(1, 300),
            people(2, 251),
            keys=KEYS,
            targets="t",
            attackers="naive_bayes,CategoricalNB",
        )
    )
    in_sql, model = (rows[name, "t", "1", "original"] for name in ("naive_bayes", "CategoricalNB"))
    assert model["correct"] == in_sql["correct"]  # no tie in these files
    assert (in_sql["sampled"], model["sampled"]) == (False, False)  # a sample of everybody is none


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SVC", "RandomForest", "LogisticRegression"])
def test_a_seed_may_be_larger_than_the_library_takes(name: str) -> None:
    keys, target = np.array([[0], [1]] * 10), np.array([0, 1] * 10)
    guesses = learners.guess(name, keys, target, keys[:2], [2], seed=2**32 + 1)
    assert guesses.codes.tolist() == [0, 1]


@pytest.mark.slow
def test_samples_are_drawn_again_by_their_seed() -> None:
    question: dict[str, Any] = {
        "keys": KEYS,
        "targets": ["t"],
        "attackers": ["CategoricalNB"],
        "sample": 50,
    }
    first, again, other = (
        sqlrisk.attack(people(1, 300), [people(2, 40), people(3, 300)], seed=seed, **question)
        for seed in (1, 1, 2)
    )
    assert first.rows == again.rows
    assert first.rows != other.rows
    trained = {row["trained_on"]: row["trained_records"] for row in first.rows}
    assert trained == {"1": 40, "2": 50, "pooled 1-2": 50, "original": 50}
    assert {row["tested"] for row in first.rows} == {50}


def test_drawn_records_are_of_their_files_and_none_twice() -> None:
    asked = attack_request.Attack(None, (), (), sample=70, seed=3, preset="current")
    drawn = [*zip(*samples._drawn([1, 2], [30, 100], asked), strict=True)]
    assert len(set(drawn)) == 70
    for file, records in ((1, 30), (2, 100)):
        numbers = [record for owner, record in drawn if owner == file]
        assert numbers
        assert 1 <= min(numbers) <= max(numbers) <= records
    whole = [*zip(*samples._drawn([1, 2], [30, 40], asked), strict=True)]
    assert whole == [*((1, n) for n in range(1, 31)), *((2, n) for n in range(1, 41))]


@pytest.mark.slow
@pytest.mark.parametrize("level", some(["rare"], ["in", "rare"]))
def test_a_sample_of_a_file_that_is_split(level: str) -> None:
    """The halves keep their records' numbers in the whole file; a sample is as large as it should
    be all the same.
    """
    rng = random.Random(6)  # noqa: S311 - no secret
    whole = people(1, 400).append_column(
        "half", [rng.choices(["in", "out", "rare"], [10, 10, 1], k=400)]
    )
    own = whole["half"].to_pylist().count(level)
    question: dict[str, Any] = {
        "keys": KEYS,
        "targets": ["t"],
        "attackers": ["CategoricalNB"],
        "split": "half",
    }
    rows = found(sqlrisk.attack(whole, people(2, 300), split_in=level, sample=40, **question))
    sizes = {"original": min(own, 40), "control": 40, "1": 40}
    for (_, _, trained_on, whom), row in rows.items():
        assert (row["trained_records"], row["tested"]) == (sizes[trained_on], sizes[whom])
    everybody = found(sqlrisk.attack(whole, people(2, 300), split_in=level, **question))
    assert everybody["CategoricalNB", "t", "1", "original"]["tested"] == own
    assert everybody["CategoricalNB", "t", "1", "control"]["tested"] == 400 - own


def test_the_preset_gives_the_defaults_of_that_version() -> None:
    forest, old = (
        learners._model("RandomForest", [3], 9, preset, 1) for preset in learners.PRESETS
    )
    assert (forest.n_estimators, old.n_estimators) == (100, 10)
    vector, old = (learners._model("SVC", [3], 9, preset, 1) for preset in learners.PRESETS)
    assert (vector.gamma, old.gamma) == ("scale", "auto")
    line, old = (
        learners._model("LogisticRegression", [3], 9, preset, 1) for preset in learners.PRESETS
    )
    assert (line.solver, old.estimator.solver) == ("lbfgs", "liblinear")
    result = sqlrisk.attack(
        people(1, 90),
        people(2, 90),
        keys=KEYS,
        targets="t",
        attackers="sklearn",
        preset="sklearn-0.20",
    )
    assert result.settings["preset"] == "sklearn-0.20"
    assert {row["attacker"] for row in result.rows} == set(MODELS)


@pytest.mark.slow
def test_training_that_stops_too_early_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.linear_model import LogisticRegression

    monkeypatch.setattr(LogisticRegression, "__init__", short(LogisticRegression.__init__))
    result = sqlrisk.attack(
        people(1, 90), people(2, 90), keys=KEYS, targets="t", attackers="sklearn"
    )
    assert {row["attacker"] for row in result.rows if row["converged"] is False} == {
        "LogisticRegression",
        "ENS",
    }
    assert {row["attacker"] for row in result.rows if row["converged"] is True} == {*MODELS} - {
        "LogisticRegression",
        "ENS",
    }
    assert "LogisticRegression!" in result.to_text()
    assert "stopped before their training had converged" in result.to_text()


def short(init: Any) -> Any:
    """A constructor that allows one step."""

    def limited(self: Any, **more: Any) -> None:
        init(self, **more)
        self.max_iter = 1

    return limited


@pytest.mark.parametrize("preset", few(learners.PRESETS, 9))
@pytest.mark.parametrize(
    "synthetic", few([["u0"], ["u0", "u0", "z"]], 2), ids=["one record", "one of a kind"]
)
def test_small_files_are_learned_too(synthetic: list[str], preset: str) -> None:
    """One level alone, or fewer records than neighbours, is no reason to fail."""
    original = people(1, 30)
    few = pa.table(
        {
            "a": ["u"] * len(synthetic),
            "b": [*range(len(synthetic))],
            "c": [True] * len(synthetic),
            "t": synthetic,
        }
    )
    rows = found(
        sqlrisk.attack(original, few, keys=KEYS, targets="t", attackers="sklearn", preset=preset)
    )
    own = sum(level == "u0" for level in original["t"].to_pylist())
    for name in MODELS if len(synthetic) == 1 else ("SVC", "KNeighbors"):
        assert rows[name, "t", "1", "original"]["correct"] == own


def test_without_the_library_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learners, "find_spec", lambda _name: None)
    with pytest.raises(sqlrisk.InputError, match=r"scikit-learn: pip install 'scikit-learn"):
        sqlrisk.attack(people(1, 30), people(2, 30), keys=KEYS, targets="t", attackers="SVC")
    assert (
        len(
            sqlrisk.attack(
                people(1, 30), people(2, 30), keys=KEYS, targets="t", attackers="majority"
            )
        )
        == 2
    )


# ---- what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"attackers": "naive_bayess"},
            "no attacker or group 'naive_bayess' (did you mean 'naive_bayes'?)",
        ),
        ({"attackers": ["sqll"]}, "(did you mean 'sql'"),
        ({"attackers": []}, "attackers: expected a list of names or groups"),
        ({"attackers": 3}, "attackers: expected a list of names or groups"),
        ({"sample": 0}, "sample: expected a whole number, 1 or more; got 0"),
        ({"sample": "many"}, "sample: expected a whole number, 1 or more; got 'many'"),
        ({"seed": -1}, "seed: expected a whole number, 0 or more; got -1"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"preset": "sklearn-0.2"}, "no preset 'sklearn-0.2' (did you mean 'sklearn-0.20'?)"),
        ({"work_limit": 0}, "work_limit: expected a whole number of steps, 1 or more"),
        ({"confidence": 1}, "confidence: expected a number between 0 and 1"),
        ({"keys": None}, "Name the columns that an intruder may know"),
        ({"keys": ["aa"]}, "no file has a column 'aa'"),
        ({"original": "nowhere.parquet"}, "There is no file 'nowhere.parquet'"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, Any], words: str) -> None:
    question: dict[str, Any] = {"keys": KEYS, "targets": ["t"], **options}
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.attack(question.pop("original", people(1, 5)), people(2, 5), **question)
    assert words in str(caught.value)


def test_every_problem_is_said_at_once() -> None:
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.attack(people(1, 5), None, attackers="nobody", sample=0, preset="old")
    assert len(caught.value.problems) == 5


def test_exclusions_in_a_scenario_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('keys = ["a"]\ntargets = ["t"]\nmax_cell = 3\n')
    with pytest.raises(sqlrisk.InputError, match="max_cell: attackers are tested on all people"):
        sqlrisk.attack(people(1, 5), people(2, 5), scenario=str(tmp_path / "s.toml"))


def test_settings_of_a_scenario_file_that_attackers_ignore_are_said(tmp_path: Path) -> None:
    plain = 'keys = ["a", "b"]\ntargets = ["t"]\n'
    ignored = 'by = ["c"]\npopulation = { few = "b >= 3" }\nweights = "w"\nwithin = { b = 1 }\n'
    original = people(1, 40).append_column("w", pa.array(range(1, 41)))
    results = []
    for name, text in (("plain.toml", plain), ("more.toml", plain + ignored)):
        (tmp_path / name).write_text(text)
        results.append(sqlrisk.attack(original, people(2, 40), scenario=str(tmp_path / name)))
    assert results[0].rows == results[1].rows
    assert "Populations, weights and tolerances of a scenario file" in results[1].to_text()


def test_too_much_work_is_refused_before_it_is_done() -> None:
    original = people(1, 300)
    question: dict[str, Any] = {"keys": KEYS, "targets": ["t"], "attackers": "naive_bayes"}
    levels, classes = len(set(original["t"].to_pylist())), 4 * 5 * 3
    most = levels * classes * 3 * 2  # three keys, two training files
    statements: list[str] = []
    with pytest.raises(
        sqlrisk.InputError, match=r"leave out naive_bayes .*or raise --work-limit"
    ) as caught:
        sqlrisk.attack(
            original,
            original,
            work_limit=most // 2,
            trace=lambda sql, _: statements.append(sql),
            **question,
        )
    assert f"the limit is {most // 2:,}" in str(caught.value)
    assert not any("guesses" in each for each in statements)
    assert len(sqlrisk.attack(original, original, work_limit=2 * most, **question)) == 2


# ---- forms -------------------------------------------------------------------------------


def test_every_form_holds_the_same(tmp_path: Path) -> None:
    result = sqlrisk.attack(
        people(1, 60), people(2, 60), keys=KEYS, targets=["t", "c"][:1], control=people(3, 30)
    )
    document = json.loads(result.to_json())
    assert document["sqlrisk"] == sqlrisk.__version__
    assert document["scikit_learn"] is None
    assert document["settings"]["attackers"] == [each.name for each in attackers.attackers()]
    assert [tuple(row) for row in document["attacks"]] == [tuple(TYPES)] * len(result)
    assert document["attacks"] == [dict(row) for row in result.rows]
    lines = result.to_csv().splitlines()
    assert lines[0] == ",".join(TYPES)
    assert len(lines) == 1 + len(result)
    result.to_parquet(tmp_path / "a.parquet")
    stored = pq.read_table(tmp_path / "a.parquet")
    assert stored.to_pylist() == [dict(row) for row in result.rows]
    frame = result.to_pandas()
    assert list(frame.columns) == list(TYPES)
    assert len(frame) == len(result)
    markdown = result.to_markdown()
    assert (
        "| attacker | trained on | original's people percent | original's people low |" in markdown
    )
    assert f"{result.rows[0]['accuracy']:.2f}" in markdown
    text = result.to_text()
    assert "Percent of people whose t is guessed" in text
    assert "synthesis 1" in text
    assert "Guesses the most frequent t of the training file" in " ".join(text.split())


def test_the_command_prints_a_table_per_target_and_writes_files(tmp_path: Path) -> None:
    for seed in (1, 2):
        pq.write_table(people(seed, 60), tmp_path / f"{seed}.parquet")
    command = ["attack", "1.parquet", "2.parquet", "--keys", "a,b", "--targets", "c,t"]

    def run(*more: str) -> forks.Done:
        return forks.run(*command, *more, cwd=tmp_path)

    shown = run("--attackers", "majority,SVC", "--sample", "30", "--seed", "4")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "whose c is guessed" in shown.stdout
    assert "whose t is guessed" in shown.stdout
    assert "up to 30 records, seed 4" in shown.stdout
    written = run("--attackers", "majority", "-o", "attacks.json")
    assert (written.returncode, written.stdout) == (0, "")
    assert {
        row["target"] for row in json.loads((tmp_path / "attacks.json").read_text())["attacks"]
    } == {"c", "t"}
    refused = run("--work-limit", "1", "-o", "other.json")
    assert refused.returncode == 2
    assert "raise --work-limit" in refused.stderr
    assert not (tmp_path / "other.json").exists()


# ---- the files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("order  = 1", ""), "the header lacks 'order'"),
        (("order  = 1", "order = 'first'"), "'order' must be a int"),
        (
            ("order  = 1", "order = 1\npick = 'best'"),
            "unknown header key 'pick' (did you mean 'picks'?)",
        ),
        (("nothing", "everything"), "knows 'everything' is not one of keys, nothing"),
        (("AS score", "AS points"), "must give each class (class key), level_code and score"),
        (('"majority"', '"most"'), "belongs in a file of that name"),
        (("/*---", "/*"), "starts with a header"),
        (("order  = 1", "order = "), "the header is not TOML"),
    ],
)
def test_a_file_that_is_no_attacker_is_refused(
    change: tuple[str, str], words: str, tmp_path: Path
) -> None:
    from sqlrisk.common.resources import sql_folder

    text = (sql_folder() / "attackers" / "majority.sql").read_text()
    assert change[0] in text
    path = tmp_path / "majority.sql"
    path.write_text(text.replace(*change))
    with pytest.raises(sqlrisk.InputError) as caught:
        attackers.load(path)
    assert words in str(caught.value)
    path.write_text(text)
    assert attackers.load(path) in attackers.attackers()
