"""k-anonymity, l-diversity, majority votes and bounds: against other programs, a paper's tables,
and what must hold.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.preparation.encoding import encode
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask
from sqlrisk.plan import comparisons, encoding, pass_tables

SDCMICRO = oracle.ORACLE / "sdcrisk"
# In testdata_NA some records have so few keys that they could belong to every class.
CASES = [
    name
    for name in sorted(path.parent.name for path in SDCMICRO.glob("*/case.json"))
    if not name.startswith("testdata_NA")
]
absent = pytest.mark.skipif(not CASES, reason=oracle.ABSENT)
NEW = ["k_anonymity", "l_diversity", "neighbours", "bounds"]
Records = list[dict[str, Any]]


def values(report: sqlrisk.Report) -> dict[tuple[str, Any], Any]:
    """Values by measure and point."""
    rows: list[dict[str, Any]] = report.results
    return {(row["measure"], row["at"]): row["value"] for row in rows}


def numerators(report: sqlrisk.Report) -> dict[tuple[str, Any], Any]:
    """Numerators by measure, the last point of each."""
    rows: list[dict[str, Any]] = report.results
    return {(row["measure"], "people"): row["numerator"] for row in rows}


# --------------------------------------------------------------------------------------------------
# sdcMicro


def sdcmicro(name: str, target: str | None = None) -> tuple[list[str], Records]:
    """The keys of a case and its records with what sdcMicro says of each.

    Its missing values match everything, ours are a level: classes that an incomplete record could
    belong to are left out as a whole, and so are classes with a missing target, which it counts as
    a level of its own each time.
    """
    folder = SDCMICRO / name
    keys: list[str] = json.loads((folder / "case.json").read_text())["keys"]
    data, said = (
        pq.read_table(folder / f"{part}.parquet").to_pylist() for part in ("data", "result")
    )
    rows = [
        row | {f"sdc {column}": value for column, value in other.items()}
        for row, other in zip(data, said, strict=True)
    ]
    rows = [row | {"class": tuple(row[key] for key in keys)} for row in rows]
    wild = {row["class"] for row in rows if None in row["class"]}
    left_out = {row["class"] for row in rows if target and row[target] is None}
    left_out |= {
        q
        for q in {row["class"] for row in rows}
        for w in wild
        if all(None in (a, b) or a == b for a, b in zip(q, w, strict=True))
    }
    return keys, [row for row in rows if row["class"] not in left_out]


def table(rows: Records, columns: Sequence[str]) -> pa.Table:
    return pa.table({column: [row[column] for row in rows] for column in columns})


def targets_of(name: str) -> list[str]:
    names = pq.read_schema(SDCMICRO / name / "result.parquet").names
    return [
        each.removeprefix("ld_").removesuffix("_Distinct_Ldiversity")
        for each in names
        if each.endswith("_Distinct_Ldiversity")
    ]


DIVERSE = [(name, target) for name in CASES for target in targets_of(name)]


@absent
@pytest.mark.parametrize("name", few(CASES))
def test_class_sizes_and_reidentifications_of_sdcmicro(name: str) -> None:
    keys, rows = sdcmicro(name)
    assert len(rows) > 0.6 * pq.read_metadata(SDCMICRO / name / "data.parquet").num_rows
    people = table(rows, keys).append_column("t", pa.array([0] * len(rows)))
    report = sqlrisk.score(
        people, people, keys=keys, targets=["t"], measures=["k_anonymity"], class_sizes="1,2,3,5"
    )
    sizes = Counter(min(row["sdc fk"], 5) for row in rows)
    expected = {1: sizes[1], 2: sizes[2], 3: sizes[3] + sizes[4], 5: sizes[5]}
    assert {row["at"]: row["numerator"] for row in report["class_size"]} == expected
    (row,) = report["reidentifications"]
    assert row["numerator"] == pytest.approx(sum(1 / each["sdc fk"] for each in rows), rel=1e-12)


@absent
@pytest.mark.parametrize("name", ["testdata_nw"])
def test_the_global_risk_of_sdcmicro_as_it_prints_it(name: str) -> None:
    """Without weights and missing values: the whole file."""
    case = json.loads((SDCMICRO / name / "case.json").read_text())
    data = pq.read_table(SDCMICRO / name / "data.parquet")
    report = sqlrisk.score(
        data,
        data,
        keys=case["keys"],
        targets=["water"],
        measures=["k_anonymity"],
        class_sizes=[1, 2, 3, 5],
    )
    (row,) = report["reidentifications"]
    assert row["numerator"] == pytest.approx(case["measure_risk"]["global_risk_ER"], rel=1e-12)
    assert row["value"] == pytest.approx(case["measure_risk"]["global_risk_pct"], rel=1e-12)
    sizes: list[Any] = [each["numerator"] for each in report["class_size"]]
    assert [sizes[0], sum(sizes[:2]), sum(sizes[:3])] == [
        case[f"k{k}_violations"] for k in (2, 3, 5)
    ]


@absent
@pytest.mark.parametrize(("name", "target"), few(DIVERSE))
def test_every_class_is_as_diverse_as_sdcmicro_says(name: str, target: str) -> None:
    keys, rows = sdcmicro(name, target)
    people = table(rows, [*keys, target])
    theirs = Counter(
        (
            row["sdc fk"],
            row[f"sdc ld_{target}_Distinct_Ldiversity"],
            f"{row[f'sdc ld_{target}_Entropy_Ldiversity']:.9f}",
            row[f"sdc ld_{target}_Recursive_Ldiversity"],
        )
        for row in rows
    )
    assert profiles(people, keys, target) == theirs


def profiles(people: pa.Table, keys: list[str], target: str) -> Counter[tuple[object, ...]]:
    """People by (class size, levels, entropy l, recursive l), out of the stage itself."""
    question = ask(people, people, {"keys": keys, "targets": [target], "measures": ["l_diversity"]})
    with DuckDB() as engine:
        layout = encode(question, Session(engine))
        for step in (
            *encoding.record(layout),
            pass_tables.classes(layout),
            pass_tables.members(layout),
            pass_tables.cells(layout, layout.targets[0]),
        ):
            engine.run(f"CREATE TABLE {step.table} AS\n{step.sql}")
        profile = comparisons.Cells(layout, layout.comparisons[:1], layout.targets[:1]).profiles()
        found: Counter[tuple[object, ...]] = Counter()
        for n, levels, entropy, recursive in engine.run(
            f"SELECT n_orig, n_levels_orig, entropy_orig, l_recursive FROM ({profile})"
        ):
            found[n, levels, f"{math.exp(entropy):.9f}", recursive] += n
    return found


@pytest.mark.slow
@absent
@pytest.mark.parametrize(("name", "target"), DIVERSE)
@pytest.mark.parametrize("least", some([10], [1, 10, 30]))
def test_the_least_diversity_of_sdcmicro(name: str, target: str, least: int) -> None:
    """Among classes of some size: of small classes the least is always 1."""
    keys, rows = sdcmicro(name, target)
    rows = [row for row in rows if row["sdc fk"] >= least]
    if not rows:
        return
    people = table(rows, [*keys, target])
    report = sqlrisk.score(people, people, keys=keys, targets=[target], measures=["l_diversity"])
    value = values(report)
    assert value["l_distinct", None] == min(
        row[f"sdc ld_{target}_Distinct_Ldiversity"] for row in rows
    )
    assert value["l_recursive", None] == min(
        row[f"sdc ld_{target}_Recursive_Ldiversity"] for row in rows
    )
    assert value["l_entropy", None] == pytest.approx(
        min(row[f"sdc ld_{target}_Entropy_Ldiversity"] for row in rows), rel=1e-12
    )
    ends = [2, 3, 5, 10, math.inf]
    levels = [row[f"sdc ld_{target}_Distinct_Ldiversity"] for row in rows]
    expected = {
        low: sum(low <= n < high for n in levels)
        for low, high in zip((1, 2, 3, 5, 10), ends, strict=True)
    }
    assert {row["at"]: row["numerator"] for row in report["l_distinct_people"]} == expected


# Counts of the tables in Baillargeon & Charest 2020: rows are targets, columns are keys.
TABLES = {
    "illustration": [[20, 5], [30, 45]],
    "S of the illustration": [[8, 7], [25, 60]],
    "O1": [[100] * 3] * 3,
    "O3": [[0, 176, 204], [0, 78, 93], [127, 163, 59]],
    "O4": [[0, 0, 62], [197, 136, 134], [74, 99, 198]],
    "S_a": [[114, 118, 77], [104, 44, 134], [105, 86, 118]],
    "S_b": [[24, 36, 15], [226, 113, 213], [216, 54, 3]],
    "S_e": [[67, 97, 153], [37, 114, 101], [169, 14, 148]],
    "S_g": [[129, 137, 99], [2, 131, 147], [91, 111, 53]],
}


def records(counts: Sequence[Sequence[int]]) -> pa.Table:
    cells = [(k, t) for t, row in enumerate(counts) for k, n in enumerate(row) for _ in range(n)]
    return pa.table({"key": [k for k, _ in cells], "target": [t for _, t in cells]})


def scored(original: str, synthetic: str, **options: Any) -> dict[tuple[str, Any], Any]:
    report = sqlrisk.score(
        records(TABLES[original]),
        records(TABLES[synthetic]),
        keys=["key"],
        targets=["target"],
        measures=["cap", *NEW],
        **options,
    )
    return values(report) | numerators(report)


@pytest.mark.parametrize(
    ("original", "synthetic", "average"),
    few([("O3", "S_b", 0.31), ("O3", "S_g", 0.35), ("O4", "S_a", 0.318), ("O4", "S_e", 0.309)], 2),
)
def test_the_average_cap_of_the_paper(original: str, synthetic: str, average: float) -> None:
    """Every key occurs in every file, so both versions are the same."""
    value = scored(original, synthetic)
    digits = len(str(average)) - 2
    assert round(value["DCAP", None] / 100, digits) == average
    assert round(value["DCAP_matched", None] / 100, digits) == average


@pytest.mark.parametrize(("synthetic", "people"), few([("S_a", 134), ("S_e", 272)], 2))
def test_the_records_predicted_correctly(synthetic: str, people: int) -> None:
    value = scored("O4", synthetic)
    assert value["accuracy_0CAP", "people"] == value["accuracy_ICAP", "people"] == people


def test_the_minimum_average_cap() -> None:
    value = scored("O1", "O1")
    assert round(value["min_DCAP", None] / 100, 4) == 0.1111
    assert round(value["min_DCAP_matched", None] / 100, 4) == 0.3333
    assert (value["min_DCAP_cells", None], value["min_DCAP_matched_cells", None]) == (9, 9)


def test_the_cap_of_one_person_of_the_illustration() -> None:
    """A sick smoker and a healthy one, each alone with the table as the synthetic file."""
    for table_name, sick, healthy in (
        ("illustration", 0.4, 0.6),
        ("S of the illustration", 0.2424, 0.7576),
    ):
        for target, expected in ((0, sick), (1, healthy)):
            person = pa.table({"key": [0], "target": [target]})
            report = sqlrisk.score(
                person,
                records(TABLES[table_name]),
                keys=["key"],
                targets=["target"],
                measures=["DCAP"],
            )
            assert round(values(report)["DCAP", None] / 100, 4) == expected


@absent
def test_the_tables_are_those_of_the_paper() -> None:
    published = json.loads((oracle.ORACLE / "published" / "published.json").read_text())[
        "baillargeon_charest_tables"
    ]
    names = {"illustration": "O_illustration", "S of the illustration": "S_illustration"}
    assert {names.get(name, name): counts for name, counts in TABLES.items()} == {
        name: published[name] for name in published if isinstance(published[name], list)
    }


# --------------------------------------------------------------------------------------------------
# what must hold

COUNTS = st.lists(
    st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=3
).filter(lambda each: any(map(any, each)))


def measured(
    original: Sequence[Sequence[int]], synthetic: Sequence[Sequence[int]], *measures: str
) -> dict[tuple[str, Any], Any]:
    report = sqlrisk.score(
        records(original), records(synthetic), keys=["key"], targets=["target"], measures=measures
    )
    return values(report) | numerators(report)


@examples(20)
@given(COUNTS)
def test_cap_over_all_targets_of_a_matched_class_is_1(counts: list[list[int]]) -> None:
    """Theorem 1: one person of every level in every class; the CAP of each class adds up to 1."""
    everybody = [[1] * 3 for _ in counts]
    matched = sum(any(row[k] for row in counts) for k in range(3))
    assert measured(everybody, counts, "DCAP")["DCAP", "people"] == pytest.approx(
        matched, rel=1e-12
    )


@examples(30)
@given(COUNTS, COUNTS)
def test_no_file_is_below_the_bounds(original: list[list[int]], synthetic: list[list[int]]) -> None:
    """Files of levels that the original has: another level is right for nobody."""
    levels = {t for t, row in enumerate(original) if any(row)}
    synthetic = [row if t in levels else [0] * 3 for t, row in enumerate(synthetic)]
    if not any(map(any, synthetic)):
        return
    value = measured(original, synthetic, "cap", "bounds")
    assert value["min_DCAP", None] <= value["DCAP", None] + 1e-9 or not matched(original, synthetic)
    assert value["min_DCAP_at_totals", None] <= value["DCAP", None] + 1e-9
    assert value["min_DCAP_at_totals", None] <= value["DCAP_shuffled", None] + 1e-9
    if value["DCAP_matched", None] is not None:
        assert value["min_DCAP_matched", None] <= value["min_DCAP_matched_at_totals", None] + 1e-9
        assert value["min_DCAP_matched_at_totals", None] <= value["DCAP_matched", None] + 1e-9


def matched(original: Sequence[Sequence[int]], synthetic: Sequence[Sequence[int]]) -> bool:
    """Whether any class is in both: a file that shares no key has DCAP 0, below every bound over
    the original's classes.
    """
    return any(
        any(row[k] for row in original) and any(row[k] for row in synthetic) for k in range(3)
    )


@examples(15)
@given(COUNTS)
@pytest.mark.slow
def test_a_file_all_in_a_listed_cell_reaches_the_bound(counts: list[list[int]]) -> None:
    bounds = {"min_DCAP": "DCAP", "min_DCAP_matched": "DCAP_matched"}
    people = records(counts)
    asked = [*bounds, *(f"{measure}_cells" for measure in bounds)]
    report = sqlrisk.score(people, people, keys=["key"], targets=["target"], measures=asked)
    value = values(report)
    for measure, reached in bounds.items():
        cells = report.cells(measure, limit=100)
        assert len(cells) == value[f"{measure}_cells", None] == len(set(cells.rows))
        assert len(cells) == len(report.cells(f"{measure}_cells", limit=100))
        # Each of a method of its own: files of one are pooled.
        each = {
            f"m{n}": pa.table({"key": [key], "target": [level]})
            for n, (key, _, level, *_) in enumerate(cells.rows)
        }
        others = sqlrisk.score(people, each, keys=["key"], targets=["target"], measures=[reached])
        found = {row["synthesis"]: row["value"] for row in others[reached].rows}
        for name in each:
            assert found[f"{name} 1"] == pytest.approx(value[measure, None], rel=1e-12)


Person = tuple[tuple[int, int], str]
PERSON = st.tuples(st.tuples(st.integers(0, 1), st.integers(0, 1)), st.sampled_from("xyz"))


def told(people: Sequence[Person], file: Sequence[Person]) -> dict[str, Fraction]:
    """What a synthetic file tells, person by person."""
    found = right = Fraction(0)
    nearest = Fraction(0)
    for q, t in people:
        apart = [sum(a != b for a, b in zip(q, r, strict=True)) for r, _ in file]
        near = [u for (_, u), far in zip(file, apart, strict=True) if far == min(apart)]
        nearest += Fraction(near.count(t), len(near))
        found += min(apart) == 0
        right += min(apart) == 0 and {*near} == {t}
    alone = [q for q, k in Counter(q for q, _ in people).items() if k == 1]
    copied = sum(k == 1 for q, k in Counter(r for r, _ in file).items() if q in alone)
    n = len(people)
    return {
        "DiSCO": right / n,
        "TCAP": right / found if found else Fraction(-1),
        "GCAP": nearest / n,
        "repU": Fraction(copied, n),
    }


def bounded(
    people: Sequence[Person], keys: Sequence[tuple[int, int]]
) -> tuple[dict[str, list[Fraction]], dict[str, Any]]:
    """What all synthetic files with these keys tell, one by one, and the measures of one of them in
    percent.
    """
    levels = sorted({t for _, t in people})
    every = [
        told(people, [*zip(keys, each, strict=True)]) for each in product(levels, repeat=len(keys))
    ]
    files = [
        pa.table(
            {"a": [q[0] for q, _ in rows], "b": [q[1] for q, _ in rows], "t": [t for _, t in rows]}
        )
        for rows in (people, [(q, levels[0]) for q in keys])
    ]
    report = sqlrisk.score(*files, keys=["a", "b"], targets=["t"], measures=["bounds", "repU"])
    found = {row["measure"]: row["value"] for row in report.results}
    return {name: [each[name] for each in every] for name in every[0]}, found


@pytest.mark.slow
@examples(25)
@given(
    st.lists(PERSON, min_size=1, max_size=9),
    st.lists(PERSON.map(lambda each: each[0]), min_size=1, max_size=5),
)
def test_no_targets_for_the_same_keys_tell_less_or_more(
    people: list[Person], keys: list[tuple[int, int]]
) -> None:
    """Every file of these keys and the levels of the original; DiSCO and TCAP reach their bounds,
    repU has no choice.
    """
    every, found = bounded(people, keys)
    for name in ("DiSCO", "TCAP"):
        for end, choose in (("min", min), ("max", max)):
            wanted = choose(every[name])
            assert found[f"{end}_{name}_at_totals"] == (
                None if wanted < 0 else pytest.approx(float(100 * wanted), abs=1e-9)
            )
    assert {*every["repU"]} == {every["repU"][0]}
    assert found["repU"] == pytest.approx(float(100 * every["repU"][0]), abs=1e-9)
    least, most = (float(100 * end(every["GCAP"])) for end in (min, max))
    assert found["GCAP_no_lower"] <= least + 1e-9
    assert found["GCAP_no_higher"] >= most - 1e-9
    if {q for q, _ in people} <= {*keys}:
        assert (found["GCAP_no_lower"], found["GCAP_no_higher"]) == (
            pytest.approx(least),
            pytest.approx(most),
        )


def test_who_share_their_nearest_records_keep_gcap_from_its_bounds() -> None:
    """One record is nearest to both people, and is right of one of them whatever it says."""
    every, found = bounded([((0, 1), "x"), ((1, 0), "y")], [(0, 0)])
    assert {*every["GCAP"]} == {Fraction(1, 2)}
    assert (found["GCAP_no_lower"], found["GCAP_no_higher"]) == (0, 100)


def test_shuffled_is_the_mean_over_all_permutations() -> None:
    original, keys, targets = TABLES["illustration"], [0, 0, 1, 7], [0, 1, 1, 1]
    people = records(original)
    means: Mapping[str, list[float]] = {"DCAP": [], "DCAP_matched": []}
    for dealt in sorted(set(permutations(targets))):  # each of them as often
        report = sqlrisk.score(
            people,
            pa.table({"key": keys, "target": dealt}),
            keys=["key"],
            targets=["target"],
            measures=["cap"],
        )
        for measure, each in means.items():
            each.append(values(report)[measure, None])
    report = sqlrisk.score(
        people,
        pa.table({"key": keys, "target": targets}),
        keys=["key"],
        targets=["target"],
        measures=["bounds"],
    )
    for measure, each in means.items():
        assert report[f"{measure}_shuffled"].rows[0]["value"] == pytest.approx(
            sum(each) / len(each), rel=1e-12
        )


@examples(12)
@given(COUNTS, COUNTS)
def test_ties_do_not_depend_on_the_order_of_levels(
    original: list[list[int]], synthetic: list[list[int]]
) -> None:
    first = measured(original, synthetic, *NEW)
    other = measured(
        original[::-1], [*synthetic[::-1]] if len(synthetic) == len(original) else synthetic, *NEW
    )
    if len(synthetic) == len(original):
        assert other == {
            key: None if v is None else pytest.approx(v, rel=1e-12) for key, v in first.items()
        }
    else:
        assert other.keys() == first.keys()


# --------------------------------------------------------------------------------------------------
# asked and not asked

PEOPLE = pa.table(
    {"sex": ["f", "f", "m", "m", "m"], "ill": ["y", "n", "y", "y", None], "paid": [1, 1, 2, 2, 2]}
)


def test_nothing_of_it_is_computed_unless_it_is_asked_for() -> None:
    statements: list[str] = []
    sqlrisk.score(
        PEOPLE, PEOPLE, keys=["sex"], targets=["ill"], trace=lambda sql, _: statements.append(sql)
    )
    assert statements
    assert not any("entropy_orig" in sql or "profile_parts" in sql for sql in statements)
    sqlrisk.score(
        PEOPLE,
        PEOPLE,
        keys=["sex"],
        targets=["ill"],
        measures=["l_distinct"],
        trace=lambda sql, _: statements.append(sql),
    )
    assert any("entropy_orig" in sql and "profile_parts" in sql for sql in statements)


@pytest.mark.slow
def test_the_least_cells_of_several_targets() -> None:
    """ill: nobody of the women's class has a missing level; paid: each class lacks a level."""
    listing = sqlrisk.cells("min_DCAP", PEOPLE, PEOPLE, keys=["sex"], targets=["ill", "paid"])
    assert listing.columns == [
        "sex",
        "target",
        "level",
        "n_orig",
        "n_syn",
        "n_orig_class",
        "n_syn_class",
    ]
    assert listing.rows == [
        ("m", "ill", "n", 0, 0, 3, 3),
        ("m", "paid", 1, 0, 0, 3, 3),
        ("f", "paid", 2, 0, 0, 2, 2),
        ("f", "ill", None, 0, 0, 2, 2),
    ]
    assert (
        sqlrisk.cells(
            "min_DCAP", PEOPLE, PEOPLE, keys=["sex"], targets=["ill", "paid"], limit=1
        ).rows
        == listing.rows[:1]
    )


@pytest.mark.parametrize("given_sizes", few(["1,4", [4, 1], [1, 4, 4], " 4 , 1 ", ["1", "4"]], 5))
def test_sizes_are_put_in_order(given_sizes: Any) -> None:
    report = sqlrisk.score(
        PEOPLE,
        PEOPLE,
        keys=["sex"],
        targets=["ill"],
        measures=["class_size"],
        class_sizes=given_sizes,
    )
    assert report.scenario["class_sizes"] == [1, 4]
    assert [(row["at"], row["numerator"]) for row in report.results] == [(1, 5), (4, 0)]


def test_the_sizes_of_the_setting_are_those_of_the_file() -> None:
    (measure,) = [each for each in sqlrisk.measures() if each.name == "class_size"]
    assert measure.at_setting == "class_sizes"
    assert [int(at) for at in measure.at] == list(
        ask(PEOPLE, PEOPLE, {"keys": ["sex"]}).scenario.class_sizes
    )


@pytest.mark.slow
def test_sizes_in_a_printed_script() -> None:
    script = sqlrisk.sql(
        "class_size", PEOPLE, PEOPLE, keys=["sex"], targets=["ill"], class_sizes="2,7"
    )
    assert "n_orig >= 2 AND (7 IS NULL OR n_orig < 7)" in script
    assert "n_orig >= 7 AND (NULL IS NULL OR n_orig < NULL)" in script


@pytest.mark.parametrize(
    ("exclude", "expected"), few(product([False, True], ["original", "control"]))
)
def test_bounds_of_weighted_people_control_and_populations(exclude: bool, expected: str) -> None:
    """Two classes a and b, levels y and n: the weighted bound is the lightest cell; control has its
    own cells.
    """
    people = pa.table(
        {"q": list("aaabbb"), "t": list("yynynn"), "w": [1.0, 1.0, 0.5, 5.0, 2.0, 2.0]}
    )
    control = pa.table({"q": list("aab"), "t": list("yny"), "w": [1.0, 1.0, 3.0]})
    options: dict[str, Any] = {"exclude_level": {"t": ["n"]}} if exclude else {}
    report = sqlrisk.score(
        people, people.select(["q", "t"]), keys=["q"], targets=["t"], measures=["bounds"],
        weights="w", control=control,
        populations=["all", "uniques"], **options,
    )  # fmt: skip
    found = {
        row["weighted"]: (row["numerator"], row["denominator"])
        for row in report["min_DCAP"]
        if row["people"] == expected and row["population"] == "all"
    }
    weighted, counted = {"original": ((0.5, 11.5), (1, 6)), "control": ((0.0, 5.0), (0, 3))}[
        expected
    ]
    if exclude:  # nobody at n is counted, so a file all in n has DCAP 0
        weighted, counted = (0.0, weighted[1]), (0, counted[1])
    assert found == {False: counted, True: weighted}
