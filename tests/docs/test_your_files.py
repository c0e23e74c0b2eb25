"""The page "Your files": each of its examples, over one table in every format, prints what is shown."""

import re
import shutil
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyreadstat
import pytest
from deltalake import write_deltalake
from pyiceberg.catalog.memory import InMemoryCatalog

from sqlrisk.inputs.sources import FORMATS, read_source
from tests.docs.test_readme import prints, run

PAGE = (Path(__file__).resolve().parents[2] / "sqlrisk" / "guide" / "files.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^<!-- example: run over small files -->\n```console\n\$ ([^\n]+)\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE
)
PEOPLE = {"sex": [1, 1, 2, 2, 2, 3], "town": ["Köln", "Köln", "Bonn", "Bonn", "Köln", "Bonn"], "ill": [0, 0, 1, 1, 0, -9]}
RELEASED = {"sex": [1, 1, 2, 2, 3, 3], "town": ["Köln", "Köln", "Bonn", "Bonn", "Köln", "Bonn"], "ill": [0, 0, 1, 1, 0, 1]}
VALUES = {"sex": {1: "Male", 2: "Female"}, "ill": {0: "No", 1: "Yes", -9: "Refused"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    book = openpyxl.Workbook()
    catalog = InMemoryCatalog("tests", warehouse=f"file://{made}/lake")
    catalog.create_namespace("lake")
    for name, columns in (("people", PEOPLE), ("released", RELEASED)):
        table = pd.DataFrame(columns)
        path = str(made / name)
        pyreadstat.write_sav(table, f"{path}.sav", variable_value_labels=VALUES, missing_ranges={"ill": [-9]})
        table.to_stata(f"{path}.dta", write_index=False, value_labels=VALUES, version=118)
        pyreadstat.write_xport(table, f"{path}.xpt", file_format_version=8)
        pyarrow.feather.write_feather(pa.Table.from_pandas(table), f"{path}.feather")
        pyarrow.orc.write_table(pa.Table.from_pandas(table), f"{path}.orc")
        write_deltalake(f"{path}.delta", pa.Table.from_pandas(table))
        lake = catalog.create_table(f"lake.{name}", schema=pa.Table.from_pandas(table).schema)
        lake.append(pa.Table.from_pandas(table))
        shutil.copy(lake.metadata_location.removeprefix("file://"), f"{path}.metadata.json")
        table.assign(share=[0.5, 1.5, 0.5, 0.5, 1.5, 2.5]).to_csv(
            f"{path}.csv", index=False, sep=";", decimal=",", encoding="windows-1252"
        )
        sheet = book.create_sheet(name)
        for row in [list(columns), *zip(*columns.values(), strict=True)]:
            sheet.append(row)
    book.save(made / "register.xlsx")
    return made


@pytest.mark.parametrize("example", EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_prints_what_is_shown(example: tuple[str, str], folder: Path) -> None:
    command, shown = example
    prints(run(command, folder), shown)


def test_every_format_has_an_example(folder: Path) -> None:
    named = {word for command, _ in EXAMPLES for word in command.split() if re.match(r"(people|released|register)\.", word)}
    kinds = {read_source(folder / name, "the file").kind for name in named}
    assert kinds == {*FORMATS} - {"parquet"}
