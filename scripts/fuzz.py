"""Fuzz the readers of texts, guided by coverage. A reader may raise InputError and no other error.

Called by scripts/fuzz.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["sqlrisk", "tomllib"]):
    from sqlrisk.catalogue import attackers, measures
    from sqlrisk.common.errors import InputError
    from sqlrisk.inputs import (
        conditions,
        policy,
        policy_rules,
        readers,
        scenario,
        scenario_file,
        sources,
    )

ROOT = Path(__file__).resolve().parents[1]
TEXT_SECONDS = 5  # a reader that takes longer for one text counts as hanging
FILES = {
    "scenario": ".toml",
    "policy": ".toml",
    "csv": ".csv",
    "measure": ".sql",
    "attacker": ".sql",
}
READERS: dict[str, Callable[[Path], object]] = {
    "scenario": lambda path: scenario.read(scenario_file.read_file(path)),
    "policy": policy.read_policy,
    "csv": lambda path: sources.read_header(
        str(path), sources.read_source(str(path), "the original")
    ),
    "measure": lambda path: measures.load(path, "own"),
    "attacker": attackers.load,
    "rule": lambda path: policy_rules.read(_text(path), "rule"),
    "condition": lambda path: conditions.read(_text(path), "population"),
    "line": lambda path: readers.split_line(_text(path), "keys"),
}
SCENARIO = b"""keys = ["a"]
targets = "b,c"
bins = {a = 3}
within = {b = "5%"}
exclude_pair = ["b=y,a=1"]
population = {p = "a > 3 AND c IN ('x')"}
one_way = [50, 90]
"""
# Reader -> the texts that fuzzing starts from.
SEEDS: dict[str, list[bytes]] = {
    "scenario": [SCENARIO],
    "policy": [path.read_bytes() for path in sorted(ROOT.glob("data/policies/*.toml"))],
    "csv": [b'a,"b ""c"""\n1,2\n'],
    "measure": [path.read_bytes() for path in sorted(ROOT.glob("sql/measures/cap/*.sql"))],
    "attacker": [path.read_bytes() for path in sorted(ROOT.glob("sql/attackers/*.sql"))],
    "rule": [b"DiSCO <= 5", b"DCAP - baseCAPd_counted <= 0.5 * CAPd"],
    "condition": [b"sex = 'f' AND age >= 3", b"region IN ('a', 'b')"],
    "line": [b'"a, b",c=1,d="x""y"'],
}


def fuzz(reader: str, corpus: Path, seconds: int) -> None:
    """Feed texts to a reader for some seconds. The fuzzer then ends the process."""
    path = corpus.parent / f"text{FILES.get(reader, '')}"

    def one(text: bytes) -> None:
        path.write_bytes(text)
        try:
            READERS[reader](path)
        except InputError as error:
            if not all(problem.strip() for problem in error.problems or [""]):
                raise SystemError("It refuses the text and does not say why.") from error

    atheris.Setup(
        [
            sys.argv[0],
            str(corpus),
            f"-max_total_time={seconds}",
            "-max_len=1000",
            f"-timeout={TEXT_SECONDS}",
        ],
        one,
    )
    atheris.Fuzz()


def main() -> int:
    """Fuzz each reader in its own process, because the fuzzer ends the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if unknown := [reader for reader in asked.readers if reader not in READERS]:
        parser.error(f"no reader {', '.join(unknown)}; there are {', '.join(READERS)}")
    if asked.corpus is not None:
        fuzz(asked.readers[0], asked.corpus, asked.seconds)
    for reader in asked.readers or READERS:
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus"
            corpus.mkdir()
            for number, seed in enumerate(SEEDS[reader]):
                (corpus / str(number)).write_bytes(seed)
            print(reader, flush=True)
            command = [
                sys.executable,
                __file__,
                reader,
                "--seconds",
                str(asked.seconds),
                "--corpus",
                str(corpus),
            ]
            if subprocess.run(command, check=False).returncode:
                return 1
    return 0


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "ignore")


if __name__ == "__main__":
    sys.exit(main())
