"""The question: which columns the intruder knows (keys), which they want (targets), who is counted, what to compute.

A scenario comes from keyword arguments, the command line or a TOML file. All three end in ``read``, which checks what can be
checked without the data and reports every problem at once. A text is read as one CSV line (``"a,b"``, ``"age=10,income=20"``);
a list holds names as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sqlrisk.catalogue.measures import DEFAULT_FAMILIES
from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.inputs import conditions
from sqlrisk.inputs.settings import FILE_SETTINGS, READERS, Pair

WORK_LIMIT = 20_000_000_000  # steps of a search; measured: some minutes to three quarters of an hour of CPU
POPULATIONS = ("all", "uniques", "special")  # those that need no condition


@dataclass(frozen=True)
class Scenario:
    """Every setting of a question, by its name in a scenario file.

    Attributes:
        keys: columns the intruder knows.
        targets: columns the intruder wants; empty stands for all columns that are no key.
        bins: column -> number of quantile bins.
        special: column -> values that stay levels of their own beside the bins, or match themselves alone within a tolerance.
        within: numeric target -> how far a value may be from the true one and still count as right: ``500``, ``5%`` of the truth.
        within_floor: such a target -> the least that a tolerance in percent comes to.
        exclude_level: target -> levels that are not counted.
        exclude_missing: keys and targets whose missing level is not counted.
        exclude_pair: levels of a target and a key that are not counted together.
        max_cell: cells with more records are not counted: original ones for people, synthetic ones for synthetic records.
        max_cell_syn: people in cells with more synthetic records are not counted.
        one_way, two_way: thresholds of the checks: records and percent, both strict.
        justification: why the exclusions are right, for the report.
        measures: names of measures or families.
        class_sizes: the sizes of classes at which ``class_size`` begins anew.
        populations: whom the measures are taken over: ``all``, ``uniques``, ``special`` and names from ``population``.
        population: name -> condition on a person (see ``sqlrisk.inputs.conditions``).
        by: columns of the original; each of their levels is a population.
        weights: column of the original with survey weights: every measure of people is also weighted.
        baseline: target -> file with the columns ``level`` and ``share``, in the place of the target's distribution.
        id: column of the original that names its records in `sqlrisk records`; it is no target by default.
        aligned: whether record i of each synthetic file was made from record i of the original; with ``id`` the ids say which.
        assume: how the syntheses were made: ``saturated``, target levels drawn in each class from a Dirichlet posterior.
        prior: the parameter of its Dirichlet prior for each level.
        confidence: level of the intervals around what the synthesis added, between 0 and 1.
        split, split_in: column of the original and its level that marks the people in the synthesis; the others are control.
        distributions: whether to show how CAP and lift are distributed over people.
        trend: whether to fit a line to each measure over the number of pooled syntheses.
        work_limit: the most steps that a search may take (special uniques, nearest records, sweeps) before it is refused.
    """

    keys: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    bins: dict[str, int] = field(default_factory=dict)
    special: dict[str, tuple[str, ...]] = field(default_factory=dict)
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
    measures: tuple[str, ...] = DEFAULT_FAMILIES
    class_sizes: tuple[int, ...] = (1, 2, 3, 5, 10)
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
    confidence: float = 0.95
    distributions: bool = False
    trend: bool = False
    work_limit: int = WORK_LIMIT

    @property
    def conditions(self) -> dict[str, tuple[conditions.Comparison, ...]]:
        """The conditions of the populations that have one, by name."""
        return {name: conditions.read(text, "population") for name, text in self.population.items()}

    @property
    def points(self) -> dict[str, tuple[int, ...]]:
        """The points of measures that a setting gives, by the setting's name."""
        return {"class_sizes": self.class_sizes, "radii": tuple(range(len(self.keys) + 1))}

    @property
    def offered(self) -> dict[str, bool]:
        """What a measure may need, and whether the question has it."""
        return {
            "exclusions": self.excludes,
            "weights": self.weights is not None,
            "a tolerance": bool(self.within),
            "aligned files": self.aligned,
            "a stated synthesiser": self.assume is not None,
        }

    @property
    def excludes(self) -> bool:
        """Whether anybody is not counted."""
        return bool(
            self.exclude_level
            or self.exclude_missing
            or self.exclude_pair
            or self.max_cell is not None
            or self.max_cell_syn is not None
        )

    def settings_of(self, names: Sequence[str]) -> dict[str, object]:
        """The settings of those names: where a tolerance is none of them, its special values go with it."""
        plain = {name: value for name, value in self.settings().items() if name in names}
        if "special" in plain and "within" not in names:
            plain["special"] = {column: list(values) for column, values in self.special.items() if column in self.bins}
        return plain

    def settings(self) -> dict[str, object]:
        """Every setting as plain JSON values, defaults included, by its TOML name."""
        plain: dict[str, object] = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, value in plain.items():
            if isinstance(value, tuple):
                plain[name] = [dict(vars(item)) if isinstance(item, Pair) else item for item in value]
            elif isinstance(value, dict):
                plain[name] = {key: list(item) if isinstance(item, tuple) else item for key, item in value.items()}
        return plain


def read(settings: Mapping[str, object]) -> Scenario:
    """A scenario from settings by name; a setting that is None is left at its default.

    Raises:
        InputError: with every problem that can be seen without the data.
    """
    problems: list[str] = []
    values: dict[str, Any] = {}
    for name, value in settings.items():
        if value is None:
            continue
        if name not in READERS:
            problems.append(f"There is no setting {name!r}{suggestion(name, [*READERS, *FILE_SETTINGS])}.")
            continue
        try:
            values[name] = READERS[name](value, name)
        except InputError as error:
            problems += error.problems
    if "population" in values:  # whoever defines a population wants it
        values["populations"] = tuple(dict.fromkeys((*values.get("populations", ("all",)), *values["population"])))
    values.setdefault("measures", usual_measures(values))
    scenario = Scenario(**values)
    problems += _contradictions(scenario, given=values)
    if problems:
        raise InputError(problems)
    return scenario


def usual_measures(settings: Mapping[str, object]) -> tuple[str, ...]:
    """Return the families that are computed where no measures are named: whoever sets something wants what follows from it."""
    follows = (("within", "within"), ("matches", "aligned"), ("intruder", "assume"))
    return (*DEFAULT_FAMILIES, *(family for family, setting in follows if settings.get(setting)))


def _contradictions(scenario: Scenario, given: Mapping[str, object]) -> list[str]:
    """What the settings of one scenario say against each other."""
    problems: list[str] = []
    if "keys" in given and not scenario.keys:
        problems.append("keys: name at least one column that the intruder knows.")
    if not scenario.measures:
        problems.append("measures: name at least one measure or family; `sqlrisk list` shows all.")
    for name in ("keys", "targets"):
        columns: tuple[str, ...] = getattr(scenario, name)
        problems += [
            f"{name}: the column {column!r} is named twice." for column in dict.fromkeys(columns) if columns.count(column) > 1
        ]
    problems += [
        f"The column {column!r} is both a key and a target; take it out of one."
        for column in scenario.targets
        if column in scenario.keys
    ]
    if scenario.targets:
        used = [*scenario.keys, *scenario.targets]
        for name in ("bins", "special", "exclude_missing"):
            problems += [
                f"{name}: {column!r} is neither a key nor a target of the scenario{suggestion(column, used)}."
                for column in getattr(scenario, name)
                if column not in used
            ]
        for name, excluded in (
            ("within", list(scenario.within)),
            ("exclude_level", list(scenario.exclude_level)),
            ("exclude_pair", [pair.target for pair in scenario.exclude_pair]),
        ):
            problems += [
                f"{name}: {column!r} is no target of the scenario{suggestion(column, scenario.targets)}."
                for column in excluded
                if column not in scenario.targets
            ]
    problems += [
        f"exclude_pair: {pair.key!r} is no key of the scenario{suggestion(pair.key, scenario.keys)}."
        for pair in scenario.exclude_pair
        if scenario.keys and pair.key not in scenario.keys
    ]
    problems += [
        f"populations: there is no population {name!r}{suggestion(name, [*POPULATIONS, *scenario.population])}; "
        "define one with population = 'NAME: condition'."
        for name in scenario.populations
        if name not in POPULATIONS and name not in scenario.population
    ]
    problems += [
        f"population: the name {name!r} is taken; choose another." for name in scenario.population if name in POPULATIONS
    ]
    if "populations" in given and not scenario.populations:
        problems.append("populations: name at least one; `all` is everybody.")
    problems += [
        f"baseline: {column!r} is no target of the scenario{suggestion(column, scenario.targets)}."
        for column in scenario.baseline
        if scenario.targets and column not in scenario.targets
    ]
    problems += [
        f"baseline: {column!r} has bins; a baseline is given level by level, so score it without bins."
        for column in scenario.baseline
        if column in scenario.bins
    ]
    problems += [
        f"{setting}: the column {column!r} cannot also be a {role}."
        for setting, column in (("weights", scenario.weights), ("split", scenario.split))
        for role, columns in (("key", scenario.keys), ("target", scenario.targets))
        if column is not None and column in columns
    ]
    if (scenario.split is None) != (scenario.split_in is None):
        problems.append("split and split_in belong together: the column, and its level that marks the people in the synthesis.")
    if scenario.aligned and scenario.split is not None and scenario.id is None:
        problems.append(
            "aligned: the original is split, so the order of its records does not say whose each is; "
            "name the column that does: id."
        )
    if scenario.assume is not None and scenario.prior is None:
        problems.append(f"assume: {scenario.assume} needs the parameter of its Dirichlet prior for each level: prior, such as 1.")
    if scenario.prior is not None and scenario.assume is None:
        problems.append("prior: it is that of a synthesiser; say which, as in assume = saturated.")
    if scenario.justification is not None and not scenario.excludes:
        problems.append("justification: it says why people are not counted, but nothing is excluded.")
    problems += [
        f"special: {column!r} has no bins, so each of its values is a level of its own already."
        for column in scenario.special
        if column not in scenario.bins and column not in scenario.within
    ]
    problems += [
        f"within: {column!r} has {word}; {more}."
        for setting, word, more in (
            ("bins", "bins", "it is compared either by bin or within a tolerance, so leave one of them out"),
            ("baseline", "a baseline", "a baseline is given level by level, so score it without a tolerance"),
        )
        for column in scenario.within
        if column in getattr(scenario, setting)
    ]
    problems += [
        f"within_floor: {column!r} has no tolerance in percent, so there is none to be kept from getting too small."
        for column in scenario.within_floor
        if not scenario.within.get(column, "").endswith("%")
    ]
    return problems
