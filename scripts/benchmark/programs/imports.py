"""Print which heavy modules `sqlrisk --help` imports, as a JSON list: python imports.py."""

import contextlib
import io
import json
import sys

from sqlrisk.cli.main import main

HEAVY = (
    "altair",
    "duckdb",
    "jinja2",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
    "sqlglot",
)


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        main(["--help"])
    print(json.dumps([name for name in HEAVY if name in sys.modules]))
