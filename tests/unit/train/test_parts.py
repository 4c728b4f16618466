"""Tests for tapeflow.train.parts; real processes write and read in tests/integration/test_sharding.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.devices import placement
from tapeflow.train.parts import PARTS, SplitFile, SplitSave, SplitTensor
from tapeflow.train.tensor_file import BrokenFile, TensorFile, write_tensors

WHOLE = np.arange(24, dtype=np.float32).reshape(4, 6)
Save = Callable[[Path, int], None]


@pytest.fixture
def save(monkeypatch: pytest.MonkeyPatch) -> Save:
    """Saves what two processes hold, each a half of the columns in two parts, as one checkpoint with a number."""

    def made(path: Path, number: int, process: int) -> SplitSave:
        with monkeypatch.context() as patched:
            patched.setattr(placement, "process_number", lambda: (process, 2))
            patched.setattr(placement, "agreed_number", lambda _: number)
            columns = slice(3 * process, 3 * process + 3)
            parts = [((row, 3 * process), WHOLE[row : row + 2, columns] + number) for row in (0, 2)]
            tensors: dict[str, Any] = {"split": SplitTensor(WHOLE.shape, WHOLE.dtype, parts)}
            if process == 0:
                tensors["whole"] = np.array([number])
            return SplitSave(path, tensors, {"format": "test"})

    def saved(path: Path, number: int) -> None:
        saves = [made(path, number, process) for process in range(2)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(SplitSave.write, saves))

    saved.made = made  # pyright: ignore[reportFunctionMemberAccess]
    return saved


def test_any_region_is_put_together(tmp_path: Path, save: Save) -> None:
    path = tmp_path / "ckpt-1.safetensors"
    save(path, 7)
    with SplitFile(TensorFile(path)) as file:
        assert file.names == ["whole", "split"]
        assert (file.shape("split"), file.dtype("split"), file.shape("whole")) == ((4, 6), np.float32, (1,))
        assert ("split" in file, "other" in file, file.is_split("whole")) == (True, False, False)
        np.testing.assert_array_equal(file.read("split"), WHOLE + 7)
        np.testing.assert_array_equal(file.read("whole"), [7])
        for region in [(slice(1, 3), slice(2, 5)), (slice(None), slice(5, 6)), (slice(3, 4), slice(None))]:
            np.testing.assert_array_equal(file.read_region("split", region), (WHOLE + 7)[region])


def test_an_earlier_checkpoint_is_replaced_as_a_whole(tmp_path: Path, save: Any) -> None:
    path = tmp_path / "ckpt-1.safetensors"
    save(path, 1)
    names = {file.name for file in tmp_path.iterdir()}
    # The parts of another save, whose writers were killed before the commit.
    unfinished = save.made(path, 2, 1)
    unfinished.timeout_s = 0.1
    with pytest.raises(
        tf.errors.UnavailableError, match="expected all 2 processes to write their parts within 0.1 s"
    ):
        unfinished.write()
    mine = tmp_path / "ckpt-1.00000002-00000-of-00002.safetensors.bak"
    mine.write_bytes(b"mine")
    alike = tmp_path / "ckpt-1.00000009-00000-of-00002.safetensors"
    write_tensors(alike, {"x": WHOLE})
    neighbour = tmp_path / "ckpt-10.safetensors"
    save(neighbour, 4)
    with SplitFile(TensorFile(path)) as file:
        np.testing.assert_array_equal(file.read("split"), WHOLE + 1)
        save(path, 3)
        np.testing.assert_array_equal(file.read("split"), WHOLE + 1)  # open files stay readable
    with SplitFile(TensorFile(path)) as file:
        np.testing.assert_array_equal(file.read("split"), WHOLE + 3)
    kept = {file.name for file in tmp_path.iterdir()}
    assert {mine.name, alike.name, path.name} < kept
    assert not (names - {path.name}) & kept
    assert len(kept) == 3 + 2 + 3
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "ckpt-1"))
    assert len(list(tmp_path.iterdir())) == 3 + 3
    with SplitFile(TensorFile(neighbour)) as file:
        np.testing.assert_array_equal(file.read("split"), WHOLE + 4)


def test_damaged_and_crafted_checkpoints(tmp_path: Path, save: Save) -> None:
    path = tmp_path / "ckpt-1.safetensors"
    save(path, 1)
    with TensorFile(path) as file:
        index = json.loads(file.metadata[PARTS])

    def told(change: Callable[[dict[str, Any]], Any]) -> str:
        changed = json.loads(json.dumps(index))
        change(changed["tensors"]["split"])
        write_tensors(path, {}, {PARTS: json.dumps(changed)})
        with pytest.raises(BrokenFile) as caught:
            SplitFile(TensorFile(path))
        return str(caught.value)

    assert "the parts of 'split' do not fit together" in told(lambda t: t["parts"].pop())
    assert "the parts of 'split' do not fit together" in told(lambda t: t["parts"].append(t["parts"][0]))
    assert "the parts of 'split' do not fit together" in told(lambda t: t["parts"][0].__setitem__(2, [2, 0]))
    assert "the parts of 'split' do not fit together" in told(lambda t: t.update(shape=[1 << 40, 6]))
    assert "the parts of 'split' do not fit together" in told(lambda t: t.update(dtype="int32"))
    assert "lacks 'other'" in told(lambda t: t["parts"][0].__setitem__(1, "other"))
    assert "it names '../secret.safetensors' as a part" in told(
        lambda t: t["parts"][0].__setitem__(0, "../secret.safetensors")
    )
    assert "its list of parts cannot be read" in told(lambda t: t.update(parts=3))
    file = tmp_path / index["tensors"]["split"]["parts"][0][0]
    file.unlink()
    assert f"its part {file.name!r} is missing" in told(lambda t: None)
