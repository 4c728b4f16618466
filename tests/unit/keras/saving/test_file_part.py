"""A stretch of a file as a file."""

from __future__ import annotations

import io

import pytest

from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.file_part import FilePart, FileTail


def test_reads_its_stretch_alone() -> None:
    part = FilePart(io.BytesIO(b"0123456789"), 2, 5)
    assert part.read() == b"23456"
    assert part.read(3) == b""
    assert part.seek(-2, io.SEEK_END) == 3
    assert part.read(9) == b"56"
    assert part.seek(1) == part.tell() == 1
    assert part.seek(1, io.SEEK_CUR) == 2
    buffer = bytearray(2)
    assert part.readinto(buffer) == 2
    assert bytes(buffer) == b"45"
    assert part.readable()
    assert part.seekable()
    assert part.seek(99) == 99
    assert part.read() == b""


def test_a_tail_is_written_as_a_file_of_its_own(tmp_path):
    path = tmp_path / "file"
    with path.open("w+b") as file:
        file.write(b"head")
        tail = FileTail(file, 4)
        assert tail.write(b"abcdef") == 6
        tail.seek(1)
        tail.write(b"X")
        assert (tail.size, tail.tell()) == (6, 2)
        assert tail.truncate(4) == 4
        tail.seek(0)
        assert tail.read() == b"aXcd"
    assert path.read_bytes() == b"headaXcd"


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_tail_keeps_the_first_failure_and_goes_on(failure, tmp_path):
    class Full(io.BytesIO):
        def write(self, data):
            raise failure

    tail = FileTail(Full(), 0)
    assert tail.failure is None
    assert tail.write(b"abc") == 3
    assert tail.failure is failure
    tail.write(b"def")
    tail.seek(0)
    assert tail.read() == b""
    assert tail.truncate(2) == 2
    tail.flush()
    assert (tail.failure, tail.size) == (failure, 2)
    with pytest.raises(type(failure)), hdf5.created(FileTail(Full(), 0)) as file:
        file.create_dataset("x", data=[1.0])
