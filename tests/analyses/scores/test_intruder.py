"""The worst-case intruder in closed form: against the Dirichlet-multinomial likelihood of every
possible truth, enumerated.
"""

import json
import math
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from quickly import few

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.inputs.request import ask
from tests.analyses.scores.test_passes import Passes
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command

KEYS = ["town", "age"]
INTRUDER = ["posterior_of_truth", "truth_is_mode", "posterior_gain", "prior_of_truth"]
Record = tuple[object, ...]
Belief = tuple[Fraction, Fraction, Fraction, Fraction]
"""Of one person: the posterior probability of the truth, its share of the mode, the increase over
the prior, the prior.
"""
Shares = dict[object, Fraction]


def table(records: Sequence[Record], **more: Sequence[object]) -> pa.Table:
    columns = {
        "town": pa.array([row[0] for row in records], pa.string()),
        "age": pa.array([row[1] for row in records], pa.int64()),
        "ill": pa.array([row[2] for row in records], pa.string()),
    }
    return pa.table({**columns, **more})


def rising(start: Fraction, steps: int) -> Fraction:
    """The product start * (start + 1) * ..., which is the gamma function of start + steps over that
    of start.
    """
    return math.prod((start + step for step in range(steps)), start=Fraction(1))


def likelihood(drawn: Counter[Any], parameters: dict[Any, Fraction]) -> Fraction:
    """The Dirichlet-multinomial probability of a sequence of draws with these counts: each draw
    adds one to its level.
    """
    each = [rising(parameter, drawn[level]) for level, parameter in parameters.items()]
    return math.prod(each, start=Fraction(1)) / rising(
        sum(parameters.values(), Fraction(0)), sum(drawn.values())
    )


def beliefs(
    people: Sequence[Record],
    files: Sequence[Sequence[Record]],
    alpha: Fraction,
    *,
    whole: bool = False,
    prior: str = "uniform",
    shares: Shares | None = None,
) -> list[Belief]:
    """What the intruder believes of each person: each level is put in the place of the truth, and
    the likelihood is taken.

    ``whole``: the saturated multinomial is over all cells of the keys and the target, not over the
    levels of one class. ``prior`` is the intruder's: of a ``baseline`` by the ``shares`` of levels.
    """
    levels = list(
        dict.fromkeys(row[2] for row in (*people, *(row for file in files for row in file)))
    )
    classes = list(
        dict.fromkeys(row[:2] for row in (*people, *(row for file in files for row in file)))
    )
    found: dict[Record, Belief] = {}
    for person in dict.fromkeys(people):  # the same is believed of people with the same record
        q, truth = person[:2], person[2]
        rest = Counter(people) - Counter([person])
        cells = [(*each, level) for each in (classes if whole else [q]) for level in levels]
        drawn = [Counter(row for row in file if whole or row[:2] == q) for file in files]
        chances, before = {}, {}
        for level in levels:
            known = {
                "uniform": Fraction(1),
                "others": alpha + rest[*q, level],
                "baseline": (shares or {}).get(level, Fraction(0)),
            }
            before[level] = known[prior]
            guess = rest + Counter([(*q, level)])
            parameters = {cell: alpha + guess[cell] for cell in cells}
            chances[level] = (
                math.prod((likelihood(each, parameters) for each in drawn), start=Fraction(1))
                * before[level]
            )
        thought = before[truth] / sum(before.values())
        posterior = chances[truth] / sum(chances.values())
        modes = [level for level, chance in chances.items() if chance == max(chances.values())]
        found[person] = (
            posterior,
            Fraction(int(truth in modes), len(modes)),
            posterior / thought if thought else Fraction(0),  # left out of the mean
            thought,
        )
    return [found[person] for person in people]


def choices(syntheses: Sequence[Sequence[Record]]) -> dict[str, list[Sequence[Record]]]:
    """The syntheses of each comparison."""
    pools = list(accumulate(([each] for each in syntheses), lambda pool, each: pool + each))
    single = {str(number): [each] for number, each in enumerate(syntheses, start=1)}
    return single | {f"pooled 1-{len(pool)}": pool for pool in pools[1:]}


def enumerated(
    people: Sequence[Record],
    syntheses: Sequence[Sequence[Record]],
    alpha: Fraction,
    counted: Sequence[int] | None = None,
    **thought: Any,
) -> dict[tuple[str, str], Fraction]:
    """The numerator of each measure and comparison; ``counted``: over these people alone."""
    chosen = range(len(people)) if counted is None else counted
    sums = {}
    for label, files in choices(syntheses).items():
        each = beliefs(people, files, alpha, **thought)
        for place, measure in enumerate(INTRUDER):
            sums[measure, label] = sum((each[j][place] for j in chosen), Fraction(0))
    return sums


def found(
    report: sqlrisk.Report, population: str = "all", *, weighted: bool = False
) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Numerator and denominator by measure and synthesis; the value is seen to be their
    quotient.
    """
    rows: list[dict[str, Any]] = [
        row
        for row in report.results
        if row["family"] == "intruder"
        and (row["population"], row["weighted"]) == (population, weighted)
    ]
    assert all(row["target"] == "ill" and row["people"] == "original" for row in rows)
    rows = [row for row in rows if row["denominator"] is not None]
    for row in rows:
        factor = 1 if row["measure"] == "posterior_gain" else 100
        assert row["value"] == pytest.approx(
            factor * row["numerator"] / row["denominator"], rel=1e-12
        )
    return {
        (row["measure"], row["synthesis"]): (row["numerator"], row["denominator"]) for row in rows
    }


def agree(
    numbers: dict[tuple[str, str], tuple[Any, Any]],
    sums: dict[tuple[str, str], Fraction],
    people: float,
    possible: float | None = None,
) -> bool:
    """``possible``: the people whose level the prior does not exclude, if it excludes any. For
    others the gain would be 0 / 0.
    """
    assert numbers.keys() == sums.keys()
    for place, expected in sums.items():
        among = people if possible is None or place[0] != "posterior_gain" else possible
        assert numbers[place] == (pytest.approx(float(expected), rel=1e-12, abs=1e-14), among), (
            place
        )
    return True


SETTINGS: dict[str, Any] = {
    "keys": KEYS,
    "targets": ["ill"],
    "assume": "saturated",
    "measures": INTRUDER,
}
RECORD = st.tuples(
    st.sampled_from(["a", None]), st.sampled_from([1, None]), st.sampled_from(["x", "y", "z", None])
)
FEW, MORE = st.lists(RECORD, min_size=1, max_size=7), st.lists(RECORD, min_size=1, max_size=9)


@examples(40)
@given(
    people=st.lists(RECORD, min_size=1, max_size=14),
    syntheses=st.lists(st.lists(RECORD, min_size=1, max_size=18), min_size=1, max_size=3),
    alpha=st.sampled_from(["1", "0.5", "0.001", "3", "1000"]),
    passes=st.sampled_from([1, 1, 1, 1, 3, 7]),
    prior=st.sampled_from(["uniform", "others", "baseline", "baseline"]),
    parts=st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(lambda each: any(each[1:])),
)
def test_beliefs_are_those_of_plain_enumeration(
    people: list[Record],
    syntheses: list[list[Record]],
    alpha: str,
    passes: int,
    prior: str,
    parts: list[int],
) -> None:
    """Exact fractions of the whole likelihood, for one synthesis and for pooled ones; the closed
    form has no such likelihood.
    """
    shares: Shares = {
        level: Fraction(part, sum(parts))
        for level, part in zip(["elsewhere", "x", "y", "z", None], parts, strict=True)
    }
    more: dict[str, Any] = {**SETTINGS, "prior": alpha, "intruder_prior": prior}
    if prior == "baseline":
        assume(any(shares[row[2]] for row in people))
        given = {"level": [*shares], "share": [float(share) for share in shares.values()]}
        more["baseline"] = {"ill": baseline_file(pa.table(given))}
    asked = ask(table(people), [table(each) for each in syntheses], more)
    with Passes(passes) as engine:
        report = scoring.score(asked, Session(engine))
    assert agree(
        found(report),
        enumerated(people, syntheses, Fraction(alpha), prior=prior, shares=shares),
        len(people),
        sum(prior != "baseline" or shares[row[2]] > 0 for row in people),
    )


def baseline_file(shares: pa.Table) -> str:
    """Write the shares of levels where they are read from."""
    path = Path(tempfile.mkdtemp()) / "shares.parquet"
    pq.write_table(shares, path)
    return str(path)


@pytest.mark.slow
def test_what_the_others_have_and_one_file_adds_up() -> None:
    """Of one synthesis, P(t | Z, rest) = (alpha + r_t + s_t) / sum of these; where r is alike it is
    the uniform prior's.
    """
    people, synthesis = [*some(60, 1), ("c", 1, "x")], [*some(70, 2), ("c", 1, "y")]
    report = sqlrisk.score(
        table(people), table(synthesis), **SETTINGS, prior="0.5", intruder_prior="others"
    )
    levels = len({row[2] for row in (*people, *synthesis)})
    d, s, d_q, s_q = (
        Counter(key(row) for row in file)
        for key in (tuple, lambda row: row[:2])
        for file in (people, synthesis)
    )
    wanted = sum(
        (0.5 + d[row] - 1 + s[row]) / (0.5 * levels + d_q[row[:2]] - 1 + s_q[row[:2]])
        for row in people
    )
    assert found(report)["posterior_of_truth", "1"] == (pytest.approx(wanted, rel=1e-12), 61)
    alike = table([(q, 1, t) for q in "ab" for t in "xyz"])
    each = [
        found(sqlrisk.score(alike.slice(0, 1), alike, **SETTINGS, prior=2, intruder_prior=how))
        for how in ("uniform", "others")
    ]
    assert each[0] == {
        place: (pytest.approx(number, rel=1e-12), people)
        for place, (number, people) in each[1].items()
    }


@examples(30)
@given(people=FEW, files=st.lists(MORE, min_size=1, max_size=2))
def test_a_multinomial_over_all_cells_says_the_same(
    people: list[Record], files: list[list[Record]]
) -> None:
    """Saturated within each class or over the keys too: moving a person within a class changes the
    same factors.
    """
    assert beliefs(people, files, Fraction(1, 2)) == beliefs(
        people, files, Fraction(1, 2), whole=True
    )


def test_the_likelihood_is_that_of_log_gamma() -> None:
    """The enumeration itself, against the formula with gamma functions."""
    drawn, parameters = (
        Counter({"x": 5, "y": 2}),
        {"x": Fraction(5, 2), "y": Fraction(1, 2), "z": Fraction(7, 2)},
    )
    total = float(sum(parameters.values()))
    logs = sum(
        math.lgamma(float(a) + drawn[level]) - math.lgamma(float(a))
        for level, a in parameters.items()
    )
    expected = math.exp(logs + math.lgamma(total) - math.lgamma(total + 7))
    assert float(likelihood(drawn, parameters)) == pytest.approx(expected, rel=1e-12)


def some(rows: int, seed: int) -> list[Record]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [
        (
            rng.choice(["a", "b", None]),
            rng.choice([1, 2, 3]),
            rng.choice(["x", "x", "y", "z", None]),
        )
        for _ in range(rows)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("passes", few([3, 1, 7]))
def test_larger_classes_in_several_passes(passes: int) -> None:
    people, syntheses = some(80, 1), [some(80, 2), some(70, 3)]
    asked = ask(
        table(people),
        [table(each) for each in syntheses],
        {**SETTINGS, "prior": 1, "measures": None},
    )
    with Passes(passes) as engine:
        report = scoring.score(asked, Session(engine))
    assert agree(found(report), enumerated(people, syntheses, Fraction(1)), 80)
    families = {"identity", "attribute", "cap", "union", "intruder"}
    assert {row["family"] for row in report.results} == families, "with the default families"


@pytest.mark.slow
def test_products_of_many_syntheses_stay_finite() -> None:
    """Forty files that say the same: the odds are beyond a DOUBLE, for and against the truth."""
    people: list[Record] = [("a", 1, "x"), ("a", 1, "y"), ("b", 1, "y")]
    synthesis: list[Record] = [("a", 1, "x"), ("b", 1, "y")] * 30
    report = sqlrisk.score(table(people), [table(synthesis)] * 40, **SETTINGS, prior="0.000000001")
    numbers = {
        place: side for place, side in found(report).items() if place[1] in ("1", "pooled 1-40")
    }
    expected = enumerated(people, [synthesis], Fraction(1, 10**9))
    for place, total in enumerated_pool(people, synthesis, 40).items():
        expected[place, "pooled 1-40"] = total
    assert agree(numbers, expected, 3)
    assert numbers["truth_is_mode", "pooled 1-40"] == (2.0, 3)


def enumerated_pool(
    people: Sequence[Record], synthesis: Sequence[Record], files: int
) -> dict[str, Fraction]:
    each = beliefs(people, [synthesis] * files, Fraction(1, 10**9))
    return {
        measure: sum((belief[place] for belief in each), Fraction(0))
        for place, measure in enumerate(INTRUDER)
    }


def test_levels_of_other_syntheses_and_of_control_are_not_possible() -> None:
    """A comparison knows the levels of the original and of its own syntheses."""
    people, syntheses = some(20, 1), [some(20, 2), [*some(20, 3), ("a", 1, "only here")]]
    more: dict[str, Any] = {
        **SETTINGS,
        "prior": 2,
        "control": table([("a", 1, "only control"), *some(9, 4)]),
    }
    report = sqlrisk.score(table(people), [table(each) for each in syntheses], **more)
    assert agree(found(report), enumerated(people, syntheses, Fraction(2)), 20)


@pytest.mark.slow
def test_exclusions_populations_and_weights_change_who_is_counted() -> None:
    people, syntheses = some(60, 5), [some(60, 6), some(60, 7)]
    weight = [1.0 + number % 4 for number in range(60)]
    report = sqlrisk.score(
        table(people, weight=weight), [table(each) for each in syntheses], **SETTINGS, prior="0.5",
        weights="weight",
        population={"of b": "town = b"}, exclude_level={"ill": ["x"]}, exclude_missing=["ill"],
    )  # fmt: skip
    populations = {"all": range(60), "of b": [j for j in range(60) if people[j][0] == "b"]}
    each = {
        label: beliefs(people, files, Fraction(1, 2)) for label, files in choices(syntheses).items()
    }
    for name, members in populations.items():
        counted = [j for j in members if people[j][2] in ("y", "z")]
        assert 3 < len(counted) < len(members)
        assert agree(
            found(report, name),
            enumerated(people, syntheses, Fraction(1, 2), counted),
            len(members),
        )
        weighed = {
            (measure, label): sum(
                (Fraction(weight[j]) * believed[j][place] for j in counted), Fraction(0)
            )
            for label, believed in each.items()
            for place, measure in enumerate(INTRUDER)
        }
        assert agree(found(report, name, weighted=True), weighed, sum(weight[j] for j in members))


def test_nothing_is_learned_where_the_synthesis_is_silent() -> None:
    people = some(30, 1)
    report = sqlrisk.score(table(people), table([("z", 9, "x")]), **SETTINGS, prior=1)
    values = {row["measure"]: row["value"] for row in report.results}
    assert values["posterior_gain"] == pytest.approx(1, rel=1e-12)
    assert values["posterior_of_truth"] == values["truth_is_mode"] == pytest.approx(25, rel=1e-12)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"assume": "saturated"},
            "assume: saturated needs prior, the parameter of its Dirichlet prior",
        ),
        (
            {"intruder_prior": "others"},
            "intruder_prior: it needs assume, as in assume = saturated",
        ),
        (
            {"assume": "saturated", "prior": 1, "intruder_prior": "other"},
            (
                r"intruder_prior: expected uniform, others or baseline; got 'other' \(did you mean "
                r"'others'\?\)"
            ),
        ),
        (
            {"assume": "saturated", "prior": 1, "intruder_prior": "baseline"},
            "intruder_prior: 'ill' has no baseline; name its file",
        ),
        (
            {"assume": "saturated", "prior": 1, "intruder_prior": "baseline", "targets": None},
            "intruder_prior: 'ill' has no baseline; name its file",
        ),
        (
            {
                "assume": "saturated",
                "prior": 1,
                "intruder_prior": "baseline",
                "baseline": {"ill": "shares.csv"},
            },
            (
                "intruder_prior: the baseline of 'ill' gives no share to any level that the "
                "original has"
            ),
        ),
        (
            {"assume": "saturate", "prior": 1},
            r"assume: expected saturated; got 'saturate' \(did you mean 'saturated'\?\)",
        ),
        (
            {"measures": "posterior_gain"},
            (
                "posterior_gain needs a stated synthesizer: say how the files were made with "
                "--assume saturated --prior 1"
            ),
        ),
    ],
)
def test_a_synthesiser_is_stated_whole_or_not_at_all(
    more: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shares.csv").write_text("level,share\nelsewhere,1\nx,0\n")
    people = table(some(5, 1))
    with pytest.raises(sqlrisk.InputError, match=words):
        sqlrisk.score(people, people, **{"keys": KEYS, "targets": ["ill"], **more})


def test_a_script_needs_it_too() -> None:
    with pytest.raises(
        sqlrisk.InputError,
        match="posterior_gain needs a stated synthesizer: say how the files were made",
    ):
        sqlrisk.sql("posterior_gain", keys=KEYS, targets=["ill"])


@pytest.mark.slow
def test_the_report_states_the_assumption() -> None:
    people = table(some(40, 1))
    report = sqlrisk.score(
        people, table(some(40, 2)), keys=KEYS, targets=["ill"], assume="saturated", prior="0.5"
    )
    text = " ".join(report.to_text().split())
    assert "Dirichlet prior of 0.5 for each level" in text
    assert "the intruder knows this, and all of the original but one target level" in text
    assert report.scenario["assume"] == "saturated"
    assert report.scenario["prior"] == 0.5
    for how, thought in (
        ("others", "among the other people of the class, with 0.5 added to each"),
        ("uniform", "equally probable"),
    ):
        told = sqlrisk.score(
            people,
            people,
            keys=KEYS,
            targets=["ill"],
            assume="saturated",
            prior="0.5",
            intruder_prior=how,
        )
        assert thought in " ".join(told.to_text().split())
    assert "assumed" not in sqlrisk.score(people, people, keys=KEYS, targets=["ill"]).to_text()


def test_the_command_line_takes_the_assumption(tmp_path: Path) -> None:
    people, synthesis = some(40, 1), some(40, 2)
    pq.write_table(table(people), tmp_path / "original.parquet")
    pq.write_table(table(synthesis), tmp_path / "synthetic.parquet")
    words = [
        "score",
        "original.parquet",
        "synthetic.parquet",
        "--keys",
        "town,age",
        "--targets",
        "ill",
        "--assume",
        "saturated",
    ]
    code, out, _ = command(*words, "--prior", "0.5", "--format", "json", folder=tmp_path)
    assert code == 0
    rows = {
        row["measure"]: row["numerator"]
        for row in json.loads(out)["results"]
        if row["family"] == "intruder"
    }
    for (measure, _), total in enumerated(people, [synthesis], Fraction(1, 2)).items():
        assert rows[measure] == pytest.approx(float(total), rel=1e-12)
    assert "needs prior, the parameter of its Dirichlet prior" in fails(
        *words, "-o", "risk.json", folder=tmp_path
    )
