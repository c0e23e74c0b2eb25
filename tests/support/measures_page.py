"""Write the list of all measures for the guide."""

import re
from collections.abc import Iterator, Sequence

import sqlrisk
from sqlrisk.catalogue.measures import Measure

# a source names the authors and year of a work, or a program and its version
NAME = r"(?:van |El |Data Protection Working |Article 29 Working )?[A-Z][a-z][\w'-]*"
WORK = re.compile(
    rf"{NAME}(?:(?:, | & | and |, and ){NAME}| et al\.)* (?:19|20)\d\d"
    r"|(?:synthpop|sdcMicro|pyCANON) [\d.-]*\d|\b(?:ARX|SDMetrics)\b"
)

# The part of a formula that explains symbols. The page has it once in a family.
SYMBOLS = re.compile(r"[\w~, ]{1,20}: |\[u = t\]: |I_j = 1 if |base = |x people and y ")
USUAL = "percent"  # how most units begin (the formula has the denominator)
GAIN = "percent of the way"  # from a baseline to certainty


def every_measure() -> str:
    """Return a list for each family: titles and formulas of its measures, units other than
    percentages, and sources. Symbols are explained where a family first uses them.
    """
    families: dict[str, list[Measure]] = {}
    for measure in sqlrisk.measures():
        families.setdefault(measure.family, []).append(measure)
    return "\n".join("\n".join(_family(*family)) for family in families.items())


def _family(name: str, measures: Sequence[Measure]) -> Iterator[str]:
    names = {measure.name: measure for measure in measures}
    measures = [
        measure
        for measure in measures
        if not _same(names.get(measure.name.removesuffix("_syn"), measure), measure)
    ]
    units: dict[str, list[str]] = {}
    for measure in measures:
        units.setdefault(measure.unit, []).append(measure.name)
    works = dict.fromkeys(work for each in measures for work in WORK.findall(each.source))
    yield f"### {name}\n"
    said = [f"Sources: {'; '.join(works)}."] * bool(works)
    for unit, of in units.items():
        if not unit.startswith(USUAL) or unit.startswith(GAIN):
            whose = f" of {', '.join(of)}" if len(units) > 1 else ""
            said.append(f"Unit{whose}: {unit}.")
    if said:
        yield " ".join(said) + "\n"
    explained: set[str] = set()
    for measure in measures:
        twin = names.get(f"{measure.name}_syn")
        also = f", **{twin.name}**" if twin and _same(measure, twin) else ""
        formula = "; ".join(part for part in measure.formula.split("; ") if part not in explained)
        explained.update(filter(SYMBOLS.match, measure.formula.split("; ")))
        yield f"- **{measure.name}**{also}: {measure.title}. `{formula}`"
    yield ""


def _same(measure: Measure, other: Measure) -> bool:
    """Return True if ``other`` is the version of a measure for synthetic records, with s instead of
    d in its formula.
    """
    return measure is not other and other.formula == re.sub(
        r"\bd_|(?<=\bN_)d\b", lambda found: found[0].replace("d", "s"), measure.formula
    )
