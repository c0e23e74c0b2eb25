"""Check the header keys `reads` and `theme` of measures against their SQL.

Some columns are made only for measures that declare them in `reads`. `theme` says which facts about
a person an external report must distinguish.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

READS = ("spread", "closeness", "others", "draws", "each file")
PROFILES = ("profiles", "neighbour_profiles")  # a row is a class of one target
# Item of `reads` -> its columns.
_COLUMNS = {
    "spread": re.compile(r"n_levels_|entropy_|l_recursive|expected_|_low|_high"),
    "closeness": re.compile(r"\bapart_|\bn_(absent|own_level|own_all)\b"),
    "others": re.compile(r"\b(n|share)_others|guessed_cells"),
    "draws": re.compile(r"\bchance_drawn"),
    "each file": re.compile(r"\bn_(revealing|replicating)"),
}
# Columns with values from 0 to 1 that other facts about a person do not limit. All but
# population_risk are about the person's own level.
OF_LEVELS = (
    "share_level",
    "expected_shuffled",
    "expected_mode",
    "expected_mode_orig",
    "expected_uniform",
    "population_risk",
)
# Facts about a person, besides their keys, that the audit of an external report distinguishes ->
# their column names in SQL.
_THEMES: Mapping[str, tuple[str, ...]] = {
    "levels": OF_LEVELS,
    "near": ("neighbour",),
    "within": ("{{ within }}",),
    "posteriors": ("{{ posteriors }}",),
    "matches": ("{{ matches }}",),
    "membership": ("thresholds }}",),
    "spread": ("n_levels_orig", "counted_low", "counted_high"),
}
THEMES = tuple(_THEMES)


def read_by(sql: str, stage: str) -> list[str]:
    """Return the names that a header must declare in `reads`, given the columns that occur in SQL
    over a stage. ``spread`` exists only for profiles.
    """
    return [
        name
        for name, columns in _COLUMNS.items()
        if columns.search(sql) and (name != "spread" or stage in PROFILES)
    ]


def theme_of(sql: str) -> str | None:
    """Return the theme of a measure, judged by words in its SQL: which facts about a person,
    besides their keys, an external report must distinguish. None if the keys are enough.
    """
    return next(
        (name for name, words in _THEMES.items() if any(word in sql for word in words)), None
    )


def problems(header: Mapping[str, Any], body: str, stage: str) -> Iterator[str]:
    """Yield messages about unknown or missing ``reads`` and a wrong ``theme`` in a header."""
    conditions = (name for name in ("risky", "each", "among", "least") if name in header)
    sql = " ".join([*(str(header[name]) for name in conditions), body])
    said = header.get("reads", [])
    if unknown := [name for name in said if name not in READS]:
        yield f"reads: {unknown[0]!r} is not one of {', '.join(READS)}"
    for name in read_by(sql, stage):
        if name not in said:
            column = next(word for word in re.findall(r"\w+", sql) if _COLUMNS[name].search(word))
            yield (
                f"its SQL reads {column}, a column made only for measures that declare it: add "
                f"{name!r} to 'reads'"
            )
    theme = theme_of(sql)
    if theme is not None and header.get("theme") != theme:
        yield (
            "its SQL reads facts about a person, which the audit of external reports must "
            f"know: say theme = {theme!r}"
        )
