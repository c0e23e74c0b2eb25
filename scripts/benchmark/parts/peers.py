"""`sqlrisk score`, 1 target, against the programs of others, in an environment of their own, .venv-peers.

  SDMetrics    CategoricalCAP (here DCAP_matched) and CategoricalGeneralizedCAP (here GCAP) of 5,000 and 20,000 records
  anonymeter   its inference attack on 2,000 of 48,000 people, per person that is attacked; sqlrisk attacks everybody

Programs of others run once: they take minutes. SDMetrics must give the same numbers. anonymeter draws people, and takes one of
the nearest synthetic records as it comes, where GCAP is the share of all of them: it may differ as much as a sample does.
"""

import math
import subprocess
import sys
from pathlib import Path

from benchmark import jobs
from benchmark.children import SCRIPTS
from benchmark.figures import Bar, Findings
from benchmark.people import KEYS, TARGETS, make_pair
from benchmark.tables import tell

TARGET = TARGETS[0]
SIZES = {5_000: Bar("wall", 1 / 50), 20_000: Bar("wall", 1 / 200)}
MEASURES = {"CategoricalCAP": "DCAP_matched", "CategoricalGeneralizedCAP": "GCAP"}
ATTACKED, ATTACKS = 48_000, 2_000
FAR = 5  # standard errors by which a sample never differs


def find(settings: jobs.Settings) -> Findings:
    """Runs them at each size that is not above what was asked for."""
    python, missing = environment()
    findings = Findings()
    for size, bar in SIZES.items():
        findings.add(_sdmetrics(min(size, settings.records), bar, settings, python, missing))
    findings.add(_anonymeter(min(ATTACKED, settings.records), settings, python, missing))
    return findings


def environment() -> tuple[Path, str]:
    """The interpreter of .venv-peers, which is made where it is not there yet; or why it cannot be."""
    script = '. "$(dirname -- "$0")/environment.sh" && venv=$1 && find_peers && printf %s "$peers"'
    command = ["/bin/sh", "-c", script, str(SCRIPTS / "bench"), sys.prefix]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    missing = "" if made.returncode == 0 else ".venv-peers could not be made, the reason is above"
    if missing:
        tell(missing)
    return Path(made.stdout), missing


def _sdmetrics(records: int, bar: Bar, settings: jobs.Settings, python: Path, missing: str) -> Findings:
    pair = make_pair(records)
    limits = jobs.limits(settings)
    findings = Findings()
    for theirs, ours in MEASURES.items():
        own, other = f"sqlrisk, {ours}, {records:,} records", f"SDMetrics, {theirs}, {records:,} records"
        more = ("--measures", ours) if ours == "GCAP" else ()  # the other is among the usual ones
        wanted = {own: jobs.score(pair, KEYS, [TARGET], records, limits, *more)}
        if not missing:
            wanted[other] = jobs.program(
                "sdmetrics_cap", *map(str, pair), ",".join(KEYS), TARGET, theirs, python=python, may_fail=True, most=1
            )
        measured = jobs.measure(wanted, settings.repeat)
        if other in measured and not measured[other].missing:
            risk = jobs.percents(measured[own].result, TARGET)[ours]
            jobs.agree(other, {ours: 100 * (1 - measured[other].result["score"])}, {ours: risk})
        ratio = jobs.ratio(other, measured, own, other, [bar], missing=missing)
        findings.add(Findings(jobs.costs(measured), [ratio]))
    return findings


def _anonymeter(records: int, settings: jobs.Settings, python: Path, missing: str) -> Findings:
    pair = make_pair(records)
    attacks = min(ATTACKS, records // 2)
    own, other = f"sqlrisk, GCAP, {records:,} records", f"anonymeter, inference, {records:,} records, {attacks:,} attacks"
    wanted = {own: jobs.score(pair, KEYS, [TARGET], records, jobs.limits(settings), "--measures", "GCAP")}
    if not missing:
        arguments = [*map(str, pair), ",".join(KEYS), TARGET, str(attacks)]
        wanted[other] = jobs.program("anonymeter_inference", *arguments, python=python, may_fail=True, most=1)
    measured = jobs.measure(wanted, settings.repeat)
    if other in measured and not measured[other].missing:
        _check_sample(measured[other].result, (jobs.percents(measured[own].result, TARGET)["GCAP"] or 0) / 100)
    name = f"anonymeter, inference, {records:,} records, per attack"
    ratio = jobs.ratio(name, measured, own, other, shares=(records, attacks), missing=missing)
    return Findings(jobs.costs(measured), [ratio])


def _check_sample(found: dict[str, float], chance: float) -> None:
    """Raises SystemExit where a share in a sample is farther from the chance than a sample's ever is."""
    share = found["right"] / found["attacks"]
    if abs(share - chance) > FAR * math.sqrt(chance * (1 - chance) / found["attacks"]):
        raise SystemExit(f"bench: anonymeter guessed {share:.3f} right, where {chance:.3f} are to be expected")
