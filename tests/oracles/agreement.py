"""Compare two results number by number."""

import math
from collections.abc import Iterator
from typing import Any


def differences(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Yield the differences between two results. Whole numbers, texts, order and numbers of rows
    must be equal. Other numbers may differ by rounding.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        if found.keys() != expected.keys():
            yield f"{place}: {sorted(found)} not {sorted(expected)}"
        for key in expected.keys() & found.keys():
            yield from differences(found[key], expected[key], f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            yield f"{place}: {len(found)} rows, not {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(expected, float) and isinstance(found, float):
        # A number from the difference of two nearly equal numbers has fewer exact digits.
        exact = 1e-9 if place.startswith(".differences") else 1e-12
        if not math.isclose(found, expected, rel_tol=exact, abs_tol=exact):
            yield f"{place}: {found!r} not {expected!r}"
    elif {type(found), type(expected)} == {int, float}:
        # Rounding decides whether a sum that may be whole is a float or an integer.
        if not math.isclose(found, expected, rel_tol=1e-12):
            yield f"{place}: {found!r} not {expected!r}"
    elif found != expected or type(found) is not type(expected):
        yield f"{place}: {found!r} not {expected!r}"


def agree(found: Any, expected: Any) -> bool:
    """Return True if two results agree. Otherwise fail with the first differences."""
    wrong = list(differences(found, expected))
    assert not wrong, wrong[:20]
    return True
