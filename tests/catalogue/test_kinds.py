"""A measure's kind says what its SQL does: held against the numbers of one small file that has all measures."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sqlrisk
from sqlrisk.catalogue.kinds import KINDS
from sqlrisk.catalogue.measures import Catalog, Measure, catalog, load
from sqlrisk.inputs import request

PEOPLE = 97
# No whole numbers, but in a small file that was drawn like this one.
OF_UNIVERSE = ("journalist_risk", "presence_least", "presence_greatest")
WHOLE_HERE = (
    *OF_UNIVERSE,
    *(f"{name}_syn" for name in OF_UNIVERSE),
    *("accuracy_mode", "accuracy_mode_orig", "min_DCAP_matched", "l_entropy", "expected_match_risk"),
    *("copied_people_one_to_one", "copies_per_person", "records_nearer"),
    "membership_precision",  # nobody is flagged
)
Rows = list[dict[str, Any]]


def people(seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    levels = {"sex": 2, "age": 7, "town": 4, "income": 9, "region": 2}
    columns = {name: draw.integers(size, size=PEOPLE) for name, size in levels.items()}
    return pa.table({**columns, "weight": draw.uniform(1, 9, PEOPLE)})


@pytest.fixture(scope="module")
def rows() -> dict[str, Rows]:
    """The result rows by measure, without the step that writes whole numbers as such."""
    found: dict[str, Rows] = defaultdict(list)
    settings: dict[str, Any] = {
        "aligned": True,
        "assume": "saturated",
        "prior": 1,
        "link": "sex,town/age",
        "within": {"income": 1, "age": 1},
        "weights": "weight",
        "membership_ratio": True,
        "universe": people(3).select(["sex", "age", "town"]),
    }
    bare = Catalog([replace(measure, kind=replace(measure.kind, whole=())) for measure in catalog()])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request, "catalog", lambda *_: bare)
        report = sqlrisk.score(
            people(1), people(2).drop(["weight", "region"]), keys=["sex", "age", "town"], targets=["income"], by=["region"],
            exclude_level={"income": 0}, measures=[measure.name for measure in catalog()],
            control=people(3).slice(0, PEOPLE // 2), **settings,
        )  # fmt: skip
    for row in (row for row in report.results if row["people"] == "original"):
        found[str(row["measure"])].append(dict(row))
    return found


@pytest.mark.parametrize("measure", catalog(), ids=lambda measure: measure.name)
def test_the_sides_that_a_kind_calls_whole_are_whole_and_no_others(measure: Measure, rows: dict[str, Rows]) -> None:
    counted = [row for row in rows[measure.name] if not row["weighted"]]
    for side in {*measure.aggregates} - {"least"}:
        found = [row[side] for row in counted if row[side] is not None]
        assert found
        whole = all(number == int(number) for number in found)
        given = measure.aggregates[side] == "100.0"
        assert whole == (given or side in measure.kind.whole or measure.name in WHOLE_HERE), side


@pytest.mark.parametrize("measure", catalog(), ids=lambda measure: measure.name)
def test_proportions_are_within_0_and_1_and_weights_change_what_can_be_weighted(measure: Measure, rows: dict[str, Rows]) -> None:
    parts = catalog().parts_of(measure)
    found = rows[measure.name]
    if measure.kind.proportion:
        assert all(0 <= row["numerator"] <= row["denominator"] for row in found)
    if measure.needs != "weights":
        assert {row["weighted"] for row in found} == {False, all(part.kind.weighable for part in parts)}
    assert (len({row["population"] for row in found}) > 1) == all(part.knows_populations for part in parts)


@pytest.mark.parametrize("measure", catalog(), ids=lambda measure: measure.name)
def test_a_file_without_its_kind_is_taken_by_its_columns(measure: Measure, tmp_path: Path) -> None:
    """Whatever follows from the kind of a shipped measure follows from its columns as well."""
    file = tmp_path / measure.path.name
    lines = measure.sql.splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.startswith("kind ")), encoding="utf-8")
    bare, kind = load(file, "own").kind, measure.kind
    told = set(bare.whole), bare.of_people, bare.weighable, bare.proportion
    assert told == (set(kind.whole), kind.of_people, kind.weighable, kind.proportion)
    assert not measure.each or bare.averaged == kind.averaged


def test_every_kind_is_used() -> None:
    used = {name for name, kind in KINDS.items() if any(measure.kind is kind for measure in catalog())}
    assert {*KINDS} - used == {"mean over tries"}  # that of attackers
