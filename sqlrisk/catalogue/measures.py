"""The catalogue of measures: reads ``sql/measures``, one measure a file, and checks each file when it is loaded.

A file is a TOML header in a comment and one short SELECT of one aggregate as numerator and one as denominator (or one as
value) over one stage. That form is what lets every measure over a stage be counted in one scan and still stand alone.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

from sqlrisk.catalogue.dialects import DIALECTS
from sqlrisk.common import toml
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import is_folder
from sqlrisk.common.resources import sql_folder
from sqlrisk.common.suggestions import suggestion

FAMILIES = (
    *("identity", "attribute", "cap", "protection"),
    *("k_anonymity", "l_diversity", "population_risk", "neighbours", "bounds"),
    *("within", "matches", "intruder"),
)
DEFAULT_FAMILIES = ("identity", "attribute", "cap")
CELL_STAGES = ("cells", "neighbours")  # a row stands for cells; neighbours: with the nearest synthetic records
PROFILE_STAGES = ("profiles", "neighbour_profiles")  # a row is a class of one target
UNTARGETED = ("classes", "matches")  # of who is found by the keys alone
STAGES = (*UNTARGETED, *CELL_STAGES, *PROFILE_STAGES, "within", "posteriors", "results")

_REQUIRED = {
    "name": str,
    "title": str,
    "formula": str,
    "source": str,
    "scale": str,
    "unit": str,
    "higher": str,
    "order": int,
    "says": str,
    "raises": str,
    "do": str,
}
_OPTIONAL = {"risky": str, "least": str, "at": list, "at_setting": str, "needs": str, "each": str, "among": str}
_SCALES = {"percent": 100, "ratio": 1, "count": 1}
_NEEDS = ("exclusions", "weights", "a tolerance", "aligned files", "a stated synthesiser")
SETTINGS_OF_POINTS = ("class_sizes", "radii")  # settings of a scenario that replace the points of a measure
_LEAST = ("counted_low", "share_low")
_SUMS = ("SUM(", "COALESCE(SUM(")
_KINDS = {"numerator": (*_SUMS, "MIN(", "MAX("), "denominator": _SUMS, "value": ("MAX(", "MIN("), "least": ("MIN(",)}
_FILE = re.compile(r"\A/\*---\n(?P<header>.*?)\n---\*/\n(?P<body>.*)\Z", re.DOTALL)
_FRACTION = re.compile(
    r"\ASELECT\s+(?P<numerator>.+?)\s+AS numerator,\s+(?P<denominator>.+?)\s+AS denominator\s+FROM \{\{ (?P<stage>\w+) \}\}\s*\Z",
    re.DOTALL,
)
_VALUE = re.compile(r"\ASELECT\s+(?P<value>.+?)\s+AS value\s+FROM \{\{ (?P<stage>\w+) \}\}\s*\Z", re.DOTALL)
_COUNT_OF_LEAST = re.compile(
    r"\ASELECT\s+(?P<least>.+?)\s+AS least,\s+(?P<value>.+?)\s+AS value\s+FROM \{\{ (?P<stage>\w+) \}\}\s*\Z",
    re.DOTALL,
)
_NAME = re.compile(r"\{\{ *(\w+) *\}\}")


@dataclass(frozen=True)
class Measure:
    """One published measure: what its file says.

    Attributes:
        name: the published name, ``DiSCO``.
        family: the folder of the file: identity, attribute, cap, protection, population_risk, or a user's own.
        title, formula, source, unit, higher, says: from the header; ``says`` is a sentence with ``{denominator}``,
            ``{numerator}``, ``{value}``, ``{target}``, ``{keys}``, ``{at}``.
        raises, do: from the header, for readers: what makes the number greater, and what to do about it.
        scale: ``percent`` (value = 100 * numerator / denominator), ``ratio`` (1 * ...) or ``count`` (the value alone).
        risky: SQL condition of the cells (or classes) that make the number, or None.
        least: the number of a class that is smallest where the cells are that make the measure, or None.
        at: the points at which the measure is taken (tau), or empty.
        at_setting: the setting of a scenario that replaces these points, or None.
        stage: what the SELECT reads: one of ``STAGES``; ``results`` is for a measure made of others.
        aggregates: ``{"numerator": sql, "denominator": sql}``, ``{"value": sql}`` or ``{"least": sql, "value": sql}`` (a value
            that counts what is least), with ``{{ }}`` names unfilled.
        needs: ``exclusions`` (``weights``, ``a tolerance``, ``aligned files``, ``a stated synthesiser``) when the measure has a
            meaning only with them, else None.
        each: SQL of one person's value, for a measure that is a mean of such values; None for other measures.
        among: condition of the people it is the mean of; None for all.
        sql: the whole text of the file; path: where it is.
    """

    name: str
    family: str
    title: str
    formula: str
    source: str
    scale: str
    unit: str
    higher: str
    order: int
    says: str
    raises: str
    do: str
    risky: str | None
    least: str | None
    at: tuple[str, ...]
    at_setting: str | None
    needs: str | None
    each: str | None
    among: str | None
    stage: str
    aggregates: dict[str, str]
    sql: str
    path: Path

    @property
    def column(self) -> str:
        """The measure's name as the start of a column name, and as the name of its file."""
        return column(self.name)

    @property
    def factor(self) -> int:
        """What numerator / denominator is multiplied by."""
        return _SCALES[self.scale]

    @property
    def body(self) -> str:
        """The SELECT without its header."""
        return _FILE.match(self.sql)["body"].strip()  # type: ignore[index]  # checked when the file was loaded

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The names of the measures that a measure made of others reads."""
        if self.stage != "results":
            return ()
        return tuple(dict.fromkeys(name for text in self.aggregates.values() for name in _NAME.findall(text)))

    def counts(self, side: str) -> bool:
        """Whether an aggregate (``numerator``, ``denominator``, ``value``) is a whole number: no share or DOUBLE is in it."""
        if side == "value" and "least" in self.aggregates:
            return True  # it counts what is least
        return self.stage != "results" and not re.search(
            r"DOUBLE|\b(share|entropy|expected|chance)_|\b\w+_risk\b", self._text(side)
        )

    def _text(self, side: str) -> str:
        """An aggregate with the number it names as ``{{ least }}``."""
        return re.sub(r"\{\{ *least *\}\}", self.least or "", self.aggregates[side])

    @property
    def of_neighbours(self) -> bool:
        """Whether it looks beyond equal keys, to the nearest synthetic records."""
        return self.stage.startswith("neighbour")

    @property
    def of_people(self) -> bool:
        """Whether it is about people: one that sums synthetic records has no population, no weighted form and no control."""
        return not any(re.search(r"\b(synthetic|counted_syn)\b", text) for text in self.aggregates.values())

    @property
    def untargeted(self) -> bool:
        """Whether it is about no target: who is found by the keys alone."""
        return self.stage in UNTARGETED

    @property
    def knows_control(self) -> bool:
        """Whether people who were not in the synthesis have it: none of its records was made from them, or with their help."""
        return self.stage not in ("matches", "posteriors")

    @property
    def weighable(self) -> bool:
        """Whether it is a share of people, in numerator and denominator, so that each can count by weight."""
        return (
            self.stage != "results"
            and re.search(r"\b(people|counted_\w+)\b", self.aggregates.get("denominator", "")) is not None
            and "n_cells" not in self.aggregates["denominator"]
        )

    @property
    def is_share(self) -> bool:
        """Whether numerator / denominator is a share: something is left above it, up to 1."""
        return "numerator" in self.aggregates and (self.scale == "percent" or self.weighable)

    @property
    def is_proportion(self) -> bool:
        """Whether it is a number of people among people, each of whom counts or does not."""
        summed = self.aggregates.get("numerator", "").startswith(("SUM(", "COALESCE(SUM("))
        return self.each is None and self.weighable and summed and self.counts("numerator") and self.counts("denominator")

    @property
    def counted(self) -> str:
        """Whose values a mean sums: ``counted_orig``, or ``people`` where exclusions are ignored; the others' value is 0."""
        return "counted_orig" if "counted_orig" in self.aggregates["numerator"] else "people"

    @property
    def points(self) -> tuple[float | None, ...]:
        """The points of ``at`` as numbers, whole ones as they are written; (None,) for a measure without."""
        return tuple(int(at) if at.isdecimal() else float(at) for at in self.at) or (None,)

    def at_fraction(self, at: str) -> Fraction:
        """A point of ``at`` as an exact fraction, so that proportions are compared in integers."""
        return Fraction(at)

    def next_at(self, at: str) -> str | None:
        """The point after this one, where a bucket that begins at it ends; None after the last."""
        place = self.at.index(at) + 1
        return self.at[place] if place < len(self.at) else None


class Catalog:
    """Measures in catalogue order: by family, then by ``order``; a user's own families last, by name."""

    def __init__(self, measures: list[Measure]) -> None:
        families = {family: rank for rank, family in enumerate(FAMILIES)}
        ordered = sorted(measures, key=lambda m: (families.get(m.family, len(FAMILIES)), m.family, m.order, m.name))
        self._measures = {measure.name: measure for measure in ordered}

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._measures.values())

    def __len__(self) -> int:
        return len(self._measures)

    def __contains__(self, name: object) -> bool:
        return name in self._measures

    def __getitem__(self, name: str) -> Measure:
        """The measure of that name. Raises InputError with near names."""
        if name not in self._measures:
            raise InputError(self._unknown(name))
        return self._measures[name]

    @property
    def families(self) -> tuple[str, ...]:
        """Family names in catalogue order."""
        return tuple(dict.fromkeys(measure.family for measure in self))

    def taken_at(self, points: Mapping[str, tuple[int, ...]]) -> "Catalog":
        """The catalogue with the points that settings of a scenario give, by the name of the setting."""
        given = {name: tuple(str(point) for point in each) for name, each in points.items()}
        return Catalog([replace(m, at=given[m.at_setting]) if m.at_setting in given else m for m in self])

    def select(self, names: tuple[str, ...]) -> tuple[Measure, ...]:
        """The measures that names or family names stand for, in catalogue order. Raises InputError naming every unknown."""
        problems = [self._unknown(name) for name in names if name not in self._measures and name not in self.families]
        if problems:
            raise InputError(problems)
        return tuple(measure for measure in self if measure.name in names or measure.family in names)

    def _unknown(self, name: str) -> str:
        near = suggestion(name, [*self._measures, *self.families])
        return f"There is no measure or family {name!r}{near}. `sqlrisk list` shows all."


@lru_cache(maxsize=8)
def catalog(measures_from: str | None = None) -> Catalog:
    """The published measures, and a user's own from a folder of ``.sql`` files (or of folders of them, one a family).

    Raises:
        InputError: a file does not have the form of a measure, a name is taken, or the folder holds no ``.sql`` file.
    """
    shipped = sql_folder() / "measures"
    paths = [(path, path.parent.name) for path in sorted(shipped.glob("*/*.sql"))]
    if measures_from is not None:
        folder = Path(measures_from)
        own = [
            (path, "own" if path.parent == folder else path.parent.name)
            for path in sorted([*folder.glob("*.sql"), *folder.glob("*/*.sql")] if is_folder(folder) else [])
            if path.parent == folder or path.parent.name not in DIALECTS  # those are measures in a dialect's own SQL
        ]
        if not own:
            raise InputError(f"No .sql file in the folder of measures {str(folder)!r}.")
        paths += own
    measures: list[Measure] = []
    problems: list[str] = []
    for path, family in paths:
        try:
            measures.append(load(path, family))
        except InputError as error:
            problems += error.problems
    names = [measure.name for measure in measures]
    problems += [
        f"Two files define the measure {name!r}; give yours another name."
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    known = {measure.name: measure for measure in measures}
    for measure in measures:
        for part in measure.parts:
            if part not in known or known[part].stage != "cells" or known[part].at:
                problems.append(f"{measure.path.name}: {{{{ {part} }}}} is no measure over cells that a measure can be made of.")
    if problems:
        raise InputError(problems)
    return Catalog(measures)


def load(path: Path, family: str) -> Measure:
    """One measure from its file. Raises InputError that names the file and what is wrong in it."""
    text = toml.text_of(path, path.name)
    match = _FILE.match(text)
    if not match:
        raise InputError(f"{path.name}: a measure starts with a header between '/*---' and '---*/', each on a line of its own.")
    header = toml.read(match["header"], f"{path.name}: the header", parse_float=str)
    problems = [f"the header lacks {key!r}" for key in _REQUIRED if key not in header]
    problems += [
        f"unknown header key {key!r}{suggestion(key, [*_REQUIRED, *_OPTIONAL])}"
        for key in header
        if key not in _REQUIRED and key not in _OPTIONAL
    ]
    problems += [
        f"{key!r} must be a {kind.__name__}"
        for key, kind in {**_REQUIRED, **_OPTIONAL}.items()
        if key in header and type(header[key]) is not kind
    ]
    body = match["body"].strip()
    found = _FRACTION.match(body) or _COUNT_OF_LEAST.match(body) or _VALUE.match(body)
    if not found:
        problems.append(
            "the body must be SELECT <aggregate> AS numerator, <aggregate> AS denominator (or <aggregate> AS value, "
            "or <aggregate> AS least, <aggregate> AS value) FROM {{ stage }}"
        )
    elif found["stage"] not in STAGES:
        problems.append(f"unknown stage {found['stage']!r}{suggestion(found['stage'], STAGES)}")
    elif not problems:
        if header["scale"] not in _SCALES:
            problems.append(f"scale {header['scale']!r} is none of {', '.join(_SCALES)}")
        if header.get("needs") not in (None, *_NEEDS):
            problems.append(f"needs {header['needs']!r} is none of {', '.join(_NEEDS)}")
        if header.get("at_setting") not in (None, *SETTINGS_OF_POINTS):
            problems.append(f"at_setting {header['at_setting']!r} is none of {', '.join(SETTINGS_OF_POINTS)}")
        if path.stem != column(header["name"]):
            problems.append(f"the measure {header['name']!r} belongs in a file named {column(header['name'])}.sql")
        problems += _name_problems(header, found)
        problems += _sum_problems(header, found)
        problems += _each_problems(header, found)
    if problems or found is None:
        raise InputError([f"{path.name}: {problem}." for problem in problems])
    return Measure(
        name=header["name"],
        family=family,
        **{
            key: header[key] for key in ("title", "formula", "source", "scale", "unit", "higher", "order", "says", "raises", "do")
        },
        risky=header.get("risky"),
        least=header.get("least"),
        at=tuple(str(at) for at in header.get("at", ())),
        at_setting=header.get("at_setting"),
        needs=header.get("needs"),
        each=header.get("each"),
        among=header.get("among"),
        stage=found["stage"],
        aggregates={side: text for side, text in found.groupdict().items() if side != "stage"},
        sql=text,
        path=path,
    )


def _name_problems(header: dict[str, object], found: re.Match[str]) -> list[str]:
    """Names in braces that nothing fills, and declared ones that nothing uses."""
    if found["stage"] == "results":
        return []
    texts = [text for side, text in found.groupdict().items() if side != "stage"]
    texts += [str(header.get(name, "")) for name in ("risky", "each", "among")]
    used = {name for text in texts for name in _NAME.findall(text)}
    offered = {"risky"} if "risky" in header else set()
    offered |= {"least"} if "least" in header else set()
    offered |= {"at_numerator", "at_denominator", "at_next"} if "at" in header else set()
    problems = [f"nothing fills {{{{ {name} }}}}" for name in sorted(used - offered)]
    if "at" in header and not used & {"at_numerator", "at_denominator"}:
        problems.append("'at' is declared but {{ at_numerator }} and {{ at_denominator }} are not used")
    return problems


def _sum_problems(header: dict[str, object], found: re.Match[str]) -> list[str]:
    """Aggregates that do not add up over passes and distinct cells, and conditions on anything but a cell's own counts."""
    if found["stage"] == "results":
        return []
    problems = []
    counts_least = "least" in found.groupdict()
    for side, text in found.groupdict().items():
        kinds = _SUMS if side == "value" and counts_least else _KINDS.get(side, ())
        if side != "stage" and not text.startswith(kinds):
            problems.append(
                f"the {side} must be {' or '.join(f'{kind}...' for kind in kinds)}: only those add up over parts of the data"
            )
        if (
            found["stage"] in (*CELL_STAGES, "within")
            and side in ("numerator", "denominator")
            and re.search(r"(SUM\(|THEN |ELSE )n_(orig|syn)", text)
        ):
            problems.append(
                f"the {side} sums n_orig or n_syn, which describe one cell; sum people, synthetic, counted_* or n_cells"
            )
    if "risky" in header and found["stage"] not in ("classes", "cells", "within"):
        problems.append(f"'risky' is a condition on cells or classes; a measure over {found['stage']} has none")
    if "least" in header and (found["stage"] != "profiles" or header["least"] not in _LEAST):
        problems.append(f"'least' is one of {', '.join(_LEAST)}, of a measure over profiles")
    if re.search(r"\b(share_|counted_|people\b|synthetic\b|n_cells\b)", str(header.get("risky", ""))):
        problems.append("'risky' may look only at what the intruder sees: n_orig, n_syn, n_orig_class, n_syn_class")
    return problems


def _each_problems(header: dict[str, object], found: re.Match[str]) -> list[str]:
    """What a person's value in the header says against the SELECT."""
    if "each" not in header:
        return ["'among' says whose mean it is, so it needs 'each'"] if "among" in header else []
    if found["stage"] not in ("classes", *CELL_STAGES, "within") or "denominator" not in found.groupdict():
        return ["'each' is a person's value in a mean, a numerator over a denominator of people in classes, cells or within"]
    people = f"CASE WHEN {header['among']} THEN people ELSE 0 END" if "among" in header else "people"
    problems = []
    if " ".join(found["denominator"].split()) != f"SUM({people})":
        problems.append(f"with 'each' the denominator must be SUM({people})")
    if not re.search(r"\b(people|counted_orig)\b", found["numerator"]):
        problems.append("with 'each' the numerator must sum counted_orig or people")
    if any(re.search(r"\b(counted_|people\b|synthetic\b|n_cells\b)", str(header.get(name, ""))) for name in ("each", "among")):
        problems.append("'each' and 'among' may look only at one person's cell: n_*, share_*")
    return problems


def column(name: str) -> str:
    """A measure's name as it begins a column name and names its file: ``UiO-repU`` is ``uio_repu``."""
    return re.sub(r"\W+", "_", name).lower()
