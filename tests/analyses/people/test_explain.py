"""`sqlrisk explain --record`: what is said of a person is what counting by hand, and `sqlrisk
records`, say.
"""

import json
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sqlrisk
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command

KEYS = ["--keys", "sex,age", "--targets", "ill"]
ORIGINAL: dict[str, list[Any]] = {
    "who": ["a", "b", "c", "d", "e", "f", "g", "g"],
    "sex": ["F", "F", "F", "M", "M", "M", "M", "F"],
    "age": [30, 30, 40, 30, 40, 40, 50, None],
    "ill": ["yes", "yes", "no", "no", "yes", "no", None, "no"],
}
SYNTHETIC: dict[str, list[Any]] = {
    "sex": ["F", "F", "M", "M", "M", "M", "M"],
    "age": [30, 40, 30, 40, 40, 40, 40],
    "ill": ["yes", "yes", "yes", "no", "no", "yes", "yes"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(pa.table(ORIGINAL), tmp_path / "original.parquet")
    pq.write_table(pa.table(SYNTHETIC), tmp_path / "syn.parquet")
    return tmp_path


def said(folder: Path, record: object, *more: str) -> str:
    """The sentences on a record, in one line."""
    code, out, err = command(
        "explain",
        "--record",
        record,
        "original.parquet",
        "syn.parquet",
        *KEYS,
        *more,
        folder=folder,
    )
    assert (code, err) == (
        0,
        "Disclosive: this is about one real person. Keep it where the original is kept.\n",
    )
    assert max(map(len, out.splitlines())) <= 80
    assert out.splitlines()[2].startswith("Disclosive")
    return " ".join(out.split())


SENTENCES = {
    # F30: two people, one synthetic record, which is right.
    1: [
        "1 other of the 8 people.",
        "1 record in synthesis 1.",
        ("The true level is 'yes'. 37.50 % of all people have it (the baseline), and 100.00 % of "
        "those with these keys"),
        ("The only synthetic record with these keys says 'yes': it would be revealed, correctly. "
        "The person is in DiSCO."),
        ("The share of the true level there is 100.00 %: CAP in the synthetic file, 2.67 times the "
        "baseline (lift)."),
        "sex 3",  # of age 30
        "age 4",  # women, also the one whose age is missing
    ],
    # F40: alone on both sides; the file is wrong.
    3: [
        "Nobody else of the 8 people: the person is unique.",
        "One record in synthesis 1: a replicated unique.",
        "an intruder would be sure, and wrong.",
        "The share of the true level there is 0.00 %",
    ],
    # M40: a tie of the two levels.
    5: [
        ("Of the 4 synthetic records with these keys, 2 say 'no', the most frequent level, tied "
        "with 1 more"),
        "a guess by the majority is undecided.",
    ],
    # M50: nobody there, and the target is missing.
    7: ["No record in synthesis 1: whoever looks for the person finds nobody.",
        "The true level is (missing)", "so none says"],
    8: ["age (missing)"],
}  # fmt: skip


@pytest.mark.parametrize("record", list(SENTENCES))
def test_the_sentences_are_true(folder: Path, record: int) -> None:
    told = sqlrisk.explain(
        folder / "original.parquet",
        folder / "syn.parquet",
        record=record,
        keys="sex,age",
        targets="ill",
    )
    text = " ".join(told.to_text().split())
    for sentence in SENTENCES[record]:
        assert sentence in text


def test_who_is_not_counted_is_said(folder: Path) -> None:
    text = said(folder, 1, "--exclude-level", "ill=yes")
    assert "not counted in the measures of this target: target level." in text
    assert "it would be revealed, correctly." in text
    assert "DiSCO" not in text
    assert "so none says anything; the person counts as zero in DCAP." in said(folder, 7)
    nobody = said(folder, 7, "--exclude-missing", "ill")
    assert "so none says anything. " in nobody
    assert "DCAP" not in nobody


@pytest.mark.slow
def test_the_numbers_are_those_of_records() -> None:
    original, synthetic = pa.table(ORIGINAL), [pa.table(SYNTHETIC), pa.table(ORIGINAL)]
    settings: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"], "bins": {"age": 2}}
    # Two bins of three distinct ages: a class key with a digit that is a bin.
    from tempfile import TemporaryDirectory

    for synthesis in (None, "1", "2"):
        with TemporaryDirectory() as folder:
            path = f"{folder}/risk.parquet"
            sqlrisk.records(original, synthetic, path, synthesis=synthesis, **settings)
            rows = pq.read_table(path).to_pylist()
        for number, row in enumerate(rows, start=1):
            found = sqlrisk.explain(
                original, synthetic, record=number, synthesis=synthesis, **settings
            )
            (target,) = found.targets
            for name in ("n_orig_class", "n_syn_class", "unique", "replicated_unique"):
                assert getattr(found, name) == row[name]
            for name in (
                "cap_original",
                "cap_synthetic",
                "cap_baseline",
                "lift",
                "correct",
                "top_share",
                "predicted_share",
            ):
                assert target[name] == row[f"{name}_ill"]


@pytest.mark.slow
def test_many_keys_are_read_back() -> None:
    """So many levels that the class key goes on in a second column."""
    table = pa.table(
        {
            **{f"k{key}": [7 * row % (1000 + key) for row in range(1000)] for key in range(8)},
            "t": [1] * 1000,
        }
    )
    found = sqlrisk.explain(
        table, table, record=321, keys=[f"k{key}" for key in range(8)], targets=["t"]
    )
    assert [row["level"] for row in found.keys] == [str(7 * 320 % (1000 + key)) for key in range(8)]
    assert [row["agree_on_others"] for row in found.keys] == [1] * 8


def test_a_person_by_id(folder: Path) -> None:
    by_id = said(folder, "c", "--id", "who")
    assert by_id.replace("Record c", "Record 3") == said(folder, 3)
    arguments = ["original.parquet", "syn.parquet", *KEYS, "--id", "who"]
    assert "no record of 'original.parquet' has 'x'" in fails(
        "explain", "--record", "x", *arguments, folder=folder
    )
    assert "several records of 'original.parquet' have 'g'" in fails(
        "explain", "--record", "g", *arguments, folder=folder
    )


@pytest.mark.slow
def test_a_record_that_is_none_is_said(folder: Path) -> None:
    for record in ("0", "9", "x", "1.5"):
        message = fails(
            "explain", "--record", record, "original.parquet", "syn.parquet", *KEYS, folder=folder
        )
        assert "has the records 1 to 8" in message
    assert "did you mean" in fails(
        "explain",
        "--record",
        "1",
        "original.parquet",
        "syn.parquet",
        *KEYS,
        "--which",
        "11",
        folder=folder,
    )
    assert "these options need --record" in fails("explain", "DiSCO", *KEYS, folder=folder)
    assert "Name a measure" in fails("explain", folder=folder)


def test_people_of_a_split_file_keep_their_numbers() -> None:
    """The last four of eight were in the synthesis: their numbers are 5 to 8, not 1 to 4."""
    split = pa.table({**ORIGINAL, "part": ["out"] * 4 + ["in"] * 4})
    asked: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"], "split": "part"}

    def explained(record: object, **more: str) -> sqlrisk.Explanation:
        return sqlrisk.explain(
            split, pa.table(SYNTHETIC), record=record, split_in="in", **asked, **more
        )

    for found in (explained(6), explained("f", id="who")):  # M40
        assert (found.records, found.n_orig_class, found.n_syn_class) == (4, 2, 4)
    nobody = r"no record of .* in the synthesis \(part=in\) has "
    for record, more, message in (
        (9, {}, "has the records 1 to 8; got 9"),
        (2, {}, f"{nobody}the number 2\\."),
        ("b", {"id": "who"}, f"{nobody}'b' in the column 'who'\\."),
    ):
        with pytest.raises(sqlrisk.InputError, match=message):
            explained(record, **more)


def test_every_form(folder: Path) -> None:
    arguments = ["explain", "--record", "1", "original.parquet", "syn.parquet", *KEYS]
    document = json.loads(command(*arguments, "--format", "json", folder=folder)[1])
    assert document["disclosive"] is True
    assert document["keys"] == [
        {"key": "sex", "level": "F", "agree_on_others": 3},
        {"key": "age", "level": "30", "agree_on_others": 4},
    ]
    assert document["targets"][0]["correct"] is True
    assert command(*arguments, "--format", "csv", folder=folder)[1].startswith(
        "target,level,cap_original"
    )
    assert (
        "\n## What could be learned: ill\n"
        in command(*arguments, "--format", "markdown", folder=folder)[1]
    )
    assert command(*arguments, "-o", "why.md", folder=folder)[0] == 0
    assert stat.S_IMODE((folder / "why.md").stat().st_mode) == 0o600
    frame = sqlrisk.explain(
        pa.table(ORIGINAL), pa.table(SYNTHETIC), record=1, keys="sex", targets="ill"
    ).to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame["target"].to_list() == ["ill"]


def test_levels_and_names_are_no_signs() -> None:
    original = {"group": ["= 5", "- 1"], "[rare]": ["# 2", "> 3"], "ill": ["{{ 1 }}", "no"]}
    found = sqlrisk.explain(
        pa.table(original),
        {"a\n\n# b": [pa.table(original)]},
        keys=["group", "[rare]"],
        targets=["ill"],
        record=1,
    )
    text = found.to_text(width=120)
    assert "  group   = 5\n  [rare]  # 2\n" in text
    assert "One record in synthesis a\\n\\n# b 1: a replicated unique." in text
    assert "The true level is '{{ 1 }}'." in text
