"""The question: which columns the intruder knows (keys), which they want (targets), who is counted, what to compute.

A scenario comes from keyword arguments, the command line or a TOML file. All three end in ``read``, which checks what can be
checked without the data and reports every problem at once. A text is read as one CSV line (``"a,b"``, ``"age=10,income=20"``);
a list holds names as they are.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

from sqlrisk import conditions, tolerances, toml
from sqlrisk.catalog import DEFAULT_FAMILIES
from sqlrisk.errors import InputError
from sqlrisk.sources import is_file, may_be_table
from sqlrisk.suggest import suggestion

FILE_SETTINGS = ("original", "synthetic", "control")  # a scenario file may also say which files to compare
COMMON = (*FILE_SETTINGS, "split", "split_in", "id", "aligned", "weights", "baseline")  # what several scenarios have in common
OF_COLUMNS = ("bins", "special", "within", "within_floor", "exclude_level", "exclude_missing", "baseline")  # of keys or targets
WORK_LIMIT = 20_000_000_000  # steps of a search; measured: some minutes to three quarters of an hour of CPU
ASSUMPTIONS = ("saturated",)  # how a synthesiser may be said to have worked
POPULATIONS = ("all", "uniques", "special")  # those that need no condition


@dataclass(frozen=True)
class Pair:
    """A target level and a key level that go together anyway: cells that have both are not counted."""

    target: str
    target_level: str
    key: str
    key_level: str


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
        population: name -> condition on a person (see ``sqlrisk.conditions``).
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
        if name not in _READERS:
            problems.append(f"There is no setting {name!r}{suggestion(name, [*_READERS, *FILE_SETTINGS])}.")
            continue
        try:
            values[name] = _READERS[name](value, name)
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


def read_file(path: str | Path, *, tables: bool = False) -> dict[str, object]:
    """The settings of a scenario file (TOML), unchecked; relative paths in it are taken from the file's folder.

    ``FILE#NAME`` is one scenario of a file of several. With ``tables`` a source that is no file there names a table of the
    database that counts.

    Raises:
        InputError: the file is missing or is not TOML; it holds several scenarios, and none or an unknown one is named.
    """
    file, name = file_and_name(path)
    shared, several = _load(file, tables=tables)
    if name is None and not several:
        return shared
    if not several:
        raise InputError(f"The scenario file {file!r} holds one scenario, without a name; leave #{name} out.")
    if name is None:
        raise InputError(
            f"The scenario file {file!r} holds several scenarios: {', '.join(several)}. Name one, as in "
            f"{file}#{next(iter(several))}; `sqlrisk score --scenario` runs all of them."
        )
    if name not in several:
        known = ", ".join(several)
        raise InputError(f"The scenario file {file!r} holds no scenario {name!r}{suggestion(name, several)}; it has {known}.")
    return combined(shared, several[name])


def read_scenarios(path: str | Path, *, tables: bool = False) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """The settings that the scenarios of a file share, and those of each by its name; none of a file of one scenario, or of
    one that is named as FILE#NAME.

    Raises:
        InputError: as `read_file`.
    """
    file, name = file_and_name(path)
    return _load(file, tables=tables) if name is None else ({}, {})


def combined(shared: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """The settings of one of several scenarios: its own, before those that it shares with the others.

    What is shared about columns that this scenario does not use is left out in it.

    Raises:
        InputError: it sets what says which records are read, and whose: that is said once, for all.
    """
    problems = [
        f"{name} says which records are read, and whose: set it once, for all scenarios." for name in COMMON if name in own
    ]
    if problems:
        raise InputError(problems)
    settings = {**shared, **own}
    used = columns_used(settings)
    for name in OF_COLUMNS:
        if used is not None and name in shared and name not in own:
            about = _by_column(shared, name)
            kept = {column: each for column, each in about.items() if column in used}
            settings[name] = kept if all(each is not None for each in about.values()) else list(kept)
    return settings


def unused(shared: Mapping[str, object], used: Sequence[Sequence[str] | None]) -> list[str]:
    """What is shared about columns that are key or target of no scenario; ``used``: those of each, None for any column."""
    known = [column for columns in used for column in columns or ()]
    return [
        f"{name}: {column!r} is neither a key nor a target of any scenario{suggestion(column, known)}."
        for name in OF_COLUMNS
        if name in shared and None not in used
        for column in _by_column(shared, name)
        if column not in known
    ]


def _by_column(settings: Mapping[str, object], name: str) -> dict[str, object]:
    """A setting of ``OF_COLUMNS`` by column; one that is a list of columns has None for each."""
    about: Any = _READERS[name](settings[name], name)
    return dict(about) if isinstance(about, Mapping) else dict.fromkeys(about)


def columns_used(settings: Mapping[str, object]) -> list[str] | None:
    """The keys and targets; None where targets are all columns that are no key."""
    keys, targets = (_names(settings.get(role) or (), role) for role in ("keys", "targets"))
    return [*keys, *targets] if targets else None


def file_and_name(path: str | Path) -> tuple[str, str | None]:
    """The file, and which of its scenarios is named behind a ``#``, if one is."""
    file, sign, name = str(path).rpartition("#")
    return (file, name) if sign and not is_file(path) else (str(path), None)


def _load(path: str, *, tables: bool) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """The settings at the head of a scenario file, and those of each scenario that it names."""
    folder = Path(path).parent
    settings: dict[str, object] = toml.read_file(path, "The scenario file")
    several = settings.pop("scenario", {})
    if not isinstance(several, dict) or not all(isinstance(own, dict) for own in several.values()):
        raise InputError(f"The scenario file {path!r}: each of several scenarios is a table with a name, [scenario.NAME].")

    def located(source: object) -> object:
        if isinstance(source, str):
            file = str(folder / source)
            return source if tables and may_be_table(file) else file
        if isinstance(source, list):
            return [located(each) for each in source]
        if isinstance(source, dict):
            return {name: located(each) for name, each in source.items()}
        return source

    return {name: located(value) if name in (*FILE_SETTINGS, "baseline") else value for name, value in settings.items()}, several


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


# ---- reading one setting -------------------------------------------------------------------------------------------------

_Reader = Callable[[Any, str], object]


def _names(value: object, setting: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(name if rest is None else f"{name}={rest}" for name, rest in split_line(value, setting))
    if isinstance(value, Sequence) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise InputError(f"{setting}: expected a list of names.")


def _assignments(value: object, setting: str) -> list[tuple[str, object]]:
    """name -> value pairs of a mapping, of one CSV line, or of a list of CSV lines."""
    if isinstance(value, Mapping):
        return [(str(name), each) for name, each in value.items()]
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, Sequence) or not all(isinstance(line, str) for line in lines):
        raise InputError(f"{setting}: expected name=value, or a table of them.")
    pairs = [pair for line in lines for pair in split_line(line, setting)]
    problems = [f"{setting}: {name!r} needs a value, as in {name}=..." for name, each in pairs if each is None]
    if problems:
        raise InputError(problems)
    return [(name, each) for name, each in pairs]


def _bins(value: object, setting: str) -> dict[str, int]:
    bins: dict[str, int] = {}
    problems: list[str] = []
    for column, each in _assignments(value, setting):
        number = _whole(each)
        if number is None or number < 2:
            problems.append(f"{setting}: {column!r} needs a whole number of bins, 2 or more; got {each!r}.")
        elif column in bins:
            problems.append(f"{setting}: the column {column!r} is named twice.")
        else:
            bins[column] = number
    if problems:
        raise InputError(problems)
    return bins


def _tolerances(value: object, setting: str) -> dict[str, str]:
    """column -> tolerance as text: 500, 0.5, and where a share of the true value makes sense, 5%."""
    found: dict[str, str] = {}
    problems: list[str] = []
    for column, each in _assignments(value, setting):
        text = f"{Decimal(repr(each)):f}" if isinstance(each, float) and isfinite(each) else _level(each, setting).strip()
        percent = setting == "within"
        if not tolerances.FORM.fullmatch(text) or (text.endswith("%") and not percent):
            example = "500 or 5%" if percent else "500"
            problems.append(f"{setting}: {column!r} needs a number, 0 or more, as in {example}; got {each!r}.")
        elif column in found:
            problems.append(f"{setting}: the column {column!r} is named twice.")
        else:
            found[column] = text.replace(" ", "")
    if problems:
        raise InputError(problems)
    return found


def _levels(value: object, setting: str) -> dict[str, tuple[str, ...]]:
    levels: dict[str, list[str]] = {}
    for column, each in _assignments(value, setting):
        several = each if isinstance(each, Sequence) and not isinstance(each, str) else [each]
        levels.setdefault(column, []).extend(_level(level, setting) for level in several)
    return {column: tuple(dict.fromkeys(each)) for column, each in levels.items()}


def _pairs(value: object, setting: str) -> tuple[Pair, ...]:
    items = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(items, Sequence):
        raise InputError(f"{setting}: expected target=level,key=level, or a list of them.")
    pairs: list[Pair] = []
    for item in items:
        if isinstance(item, str):
            parts = split_line(item, setting)
            if len(parts) != 2 or any(level is None for _, level in parts):
                raise InputError(f"{setting}: expected exactly target=level,key=level; got {item!r}.")
            (target, target_level), (key, key_level) = parts
            pairs.append(Pair(target, str(target_level), key, str(key_level)))
        elif isinstance(item, Pair):
            pairs.append(item)
        else:
            names = [each.name for each in fields(Pair)]
            if not isinstance(item, Mapping) or sorted(item) != sorted(names):
                raise InputError(f"{setting}: each pair needs {', '.join(names)}.")
            pairs.append(
                Pair(
                    str(item["target"]),
                    _level(item["target_level"], setting),
                    str(item["key"]),
                    _level(item["key_level"], setting),
                )
            )
    return tuple(dict.fromkeys(pairs))


def _limit(value: object, setting: str) -> int:
    number = _whole(value)
    if number is None or number < 1:
        raise InputError(f"{setting}: expected a whole number of records, 1 or more; got {value!r}.")
    return number


def _steps(value: object, setting: str) -> int:
    number = _whole(value)
    if number is None or number < 1:
        raise InputError(f"{setting}: expected a whole number of steps, 1 or more; got {value!r}.")
    return number


def _sizes(value: object, setting: str) -> tuple[int, ...]:
    """Sizes in rising order, each once."""
    several = value.split(",") if isinstance(value, str) else value
    if isinstance(several, Sequence) and several:
        sizes = [_whole(each) for each in several]
        if all(size is not None and size >= 1 for size in sizes):
            return tuple(sorted({int(size) for size in sizes if size is not None}))
    raise InputError(f"{setting}: expected whole numbers of records, 1 or more, as in 1,2,3,5,10; got {value!r}.")


def _thresholds(value: object, setting: str) -> tuple[float, float]:
    parts = value.split(",") if isinstance(value, str) else value
    if isinstance(parts, Sequence) and len(parts) == 2:
        records, percent = (_number(part) for part in parts)
        if records is not None and percent is not None and records >= 0 and 0 <= percent <= 100:
            return records, percent
    raise InputError(f"{setting}: expected records,percent, for example 50,90; got {value!r}.")


def _confidence(value: object, setting: str) -> float:
    number = _number(value)
    if number is None or not 0 < number < 1:
        raise InputError(f"{setting}: expected a number between 0 and 1, such as 0.95; got {value!r}.")
    return number


def _assumption(value: object, setting: str) -> str:
    if value not in ASSUMPTIONS:
        raise InputError(f"{setting}: expected {' or '.join(ASSUMPTIONS)}; got {value!r}{suggestion(str(value), ASSUMPTIONS)}.")
    return str(value)


def _prior(value: object, setting: str) -> float:
    number = _number(value)
    if number is None or not 1e-100 <= number <= 1e100:
        raise InputError(f"{setting}: expected a number above 0 in decimals, such as 1 or 0.5; got {value!r}.")
    return float(number)


def _level(value: object, setting: str) -> str:
    """A level as text; it is read in its column's own type later. NULL is never a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if value is None:
        raise InputError(f"{setting}: a missing value is no text; use exclude_missing for it.")
    return str(value)


def _yes_or_no(value: object, setting: str) -> bool:
    if isinstance(value, bool):
        return value
    raise InputError(f"{setting}: expected true or false; got {value!r}.")


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value) else None


def _number(value: object) -> float | None:
    whole = _whole(value)
    if whole is not None:
        return whole
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return float(value) if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\.\d{1,18}\s*", value) else None


def _text(value: object, setting: str) -> str:
    if isinstance(value, str) and value:
        return value
    raise InputError(f"{setting}: expected one text; got {value!r}.")


def _population_conditions(value: object, setting: str) -> dict[str, str]:
    """name -> condition, of a mapping or of lines ``NAME: condition``."""
    if isinstance(value, Mapping):
        named = {str(name): str(condition) for name, condition in value.items()}
    else:
        lines = [value] if isinstance(value, str) else value
        if not isinstance(lines, Sequence) or not all(isinstance(line, str) and ":" in line for line in lines):
            raise InputError(f"{setting}: expected NAME: condition, as in 'older women: sex = F AND age >= 65'.")
        named = {}
        for name, condition in (line.split(":", 1) for line in lines):
            if name.strip() in named:
                raise InputError(f"{setting}: the population {name.strip()!r} is defined twice.")
            named[name.strip()] = condition.strip()
    if not all(named):
        raise InputError(f"{setting}: a population needs a name, as in 'older women: sex = F AND age >= 65'.")
    for condition in named.values():
        conditions.read(condition, setting)
    return named


def _paths(value: object, setting: str) -> dict[str, str]:
    return {name: str(path) for name, path in _assignments(value, setting)}


_READERS: dict[str, _Reader] = {
    "keys": _names,
    "targets": _names,
    "bins": _bins,
    "special": _levels,
    "within": _tolerances,
    "within_floor": _tolerances,
    "exclude_level": _levels,
    "exclude_missing": _names,
    "exclude_pair": _pairs,
    "max_cell": _limit,
    "max_cell_syn": _limit,
    "justification": _text,
    "one_way": _thresholds,
    "two_way": _thresholds,
    "measures": _names,
    "class_sizes": _sizes,
    "populations": _names,
    "population": _population_conditions,
    "by": _names,
    "weights": _text,
    "baseline": _paths,
    "split": _text,
    "split_in": _level,
    "id": _text,
    "aligned": _yes_or_no,
    "assume": _assumption,
    "prior": _prior,
    "confidence": _confidence,
    "distributions": _yes_or_no,
    "trend": _yes_or_no,
    "work_limit": _steps,
}

# A quoted part keeps commas, equals signs and line breaks; a quote inside it is doubled, as in CSV.
_QUOTED = r'"(?:[^"]|"")*"'
_FIELD = re.compile(rf"\s*(?P<name>{_QUOTED}|[^,=\"][^,=]*|)(?:=(?P<value>{_QUOTED}|[^,]*))?\s*(?P<end>,|\Z)", re.DOTALL)


def split_line(line: str, setting: str) -> list[tuple[str, str | None]]:
    """One CSV line of ``name`` or ``name=value`` fields, split at the first ``=`` outside quotes.

    A field that is quoted as a whole is still split at its first ``=`` when a value is expected of it by the caller:
    ``"income, net=10"`` is the column ``income, net`` with value 10.

    Raises:
        InputError: a quote is not closed, or a name is empty.
    """
    parts: list[tuple[str, str | None]] = []
    position = 0
    while position <= len(line):
        match = _FIELD.match(line, position)
        if not match or not match["name"].strip():
            raise InputError(
                f"{setting}: cannot read {line!r}; separate names by commas, and put a name with a comma in double quotes."
            )
        name, value = _unquote(match["name"]), match["value"]
        if value is not None:
            value = _unquote(value)
        elif match["name"].startswith('"') and "=" in name and setting in _ASSIGNED:
            name, value = name.split("=", 1)
        parts.append((name, value))
        if match["end"] != ",":
            break
        position = match.end()
    return parts


_ASSIGNED = ("bins", "special", "within", "within_floor", "exclude_level", "exclude_pair", "synthesis", "baseline", "types")


def _unquote(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.strip()
