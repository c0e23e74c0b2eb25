"""Whole rows: against the reference values, and against a plain loop over all pairs of records."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from oracle import ABSENT, ORACLE, reference_values
from quickly import few, some

import sqlrisk
from sqlrisk.common.errors import InputError
from sqlrisk.engines.duckdb import DuckDB

# the word of the reference values -> the measure of that direction, and the field that has it
PEOPLE = {
    "records_found": ("copied_people", "numerator"),
    "share": ("copied_people", "value"),
    "distinct_found": ("copied_rows", "numerator"),
    "pairs": ("copies_per_person", "numerator"),
    "one_to_one": ("copied_people_one_to_one", "numerator"),
    "unique_found": ("copied_uniques", "numerator"),
    "unique_in_both": ("copied_uniques_once", "numerator"),
}
RECORDS = {
    "records_found": ("copied_records", "numerator"),
    "share": ("copied_records", "value"),
    "unique_found": ("copied_unique_records", "numerator"),
}
WAYS = {
    "original_in_synthetic": (PEOPLE, "original"),
    "control_in_synthetic": (PEOPLE, "control"),
    "synthetic_in_original": (RECORDS, "original"),
    "synthetic_in_control": (RECORDS, "control"),
}
Row = tuple[Any, ...]
COLUMNS = ("a", "b", "c", "d")


def numbers(
    report: sqlrisk.Report, synthesis: str = "1"
) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    rows = [
        row
        for row in report.results
        if row["synthesis"] == synthesis and row["population"] == "all"
    ]
    return {(row["measure"], row["at"], row["people"]): row for row in rows}


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.slow
@pytest.mark.parametrize("case", reference_values("copies"))
def test_the_reference_values_are_met(case: dict[str, Any]) -> None:
    scenario, expected = case["scenario"], case["expected"]
    columns = scenario["columns"]
    files = {
        name: pq.read_table(
            ORACLE / scenario["data"] / f"{scenario[name]}.parquet", columns=columns
        )
        for name in ("original", "synthesis", "control")
    }
    sides = {
        "original": files["original"],
        "synthetic": [files["synthesis"], files["control"]],
        "control": files["control"],
    }
    report = sqlrisk.score(**sides, keys=columns[:1], measures="copies", row_radius=0)
    found, among_people = numbers(report), numbers(report, "2")
    for way, (words, people) in WAYS.items():
        for word, (measure, field) in words.items():
            value = found[measure, None, people][field] / (100 if word == "share" else 1)
            assert value == pytest.approx(expected[way][word], rel=1e-9, abs=1e-9), (
                scenario,
                way,
                word,
            )
    for word, (measure, field) in PEOPLE.items():  # control, as if it were a synthetic file
        value = among_people[measure, None, "original"][field] / (100 if word == "share" else 1)
        assert value == pytest.approx(expected["original_in_control"][word], rel=1e-9, abs=1e-9)
    for people in ("original", "control"):
        value = found["copied_records_equal_size", None, people]["value"] / 100
        expected_share = expected["equal_size"][f"expected_share_of_synthetic_in_{people}"]
        assert value == pytest.approx(expected_share, rel=1e-9, abs=1e-9), scenario


def people(seed: int, count: int) -> list[Row]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [
        (
            rng.choice("xyz"),
            rng.choice([1, 2, None]),
            rng.choice([0.5, 1.5, None]),
            rng.choice("pqrst"),
        )
        for _ in range(count)
    ]


def table(rows: Sequence[Row]) -> pa.Table:
    return pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


def apart(one: Row, other: Row) -> int:
    return sum(left != right for left, right in zip(one, other, strict=True))


def recount(
    mine: Sequence[Row], others: Sequence[Row], records: Sequence[Row], radius: int
) -> dict[tuple[str, int | None], float]:
    """The values of every measure, by all pairs of records; ``others``: the people of the other
    file.
    """
    x, y, n = Counter(mine), Counter(records), min(len(mine), len(others))
    lone = [row for row in mine if x[row] == 1]
    alone = [row for row in records if y[row] == 1]

    def nearest(row: Row, rows: Sequence[Row]) -> int:
        return min(radius + 1, *(apart(row, each) for each in rows))

    drawn = sum(1 - Fraction(comb(len(mine) - x[row], n), comb(len(mine), n)) for row in records)
    pairs = [(nearest(row, mine), nearest(row, others)) for row in records]
    found: dict[tuple[str, int | None], float] = {
        ("copied_people", None): 100 * sum(y[row] > 0 for row in mine) / len(mine),
        ("copied_people_one_to_one", None): 100 * sum(min(x[row], y[row]) for row in x) / len(mine),
        ("copies_per_person", None): sum(y[row] for row in mine) / len(mine),
        ("copied_uniques", None): 100 * sum(y[row] > 0 for row in lone) / len(lone),
        ("copied_uniques_once", None): 100 * sum(y[row] == 1 for row in lone) / len(lone),
        ("copied_rows", None): 100 * sum(y[row] > 0 for row in x) / len(x),
        ("copied_records", None): 100 * sum(x[row] > 0 for row in records) / len(records),
        ("copied_unique_records", None): 100 * sum(x[row] > 0 for row in alone) / len(alone),
        ("copied_records_equal_size", None): float(100 * drawn / len(records)),
        ("records_nearer", None): sum(
            (1 + (one < other) - (one > other)) / 2 for one, other in pairs
        )
        / len(records),
    }
    for at in range(radius + 1):
        found["people_within", at] = (
            100 * sum(nearest(row, records) <= at for row in mine) / len(mine)
        )
        found["records_within", at] = 100 * sum(one <= at for one, _ in pairs) / len(records)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("passes", some([3], [1, 3]))
def test_all_pairs_of_records_give_the_same_numbers(
    passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: passes)
    original, control, files = people(1, 70), people(2, 45), [people(3, 60), people(4, 25)]
    report = sqlrisk.score(
        table(original),
        [table(each) for each in files],
        control=table(control),
        keys=["a"],
        measures=["copies", "repU"],
        row_radius=2,
    )
    for label, records in {
        "1": files[0],
        "2": files[1],
        "pooled 1-2": [*files[0], *files[1]],
    }.items():
        found = numbers(report, label)
        for who, mine, others in (("original", original, control), ("control", control, original)):
            expected = recount(mine, others, records, 2)
            assert {
                (measure, at) for measure, at, whose in found if whose == who and measure != "repU"
            } == expected.keys()
            for (measure, at), value in expected.items():
                assert found[measure, at, who]["value"] == pytest.approx(value, rel=1e-12), (
                    label,
                    who,
                    measure,
                    at,
                )
    # other measures are those of a run without copies
    assert found["repU", None, "original"]["denominator"] == 70


@pytest.mark.slow
def test_ids_and_roles_are_no_part_of_a_row_and_recodes_and_bins_change_none() -> None:
    original, records = people(5, 40), people(6, 30)
    plain = sqlrisk.score(table(original), table(records), keys=["a"], measures="copies")
    numbered = [
        table(rows)
        .append_column("person", pa.array(range(start, start + len(rows))))
        .append_column("note", pa.array(["x"] * len(rows)))
        for start, rows in ((0, original), (1000, records))
    ]
    said = {
        "column": {"note": {"role": "other"}, "d": {"merge": {"pq": ["p", "q"]}}},
        "bins": {"c": 2},
        "id": "person",
    }
    asked = sqlrisk.score(*numbered, keys=["a", "c", "d"], measures="copies", **said)
    assert plain.results == asked.results != []


@pytest.mark.slow
def test_beside_other_scenarios_and_the_union_nothing_changes() -> None:
    files = table(people(7, 40)), table(people(8, 40))
    alone = sqlrisk.score(*files, keys=["a", "b"], targets=["d"], measures=["copies", "DiSCO"])
    together = sqlrisk.score_all(
        {"one": {"keys": ["a", "b"]}, "two": {"keys": ["c"]}},
        *files,
        targets=["d"],
        measures=["copies", "DiSCO"],
    )
    assert together["one"].results == alone.results
    own = [row for row in alone.results if row["family"] == "copies"]
    assert [row for row in together["two"].results if row["family"] == "copies"] == own
    # without control two measures have nothing to compare
    assert len({row["measure"] for row in own}) == 10


def test_what_cannot_be_done_is_told() -> None:
    files = table(people(9, 20)), table(people(10, 20))
    with pytest.raises(
        InputError, match=r"Rows that differ in up to 3 of 4 columns: 14 sets .* --row-radius"
    ):
        sqlrisk.score(*files, keys=["a"], measures="copies", row_radius=3, work_limit=100)
    with pytest.raises(InputError, match="records_nearer needs control"):
        sqlrisk.score(*files, keys=["a"], measures="records_nearer")
    with pytest.raises(InputError, match="copied_people compares whole rows, not keys"):
        sqlrisk.sweep(*files, keys=["a", "b"], measures="copies")
    with pytest.raises(InputError, match="copied_people compare whole rows"):
        sqlrisk.sql("copied_people", keys=["a"], targets=["b"])


@pytest.mark.parametrize(
    ("small", "large", "alike"), few([(3, 60, 57), (1, 4000, 3000), (50, 51, 40)])
)
def test_a_draw_of_few_is_exact(small: int, large: int, alike: int) -> None:
    """Beyond where a draw is certain to have one, and where the smaller file is very small."""
    rows = [("x", 1, 0.5, "p")] * alike + [
        ("y", number, 0.5, "p") for number in range(large - alike)
    ]
    files = table(rows), table([("z", 1, 0.5, "p")] * small)
    chance = 1 - Fraction(comb(large - alike, small), comb(large, small))
    for original, control in (files, files[::-1]):
        synthetic = table([rows[0], ("z", 1, 0.5, "p")])  # in one of the files each
        report = sqlrisk.score(
            original, synthetic, control=control, keys=["a"], measures="copied_records_equal_size"
        )
        values = [
            row["value"] for row in report.results if row["people"] in ("original", "control")
        ]
        wanted = [float(50 * chance), 50.0]
        assert values == pytest.approx(wanted if original is files[0] else wanted[::-1], rel=1e-11)


def test_every_table_is_in_the_script_of_a_measure(tmp_path: Any) -> None:
    """What `sqlrisk sql` prints of a measure of whole rows, run as it is, gives its number."""
    import duckdb

    rows = {"o": people(11, 30), "s": people(12, 30)}
    paths = [tmp_path / f"{name}.parquet" for name in rows]
    for path, each in zip(paths, rows.values(), strict=True):
        pq.write_table(table(each), path)
    script = sqlrisk.sql("records_within", *paths, keys=["a"], targets=["b"])
    found = duckdb.connect().execute(script).fetchall()
    report = sqlrisk.score(*paths, keys=["a"], targets=["b"], measures="records_within")
    assert [row[-1] for row in found] == [row["value"] for row in report.results]
    assert len(found) == 2
