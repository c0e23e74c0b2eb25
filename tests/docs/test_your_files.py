"""The page "Your files" has an example of every format."""

import re
from pathlib import Path

import every_format

from sqlrisk.inputs.sources import FORMATS, read_source

PAGE = (Path(__file__).resolve().parents[2] / "sqlrisk" / "guide" / "files.md").read_text(
    encoding="utf-8"
)


def test_every_format_has_an_example(tmp_path: Path) -> None:
    every_format.write(tmp_path)
    commands = re.findall(r"^<!-- example -->\n```console\n\$ ([^\n]+)", PAGE, re.MULTILINE)
    named = {
        word
        for command in commands
        for word in command.split()
        if re.match(r"(people|released|register)\.", word)
    }
    kinds = {read_source(tmp_path / name, "the file").kind for name in named}
    assert kinds == {*FORMATS} - {"parquet"}
