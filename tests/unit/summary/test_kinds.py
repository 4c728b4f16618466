"""The functions that write each kind of summary: what they put into the file and what they refuse."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tapeflow import summary
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.histograms import histogram_buckets
from tapeflow.summary.kinds.images import to_uint8
from tapeflow.summary.kinds.sounds import wav
from tapeflow.summary.protos import message


def written(writer: FileWriter, call: Callable[[], Any], tag: str = "x") -> Series:
    with writer.as_default():
        assert call() is True
    return summary.read(writer.logdir)[tag]


@pytest.mark.parametrize("data", [2, 2.0, True + 1, np.float64(2), np.array(2), np.float16(2), 2 + 1j])
def test_scalar(writer: FileWriter, data: Any) -> None:
    series = written(writer, lambda: summary.scalar("x", data, step=3, description="about x"))
    assert (series.plugin, series.description) == ("scalars", "about x")
    assert (series.steps.tolist(), series.values.tolist()) == ([3], [2.0])


class TorchTensor:
    """What of a PyTorch tensor matters here: it gives its numbers only once it is detached and on the CPU."""

    def __init__(self, state: str = "graph", dtype: str = "torch.float32") -> None:
        self.state, self.dtype = state, dtype

    def detach(self) -> TorchTensor:
        return TorchTensor("device", self.dtype)

    def cpu(self) -> TorchTensor:
        return TorchTensor("plain", self.dtype) if self.state == "device" else self

    def float(self) -> TorchTensor:
        return TorchTensor(self.state)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if (self.state, self.dtype) != ("plain", "torch.float32"):
            raise RuntimeError("can't be converted")
        return np.array(2.0, np.float32)


TorchTensor.__module__ = "torch.nn.parameter"


@pytest.mark.parametrize("dtype", ["torch.float32", "torch.bfloat16"])
def test_tensors_of_pytorch(writer: FileWriter, dtype: str) -> None:
    series = written(writer, lambda: summary.scalar("x", TorchTensor(dtype=dtype), step=0))
    assert series.values.tolist() == [2.0]


def test_scalar_refuses(writer: FileWriter) -> None:
    with writer.as_default():
        with pytest.raises(ValueError, match=r"expected a scalar; got data of shape \(2,\).*reduce_mean"):
            summary.scalar("x", [1.0, 2.0], step=0)
        with pytest.raises(TypeError, match="expected a number; got data of dtype"):
            summary.scalar("x", "text", step=0)


def test_nameless_summaries_get_a_name(writer: FileWriter) -> None:
    assert len(written(writer, lambda: summary.scalar("", 1.0, step=0), "scalar_summary")) == 1


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_image(writer: FileWriter, channels: int) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 4, 6, channels), dtype=np.uint8)
    series = written(writer, lambda: summary.image("x", pixels, step=0))
    width, height, *pictures = series.values[0]
    assert (series.plugin, width, height, len(pictures)) == ("images", b"6", b"4", 3)
    for found, expected in zip(pictures, pixels, strict=False):
        decoded = np.asarray(Image.open(io.BytesIO(found)))
        np.testing.assert_array_equal(decoded.reshape(expected.shape), expected)


def test_image_takes_lists_and_max_outputs(writer: FileWriter) -> None:
    series = written(writer, lambda: summary.image("x", [np.zeros((2, 2, 1))] * 9, step=0, max_outputs=7))
    assert len(series.values[0]) == 2 + 7


def test_pixels_as_tensorflow_converts_them() -> None:
    floats = np.array([-1, 0, 0.5, 0.999, 1, 2, np.nan, np.inf], np.float32)
    assert to_uint8(floats).tolist() == [0, 0, 127, 255, 255, 255, 0, 255]
    assert to_uint8(np.array([0, 2**31 - 1, 2**30, -5], np.int32)).tolist() == [0, 255, 128, 0]
    assert to_uint8(np.array([0, 127, -3], np.int8)).tolist() == [0, 254, 0]
    assert to_uint8(np.array([0, 65535], np.uint16)).tolist() == [0, 255]
    assert to_uint8(np.array([True, False])).tolist() == [255, 0]


def test_image_refuses(writer: FileWriter) -> None:
    with writer.as_default():
        with pytest.raises(ValueError, match=r"expected data of rank 4.*got rank 3, shape \(2, 2, 3\)"):
            summary.image("x", np.zeros((2, 2, 3)), step=0)
        with pytest.raises(ValueError, match=r"expected 1, 2, 3 or 4 channels.*\(1, 2, 2, 5\)"):
            summary.image("x", np.zeros((1, 2, 2, 5)), step=0)
        with pytest.raises(ValueError, match="expected max_outputs to be at least 0; got max_outputs=-1"):
            summary.image("x", np.zeros((1, 2, 2, 1)), step=0, max_outputs=-1)
        with pytest.raises(TypeError, match="expected numbers; got data of dtype"):
            summary.image("x", np.zeros((1, 2, 2, 1), complex), step=0)


def test_audio(writer: FileWriter) -> None:
    clips = np.random.default_rng(0).uniform(-1, 1, (2, 50, 2)).astype(np.float32)
    series = written(writer, lambda: summary.audio("x", clips, 8000, step=0, encoding="wav"))
    assert series.plugin == "audio"
    assert message("AudioPluginData").FromString(series.content).encoding == 11
    assert series.values[0].shape == (2, 2)
    with wave.open(io.BytesIO(series.values[0][1, 0])) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 8000, 2)
        samples = np.frombuffer(file.readframes(50), "<i2").reshape(50, 2)
    np.testing.assert_allclose(samples / 32768, clips[1], atol=1 / 32768)


def test_samples_are_rounded_and_clipped() -> None:
    clip = np.array([[-2.0], [-1.0], [0.0], [0.5 / 32768], [1.5 / 32768], [1.0], [np.nan]])
    assert np.frombuffer(wav(clip, 10)[44:], "<i2").tolist() == [-32768, -32768, 0, 1, 2, 32767, 0]


def test_audio_refuses(writer: FileWriter) -> None:
    with writer.as_default():
        with pytest.raises(ValueError, match=r"expected data of rank 3.*got rank 2, shape \(1, 5\)"):
            summary.audio("x", np.zeros((1, 5)), 8000, step=0)
        with pytest.raises(ValueError, match="expected encoding 'wav'; got encoding='mp3'"):
            summary.audio("x", np.zeros((1, 5, 1)), 8000, step=0, encoding="mp3")
        with pytest.raises(ValueError, match="expected a positive sample_rate; got sample_rate=0"):
            summary.audio("x", np.zeros((1, 5, 1)), 0, step=0)
        with pytest.raises(TypeError, match="expected floats from -1 to 1; got data of dtype int64"):
            summary.audio("x", np.zeros((1, 5, 1), np.int64), 8000, step=0)


@pytest.mark.parametrize(
    ("data", "expected"),
    [("hé", "hé".encode()), (b"raw\0", b"raw\0"), (["a", "b"], [b"a", b"b"]), (np.array([["c"]]), [[b"c"]])],
)
def test_text_is_written_as_strings(writer: FileWriter, data: Any, expected: Any) -> None:
    series = written(writer, lambda: summary.text("x", data, step=0))
    assert series.plugin == "text"
    assert series.values[0].tolist() == expected


def test_text_refuses_numbers(writer: FileWriter) -> None:
    with writer.as_default(), pytest.raises(TypeError, match="expected strings; got data of dtype float64"):
        summary.text("x", 1.0, step=0)


def test_histogram(writer: FileWriter) -> None:
    series = written(writer, lambda: summary.histogram("x", np.arange(60).reshape(6, 10), step=0))
    assert (series.plugin, series.values[0].shape) == ("histograms", (30, 3))
    np.testing.assert_array_equal(series.values[0][:, 2], np.full(30, 2))
    assert (series.values[0][0, 0], series.values[0][-1, 1]) == (0, 59)


def test_histogram_edge_cases() -> None:
    assert histogram_buckets(np.zeros(0), 4).tolist() == [[0, 0, 0]] * 4
    assert histogram_buckets(np.full(3, 2.0), 4).tolist() == [[2, 2, 0]] * 3 + [[2, 2, 3]]
    assert histogram_buckets(np.arange(3.0), 0).shape == (0, 3)
    found = histogram_buckets(np.array([np.nan, np.inf, 0.0, 1.0]), 2)
    assert found[:, 2].tolist() == [1, 1]
    wide = histogram_buckets(np.array([-1.7e308, 0.0, 1.7e308]), 3)
    assert np.isfinite(wide).all()
    assert wide[:, 2].tolist() == [1, 1, 1]


def test_histogram_refuses_text(writer: FileWriter) -> None:
    with (
        writer.as_default(),
        pytest.raises(TypeError, match="tf.summary.histogram expected numbers; got data of"),
    ):
        summary.histogram("x", ["a"], step=0)


def test_negative_bucket_counts_are_none(writer: FileWriter) -> None:
    series = written(writer, lambda: summary.histogram("x", [1.0], step=0, buckets=-1))
    assert series.values[0].shape == (0, 3)


def test_write(writer: FileWriter) -> None:
    meta = message("SummaryMetadata")()
    meta.plugin_data.plugin_name = "mine"
    series = written(
        writer, lambda: summary.write("x", lambda: np.arange(3, dtype=np.int16), step=0, metadata=meta)
    )
    assert (series.plugin, series.values[0].dtype) == ("mine", np.int16)
    assert series.values[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("data", "dtype"),
    [([1, 2], np.int32), ([1.5], np.float32), (2**40, np.int64), (np.arange(2.0), np.float64)],
)
def test_write_gives_python_numbers_tensorflows_types(writer: FileWriter, data: Any, dtype: Any) -> None:
    assert written(writer, lambda: summary.write("x", data, step=0)).values[0].dtype == dtype


def test_write_raw_pb(writer: FileWriter) -> None:
    raw = message("Summary")()
    raw.value.add(tag="x", simple_value=2.5)
    raw.value.add(tag="y", simple_value=3.5)
    series = written(writer, lambda: summary.experimental.write_raw_pb(raw.SerializeToString(), step=4))
    assert (series.steps.tolist(), series.values.tolist(), series.plugin) == ([4], [2.5], "scalars")
    assert not summary.experimental.write_raw_pb(b"", step=0)


def test_summary_scope() -> None:
    with summary.experimental.summary_scope("loss") as (tag, scope):
        assert (tag, scope) == ("loss", "loss/")
    with summary.experimental.summary_scope("", "default") as (tag, _):
        assert tag == "default"


def test_without_a_writer_every_kind_returns_false() -> None:
    image = np.zeros((1, 2, 2, 1))
    assert not summary.image("x", image, step=0)
    assert not summary.audio("x", image[0], 8000, step=0)
    assert not summary.text("x", "text", step=0)
    assert not summary.histogram("x", image, step=0)
    assert not summary.write("x", image, step=0)
    assert not summary.graph(message("GraphDef")())
