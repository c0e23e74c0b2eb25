"""The catalog of measures: reads ``sql/measures``, one measure per file, and checks each file.

A file is a TOML header in a comment and one short SELECT over one stage: an aggregate as numerator
and one as denominator, or one as value. With this form all measures over a stage can be counted in
one scan, and each SELECT also runs by itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlrisk.catalogue import families, headers, kinds, reads
from sqlrisk.catalogue.dialects import DIALECTS
from sqlrisk.catalogue.families import Family
from sqlrisk.catalogue.headers import Allowed
from sqlrisk.catalogue.kinds import KINDS, MeasureKind
from sqlrisk.catalogue.reads import PROFILES, THEMES
from sqlrisk.common.errors import InputError, ProblemList, suggesting, suggestion
from sqlrisk.common.output_files import is_folder
from sqlrisk.common.resources import sql_folder

DEFAULT_FAMILIES = ("identity", "attribute", "cap")
# Stages with a row per cell. neighbours: with the levels of the nearest synthetic records.
# reached_cells: of records within a key's tolerance. guessed_cells: with guesses of the class.
CELL_STAGES = ("cells", "neighbours", "neighbours_reached", "reached_cells", "guessed_cells")
ROW_STAGES = ("whole_rows", "near_rows")  # of whole rows, over all columns that the files share
# Stages about sets of keys.
OF_SETS = ("linked_classes", "singled_classes", "predicate_counts")
# Stages of membership scores over all passes: a score, or its ratio to a reference.
OF_SCORES = ("thresholds", "ratio_thresholds")
# Stages without a target: people are found by only the keys, or by the whole row.
UNTARGETED = ("classes", "reached_classes", *OF_SETS, "matches", *ROW_STAGES, *OF_SCORES)
STAGES = (
    *UNTARGETED, *CELL_STAGES, *PROFILES, "ordered_classes", "within", "posteriors", "results",
)  # fmt: skip

_SCALES = {"percent": 100, "ratio": 1, "count": 1}
_NEEDS = (
    "exclusions", "weights", "control", "a universe", "a tolerance", "a tolerance on a key",
    "a link", "aligned files", "a stated synthesizer", "a reference",
)  # fmt: skip
# Stages whose single rows can be listed.
_LISTED = ("classes", "cells", "within", "reached_classes", "reached_cells")
# Settings of a scenario that replace the points of a measure.
SETTINGS_OF_POINTS = ("class_sizes", "set_sizes", "radii", "row_radii", "base_rates")
_LEAST = ("counted_low", "share_low")
_REQUIRED: Allowed = {
    **dict.fromkeys(
        ("name", "title", "formula", "source", "unit", "higher", "says", "raises", "do"), str
    ),
    "scale": tuple(_SCALES),
    "kind": tuple(KINDS),
    "order": int,
}
_OPTIONAL: Allowed = {
    **dict.fromkeys(("risky", "least", "each", "among"), str),
    **dict.fromkeys(("at", "reads"), list),
    "at_setting": SETTINGS_OF_POINTS,
    "needs": _NEEDS,
    "theme": THEMES,
}
SIDES = ("original", "baseline", "synthetic")
HEADLINES = ("certain", "guessed", "unique")
CHECKED = "DiSCO"  # the one-way and two-way checks explain what this measure counts
SENSES = ("more risk", "less risk", "less protection", "more protection")
CRITERIA = ("singling out", "inference", "linkability")  # the criteria of an anonymous file (WP216)
_OF_MEASURES = ("of_original", "baseline", "of_counted", "over")  # keys that name another measure
# Header keys for how reports show a measure.
_SHOWN: Allowed = {
    "sense": SENSES,
    "above": SIDES,
    "headline": HEADLINES,
    "criterion": CRITERIA,
    **dict.fromkeys((*_OF_MEASURES, "finding", "brief", "label"), str),
    **dict.fromkeys(("pooled", "finding_figures", "figures"), list),
    "mark": SIDES,
    "said_at": ("first", "last"),
    "knows": ("keys", "nothing"),
    "keep": int,
    "swept": bool,
}
_SUMS = ("SUM(", "COALESCE(SUM(")
_AGGREGATES = {
    "numerator": (*_SUMS, "MIN(", "MAX("),
    "denominator": _SUMS,
    "value": ("MAX(", "MIN("),
    "least": ("MIN(",),
}
_BODY = re.compile(
    r"\ASELECT\s+"
    r"(?:(?P<numerator>.+?)\s+AS numerator,\s+(?P<denominator>.+?)\s+AS denominator"
    r"|(?:(?P<least>.+?)\s+AS least,\s+)?(?P<value>.+?)\s+AS value)"
    r"\s+FROM \{\{ (?P<stage>\w+) \}\}\s*\Z",
    re.DOTALL,
)
_NAME = re.compile(r"\{\{ *(\w+) *\}\}")
_POINT = re.compile(r"\d+(\.\d+)?")

Header = dict[str, Any]
Sides = Mapping[str, str]
"""The SQL aggregates of a measure by name: numerator and denominator, value, or least and value."""


@dataclass(frozen=True)
class Measure:
    """One published measure, read from its file. sql/docs/measures.md explains headers.

    Attributes:
        family: the folder of the file, such as identity, attribute, cap, or a user's own.
        stage: the table that the SELECT reads, one of ``STAGES``. ``results`` if the measure
            combines other measures.
        kind: the kind of number, one of `KINDS`.
        aggregates: ``{"numerator": sql, "denominator": sql}``, ``{"value": sql}`` or ``{"least":
            sql, "value": sql}`` (a value that counts the minimum), with ``{{ }}`` names unfilled.
        reads: columns that are made only for measures that declare them.
        theme: the facts about people, besides keys, that an external report must distinguish.
        shown: the header keys that change only how reports show it.
        sql: the text of the file, as `headers.read` returns it.
        path: the path of the file.
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
    stage: str
    kind: MeasureKind
    aggregates: Sides
    risky: str | None = None
    least: str | None = None
    at: tuple[str, ...] = ()
    at_setting: str | None = None
    needs: str | None = None
    each: str | None = None
    among: str | None = None
    reads: tuple[str, ...] = ()
    theme: str | None = None
    shown: Header = field(default_factory=dict)
    sql: str = ""
    path: Path = Path()

    @property
    def column(self) -> str:
        """The measure's name as used in column names and for its file."""
        return column(self.name)

    @property
    def factor(self) -> int:
        """The factor that multiplies numerator / denominator, such as 100 for a percentage."""
        return _SCALES[self.scale]

    @property
    def body(self) -> str:
        """The SELECT without its header."""
        return headers.parts(self.sql)[1]

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The names of the measures that this measure combines."""
        if self.stage != "results":
            return ()
        return tuple(
            dict.fromkeys(name for text in self.aggregates.values() for name in _NAME.findall(text))
        )

    @property
    def of_neighbours(self) -> bool:
        """True if the measure reads the nearest synthetic records, not only those with equal
        keys.
        """
        return self.stage.startswith("neighbour")

    @property
    def of_each_file(self) -> bool:
        """True if the measure evaluates each file of a pool separately."""
        return "each file" in self.reads

    @property
    def of_others(self) -> bool:
        """True if the measure needs what the original reveals about a person without their own
        record.
        """
        return "others" in self.reads

    @property
    def of_rows(self) -> bool:
        """True if the measure compares whole rows."""
        return self.stage in ROW_STAGES

    @property
    def of_draws(self) -> bool:
        """True if the measure estimates its value for equally many people of the original and of
        control.
        """
        return "draws" in self.reads

    @property
    def of_spread(self) -> bool:
        """True if the measure needs more of a class's profile than the majority level of its
        synthetic records.
        """
        return not {"spread", "closeness"}.isdisjoint(self.reads)

    @property
    def of_closeness(self) -> bool:
        """True if the measure compares the level shares of a class with the level shares of all
        people.
        """
        return "closeness" in self.reads

    @property
    def untargeted(self) -> bool:
        """True if the measure has no target, because people are found by keys or whole rows."""
        return self.stage in UNTARGETED

    @property
    def of_sets(self) -> bool:
        """True if the measure reads subsets of the keys, not only all keys together."""
        return self.stage in OF_SETS

    @property
    def knows_control(self) -> bool:
        """True if the measure can be computed for people of control, from whom no synthetic record
        was made.

        False also for measures that compare control with people in the synthesis, because they are
        about both groups.
        """
        return self.stage not in ("matches", "posteriors", *OF_SCORES)

    @property
    def knows_populations(self) -> bool:
        """True if the measure can be computed for populations.

        False for ratios to a reference, because control is halved as a whole, not population by
        population.
        """
        return self.kind.of_people and self.stage != "ratio_thresholds"

    @property
    def is_share(self) -> bool:
        """True if numerator / denominator is a share, from 0 to 1."""
        share = self.scale == "percent" or (self.kind.weighable and self.kind.bounded)
        return "numerator" in self.aggregates and share

    @property
    def points(self) -> tuple[float | None, ...]:
        """The points of ``at`` as numbers (int if whole), or (None,) for a measure without
        points.
        """
        return tuple(int(at) if at.isdecimal() else float(at) for at in self.at) or (None,)


class Catalog:
    """Measures in catalog order: by family, then by ``order``. A user's families come last, by
    name.

    ``described`` are the families that have a ``family.toml``.
    """

    def __init__(
        self, measures: list[Measure], own: Mapping[str, Family] = MappingProxyType({})
    ) -> None:
        self.described = {**families.shipped(), **own}
        ranks = {family: rank for rank, family in enumerate(families.shipped())}
        ordered = sorted(
            measures, key=lambda m: (ranks.get(m.family, len(ranks)), m.family, m.order, m.name)
        )
        self._measures = {measure.name: measure for measure in ordered}
        self._spelled = {name.casefold(): name for name in (*self.families, *self._measures)}

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._measures.values())

    def __len__(self) -> int:
        return len(self._measures)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.spelled(name) in self._measures

    def __getitem__(self, name: str) -> Measure:
        """Return a measure by name. Raises InputError with similar names."""
        if name not in self:
            raise InputError(self._unknown(name))
        return self._measures[self.spelled(name)]

    def spelled(self, name: str) -> str:
        """Return the correct spelling of a measure's or family's name. Any other name is returned
        unchanged.
        """
        return name if name in self._measures else self._spelled.get(name.casefold(), name)

    @property
    def families(self) -> tuple[str, ...]:
        """Family names in catalog order."""
        return tuple(dict.fromkeys(measure.family for measure in self))

    def parts_of(self, measure: Measure) -> list[Measure]:
        """Return the basic measures that a measure combines, directly or indirectly, or only itself
        if it combines none.
        """
        return [part for name in measure.parts for part in self.parts_of(self[name])] or [measure]

    def with_parts(self, measures: Iterable[Measure]) -> tuple[Measure, ...]:
        """Return measures and all measures that they combine, in catalog order."""
        names = {measure.name for measure in measures}
        while parts := {part for name in names for part in self[name].parts} - names:
            names |= parts
        return tuple(measure for measure in self if measure.name in names)

    def taken_at(self, points: Mapping[str, tuple[float, ...]]) -> "Catalog":
        """Return the catalog with points replaced by those that a scenario sets. ``points`` maps a
        setting to its points.
        """
        given = {name: tuple(str(point) for point in each) for name, each in points.items()}
        return Catalog(
            [replace(m, at=given[m.at_setting]) if m.at_setting in given else m for m in self],
            self.described,
        )

    def select(self, names: tuple[str, ...]) -> tuple[Measure, ...]:
        """Return the measures with these names, or in families with these names, in catalog order.

        Raises InputError with every unknown name.
        """
        wanted = {self.spelled(name) for name in names}
        ProblemList(
            self._unknown(name)
            for name in names
            if self.spelled(name) not in (*self._measures, *self.families)
        ).stop()
        return tuple(
            measure for measure in self if not wanted.isdisjoint((measure.name, measure.family))
        )

    def _unknown(self, name: str) -> str:
        if self.spelled(name) in self.families:
            members = ", ".join(measure.name for measure in self.select((name,)))
            return f"{name!r} is a family of measures. Name one of them: {members}."
        near = suggestion(name, [*self._measures, *self.families])
        return f"There is no measure or family {name!r}{near}. `sqlrisk list` shows all."


@suggesting
def catalog(measures_from: str | None = None) -> Catalog:
    """Return the published measures, and a user's own from a folder of ``.sql`` files (or a
    subfolder per family).

    Returns:
        A Catalog. A loop over it gives each measure, with its ``name``, ``title``, ``formula``,
        ``source``, ``says``, ``do`` and ``sql``.

    Raises:
        InputError: the folder holds no measure, or an invalid one.

    Example:
        >>> print(sqlrisk.measures()["DiSCO"].title)
        Correctly disclosed: all matching synthetic records agree on the target, and they are right
    """
    return _shipped() if measures_from is None else _with_own(Path(measures_from))


@cache
def _shipped() -> Catalog:
    """Read the published measures, once per process."""
    paths = sorted((sql_folder() / "measures").glob("*/*.sql"))
    return _read([(path, path.parent.name) for path in paths], (), {}, ProblemList())


def _with_own(folder: Path) -> Catalog:
    """Read a user's measures, each time anew because their files may have changed."""
    own = [
        (path, "own" if path.parent == folder else path.parent.name)
        for path in sorted(
            [*folder.glob("*.sql"), *folder.glob("*/*.sql")] if is_folder(folder) else []
        )
        # Those folders hold measures in a dialect's own SQL.
        if path.parent == folder or path.parent.name not in DIALECTS
    ]
    if not own:
        raise InputError(f"No .sql file in the folder of measures {str(folder)!r}.")
    described: dict[str, Family] = {}
    problems = ProblemList()
    for beside, family in dict.fromkeys(
        (path.with_name(families.FILE), family) for path, family in own
    ):
        if beside.is_file():
            with problems:
                described[family] = families.load(beside, family, own=True)
    return _read(own, _shipped(), described, problems)


def _read(
    paths: Iterable[tuple[Path, str]],
    others: Iterable[Measure],
    described: Mapping[str, Family],
    problems: ProblemList,
) -> Catalog:
    """Read (file, family) of measures, and return them with ``others``. Raises InputError with
    these and further ``problems``.
    """
    measures = [*others]
    for path, family in paths:
        with problems:
            measures.append(load(path, family))
    alike: dict[str, list[str]] = {}
    for measure in measures:
        alike.setdefault(measure.column, []).append(measure.name)
    problems += [
        f"Two files define the measure {' or '.join(map(repr, dict.fromkeys(names)))}; give yours "
        "another name."
        for names in alike.values()
        if len(names) > 1
    ]
    known = {measure.name: measure for measure in measures}
    for measure in measures:
        for part in measure.parts:
            if part not in known or not _joins(known[part], measure):
                problems.append(
                    f"{measure.path.name}: {{{{ {part} }}}} is not a measure over cells, so "
                    "it cannot be part of a measure."
                )
        problems += [
            f"{measure.path.name}: {key}: there is no measure "
            f"{name!r}{suggestion(str(name), known)}."
            for key in (*_OF_MEASURES, "pooled")
            for name in _listed(measure.shown.get(key))
            if name not in known
        ]
        if (
            last := [None, *_listed(measure.shown.get("pooled"))][-1]
        ) in known and "brief" not in known[str(last)].shown:
            problems.append(
                f"{measure.path.name}: pooled: the last measure needs a 'brief' in its "
                f"header, and {last} has none."
            )
    problems.stop()
    return Catalog(measures, described)


def _listed(said: str | list[str] | None) -> list[str]:
    """Return the value of a header key as a list of names: none, one or several."""
    return [] if said is None else [said] if isinstance(said, str) else said


def _joins(part: Measure, measure: Measure) -> bool:
    """Return True if ``measure`` may combine ``part``. Both are over cells and have equal points,
    or ``measure`` is the maximum over the points of ``part``, which itself combines measures.
    """
    if part.stage == "results":
        return bool(part.at) and not measure.at
    return part.stage in ("cells", "guessed_cells") and part.at == measure.at


def load(path: Path, family: str) -> Measure:
    """Read one measure from its file. Raises InputError with the file and what is wrong in it."""
    header, text, problems = headers.read(path, "a measure", _REQUIRED, {**_OPTIONAL, **_SHOWN})
    found = _BODY.match(headers.parts(text)[1])
    groups = {} if found is None else found.groupdict()
    sides = {side: sql for side, sql in groups.items() if side != "stage" and sql is not None}
    stage = "" if found is None else found["stage"]
    if found is None:
        problems.append(
            "the body must be SELECT <aggregate> AS numerator, <aggregate> AS denominator (or "
            "<aggregate> AS value, "
            "or <aggregate> AS least, <aggregate> AS value) FROM {{ stage }}"
        )
    elif stage not in STAGES:
        problems.append(f"unknown stage {stage!r}{suggestion(stage, STAGES)}")
    elif not problems:
        if path.stem != column(header["name"]):
            problems.append(
                f"the measure {header['name']!r} belongs in a file named "
                f"{column(header['name'])}.sql"
            )
        for check in _CHECKS:
            problems += check(header, stage, sides)
        problems = problems or [*reads.problems(header, headers.parts(text)[1], stage)]
    ProblemList(f"{path.name}: {problem}." for problem in problems).stop()
    header["kind"] = KINDS[header["kind"]]
    header |= {name: tuple(str(each) for each in header.get(name, ())) for name in ("at", "reads")}
    shown = {key: header.pop(key) for key in _SHOWN if key in header}
    return Measure(
        family=family, stage=stage, aggregates=sides, shown=shown, sql=text, path=path, **header
    )


def _kind_problems(header: Header, stage: str, sides: Sides) -> Iterator[str]:
    """Yield messages if the kind of a measure does not fit its SELECT."""
    name, kind = header["kind"], KINDS[header["kind"]]
    if (name == kinds.MADE_OF_MEASURES) != (stage == "results"):
        yield (
            f"measures over results have the kind {kinds.MADE_OF_MEASURES!r}, and no others have it"
        )
    elif kind.sides and {*kind.sides} != {*sides}:
        yield (
            f"a measure of the kind {name!r} has {' and '.join(kind.sides)}, not "
            f"{' and '.join(sides)}"
        )
    elif "each" in header and not kind.averaged and stage != "results":
        yield f"'each' is a person's value in a mean, but the kind {name!r} is not a mean"


def _name_problems(header: Header, stage: str, sides: Sides) -> Iterator[str]:
    """Yield messages about names in braces that nothing fills, and about declared names that are
    not used.
    """
    if stage == "results":
        return
    texts = [*sides.values(), *(str(header.get(name, "")) for name in ("risky", "each", "among"))]
    used = {name for text in texts for name in _NAME.findall(text)}
    offered = {"risky", "least"} & header.keys()
    offered |= {"at_numerator", "at_denominator", "at_next"} if "at" in header else set()
    for name in sorted(used - offered):
        yield f"nothing fills {{{{ {name} }}}}"
    strange = [point for point in header.get("at", ()) if not _POINT.fullmatch(str(point))]
    for point in strange:
        yield f"at: {point!r} is not a number such as 5 or 0.95"
    if "at" in header and not strange and not used & {"at_numerator", "at_denominator"}:
        yield "'at' is declared but {{ at_numerator }} and {{ at_denominator }} are not used"


def _sum_problems(header: Header, stage: str, sides: Sides) -> Iterator[str]:
    """Yield messages about aggregates that cannot be added over passes, and about wrong conditions.
    A condition may use only a cell's own counts.
    """
    if stage == "results":
        return
    for side, text in sides.items():
        forms = _SUMS if side == "value" and "least" in sides else _AGGREGATES[side]
        if not text.startswith(forms):
            yield (
                f"the {side} must be {' or '.join(f'{form}...' for form in forms)}: only those "
                "add up over parts of the data"
            )
        of_cells = stage in (*CELL_STAGES, "within") and side in kinds.FRACTION
        if of_cells and re.search(r"(SUM\(|THEN |ELSE )n_(orig|syn)", text):
            yield (
                f"the {side} sums n_orig or n_syn, which describe one cell; sum people, "
                "synthetic, counted_* or n_cells"
            )
    if "risky" in header and stage not in _LISTED:
        yield f"'risky' is a condition on cells or classes; a measure over {stage} has none"
    if "reached" in stage and header.get("needs") != "a tolerance on a key":
        yield (
            f"a measure over {stage} needs a key that matches within a tolerance: say needs = "
            "'a tolerance on a key'"
        )
    if stage == "linked_classes" and header.get("needs") != "a link":
        yield "a measure over linked_classes needs two sides of keys: say needs = 'a link'"
    if stage == "ratio_thresholds" and header.get("needs") != "a reference":
        yield (
            "a measure over ratio_thresholds needs other people to compare with: say needs = 'a "
            "reference'"
        )
    if "least" in header and (stage != "profiles" or header["least"] not in _LEAST):
        yield f"'least' must be one of {', '.join(_LEAST)}, and only measures over profiles have it"
    if re.search(r"\b(share_|counted_|people\b|synthetic\b|n_cells\b)", header.get("risky", "")):
        yield (
            "'risky' may look only at what the intruder sees: n_orig, n_syn, n_orig_class, "
            "n_syn_class"
        )


def _each_problems(header: Header, stage: str, sides: Sides) -> Iterator[str]:
    """Yield messages about the header keys `each` and `among`, which give a person's value in a
    mean.
    """
    if "each" not in header:
        if "among" in header:
            yield "'among' says whose mean it is, so it needs 'each'"
        return
    if (
        stage not in ("classes", "linked_classes", *CELL_STAGES, "within")
        or "denominator" not in sides
    ):
        yield (
            "'each' is a person's value in a mean, a numerator over a denominator of people in "
            "classes, cells or within"
        )
        return
    people = (
        f"CASE WHEN {header['among']} THEN people ELSE 0 END" if "among" in header else "people"
    )
    if " ".join(sides["denominator"].split()) != f"SUM({people})":
        yield f"with 'each' the denominator must be SUM({people})"
    if not re.search(r"\b(people|counted_orig)\b", sides["numerator"]):
        yield "with 'each' the numerator must sum counted_orig or people"
    if any(
        re.search(r"\b(counted_|people\b|synthetic\b|n_cells\b)", header.get(name, ""))
        for name in ("each", "among")
    ):
        yield "'each' and 'among' may look only at one person's cell: n_*, share_*"


def _shown_problems(header: Header, stage: str, _sides: Sides) -> Iterator[str]:
    """Yield messages about header keys that say how to show a measure."""
    for sense in () if "sense" in header else SENSES:
        if header["higher"].startswith(sense) and header["higher"] != sense:
            yield f"'higher' begins with {sense!r} and says more: add sense = {sense!r}"
    if "headline" in header:
        certain, guessed, unique = HEADLINES
        if (header["headline"] == unique) != (stage in UNTARGETED):
            yield (
                f"headline: use {unique!r} for a measure of the keys only, {certain!r} or "
                f"{guessed!r} for a measure of a target"
            )
        if "of_original" not in header:
            yield "a headline needs 'of_original', the measure of the original to compare it with"
        if header["headline"] != guessed and "risky" not in header:
            yield f"a headline that is {header['headline']!r} lists cells, so it needs 'risky'"
    if any(not isinstance(name, str) for name in header.get("pooled", ())):
        yield "pooled: expected names of measures"
    for key, known in (("finding_figures", families.FIGURES), ("figures", families.OF_MEASURES)):
        for name in _listed(header.get(key)):
            if name not in known:
                yield (
                    f"{key}: {name!r} is not one of "
                    f"{', '.join(known)}{suggestion(str(name), known)}"
                )
            elif key == "figures" and name in families.OVER_POINTS and "at" not in header:
                yield f"figures: {name!r} draws the points of a measure, so it needs 'at'"
    if "guesses" in header.get("figures", ()) and "over" not in header:
        yield "figures: 'guesses' draws one measure over another, which 'over' names"


_CHECKS = (_kind_problems, _name_problems, _sum_problems, _each_problems, _shown_problems)


def column(name: str) -> str:
    """Write a measure's name for column and file names: ``UiO-repU`` becomes ``uio_repu``."""
    return re.sub(r"\W+", "_", name).lower()
