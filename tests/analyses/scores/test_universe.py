"""Against a population: a file of everybody, closeness, estimates from class sizes; by other
programs and record by record.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreement import agree
from oracle import ABSENT, ORACLE, reference_values
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.statistics.uniques_models import pitman, snb, zayatz
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.plan import layout
from sqlrisk.plan.layout import FEW_RECORDS
from tests.analyses.scores.test_populations import KEYS, POPULATIONS, file, rows_of
from tests.docs.test_readme import CENSUS
from tests.docs.test_readme import KEYS as CENSUS_KEYS

SYNTHETIC = [file(2, 60), file(3, 200)]
ORDERED = ["t_closeness_ordered", "t_closeness_ordered_mean"]
LABELS = {"1": [0], "2": [1], "pooled 1-2": [0, 1]}
Found = Mapping[tuple[str, float | None], Mapping[str, Any]]


def numbers(report: sqlrisk.Report) -> Found:
    return {(str(row["measure"]), row["at"]): row for row in report.results}


def near(value: float, error: float = 1e-9) -> Any:
    return pytest.approx(value, rel=error, abs=error)


# ---- other programs


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", few(reference_values("presence"), 9))
def test_presence_and_k_map_are_those_of_the_reference_values(case: dict[str, Any]) -> None:
    scenario, expected = case["scenario"], case["expected"]
    folder, keys = ORACLE / scenario["data"], scenario["keys"]
    tables = {
        name: pq.read_table(folder / f"{name}.parquet") for name in ("original", "control", "syn_1")
    }
    people = [
        tables["original"],
        *([tables["control"]] if "control" in scenario["population"] else []),
    ]
    own = scenario["released"] == "original"
    sizes = sorted(
        {int(size) + step for size in expected["records_by_p"] for step in (0, 1)} | {1, 5}
    )
    report = sqlrisk.score(
        tables["original"], folder / f"{'syn_1' if own else scenario['released']}.parquet",
        keys=keys, measures=["universe"],
        universe=pa.concat_tables([table.select(keys) for table in people],
            promote_options="default"), class_sizes=sizes,
    )  # fmt: skip
    found, of = numbers(report), "" if own else "_syn"
    value = {
        name.removesuffix(of): row["value"]
        for (name, at), row in found.items()
        if at is None and name.endswith(of)
    }
    count = {
        name.removesuffix(of): row["numerator"]
        for (name, at), row in found.items()
        if at is None and name.endswith(of)
    }
    assert (value["k_map"], value["k_map_strict"]) == (
        expected["k_map"],
        expected["k_map_counting_absent_as_0"],
    )
    assert count["absent_from_universe"] == expected["records_not_in_population"]
    assert value["journalist_risk"] == near(expected["highest_risk"])
    assert value["marketer_risk"] == near(100 * expected["mean_risk_of_records"])
    by_size = {size: found[f"universe_size{of}", size]["numerator"] for size in sizes}
    assert {size: n for size, n in by_size.items() if n and size < 5} == {
        int(p): n for p, n in expected["records_by_p"].items() if n
    }
    assert sum(n for size, n in by_size.items() if size < 5) == expected["records_with_p_below_5"]
    assert value["presence_least"] == near(expected["delta_min"])
    assert value["presence_greatest"] == near(expected["delta_max"])
    assert value["presence_mean"] == near(expected["delta_mean_people"])
    assert value["presence_mean_capped"] == near(expected["delta_mean_people_capped"])
    assert count["presence_none"] == expected["people_with_delta_0"]
    assert (
        found[f"presence_at_least{of}", 1]["numerator"] == expected["people_with_delta_at_least_1"]
    )


@pytest.mark.slow
@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", reference_values("anonymity"))
def test_closeness_is_that_of_pycanon_and_arx(case: dict[str, Any]) -> None:
    words = {
        "t_equal": "t_closeness",
        "t_equal_mean_people": "t_closeness_mean",
        "basic_beta": "beta_likeness",
    }
    words |= {"delta": "delta_disclosure", "l_distinct": "l_distinct", "entropy_l": "l_entropy"}
    scenario, expected = case["scenario"], case["expected"]
    people = pq.read_table(ORACLE / scenario["data"] / f"{scenario['file']}.parquet")
    asked = {
        "keys": scenario["keys"],
        "targets": [scenario["target"]],
        "measures": ["closeness", "l_diversity"],
    }
    value = {
        name: row["value"]
        for (name, at), row in numbers(sqlrisk.score(people, people, **asked)).items()
        if at is None
    }
    for word, measure in words.items():
        assert value[measure] == near(expected[word]), (scenario, word)
    # of targets that are numbers
    for word, measure in (("t_ordered", ""), ("t_ordered_mean_people", "_mean")):
        assert value.get(f"t_closeness_ordered{measure}") == (
            near(expected[word]) if word in expected else None
        )
    assert value["beta_beyond"] == near(
        100 * expected["share_of_people_over_the_enhanced_bound_ln"]
    )
    assert (value["delta_absent"] > 0) == expected["delta_has_absent_levels"]


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", reference_values("population_uniques"))
def test_population_uniques_are_those_of_the_reference_values(case: dict[str, Any]) -> None:
    sizes = {
        int(size): int(classes) for size, classes in case["frequencies_of_frequencies"].items()
    }
    expected, population = case["expected"], case["scenario"]["population"]
    if (told := expected["zayatz"]) is not None and told["population_uniques"]:
        assert zayatz(sizes, population) == near(told["population_uniques"]), case["case"]
    if (told := expected["pitman"]) is None:
        assert pitman(sizes, population)[0] is None or 1 not in sizes, case["case"]
    else:
        finite = told[
            "population_uniques_finite_N" if told["interior"] else "population_uniques_at_alpha_0"
        ]
        found, said = pitman(sizes, population)
        assert found == near(finite, 1e-7), case["case"]
        assert (said == "") == told["interior"]
    solved = (expected["snb"] or {}).get("solutions")
    assert snb(sizes, population)[0] == (
        near(solved[0]["population_uniques"], 1e-5) if solved else None
    ), case["case"]


# ---- record by record


def told(person: Mapping[str, Any], here: int, there: int) -> dict[str, Fraction]:
    """What a person, or a released record, adds, by how many of the universe have the keys."""
    risk = Fraction(1, there) if there else Fraction(0)
    return {
        "absent_from_universe": Fraction(there == 0),
        "marketer_risk": risk,
        "universe_size": Fraction(2 <= there < 3),
    }


@pytest.mark.slow
@pytest.mark.parametrize("people", some(["control"], ["original", "control"]))
def test_each_record_is_looked_for_in_the_universe(people: str) -> None:
    files = {"original": file(1), "control": file(9, 90)}
    universe = pa.concat_tables([*files.values(), file(5, 400)]).select(KEYS)
    report = sqlrisk.score(
        file(1), SYNTHETIC, control=file(9, 90), universe=universe, keys=KEYS, targets=["ill"],
        measures=["universe", "UiO"],
        exclude_missing=["sex"], weights="weight",
        population={name: text for name, (text, _) in POPULATIONS.items()},
    )  # fmt: skip
    everybody, persons = Counter(map(keys_of, rows_of(universe))), rows_of(files[people])
    place = ("measure", "at", "synthesis", "population", "people", "weighted")
    found = {tuple(row[name] for name in place): row for row in report.results}
    for population, (_, holds) in {"all": ("", lambda _: True), **POPULATIONS}.items():
        for weighted in (False, True):
            sums: dict[str, Any] = Counter()
            whole, sizes = 0.0, set()
            for person in filter(holds, persons):
                worth, there = person["weight"] if weighted else 1, everybody[keys_of(person)]
                whole += worth
                if person["sex"] is not None:
                    sizes.add(there)
                    for measure, each in told(person, 0, there).items():
                        sums[measure] += worth * each
            for measure in ("absent_from_universe", "marketer_risk", "universe_size"):
                row = found[
                    measure,
                    2 if measure == "universe_size" else None,
                    "1",
                    population,
                    people,
                    weighted,
                ]
                assert (row["numerator"], row["denominator"]) == (
                    near(float(sums[measure])),
                    near(whole),
                )
            if not weighted:
                row = found["k_map", None, "1", population, people, False]
                assert row["value"] == min(sizes - {0}, default=None)
    presence = {row["people"] for row in report.results if row["measure"].startswith("presence")}
    assert presence == {"original"}  # control is no file that is released


def keys_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in KEYS)


@pytest.mark.slow
def test_presence_and_released_records_of_every_file_and_pool() -> None:
    universe = pa.concat_tables([file(1), file(5, 400)]).select(KEYS)
    report = sqlrisk.score(
        file(1), SYNTHETIC, universe=universe, keys=KEYS, targets=["ill"], measures=["universe"]
    )
    everybody = Counter(map(keys_of, rows_of(universe)))
    found = {(row["measure"], row["at"], row["synthesis"]): row for row in report.results}
    for label, chosen in LABELS.items():
        records = [row for number in chosen for row in rows_of(SYNTHETIC[number])]
        for of, released in (("", rows_of(file(1))), ("_syn", records)):
            here = Counter(map(keys_of, released))
            delta = {q: Fraction(here[q], p) for q, p in everybody.items()}
            assert found[f"presence_least{of}", None, label]["value"] == near(
                float(min(delta.values()))
            )
            assert found[f"presence_greatest{of}", None, label]["value"] == near(
                float(max(delta.values()))
            )
            at_half = sum(p for q, p in everybody.items() if delta[q] >= Fraction(1, 2))
            assert found[f"presence_at_least{of}", 0.5, label]["numerator"] == at_half
            capped = sum(min(here[q], p) for q, p in everybody.items())
            assert found[f"presence_mean_capped{of}", None, label]["numerator"] == capped
            risk = sum(
                (
                    Fraction(1, everybody[keys_of(row)])
                    for row in released
                    if everybody[keys_of(row)]
                ),
                Fraction(0),
            )
            assert found[f"marketer_risk{of}", None, label]["numerator"] == near(float(risk))
            assert found[f"k_map{of}", None, label]["value"] == min(
                everybody[q] for q in here if everybody[q]
            )


@pytest.mark.slow
def test_no_other_number_moves_with_a_universe() -> None:
    """It has levels of its own, no target, and numbers beyond those of the files, which would move
    breaks.
    """
    original, synthetic = file(1), file(2)
    universe = pa.table(
        {"sex": ["f", "x"] * 100, "age": pa.array([*range(100, 127)] * 7 + [None] * 11, pa.int16())}
    )
    asked: dict[str, Any] = {
        "keys": ["sex", "age"],
        "targets": ["ill", "income"],
        "bins": {"age": 4},
    }
    asked["measures"] = ["identity", "attribute", "cap", "neighbours", "l_diversity", "guesses"]
    alone, beside = (
        sqlrisk.score(original, synthetic, **asked, **more) for more in ({}, {"universe": universe})
    )
    assert agree(beside.results, alone.results)
    assert beside.assessment == alone.assessment
    assert beside.checks == alone.checks


# ---- level by level


@pytest.mark.parametrize("passes", some([], [1, 3]))
def test_the_distance_of_ordered_levels_is_summed_place_by_place(
    passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of numbers with a missing level, dates, and categories in an order of their own; a text has
    none.
    """
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: passes)
    order = ["flu", "none", "cold"]
    files = [with_order(each, order) for each in (file(1), *SYNTHETIC, file(9, 90))]
    report = sqlrisk.score(
        files[0], files[1:-1], control=files[-1], keys=KEYS,
        targets=["age", "felt", "since", "ill"], measures=["closeness"],
        exclude_level={"age": "40"}, weights="weight",
        population={name: text for name, (text, _) in POPULATIONS.items()},
    )  # fmt: skip
    place = ("measure", "target", "synthesis", "population", "people", "weighted")
    found = {tuple(row[name] for name in place): row for row in report.results}
    assert {row["target"] for row in report.results if "ordered" in row["measure"]} == {
        "age",
        "felt",
        "since",
    }
    for whose, table in (("original", files[0]), ("control", files[-1])):
        persons = rows_of(table)
        for target, first in (("age", [None]), ("since", []), ("felt", [])):
            levels = (
                order if target == "felt" else sorted({row[target] for row in persons} - {None})
            )
            levels = [
                level for level in [*first, *levels] if any(row[target] == level for row in persons)
            ]
            classes = {
                q: [row for row in persons if keys_of(row) == q] for q in map(keys_of, persons)
            }
            distance = {q: apart(rows, persons, target, levels) for q, rows in classes.items()}
            for population, (_, holds) in {"all": ("", lambda _: True), **POPULATIONS}.items():
                inside = list(filter(holds, persons))
                counted = [row for row in inside if (target, row[target]) != ("age", 40)]
                most = max((distance[keys_of(row)] for row in counted), default=None)
                for label in LABELS:
                    row = found["t_closeness_ordered", target, label, population, whose, False]
                    assert row["value"] == (None if most is None else near(float(most))), row
                for weighted in (False, True):
                    worth = [
                        (row["weight"] if weighted else 1) * float(distance[keys_of(row)])
                        for row in counted
                    ]
                    row = found[
                        "t_closeness_ordered_mean", target, "1", population, whose, weighted
                    ]
                    assert row["numerator"] == near(sum(worth)), row
                    assert row["denominator"] == near(
                        sum(row["weight"] if weighted else 1 for row in inside)
                    )


@pytest.mark.parametrize("few_records", few([0, FEW_RECORDS], 2))
def test_many_places(few_records: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that are passed at the first, the last and every place between, among twelve;
    comparisons apart and together.
    """
    monkeypatch.setattr(layout, "FEW_RECORDS", few_records)
    draw = random.Random(5)  # noqa: S311 - no secret
    original, control = (
        pa.table(
            {
                "k": draw.choices("abcdefgh", k=size),
                "t": [min(11, int(draw.expovariate(0.2))) for _ in range(size)],
            }
        )
        for size in (40, 30)
    )
    report = sqlrisk.score(
        original,
        [original.slice(0, 9), control],
        control=control,
        keys=["k"],
        targets=["t"],
        measures=ORDERED,
    )
    found = {(row["people"], row["synthesis"], row["measure"]): row for row in report.results}
    for whose, table in (("original", original), ("control", control)):
        persons = table.to_pylist()
        levels = sorted({row["t"] for row in persons})
        distance = {
            q: apart([row for row in persons if row["k"] == q], persons, "t", levels)
            for q in {row["k"] for row in persons}
        }
        for label in LABELS:
            assert found[whose, label, ORDERED[0]]["value"] == near(float(max(distance.values())))
            assert found[whose, label, ORDERED[1]]["numerator"] == near(
                float(sum(distance[row["k"]] for row in persons))
            )


def apart(
    some: list[dict[str, Any]], every: list[dict[str, Any]], target: str, levels: Sequence[object]
) -> Fraction:
    """The ordered distance of some people's levels from those of all, one place after the other."""
    total = upto = Fraction(0)
    for level in levels:
        shares = [
            Fraction(sum(row[target] == level for row in rows), len(rows)) for rows in (some, every)
        ]
        upto += shares[0] - shares[1]
        total += abs(upto)
    return total / (len(levels) - 1)


def with_order(table: pa.Table, order: Sequence[str]) -> pa.Table:
    """The table with a column of categories in an order, and one of dates."""
    felt = [order[number % 5 % 3] for number in range(table.num_rows)]
    kind = pa.DictionaryArray.from_arrays(
        pa.array(map(order.index, felt), pa.int8()), list(order), ordered=True
    )
    since = pa.array(
        [date(2020, 1, 1) + timedelta(number * number % 23) for number in range(table.num_rows)]
    )
    return table.append_column("felt", kind).append_column("since", since)


def test_an_order_of_levels_is_needed() -> None:
    with pytest.raises(
        sqlrisk.InputError, match="t_closeness_ordered: no target has ordered levels"
    ):
        sqlrisk.score(file(1), file(2), keys=KEYS, targets=["ill"], measures="t_closeness_ordered")
    with pytest.raises(sqlrisk.InputError, match=r"no target has ordered levels.*--types"):
        sqlrisk.sql("t_closeness_ordered", keys=["sex"], targets=["income"])
    assert "place_upto" in sqlrisk.sql(
        "t_closeness_ordered", keys=["sex"], targets=["income"], types="income=INTEGER"
    )


# ---- estimates from class sizes


def test_estimates_are_of_the_sizes_of_the_classes() -> None:
    original, synthetic = file(1), file(2)
    report = sqlrisk.score(
        original, synthetic, keys=KEYS, targets=["ill"], sampled=0.25, measures=["UiO"]
    )
    sizes = Counter(Counter(map(keys_of, rows_of(original))).values())
    rows = {row["model"]: row for row in report.population_uniques}
    assert {row["population"] for row in rows.values()} == {600}
    assert {row["sample_uniques"] for row in rows.values()} == {sizes[1]}
    assert rows["Zayatz"]["population_uniques"] == near(zayatz(sizes, 600) or 0)
    assert rows["Pitman"]["population_uniques"] == near(pitman(sizes, 600)[0] or 0)
    assert report.to_dict()["population_uniques"] == report.population_uniques
    assert "Population uniques" in report.to_text()


def test_a_sample_of_everybody_has_its_own_uniques() -> None:
    sizes = {1: 7, 2: 3, 5: 1}
    assert zayatz(sizes, 18) == near(7)
    assert snb(sizes, 18)[0] == near(7)
    assert zayatz({2: 4}, 20) is None
    assert pitman({1: 8}, 20)[0] is None
    assert pitman({8: 1}, 20)[0] is None
    assert snb({1: 3, 3: 1}, 20)[0] is None


# ---- what is refused


def test_a_universe_lacks_a_key_or_is_not_known_there() -> None:
    asked: dict[str, Any] = {"keys": KEYS, "targets": ["ill"]}
    with pytest.raises(sqlrisk.InputError, match=r"keys: the universe .*has no column 'town'"):
        sqlrisk.score(file(1), file(2), universe=file(5).select(["sex", "ill"]), **asked)
    with pytest.raises(
        sqlrisk.InputError,
        match=r"k_map needs a universe: give a file of the whole population with --universe",
    ):
        sqlrisk.score(file(1), file(2), measures=["k_map"], **asked)
    capitals = file(5).select(["sex"]).rename_columns(["Sex"])
    with pytest.raises(
        sqlrisk.InputError, match=r"the universe .*has no column 'sex' \(did you mean 'Sex'\?\)"
    ):
        sqlrisk.score(file(1), file(2), universe=capitals, keys=["sex"], targets=["ill"])
    scenarios = {"one": {"keys": ["age"]}, "two": {"keys": ["town"]}}
    with pytest.raises(
        sqlrisk.InputError, match=r"^scenario 'two': keys: the universe .*has no column 'town'"
    ):
        sqlrisk.score_all(
            scenarios, file(1), file(2), targets=["ill"], universe=file(5).select(["age"])
        )
    with pytest.raises(
        sqlrisk.InputError, match=r"universe: only `sqlrisk score`, sql and compile use it"
    ):
        sqlrisk.sweep(file(1), file(2), **asked, universe=file(5))
    with pytest.raises(sqlrisk.InputError, match=r"the universe .*has no records"):
        sqlrisk.score(file(1), file(2), universe=file(5).slice(0, 0), **asked)


@pytest.mark.slow
@pytest.mark.skipif(
    not (CENSUS / "control.parquet").exists(), reason="the census files are not here"
)
def test_the_census_as_a_sample_of_itself_and_control() -> None:
    files = {name: CENSUS / f"{name}.parquet" for name in ("original", "cart_1", "control")}
    universe = pa.concat_tables(
        [pq.read_table(files[name], columns=list(CENSUS_KEYS)) for name in ("original", "control")]
    )
    asked = {
        "keys": CENSUS_KEYS,
        "targets": ["income"],
        "measures": ["universe", "UiO"],
        "sampled": 2 / 3,
    }
    report = sqlrisk.score(files["original"], files["cart_1"], universe=universe, **asked)
    found = numbers(report)
    assert found["absent_from_universe", None]["numerator"] == 0
    # Two thirds of everybody are in the original, so of those alone in the universe, and the models
    # see the original only.
    alone = found["universe_size", 1]["numerator"]
    estimates: Sequence[Any] = [row["population_uniques"] for row in report.population_uniques]
    assert all(estimate == pytest.approx(1.5 * alone, rel=0.2) for estimate in estimates), (
        alone,
        estimates,
    )


@pytest.mark.slow
def test_a_page_a_saved_run_and_a_manifest_know_the_universe(tmp_path: Path) -> None:
    paths = {
        name: str(tmp_path / f"{name}.parquet") for name in ("original", "synthetic", "everybody")
    }
    for seed, path in enumerate(paths.values(), start=1):
        pq.write_table(
            file(seed).select([*KEYS, "ill"]) if seed < 3 else file(seed, 400).select(KEYS), path
        )
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'universe = "everybody.parquet"\nkeys = ["sex", "town"]\ntargets = ["ill"]\n',
        encoding="utf-8",
    )
    report = sqlrisk.score(
        paths["original"], paths["synthetic"], scenario=str(scenario), distributions=True,
        sampled=0.5, listings=True,
        save=str(tmp_path / "run.duckdb"),
    )  # fmt: skip
    page = report.to_html()
    assert "Presence in the file" in page
    assert "Population uniques" in page
    assert report.universe == {"source": paths["everybody"], "records": 400}
    inputs: Any = report.manifest()["inputs"]
    assert [(each["role"], each["records"]) for each in inputs] == [
        ("original", 150),
        ("synthetic", 150),
        ("universe", 400),
    ]
    alone = sqlrisk.cells(
        "DiSCO", paths["original"], paths["synthetic"], keys=KEYS, targets=["ill"], limit=5
    )
    assert sqlrisk.cells("DiSCO", str(tmp_path / "run.duckdb"), limit=5).rows == alone.rows
