"""The file of tensors: every bit comes back, and what is broken is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tapeflow.train.tensor_file import BrokenFile, TensorFile, write_tensors

ARRAYS = {
    "float32": np.arange(6, dtype=np.float32).reshape(2, 3),
    "scalar": np.array(3, np.int64),
    "bfloat16": np.array([1.5, -2.0], ml_dtypes.bfloat16),
    "bool": np.array([True, False]),
    "empty": np.zeros((0, 3), np.float16),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "complex64": np.array([1 + 2j], np.complex64),
    "complex128": np.array([[1 + 2j, 3 - 1j]], np.complex128),
    "float8": np.array([0.5, 1.0], ml_dtypes.float8_e5m2),
    "big": np.array([1, 256], ">i4"),
    "nan": np.array([np.nan, -0.0], np.float64),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_tensors(tmp_path / "t", ARRAYS, {"note": "häh"})
    return tmp_path / "t"


def test_every_bit_comes_back(path: Path) -> None:
    with TensorFile(path) as file:
        assert file.names == list(ARRAYS)
        assert file.metadata["note"] == "häh"
        for name, array in ARRAYS.items():
            found = file.read(name)
            assert found.dtype == file.dtype(name) == array.dtype.newbyteorder("=")
            assert found.shape == file.shape(name) == array.shape
            assert found.tobytes() == array.astype(found.dtype).tobytes(), name


def test_it_stays_readable_when_it_is_deleted(path: Path) -> None:
    file = TensorFile(path)
    path.unlink()
    assert file.read("scalar") == 3


def test_bytes_are_counted(tmp_path: Path) -> None:
    counts: list[int] = []
    write_tensors(
        tmp_path / "t", {"a": np.zeros(10, np.float32), "b": np.zeros(3, np.int8)}, None, counts.append
    )
    assert sum(counts) == 43


def test_only_numbers(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="expected numbers or booleans; got 'a' of dtype <U1"):
        write_tensors(tmp_path / "t", {"a": np.array(["x"])})
    assert list(tmp_path.iterdir()) == []


def test_every_flipped_bit_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    choose = random.Random(0)
    for _ in range(400):
        at, bit = choose.randrange(len(whole)), choose.randrange(8)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        with pytest.raises(BrokenFile, match="It may be truncated or damaged"):
            read_all(path)


def test_every_cut_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for size in [*range(40), *range(40, len(whole), 37), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(BrokenFile):
            read_all(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(BrokenFile):
        read_all(path)


def read_all(path: Path) -> None:
    with TensorFile(path) as file:
        for name in file.names:
            file.read(name)


def forged(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


ENTRY = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "ends too early"),
        (b"\xff" * 8, "longer than the file"),
        (forged(b"{"), "no JSON"),
        (forged(b"[" * 100_000), "no JSON"),
        (forged([]), "no dict"),
        (forged(b'{"a":%b,"a":%b}' % ((json.dumps(ENTRY).encode(),) * 2), b"1234"), "appears twice"),
        (forged({"__metadata__": {"a": 1}}), "no dict of texts"),
        (forged({"a": {**ENTRY, "dtype": "X"}}, b"1234"), "no sound entry for 'a'"),
        (forged({"a": {**ENTRY, "shape": [-1]}}, b"1234"), "no sound entry"),
        (forged({"a": {**ENTRY, "shape": [1 << 62, 1 << 62]}}, b"1234"), "no sound entry"),
        (forged({"a": {**ENTRY, "shape": [True]}}, b"1234"), "no sound entry"),
        (forged({"a": {**ENTRY, "data_offsets": [0, 5000]}}, b"1234"), "no sound entry"),
        (forged({"a": 3}, b"1234"), "no sound entry"),
        (forged({"a": ENTRY, "b": ENTRY}, b"1234"), "overlap or leave gaps"),
        (forged({"a": ENTRY}, b"12345"), "should have 4 bytes of tensors and has 5"),
        (forged({"__metadata__": {"dtypes": '{"a":"O"}'}, "a": ENTRY}, b"1234"), "unsound dtypes"),
        (forged({"__metadata__": {"dtypes": "["}, "a": ENTRY}, b"1234"), "unknown dtypes"),
        (forged({"__metadata__": {"sums": "0 0"}, "a": ENTRY}, b"1234"), "checksums are not those"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_forged_files(content: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(BrokenFile, match=text):
        read_all(tmp_path / "t")


def test_a_bool_is_true_or_false(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(
        forged({"a": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}, b"\7")
    )
    with pytest.raises(BrokenFile, match="neither true nor false"):
        read_all(tmp_path / "t")
