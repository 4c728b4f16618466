"""Files of data sets: archives and pickles that are small and stand for much, or that lie."""

from __future__ import annotations

import pickle
import resource
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tapeflow.keras.datasets import cifar, source
from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.unpickle import load_inert

ROOM = 1 << 29
ARRAY = b"cnumpy._core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
BYTES_STATE = b"(K\x03X\x01\x00\x00\x00|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
BYTES_DTYPE = b"cnumpy\ndtype\nX\x02\x00\x00\x00u1\x89\x88\x87R" + BYTES_STATE


@contextmanager
def little_memory(room: int = ROOM) -> Iterator[None]:
    """Let this process take only so much more address space: whoever takes more gets a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def npy(header: dict[str, Any], body: bytes) -> bytes:
    text = repr(header).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def npz(path: Path, content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("x.npy", content)
    return path


def header(shape: tuple[int, ...], dtype: str = "<f4") -> dict[str, Any]:
    return {"descr": dtype, "fortran_order": False, "shape": shape}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param(npy(header((1 << 28,)), bytes(1 << 30)), "unpacks to at most", id="bomb"),
        pytest.param(npy(header((1 << 40,)), b""), "expected the bytes of an array of shape", id="shape"),
        pytest.param(npy(header((-1,)), b""), "expected the bytes of an array of shape", id="negative"),
        pytest.param(npy(header((1,)), bytes(3)), "expected the bytes of an array of shape", id="short"),
        pytest.param(npy({"descr": "<f4"}, b""), "a header that cannot be read", id="header"),
        pytest.param(npy(header((1,), "nonsense"), b""), "a header that cannot be read", id="dtype"),
        pytest.param(b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, "a header that cannot be read", id="deep"),
        pytest.param(b"nothing", "a header that cannot be read", id="magic"),
    ],
)
def test_arrays_that_lie(tmp_path: Path, content: bytes, text: str) -> None:
    with little_memory(), pytest.raises(ValueError, match=text):
        load_npz(npz(tmp_path / "x.npz", content), "loader", ("x",))


def test_members_that_are_missing_or_there_twice(tmp_path: Path) -> None:
    path = npz(tmp_path / "x.npz", npy(header((1,)), bytes(4)))
    with pytest.raises(ValueError, match="expected the arrays x, y, each once"):
        load_npz(path, "loader", ("x", "y"))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("x.npy", npy(header((1,)), bytes(4)))
    with pytest.raises(ValueError, match="expected the arrays x, each once"):
        load_npz(path, "loader", ("x",))
    with pytest.raises(ValueError, match="stored or deflated"):
        load_npz(npz(tmp_path / "b.npz", npy(header((1,)), bytes(4)), zipfile.ZIP_LZMA), "loader", ("x",))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError, match="expected an archive of arrays"):
        load_npz(path, "loader", ("x",))


def test_sizes_of_members_that_lie(tmp_path: Path) -> None:
    """The table of contents says ten bytes, and the member unpacks to a gigabyte."""
    path = npz(tmp_path / "x.npz", bytes(1 << 30))
    size = (1 << 30).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (10).to_bytes(4, "little")))
    with little_memory(), pytest.raises(ValueError, match="loader"):
        load_npz(path, "loader", ("x",))


def doubled(depth: int) -> bytes:
    """A dict whose two values are one dict, whose two values are one dict, and so on: 2^depth ways to an array."""
    array = ARRAY + b"(K\x01K\x01\x85" + BYTES_DTYPE + b"\x89C\x01atb"
    return (
        b"\x80\x04" + array + b"".join([b"q%c0}(K\x00h%cK\x01h%cu" % (i, i, i) for i in range(depth)]) + b"."
    )


def test_a_value_that_is_named_again_and_again_is_made_once() -> None:
    assert len(doubled(19)) < 747
    with little_memory():
        found = load_inert(doubled(200), "loader")
    assert found[0] is found[1]
    while isinstance(found, dict):
        found = found[1]
    assert found.tobytes() == b"a"


@pytest.mark.parametrize(
    ("program", "text"),
    [
        pytest.param(b"Nr\xff\xff\xff\x7f", "far outside of its memo", id="memo"),
        pytest.param(b"Np999999999\n", "far outside of its memo", id="memo in text"),
        pytest.param(b"Np-1\n", "far outside of its memo", id="negative memo"),
        pytest.param(b"\x8e" + (1 << 40).to_bytes(8, "little"), "does not end", id="bytes"),
        pytest.param(b"B\xff\xff\xff\x7f", "does not end", id="fewer bytes"),
        pytest.param(b"\x8b\xff\xff\xff\x7f", "does not end", id="integer"),
        pytest.param(b"L" + b"9" * 5000 + b"L\n", "Exceeds the limit|invalid", id="digits"),
        pytest.param(b"I1", "line that does not end", id="line"),
        pytest.param(b"\x82\x01", "the instruction", id="extension"),
        pytest.param(b"(ios\nsystem\n", "the instruction", id="instance"),
        pytest.param(b"\x96" + (1 << 40).to_bytes(8, "little"), "the instruction", id="bytearray"),
    ],
)
def test_pickles_that_cost_more_than_they_hold(program: bytes, text: str) -> None:
    ending = b"" if "line" in text else b"."
    with little_memory(), pytest.raises(pickle.UnpicklingError, match=f"loader expected a pickle .*({text})"):
        load_inert(b"\x80\x04" + program + ending, "loader")


def test_a_deep_pickle_is_plain_data() -> None:
    depth = 100_000
    found = load_inert(b"\x80\x04" + b"]" * depth + b"a" * (depth - 1) + b".", "loader")
    for _ in range(depth - 1):
        (found,) = found


def test_arrays_that_share_their_bytes() -> None:
    """Each array is sound; together they are ten thousand times the pickle."""
    size = 1 << 16
    held = b"B" + size.to_bytes(4, "little") + bytes(size) + b"q\x010"
    dtype = BYTES_DTYPE + b"q\x020"
    one = ARRAY + b"(K\x01J" + size.to_bytes(4, "little") + b"\x85h\x02\x89h\x01tb"
    items = b"".join([b"J" + i.to_bytes(4, "little") + one for i in range(10_000)])
    with (
        little_memory(),
        pytest.raises(pickle.UnpicklingError, match="arrays that hold more than the pickle"),
    ):
        load_inert(b"\x80\x04" + held + dtype + b"}(" + items + b"u.", "loader")


def test_tar_archives_that_unpack_to_much_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("batch")
        member.size = 1 << 28
        archive.addfile(member, BytesIO(bytes(1 << 28)))
    monkeypatch.setattr(source, "fetch", lambda *args, **kwargs: path)
    with little_memory(1 << 27), pytest.raises(ValueError, match="to unpack to at most"):
        cifar.load_batches(source.DatasetFile("a.tar.gz", "", ""), ["batch"], "labels", "loader")
