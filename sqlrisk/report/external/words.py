"""The texts of an external report: they contain no level that the user typed, no population's own
name, and no folder of a file.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain, combinations, permutations
from typing import Any

from sqlrisk.catalogue.reasons import DOUBTFUL, NOT_ASSESSABLE
from sqlrisk.inputs import conditions
from sqlrisk.inputs.columns.dictionary import read_columns
from sqlrisk.inputs.fields import FREE_TEXTS, LEVELS, PATHS, CsvFiles, rows
from sqlrisk.inputs.release import LOGO, release_of
from sqlrisk.inputs.sources import NOT_READ
from sqlrisk.report.external import overlaps
from sqlrisk.report.external.definitions import PUBLIC
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import file_name

UNNAMED = "a level that is not named here"
# Code of an assessment's reason -> its replacement: (code, text, state). "None" and "few" have the
# same text, because a text of its own for none would reveal a count of 0. No text names a column or
# a number.
COPIED = ("copied_records", "It holds whole records of people.", NOT_ASSESSABLE)
FEW = ("few_matches", "Few combinations of the keys are in it, or none.", DOUBTFUL)
APART = (
    "levels_apart",
    "A column has few levels in common, or none, or they are written differently.",
    DOUBTFUL,
)
KEY = (
    "key_names_people",
    "A key is the same for all people, names people, or determines a target.",
    DOUBTFUL,
)
EMPTY = ("many_empty_rows", "Many records of a file are empty.", DOUBTFUL)
EXCHANGED = ("exchanged", "Nearer to the control people than to the original.", DOUBTFUL)
OTHER = ("other", "A reason that is not shown here.", NOT_ASSESSABLE)
TOLD = {
    **dict.fromkeys(
        ("copy_of_original", "copied_records", "near_copy", "sample_of_original"), COPIED
    ),
    **dict.fromkeys(("no_matches", "few_matches"), FEW),
    **dict.fromkeys(("no_level_in_common", "levels_apart", "written_differently"), APART),
    **dict.fromkeys(("labelled_otherwise", "cut_numbers", "texts_misread"), APART),
    **dict.fromkeys(("levels_look_alike", "columns_look_alike"), APART),
    **dict.fromkeys(("constant_key", "key_names_people", "key_determines_target"), KEY),
    "exchanged": EXCHANGED,
    "many_empty_rows": EMPTY,
}


class Words:
    """The words that a report may use: new names for the populations shown, and texts without typed
    levels.

    ``together`` are all reports that are shared with it: no text has a level that was typed for any
    of them. Of several reports, only the population ``all`` is shown.
    """

    def __init__(self, report: Findings, together: Sequence[Findings]) -> None:
        self._scenario = report.scenario
        levels = {level for each in together for level in typed(each.scenario)}
        self._typed = sorted(levels, key=len, reverse=True)
        found = {str(row["population"]) for row in report.results}
        own = report.scenario.get("population")
        defined = own if isinstance(own, Mapping) else ()
        shown = {name: name for name in ("all", *PUBLIC) if name in found}
        shown |= {
            name: f"population {place}" for place, name in enumerate(defined, 1) if name in found
        }
        self.names = {"all": "all"} if len(together) > 1 else shown
        """Population -> its name in the report. A name that the user chose may contain a level, so
        it is replaced by a number.
        """

    def overlapping(self) -> list[frozenset[str]]:
        """Return each set of the user's populations that can be all populations of one person. The
        empty set stands for a person in none.

        A reader who knows the conditions can exclude sets: two conditions may contradict each
        other, or one may imply the other. No count excludes a set: a reader would learn that nobody
        is in it.
        """
        defined = self._scenario.get("population")
        told = (
            {
                name: conditions.read(text, "population")
                for name, text in defined.items()
                if name in self.names
            }
            if isinstance(defined, Mapping)
            else {}
        )
        entries = read_columns(self._scenario.get("column") or {}, "column")
        apart = [
            {one, other}
            for one, other in combinations(told, 2)
            if overlaps.apart(told[one], told[other], entries)
        ]
        inside = [
            (one, other)
            for one, other in permutations(told, 2)
            if overlaps.implies(told[one], told[other], entries)
        ]
        return [
            chosen
            for size in range(len(told) + 1)
            for chosen in map(frozenset, combinations(told, size))
            if not any(pair <= chosen for pair in apart)
            and not any(one in chosen and other not in chosen for one, other in inside)
        ]

    def scenario(self) -> dict[str, object]:
        """Return the settings without anything that would reveal a level."""
        shown: dict[str, Any] = dict(self._scenario)
        shown |= {name: _unnamed(shown[name]) for name in (*LEVELS, "missing") if name in shown}
        said = shown.get("column") or {}
        shown["column"] = {
            # a role is a word of sqlrisk's own
            column: {name: each if name == "role" else UNNAMED for name, each in entry.items()}
            for column, entry in said.items()
            if isinstance(entry, Mapping)
        }
        shown["exclude_pair"] = [
            {**pair, "target_level": UNNAMED, "key_level": UNNAMED}
            if isinstance(pair, Mapping)
            else UNNAMED
            for pair in shown.get("exclude_pair") or []
        ]
        shown["population"] = {
            self.names[name]: "a condition that is not shown here"
            for name in shown.get("population") or {}
            if name in self.names
        }
        shown["populations"] = [
            self.names[name] for name in shown.get("populations") or [] if name in self.names
        ]
        for name in PATHS:
            files = shown.get(name) or {}
            shown[name] = {column: file_name(file) for column, file in files.items()}
        for name in rows(CsvFiles):
            forms: dict[str, list[str]] = {}
            for file, form in (shown.get(name) or {}).items():  # two folders may have a file each
                forms.setdefault(file_name(file), []).append(form)
            shown[name] = {file: " or ".join(dict.fromkeys(each)) for file, each in forms.items()}
        shown |= {
            name: self.without(shown[name])
            for name in FREE_TEXTS
            if isinstance(shown.get(name), str)
        }
        shown["release"] = {
            name: text if name == LOGO else self.without(text)
            for name, text in release_of(shown).items()
        }
        return shown | {
            "distributions": False,
            "trend": False,
            **dict.fromkeys(("membership_epsilon", "sampled")),
        }

    def without(self, text: str) -> str:
        """Return a text with "(a level)" in place of each level that the user typed."""
        pattern = "|".join(re.escape(level) for level in self._typed)
        return (
            re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", "(a level)", text, flags=re.IGNORECASE)
            if self._typed
            else text
        )


def told_of(reason: str) -> tuple[str, str, str]:
    """Return the code, text and state that replace the reason with this code."""
    return TOLD.get(reason, OTHER)


def named(side: Mapping[str, object]) -> dict[str, object]:
    """Return the description of a file (``side``) without its folder and the fields `NOT_READ`,
    which list the parts that were not read.
    """
    return {
        **{name: told for name, told in side.items() if name not in NOT_READ},
        "source": file_name(str(side.get("source"))),
    }


def typed(scenario: Mapping[str, Any]) -> set[str]:
    """Return the levels that the user typed."""
    levels = [level for name in LEVELS for level in _levels(scenario.get(name))]
    pairs = [pair for pair in scenario.get("exclude_pair") or [] if isinstance(pair, Mapping)]
    levels += [pair[name] for pair in pairs for name in ("target_level", "key_level")]
    for entry in (scenario.get("column") or {}).values():
        levels += [
            *entry.get("missing", []),
            *chain(*entry.get("merge", {}).values()),
            *entry.get("merge", {}),
        ]
    for condition in (scenario.get("population") or {}).values():
        levels += [
            level
            for comparison in conditions.read(condition, "population")
            for level in comparison.levels
        ]
    return {str(level) for level in levels if level not in (None, "")}


def _levels(value: object) -> list[object]:
    """Return the levels in the value of a setting: one, a list, or a list by column."""
    if isinstance(value, Mapping):
        value = [*chain(*value.values())]
    return value if isinstance(value, list) else [value]


def _unnamed(value: object) -> object:
    """Return the value of a setting with `UNNAMED` in place of each level."""
    if isinstance(value, Mapping):
        return {column: _unnamed(each) for column, each in value.items()}
    return [UNNAMED for _ in value] if isinstance(value, list) else value and UNNAMED
