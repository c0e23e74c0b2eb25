"""Objects: the numbers of local files, each needed byte read once, and one message for what cannot
be read.
"""

import _thread
import gzip
import io
import itertools
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from objects import S3, Asked, Web, https, s3
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.audit import fingerprint_of
from sqlrisk.cli.main import main

ORIGINAL, SYNTHETIC = "original.parquet", "synthetic.parquet"
SECRET = "Kowalska"


@cache
def people(seed: int, records: int = 3000) -> pa.Table:
    """People among whose columns some are large and cannot be packed."""
    some = np.random.default_rng(seed)
    return pa.table(
        {
            "noise": [some.bytes(40).hex() for _ in range(records)],
            "town": some.choice(["Aš", "Bonn", "Köln", SECRET], records),
            "more": some.random(records),
            "age": some.integers(0, 90, records),
            "ill": pa.array(some.choice(["yes", "no"], records), mask=some.random(records) < 0.1),
            "last": [some.bytes(40).hex() for _ in range(records)],
        }
    )


@cache
def written(seed: int, *columns: str) -> bytes:
    """People in a Parquet file."""
    return parquet(people(seed).select([*columns]) if columns else people(seed))


def parquet(table: pa.Table) -> bytes:
    written = io.BytesIO()
    pq.write_table(table, written, row_group_size=1000)
    return written.getvalue()


def csv(table: pa.Table, encoding: str = "utf-8") -> bytes:
    rows = [
        ",".join("" if value is None else str(value) for value in row.values())
        for row in table.to_pylist()
    ]
    return "\n".join([",".join(table.column_names), *rows, ""]).encode(encoding)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[S3]:
    """A server with the files that are in the folder, too."""
    with s3() as server:
        put(server, ORIGINAL, written(1))
        # score compares what both files have
        put(server, SYNTHETIC, written(2, "town", "age", "ill"))
        yield server


@pytest.fixture
def web(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    with https(folder / "authority.pem") as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
        yield server


def put(server: S3, name: str, data: bytes) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(data)
    server.put(name, data)


def scored(original: Any, synthetic: Any, **more: Any) -> sqlrisk.Report:
    asked = {"keys": ["town", "age"], "targets": ["ill"], "measures": ["iS", "repU", "DiSCO"]}
    return sqlrisk.score(original, synthetic, **{**asked, **more})


def numbers(report: sqlrisk.Report) -> tuple[object, ...]:
    return (
        report.results,
        report.checks,
        report.assessment,
        [each["records"] for each in (report.original, *report.synthetic)],
    )


def refusal(original: Any, synthetic: Any = "s3://people/synthetic.parquet", **more: Any) -> str:
    with pytest.raises(sqlrisk.InputError) as caught:
        scored(original, synthetic, **more)
    assert SECRET not in str(caught.value)
    return str(caught.value)


# ---- the numbers of local files
# --------------------------------------------------------------------------------------


def test_a_file(store: S3) -> None:
    assert numbers(
        scored("s3://people/original.parquet", "s3://people/synthetic.parquet")
    ) == numbers(scored(ORIGINAL, SYNTHETIC))


@pytest.mark.parametrize(
    ("name", "more"),
    few(
        [
            ("a.csv", {}),
            ("a.csv.gz", {}),
            ("a.tsv.zst", {}),
            ("a.txt", {"encoding": {"original": "utf-16"}}),
        ],
        2,
    ),
    ids=["as it is", "gzip", "zstd", "another encoding"],
)
def test_a_csv_file(store: S3, name: str, more: dict[str, Any]) -> None:
    data = csv(people(1), "utf-16" if more else "utf-8")
    if name.endswith(".gz"):
        data = gzip.compress(data)
    elif name.endswith(".zst"):
        data = pa.compress(data.replace(b",", b"\t"), "zstd", asbytes=True)
    put(store, name, data)
    assert numbers(scored(f"s3://people/{name}", SYNTHETIC, **more)) == numbers(
        scored(name, SYNTHETIC, **more)
    )


def test_a_file_that_duckdb_does_not_read(store: S3) -> None:
    with io.BytesIO() as file:
        ordered = people(1).set_column(1, "town", people(1)["town"].dictionary_encode())
        with pa.ipc.new_file(file, ordered.schema) as writer:
            writer.write_table(ordered.unify_dictionaries())
        put(store, "a.feather", file.getvalue())
    assert numbers(scored("s3://people/a.feather", SYNTHETIC)) == numbers(
        scored(ORIGINAL, SYNTHETIC)
    )


def test_a_workbook_of_several_sheets_is_named_by_its_address(store: S3) -> None:
    book = openpyxl.Workbook()
    book.create_sheet("people")
    with io.BytesIO() as file:
        book.save(file)
        put(store, "book.xlsx", file.getvalue())
    assert refusal("s3://people/book.xlsx").endswith(
        "has the sheets 'Sheet', 'people': name one of them, as in s3://people/book.xlsx#Sheet."
    )


NAMED = ["parts", "parts/", "parts/*/*.parquet", "parts/**/*.parquet", "parts/town=[AB]*/?.parquet"]


@pytest.mark.parametrize("named", some(["parts/town=[AB]*/?.parquet"], NAMED))
def test_a_folder_and_globs(store: S3, named: str) -> None:
    whole = people(1)
    for town, number in itertools.product(["Aš", "Bonn", "Köln"], range(2)):
        rows = (
            whole.filter(pa.compute.equal(whole["town"], town))
            .slice(100 * number, 100)
            .drop_columns(["town"])
        )
        put(store, f"parts/town={town}/{number}.parquet", parquet(rows))
    if "*" not in named:
        put(store, "parts/_temporary/0.parquet", b"unfinished")
        put(store, "parts/read.me", b"x")
    question = {"keys": ["age"] if "*" in named else ["town", "age"]}
    local = scored(named, SYNTHETIC, **question)
    assert numbers(scored(f"s3://people/{named}", SYNTHETIC, **question)) == numbers(local)
    methods = {"cart": f"s3://people/{named}"}
    syntheses = [each["synthesis"] for each in scored(ORIGINAL, methods, keys=["age"]).synthetic]
    assert len(syntheses) == (len(list(Path().glob(named))) if "*" in named else 1)


def test_parts_whose_types_differ_are_named_by_their_address(store: S3) -> None:
    put(store, "parts/a.parquet", parquet(people(1)))
    put(store, "parts/b.parquet", parquet(people(1).set_column(3, "age", [["x"] * 3000])))
    message = refusal("s3://people/parts")
    assert message.replace("s3://people/", "") == refusal("parts", SYNTHETIC)
    assert "'s3://people/parts/a.parquet'" in message


@pytest.mark.parametrize(
    "name", few(["it's.parquet", "a b%20c+ü.parquet", "[1]*.parquet", "=/a=b/x=.parquet"], 4)
)
def test_any_name_of_an_object(store: S3, name: str, folder: Path) -> None:
    before = {*folder.parent.rglob("*")}
    store.put(name, parquet(people(1)))
    assert numbers(scored(f"s3://people/{name}", SYNTHETIC)) == numbers(scored(ORIGINAL, SYNTHETIC))
    assert {*folder.parent.rglob("*")} == before


COMMANDS = {
    "cells": ("cells", "DiSCO"),
    "inspect": ("inspect",),
    "uniques": ("uniques",),
    "attack": ("attack",),
}


@pytest.mark.parametrize("command", few(COMMANDS, 2))
def test_what_commands_say(store: S3, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*files: str) -> str:
        asked = ["--keys", "town,age", *(["--targets", "ill"] if command != "uniques" else [])]
        assert (
            main(
                [
                    *COMMANDS[command],
                    *(files[:1] if command == "uniques" else files),
                    *asked,
                    "-q",
                    "--format",
                    "markdown",
                ]
            )
            == 0
        )
        return capsys.readouterr().out

    there = said("s3://people/original.parquet", "s3://people/synthetic.parquet")
    assert there.replace("s3://people/", "") == said(ORIGINAL, SYNTHETIC)


@pytest.mark.slow
def test_rows_have_the_numbers_of_their_records(store: S3) -> None:
    def rows(original: str, synthetic: str, output: str) -> pa.Table:
        sqlrisk.records(original, synthetic, keys=["town", "age"], targets=["ill"], output=output)
        return pq.read_table(output)

    addresses = ("s3://people/original.parquet", "s3://people/synthetic.parquet")
    assert rows(*addresses, "there.parquet").equals(rows(ORIGINAL, SYNTHETIC, "here.parquet"))


# ---- what is read
# --------------------------------------------------------------------------------------------------


def columns_of(data: bytes) -> dict[str, list[range]]:
    """Where a Parquet file holds each column."""
    footer = pq.read_metadata(io.BytesIO(data))
    found: dict[str, list[range]] = {}
    for group, place in itertools.product(range(footer.num_row_groups), range(footer.num_columns)):
        chunk = footer.row_group(group).column(place)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        found.setdefault(chunk.path_in_schema, []).append(
            range(start, start + chunk.total_compressed_size)
        )
    return found


def test_of_parquet_the_asked_columns_alone_are_read_and_once(store: S3) -> None:
    data = Path(ORIGINAL).read_bytes()
    scored("s3://people/original.parquet", "s3://people/synthetic.parquet")
    asked = store.spans("/original.parquet")
    read = np.zeros(len(data), dtype=int)
    for start, end in asked:
        read[start:end] += 1
    footer = int.from_bytes(data[-8:-4], "little") + 8
    assert read.max() == 1
    assert read[-footer:].all()
    for name, places in columns_of(data).items():
        inside = np.concatenate([read[place.start : place.stop] for place in places])
        if name in ("town", "age", "ill"):
            assert inside.all()
        elif name == "noise":
            assert not inside.any()
    assert read.sum() < len(data) / 3


@pytest.mark.slow
def test_requests_are_small_and_few_at_a_time(store: S3) -> None:
    """What waits in memory is what is answered at a time, whatever the size of the object."""
    put(store, "large.csv", csv(people(1, 150_000)))
    scored("s3://people/large.csv", SYNTHETIC)
    sizes = [end - start for start, end in store.spans("/large.csv")]
    assert sum(sizes) >= Path("large.csv").stat().st_size > 20_000_000
    assert max(sizes) <= 2**22
    assert 1 < store.together <= 8


def test_nothing_else_is_asked(store: S3) -> None:
    scored("s3://people/original.parquet", SYNTHETIC)
    assert {each.path for each in store.asked if each.method != "PUT"} <= {
        "/people/original.parquet"
    }


def test_what_is_fetched_is_its_owners_alone_and_gone_afterwards(store: S3) -> None:
    Path("private").mkdir()
    modes: set[int] = set()
    store.before = lambda _: modes.update(
        path.stat().st_mode & 0o777 for path in Path("private").rglob("*.parquet")
    )
    scored(
        "s3://people/original.parquet", "s3://people/synthetic.parquet", temp_directory="private"
    )
    assert modes == {0o600}
    assert not [*Path("private").iterdir()]


def test_ctrl_c_while_objects_are_fetched(store: S3) -> None:
    Path("private").mkdir()
    change(store, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        scored("s3://people/original.parquet", SYNTHETIC, temp_directory="private")
    assert not [*Path("private").iterdir()]


# ---- an object that changes
# ------------------------------------------------------------------------------------------


def change(server: S3 | Web, how: Any) -> None:
    """Do something before the second piece of the original is answered."""
    answered = itertools.count()

    def before(asked: Asked) -> None:
        if (
            asked.path.endswith("original.parquet")
            and asked.method == "GET"
            and asked.span
            and next(answered) == 1
        ):
            how()

    server.before = before


def test_an_object_that_changes_during_the_run(store: S3) -> None:
    change(store, lambda: store.put("original.parquet", parquet(people(3))))
    message = refusal("s3://people/original.parquet")
    assert message == (
        "The input 's3://people/original.parquet' changed during the run. Run again when "
        "nothing writes to it."
    )


def test_an_object_that_is_removed_during_the_run(store: S3) -> None:
    change(store, lambda: store.client().delete_object(Bucket="people", Key="original.parquet"))
    assert "'s3://people/original.parquet' was removed since the run began" in refusal(
        "s3://people/original.parquet"
    )


def test_a_manifest_tells_the_version_and_a_rerun_whether_it_is_another(store: S3) -> None:
    report = scored("s3://people/original.parquet", "s3://people/synthetic.parquet")
    manifest: dict[str, Any] = report.manifest()
    version = store.client().head_object(Bucket="people", Key="original.parquet")["ETag"].strip('"')
    assert {
        name: manifest["inputs"][0][name] for name in ("name", "bytes", "sha256", "version")
    } == {
        "name": "s3://people/original.parquet",
        "bytes": Path(ORIGINAL).stat().st_size,
        "sha256": None,
        "version": version,
    }
    # the private folder
    assert "sqlrisk-" not in json.dumps([each["text"] for each in manifest["sql"]])
    Path("a.manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert sqlrisk.rerun("a.manifest.json").same
    store.put("original.parquet", parquet(people(3)))
    told: list[str] = []
    assert not sqlrisk.rerun("a.manifest.json", tell=told.append).same
    assert told == ["Changed since: original: s3://people/original.parquet"]


# ---- what cannot be read
# ---------------------------------------------------------------------------------------------


def test_all_syntheses_that_cannot_be_read_are_told_together(store: S3) -> None:
    methods = {"cart": "s3://people/nobody*.parquet", "forest": "nobody.parquet", "none": []}
    with pytest.raises(sqlrisk.InputError) as found:
        sqlrisk.score(ORIGINAL, methods, keys=["sex"])
    assert [problem.split(" '")[0] for problem in found.value.problems] == [
        "No object matches",
        "There is no file",
        "Synthesis",
    ]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("s3://people/nobody.parquet", "There is no object 's3://people/nobody.parquet'."),
        ("s3://people/nobody*.parquet", "No object matches 's3://people/nobody*.parquet'."),
        (
            "s3://nowhere/original.parquet",
            "There is no object 's3://nowhere/original.parquet': there is no such bucket.",
        ),
        (
            "s3://key:word@people/original.parquet",
            "An address of people holds a user, a password or a query",
        ),
        ("https://host/a.csv?token=word", "An address of host holds a user, a password or a query"),
        pytest.param(
            "http://host/a.csv?token=word",
            "An address of host holds a user, a password or a query",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "HTTPS://host?token=word",
            "An address of host holds a user, a password or a query",
            marks=pytest.mark.slow,
        ),
        ("sftp://me:word@host/a.csv", "An address of host holds a user, a password or a query"),
        ("https://host/folder/", "'https://host/folder/' is not a file"),
        (
            "s3a://people/original.parquet",
            "is not an address that sqlrisk can read; it reads s3://, gs://, az://, https://.",
        ),
        ("http://people/original.parquet", "is not an address that sqlrisk can read"),
        ("az://people/original.parquet", "set AZURE_STORAGE_ACCOUNT."),
    ],
)
def test_an_address_that_cannot_be_read(
    store: S3, address: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT", raising=False)
    message = refusal(address)
    assert words in message
    assert "word@" not in message
    assert "=word" not in message


def test_who_may_not_read(store: S3) -> None:
    refused = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::people/*",
    }
    store.client().put_bucket_policy(
        Bucket="people", Policy=json.dumps({"Version": "2012-10-17", "Statement": [refused]})
    )
    message = refusal("s3://people/original.parquet")
    assert message.startswith(
        "The input 's3://people/original.parquet' cannot be read: the credentials that are set "
        "may not read it"
    )


def test_no_server(store: S3, silent_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent_port}")
    assert "cannot be read: the server there did not answer as expected." in refusal(
        "s3://people/original.parquet", SYNTHETIC
    )


def test_a_broken_object(store: S3) -> None:
    for name, data in (
        ("cut.parquet", Path(ORIGINAL).read_bytes()[:-50]),
        ("tiny.parquet", b"x"),
        ("empty.parquet", b""),
    ):
        put(store, name, data)
        message = refusal(f"s3://people/{name}")
        assert message.replace("s3://people/", "") == refusal(name, SYNTHETIC)


# ---- https
# --------------------------------------------------------------------------------------------------


def test_https(store: S3, web: Web) -> None:
    web.files = {
        "/a/original.parquet": Path(ORIGINAL).read_bytes(),
        "/synthetic.csv": csv(pq.read_table(SYNTHETIC)),
    }
    Path("synthetic.csv").write_bytes(web.files["/synthetic.csv"])
    given = f"{web.address}/a/original.parquet", f"{web.address}/synthetic.csv"
    assert numbers(scored(*given)) == numbers(scored(ORIGINAL, "synthetic.csv"))
    assert (
        sum(end - start for start, end in web.spans("/a/original.parquet"))
        < len(web.files["/a/original.parquet"]) / 3
    )


def test_https_that_changes_during_the_run(store: S3, web: Web) -> None:
    web.files["/original.parquet"] = Path(ORIGINAL).read_bytes()
    change(web, lambda: web.files.update({"/original.parquet": parquet(people(3))}))
    assert "/original.parquet' changed during the run" in refusal(
        f"{web.address}/original.parquet", SYNTHETIC
    )


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((404, {}), "there is no such file."),
        ((403, {}), "its server denies access."),
        (
            (302, {"Location": "https://elsewhere.example.org/b.csv?token=word"}),
            "its server redirects to elsewhere.example.org; name that address.",
        ),
        ((200, {}), "its server does not send parts of a file. Copy it to this machine."),
        ((500, {}), "its server answers 500."),
    ],
)
def test_what_a_web_server_answers(
    web: Web, answer: tuple[int, dict[str, str]], words: str
) -> None:
    web.files["/a.csv"], web.answers["/a.csv"], web.sends_parts = b"x", answer, False
    assert refusal(f"{web.address}/a.csv", pa.table({"town": ["a"]})).endswith(
        f"cannot be read: {words}"
    )


def test_a_certificate_of_nobody(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "its server's certificate is not trusted" in refusal(
        f"{web.address}/a.csv", pa.table({"town": ["a"]})
    )
    assert web.asked == []


# ---- what is written
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        ("score", "-o", "s3://people/risk.json"),
        ("score", "--save", "s3://people/risk.duckdb"),
        ("records", "-o", "s3://people/rows.parquet"),
        ("recode", "-o", "s3://people/release"),
        ("protect", "-o", "s3://people/safe.parquet"),
    ],
)
def test_an_output_at_an_address_is_refused(
    store: S3, folder: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    before = {*folder.rglob("*")}
    command, *output = more
    recodes = ["--column", "age.width=10"] if command == "recode" else []
    assert (
        main(
            [
                command,
                ORIGINAL,
                SYNTHETIC,
                "--keys",
                "town,age",
                "--targets",
                "ill",
                *recodes,
                *output,
            ]
        )
        == 2
    )
    assert "is an address; write to a file of this machine, then copy it there." in " ".join(
        capsys.readouterr().err.split()
    )
    assert {*folder.rglob("*")} == before
    assert [each.path for each in store.asked if each.method == "PUT"] == [
        "/people",
        "/people/original.parquet",
        "/people/synthetic.parquet",
    ]


@pytest.mark.slow
def test_a_saved_run(store: S3) -> None:
    for name, files in (
        ("there", ("s3://people/original.parquet", "s3://people/synthetic.parquet")),
        ("here", (ORIGINAL, SYNTHETIC)),
    ):
        scored(*files, save=f"{name}.duckdb")
    asked = "SELECT * FROM results ORDER BY ALL"
    assert sqlrisk.query("there.duckdb", asked).rows == sqlrisk.query("here.duckdb", asked).rows


@pytest.mark.slow
def test_a_file_is_protected_where_it_is(store: S3) -> None:
    with pytest.raises(
        sqlrisk.InputError,
        match="is not a file on this machine: copy it here, and protect the copy",
    ):
        sqlrisk.protect(
            ORIGINAL, "s3://people/synthetic.parquet", output="safe.parquet", keys=["town", "age"]
        )
    sqlrisk.protect(
        "s3://people/original.parquet", SYNTHETIC, output="safe.parquet", keys=["town", "age"]
    )
    assert Path("safe.parquet").exists()


@pytest.mark.slow
def test_a_release_is_recoded(store: S3) -> None:
    asked: dict[str, Any] = {
        "keys": ["town", "age"],
        "targets": ["ill"],
        "column": {"age": {"width": 10}},
    }
    sqlrisk.recode(
        "s3://people/original.parquet", "s3://people/synthetic.parquet", output="there", **asked
    )
    sqlrisk.recode(ORIGINAL, SYNTHETIC, output="here", **asked)
    for name in (ORIGINAL, SYNTHETIC):
        assert pq.read_table(f"there/{name}").equals(pq.read_table(f"here/{name}"))


@pytest.mark.slow
def test_a_scenario_names_addresses(store: S3) -> None:
    """Files, a hierarchy and a baseline; nothing is taken from the folder of the scenario."""
    put(
        store, "towns.csv", "town,size\nAš,small\nBonn,large\nKöln,large\nKowalska,small\n".encode()
    )
    put(store, "ill.csv", b"level,share\nyes,0.25\nno,0.75\n")
    for name, place in (("there", "s3://people/"), ("here", "")):
        lines = {
            "original": f"{place}{ORIGINAL}",
            "synthetic": [f"{place}{SYNTHETIC}"],
            "keys": ["town", "age"],
            "targets": ["ill"],
            "column.town.hierarchy": f"{place}towns.csv",
            "baseline.ill": f"{place}ill.csv",
        }
        Path(f"{name}.toml").write_text(
            "\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()),
            encoding="utf-8",
        )
    assert numbers(sqlrisk.score(scenario="there.toml")) == numbers(
        sqlrisk.score(scenario="here.toml")
    )
    assert {"/people/towns.csv", "/people/ill.csv"} <= {
        each.path for each in store.asked if each.method == "GET"
    }


# ---- databases
# --------------------------------------------------------------------------------------------------


def test_postgresql_loads_objects_as_it_loads_files(store: S3, postgres_server: Any) -> None:
    there = scored(
        "s3://people/original.parquet",
        "s3://people/synthetic.parquet",
        engine=postgres_server.address(),
    )
    here = scored(ORIGINAL, SYNTHETIC)
    assert fingerprint_of(there.to_dict()) == fingerprint_of(here.to_dict())
    assert {each.path for each in store.asked} >= {
        "/people/original.parquet",
        "/people/synthetic.parquet",
    }


# ---- Arrow datasets
# --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_dataset_and_a_scanner(store: S3) -> None:
    local = numbers(scored(ORIGINAL, SYNTHETIC))
    assert numbers(scored(ds.dataset(ORIGINAL), ds.dataset(SYNTHETIC).scanner())) == local
    young = people(1).filter(pa.compute.less(people(1)["age"], 40))
    wanted = ds.dataset(ORIGINAL).scanner(
        columns=["town", "age", "ill"], filter=ds.field("age") < 40
    )
    assert numbers(scored(wanted, SYNTHETIC)) == numbers(scored(young, SYNTHETIC))


def test_of_a_dataset_the_asked_columns_alone_are_read(store: S3) -> None:
    from pyarrow import fs

    there = fs.S3FileSystem(endpoint_override=store.address)
    scored(ds.dataset("people/original.parquet", filesystem=there), SYNTHETIC)
    assert (
        sum(end - start for start, end in store.spans("/original.parquet"))
        < Path(ORIGINAL).stat().st_size / 3
    )
