"""A notebook: its kernel, with and without the widgets that DuckDB's own progress bar wants."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import processes
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner


@contextmanager
def kernel(folder: Path, **environment: str) -> Iterator[BlockingKernelClient]:
    """Start a kernel in a folder; it must end by itself when it is asked to."""
    # files of a short name, not ports, which somebody may take before the kernel does
    with TemporaryDirectory() as sockets:
        manager = KernelManager(transport="ipc", ip=f"{sockets}/kernel")
        manager.start_kernel(cwd=str(folder), env=processes.environment(**environment))
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready()
            yield client
            assert isinstance(manager.provisioner, LocalProvisioner)
            process = manager.provisioner.process
            client.shutdown()
            assert process is not None
            assert process.wait() == 0
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def shown(client: BlockingKernelClient, cell: str) -> tuple[str, str]:
    """What a cell shows as HTML or text, and what it says besides; it must end without an error."""
    results: list[str] = []
    said: list[str] = []

    def hear(message: Any) -> None:
        content = message["content"]
        match message["msg_type"]:
            case "execute_result":
                results.append(content["data"].get("text/html", content["data"]["text/plain"]))
            case "stream":
                said.append(content["text"])

    reply: Any = client.execute_interactive(cell, output_hook=hear)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(results), "".join(said)


@pytest.mark.parametrize("widgets", [True, False])
@pytest.mark.slow
def test_a_cell_that_scores(tmp_path: Path, widgets: bool) -> None:
    pq.write_table(
        pa.table({"town": ["a", "a", "b"], "ill": ["y", "n", "y"]}), tmp_path / "people.parquet"
    )
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    if not widgets:
        (hidden / "sitecustomize.py").write_text('import sys\nsys.modules["ipywidgets"] = None\n')
    with kernel(tmp_path, PYTHONPATH=f"{hidden}:{processes.ROOT}") as client:
        found, _ = shown(client, "import sys\nsys.modules.get('ipywidgets', 0) is not None")
        assert found == str(widgets)
        score = "sqlrisk.score('people.parquet', 'people.parquet', keys='town', targets='ill')"
        table, said = shown(client, f"import sqlrisk\n{score}")
        assert "<table" in table
        assert "DiSCO" in table
        assert "memory_limit" not in said
        assert "Error" not in said
        assert shown(client, f"{score}.results[0]['numerator']")[0] == "1"
