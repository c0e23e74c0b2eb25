"""Which files an output may not be."""

from pathlib import Path

import pytest

from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import standing_in


@pytest.mark.parametrize("folder", ["run [2020]", ".hidden", "a*b"])
def test_names_of_folders_above_a_glob_mean_themselves(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / folder)
    with (
        pytest.raises(InputError, match=r"would be a part of the input 's_\*\.csv'"),
        standing_in("s_2.csv", ["s_*.csv"]),
    ):
        pass
    with standing_in("t_2.csv", ["s_*.csv"]) as file:
        file.write_text("t")
    assert [each.name for each in Path().iterdir()] == ["t_2.csv"]


def test_a_link_above_a_glob_leads_to_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "linked").symlink_to("data")
    monkeypatch.chdir(tmp_path)
    for given in ("linked/s_*.csv", "data/s_*.csv"):
        for output in ("linked/s_2.csv", "data/s_2.csv"):
            with pytest.raises(InputError, match="would be a part"), standing_in(output, [given]):
                pass
