"""How datasets of HDF5 files are stored."""

from __future__ import annotations

import struct
from pathlib import Path

import h5py
import numpy as np
import pytest

from tapeflow.keras.saving.chunk_check import check_chunks


def test_plain_and_compressed_arrays_pass(tmp_path: Path) -> None:
    value = np.random.default_rng(0).normal(size=(40, 30)).astype("f4")
    with h5py.File(tmp_path / "f", "w") as file:
        file["plain"] = value
        file.create_dataset(
            "gzip", data=value, chunks=(7, 7), compression="gzip", shuffle=True, fletcher32=True
        )
        file.create_dataset(
            "noise", data=value, chunks=(1, 2), compression="gzip"
        )  # which does not get smaller
        file.create_dataset("lzf", data=value, compression="lzf")
        file.create_dataset("open", data=value, maxshape=(None, None))
        file.create_dataset("unwritten", (40, 30), "f4", chunks=(7, 7), compression="gzip")
        for name in file:
            check_chunks(file[name])


def test_a_broken_chunk(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f", "w") as file:
        found = file.create_dataset("x", (4, 4), "f4", chunks=(4, 4), compression="gzip")
        found.id.write_direct_chunk((0, 0), b"not compressed", 0)
        with pytest.raises(ValueError, match="/x with a broken chunk"):
            check_chunks(found)
        found.id.write_direct_chunk((0, 0), b"not compressed, and not said to be" * 2, 1)
        check_chunks(found)


@pytest.mark.parametrize("compression", ["gzip", "lzf"])
def test_a_chunk_said_to_be_larger_than_the_file(compression: str, tmp_path: Path) -> None:
    path = tmp_path / "f"
    with h5py.File(path, "w") as file:
        found = file.create_dataset("x", data=np.zeros((64, 64)), chunks=(64, 64), compression=compression)
        size = found.id.get_chunk_info(0).size
    stored = struct.pack("<II", size, 0)  # a chunk's size, and which filters were left out
    data = path.read_bytes()
    assert data.count(stored) == 1
    path.write_bytes(data.replace(stored, struct.pack("<II", 0xFFFFFFF0, 0)))
    with (
        h5py.File(path) as file,
        pytest.raises(
            ValueError, match=r"/x with a chunk that claims to be larger than the file's \d+ bytes"
        ),
    ):
        check_chunks(file["x"])


def test_a_chunk_larger_than_the_array(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f", "w") as file:
        found = file.create_dataset("x", (4,), "f4", chunks=(1 << 24,), maxshape=(None,))
        with pytest.raises(ValueError, match=r"chunks no larger than the array /x of shape \(4,\)"):
            check_chunks(found)
