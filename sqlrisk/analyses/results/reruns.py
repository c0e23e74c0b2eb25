"""Repeat a run from its manifest, with the same settings and files."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from glob import escape
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sqlrisk.analyses import audit
from sqlrisk.common.errors import InputError, PolicyError
from sqlrisk.common.output_files import MANIFEST
from sqlrisk.engines.connect import EngineOptions, tables_of
from sqlrisk.inputs.request import ask
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.report.reading import read_json
from sqlrisk.report.report import Report
from sqlrisk.report.results.reruns import CHANGED, Rerun, compare, inputs
from sqlrisk.report.results.several_reports import Reports

_NEEDED = {
    "sqlrisk": str, "engine": dict, "environment": dict, "inputs": list, "sql": list,
    "results_sha256": str,
}  # fmt: skip
_SOURCES = ("original", "synthetic", "control", "universe")
# Arguments in calls of older manifests that only add to a page, which is not made again.
_OF_PAGE = ("listings", "cube")

Manifest = Mapping[str, Any]


def manifest_of(path: str | PathLike[str]) -> str:
    """Return the path of the manifest beside an output, or the given path if there is no manifest.

    Several outputs of one run share one manifest: the manifest of ``risk.html`` may be
    ``risk.json.manifest.json``. If several manifests fit, the given path is also returned.
    """
    output = Path(path)
    own = output.parent / f"{output.name}{MANIFEST}"
    beside = [own] if own.is_file() else [*output.parent.glob(f"{escape(output.stem)}.*{MANIFEST}")]
    return fspath(beside[0] if len(beside) == 1 else path)


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the manifest of a run that can be repeated.

    Raises InputError if the file is not a manifest, or an input, connection or policy was held in
    Python.
    """
    label, way = (
        manifest_of(path),
        "name a .manifest.json that `sqlrisk score -o` wrote, or the output in the same folder",
    )
    found = read_json(label, "manifest", way)
    if not _is_manifest(found):
        raise InputError(f"The file {label!r} is not a manifest; {way}.")
    if found["call"] is None:
        raise InputError(
            f"The run of {label!r} cannot be repeated: a table, a connection or a policy was "
            "held in Python, and only its name is known. Repeat the run in Python."
        )
    return dict(found)


def files_of(manifest: Manifest) -> list[str]:
    """Return the files that the run read, which no output may replace."""
    return [
        name
        for each in manifest["inputs"]
        for name in (each["name"], *(file["name"] for file in each.get("files", ())))
    ]


def repeat(
    manifest: Manifest,
    score: Callable[..., Report],
    score_again: Callable[..., Reports],
    tell: Callable[[str], None],
) -> Rerun:
    """Hash the inputs, repeat the run and compare. ``tell`` is called with a message for each input
    that changed.

    ``score`` is called to repeat a run of one scenario, and ``score_again`` to repeat a run of
    several, with all settings of each by name. Raises the errors of `sqlrisk.rerun`.
    """
    scenarios = _scenarios(manifest)
    call = {name: value for name, value in manifest["call"].items() if name not in _OF_PAGE}
    options = {name: value for name, value in call.items() if name not in _SOURCES}
    engine = options.get("engine", "duckdb")
    if EngineOptions(engine, scratch=options.get("scratch")).keeps_tables:
        call["scratch"] = None  # the first run's tables are there
    own, tables = options.get("measures_from"), tables_of(engine)
    files: dict[str, Any] = {name: call.get(name) for name in _SOURCES}
    questions = [
        ask(settings=each, measures_from=own, tables=tables, **files) for each in scenarios.values()
    ]
    reads = audit.reads_of_all(questions, options)
    now = [
        {"role": e.role, "synthesis": e.synthesis, "name": e.name, **audit.hashed(e)} for e in reads
    ]
    for _, name, outcome, *_ in inputs(manifest, now):
        if outcome == CHANGED:
            tell(f"Changed since: {name}")
    try:
        report = (
            score_again(scenarios, **call)
            if "scenarios" in manifest
            else score(**call, **manifest["scenario"])
        )
    except PolicyError as error:
        report = error.report
    return compare(manifest, report.manifest(), report)


def _scenarios(manifest: Manifest) -> dict[str, dict[str, Any]]:
    """Return the settings of each scenario, by name."""
    each = manifest.get("scenarios", [{"name": "", "scenario": manifest.get("scenario")}])
    return {scenario["name"]: scenario["scenario"] for scenario in each}


def _is_manifest(found: Any) -> bool:
    if not isinstance(found, dict) or not all(
        isinstance(found.get(name), kind) for name, kind in _NEEDED.items()
    ):
        return False
    if not {"call", "verdict"} <= found.keys() or not isinstance(found["call"], dict | None):
        return False
    named = [{"role", "synthesis", "name", "sha256"} <= set(each) for each in found["inputs"]]
    # An older sqlrisk had fewer settings and options. Those it lacked have their default.
    known = {each.name for each in fields(Scenario)}
    call = found["call"] is None or {"original", "synthetic"} <= found["call"].keys() <= {
        *_SOURCES,
        *audit.OPTIONS,
        *_OF_PAGE,
    }
    try:
        settings = all(each.keys() <= known for each in _scenarios(found).values())
    except (AttributeError, KeyError, TypeError):
        return False
    return call and all(named) and settings and {"name", "version"} <= found["engine"].keys()
