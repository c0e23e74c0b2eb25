"""Read a result back from the JSON that a run wrote."""

import json
from dataclasses import fields
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError, suggesting
from sqlrisk.common.version import SCHEMA
from sqlrisk.inputs.policy import STATES
from sqlrisk.report.columns import TYPES
from sqlrisk.report.report import Report
from sqlrisk.report.results.several_reports import Reports
from sqlrisk.report.sections.parts import MAPS
from sqlrisk.report.utility import ABOUT, OF_MEASURES, PARTS, TOP, Utility, first_of
from sqlrisk.report.wording import WAYS

_WAY = "write one with `sqlrisk score ... -o risk.json`"
# Required parts of a report and their JSON types. All other parts are optional.
_NEEDED = {"sqlrisk": str, "scenario": dict, "original": dict, "synthetic": list, "results": list}
_PARTS = [each.name for each in fields(Report) if each.compare and each.name != "version"]
_MEASURE = {"name", "title", "unit", "higher", "says"}  # fields of a utility measure
_OF_UTILITY = {
    "scenario": dict,
    "original": dict,
    "synthetic": list,
    "measures": list,
    **dict.fromkeys(PARTS, list),
}


def read_result(path: str | PathLike[str]) -> Report | Reports | Utility:
    """Return the content of a JSON file: a report, the reports of several scenarios, or a result of
    ``sqlrisk utility -o utility.json``.

    Raises the errors of `read_report`.
    """
    found = read_json(path, "result", _WAY)
    if _is_utility(found):
        return Utility(**_utility(found), version=found["sqlrisk"])
    match found:
        case {"sqlrisk": version, "scenarios": [*scenarios]} if "stepped" not in found:
            each = [
                {"sqlrisk": version, **one}
                for one in scenarios
                if isinstance(one, dict) and isinstance(one.get("name"), str)
            ]
            if each and len(each) == len(scenarios) and all(map(_is_report, each)):
                return Reports({one["name"]: _report(one) for one in each})
    return read_report(path)


@suggesting
def read_report(path: str | PathLike[str]) -> Report:
    """Return the report of a JSON file, as ``sqlrisk score -o risk.json`` and ``Report.to_json``
    write it.

    It has every number, but no files behind it: its cells cannot be listed, and it has no manifest.
    Titles and SQL of measures come from the version of sqlrisk that reads the file.

    Raises:
        InputError: the file is missing or not an internal report's JSON, or a newer sqlrisk wrote
            it in another form (``schema``).

    Example:
        >>> round(sqlrisk.read_report("risk.json").value("repU"), 2)
        3.0
    """
    found = read_json(path, "result", _WAY)
    if not _is_report(found):
        if isinstance(found, dict) and found.get("rounding"):
            raise InputError(
                f"The file {fspath(path)!r} is an external report: its numbers are rounded. Take "
                "the JSON of an internal report of the same files."
            )
        if isinstance(found, dict) and "scenarios" in found:
            raise InputError(
                f"The file {fspath(path)!r} holds the results of several scenarios or steps. "
                "Write that of one: name it, as in `sqlrisk score --scenario scenarios.toml#NAME "
                "-o risk.json`."
            )
        raise InputError(f"The file {fspath(path)!r} is not a result of `sqlrisk score`; {_WAY}.")
    return _report(found)


def _report(found: Any) -> Report:
    """Return the report of a JSON document that `_is_report` accepts."""
    from sqlrisk.catalogue.measures import catalog

    names = dict.fromkeys(row["measure"] for row in found["results"])
    known = {measure.name: measure.sql for measure in catalog()}
    parts = {name: found[name] for name in _PARTS if name in found}
    if "utility" in parts:
        parts["utility"] = Utility(**_utility(parts["utility"]), version=found["sqlrisk"])
    parts["evidence"] = "evidence" in parts  # a switch: its rows are computed anew
    return Report(
        **parts,
        version=found["sqlrisk"],
        texts={name: known[name] for name in names if name in known},
    )


def read_json(path: str | PathLike[str], what: str, way: str) -> Any:
    """Return the content of a JSON file.

    ``what`` names the kind of file in messages. ``way`` says how to make such a file. Raises
    InputError if the file cannot be read, is not JSON, or has a newer ``schema``.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        more = f"; {way}" if isinstance(error, FileNotFoundError) else ""
        raise InputError(
            f"The {what} {fspath(path)!r} cannot be read: {error.strerror}{more}."
        ) from None
    except (ValueError, RecursionError):  # not JSON or UTF-8; messages may quote the file
        raise InputError(f"The {what} {fspath(path)!r} is not JSON; {way}.") from None
    match found:
        case {"sqlrisk": str(version), "schema": int(schema)} if schema > SCHEMA:
            raise InputError(
                f"The {what} {fspath(path)!r} has a newer form (schema {schema}): read it by "
                f"sqlrisk {version}."
            )
    return found


def _utility(found: Any) -> dict[str, Any]:
    names = [each["name"] for each in found["measures"]]
    known = [*_OF_UTILITY, *(name for name in ("policy", "engine", "labels") if name in found)]
    return {**{name: found[name] for name in known}, "sort": first_of(names), "top": TOP}


def _is_utility(found: Any) -> bool:
    if not isinstance(found, dict) or not all(
        isinstance(found.get(name), kind) for name, kind in _OF_UTILITY.items()
    ):
        return False
    if (
        not all(isinstance(each, dict) and each.keys() == _MEASURE for each in found["measures"])
        or not found["measures"]
    ):
        return False
    numbers = {each["name"] for each in found["measures"]}
    return isinstance(found["scenario"].get("ways"), list) and all(
        isinstance(row, dict)
        and row.keys() == {*ABOUT[part], *(numbers if part in OF_MEASURES else ())}
        for part in PARTS
        for row in found[part]
    )


def _is_report(found: Any) -> bool:
    if not isinstance(found, dict) or not all(
        isinstance(found.get(name), kind) for name, kind in _NEEDED.items()
    ):
        return False
    if not all(isinstance(found.get(name, []), list | dict) for name in _PARTS):
        return False
    if "utility" in found and not (
        _is_utility(found["utility"]) and all(map(_is_point, found.get("maps", [])))
    ):
        return False
    if not all(map(_is_assessed, found.get("assessment", []))):
        return False
    return all(
        isinstance(row, dict) and row.keys() == TYPES.keys() and all(map(_fits, row, row.values()))
        for row in [*found["results"], *found.get("without_exclusions", [])]
    )


def _is_point(row: object) -> bool:
    return isinstance(row, dict) and row.keys() == {*MAPS} and row["ways"] in WAYS


def _is_assessed(row: object) -> bool:
    match row:
        case {
            "synthesis": str() | None,
            "target": str() | None,
            "state": str(state),
            "reasons": list(reasons),
        }:
            return state in STATES and all(map(_is_reason, reasons))
    return False


def _is_reason(found: object) -> bool:
    return isinstance(found, dict) and all(isinstance(found.get(n), str) for n in ("code", "text"))


def _fits(column: str, value: object) -> bool:
    """Return True if a value is allowed in a column. A target may be missing."""
    if TYPES[column] == "double":
        return value is None or type(value) in (int, float)
    return isinstance(value, str) or TYPES[column] == "bool" or column == "target"
