"""The scenario: what an intruder knows (keys) and wants (targets), who is counted, and what to
compute.

It comes from keyword arguments, the command line or a TOML file. All three end in ``read``, which
checks what can be checked without the data and reports every problem at once. A text is read as one
CSV line (``"a,b"``, ``"age=10,income=20"``). A list holds names as they are.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sqlrisk.catalogue.measures import DEFAULT_FAMILIES
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import conditions
from sqlrisk.inputs.columns.dictionary import ColumnEntry
from sqlrisk.inputs.columns.links import Sides, sides_of
from sqlrisk.inputs.csv_files.headers import CsvForm
from sqlrisk.inputs.fields import EXCLUSIONS, OF_COLUMNS, OF_TARGETS, SETTINGS, CsvFiles, rows
from sqlrisk.inputs.readers import ALL_FILES
from sqlrisk.inputs.settings import (
    BASELINE,
    FILE_SETTINGS,
    RATIOS,
    Pair,
    read_names,
    read_tolerances,
)
from sqlrisk.inputs.sources import Source, Synthesis

# Maximum number of steps of a search (measured: some minutes to 45 minutes of CPU).
WORK_LIMIT = 20_000_000_000
POPULATIONS = ("all", "uniques", "special")  # populations that need no condition


@dataclass(frozen=True)
class Scenario:
    """Every setting of a question, by its name in a scenario file. `sqlrisk.inputs.fields` explains
    them.
    """

    keys: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    bins: dict[str, int] = field(default_factory=dict)
    special: dict[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    column: dict[str, ColumnEntry] = field(default_factory=dict)
    encoding: dict[str, str] = field(default_factory=dict)
    delimiter: dict[str, str] = field(default_factory=dict)
    decimal: dict[str, str] = field(default_factory=dict)
    quote: dict[str, str] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    within_floor: dict[str, str] = field(default_factory=dict)
    exclude_level: dict[str, tuple[str, ...]] = field(default_factory=dict)
    exclude_missing: tuple[str, ...] = ()
    exclude_pair: tuple[Pair, ...] = ()
    max_cell: int | None = None
    max_cell_syn: int | None = None
    justification: str | None = None
    one_way: tuple[float, float] = (50, 90)
    two_way: tuple[float, float] = (4, 80)
    copied: float = 50
    matched: float = 20
    every_record: bool = False
    measures: tuple[str, ...] = DEFAULT_FAMILIES
    class_sizes: tuple[int, ...] = (1, 2, 3, 5, 10)
    set_sizes: tuple[int, ...] = (1, 2, 3)
    base_rates: tuple[float, ...] = (1, 10, 50)
    populations: tuple[str, ...] = ("all",)
    population: dict[str, str] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    weights: str | None = None
    baseline: dict[str, str] = field(default_factory=dict)
    split: str | None = None
    split_in: str | None = None
    id: str | None = None
    aligned: bool = False
    assume: str | None = None
    prior: float | None = None
    link: tuple[str, ...] = ()
    intruder_prior: str | None = None
    # recipe: add a setting
    confidence: float = 0.95
    distributions: bool = False
    trend: bool = False
    row_radius: int = 1
    membership_ratio: bool = False
    release: dict[str, str] = field(default_factory=dict)
    membership_epsilon: float | None = None
    sampled: float | None = None
    work_limit: int = WORK_LIMIT

    @property
    def conditions(self) -> dict[str, tuple[conditions.Predicate, ...]]:
        """The comparisons in the condition of each population, by the population's name."""
        return {name: conditions.read(text, "population") for name, text in self.population.items()}

    @property
    def files(self) -> list[str]:
        """The files of baselines and hierarchies, as they were named."""
        named = (each.hierarchy for each in self.column.values())
        return [*self.baseline.values(), *(path for path in named if path is not None)]

    @property
    def links(self) -> dict[str, Sides]:
        """The columns on both sides of each link, by the link's text."""
        return {link: sides_of(link) for link in self.link}

    @property
    def points(self) -> dict[str, tuple[float, ...]]:
        """The points at which measures are computed, by the name of the setting that defines
        them.
        """
        return {
            "class_sizes": self.class_sizes,
            "set_sizes": self.set_sizes,
            "radii": tuple(range(len(self.keys) + 1)),
            "row_radii": tuple(range(self.row_radius + 1)),
            "base_rates": self.base_rates,
        }

    @property
    def offered(self) -> dict[str, bool]:
        """A dict: a measure's need, such as ``a link`` -> True if the scenario meets it. Needs for
        a file, such as ``control``, are not in the dict.
        """
        return {
            "exclusions": self.excludes,
            "weights": self.weights is not None,
            "a tolerance": not {*self.within} <= {*self.keys},
            "a tolerance on a key": bool(self.near_keys),
            "a link": bool(self.link),
            "aligned files": self.aligned,
            "a stated synthesizer": self.assume is not None,
        }

    @property
    def abouts(self) -> tuple[str, ...]:
        """What results can be about: targets, links, and ratios of membership."""
        return *self.targets, *self.links, *(RATIOS if self.membership_ratio else ())

    @property
    def near_keys(self) -> list[str]:
        """The keys that match within a tolerance."""
        return [key for key in self.keys if key in self.within]

    @property
    def excludes(self) -> bool:
        """True if the scenario excludes any people."""
        return any(getattr(self, name) for name in EXCLUSIONS)

    def as_written(self, role: str, source: Source) -> Source:
        """Return the source with the CSV options given for it: by its name, by its role, or for all
        files. The first of these that exists is used.
        """
        names = (
            source.label,
            Path(source.label).name,
            role,
            *([ALL_FILES] if source.kind == "csv" else []),
        )
        said = {
            name: next((own[each] for each in names if each in own), None)
            for name, own in self.written.items()
        }
        return replace(
            source, csv=CsvForm(**{name: each for name, each in said.items() if each is not None})
        )

    def with_missing(self, source: Source) -> Source:
        """Return the source with the texts that mean missing: in all columns, and in one column."""
        own = tuple((name, entry.missing) for name, entry in self.column.items() if entry.missing)
        return replace(source, missing=self.missing, missing_of=own)

    def syntheses_as_written(self, syntheses: Iterable[Synthesis]) -> list[Synthesis]:
        """Return syntheses with the CSV options of their files."""
        return [
            replace(each, source=self.as_written("synthetic", each.source)) for each in syntheses
        ]

    def names_no_file(
        self,
        sources: Iterable[Source],
        unchecked: Container[str] = (),
        others: Iterable[object] = (),
    ) -> list[str]:
        """Return an error message for each CSV option whose name is neither a file of the question
        nor a role.

        ``sources`` are the files of the question, except baselines and hierarchies: the scenario
        names these itself. Options may also name ``others``, which are not read. Settings that
        are ``unchecked`` may name any file.
        """
        roles = (ALL_FILES, *FILE_SETTINGS, "baseline", "hierarchy")
        hierarchies = (
            entry.hierarchy for entry in self.column.values() if entry.hierarchy is not None
        )
        given = [*(source.label for source in sources), *self.baseline.values(), *hierarchies]
        given += (str(each) for each in others if each is not None)
        known = [*roles, *given, *(Path(label).name for label in given)]
        return [
            f"{setting}: {name!r} is not a file of this question{suggestion(name, known)}; "
            f"write it as you gave the file, or use one of {', '.join(roles)}."
            for setting, own in self.written.items()
            if setting not in unchecked
            for name in own
            if name not in known
        ]

    @property
    def written(self) -> dict[str, dict[str, str]]:
        """The CSV options in the scenario: setting -> name or role of a file -> value. The role
        ``all`` stands for all CSV files.
        """
        return {name: getattr(self, name) for name in rows(CsvFiles)}

    def settings_of(self, names: Sequence[str]) -> dict[str, object]:
        """Return the settings with these names as plain JSON values.

        If ``within`` is not among ``names``, special values are only those of columns with bins.
        """
        plain = {name: value for name, value in self.settings().items() if name in names}
        if "special" in plain and "within" not in names:
            plain["special"] = {
                column: list(values)
                for column, values in self.special.items()
                if column in self.bins
            }
        return plain

    def settings(self) -> dict[str, object]:
        """Return every setting as plain JSON values, defaults included, by its TOML name."""
        plain: dict[str, object] = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, value in plain.items():
            if isinstance(value, tuple):
                plain[name] = [
                    dict(vars(item)) if isinstance(item, Pair) else item for item in value
                ]
            elif isinstance(value, dict):
                plain[name] = {key: _plain(item) for key, item in value.items()}
        return plain

    @property
    def recoded(self) -> tuple[str, ...]:
        """The columns that the dictionary recodes."""
        return tuple(column for column, entry in self.column.items() if entry.recodes)

    @property
    def aligned_by(self) -> tuple[str, ...]:
        """The id column that the synthetic files need as well. Empty if files are aligned by row,
        or not aligned.
        """
        return (self.id,) if self.aligned and self.id is not None else ()

    def missing_in(self, column: str) -> tuple[str, ...]:
        """Return the texts that mean missing in a column."""
        return (
            (*self.missing, *self.column[column].missing) if column in self.column else self.missing
        )


def _plain(value: object) -> object:
    """Return an item of a setting that is a dict as plain JSON."""
    if isinstance(value, ColumnEntry):
        return value.plain()
    if isinstance(value, tuple):
        return list(value)
    return value


def read(settings: Mapping[str, object]) -> Scenario:
    """Read a scenario from settings by name. None stands for the default.

    Raises InputError with every problem that can be found without the data.
    """
    problems = ProblemList()
    values: dict[str, Any] = {}
    for name, value in settings.items():
        if value is None:
            continue
        if name == "steps":
            problems.append(
                "steps: only `sqlrisk score` (sqlrisk.score_steps in Python) compares steps; "
                "leave them out here."
            )
            continue
        if name == "universe":
            problems.append(
                "universe: only `sqlrisk score`, sql and compile use it; leave it out here."
            )
            continue
        if name not in SETTINGS:
            near = suggestion(name, [*SETTINGS, *FILE_SETTINGS])
            table = f"; the table of an intruder is [scenario.{name}]"
            problems.append(
                f"There is no setting {name!r}{near}"
                f"{table if isinstance(value, dict) and not near else ''}."
            )
            continue
        with problems:
            values[name] = SETTINGS[name].reader(value, name)
    if "population" in values:  # a population that is defined is also computed
        values["populations"] = tuple(
            dict.fromkeys((*values.get("populations", ("all",)), *values["population"]))
        )
    roles = {column: entry.role for column, entry in values.get("column", {}).items()}
    values |= implied_columns({**dict.fromkeys(settings), **values}, roles)
    values.setdefault("measures", usual_measures(values))
    scenario = Scenario(**values)
    problems += _empty_settings(scenario, values)
    for contradictions in _CONTRADICTIONS:
        problems += contradictions(scenario)
    if all(name in values for name, value in settings.items() if value is not None):
        # Otherwise a partner may only seem to be missing, because it cannot be read.
        problems += _partners(scenario)
    problems.stop()
    return scenario


def implied_columns(
    settings: Mapping[str, Any], roles: Mapping[str, object]
) -> dict[str, tuple[str, ...]]:
    """Return the keys and targets that settings (values as read) imply without naming them: by the
    ``roles`` of columns in the dictionary, or by links, since an intruder who links columns knows
    them.
    """
    found: dict[str, tuple[str, ...]] = {}
    for setting, role in (("keys", "key"), ("targets", "sensitive")):
        known = found.get("keys", settings.get("keys") or ())
        free = tuple(column for column in roles if roles[column] == role and column not in known)
        if free and setting not in settings:
            found[setting] = free
    if settings.get("link") and not (settings.get("keys") or "keys" in found):
        sides = (side for link in settings["link"] for side in sides_of(link))
        found["keys"] = tuple(dict.fromkeys(name for side in sides for name in side))
    return found


def usual_measures(settings: Mapping[str, object]) -> tuple[str, ...]:
    """Return the families to compute if no measure is named: the default families, and those that
    some settings imply.
    """
    follows = [
        ("universe", "universe"),
        ("matches", "aligned"),
        ("intruder", "assume"),
        ("linkability", "link"),
    ]
    follows += [("left_out", name) for name in EXCLUSIONS]
    with suppress(InputError):  # reported where the settings are read
        near = {*read_tolerances(settings.get("within") or (), "within")}
        keys = {*read_names(settings.get("keys") or (), "keys")}
        follows = [
            *([("within", "within")] if near - keys else []),
            *([("near_keys", "within")] if near & keys else []),
            *follows,
        ]
    return (
        *DEFAULT_FAMILIES,
        *dict.fromkeys(family for family, setting in follows if settings.get(setting)),
    )


def _empty_settings(scenario: Scenario, given: Mapping[str, object]) -> Iterator[str]:
    """Yield messages about settings that are present but empty."""
    if "keys" in given and not scenario.keys:
        yield "keys: name at least one column that the intruder knows."
    if not scenario.measures:
        yield "measures: name at least one measure or family; `sqlrisk list` shows all."


def _keys_and_targets(scenario: Scenario) -> Iterator[str]:
    """Yield messages about keys and targets that are named twice."""
    for name, columns in (("keys", scenario.keys), ("targets", scenario.targets)):
        for column in dict.fromkeys(columns):
            if columns.count(column) > 1:
                yield f"{name}: the column {column!r} is named twice."
    for column in scenario.targets:
        if column in scenario.keys:
            yield f"The column {column!r} is both a key and a target; take it out of one."


def _columns_without_role(scenario: Scenario) -> Iterator[str]:
    """Yield messages about columns in settings that are neither key nor target. Skip the check
    while keys or targets are unknown.
    """
    used = (*scenario.keys, *scenario.targets)
    for name in OF_COLUMNS if scenario.targets else ():
        columns = getattr(scenario, name)
        if name in OF_TARGETS:
            yield from _unknown_columns(name, columns, scenario.targets, "not a target")
        else:
            to_do = f"; name it as one, or take it out of {name}"
            yield from _unknown_columns(name, columns, used, "neither a key nor a target", to_do)
    linked = dict.fromkeys(
        name for sides in scenario.links.values() for side in sides for name in side
    )
    yield from _unknown_columns("link", linked, scenario.keys, "not a key", "; add it to the keys")
    pairs = scenario.exclude_pair
    yield from _unknown_columns(
        "exclude_pair", [pair.target for pair in pairs], scenario.targets, "not a target"
    )
    yield from _unknown_columns(
        "exclude_pair", [pair.key for pair in pairs], scenario.keys, "not a key"
    )


def _unknown_columns(
    name: str, columns: Iterable[str], known: Sequence[str], what: str, to_do: str = ""
) -> Iterator[str]:
    """Yield messages about columns of the setting ``name`` that are not ``known``, each ending in
    ``to_do``. Yield none if nothing is known.
    """
    for column in columns if known else ():
        if column not in known:
            yield f"{name}: {column!r} is {what} of the scenario{suggestion(column, known)}{to_do}."


def _recodes(scenario: Scenario) -> Iterator[str]:
    """Yield messages about recodes that contradict another setting of the column (bins, tolerance,
    baseline and so on).
    """
    for column in scenario.recoded:
        if column in scenario.bins and (made := scenario.column[column].no_numbers):
            how = " and ".join(made)
            yield (
                f"bins: {column!r} has {how} in the dictionary, which makes levels that are "
                "not numbers; keep bins or the recode."
            )
        if column in scenario.within:
            yield (
                f"within: {column!r} is recoded in the dictionary, and levels cannot have a "
                "tolerance; leave out one of the two."
            )
        if column in scenario.baseline:
            yield (
                f"baseline: {column!r} is recoded in the dictionary, but a baseline holds the "
                "original values; leave out one of the two."
            )


def _populations(scenario: Scenario) -> Iterator[str]:
    """Yield messages about populations that are not defined, or that have a reserved name."""
    for name in scenario.populations:
        if name not in POPULATIONS and name not in scenario.population:
            near = suggestion(name, [*POPULATIONS, *scenario.population])
            yield (
                f"populations: there is no population {name!r}{near}; define one with "
                "population = 'NAME: condition'."
            )
    for name in scenario.population:
        if name in POPULATIONS:
            yield f"population: the name {name!r} is reserved; choose another."
    if not scenario.populations:
        yield "populations: name at least one; `all` is everybody."


def _baselines(scenario: Scenario) -> Iterator[str]:
    """Yield messages about baselines of columns with bins."""
    for column in scenario.baseline:
        if column in scenario.bins:
            yield (
                f"baseline: {column!r} has bins, but a baseline has a share for each level; "
                "leave out one of the two."
            )


def _roles(scenario: Scenario) -> Iterator[str]:
    """Yield messages about columns of weights or the split that are also a key or a target."""
    for setting, column in (("weights", scenario.weights), ("split", scenario.split)):
        for role, columns in (("key", scenario.keys), ("target", scenario.targets)):
            if column in columns:
                yield (
                    f"{setting}: the column {column!r} cannot also be a {role}; take it out of the "
                    f"{role}s."
                )


def _partners(scenario: Scenario) -> Iterator[str]:
    """Yield messages about settings that need another setting which is missing."""
    if (scenario.split is None) != (scenario.split_in is None):
        yield (
            "split and split_in belong together: give the column, and its level that marks "
            "the people in the synthesis."
        )
    if scenario.aligned and scenario.split is not None and scenario.id is None:
        yield (
            "aligned: a split original cannot be aligned by the order of its records; name "
            "the column that identifies them: id."
        )
    if scenario.assume is not None and scenario.prior is None:
        yield (
            f"assume: {scenario.assume} needs prior, the parameter of its Dirichlet prior for "
            "each level, such as 1."
        )
    if scenario.prior is not None and scenario.assume is None:
        yield (
            "prior: it needs assume, as in assume = saturated; the prior belongs to that "
            "synthesizer."
        )
    if scenario.intruder_prior is not None and scenario.assume is None:
        yield (
            "intruder_prior: it needs assume, as in assume = saturated; this intruder knows "
            "how the files were made."
        )
    if scenario.intruder_prior == BASELINE:
        for target in scenario.targets:
            if target not in scenario.baseline:
                yield (
                    f"intruder_prior: {target!r} has no baseline; name its file: baseline = "
                    f"'{target}=FILE'."
                )
    if scenario.justification is not None and not scenario.excludes:
        yield (
            "justification: it gives the reason for exclusions, but nothing is excluded; "
            "leave it out."
        )


def _numbers_and_levels(scenario: Scenario) -> Iterator[str]:
    """Yield messages about special values, tolerances and floors that do not apply to their
    column.
    """

    def is_known(column: str) -> bool:  # `_columns_without_role` reports the others
        return not scenario.targets or column in (*scenario.keys, *scenario.targets)

    for column in filter(is_known, scenario.special):
        if column not in scenario.bins and column not in scenario.within:
            yield (
                f"special: {column!r} has neither bins nor a tolerance, so each of its values "
                "is a level of its own already; leave it out."
            )
    for column in scenario.within:
        if column in scenario.bins:
            yield (
                f"within: {column!r} has bins, so it cannot also have a tolerance; leave one "
                "of them out."
            )
        if column in scenario.baseline:
            yield (
                f"within: {column!r} has a baseline, which gives shares of exact levels; "
                "leave out the baseline or the tolerance."
            )
    if len(scenario.near_keys) > 1:
        several = " and ".join(map(repr, scenario.near_keys))
        yield (
            f"within: the keys {several} have a tolerance, but only one key may have one. "
            "Leave out all but one, or give the others bins."
        )
    for column in filter(is_known, scenario.within_floor):
        if not scenario.within.get(column, "").endswith("%"):
            yield (
                f"within_floor: {column!r} has no tolerance in percent, and a floor is only "
                f"for one; leave it out, or give one, as in within {column!r}=5%."
            )


_CONTRADICTIONS = (
    _keys_and_targets,
    _columns_without_role,
    _recodes,
    _populations,
    _baselines,
    _roles,
    _numbers_and_levels,
)
