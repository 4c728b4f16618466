"""Heaps of HDF5 files that would make the HDF5 library read for ever."""

from __future__ import annotations

import io
from pathlib import Path

import h5py
import numpy as np
import pytest

from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.heap_check import check_heaps


@pytest.fixture
def data(tmp_path: Path) -> bytes:
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file.attrs["config"] = "x" * 500  # a text of open length lives in a heap
        file["a"] = np.frombuffer(b"GCOL\x01" * 200, np.uint8)  # and this only looks like some
    return (tmp_path / "f.h5").read_bytes()


def heap(data: bytes) -> int:
    """Where the heap is: what follows its mark is a size that heaps have."""
    at = data.find(b"GCOL\x01\x00\x00\x00")
    assert at >= 0
    return at


def test_good_files_pass(data: bytes) -> None:
    check_heaps(io.BytesIO(data))


@pytest.mark.parametrize("size", [0, 1 << 63, (1 << 64) - 16], ids=["stands", "leaves", "goes-back"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_chain_that_does_not_advance(data: bytes, size: int, number: int, tmp_path: Path) -> None:
    at = heap(data) + 16
    broken = bytearray(data)
    broken[at : at + 2] = number.to_bytes(2, "little")
    broken[at + 8 : at + 16] = size.to_bytes(8, "little")
    if size == 0 and number == 1:  # an empty object is sound: its header counts
        return
    with pytest.raises(ValueError, match="a heap of it is broken. It may be truncated or damaged"):
        check_heaps(io.BytesIO(broken))
    (tmp_path / "b.h5").write_bytes(broken)
    with hdf5.opened(tmp_path / "b.h5") as file:
        assert hdf5.read(hdf5.dataset(file, "a")).size == 1000  # numbers are in no heap
        with pytest.raises(ValueError, match="a heap of it is broken"):
            hdf5.read_text(file, "config")


def test_sizes_that_keras_does_not_write(data: bytes) -> None:
    with pytest.raises(ValueError, match="its sizes are not of 64 bits"):
        check_heaps(io.BytesIO(data[:14] + b"\x04" + data[15:]))
