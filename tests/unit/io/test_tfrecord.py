"""TFRecord files: written, read, compressed, damaged; and with what TensorBoard's own reader makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow.engine import errors

RECORDS = [b"", b"one", b"two" * 1000]


def _written(path: Path, options: object = None) -> str:
    with tf.io.TFRecordWriter(path, options) as writer:  # pyright: ignore[reportArgumentType]
        for record in RECORDS:
            writer.write(record)
    return str(path)


def _read(path: str, kind: str | None = None) -> list[bytes]:
    return list(tf.data.TFRecordDataset(path, kind).as_numpy_iterator())


@pytest.mark.parametrize("kind", [None, "", "GZIP", "ZLIB"], ids=["none", "empty", "gzip", "zlib"])
def test_what_is_written_is_read(tmp_path: Path, kind: str | None) -> None:
    assert _read(_written(tmp_path / "a", kind), kind) == RECORDS


def test_options_say_how_to_compress(tmp_path: Path) -> None:
    path = _written(tmp_path / "a", tf.io.TFRecordOptions("GZIP", compression_level=1))
    assert _read(path, "GZIP") == RECORDS
    assert Path(path).stat().st_size < 500


def test_tensorboard_reads_it(tmp_path: Path) -> None:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New

    reader = PyRecordReader_New(_written(tmp_path / "a"))
    found = []
    for _ in RECORDS:
        reader.GetNext()
        found.append(reader.record())
    assert found == RECORDS


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: data[:-2], "truncated record at 35"),
        (lambda data: data[:20], "truncated record at 16"),
        (lambda data: data[:-5] + b"?" + data[-4:], "right checksum in .*corrupted record at 35"),
        (lambda data: b"no record file at all", "corrupted record at 0. Is this even a TFRecord file"),
    ],
    ids=["cut off", "cut in a header", "changed", "another file"],
)
def test_damage_is_an_error_where_it_is(tmp_path: Path, change: object, text: str) -> None:
    path = tmp_path / "a"
    _written(path)
    path.write_bytes(change(path.read_bytes()))  # pyright: ignore[reportCallIssue]
    with pytest.raises(errors.DataLossError, match=text):
        _read(str(path))


def test_missing_files_and_closed_writers_raise(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError, match="No such file or directory"):
        _read(str(tmp_path / "none"))
    with pytest.raises(ValueError, match='not a valid compression_type: "BZIP"'):
        tf.io.TFRecordOptions("BZIP")
    writer = tf.io.TFRecordWriter(tmp_path / "a")
    with pytest.raises(TypeError, match="write expected bytes; got 3"):
        writer.write(3)
    writer.close()
    with pytest.raises(errors.FailedPreconditionError, match="writer is closed"):
        writer.write(b"")
