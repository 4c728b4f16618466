"""What loading a file may cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.keras.saving import load_budget
from tapeflow.keras.saving.load_budget import LoadBudget, spend, spend_layer

FREE = 1 << 26


def file_of(path: Path, size: int) -> Path:
    path.write_bytes(bytes(size))
    return path


def test_it_grows_with_the_file(tmp_path: Path) -> None:
    small = LoadBudget(file_of(tmp_path / "small", 10))
    small.spend(FREE, "weights")
    with pytest.raises(
        ValueError, match=r"its 10 bytes can hold; got a shape, which takes 1 bytes where 0 are left"
    ):
        small.spend(1, "a shape")
    LoadBudget(file_of(tmp_path / "large", 1 << 20)).spend(100 << 20, "weights")
    with pytest.raises(ValueError, match="bytes can hold"):
        LoadBudget(tmp_path / "large").spend((100 << 20) + 1, "weights")
    LoadBudget(tmp_path / "small", is_trusted=True).spend(1 << 60, "anything")


def test_texts(tmp_path: Path) -> None:
    budget = LoadBudget(file_of(tmp_path / "f", 10))
    budget.spend_text(1 << 20, "config.json")
    with pytest.raises(ValueError, match=r"expected 'config.json' of at most 1048576 bytes in a file of 10"):
        budget.spend_text((1 << 20) + 1, "config.json")
    with pytest.raises(ValueError, match="got what is in 'config.json'"):
        for _ in range(3):
            budget.spend_text(1 << 20, "config.json")
    LoadBudget(tmp_path / "f", is_trusted=True).spend_text(1 << 40, "config.json")


def test_a_folder_counts_as_its_files(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    file_of(tmp_path / "folder" / "a", 3)
    file_of(tmp_path / "folder" / "inner" / "b", 4)
    (tmp_path / "folder" / "link").symlink_to(file_of(tmp_path / "outside", 1000))
    assert LoadBudget(tmp_path / "folder").file_bytes == 7


def test_a_load_inside_another_spends_from_it(tmp_path: Path) -> None:
    spend(1 << 60, "nothing is being loaded")
    spend_layer("nor here")
    path = file_of(tmp_path / "f", 10)
    with load_budget.load_budget(path) as outer:
        with load_budget.load_budget(path, is_trusted=True) as inner:
            assert inner is outer
            spend(FREE, "weights")
        with pytest.raises(ValueError, match="got one layer more, 'd'"):
            spend_layer("d")
    spend(1 << 60, "nothing is being loaded")
