"""Temporary files and folders where what is rare happens: a second Ctrl-C, a folder or a system
without locks, a race.
"""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sqlrisk.common import temporary_files


def test_a_second_ctrl_c_leaves_nothing_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = temporary_files.claim_folder(str(tmp_path))
    (claim.path / "part").touch()
    impatient = iter([KeyboardInterrupt])
    usual = shutil.rmtree

    def removing(path: Path, **more: bool) -> None:
        for signal in impatient:
            raise signal
        usual(path, **more)

    monkeypatch.setattr(shutil, "rmtree", removing)
    with pytest.raises(KeyboardInterrupt):
        claim.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_file_is_not_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(OSError, match="full"):
        temporary_files.claim_folder(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "claim",
    [temporary_files.claim_folder, lambda parent: temporary_files.claim_file(Path(parent), ".csv")],
)
def test_what_another_run_took_before_it_was_locked_is_made_again(
    claim: Callable[[str], temporary_files.TemporaryPath],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import fcntl

    refusals = iter([BlockingIOError])
    usual = fcntl.flock

    def locking(lock: int, kind: int) -> None:
        for refusal in refusals:
            raise refusal
        usual(lock, kind)

    monkeypatch.setattr(fcntl, "flock", locking)
    found = claim(str(tmp_path))
    assert found.path.exists()
    # the first is for the run that has its lock to remove
    assert len(list(tmp_path.iterdir())) == 2
    found.remove()


def test_without_locks_nothing_is_taken_for_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary_files.claim_folder(str(tmp_path)).release()
    (left,) = tmp_path.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(temporary_files, "LOCKS", False)
        temporary_files.remove_left_over(tmp_path)
        assert left.exists()
        temporary_files.claim_file(tmp_path, "").remove()
    temporary_files.remove_left_over(tmp_path)
    assert not left.exists()
