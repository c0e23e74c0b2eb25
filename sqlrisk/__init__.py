"""sqlrisk: what an intruder could learn about real people from a synthetic file.

>>> import sqlrisk
>>> report = sqlrisk.score(
...     "original.parquet",
...     ["syn1.parquet", "syn2.parquet"],
...     keys=["sex", "age"],
...     targets=["depress"],
... )
>>> report["DiSCO"].rows[0]["value"]  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from sqlrisk.common.errors import EngineError, InputError, PolicyError, SqlriskError
from sqlrisk.common.version import __version__

if TYPE_CHECKING:
    from sqlrisk.analyses.people.held_records import Records
    from sqlrisk.api.exports import compile_sql, init, schema, sql
    from sqlrisk.api.intruders import attack, sweep
    from sqlrisk.api.people import explain, lookup, protect, recode, records, split, uniques
    from sqlrisk.api.release import Release
    from sqlrisk.api.results import check, diff, query, rerun, sign, signatures
    from sqlrisk.api.scenarios import score_all, score_steps
    from sqlrisk.api.scores import cells, inspect, reference, score, tabulate, utility
    from sqlrisk.catalogue.measures import catalog as measures
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.reading import read_report
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.attacks import Attacks
    from sqlrisk.report.results.diffs import Diff
    from sqlrisk.report.results.explanation import Explanation
    from sqlrisk.report.results.inspection import Inspection
    from sqlrisk.report.results.protection import Halves, Protection, Protections, Recoding
    from sqlrisk.report.results.reference import Reference
    from sqlrisk.report.results.reruns import Rerun
    from sqlrisk.report.results.several_reports import Reports, Steps
    from sqlrisk.report.results.sweeps import Sweep
    from sqlrisk.report.results.table import Table
    from sqlrisk.report.results.uniques import Uniques
    from sqlrisk.report.results.verdicts import Verdicts
    from sqlrisk.report.signing.signatures import Signatures
    from sqlrisk.report.utility import Utility


__all__ = [
    "Attacks",
    "Diff",
    "EngineError",
    "Explanation",
    "Halves",
    "InputError",
    "Inspection",
    "Listing",
    "PolicyError",
    "Protection",
    "Protections",
    "Recoding",
    "Records",
    "Reference",
    "Release",
    "Report",
    "Reports",
    "Rerun",
    "Signatures",
    "SqlriskError",
    "Steps",
    "Sweep",
    "Table",
    "Uniques",
    "Utility",
    "Verdicts",
    "__version__",
    "attack",
    "cells",
    "check",
    "compile_sql",
    "diff",
    "explain",
    "init",
    "inspect",
    "lookup",
    "measures",
    "protect",
    "query",
    "read_report",
    "recode",
    "records",
    "reference",
    "rerun",
    "schema",
    "score",
    "score_all",
    "score_steps",
    "sign",
    "signatures",
    "split",
    "sql",
    "sweep",
    "tabulate",
    "uniques",
    "utility",
]

# Imported when first used: `sqlrisk --help` should not wait for a database engine.
_MODULES = {
    "api.intruders": ("attack", "sweep"),
    "api.people": ("explain", "lookup", "protect", "recode", "records", "split", "uniques"),
    "api.release": ("Release",),
    "api.results": ("check", "diff", "query", "rerun", "sign", "signatures"),
    "api.scenarios": ("score_all", "score_steps"),
    "api.scores": ("cells", "inspect", "reference", "score", "tabulate", "utility"),
    "api.exports": ("compile_sql", "init", "schema", "sql"),
    "report.listing": ("Listing",),
    "report.report": ("Report",),
    "report.results.attacks": ("Attacks",),
    "report.results.diffs": ("Diff",),
    "report.results.explanation": ("Explanation",),
    "report.results.protection": ("Halves", "Protection", "Protections", "Recoding"),
    "report.reading": ("read_report",),
    "report.results.inspection": ("Inspection",),
    "analyses.people.held_records": ("Records",),
    "report.results.reference": ("Reference",),
    "report.results.reruns": ("Rerun",),
    "report.results.several_reports": ("Reports", "Steps"),
    "report.signing.signatures": ("Signatures",),
    "report.results.sweeps": ("Sweep",),
    "report.results.table": ("Table",),
    "report.results.uniques": ("Uniques",),
    "report.utility": ("Utility",),
    "report.results.verdicts": ("Verdicts",),
}
_HOMES = {name: (module, name) for module, names in _MODULES.items() for name in names}
_HOMES["measures"] = ("catalogue.measures", "catalog")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


if not TYPE_CHECKING:  # a type checker knows every name from the imports above, and reports others

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'sqlrisk' has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _HOMES[name]
        value = globals()[name] = getattr(import_module(f"sqlrisk.{module}"), attribute)
        return value
