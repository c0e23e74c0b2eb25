"""Read the headers of measures, shipped ones and a user's own. They say how to show a measure. A
header is the TOML at the beginning of a measure's SQL file.
"""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlrisk.catalogue.families import shipped
from sqlrisk.catalogue.measures import CRITERIA, HEADLINES, catalog

Declared = Mapping[str, Mapping[str, Any]]
"""Name of a measure -> its header, in the order of the catalog."""
CERTAIN, GUESSED, UNIQUE = HEADLINES
SINGLING_OUT, INFERENCE, LINKABILITY = CRITERIA


@dataclass(frozen=True)
class Headline:
    """A measure that a report leads with.

    Attributes:
        word: the kind of risk, in one word: CERTAIN, GUESSED or UNIQUE.
        original: the corresponding measure of the original.
        baseline: the measure of a guess without keys, over everybody. None if there is no
            comparison.
    """

    name: str
    word: str
    original: str
    baseline: str | None


def criteria(measures: Declared) -> dict[str, list[str]]:
    """Return criterion (singling out, inference or linkability) -> names of its measures."""
    told = having("criterion", measures)
    return {each: [name for name, own in told.items() if own == each] for each in CRITERIA}


def listed(measures: Declared, among: Collection[str]) -> list[str]:
    """Return the measures in ``among`` whose riskiest cells are listed on a page: the first
    headline of certain disclosure, then the first headline about the keys.
    """
    found = [each for each in headlines(measures) if each.name in among]
    first = {each.word: each.name for each in reversed(found)}
    return [first[word] for word in (CERTAIN, UNIQUE) if word in first]


def drawn_in(measures: Declared, figure: str) -> dict[str, Mapping[str, Any]]:
    """Return the headers of the measures that a figure draws, by name."""
    return {
        name: header for name, header in measures.items() if figure in header.get("figures", ())
    }


def names_in(measures: Declared, figure: str) -> dict[str, str]:
    """Return names of measures by placeholder, for the message that a ``figure`` has no rows.

    The placeholder ``family`` stands for the family of measures whose table is above the figure.
    """
    names = list(drawn_in(measures, figure))
    *most, last = [each.name for each in targets_first(measures)]
    return {
        "pairs": ", ".join(f"{each.original} and {each.name}" for each in of_targets(measures)),
        "every_pair": ", ".join(f"{each.original} and {each.name}" for each in headlines(measures)),
        "targets": " or ".join(each.name for each in of_targets(measures)),
        "headlines": f"{', '.join(most)} or {last}",
        "unique": leading(measures, UNIQUE).name,
        "first": "".join(names[:1]),
        "all": " and ".join(names),
        "any": " or ".join(names),
        "family": "".join(each.name for each in shipped().values() if figure in each.figures),
    }


def drawn_with(measure: str, measures: Declared) -> set[str]:
    """Return the measure and those that figures show together with it."""
    counted = having("of_counted", measures)
    groups: list[set[str | None]] = [
        {each.name, each.original, each.baseline, counted.get(each.baseline or "")}
        for each in headlines(measures)
    ]
    kinds = having("figures", measures)
    for figure in kinds.get(measure, ()):
        drawn = [name for name, own in kinds.items() if figure in own]
        groups.append({*drawn, *(measures[name].get("over") for name in drawn)})
    together = set[str | None]().union(*(group for group in groups if measure in group))
    return {measure, *(name for name in together if name is not None)}


def headers(texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the header of each measure by name, parsed from the texts of the measure files."""
    return {name: _header(text) for name, text in texts.items()}


@lru_cache(maxsize=1000)  # parsing the same TOML again takes most of a small page's time
def _header(text: str) -> dict[str, Any]:
    return tomllib.loads(text.partition("/*---")[2].partition("---*/")[0])


def declared(own: Declared) -> Declared:
    """Return the headers of all shipped measures, then the headers of the user's ``own``. Drop an
    own measure with the name of a shipped one.
    """
    found = {measure.name: measure.shown for measure in catalog()}
    return {**found, **{name: header for name, header in own.items() if name not in found}}


def having(key: str, measures: Declared) -> dict[str, Any]:
    """Return a dict of measure to the value of a header key, for each measure that has the key."""
    return {name: header[key] for name, header in measures.items() if key in header}


def sense(header: Mapping[str, Any]) -> str:
    """Return what a higher number means, given the header of a measure of risk or utility: its
    ``sense``, or its ``higher`` if that says it.
    """
    return str(header.get("sense", header.get("higher", "")))


def headlines(measures: Declared) -> list[Headline]:
    """Return the headlines of a report, in catalog order."""
    words = having("headline", measures)
    return [
        Headline(name, word, measures[name]["of_original"], measures[name].get("baseline"))
        for name, word in words.items()
    ]


def leading(measures: Declared, word: str) -> Headline:
    """Return the first headline with this word. Raises StopIteration if there is none."""
    return next(each for each in headlines(measures) if each.word == word)


def of_targets(measures: Declared) -> list[Headline]:
    """Return the headlines about targets, in catalog order."""
    return [each for each in headlines(measures) if each.word != UNIQUE]


def targets_first(measures: Declared) -> list[Headline]:
    """Return the headlines, those about targets first."""
    return sorted(headlines(measures), key=lambda each: each.word == UNIQUE)
