"""A scenario file: TOML with the settings of one scenario, or of several about the same files."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from sqlrisk.common import toml
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.objects import is_address
from sqlrisk.common.output_files import is_file
from sqlrisk.inputs.columns.dictionary import AS_READ, joined
from sqlrisk.inputs.fields import SETTINGS
from sqlrisk.inputs.release import LOGO
from sqlrisk.inputs.settings import FILE_SETTINGS, read_names, read_targets
from sqlrisk.inputs.sources import Tables, may_be_table

# Settings given once, for all scenarios.
COMMON = (*FILE_SETTINGS, *(name for name, field in SETTINGS.items() if field.about_records))
OF_COLUMNS = tuple(name for name, field in SETTINGS.items() if field.about_columns)


def read_file(path: str | Path, *, tables: Tables = "") -> dict[str, object]:
    """Read the settings of a scenario file, unchecked, with paths relative to its folder.

    ``FILE#NAME`` names one of several scenarios. Raises InputError if the file has several and none
    is named, or if the name is unknown. With ``tables``, a source that is not a file names a table
    of the database.
    """
    file, name = file_and_name(path)
    shared, several = _load(file, tables=tables)
    if name is None and not several:
        return shared
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
    return combined(shared, several[name])


def read_scenarios(
    path: str | Path, *, tables: Tables = ""
) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
    """Read the scenarios of a file. Return the shared settings, and the own settings of each by
    name. Both are empty if ``path`` names one scenario. If the file has only one, there are no own
    settings.
    """
    file, name = file_and_name(path)
    return _load(file, tables=tables) if name is None else ({}, {})


def has_steps(path: str | Path) -> bool:
    """Return True if a file's scenario has steps of a recode."""
    return "steps" in read_file(path)


def combined(shared: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of one of several scenarios: its own settings, and the shared ones.

    Shared settings about columns that the scenario does not use are dropped. Raises InputError if
    the scenario sets a setting that all scenarios must share.
    """
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
    settings = {**shared, **own}
    if "column" in shared and "column" in own:
        settings["column"] = joined(shared["column"], own["column"])
    used = columns_used(settings)
    for name in OF_COLUMNS:
        if used is not None and name in shared and name not in own:
            about = _by_column(shared, name)
            kept = {column: each for column, each in about.items() if column in used}
            settings[name] = (
                kept if all(each is not None for each in about.values()) else list(kept)
            )
    return settings


def unused(shared: Mapping[str, object], used: Sequence[Sequence[str] | None]) -> list[str]:
    """Return messages about shared settings of columns that no scenario uses.

    ``used`` holds the keys and targets of each scenario (None: any column).
    """
    known = [column for columns in used for column in columns or ()]
    return [
        (
            f"{name}: {column!r} is neither a key nor a target of any "
            f"scenario{suggestion(column, known)}."
        )
        for name in OF_COLUMNS
        if name in shared and None not in used
        for column in _by_column(shared, name)
        if column not in known
    ]


def _by_column(settings: Mapping[str, object], name: str) -> dict[str, object]:
    """Return a setting of ``OF_COLUMNS`` as column -> value. If the setting is a list of columns,
    the values are None.
    """
    about: Any = SETTINGS[name].reader(settings[name], name)
    return dict(about) if isinstance(about, Mapping) else dict.fromkeys(about)


def columns_used(settings: Mapping[str, object]) -> list[str] | None:
    """Return the keys and targets of a scenario, or None if its targets are all other columns."""
    keys = read_names(settings.get("keys") or (), "keys")
    targets = read_targets(settings.get("targets") or (), "targets")
    return [*keys, *targets] if targets else None


def file_and_name(path: str | PathLike[str]) -> tuple[str, str | None]:
    """Return the file, and the name of a scenario after ``#``, or None if there is none. If a file
    has the whole name, ``#`` is part of it.
    """
    file, sign, name = str(path).rpartition("#")
    return (file, name) if sign and not is_file(path) else (str(path), None)


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
            return source if is_address(source) or may_be_table(file, tables) else file
        if isinstance(source, list):
            return [located(each) for each in source]
        if isinstance(source, dict):
            return {name: located(each) for name, each in source.items()}
        return source

    def files_located(said: dict[str, object]) -> None:
        release = said.get("release")
        if isinstance(release, dict) and isinstance(release.get(LOGO), str):
            release[LOGO] = str(folder / release[LOGO])
        columns = said.get("column")
        for entry in columns.values() if isinstance(columns, dict) else ():
            if isinstance(entry, dict) and isinstance(entry.get("hierarchy"), str):
                file = entry["hierarchy"]
                entry["hierarchy"] = file if is_address(file) else str(folder / file)

    for said in (settings, *several.values()):
        files_located(said)
    return {
        name: located(value) if name in (*FILE_SETTINGS, "baseline") else value
        for name, value in settings.items()
    }, several
