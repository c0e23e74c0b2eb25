"""A sign-off: recorded beside a result, shown in its pages, and whatever is changed afterwards is
found.
"""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.common.errors import InputError
from tests.inputs.test_policy import ORIGINAL, SCORE, SYNTHETIC, command

BY = "A. <b>Custodian</b>"
DECIDED = [
    "sign", "risk.json", "--decision", "approve-with-conditions", "--by", BY, "--comment",
    "For teaching.",
    "--finding", "DiSCO:income", "--comment", "Two of four are alike.", "--finding=repU",
    "--comment=Known anyway.",
]  # fmt: skip
SIGNED = re.compile(r"<!-- (sign-off|decided) -->.*?<!-- /\1 -->", re.DOTALL)
FILES = ("risk.json", "risk.json.manifest.json", "risk.html", "risk.pdf", "risk.signatures.json")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run, in three forms, of the measures that are signed: those of all have ten times as many
    sheets to print.
    """
    folder = tmp_path_factory.mktemp("run")
    for name, table in (("orig", ORIGINAL), ("syn", SYNTHETIC)):
        pq.write_table(pa.table(table), folder / f"{name}.parquet")
    written = [
        word
        for name in FILES
        if "." in name and name[4:] in (".json", ".html", ".pdf")
        for word in ("-o", name)
    ]
    assert command(folder, *SCORE, "--measures", "repU,DiSCO", *written) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def twice(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That run, signed by two people."""
    folder = tmp_path_factory.mktemp("twice")
    shutil.copytree(run, folder, dirs_exist_ok=True)
    code, out, err = command(folder, *DECIDED)
    assert (code, err) == (0, "")
    assert "1 signature. Nothing signed has changed." in out
    assert sqlrisk.sign(folder / "risk.json", "approve", by="The board").same
    return folder


@pytest.fixture
def here(twice: Path, tmp_path: Path) -> Path:
    shutil.copytree(twice, tmp_path, dirs_exist_ok=True)
    return tmp_path


def held(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_signature_says_who_decided_what_and_holds_what_was_signed(twice: Path) -> None:
    first, second = held(twice / FILES[-1])["signatures"]
    assert (first["decision"], first["by"], first["comment"]) == (
        "approve-with-conditions",
        BY,
        "For teaching.",
    )
    assert first["findings"] == [
        {"finding": "DiSCO:income", "comment": "Two of four are alike."},
        {"finding": "repU", "comment": "Known anyway."},
    ]
    assert [(each["role"], each["name"]) for each in second["files"]] == [
        ("result", "risk.json"), ("manifest", "risk.json.manifest.json"), ("page", "risk.html"),
        ("page", "risk.pdf"),
    ]  # fmt: skip
    assert (first["before"], second["before"]) == (None, first["sha256"])
    code, out, _ = command(twice, "check", "risk.json", "--format", "json")
    found = json.loads(out)
    assert (code, found["same"], found["seal"]) == (0, True, second["sha256"])
    assert {row["outcome"] for row in found["rows"]} == {"same"}


def test_the_pages_show_it(run: Path, twice: Path) -> None:
    from pypdf import PdfReader

    before, after = ((folder / "risk.html").read_text(encoding="utf-8") for folder in (run, twice))
    assert "Nobody has signed this yet." in before
    assert "Nobody has signed this yet." not in after
    for text in (
        "Approved with conditions",
        "A. &lt;b&gt;Custodian&lt;/b&gt;",
        "For teaching.",
        "Two of four are",
        "The board",
    ):
        assert text in after
        assert text not in before
    cut = [SIGNED.sub("", text) for text in (before, after)]
    assert cut[0] == cut[1]  # nothing else of the page changes
    # the last decision is on page one, above the verdict
    first = after.partition("<main")[0]
    assert "<strong>Approved</strong> by The board, " in first
    assert "Approved with conditions" not in first
    assert "by The board" not in before
    printed = " ".join(
        "".join(page.extract_text() for page in PdfReader(twice / "risk.pdf").pages).split()
    )
    assert "Approved with conditions A. <b>Custodian</b>" in printed


def edit_text(old: str, new: str) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        data = path.read_bytes()
        assert old.encode() in data
        path.write_bytes(data.replace(old.encode(), new.encode(), 1))

    return change


def edit_signatures(change: Callable[[list[Any]], object]) -> Callable[[Path], object]:
    def changed(path: Path) -> None:
        document = held(path)
        change(document["signatures"])
        path.write_text(json.dumps(document))

    return changed


EDITS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "a number": ("risk.json", edit_text('"value": 50.0', '"value": 5.0'), "risk.json"),
    "the question": ("risk.json.manifest.json", edit_text('"peak', '"peek'),
        "risk.json.manifest.json"),
    "the page": ("risk.html", edit_text("Approved", "Refused"), "risk.html"),
    "the PDF": ("risk.pdf", edit_text("%%EOF", "%%EOG"), "risk.pdf"),
    "a page is gone": ("risk.pdf", Path.unlink, "risk.pdf"),
    "a comment": (FILES[-1], edit_text("For teaching.", "For all."),
        "signature 1, A. <b>Custodian</b>"),
    "a time": (FILES[-1], edit_signatures(lambda all_of: all_of[1].update(signed="2026-01-01")),
        "signature 2, The board"),
    "the first is gone": (FILES[-1], edit_signatures(lambda all_of: all_of.pop(0)),
        "signature 1, The board"),
    "the last is gone": (FILES[-1], edit_signatures(list.pop), "risk.html; risk.pdf"),
}  # fmt: skip


@pytest.mark.parametrize("edit", few(EDITS, 9))
def test_whatever_is_changed_afterwards_is_named(here: Path, edit: str) -> None:
    name, change, told = EDITS[edit]
    change(here / name)
    found = sqlrisk.signatures(here / "risk.json")
    assert not found.same
    assert "; ".join(str(row[1]) for row in found.changed) == told
    assert f"No longer as signed: {told}." in " ".join(found.to_text(width=200).split())
    with pytest.raises(InputError, match=r"Not as it was signed|come from different runs"):
        sqlrisk.sign(here / "risk.json", "approve", by="B")


def test_a_copy_is_checked_by_its_own_files(here: Path) -> None:
    for name in FILES:
        shutil.copy(here / name, here / name.replace("risk", "final"))
    final = here / "final.json"
    found = sqlrisk.signatures(final)
    assert found.same
    assert [row[1] for row in found.rows][:2] == ["final.json", "final.json.manifest.json"]
    (here / "final.json.manifest.json").write_text("{}", encoding="utf-8")
    final.unlink()
    assert [row[1:3] for row in sqlrisk.signatures(final).changed] == [
        ("final.json", "missing"),
        ("final.json.manifest.json", "changed"),
    ]
    assert command(here, "check", "final.json")[0] == 1
    assert sqlrisk.signatures(here / "risk.json").same


def test_check_says_so_beside_a_policy_and_fails(here: Path) -> None:
    judge = ["check", "risk.json", "--policy", "policy.toml"]
    (here / "policy.toml").write_text('name = "p"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "r"\n')
    assert command(here, *judge)[::2] == (0, "")
    edit_text("Approved", "Refused")(here / "risk.html")
    assert command(here, *judge)[::2] == (1, "Changed since it was signed: risk.html is changed.\n")
    code, out, _ = command(here, "check", "risk.json")
    assert (code, out.splitlines()[2]) == (1, "No longer as signed: risk.html.")


REFUSED = {
    "nobody signs": (["--by", " ", "--decision", "approve"], "Say who signs: --by NAME."),
    "no conditions": (["--by", "B", "--decision", "approve-with-conditions"], "Say the conditions"),
    "nothing is decided": (["--by", "B"], "Give the decision (--decision)"),
    "a comment on nothing": (
        ["--by", "B", "--comment", "c"],
        "A comment without a finding is about the decision",
    ),
    "no such finding": (
        ["--by", "B", "--finding", "DiSCO:incom", "--comment", "c"],
        "The result has no finding 'DiSCO:incom' (did you mean 'DiSCO:income'",
    ),
    "a comment too many": (
        ["--by", "B", "--finding", "repU", "--comment", "c", "--comment", "d"],
        "each --finding once, followed by its --comment",
    ),
    "an empty comment": (
        ["--by", "B", "--finding", "repU", "--comment", " "],
        "Comment on the finding 'repU'",
    ),
}


@pytest.mark.parametrize("words", few(REFUSED))
def test_what_is_no_signature_is_refused_and_nothing_is_written(here: Path, words: str) -> None:
    given, message = REFUSED[words]
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    code, out, err = command(here, "sign", "risk.json", *given)
    assert (code, out) == (2, "")
    assert message in err
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_a_run_does_not_replace_what_is_signed(here: Path) -> None:
    sqlrisk.sign(here / "risk.json", "approve", by="B")
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    asked = ["score", "orig.parquet", "syn.parquet", "--keys", "sex", "--measures", "repU"]
    for output in ("risk.json", "risk.html"):
        code, out, err = command(here, *asked, "-o", "new.csv", "-o", output)
        assert (code, out) == (2, "")
        assert f"'{output}' is signed (risk.signatures.json). Write to another name" in err
    report = sqlrisk.score(here / "orig.parquet", here / "syn.parquet", keys="sex", measures="repU")
    with pytest.raises(InputError, match=r"risk\.json' is signed"):
        report.to_json(here / "risk.json")
    with pytest.raises(InputError, match="is not a file; name one"):
        report.to_json(Path())
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before
    assert command(here, *asked, "-o", "risk.csv") == (0, "", "")  # no signature holds it


@pytest.mark.slow
def test_a_page_with_other_population_uniques_is_of_another_run(run: Path, tmp_path: Path) -> None:
    for name in ("orig.parquet", "syn.parquet"):
        shutil.copy(run / name, tmp_path)
    for share, *outputs in (("0.5", "-o", "risk.html"), ("0.01",)):
        asked = [*SCORE, "--measures", "repU", "--sampled", share, "-o", "risk.json", *outputs]
        assert command(tmp_path, *asked) == (0, "", "")
    with pytest.raises(InputError, match=r"risk\.html is not the page of this result"):
        sqlrisk.sign(tmp_path / "risk.json", "approve", by="B")
    assert command(tmp_path, *asked, "-o", "risk.html") == (0, "", "")
    assert sqlrisk.sign(tmp_path / "risk.json", "approve", by="B").same


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    few([(("--policy", "lax.toml"), ("--policy", "strict.toml")), ((), ("--copied", "90"))], 1),
)
def test_a_page_with_other_verdicts_is_of_another_run(
    run: Path, tmp_path: Path, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    for name in ("orig.parquet", "syn.parquet"):
        shutil.copy(run / name, tmp_path)
    for name, limit in (("lax", 100), ("strict", 1)):
        rule = f'name = "p"\n[[rule]]\nrule = "DiSCO <= {limit}"\nreason = "r"\n'
        (tmp_path / f"{name}.toml").write_text(rule)
    asked = [*SCORE, "--measures", "repU,DiSCO", "-q", "-o", "risk.json"]
    assert command(tmp_path, *asked, *one, "-o", "risk.html")[0] == 0
    manifest = tmp_path / "risk.json.manifest.json"
    numbers, of_page = held(manifest)["results_sha256"], manifest.read_bytes()
    command(tmp_path, *asked, *other)
    assert held(manifest)["results_sha256"] == numbers
    with pytest.raises(InputError, match=r"risk\.html is not the page of this result"):
        sqlrisk.sign(tmp_path / "risk.json", "approve", by="B")
    manifest.write_bytes(of_page)
    with pytest.raises(InputError, match=r"come from different runs"):
        sqlrisk.sign(tmp_path / "risk.json", "approve", by="B")
    assert command(tmp_path, *asked, *one)[0] == 0
    assert sqlrisk.sign(tmp_path / "risk.json", "approve", by="B").same


def test_what_an_earlier_version_wrote_is_signed_by_its_numbers(run: Path, tmp_path: Path) -> None:
    shutil.copy(run / "risk.json", tmp_path)
    page = (run / "risk.html").read_text(encoding="utf-8")
    former = re.sub('<meta name="sqlrisk-verdicts".*\n', "", page)
    assert former != page
    (tmp_path / "risk.html").write_text(former, encoding="utf-8")
    manifest = held(run / "risk.json.manifest.json")
    del manifest["verdicts_sha256"]
    (tmp_path / "risk.json.manifest.json").write_text(json.dumps(manifest))
    assert sqlrisk.sign(tmp_path / "risk.json", "approve", by="B").same


@pytest.mark.slow
def test_what_does_not_belong_together_is_refused(run: Path, here: Path) -> None:
    (here / FILES[-1]).unlink()
    for output in ("other.json", "risk.html"):
        assert command(
            here, "score", "orig.parquet", "syn.parquet", "--keys", "sex", "-o", output
        ) == (0, "", "")
    shutil.copy(here / "other.json.manifest.json", here / "risk.json.manifest.json")
    with pytest.raises(
        InputError, match=r"risk\.json\.manifest\.json and risk\.json come from different runs"
    ):
        sqlrisk.sign(here / "risk.json", "approve", by="B")
    shutil.copy(run / "risk.json.manifest.json", here)
    with pytest.raises(InputError, match=r"risk\.html is not the page of this result"):
        sqlrisk.sign(here / "risk.json", "approve", by="B")
    (here / "risk.html").unlink()
    (here / "risk.pdf").write_bytes(b"%PDF-1.7 no PDF")
    with pytest.raises(InputError, match=r"'risk\.pdf' is no PDF of sqlrisk"):
        sqlrisk.sign(here / "risk.json", "approve", by="B")
    (here / "risk.pdf").unlink()
    # a result and its manifest are enough
    assert sqlrisk.sign(here / "risk.json", "refuse", by="B").same
    (here / FILES[-1]).write_text('{"signatures": [{}]}')
    with pytest.raises(InputError, match="holds no signatures"):
        sqlrisk.signatures(here / "risk.json")
    (here / FILES[-1]).unlink()
    for ask in (
        sqlrisk.signatures,
        lambda path: sqlrisk.sign(here / "risk.json.manifest.json", "approve", by="B"),
    ):
        with pytest.raises(InputError, match=r"Nobody has signed|is not a result"):
            ask(here / "risk.json")


def test_a_page_with_a_suffix_in_capitals_is_signed_and_checked(run: Path, tmp_path: Path) -> None:
    for name in ("risk.json", "risk.json.manifest.json"):
        shutil.copy(run / name, tmp_path)
    page = Path(shutil.copy(run / "risk.html", tmp_path / "risk.HTML"))
    signed = sqlrisk.sign(tmp_path / "risk.json", "approve", by="The board")
    assert [each["name"] for each in signed.signatures[0]["files"]][2:] == ["risk.HTML"]
    assert "The board" in page.read_text(encoding="utf-8")
    edit_text("Approved", "Refused")(page)
    assert [row[:3] for row in sqlrisk.signatures(tmp_path / "risk.json").changed] == [
        ("page", "risk.HTML", "changed")
    ]
    with pytest.raises(InputError, match=r"risk\.HTML' is a page: sign the JSON file"):
        sqlrisk.sign(page, "approve", by="The board")


@pytest.mark.parametrize("name", ["risk.json", ".", ""])
def test_check_of_a_result_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    status, printed, error = command(tmp_path, "check", name)
    assert (status, printed) == (2, "")
    assert f"There is no file {name!r}." in error
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"Nobody has signed '{re.escape(name)}'"):
        sqlrisk.signatures(name)


@pytest.mark.slow
def test_an_external_report_is_signed_with_the_manifest_that_leaves_with_it(here: Path) -> None:
    for path in here.glob("risk.*"):
        path.unlink()
    assert (
        command(here, *SCORE, "--report", "external", "--threshold", "3", "-o", "risk.json")[0] == 0
    )
    assert [
        each["name"]
        for each in sqlrisk.sign(here / "risk.json", "approve", by="B").signatures[0]["files"]
    ] == [
        "risk.json",
        "risk.json.external-manifest.json",
    ]


def test_what_cannot_be_signed_says_which_file_to_sign_and_what_writes_it(
    run: Path, tmp_path: Path
) -> None:
    both = r"sqlrisk score \.\.\. -o risk\.json -o risk\.html"
    for page in ("risk.html", "risk.pdf"):
        with pytest.raises(InputError, match=rf"is a page: sign the JSON file .*{both}"):
            sqlrisk.sign(run / page, "approve", by="The board")
    shutil.copy(run / "risk.json", tmp_path)
    for name, way in (("risk.json", r"json\.dumps\(report\.manifest"), ("no.json", "-o risk.json")):
        with pytest.raises(InputError, match=f"No such file or directory; .*{way}"):
            sqlrisk.sign(tmp_path / name, "approve", by="The board")
    code, _, err = command(tmp_path, "check", "risk.json")
    assert (code, "Nobody has signed risk.json, so there is no signature" in err) == (2, True)


@pytest.mark.slow
def test_an_approval_against_the_policy_and_decisions_that_differ_are_said(
    run: Path, tmp_path: Path
) -> None:
    for name in ("orig.parquet", "syn.parquet"):
        shutil.copy(run / name, tmp_path)
    (tmp_path / "policy.toml").write_text(
        'name = "Board"\n[[rule]]\nrule = "DiSCO <= 1"\nreason = "r"\n', encoding="utf-8"
    )
    words = ("--measures", "DiSCO", "--policy", "policy.toml", "-o", "risk.json")
    assert command(tmp_path, *SCORE, *words)[0] == 1
    last = "The decisions differ; the last one counts: Refused."
    for decision, told, told_twice in (
        ("approve", "The policy is not met: the verdict of 'Board' is 'fail'.\n", False),
        ("refuse", "", True),
    ):
        code, out, err = command(
            tmp_path, "sign", "risk.json", "--decision", decision, "--by", "The board"
        )
        assert (code, err, last in " ".join(out.split())) == (0, told, told_twice)
    assert last in " ".join(command(tmp_path, "check", "risk.json")[1].split())
