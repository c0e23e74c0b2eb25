"""`sqlrisk score`, 1 target, against peer programs in an environment of their own, .venv-peers.

  SDMetrics    CategoricalCAP (here DCAP_matched) and CategoricalGeneralizedCAP (here GCAP) of
               5,000 and 20,000 records
  anonymeter   its inference attack on 2,000 of 48,000 people, per person attacked.
               sqlrisk attacks everybody

Each peer program runs once, because it takes minutes. SDMetrics must give the same numbers as
sqlrisk. anonymeter draws people at random and uses only one of the nearest synthetic records. GCAP
is the share over all nearest records. So anonymeter's result may differ by its sampling error.
"""

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmark import jobs, results
from benchmark.children import SCRIPTS
from benchmark.figures import Bar, Findings
from benchmark.people import KEYS, TARGETS, make_pair
from benchmark.tables import table, tell

TARGET = TARGETS[0]
SIZES = {5_000: Bar("wall", 1 / 50), 20_000: Bar("wall", 1 / 200)}
MEASURES = {"CategoricalCAP": "DCAP_matched", "CategoricalGeneralizedCAP": "GCAP"}
ATTACKED, ATTACKS = 48_000, 2_000
FAR = 5  # maximum deviation of a sample, in standard errors


@dataclass(frozen=True)
class Peer:
    """A program of other authors at one size.

    Attributes:
        argument: the last argument of the program, after files, keys and target.
        measure: the measure of sqlrisk for the same quantity.
        check: raises SystemExit if the program's result contradicts this measure (in percent).
        shares: the units of work by which the costs of one run of sqlrisk, and of the program, are
            divided.
    """

    name: str
    program: str
    argument: str
    records: int
    measure: str
    check: Callable[[str, Any, float | None], None]
    bars: Sequence[Bar] = ()
    shares: tuple[int, int] = (1, 1)


def find(settings: jobs.Settings) -> Findings:
    """Run each program once, in turn with sqlrisk."""
    python, missing = environment()
    findings, alone = Findings(), []
    for peer in peers(settings.records):
        ours, theirs = f"sqlrisk, {peer.measure}, {peer.records:,} records", peer.name
        pair = make_pair(peer.records)
        # DCAP_matched is among the usual ones
        more = ("--measures", "GCAP") if peer.measure == "GCAP" else ()
        wanted = {
            ours: jobs.score(pair, KEYS, [TARGET], peer.records, jobs.limits(settings), *more)
        }
        if not missing:
            arguments = [*map(str, pair), ",".join(KEYS), TARGET, peer.argument]
            wanted[theirs] = jobs.program(
                peer.program, *arguments, python=python, may_fail=True, most=1
            )
        measured = jobs.measure(wanted, settings.repeat)
        if theirs in measured and not measured[theirs].missing:
            result = measured[theirs].result
            peer.check(
                theirs, result, results.percents(measured[ours].result, TARGET)[peer.measure]
            )
            alone.append([theirs, f"{result['seconds']:.2f}"])
        ratio = jobs.ratio(theirs, measured, ours, theirs, peer.bars, peer.shares, missing)
        findings.add(Findings(jobs.costs(measured), [ratio]))
    if alone:
        findings.texts.append(table(["without start and imports", "wall clock, s"], alone))
    return findings


def peers(records: int) -> list[Peer]:
    """Return all programs, at sizes up to the records of the large files."""
    found = []
    for size, bar in (
        {size: bar for size, bar in SIZES.items() if size <= records} or {records: SIZES[5_000]}
    ).items():
        for score, measure in MEASURES.items():
            name = f"SDMetrics, {score}, {size:,} records"
            found.append(
                Peer(
                    name,
                    "sdmetrics_cap",
                    score,
                    size,
                    measure,
                    partial(_check_score, measure),
                    [bar],
                )
            )
    size = min(ATTACKED, records)
    attacks = min(ATTACKS, size // 2)
    name = f"anonymeter, inference, {size:,} records, each of {attacks:,} attacks"
    found.append(
        Peer(
            name,
            "anonymeter_inference",
            str(attacks),
            size,
            "GCAP",
            _check_sample,
            shares=(size, attacks),
        )
    )
    return found


def environment() -> tuple[Path, str]:
    """Return the interpreter of .venv-peers and an empty text. Make the environment if it is
    missing. If that fails, the text is the reason.
    """
    script = '. "$(dirname -- "$0")/environment.sh" && venv=$1 && find_peers && printf %s "$peers"'
    command = ["/bin/sh", "-c", script, str(SCRIPTS / "bench"), sys.prefix]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    missing = "" if made.returncode == 0 else ".venv-peers could not be made"
    if missing:
        tell(missing)
    return Path(made.stdout), missing


def _check_score(measure: str, name: str, found: Any, percent: float | None) -> None:
    """Check a result of SDMetrics, which gives the share of safe people: 1 minus the measure."""
    results.agree(name, {measure: 100 * (1 - found["score"])}, {measure: percent})


def _check_sample(name: str, found: Any, percent: float | None) -> None:
    """Check that a share in a sample lies within some standard errors of the expected share."""
    share, chance = found["right"] / found["attacks"], (percent or 0) / 100
    if abs(share - chance) > FAR * math.sqrt(chance * (1 - chance) / found["attacks"]):
        raise SystemExit(f"bench: {name} guessed {share:.3f} right, but {chance:.3f} was expected")
