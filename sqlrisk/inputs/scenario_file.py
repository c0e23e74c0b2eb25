"""A scenario file: TOML with the settings of one scenario, or of several about the same files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sqlrisk.common import toml
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.output_files import is_file
from sqlrisk.inputs.columns.dictionary import AS_READ, LEFT_OUT, joined
from sqlrisk.inputs.columns.links import sides_of
from sqlrisk.inputs.fields import (
    OF_COLUMNS,
    OF_TARGETS,
    ONE_COLUMN,
    PATHS,
    SETTINGS,
    CsvFiles,
    rows,
)
from sqlrisk.inputs.release import LOGO, statements
from sqlrisk.inputs.scenario import implied_columns
from sqlrisk.inputs.settings import FILE_SETTINGS, Pair
from sqlrisk.inputs.sources import Tables, may_be_table

# Settings about columns. A scenario ignores shared ones about columns that it does not use.
_ABOUT_COLUMNS = (*OF_COLUMNS, "exclude_pair", "link")
# Settings given once, for all scenarios.
COMMON = (*FILE_SETTINGS, *(name for name, field in SETTINGS.items() if field.about_records))


def read_file(
    path: str | Path, given: Mapping[str, object] | None = None, *, tables: Tables = ""
) -> dict[str, object]:
    """Read the settings of a scenario file, unchecked. Its relative paths start at its folder.
    Settings that are ``given`` are included. They override those of the file, but dictionaries of
    columns are joined.

    ``FILE#NAME`` names one of several scenarios. Raises InputError if the file has several and none
    is named, or if the name is unknown. With ``tables``, a source that is not a file names a table
    of the database.
    """
    given = given or {}
    file, name = file_and_name(path)
    shared, several = _load(file, tables=tables)
    if name is None and not several:
        return together(shared, given)
    if not several:
        raise InputError(
            f"The scenario file {file!r} holds one scenario, without a name; leave #{name} out."
        )
    if name is None:
        raise InputError(
            f"The scenario file {file!r} holds several scenarios: {', '.join(several)}. Name one, "
            f"as in {file}#{next(iter(several))}; `sqlrisk score --scenario` runs all of them."
        )
    if name not in several:
        known = ", ".join(several)
        raise InputError(
            f"The scenario file {file!r} holds no scenario {name!r}{suggestion(name, several)}; "
            f"it has {known}."
        )
    return together(combined(shared, several[name], given), given)


def read_scenarios(
    path: str | Path, *, tables: Tables = ""
) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """Read the scenarios of a file: the shared settings, and the own settings of each by name. Both
    are empty if ``path`` names one scenario. A file of one scenario has only shared settings.
    """
    file, name = file_and_name(path)
    return _load(file, tables=tables) if name is None else ({}, {})


def has_steps(path: str | Path) -> bool:
    """Return True if a file's scenario has steps of a recode."""
    return "steps" in read_file(path)


def files_named(path: str | Path) -> Iterator[object]:
    """Yield the scenario file and the files that it names, in any of its scenarios. An item may
    also be a list or table of files.
    """
    file, _ = file_and_name(path)
    shared, several = _load(file, tables="")
    yield file
    for said in (shared, *several.values()):
        yield from files_of(said)


def files_of(settings: Mapping[str, object]) -> Iterator[object]:
    """Yield the files that settings name. An item may also be a list or table of files, or None."""
    said = dict(settings)
    yield from (said[name] for name in FILE_SETTINGS if name in said)
    yield from (table[name] for table, name in _entries_of_files(said))


def together(*settings: Mapping[str, object]) -> dict[str, object]:
    """Return several mappings of settings as one. A later setting replaces an earlier one, but
    dictionaries of columns are joined.
    """
    found = {name: value for each in settings for name, value in each.items()}
    if len(columns := [each["column"] for each in settings if "column" in each]) > 1:
        found["column"] = joined(*columns)
    return found


def combined(
    shared: Mapping[str, object], own: Mapping[str, object], given: Mapping[str, object]
) -> dict[str, object]:
    """Return the settings of one of several scenarios: the shared ones, its own, and those that are
    ``given`` for all.

    Shared and given settings about columns that the scenario does not use are dropped. Raises
    InputError if the scenario sets a setting that all scenarios must share.
    """
    own = {name: value for name, value in own.items() if name == "column" or name not in given}
    problems = [
        f"{name} says which records are read, and whose: set it once, for all scenarios."
        for name in COMMON
        if name in own
    ]
    problems += [
        f"column.{column}.{name} says how values are read: set it once, for all scenarios."
        # Unchecked, because the shared part may complete it.
        for column, said in joined(own.get("column")).items()
        for name in AS_READ
        if said.get(name)
    ]
    if problems:
        raise InputError(problems)
    settings = together(shared, own, given)
    used = ColumnsUsed.of(settings)
    for name in _ABOUT_COLUMNS:
        if settings.get(name) is not None and name not in own:
            about: Any = SETTINGS[name].reader(settings[name], name)
            kept = [each for each in about if used.has(each, name)]
            if isinstance(about, Mapping):
                settings[name] = {column: about[column] for column in kept}
            else:
                settings[name] = [vars(each) if isinstance(each, Pair) else each for each in kept]
    return settings


@dataclass(frozen=True)
class ColumnsUsed:
    """The keys and targets of a scenario. Without targets, all columns are targets except keys and
    those in ``left_out``.
    """

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    left_out: frozenset[str]

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> "ColumnsUsed":
        """Return the columns that settings name, or imply by a link or by roles."""
        said = {
            name: SETTINGS[name].reader(settings[name], name)
            for name in ("keys", "targets", "link", *ONE_COLUMN)
            if settings.get(name) is not None
        }
        roles = {
            column: each.get("role") for column, each in joined(settings.get("column")).items()
        }
        said |= implied_columns(said, roles)
        left_out = {column for column, role in roles.items() if role in LEFT_OUT}
        left_out |= {said[name] for name in ONE_COLUMN if name in said}
        return cls(said.get("keys", ()), said.get("targets", ()), frozenset(left_out))

    def has(self, item: str | Pair, name: str) -> bool:
        """Return True if the setting ``name`` may be about an item: a column, a pair of levels or a
        link.
        """
        if isinstance(item, Pair):
            return item.key in self.keys and self.has(item.target, name)
        if name == "link":
            return all(column in self.keys for side in sides_of(item) for column in side)
        if item in self.keys:
            return name not in OF_TARGETS
        return item in self.targets if self.targets else item not in self.left_out


def unused(shared: Mapping[str, object], used: Sequence[ColumnsUsed]) -> list[str]:
    """Return messages about shared settings of columns that no scenario uses."""
    known = [column for each in used for column in (*each.keys, *each.targets)]

    def near(column: str) -> str:
        return "" if column in known else suggestion(column, known)

    def said(item: str | Pair, name: str) -> str:
        if isinstance(item, Pair):
            target = f"the target {item.target!r}{near(item.target)}"
            return f"no scenario has {target} and the key {item.key!r}{near(item.key)}"
        if name == "link":
            suggested = "".join(near(column) for side in sides_of(item) for column in side)
            return f"no scenario has all columns of {item!r} as keys{suggested}"
        no_target = "no target" if name in OF_TARGETS else "neither a key nor a target"
        return f"{item!r} is {no_target} of any scenario{near(item)}"

    return [
        f"{name}: {said(item, name)}."
        for name in _ABOUT_COLUMNS
        if shared.get(name) is not None
        for item in SETTINGS[name].reader(shared[name], name)
        if not any(each.has(item, name) for each in used)
    ]


def file_and_name(path: str | PathLike[str]) -> tuple[str, str | None]:
    """Return the file, and the name of a scenario after ``#`` or None. Both may contain ``#``: the
    file is the longest beginning that is a file, else all before the last ``#``.
    """
    parts = str(path).split("#")
    ways = [("#".join(parts[:end]), "#".join(parts[end:])) for end in range(len(parts), 0, -1)]
    file, name = next((way for way in ways if is_file(way[0])), ways[min(1, len(ways) - 1)])
    return file, name if file != str(path) else None


def _load(path: str, *, tables: Tables) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """Read the shared settings of a scenario file, and the settings of each named scenario."""
    folder = Path(path).parent
    settings: dict[str, object] = toml.read_file(path, "The scenario file")
    several = settings.pop("scenario", {})
    if not isinstance(several, dict) or not all(isinstance(own, dict) for own in several.values()):
        raise InputError(
            f"The scenario file {path!r}: each of several scenarios is a table with a name, "
            "[scenario.NAME]."
        )

    def located(source: object) -> object:
        if isinstance(source, str):
            file = str(folder / source)
            return source if "://" in source or may_be_table(file, tables) else file
        if isinstance(source, list):
            return [located(each) for each in source]
        if isinstance(source, dict):
            return {name: located(each) for name, each in source.items()}
        return source

    for said in (settings, *several.values()):
        for table, name in _entries_of_files(said):
            if isinstance(file := table[name], str) and "://" not in file:
                table[name] = str(folder / file)
    for name in rows(CsvFiles):
        with suppress(InputError):  # reported where settings are read
            forms = SETTINGS[name].reader(settings.get(name, {}), name)
            # A name without a folder is a role, or a file in any folder.
            own = {
                file if Path(file).name == file else located(file): forms[file] for file in forms
            }
            settings |= {name: own} if own else {}
    return {
        name: located(value) if name in FILE_SETTINGS else value for name, value in settings.items()
    }, several


def _entries_of_files(said: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the tables of settings that name files, each with the name of such an entry. Lines
    become tables, in place.
    """
    for setting, value in [*said.items()]:
        with suppress(InputError):  # reported where settings are read
            if setting == "column":
                said[setting] = columns = joined(value)
                yield from ((each, "hierarchy") for each in columns.values() if "hierarchy" in each)
            elif setting == "release":
                said[setting] = release = statements(value, setting)
                yield from ((release, name) for name in release if name == LOGO)
            elif setting in PATHS:
                said[setting] = files = SETTINGS[setting].reader(value, setting)
                yield from ((files, name) for name in files)
