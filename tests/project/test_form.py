"""What `sh scripts/check` says of the form of the code."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_each_thing_is_told_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import form

    package, sql = tmp_path / "sqlrisk", tmp_path / "sql"
    package.mkdir()
    sql.mkdir()
    for number in range(form.MODULES + 1):
        (package / f"m{number}.py").write_text('"""A module."""\n')
    for name in ("m1.py", "m2.py"):
        (package / name).write_text('class Band:\n    """Some numbers."""\n')
    glossary = form.GLOSSARY + "|---|\n" + "| word |\n" * (form.WORDS + 1)
    (sql / "README.md").write_text(glossary)
    assert [*form.said(package, sql)] == [
        "sqlrisk: 16 modules; what goes together may have a folder of its own",
        "m1.py, m2.py: each has a class Band",
        "sql/README.md: the glossary has 41 words",
    ]
