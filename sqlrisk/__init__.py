"""sqlrisk: what an intruder could learn about real people from a synthetic file.

>>> import sqlrisk
>>> report = sqlrisk.score("original.parquet", ["syn1.parquet", "syn2.parquet"], keys=["sex", "age"], targets=["depress"])
>>> report["DiSCO"].rows[0]["value"]  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

from sqlrisk.errors import EngineError, InputError, PolicyError, SqlriskError

if TYPE_CHECKING:
    from sqlrisk.api.intruders import attack, sweep
    from sqlrisk.api.people import explain, lookup, protect, records, uniques
    from sqlrisk.api.results import check, diff, query, rerun
    from sqlrisk.api.scores import cells, reference, score, score_all, tabulate
    from sqlrisk.api.texts import compile_sql, init, sql
    from sqlrisk.catalog import catalog as measures
    from sqlrisk.report import Listing, Report
    from sqlrisk.report.attacks import Attacks
    from sqlrisk.report.diffs import Diff
    from sqlrisk.report.explanation import Explanation
    from sqlrisk.report.protection import Protection
    from sqlrisk.report.reading import read_report
    from sqlrisk.report.reference import Reference
    from sqlrisk.report.reruns import Rerun
    from sqlrisk.report.scenarios import Reports
    from sqlrisk.report.sweeps import Sweep
    from sqlrisk.report.tables import Table
    from sqlrisk.report.uniques import Uniques
    from sqlrisk.report.verdicts import Verdicts

__version__ = "0.1.0"

__all__ = [
    "Attacks",
    "Diff",
    "EngineError",
    "Explanation",
    "InputError",
    "Listing",
    "PolicyError",
    "Protection",
    "Reference",
    "Report",
    "Reports",
    "Rerun",
    "SqlriskError",
    "Sweep",
    "Table",
    "Uniques",
    "Verdicts",
    "__version__",
    "attack",
    "cells",
    "check",
    "compile_sql",
    "diff",
    "explain",
    "init",
    "lookup",
    "measures",
    "protect",
    "query",
    "read_report",
    "records",
    "reference",
    "rerun",
    "score",
    "score_all",
    "sql",
    "sweep",
    "tabulate",
    "uniques",
]

# Imported when first used: `sqlrisk --help` should not wait for a database engine.
_MODULES = {
    "api.intruders": ("attack", "sweep"),
    "api.people": ("explain", "lookup", "protect", "records", "uniques"),
    "api.results": ("check", "diff", "query", "rerun"),
    "api.scores": ("cells", "reference", "score", "score_all", "tabulate"),
    "api.texts": ("compile_sql", "init", "sql"),
    "report": ("Listing", "Report"),
    "report.attacks": ("Attacks",),
    "report.diffs": ("Diff",),
    "report.explanation": ("Explanation",),
    "report.protection": ("Protection",),
    "report.reading": ("read_report",),
    "report.reference": ("Reference",),
    "report.reruns": ("Rerun",),
    "report.scenarios": ("Reports",),
    "report.sweeps": ("Sweep",),
    "report.tables": ("Table",),
    "report.uniques": ("Uniques",),
    "report.verdicts": ("Verdicts",),
}
_HOMES = {"measures": "catalog.catalog", **{name: f"{module}.{name}" for module, names in _MODULES.items() for name in names}}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        module, _, attribute = _HOMES[name].rpartition(".")
        value = getattr(import_module(f"sqlrisk.{module}"), attribute)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sqlrisk' has no attribute {name!r}")
