"""Delta and Iceberg tables, written by their libraries: the numbers of the same records, of one
version, told by its id.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from objects import S3

import sqlrisk
from tests.inputs.test_objects import (
    SYNTHETIC,
    folder,
    numbers,
    parquet,
    people,
    refusal,
    scored,
    store,
)

__all__ = ["folder", "store"]  # fixtures

RECORDS = people(1).select(["town", "age", "ill", "noise"])
NOT_BONN = RECORDS.filter(pc.not_equal(RECORDS["town"], "Bonn"))
LATER = people(4).select(["town", "age", "ill", "noise"])


def expected(records: pa.Table) -> tuple[object, ...]:
    pq.write_table(records, "expected.parquet")
    return numbers(scored("expected.parquet", SYNTHETIC))


def delta(place: str) -> str:
    """Write a Delta table with parts by town, from which the records of Bonn were deleted."""
    write_deltalake(place, RECORDS.slice(0, 2000), partition_by=["town"])
    write_deltalake(place, RECORDS.slice(2000), mode="append")
    DeltaTable(place).delete("town = 'Bonn'")
    return place


def iceberg(place: str, records: pa.Table = RECORDS, **properties: str) -> Any:
    """Write an Iceberg table in two pieces."""
    from pyiceberg.catalog.memory import InMemoryCatalog

    # Without a region, pyiceberg asks the internet for it. Offline, that takes seconds.
    properties = {"s3.region": "us-east-1", **properties}
    catalog = InMemoryCatalog("tests", warehouse=place, **properties)
    catalog.create_namespace("lake")
    table = catalog.create_table("lake.people", schema=records.schema)
    table.append(records.slice(0, 2000))
    table.append(records.slice(2000))
    return table


def metadata(table: Any) -> str:
    """Where an Iceberg table says what it is now."""
    return str(table.metadata_location).removeprefix("file://")


def test_a_delta_table(store: S3) -> None:
    right = expected(NOT_BONN)
    for place in (delta("here"), delta("s3://people/there")):
        report = scored(place, SYNTHETIC)
        assert numbers(report) == right
        assert numbers(scored(DeltaTable(place), SYNTHETIC)) == right
        given = report.manifest()["inputs"][0]
        assert [given[name] for name in ("name", "version", "bytes", "sha256")] == [
            place,
            "2",
            None,
            None,
        ]


def test_an_iceberg_table(store: S3, folder: Path) -> None:
    right = expected(NOT_BONN)
    for table in (
        iceberg(f"file://{folder}/here"),
        iceberg("s3://people/there", **{"s3.endpoint": store.address}),
    ):
        table.delete("town == 'Bonn'")
        report = scored(metadata(table), SYNTHETIC)
        assert numbers(report) == right
        assert numbers(scored(table, SYNTHETIC)) == right
        given = report.manifest()["inputs"][0]
        assert [given[name] for name in ("name", "version")] == [
            metadata(table),
            str(table.current_snapshot().snapshot_id),
        ]


def test_two_versions_of_one_table() -> None:
    write_deltalake("here", RECORDS)
    write_deltalake("here", LATER, mode="overwrite")
    first, second = (DeltaTable("here", version=number) for number in (0, 1))
    right = scored(RECORDS, LATER).results
    assert scored(first, second).results == right
    assert scored(RECORDS, RECORDS).results != right


@pytest.mark.slow
def test_a_run_reads_one_version(store: S3, folder: Path) -> None:
    """What is written while it runs is none of it."""
    right = expected(RECORDS)
    write_deltalake("here", RECORDS)
    table = iceberg(f"file://{folder}/lake")
    place, later = metadata(table), []

    def write(*_: object) -> None:
        if not later:
            later.append("written")
            write_deltalake("here", LATER, mode="overwrite")
            table.overwrite(LATER)

    assert scored("here", place, progress=write).results == scored(RECORDS, RECORDS).results
    assert later
    assert numbers(scored(place, SYNTHETIC)) == right
    assert (
        numbers(scored("here", SYNTHETIC))
        == numbers(scored(metadata(table), SYNTHETIC))
        == expected(LATER)
    )


@pytest.mark.slow
def test_a_rerun_tells_that_the_table_is_another(store: S3) -> None:
    write_deltalake("here", RECORDS)
    Path("a.manifest.json").write_text(
        json.dumps(scored("here", SYNTHETIC).manifest()), encoding="utf-8"
    )
    assert sqlrisk.rerun("a.manifest.json").same
    write_deltalake("here", LATER, mode="overwrite")
    told: list[str] = []
    assert not sqlrisk.rerun("a.manifest.json", tell=told.append).same
    assert told == ["Changed since: original: here"]


def test_the_asked_columns_alone_are_read(store: S3) -> None:
    records = people(1, 20_000).select(RECORDS.column_names)
    write_deltalake("s3://people/delta", records)
    place = metadata(iceberg("s3://people/there", records, **{"s3.endpoint": store.address}))
    for address, prefix in (
        ("s3://people/delta", "/people/delta/part-"),
        (place, "/people/there/lake/people/data/"),
    ):
        store.asked.clear()
        scored(address, SYNTHETIC)
        spans = [each.span for each in store.asked if each.span and each.path.startswith(prefix)]
        assert 0 < sum(end - start for start, end in spans) < len(parquet(records)) / 3


def test_what_is_no_table(store: S3, folder: Path) -> None:
    place = metadata(iceberg(f"file://{folder}/lake"))
    assert "is the folder of an Iceberg table; name its current metadata file" in refusal(
        "lake", SYNTHETIC
    )
    Path("broken/_delta_log").mkdir(parents=True)
    Path("broken/_delta_log/00000000000000000000.json").write_text("{}", encoding="utf-8")
    assert "The Delta table 'broken' cannot be opened (" in refusal("broken", SYNTHETIC)
    Path("x.metadata.json").write_text("{}", encoding="utf-8")
    assert "The Iceberg table 'x.metadata.json' cannot be opened (" in refusal(
        "x.metadata.json", SYNTHETIC
    )
    for file in Path("lake").rglob("*.parquet"):
        file.unlink()
    said = f"The Iceberg table {place!r} cannot be read: the table uses a feature"
    assert said in refusal(place, SYNTHETIC)


def test_an_iceberg_table_reads_no_address_that_nobody_typed(store: S3) -> None:
    place = metadata(iceberg("s3://people/there", **{"s3.endpoint": store.address}))
    data = (
        store.client()
        .get_object(Bucket="people", Key=place.removeprefix("s3://people/"))["Body"]
        .read()
    )
    Path("copy.metadata.json").write_bytes(data)
    store.asked.clear()
    assert refusal("copy.metadata.json", SYNTHETIC) == (
        "The Iceberg table 'copy.metadata.json' has files elsewhere, at s3://people: give the "
        "address of its metadata there."
    )
    assert store.asked == []


@pytest.mark.slow
def test_an_iceberg_table_names_no_server(store: S3, silent_port: int) -> None:
    table = iceberg("s3://people/there", **{"s3.endpoint": store.address})
    key = metadata(table).removeprefix("s3://people/")
    told = json.loads(store.client().get_object(Bucket="people", Key=key)["Body"].read())
    told["properties"] |= {
        "s3.endpoint": f"http://127.0.0.1:{silent_port}",
        "py-io-impl": "nobody.Knows",
    }
    store.put(key, json.dumps(told).encode())
    assert numbers(scored(metadata(table), SYNTHETIC)) == expected(RECORDS)


def test_what_a_library_that_is_missing_needs(store: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    delta("here")
    monkeypatch.setitem(sys.modules, "deltalake", None)
    said = refusal("here", SYNTHETIC)
    assert said.startswith(
        "The Delta table 'here' needs the package deltalake: pip install 'deltalake"
    )
