"""The same numbers on every engine: each kind of question is asked of DuckDB and of another database, and must agree."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import portable
import pytest
from servers import postgres

import sqlrisk

SKIPPED = ("without facts",)  # those variants are of scripts
QUESTIONS = [name for name in portable.VARIANTS if not name.startswith(SKIPPED)]


@pytest.fixture(scope="module")
def postgresql() -> Iterator[dict[str, Any]]:
    with postgres() as server:
        yield {"engine": server.address()}


@pytest.fixture(params=["postgresql"])
def engine(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def same(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Where two results differ: whole numbers, texts and order not at all, other numbers by rounding alone."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if found.keys() != expected.keys():
            yield f"{place}: {sorted(found)} not {sorted(expected)}"
        for key in expected.keys() & found.keys():
            yield from same(found[key], expected[key], f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            yield f"{place}: {len(found)} rows, not {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected, strict=False)):
            yield from same(one, other, f"{place}[{number}]")
    elif isinstance(expected, float) and isinstance(found, float):
        if not math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12):
            yield f"{place}: {found!r} not {expected!r}"
    elif found != expected or type(found) is not type(expected):
        yield f"{place}: {found!r} not {expected!r}"


def asked(variant: str) -> tuple[tuple[Any, Any], dict[str, Any]]:
    syntheses: Any = {
        "three syntheses": [1, 2, 3], "two methods": {"cart": [1, 2], "tree's": [3]}, "control, everything": [1, 2],
        "aligned by id": [1, 2], "a worst case, everything": [1, 2],
    }.get(variant, [1])  # fmt: skip
    settings = {**portable.EACH, **portable.VARIANTS[variant]}
    if variant.startswith("control"):
        settings["control"] = portable.people(4)
    return (portable.people(0), portable.nested(syntheses)), settings


@pytest.mark.parametrize("variant", QUESTIONS)
def test_a_score(variant: str, engine: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(portable.BASELINE).write_text("level,share\nNO,0.75\nYES,0.25\n", encoding="utf-8")
    files, settings = asked(variant)
    expected = sqlrisk.score(*files, **settings).to_dict()
    found = sqlrisk.score(*files, **settings, **engine).to_dict()
    assert found.pop("engine") != expected.pop("engine")
    assert expected["results"]
    assert list(same(found, expected))[:20] == []
