"""Variables, slots of optimizers and batches in parts on devices: the numbers of one device, in less memory of each."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAMS = Path(__file__).parent / "programs"


def answer(*command: str) -> dict[str, Any]:
    """What a Python program printed last, which is JSON."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return json.loads(lines[-1])


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return answer(str(PROGRAMS / "sharded.py"))


def test_all_devices_are_listed(found: dict[str, Any]) -> None:
    assert found["devices"] == [[f"cpu:{i}" for i in range(8)], 8]


LAYOUTS = ["data", "model", "model_zero_1", "zero_1", "zero_3", "data_zero_3", "set"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_fit_gives_the_losses_of_one_device(found: dict[str, Any], name: str) -> None:
    several, one = found["fit"][name], found["fit"]["one"]
    assert one["losses"][1] < one["losses"][0]
    np.testing.assert_allclose(several["losses"], one["losses"], rtol=1e-5)
    np.testing.assert_allclose(several["predicted"], one["predicted"], rtol=1e-4, atol=1e-6)
    assert several["loaded"]
    assert several["copied"] == one["copied"], "a buffer was copied instead of being overwritten"


def test_a_device_holds_its_part_alone(found: dict[str, Any]) -> None:
    fit = found["fit"]
    # up 8*64+64, normalization 4*64, down 64*16+16, last 16*2+2 numbers; Adam keeps two of each that is trained.
    whole, trained = 4 * (576 + 256 + 1040 + 34), 4 * (576 + 128 + 1040 + 34)
    assert [fit[n]["weights"] for n in ("one", "data", "zero_1")] == [whole] * 3
    assert [fit[n]["slots"] for n in ("one", "data")] == [2 * trained] * 2
    up_and_down = 4 * (576 + 1024)
    assert fit["model"]["weights"] == whole - up_and_down * 3 // 4
    assert fit["set"]["weights"] == whole - up_and_down * 7 // 8
    assert fit["model"]["slots"] == 2 * (trained - up_and_down * 3 // 4)
    last_bias = 4 * 2  # two numbers, which eight devices cannot share
    assert fit["zero_1"]["slots"] == 2 * ((trained - last_bias) // 8 + last_bias)
    for name in ("zero_3", "data_zero_3"):
        assert fit[name]["slots"] == fit["zero_1"]["slots"]
        assert fit[name]["weights"] == (whole - last_bias) // 8 + last_bias
    assert fit["model_zero_1"]["weights"] == fit["model"]["weights"]
    # All is split in two along "batch", but for the bias that is split along "model" already.
    assert fit["model_zero_1"]["slots"] == fit["model"]["slots"] // 2 + 2 * 4 * 16 // 2


def test_layouts_are_those_of_the_map(found: dict[str, Any]) -> None:
    expected = {"up/kernel": [None, "model"], "up/bias": ["model"], "down/kernel": ["model"]}
    assert found["fit"]["model"]["specs"] == expected
    assert not any(found["fit"]["data"]["specs"].values())


def test_a_loop_by_hand_gives_the_losses_of_one_device(found: dict[str, Any]) -> None:
    for one, several in found["hand"]:
        assert len(one["losses"]) == 10
        np.testing.assert_allclose(several["losses"], one["losses"], rtol=1e-5)
        assert [one["slot"], several["slot"]] == [[], ["batch", "model"]]


def test_layouts_that_do_not_fit(found: dict[str, Any]) -> None:
    uneven, deep = found["told"]
    assert (
        "The layout of 'narrow' expected dimension 0 to be a multiple of 4, the size of the mesh's axis"
        in uneven
    )
    assert "got shape=(6,)" in uneven
    assert "The layout of 'flat' expected at most 1 axes, since its shape is (6,); got axes=" in deep


def test_values_lie_in_parts_from_the_start(found: dict[str, Any]) -> None:
    moved = found["moved"]
    assert moved["tensor"] == [8, 120.0]
    assert moved["large"] == moved["copied"] == [4 * (1 << 16) // 8] * 8
    assert moved["equal"]
    assert moved["assigned"]


def test_a_program_for_keras_3_gives_what_keras_gives() -> None:
    program = str(PROGRAMS / "keras_sharded.py")
    ours, keras = answer("-m", "tapeflow.cli", "run", program), answer(program)
    np.testing.assert_allclose(ours.pop("losses"), keras.pop("losses"), rtol=1e-5)
    assert ours == keras


def several(folder: Path, devices: int, *more: str) -> list[dict[str, Any]]:
    """What two processes print that save and restore."""
    sockets = [socket.socket() for _ in range(2)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    place = ",".join(f"127.0.0.1:{each.getsockname()[1]}" for each in sockets)
    for each in sockets:
        each.close()
    with ThreadPoolExecutor(2) as pool:
        program = str(PROGRAMS / "split_checkpoint.py")
        return list(
            pool.map(lambda i: answer(program, str(folder), str(devices), str(i), place, *more), range(2))
        )


def test_checkpoints_of_parts_restore_on_another_number_of_devices(tmp_path: Path) -> None:
    program = str(PROGRAMS / "split_checkpoint.py")
    first, second = several(tmp_path, 2)
    assert first == second
    assert first["latest"] is None
    # The parts come with the index; everything has gone to disk and nothing else is there.
    files = sorted(file.name for file in tmp_path.iterdir())
    [one, other] = [f for f in files if "-of-00002" in f]
    assert files == sorted(["checkpoint", "ckpt-1.safetensors", one, other])
    assert one.replace("-00000-of-", "-00001-of-") == other

    alone = answer(program, str(tmp_path), "8")
    assert alone["restored"]["sums"] == first["trained"]["sums"]
    assert alone["restored"]["bytes"] < first["trained"]["bytes"]
    # What one process writes is one file; the parts of the checkpoint before it have been deleted with it.
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkpoint", "ckpt-2.safetensors"]
    assert alone["loss"] < first["loss"]


@pytest.mark.slow
def test_a_save_that_a_process_does_not_take_part_in(tmp_path: Path) -> None:
    program = str(PROGRAMS / "split_checkpoint.py")
    alone = answer(program, str(tmp_path), "8")
    back, _ = several(tmp_path, 1, "1")
    assert back["restored"]["sums"] == alone["trained"]["sums"]
    assert back["loss"] < alone["loss"]
    # The second process wrote nothing of the last save: the one before it is the latest, and is whole.
    assert "Saving" in back["error"]
    assert (
        "expected all 2 processes to write their parts within 2 s; the number 1 one did not" in back["error"]
    )
    after = answer(program, str(tmp_path), "1")
    assert after["latest"].endswith("ckpt-2")
    assert after["restored"]["sums"] == back["trained"]["sums"]
