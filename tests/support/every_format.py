"""Write two small tables in every format that sqlrisk reads, for the examples of the page "Your
files".
"""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyreadstat

PEOPLE = {
    "sex": [1, 1, 2, 2, 2, 3],
    "town": ["Köln", "Köln", "Bonn", "Bonn", "Köln", "Bonn"],
    "ill": [0, 0, 1, 1, 0, -9],
}
RELEASED = {
    "sex": [1, 1, 2, 2, 3, 3],
    "town": ["Köln", "Köln", "Bonn", "Bonn", "Köln", "Bonn"],
    "ill": [0, 0, 1, 1, 0, 1],
}
VALUES: Any = {"sex": {1: "Male", 2: "Female"}, "ill": {0: "No", 1: "Yes", -9: "Refused"}}


def write(folder: Path) -> None:
    """Write the tables people and released: a file for each format, and one workbook with both."""
    import openpyxl
    from deltalake import write_deltalake
    from pyiceberg.catalog.memory import InMemoryCatalog

    book = openpyxl.Workbook()
    catalog = InMemoryCatalog("tests", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("lake")
    for name, columns in (("people", PEOPLE), ("released", RELEASED)):
        table = pd.DataFrame(columns)
        path = str(folder / name)
        pyreadstat.write_sav(
            table, f"{path}.sav", variable_value_labels=VALUES, missing_ranges={"ill": [-9]}
        )
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
    book.save(folder / "register.xlsx")
