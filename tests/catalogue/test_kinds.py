"""A measure's kind says what its SQL does: held against the numbers of one small file that has all
measures.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sqlrisk
from sqlrisk.catalogue import reads
from sqlrisk.catalogue.kinds import FRACTION, KINDS, MeasureKind
from sqlrisk.catalogue.measures import Catalog, catalog
from sqlrisk.inputs import request

PEOPLE = 97
# No whole numbers, but in a small file that was drawn like this one.
OF_UNIVERSE = ("journalist_risk", "presence_least", "presence_greatest")
WHOLE_HERE = (
    *OF_UNIVERSE,
    *(f"{name}_syn" for name in OF_UNIVERSE),
    *(
        "accuracy_mode",
        "accuracy_mode_orig",
        "min_DCAP_matched",
        "l_entropy",
        "expected_match_risk",
    ),
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
    bare = Catalog(
        [replace(measure, kind=replace(measure.kind, whole=())) for measure in catalog()]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request, "catalog", lambda *_: bare)
        report = sqlrisk.score(
            people(1), people(2).drop(["weight", "region"]), keys=["sex", "age", "town"],
            targets=["income"], by=["region"],
            exclude_level={"income": 0}, measures=[measure.name for measure in catalog()],
            control=people(3).slice(0, PEOPLE // 2), **settings,
        )  # fmt: skip
    for row in (row for row in report.results if row["people"] == "original"):
        found[str(row["measure"])].append(dict(row))
    return found


def test_the_sides_that_a_kind_calls_whole_are_whole_and_no_others(rows: dict[str, Rows]) -> None:
    sides = [(each, side) for each in catalog() for side in {*each.aggregates} - {"least"}]
    wrong = []
    for measure, side in sides:
        counted = [row for row in rows[measure.name] if not row["weighted"]]
        found = [row[side] for row in counted if row[side] is not None]
        whole = all(number == int(number) for number in found)
        given = measure.aggregates[side] == "100.0"
        told = given or side in measure.kind.whole or measure.name in WHOLE_HERE
        if not found or whole != told:
            wrong.append((measure.name, side))
    assert wrong == []


def test_proportions_are_within_0_and_1_and_weights_change_what_can_be_weighted(
    rows: dict[str, Rows],
) -> None:
    for measure in catalog():
        parts = catalog().parts_of(measure)
        found = rows[measure.name]
        if measure.kind.proportion:
            assert all(0 <= row["numerator"] <= row["denominator"] for row in found), measure.name
        if measure.needs != "weights":
            weighted = {False, all(part.kind.weighable for part in parts)}
            assert {row["weighted"] for row in found} == weighted, measure.name
        several = all(part.knows_populations for part in parts)
        assert (len({row["population"] for row in found}) > 1) == several, measure.name


def test_what_follows_from_a_kind_follows_from_the_columns() -> None:
    for measure in catalog():
        kind = measure.kind
        bare = inferred(
            measure.aggregates,
            measure.least,
            of_measures=measure.stage == "results",
            each=bool(measure.each),
        )
        told = set(bare.whole), bare.of_people, bare.weighable, bare.proportion
        follows = set(kind.whole), kind.of_people, kind.weighable, kind.proportion
        assert told == follows, measure.name
        assert not measure.each or bare.averaged == kind.averaged, measure.name


def test_the_header_names_what_the_sql_reads_and_nothing_else() -> None:
    for measure in catalog():
        parts = filter(None, (measure.risky, measure.each, measure.among, measure.least))
        sql = " ".join([*parts, measure.body])
        assert [*measure.reads] == reads.read_by(sql, measure.stage), measure.name
        assert measure.theme == reads.theme_of(sql), measure.name


def test_every_kind_is_used() -> None:
    used = {
        name for name, kind in KINDS.items() if any(measure.kind is kind for measure in catalog())
    }
    assert {*KINDS} - used == {"mean over tries"}  # that of attackers


# Columns that count what is none of the people of the files, people of a level that is chosen for
# a bound, and how those begin that are no whole numbers; risks end in _risk.
OF_NO_PEOPLE = {
    "synthetic",
    "counted_syn",
    "counted_universe",
    "n_predicates",
    "counted_predicates",
}
EXTREME = {"counted_low", "counted_high"}
REAL = ("share_", "entropy_", "expected_", "chance_", "apart_")
CONDITION = re.compile(r"\bWHEN .*? THEN(?= people\b)", re.DOTALL)  # says which people are counted


def inferred(
    texts: Mapping[str, str], least: str | None, *, of_measures: bool, each: bool
) -> MeasureKind:
    """Infer the kind of a measure whose header names none, by the columns that its sides name, one
    of them as ``{{ least }}``.
    """

    def words(text: str) -> set[str]:
        return {least if least and name == "least" else name for name in _words(text)}

    columns = {side: words(text) for side, text in texts.items()}
    numerator, denominator = (columns.get(side, set()) for side in FRACTION)
    whole = tuple(
        side
        for side, text in texts.items()
        if not of_measures
        and (_whole(words(CONDITION.sub("", text))) or (side == "value" and "least" in texts))
    )
    weighable = (
        not of_measures
        and any(name == "people" or name.startswith("counted_") for name in denominator)
        and "n_cells" not in denominator
        and "THEN 1 " not in texts["denominator"]  # rows are counted, not their people
    )
    summed = texts.get("numerator", "").startswith(("SUM(", "COALESCE(SUM("))
    of_people = not any(names & OF_NO_PEOPLE for names in columns.values())
    return MeasureKind(
        tuple(texts),
        whole,
        of_people=of_people,
        of_control=of_people,
        weighable=weighable,
        proportion=weighable
        and summed
        and not each
        and whole == FRACTION
        and numerator.isdisjoint(EXTREME),
        averaged="counted_orig"
        if any(name.startswith("counted_orig") for name in numerator)
        else "people",
    )


def _whole(names: set[str]) -> bool:
    """Return whether a side that names these columns is a whole number."""
    return "DOUBLE" not in names and not any(
        name.startswith(REAL) or name.endswith("_risk") for name in names
    )


def _words(sql: str) -> set[str]:
    """Return the names and other words of SQL."""
    words = shlex.shlex(sql)
    words.quotes = words.commenters = ""
    return set(words)
