"""sqlrisk: what an intruder could learn about real people from a synthetic file.

>>> import sqlrisk
>>> report = sqlrisk.score("original.parquet", ["syn1.parquet", "syn2.parquet"], keys=["sex", "age"], targets=["depress"])
>>> report["DiSCO"].rows[0]["value"]  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

from sqlrisk.errors import EngineError, InputError, PolicyError, SqlriskError

if TYPE_CHECKING:
    from sqlrisk.api import (
        attack,
        cells,
        check,
        compile_sql,
        diff,
        explain,
        init,
        lookup,
        protect,
        query,
        records,
        reference,
        rerun,
        score,
        score_all,
        sql,
        sweep,
        tabulate,
        uniques,
    )
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
_HOMES = {
    "attack": "api.attack", "Attacks": "report.attacks.Attacks",
    "cells": "api.cells", "compile_sql": "api.compile_sql", "lookup": "api.lookup", "query": "api.query",
    "records": "api.records", "measures": "catalog.catalog", "score": "api.score",
    "sql": "api.sql", "uniques": "api.uniques", "Listing": "report.Listing",
    "Report": "report.Report", "Uniques": "report.uniques.Uniques", "reference": "api.reference",
    "Reference": "report.reference.Reference", "tabulate": "api.tabulate", "Table": "report.tables.Table",
    "protect": "api.protect", "Protection": "report.protection.Protection",
    "sweep": "api.sweep", "Sweep": "report.sweeps.Sweep",
    "check": "api.check", "Verdicts": "report.verdicts.Verdicts", "read_report": "report.reading.read_report",
    "diff": "api.diff", "Diff": "report.diffs.Diff", "rerun": "api.rerun", "Rerun": "report.reruns.Rerun",
    "explain": "api.explain", "Explanation": "report.explanation.Explanation",
    "init": "api.init", "score_all": "api.score_all", "Reports": "report.scenarios.Reports",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        module, _, attribute = _HOMES[name].rpartition(".")
        value = getattr(import_module(f"sqlrisk.{module}"), attribute)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sqlrisk' has no attribute {name!r}")
