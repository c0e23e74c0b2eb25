"""Files that are aligned: matches against plain enumeration, by place and by id, and what is
refused.
"""

import json
import random
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
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
MATCHES = ["expected_match_risk", "true_match_rate", "false_match_rate", "perceived_match_risk"]
Record = tuple[object, ...]
Answer = dict[tuple[str, str], tuple[Fraction | int, int]]


def table(records: Sequence[Record], **more: Sequence[object]) -> pa.Table:
    columns = {
        "town": pa.array([row[0] for row in records], pa.string()),
        "age": pa.array([row[1] for row in records], pa.int64()),
    }
    return pa.table({**columns, "ill": pa.array([row[2] for row in records], pa.string()), **more})


def enumerated(
    people: Sequence[Record],
    syntheses: Sequence[Sequence[Record]],
    counted: Sequence[int] | None = None,
) -> Answer:
    """Numerator and denominator of each measure, person by person and record by record, in exact
    fractions.

    ``counted``: the numbers of the people that are counted; all are in the denominators of shares
    of people.
    """
    chosen = range(len(people)) if counted is None else counted
    choices = {str(number): [each] for number, each in enumerate(syntheses, start=1)}
    pools = list(accumulate(([each] for each in syntheses), lambda pool, each: pool + each))
    choices |= {f"pooled 1-{len(pool)}": pool for pool in pools[1:]}
    answer: Answer = {}
    for label, files in choices.items():
        expected, true, false, perceived = Fraction(0), 0, 0, 0
        picked = {key: candidates(key, files) for key in {people[j][:2] for j in chosen}}
        for j in chosen:
            hits = picked[people[j][:2]]
            if not hits:
                continue  # nobody to pick
            expected += Fraction(int(j in hits), len(hits))
            true += hits == [j]
            false += len(hits) == 1 and j not in hits
            perceived += len(hits) == 1
        everybody = len(people)
        answer["expected_match_risk", label] = expected, everybody
        answer["true_match_rate", label] = true, everybody
        answer["false_match_rate", label] = false, perceived
        answer["perceived_match_risk", label] = perceived, everybody
    return answer


def candidates(key: Record, files: Sequence[Sequence[Record]]) -> list[int]:
    """The places whose records an intruder who knows this key takes most often."""
    chances: dict[int, Fraction] = {}
    for file in files:
        hits = [i for i, record in enumerate(file) if record[:2] == key]
        for i in hits:
            chances[i] = chances.get(i, Fraction(0)) + Fraction(1, len(hits) * len(files))
    greatest = max(chances.values(), default=None)
    return sorted(i for i, chance in chances.items() if chance == greatest)


def found(
    report: sqlrisk.Report, population: str = "all", *, weighted: bool = False
) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Numerator and denominator by measure and synthesis; the value is seen to be their
    quotient.
    """
    rows: list[dict[str, Any]] = [
        row
        for row in report.results
        if row["family"] == "matches"
        and (row["population"], row["weighted"]) == (population, weighted)
    ]
    assert all(row["target"] is None and row["people"] == "original" for row in rows)
    sides = {
        (row["measure"], row["synthesis"]): (row["numerator"], row["denominator"]) for row in rows
    }
    for row in rows:
        if row["denominator"] is not None:
            numerator, denominator = row["numerator"], row["denominator"]
            assert row["value"] == (
                pytest.approx(100 * numerator / denominator, rel=1e-12) if denominator else None
            )
    return {place: side for place, side in sides.items() if side[1] is not None}


def agree(numbers: dict[tuple[str, str], tuple[Any, Any]], answer: Answer) -> bool:
    """Whole numbers to the last one, sums of fractions to 1e-12."""
    assert numbers.keys() == answer.keys()
    for place, (numerator, denominator) in answer.items():
        own, people = numbers[place]
        if isinstance(numerator, int):
            assert type(own) is int, place
        assert own == (
            numerator if isinstance(numerator, int) else pytest.approx(float(numerator), rel=1e-12)
        ), place
        assert people == denominator, place
    return True


RECORD = st.tuples(
    st.sampled_from(["a", "b", None]),
    st.sampled_from([1, 2, None]),
    st.sampled_from(["y", "n", None]),
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Record], list[list[Record]]]:
    """People and one to three syntheses of them; a synthetic record often keeps what it was made
    from.
    """
    people = draw(st.lists(RECORD, min_size=1, max_size=16))
    syntheses = []
    for _ in range(draw(st.integers(1, 3))):
        kept = draw(st.lists(st.booleans(), min_size=len(people), max_size=len(people)))
        syntheses.append(
            [person if keep else draw(RECORD) for person, keep in zip(people, kept, strict=True)]
        )
    return people, syntheses


@examples(30)
@given(
    world=worlds(), passes=st.sampled_from([1, 1, 1, 1, 3, 7]), seed=st.none() | st.integers(0, 9)
)
def test_matches_are_those_of_plain_enumeration(
    world: tuple[list[Record], list[list[Record]]], passes: int, seed: int | None
) -> None:
    """By place; or with a seed by id, the rows of every file in an order of its own."""
    people, syntheses = world
    more: dict[str, Any] = {"keys": KEYS, "targets": ["ill"], "aligned": True, "measures": MATCHES}
    files = [table(each) for each in (people, *syntheses)]
    if seed is not None:
        more["id"] = "id"
        files = [shuffled(each, seed + number) for number, each in enumerate((people, *syntheses))]
    with Passes(passes) as engine:
        report = scoring.score(ask(files[0], files[1:], more), Session(engine))
    assert agree(found(report), enumerated(people, syntheses))


def shuffled(records: Sequence[Record], seed: int) -> pa.Table:
    """The records in any order, each with the id of its place."""
    order = random.Random(seed).sample(range(len(records)), len(records))  # noqa: S311 - no secret
    return table([records[place] for place in order], id=[f"person {place}" for place in order])


def many(rows: int = 400, syntheses: int = 3) -> tuple[list[Record], list[list[Record]]]:
    """Enough people for classes of every size."""
    rng = random.Random(4)  # noqa: S311 - no secret

    def record() -> Record:
        return (
            rng.choice(["a", "b", "c", None]),
            rng.choice([*range(30), None]),
            rng.choice(["y", "n"]),
        )

    people = [record() for _ in range(rows)]
    return people, [
        [person if rng.random() < 0.5 else record() for person in people] for _ in range(syntheses)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("passes", few([3, 1, 7]))
def test_many_people_in_several_passes(passes: int) -> None:
    people, syntheses = many()
    asked = ask(
        table(people),
        [table(each) for each in syntheses],
        {"keys": KEYS, "targets": ["ill"], "aligned": True},
    )
    with Passes(passes) as engine:
        report = scoring.score(asked, Session(engine))
    answer = enumerated(people, syntheses)
    assert agree(found(report), answer)
    assert (
        0
        < answer["true_match_rate", "pooled 1-3"][0]
        < answer["perceived_match_risk", "pooled 1-3"][0]
    )
    assert len({row["family"] for row in report.results}) == 5, (
        "with the default families and the union"
    )


def test_the_order_of_the_rows_is_what_aligns_them() -> None:
    people, (synthesis, *_) = many(60)
    asked = {"keys": KEYS, "targets": ["ill"], "aligned": True, "measures": ["matches"]}
    report = sqlrisk.score(table(people), table(synthesis), **asked)
    turned = sqlrisk.score(table(people), table(synthesis[::-1]), **asked)
    assert agree(found(turned), enumerated(people, [synthesis[::-1]]))
    assert found(turned) != found(report)


def test_ties_are_equal_sums_of_different_fractions() -> None:
    """1/6 in one synthesis is 1/10 + 1/15 in two others, though the sums of their
    DOUBLEs differ.
    """
    assert 1 / 10 + 1 / 15 != 1 / 6
    people: list[Record] = [("a", 1, "y")] * 21
    syntheses = [[people[0] if number in held else ("b", 2,
        "n") for number in range(21)] for held in
                 (range(6), range(6, 16), range(6, 21))]  # fmt: skip
    report = sqlrisk.score(
        table(people), [table(each) for each in syntheses], keys=KEYS, targets=["ill"], aligned=True
    )
    assert agree(found(report), enumerated(people, syntheses))
    # 16 candidates for each, their own for 16
    assert found(report)["expected_match_risk", "pooled 1-3"] == (1.0, 21)


@pytest.mark.slow
def test_exclusions_change_who_is_counted_and_not_the_candidates() -> None:
    """Only a missing key: a person is found by the keys."""
    people, syntheses = many(200, 2)
    report = sqlrisk.score(
        table(people), [table(each) for each in syntheses], keys=KEYS, targets=["ill"],
        aligned=True,
        exclude_missing=["town", "ill"], exclude_level={"ill": ["y"]},
    )  # fmt: skip
    counted = [j for j, person in enumerate(people) if person[0] is not None]
    answer = enumerated(people, syntheses, counted)
    assert agree(found(report), answer)
    assert answer != enumerated(people, syntheses)


@pytest.mark.slow
def test_populations_and_weights_count_some_people() -> None:
    people, syntheses = many(200, 3)
    weight = [1.0 + number % 3 for number in range(200)]
    region = ["north" if number % 4 else None for number in range(200)]
    report = sqlrisk.score(
        table(people, weight=weight, region=region), [table(each) for each in syntheses], keys=KEYS,
        targets=["ill"],
        aligned=True, by=["region"], weights="weight", populations="all,uniques",
        population={"b": "town = b"},
    )  # fmt: skip
    sizes = [sum(other[:2] == person[:2] for other in people) for person in people]
    populations = {
        "all": list(range(200)),
        "uniques": [j for j, size in enumerate(sizes) if size == 1],
        "b": [j for j, person in enumerate(people) if person[0] == "b"],
        "region=north": [j for j in range(200) if region[j]],
        "region missing": [j for j in range(200) if not region[j]],
    }
    single = {j: enumerated(people, syntheses, [j]) for j in range(200)}
    for name, members in populations.items():
        assert len(members) > 5
        answer = enumerated(people, syntheses, members)
        own = {
            place: (side[0], side[1] if place[0] == "false_match_rate" else len(members))
            for place, side in answer.items()
        }
        assert agree(found(report, name), own)
        for (measure, label), sides in found(report, name, weighted=True).items():
            expected = [
                sum(weight[j] * float(single[j][measure, label][side]) for j in members)
                for side in (0, 1)
            ]
            if measure != "false_match_rate":
                expected[1] = sum(weight[j] for j in members)
            assert sides == tuple(pytest.approx(each, rel=1e-12) for each in expected)


@pytest.mark.slow
def test_control_has_no_matches() -> None:
    """Nobody made a synthetic record from them."""
    people, syntheses = many(80, 2)
    asked = {"keys": KEYS, "targets": ["ill"], "aligned": True, "measures": ["identity", "matches"]}
    report = sqlrisk.score(
        table(people), [table(each) for each in syntheses], control=table(people[:50]), **asked
    )
    assert agree(found(report), enumerated(people, syntheses))
    assert {row["people"] for row in report["UiO"]} == {
        "original",
        "control",
        "difference",
        "adjusted",
    }


@pytest.mark.slow
def test_a_split_original_is_aligned_by_id() -> None:
    people, (synthesis, *_) = many(100)
    inside = [number for number in range(100) if number % 3]
    ids = list(range(100))
    original = table(people, id=ids, part=["in" if number in inside else "out" for number in ids])
    synthetic = table([synthesis[number] for number in inside], id=inside).take(
        list(range(len(inside)))[::-1]
    )
    asked = {"keys": KEYS, "targets": ["ill"], "aligned": True, "split": "part", "split_in": "in"}
    report = sqlrisk.score(original, synthetic, id="id", **asked)
    assert agree(
        found(report), enumerated([people[j] for j in inside], [[synthesis[j] for j in inside]])
    )
    with pytest.raises(sqlrisk.InputError, match="aligned: a split original"):
        sqlrisk.score(original, synthetic, **asked)


@pytest.mark.slow
def test_several_methods_are_pooled_apart() -> None:
    people, (first, second, third) = many(80)
    report = sqlrisk.score(
        table(people),
        {"cart": [table(first), table(second)], "tree": [table(third)]},
        keys=KEYS,
        targets=["ill"],
        aligned=True,
    )
    numbers = found(report)
    expected = {
        **{
            (measure, f"cart {label}"): side
            for (measure, label), side in enumerated(people, [first, second]).items()
        },
        **{(measure, "tree 1"): side for (measure, _), side in enumerated(people, [third]).items()},
    }
    assert agree(numbers, expected)


@pytest.mark.parametrize("kind", few(["csv", "parquet"], 2))
def test_files_on_disk(tmp_path: Path, kind: str) -> None:
    """Also ids that look like numbers in one kind of file and are text in the other."""
    people, syntheses = many(90, 2)
    write = pc.write_csv if kind == "csv" else pq.write_table
    for number, records in enumerate((people, *syntheses)):
        write(shuffled(records, number), tmp_path / f"{number}.{kind}")
    pq.write_table(shuffled(people, 7), tmp_path / "0.parquet")
    files = [str(tmp_path / "0.parquet"), [str(tmp_path / f"{number}.{kind}") for number in (1, 2)]]
    report = sqlrisk.score(
        *files, keys=KEYS, targets=["ill"], aligned=True, id="id", memory_limit="200MB"
    )
    assert agree(found(report), enumerated(people, syntheses))


def refused(*files: pa.Table, **more: Any) -> str:
    with pytest.raises(sqlrisk.InputError) as error:
        sqlrisk.score(
            files[0], list(files[1:]), keys=KEYS, targets=["ill"], **{"aligned": True, **more}
        )
    return "\n".join(error.value.problems)


PEOPLE: list[Record] = [("a", 1, "y"), ("a", 2, "n"), ("b", 1, "y")]


def test_files_of_different_lengths_are_refused() -> None:
    text = refused(table(PEOPLE), table(PEOPLE), table(PEOPLE[:2]))
    assert "has 3 records and " in text
    assert " has 2" in text
    assert text.count("aligned:") == 1


def test_ids_that_do_not_line_up_are_refused_without_showing_one() -> None:
    def file(*ids: object) -> pa.Table:
        return table(PEOPLE[: len(ids)], id=list(ids))

    good = file("p1", "p2", "secret")
    for other, words in {
        ("p1", "p2", "p3"): "1 of the 3 ids",
        ("p1", "p2"): "and 0 of its 2",
        ("p1", "p2", None): "1 of the 3 records",
        ("p1", "p2", "p2"): "2 different ids for 3 records",
    }.items():
        for files in ((good, file(*other)), (good, good, file(*other))):
            text = refused(*files, id="id")
            assert words in text
            assert "secret" not in text
            assert "p2" not in text
    assert "have no id" in refused(file("p1", None, "p2"), good, id="id")
    assert "2 different ids" in refused(file("p1", "p2", "p2"), good, id="id")
    assert "has no column 'id'; to be" in refused(good, table(PEOPLE), id="id")
    assert "has no column 'idd' (did you mean 'id'?)" in refused(good, good, id="idd")
    assert "types that cannot be compared" in refused(good, file(1, 2, 3), id="id")


def test_a_measure_of_matches_needs_aligned_files() -> None:
    people = table(PEOPLE)
    with pytest.raises(
        sqlrisk.InputError,
        match="true_match_rate needs aligned files: say with --aligned that records of the "
        "files belong together",
    ):
        sqlrisk.score(people, people, keys=KEYS, targets=["ill"], measures=["true_match_rate"])
    with pytest.raises(
        sqlrisk.InputError,
        match="needs aligned files: say with --aligned that records of the files belong together",
    ):
        sqlrisk.sql("true_match_rate", keys=KEYS, targets=["ill"])
    with pytest.raises(sqlrisk.InputError, match="--id"):
        sqlrisk.sql("true_match_rate", keys=KEYS, targets=["ill"], aligned=True)
    families = {
        row["family"] for row in sqlrisk.score(people, people, keys=KEYS, targets=["ill"]).results
    }
    assert "matches" not in families


@pytest.mark.slow
def test_the_report_says_how_files_are_aligned() -> None:
    people = table(PEOPLE, id=[1, 2, 3])
    by_place = sqlrisk.score(people, people, keys=KEYS, targets=["ill"], aligned=True)
    by_id = sqlrisk.score(people, people, keys=KEYS, targets=["ill"], aligned=True, id="id")
    assert "record by record, in the order of the files" in by_place.to_text()
    assert "by id" in by_id.to_text()
    assert by_id.scenario["aligned"] is True
    assert by_id.scenario["measures"] == ["identity", "attribute", "cap", "matches"]
    assert [row["value"] for row in by_id["true_match_rate"]] == [100.0]


def test_the_command_line_takes_aligned_files(tmp_path: Path) -> None:
    people, (synthesis, *_) = many(60)
    pq.write_table(shuffled(people, 1), tmp_path / "original.parquet")
    pq.write_table(shuffled(synthesis, 2), tmp_path / "synthetic.parquet")
    pq.write_table(shuffled(synthesis[:50], 2), tmp_path / "short.parquet")
    words = ["--keys", "town,age", "--targets", "ill", "--aligned", "--format", "json"]
    code, out, _ = command(
        "score", "original.parquet", "synthetic.parquet", *words, "--id", "id", folder=tmp_path
    )
    assert code == 0
    rows = {row["measure"]: row for row in json.loads(out)["results"] if row["family"] == "matches"}
    answer = enumerated(people, [synthesis])
    assert {name: rows[name]["denominator"] for name in MATCHES} == {
        name: answer[name, "1"][1] for name in MATCHES
    }
    assert rows["true_match_rate"]["numerator"] == answer["true_match_rate", "1"][0]
    text = fails(
        "score", "original.parquet", "short.parquet", *words, "-o", "risk.json", folder=tmp_path
    )
    assert "has 60 records" in text
    text = fails(
        "score",
        "original.parquet",
        "short.parquet",
        *words,
        "--id",
        "id",
        "-o",
        "risk.json",
        folder=tmp_path,
    )
    assert "10 of the 60 ids" in text
    assert not re.search(r"person \d", text)


@pytest.mark.slow
def test_a_saved_run_of_aligned_files_and_records_of_them(tmp_path: Path) -> None:
    """Ids that align the files leave the numbers of people as they are, and records their own
    number.
    """
    people, (synthesis, *_) = many(60)
    original, synthetic = shuffled(people, 1), shuffled(synthesis, 2)
    asked = {"keys": KEYS, "targets": ["ill"], "aligned": True, "id": "id"}
    sqlrisk.score(original, synthetic, **asked, save=str(tmp_path / "risk.duckdb"))
    rows = sqlrisk.query(
        str(tmp_path / "risk.duckdb"), "SELECT record, town FROM people ORDER BY ALL"
    ).rows
    assert len(rows) == 60
    assert sqlrisk.records(original, synthetic, str(tmp_path / "risk.parquet"), **asked) == 60
    assert (
        pq.read_table(tmp_path / "risk.parquet")["record"].to_pylist() == original["id"].to_pylist()
    )
    listed = sqlrisk.cells("repU", original, synthetic, **asked)
    assert (
        listed.rows
        == sqlrisk.cells("repU", original, synthetic, keys=KEYS, targets=["ill"]).rows
        != []
    )
