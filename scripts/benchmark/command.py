"""The command line of the benchmark: which parts run, and the tables at the end."""

import argparse
import os
import platform
import signal
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from benchmark.figures import Findings, figure_table, ratio_table
from benchmark.jobs import Settings
from benchmark.parts import OTHERS, PIECES, USUAL
from benchmark.tables import spread, table

RECORDS = 10_000_000  # the bars are set for this many
HEAD = """The benchmark of sqlrisk: what its commands cost compared with other programs that do the
same, in one run.

Files are made once, under .bench. Whole commands run as child processes, in turn, and every result
is checked. Printed are their costs, the ratios, and the bars that sqlrisk sets itself. CPU is user
and system time of the whole process, including start-up. Peak is its largest resident memory. A
ratio compares the two medians.

parts, by default all but {others}:
"""


def main() -> None:
    """Run the parts. Print the cost of each command, the ratios, and the figures with bars."""
    parts, settings = parse_options()
    # End by an exception, so that files are removed.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.environ["POLARS_MAX_THREADS"] = str(settings.threads)
    findings = Findings()
    for part in parts:
        findings.add(_module(part).find(settings), f"sh scripts/bench {part}")
    memory = f"{settings.limit // 10**6}MB"
    versions = f"DuckDB {version('duckdb')}, Python {platform.python_version()}"
    print(
        f"{settings.records:,} + {settings.records:,} records; {settings.threads} threads; "
        f"sqlrisk's limit {memory}; {versions}"
    )
    print(f"median (least-greatest) of {settings.repeat}\n")
    tables = []
    if findings.costs:
        rows = [
            [
                name,
                spread([c.wall for c in each]),
                spread([c.cpu for c in each]),
                spread([c.peak / 1e9 for c in each]),
            ]
            for name, each in findings.costs.items()
        ]
        tables.append(table(["command", "wall clock, s", "CPU, s", "peak, GB"], rows))
    if findings.ratios:
        tables.append(ratio_table(findings.ratios))
    if findings.figures:
        tables.append(figure_table(findings.figures))
    print("\n\n".join([*tables, *findings.texts]))
    if settings.records != RECORDS:
        print(f"\nThe bars are set for {RECORDS:,} records.")


def parse_options() -> tuple[list[str], Settings]:
    """Return the parts to run and the settings, from the command line."""
    parser = _Parser(prog="sh scripts/bench", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"what to run: {', '.join((*USUAL, *OTHERS))}"
    )
    parser.add_argument(
        "--records",
        type=int,
        default=RECORDS,
        metavar="N",
        help="in each large file; other sizes in proportion (%(default)s)",
    )
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="runs of each command (%(default)s)"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="of both sides (all: %(default)s)",
    )
    parser.add_argument(
        "--memory-limit",
        type=float,
        default=1.0,
        metavar="GB",
        help="of sqlrisk, in units of 10^9 bytes (%(default)s)",
    )
    parser.add_argument(
        "--billion",
        action="store_true",
        help="scale: a billion records in each file, and nothing else",
    )
    pieces = [piece for part in PIECES.values() for piece in part]
    parser.add_argument(
        "--only", choices=pieces, help="scale: only this pair of files; engines: only this engine"
    )
    parser.add_argument(
        "--skewed", action="store_true", help="engines: one class holds half of the records"
    )
    options = parser.parse_args()
    if min(options.records, options.repeat, options.threads, options.memory_limit) <= 0:
        parser.error("every number is a positive one")
    if unknown := [part for part in options.parts if part not in (*USUAL, *OTHERS)]:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join((*USUAL, *OTHERS))}")
    parts = options.parts or (["scale"] if options.billion else list(USUAL))
    settings = Settings(
        records=options.records,
        repeat=options.repeat,
        threads=options.threads,
        limit=round(options.memory_limit * 10**9),
        billion=options.billion,
        only=options.only,
        skewed=options.skewed,
    )
    return list(dict.fromkeys(parts)), settings


def _module(part: str) -> Any:
    """Import a part when it is needed, since other parts may need libraries that are missing."""
    return import_module(f"benchmark.parts.{part}")


class _Parser(argparse.ArgumentParser):
    """A parser that describes the parts only in its help. Describing a part imports it, and this
    process has to stay small.
    """

    def format_help(self) -> str:
        """Return the usual help with the text of each part."""
        self.description = _description()
        return super().format_help()


def _description() -> str:
    texts = "\n".join(_told(part, str(_module(part).__doc__)) for part in (*USUAL, *OTHERS))
    return HEAD.format(others=" and ".join(OTHERS)) + texts


def _told(part: str, text: str) -> str:
    first, *others = text.strip().splitlines()
    return "\n".join([f"  {part}: {first}", *(f"    {line}" for line in others if line)])
