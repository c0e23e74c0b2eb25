"""What each setting of the table says of values that it cannot have.

A new setting needs no case: the table asks it, and the golden file shows what it says.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import pytest
import snapshots
from quickly import some
from unassessed import unasked

import sqlrisk
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.fields import SETTINGS
from sqlrisk.inputs.scenario import read

# Other types, numbers out of range, words that nothing has, none, too many.
WRONG = (
    *(True, -1, 0, 1, 2.5, 101, float("nan"), float("inf")),
    *("", "?", "0", "-1", "1,x", "1,,2", "a=?", "a=-1", "a=1,a=2", "a: ?"),
    *([], [5], [2.5], [True], ["a", "a"], {}, {"a": float("nan")}, {"a": True}, {"": "a"}),
)


def problems(setting: str, value: object) -> list[str]:
    """What is wrong with a value, without what it got."""
    try:
        read({setting: value})
    except InputError as error:
        return [re.sub(r"got .+?(?=\.(?: |$))", "got ...", each) for each in error.problems]
    return []


def said(setting: str) -> Iterator[str]:
    """What a setting says of the values, those together of which it says the same."""
    told = {repr(value): problems(setting, value) for value in WRONG}
    for found, values in groupby(sorted(told, key=told.__getitem__), told.__getitem__):
        yield from found or [f"{setting} takes"]
        yield f"    {'  '.join(values)}"


def test_each_setting_says_what_it_cannot_be() -> None:
    told = {setting: [problems(setting, value) for value in WRONG] for setting in SETTINGS}
    assert [name for name, found in told.items() if not any(found)] == []
    beside = [
        (name, each)
        for name, found in told.items()
        for each in {problem for found in found for problem in found}
        if name not in each
    ]
    assert beside == []


def test_what_each_setting_says_is_golden() -> None:
    snapshots.compare(
        "settings.txt", "".join(f"{line}\n" for name in SETTINGS for line in said(name))
    )


LEVEL = "QxKowalska"  # stands in every text of the file, and is never typed
PEOPLE = pd.DataFrame(
    {
        "sex": [1, 2] * 10,
        "age": range(8712300, 8712320),
        "job": [f"{LEVEL} {number % 5}" for number in range(20)],
        "born": [LEVEL, *(f"19{number}-03-21" for number in range(31, 50))],
        "ill": [f"{LEVEL} yes", f"{LEVEL} no"] * 10,
        "note": [f"{LEVEL} note"] * 20,
    }
)
# What a file cannot have: other columns, columns of other types, levels that are nearly its own.
UNFIT: tuple[Any, ...] = (
    *("nobody", "note", "job=3", "age=job", "born=30d", "x: note > 5", "x: job = QxKowalsk 1"),
    *("QxKowalsk 1", "ill=QxKowalsk yes", "ill=QxKowalsk yes,job=QxKowalsk 1", ["QxKowalsk"]),
    *({"job": {"bands": [1, 5]}}, {"born": {"date": "year"}}, {"ill": {"merge": {"x": ["Qx"]}}}),
)
BESIDE: dict[str, dict[str, str]] = {
    "special": {"bins": "age=3"},
    "split": {"split_in": "nobody"},
    "split_in": {"split": "note"},
    "within_floor": {"within": "age=5%"},
}


# nearly every text is missing, and each such run is whole
@pytest.mark.parametrize("setting", some({*SETTINGS} - {"missing"}, SETTINGS))
def test_no_setting_shows_a_level_of_a_file_that_it_does_not_fit(setting: str) -> None:
    asked = {"keys": ["sex", "age", "job"], "targets": ["ill", "born"], "measures": ["repU"]}
    told = []
    with unasked():
        for value in UNFIT:
            how = {**asked, **BESIDE.get(setting, {}), setting: value}
            try:
                sqlrisk.score(PEOPLE, PEOPLE, **how)
            except sqlrisk.InputError as error:
                told.append(str(error))
    assert told
    assert [each for each in told if re.search(f"{LEVEL}|87123", each)] == []


@pytest.mark.parametrize(
    ("text", "number"), [("1e-6", 1e-6), (" 2.5E-1 ", 0.25), ("1e-999", None), ("1e-100", None)]
)
def test_a_number_may_have_a_short_exponent(text: str, number: float | None) -> None:
    for setting in ("membership_epsilon", "sampled", "prior"):
        asked = {setting: text, "assume": "saturated" if setting == "prior" else None}
        if number is None:
            assert problems(setting, text)[0].startswith(f"{setting}: expected")
            with pytest.raises(InputError) as refused:  # assume does not ask for it again
                read(asked)
            assert len(refused.value.problems) == 1
        else:
            assert getattr(read(asked), setting) == number


@pytest.mark.parametrize(
    ("text", "digits"), [("1e3", "1000"), (" 2.5E-1 ", "0.25"), ("1e18", None), ("９e1", None)]
)
def test_a_tolerance_and_a_band_may_have_an_exponent(text: str, digits: str | None) -> None:
    asked = {
        "within": f"t={text},u=5%",
        "within_floor": f"u={text}",
        "column": f"v.bands=-1,{text}",
    }
    if digits is None:
        assert [len(problems(setting, value)) for setting, value in asked.items()] == [1, 1, 1]
    else:
        found = read(asked)
        assert (found.within["t"], found.within_floor) == (digits, {"u": digits})
        assert found.column["v"].bands == ("-1", digits)


@pytest.mark.parametrize("several", [pd.Index, np.array])
def test_targets_may_be_columns_of_a_frame(several: Callable[[list[str]], object]) -> None:
    assert read({"keys": "a", "targets": several(["b", "c"])}).targets == ("b", "c")
