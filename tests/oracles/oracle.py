"""Convert a case of ../shared/oracle or cases/demo.json to arguments of sqlrisk.score.

The expected numbers of these cases come from programs of other authors. The shared cases are beside
the repository. The six cases on the census files are also in this repository, so that every clone
checks real people's data.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
ORACLE = ROOT.parent / "shared" / "oracle"
DEMO = ROOT / "tests" / "cases" / "demo.json"
ABSENT = "the folder shared/oracle with the reference cases is not beside the repository"

# the oracle's word -> ours; all others are the same
WORDS = {
    "special_values": "special",
    "exclude_target_levels": "exclude_level",
    "exclude_pairs": "exclude_pair",
}


@dataclass(frozen=True)
class Case:
    """One scenario in the oracle's terms, with the expected numbers and checks of each
    synthesis.
    """

    name: str
    original: Path
    synthetic: tuple[Path, ...]
    scenario: Mapping[str, Any]
    expected: Sequence[Mapping[str, float | None]]
    checks: Mapping[str, Sequence[Sequence[Mapping[str, Any]] | None]]

    @property
    def target(self) -> str:
        return str(self.scenario["target"])


def shared_cases() -> list[Case]:
    """Return all cases beside the repository, or none if that folder is missing."""
    return [
        _case(json.loads(file.read_text()), file.parent)
        for file in sorted(ORACLE.glob("cases/*/case.json"))
    ]


def reference_values(folder: str) -> list[dict[str, Any]]:
    """Return the cases in one of the other folders of shared/oracle. Empty if it is missing."""
    path = ORACLE / folder / "cases.json"
    return list(json.loads(path.read_text())["cases"]) if path.exists() else []


def demo_cases() -> list[Case]:
    """Return the cases on the repository's own census files."""
    return [_case(text, DEMO.parent) for text in json.loads(DEMO.read_text())]


def _case(text: Mapping[str, Any], folder: Path) -> Case:
    if "data" in text:
        original = ROOT / text["data"]["original"]
        synthetic = [ROOT / name for name in text["data"]["synthetic"]]
    else:
        original = folder / "original.parquet"
        synthetic = [folder / f"syn_{i + 1}.parquet" for i in range(text["syntheses"])]
    return Case(
        text["case"],
        original,
        tuple(synthetic),
        text["scenario"],
        text["expected"],
        text.get("checks", {}),
    )


def arguments(case: Case) -> dict[str, Any]:
    """Return the keyword arguments of sqlrisk.score for a case."""
    words: dict[str, Any] = {WORDS.get(word, word): value for word, value in case.scenario.items()}
    target = words.pop("target")
    words["targets"] = [target]
    if "bins" in words:  # the oracle's program ignores bins of text columns, sqlrisk refuses them
        numeric = {
            column.name for column in pq.read_schema(case.original) if _is_number(column.type)
        }
        words["bins"] = {column: n for column, n in words["bins"].items() if column in numeric}
    if "exclude_level" in words:
        words["exclude_level"] = {target: words["exclude_level"]}
    if "exclude_pair" in words:
        words["exclude_pair"] = [{"target": target, **pair} for pair in words["exclude_pair"]]
    return words


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def check_rows(check: str, rows: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Return the flagged rows of a check with our columns. "LEVEL|KEYLEVEL" is split into two
    columns, and "Missing" becomes a missing level.
    """
    ours = [dict(row) for row in rows or []]
    for row in ours:
        if check == "two_way":
            row["target_level"], row["key_level"] = row.pop("target_key_levs").split("|")
        for column in ("Level", "target_level", "key_level"):
            if row.get(column) == "Missing":
                row[column] = None
    return ours
