"""The sections of whole reports: as text, and their order in every form."""

import re
from functools import cache
from html import unescape
from typing import Any

import pyarrow as pa
import pytest
import snapshots

import sqlrisk


def people(town: str, age: list[int], ill: str, pay: str, *, times: int = 1) -> pa.Table:
    """Return a table with a letter for each level. A missing level of pay is a hyphen."""
    paid = [{"l": "low", "h": "high", "-": None}[level] for level in pay]
    columns = {"town": [*town], "age": age, "ill": [*ill], "pay": paid}
    return pa.table({name: levels * times for name, levels in columns.items()})


ORIGINAL: tuple[Any, ...] = (
    "aaabbbbcccdd",
    [20, 20, 30, 31, 40, 40, 55, 50, 50, -8, 61, 25],
    "ynyynnnyyyny",
    "llhlhll-hlhh",
)
FIRST: tuple[Any, ...] = (
    "aaabbbcccde",
    [20, 20, 30, 31, 40, 40, 50, 50, -8, 61, 25],
    "yyynnnyynny",
    "llhlhhlhlhl",
)
SECOND: tuple[Any, ...] = (
    "aaabbbccdd",
    [20, 30, 30, 31, 40, 55, 50, -8, 25, 25],
    "nyyynnyyyy",
    "lhhlllhlhl",
)
CONTROL: tuple[Any, ...] = (
    "aabbcdde",
    [20, 22, 40, 31, 50, 61, 61, 25],
    "ynnynnyy",
    "lhlllllh",
)
KEYS: dict[str, Any] = {"keys": ["town", "age"], "targets": ["ill", "pay"]}
REPORTS = {
    "one_file": lambda: sqlrisk.score(people(*ORIGINAL), people(*FIRST), **KEYS),
    "several_with_exclusions": lambda: sqlrisk.score(
        people(*ORIGINAL),
        [people(*FIRST), people(*SECOND)],
        **KEYS,
        measures=["identity", "attribute"],
        bins={"age": 4},
        special={"age": ["-8"]},
        exclude_level={"ill": ["n"]},
        exclude_missing=["pay"],
        exclude_pair=[
            {"target": "pay", "target_level": "high", "key": "town", "key_level": "a"},
        ],
        max_cell=5,
        justification="Everybody knows who is well.",
    ),
    "external": lambda: sqlrisk.score(
        people(*ORIGINAL, times=25),
        people(*FIRST, times=25),
        keys=["town"],
        targets=["ill"],
        measures=["repU", "DiSCO", "Dorig", "DCAP", "CAPd", "baseCAPd"],
    ).external(),
    "control_with_membership": lambda: sqlrisk.score(
        people(*ORIGINAL),
        people(*FIRST),
        control=people(*CONTROL),
        keys=["town", "age"],
        targets=["ill"],
        measures=["DiSCO", "DCAP", "membership"],
    ),
}


@cache
def report(name: str) -> sqlrisk.Report:
    return REPORTS[name]()


@pytest.mark.parametrize("name", REPORTS)
def test_the_text_is_the_golden_one(name: str) -> None:
    snapshots.compare(f"reports/{name}.txt", report(name).to_text())


@pytest.mark.parametrize("name", ["external", "control_with_membership"])
def test_text_markdown_and_page_have_one_order(name: str) -> None:
    made = report(name)
    titles = re.findall(r"^(\w.*?) ─+$", made.to_text(), re.MULTILINE)
    assert titles[0] == "The decision"
    assert re.findall(r"^## (.*)$", made.to_markdown(), re.MULTILINE) == titles
    of_page = [unescape(title) for title in re.findall(r"<h2[^>]*>([^<]*)", made.to_html())]
    alone = {"The numbers in words", "Sign-off", "Contents", "Settings and versions"}
    alone |= {"Cells worth looking at"} if name != "external" else set()
    assert {*of_page} - {*titles} == alone
    assert [title for title in of_page if title in titles] == titles
