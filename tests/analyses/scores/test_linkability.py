"""Linkability and singling out: person by person, against the reference values, and what is
refused.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest
from oracle import ABSENT, ORACLE, reference_values
from quickly import few, some

import sqlrisk
from sqlrisk.catalogue.measures import catalog
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.report.html import charts
from tests.analyses.scores.test_populations import POPULATIONS, file, rows_of

Row = Mapping[str, Any]

# the word of the reference values -> the measure, and the field that has it
WORDS = {
    "records": ("linked", "denominator"),
    "radius0_links": ("linked", "numerator"),
    "A_and_B_found": ("sides_found", "numerator"),
    "radius0_split": ("linked_drawn", "numerator"),
    "nearest_any_links": ("linked_nearest", "numerator"),
    "nearest_split_independent": ("linked_nearest_drawn", "numerator"),
    "nearest_split_one_order": ("linked_nearest_ordered", "numerator"),
    "nearest_unique_on_both": ("nearest_alone", "numerator"),
    "nearest_unique_links": ("linked_alone", "numerator"),
}
RISKS = {"risk_radius0": "linked", "risk_nearest_any": "linked_nearest"}
RATES = {
    "attack_rate": "original_rate",
    "attack_error": "original_error",
    "control_rate": "control_rate",
    "control_error": "control_error",
    "R_unclipped": "adjusted_centre",
}


def sources(scenario: Row) -> list[str]:
    return [
        str(ORACLE / scenario["data"] / f"{scenario[name]}.parquet")
        for name in ("original", "synthesis", "control")
    ]


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.slow
@pytest.mark.parametrize("case", reference_values("linkability"))
def test_the_reference_values_of_linkability_are_met(case: dict[str, Any]) -> None:
    scenario, expected = case["scenario"], case["expected"]
    original, synthetic, control = sources(scenario)
    link = f"{','.join(scenario['columns_A'])}/{','.join(scenario['columns_B'])}"
    report = sqlrisk.score(original, synthetic, control=control, link=link, measures="linkability")
    found = {(row["people"], row["measure"]): row for row in report.results}
    for people in ("original", "control"):
        for word, (measure, field) in WORDS.items():
            assert found[people, measure][field] == pytest.approx(
                expected[people][word], rel=1e-9, abs=1e-9
            ), (link, word)
    added = {row["measure"]: row for row in report.differences}
    for risk, measure in RISKS.items():
        for word, field in RATES.items():
            assert added[measure][field] == pytest.approx(expected[risk][word], rel=1e-9), (
                link,
                risk,
                word,
            )
    if "anonymeter" in case:  # of another program, for whoever it is defined
        alone = [found[people, "linked_alone"] for people in ("original", "control")]
        told = case["anonymeter"]
        assert [row["denominator"] for row in alone] == [
            told["unique_original"],
            told["unique_control"],
        ]
        assert [row["numerator"] for row in alone] == [
            told["links_original"],
            told["links_control"],
        ]


@pytest.mark.skipif(not ORACLE.exists(), reason=ABSENT)
@pytest.mark.parametrize("case", few(reference_values("singling_out"), 4))
def test_the_reference_values_of_singling_out_are_met(case: dict[str, Any]) -> None:
    scenario, expected = case["scenario"], case["expected_by_size"]
    original, synthetic, control = sources(scenario)
    sizes = [int(size) for size in expected]
    asked: dict[str, Any] = {
        "keys": scenario["columns"],
        "set_sizes": sizes,
        "measures": "singling_out",
    }
    report = sqlrisk.score(original, synthetic, control=control, **asked)
    told = [row for row in report.results if row["people"] in ("original", "control")]
    for row in told:
        whose = "control_people" if row["people"] == "control" else "people"
        wanted = expected[f"{row['at']:g}"][f"{whose}_singled_out_up_to_this_size"]
        if row["measure"] == "singled_predicates":
            upto = [expected[f"{size}"] for size in sizes if size <= row["at"]]
            wanted = sum(each[f"matches_one_{row['people']}"] for each in upto)
            assert row["denominator"] == sum(each["unique_in_synthetic"] for each in upto), (
                scenario,
                row["at"],
            )
        assert row["numerator"] == wanted, (scenario, row["at"], row["people"])
    assert len(told) == 4 * len(sizes)


# ---- person by person
# --------------------------------------------------------------------------------------------------

KEYS = ["sex", "town", "ill", "income"]
LINK = "income,ill/sex,town"


def nearest(person: Row, records: Sequence[Row], columns: Sequence[str]) -> tuple[int, set[int]]:
    """The least number of columns in which a record differs from a person, and the records that
    differ in as many.
    """
    apart = [sum(person[name] != record[name] for name in columns) for record in records]
    return min(apart), {place for place, each in enumerate(apart) if each == min(apart)}


def linked(person: Row, records: Sequence[Row]) -> dict[str, float]:
    """What each measure of linkability counts for one person."""
    (radius_a, near_a), (radius_b, near_b) = (
        nearest(person, records, side.split(",")) for side in LINK.split("/")
    )
    both, found = near_a & near_b, radius_a == radius_b == 0
    drawn, alone = len(both) / len(near_a) / len(near_b), len(near_a) == len(near_b) == 1
    return {
        "linked": found and bool(both),
        "linked_drawn": drawn if found else 0,
        "sides_found": found,
        "linked_nearest": bool(both),
        "linked_nearest_drawn": drawn,
        "linked_nearest_ordered": len(both) / len(near_a | near_b),
        "nearest_alone": alone,
        "linked_alone": alone and bool(both),
    }


def singled(persons: Sequence[Row], records: Sequence[Row]) -> list[int]:
    """By how few keys a predicate of what is unique among the records singles each person out; 9
    where none does.
    """
    least = [9] * len(persons)
    for size, people, synthetic, levels in predicates(persons, records):
        for place, level in enumerate(levels):
            if people[level] == synthetic[level] == 1:
                least[place] = size
    return least


def predicates(
    persons: Sequence[Row], records: Sequence[Row]
) -> Iterator[tuple[int, Counter[Any], Counter[Any], list[Any]]]:
    """Of each set of keys, the largest first: their number, their levels counted on both sides, and
    those of each person.
    """
    for size in range(len(KEYS), 0, -1):
        for chosen in combinations(KEYS, size):
            levels = [
                [tuple(row[name] for name in chosen) for row in rows] for rows in (persons, records)
            ]
            yield size, Counter(levels[0]), Counter(levels[1]), levels[0]


def told_by(persons: Sequence[Row], records: Sequence[Row], at: int) -> tuple[int, int]:
    """How many predicates of what is unique among the records hold for one person who is counted,
    and how many there are.
    """
    known = [row["sex"] is not None for row in persons]
    right = every = 0
    for size, people, synthetic, levels in predicates(persons, records):
        unique = (
            {level for level, often in synthetic.items() if often == 1} if size <= at else set()
        )
        right += sum(people[level] == 1 and known[levels.index(level)] for level in unique)
        every += len(unique)
    return right, every


@pytest.mark.slow
@pytest.mark.parametrize("passes", some([1], [1, 3]))
def test_people_are_counted_one_by_one(passes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of everybody, of populations, by weight; of one file, of two together, in passes; with a key
    that is in no link.
    """
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: passes)
    original, control, files = file(1, 90), file(4, 50), [file(2, 20), file(3, 25)]
    conditions = {name: condition for name, (condition, _) in POPULATIONS.items()}
    report = sqlrisk.score(
        original, files, control=control, keys=[*KEYS, "AGE_2"], link=LINK, set_sizes=[1, 2, 4],
        weights="weight",
        population=conditions, measures=["linkability"], exclude_missing=["AGE_2"],
        targets=["region"],
    )  # fmt: skip
    singling = sqlrisk.score(
        original, files, control=control, keys=KEYS, set_sizes=[1, 2, 4], weights="weight",
        population=conditions,
        measures=["singling_out"], targets=["region"], exclude_missing=["sex"],
    )  # fmt: skip
    labels = {"1": files[:1], "2": files[1:], "pooled 1-2": files}
    tests = {"all": lambda row: True, **{name: test for name, (_, test) in POPULATIONS.items()}}
    compared = 0
    for of, table in (("original", original), ("control", control)):
        persons = rows_of(table)
        for label, chosen in labels.items():
            records = [row for each in chosen for row in rows_of(each)]
            told, least = [linked(person, records) for person in persons], singled(persons, records)
            for row in [*report.results, *singling.results]:
                if (row["people"], row["synthesis"]) != (of, label) or row["family"] == "left_out":
                    continue
                if row["measure"] == "singled_predicates":
                    assert (row["numerator"], row["denominator"]) == told_by(
                        persons, records, int(row["at"])
                    )
                    assert (row["population"], row["weighted"]) == ("all", False)
                    compared += 1
                    continue
                weights = [float(each["weight"]) if row["weighted"] else 1 for each in persons]
                inside = [
                    weight * tests[str(row["population"])](each)
                    for weight, each in zip(weights, persons, strict=True)
                ]
                counted = [
                    weight * (person["AGE_2"] is not None)
                    for weight, person in zip(inside, persons, strict=True)
                ]
                if row["measure"] == "singled_out":
                    known = [person["sex"] is not None for person in persons]
                    single = [
                        size <= row["at"] and each for size, each in zip(least, known, strict=True)
                    ]
                    values = [weight * each for weight, each in zip(inside, single, strict=True)]
                else:
                    values = [
                        weight * each[row["measure"]]
                        for weight, each in zip(counted, told, strict=True)
                    ]
                below = sum(inside)
                if row["measure"] == "linked_alone":
                    below = sum(
                        weight * each["nearest_alone"]
                        for weight, each in zip(counted, told, strict=True)
                    )
                assert row["target"] == (None if row["measure"] == "singled_out" else LINK)
                assert row["numerator"] == pytest.approx(sum(values), rel=1e-12, abs=1e-12), row
                assert row["denominator"] == pytest.approx(below, rel=1e-12), row
                compared += bool(sum(values))
    assert compared > 300


# ---- what is asked, and what is refused
# ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_columns_without_a_slash_are_split_in_every_way() -> None:
    report = sqlrisk.score(file(1, 40), file(2, 40), link="sex,town,ill", measures="linked")
    assert report.scenario["keys"] == ["sex", "town", "ill"]
    assert report.scenario["link"] == ["sex/town,ill", "sex,town/ill", "sex,ill/town"]
    assert [row["target"] for row in report["linked"].rows] == report.scenario["link"]
    one = sqlrisk.score(file(1, 40), file(2, 40), link="town,ill/sex", measures="linked")
    assert {row["family"] for row in one.results} == {"linkability"}
    assert len({row["measure"] for row in one.results}) == 8  # no way to break ties alone
    found = [row["value"] for row in report.results if row["target"] == "sex/town,ill"]
    assert [row["value"] for row in one.results] == [
        pytest.approx(value, rel=1e-12) for value in found
    ]
    assert "joined" in report.to_text()
    measured: Any = sqlrisk.score(file(1, 40), file(2, 40), link="sex/town").scenario["measures"]
    assert "linkability" in measured


@pytest.mark.slow
def test_names_with_marks_are_quoted() -> None:
    names = {"sex": "a/b", "town": 'c"d', "ill": "e,f"}
    original, synthetic = (
        file(seed, 40).select(list(names)).rename_columns(list(names.values())) for seed in (1, 2)
    )
    link = '"a/b"/"c""d","e,f"'
    report = sqlrisk.score(original, synthetic, link=link, measures="linked")
    assert {row["target"] for row in report.results} == {link}
    assert (
        sqlrisk.score(original, synthetic, **{**report.scenario, "targets": None}).results
        == report.results
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"link": "sex/town/ill"}, "link: a link has two sides"),
        ({"link": "sex,town/sex"}, "link: the column 'sex' is named twice in 'sex,town/sex'"),
        (
            {"link": "a,b,c,d,e,f,g,h,i"},
            "link: 9 columns can be split in two in 255 ways; name at most 8",
        ),
        ({"link": '"sex/town'}, "link: cannot read '\"sex/town'"),
        (
            {"link": "sex/town", "keys": ["sex"]},
            "link: 'town' is not a key of the scenario; add it to the keys.",
        ),
        (
            {"keys": ["sex"], "measures": "linked"},
            "linked_alone need a link: say which columns the intruder joins, as in --link",
        ),
        (
            {"link": "sex/town", "work_limit": 10},
            "link: finding the records nearest on the sides of 'sex/town' takes about",
        ),
        (
            {"keys": ["sex", "town"], "measures": "singled_out", "work_limit": 10},
            "singling out: trying 3 sets of up to 2 of 2 keys takes about",
        ),
    ],
)
def test_what_is_wrong_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.score(file(1, 30), file(2, 30), **settings)
    assert message in str(raised.value)


def test_a_sweep_has_no_sets_of_keys() -> None:
    with pytest.raises(
        sqlrisk.InputError,
        match="a sweep computes each set of keys separately, but linked compares sets of them",
    ):
        sqlrisk.sweep(
            file(1, 30), file(2, 30), keys=["sex", "town"], link="sex/town", measures="linked"
        )


@pytest.mark.slow
def test_the_page_has_the_three_criteria_and_a_figure_of_each() -> None:
    report = sqlrisk.score(
        file(1, 60), file(2, 60), control=file(3, 40), keys=KEYS, targets=["region"], link=LINK,
        measures="identity,attribute,cap,linkability,singling_out",
    )  # fmt: skip
    page = report.to_html()
    (unmeasured,) = re.findall(r"Not measured[^<]*", page)  # on page one, of other things
    assert "joined" not in unmeasured
    for words in (
        "Effect of ties on links",
        "Singling out by number of keys",
        "Chance that records drawn at random for each side are the same record",
    ):
        assert words in page
    figures = {figure.name: figure.chart.to_dict() for figure in charts.figures(report)}
    drawn = [line["percent"] for line in figures[f"links {LINK} 1"]["data"]["values"]]
    people = ("original", "control")
    ties = [each.name for each in catalog() if each.shown.get("figures") == ["links"]]
    assert len(ties) == 6
    assert sorted(drawn) == sorted(
        row["value"] for row in report.results if row["measure"] in ties and row["people"] in people
    )
    assert "singled 1" in figures
    assert (
        sqlrisk.score(file(1, 60), file(2, 60), keys=KEYS, targets=["region"])
        .to_html()
        .count("--link age,sex/region,income")
        == 1
    )
    told = report.external()  # whose audit knows nothing of sets of keys
    families = {row["family"]: row["value"] is None for row in told.results}
    assert {families["linkability"], families["singling_out"]} == {True}
    assert not families["identity"]
