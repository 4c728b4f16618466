from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.cli import main
from tapeflow.cli.conversion import checkpoints, models

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")


def compiled_model() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), L.Dense(4, "tanh", name="hidden"), L.Dense(2)])
    model.compile("adam", "mse")
    model.fit(X, np.ones((4, 2)), verbose=0)
    return model


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder with a model in every form that is read."""
    folder, model = tmp_path_factory.mktemp("sources"), compiled_model()
    for name in ("m.keras", "m.h5", "saved"):
        model.save(folder / name)
    for name in ("w.weights.h5", "w.h5", "w.safetensors", "ours/a"):
        model.save_weights(folder / name)
    model.save_weights(folder / "theirs" / "a", save_format="tf")
    return folder, model


@pytest.mark.parametrize("source", ["m.keras", "m.h5", "saved"])
@pytest.mark.parametrize("target", ["t.keras", "t.h5", "saved_too"])
def test_models(sources: Any, tmp_path: Path, source: str, target: str, capsys: Any) -> None:
    folder, model = sources
    assert main(["convert", str(folder / source), str(tmp_path / target)]) == 0
    text = capsys.readouterr()
    assert re.search(r"^hidden +Dense +2 +16$", text.out, re.MULTILINE)
    assert "2 layers, 26 parameters" in text.out
    assert "state of the optimizer    yes" in text.out
    assert "Both predict the same for 3 random rows: the largest difference is " in text.out
    assert f"Reading {folder / source} ...\nWriting {tmp_path / target}: a " in text.err
    loaded = tf.keras.models.load_model(tmp_path / target)
    np.testing.assert_array_equal(loaded(X), model(X))
    assert int(loaded.optimizer.iterations) == 1


def test_onnx(sources: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    folder, _ = sources
    target = tmp_path / "m.onnx"
    assert main(["convert", str(folder / "m.keras"), str(target), "--opset", "20"]) == 0
    text = capsys.readouterr().out
    assert "layers and their configs  yes      no" in text
    assert "Both predict the same" in text
    assert target.exists()
    assert main(["convert", str(target), str(tmp_path / "m.keras")]) == 1
    assert "ONNX models can only be written." in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert main(["convert", str(folder / "m.keras"), str(target), "--overwrite"]) == 0
    assert "Not compared: onnxruntime is not installed." in capsys.readouterr().out


@pytest.mark.parametrize(
    "source", ["w.weights.h5", "w.h5", "w.safetensors", "ours/a", "theirs/a.index", "theirs"]
)
def test_weights_into_a_model(sources: Any, tmp_path: Path, source: str, capsys: Any) -> None:
    folder, model = sources
    other = compiled_model()
    other.set_weights([w * 0 for w in other.get_weights()])
    other.save(tmp_path / "zeros.keras")
    arguments = [str(folder / source), str(tmp_path / "t.keras"), "--model", str(tmp_path / "zeros.keras")]
    assert main(["convert", *arguments]) == 0
    assert "Both predict the same" in capsys.readouterr().out
    np.testing.assert_array_equal(tf.keras.models.load_model(tmp_path / "t.keras")(X), model(X))


@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("t.weights.h5", []),
        ("t.h5", ["--to", "h5-weights"]),
        ("t.safetensors", []),
        ("t", ["--to", "checkpoint"]),
        ("t.index", []),
    ],
)
def test_weights_out_of_a_model(
    sources: Any, tmp_path: Path, target: str, more: list[str], capsys: Any
) -> None:
    folder, model = sources
    assert main(["convert", str(folder / "m.keras"), str(tmp_path / target), *more]) == 0
    assert "what the model computes   yes      no" in capsys.readouterr().out
    other = compiled_model()
    other.load_weights(tmp_path / target.removesuffix(".index"))
    np.testing.assert_array_equal(other(X), model(X))


@pytest.mark.parametrize("source", ["ours", "theirs"])
@pytest.mark.parametrize(
    ("target", "more"), [("t.index", []), ("t", ["--to", "checkpoint"]), ("t.safetensors", [])]
)
def test_checkpoints_without_a_model(
    sources: Any, tmp_path: Path, source: str, target: str, more: list[str], capsys: Any
) -> None:
    folder, model = sources
    assert main(["convert", str(folder / source), str(tmp_path / target), *more]) == 0
    text = capsys.readouterr().out
    assert "tensors, the same bit by bit." in text
    assert "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE" in text
    if target != "t.safetensors":
        other = compiled_model()
        tf.train.Checkpoint(other).read(str(tmp_path / "t")).assert_existing_objects_matched()
        np.testing.assert_array_equal(other(X), model(X))


def test_a_saved_model_of_classes_that_are_not_known(tmp_path: Path, capsys: Any) -> None:
    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = L.Dense(2)

        def call(self, inputs: Any) -> Any:
            return tf.sin(self.dense(inputs))

    model = Own()
    model(X)
    model.export(tmp_path / "m")
    (tmp_path / "m" / "saved_model.json").unlink()  # as TensorFlow writes it
    for target in ("t.onnx", "t"):
        assert main(["convert", str(tmp_path / "m"), str(tmp_path / target)]) == 0
        text = capsys.readouterr().out
        assert "Both predict the same" in text
        assert "layers and their configs  no " in text
        assert "8 parameters" in text
    assert "expected a model whose layers are known" in refused(capsys, tmp_path / "m", tmp_path / "t.keras")


def refused(capsys: Any, *arguments: Any) -> str:
    assert main(["convert", *map(str, arguments)]) in (1, 2)
    text = capsys.readouterr().err
    assert "Traceback" not in text
    return text


def test_what_is_refused(sources: Any, tmp_path: Path, capsys: Any) -> None:
    folder, _ = sources
    assert "expected --model MODEL, since weights as Keras 2" in refused(
        capsys, folder / "w.h5", tmp_path / "t.keras"
    )
    assert "expected a target that is not there yet" in refused(capsys, folder / "m.h5", folder / "m.keras")
    assert "expected a source that exists" in refused(capsys, tmp_path / "none", tmp_path / "t.keras")
    assert "expected a target that ends in" in refused(capsys, folder / "m.h5", tmp_path / "t.foo")
    assert "--opset for ONNX alone" in refused(capsys, folder / "m.h5", tmp_path / "t.keras", "--opset", 18)
    model = ("--model", folder / "m.h5")
    assert "expected --model for weights alone" in refused(
        capsys, folder / "m.h5", tmp_path / "t.keras", *model
    )
    weights = ("--model", folder / "w.h5")
    assert "expected a model for --model" in refused(capsys, folder / "w.h5", tmp_path / "t.keras", *weights)
    (tmp_path / "noise").write_bytes(b"noise")
    assert "which is none of them" in refused(capsys, tmp_path / "noise", tmp_path / "t.keras")
    (tmp_path / "empty").mkdir()
    assert "expected a folder with a SavedModel" in refused(capsys, tmp_path / "empty", tmp_path / "t.keras")
    assert not (tmp_path / "t.keras").exists()


def test_damaged_files(sources: Any, tmp_path: Path, capsys: Any) -> None:
    folder, _ = sources
    for name in ("m.keras", "m.h5", "w.safetensors"):
        data = (folder / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) // 2])
        refused(
            capsys,
            tmp_path / name,
            tmp_path / "t.keras",
            *(["--model", folder / "m.h5"] if name[0] == "w" else []),
        )


def test_code_of_a_source_runs_only_if_it_is_trusted(tmp_path: Path, capsys: Any) -> None:
    # Made in a process of its own: this one would know the lambda again.
    code = f"""
import tapeflow as tf
x = tf.keras.Input((3,))
tf.keras.Model(x, tf.keras.layers.Lambda(lambda x: x * 2)(x)).save({str(tmp_path / "m.keras")!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "is code inside the file" in refused(capsys, tmp_path / "m.keras", tmp_path / "t.keras")
    assert main(["convert", str(tmp_path / "m.keras"), str(tmp_path / "t.keras"), "--trust"]) == 0


def test_sides_that_differ(sources: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    folder, _ = sources
    write = models.write

    def wrong(model: Any, *rest: Any) -> None:
        weights = model.get_weights()
        model.set_weights([w + 0.01 for w in weights])
        write(model, *rest)
        model.set_weights(weights)

    monkeypatch.setattr(models, "write", wrong)
    arguments = [folder / "m.keras", tmp_path / "t.h5"]
    assert "expected both sides to predict the same; got a difference of 0.0" in refused(capsys, *arguments)
    assert main(["convert", *map(str, arguments), "--overwrite", "--tolerance", "0.5"]) == 0
    assert main(["convert", *map(str, arguments), "--overwrite", "--no-check"]) == 0


def test_a_checkpoint_that_is_not_the_same(
    sources: Any, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    folder, _ = sources
    written = checkpoints.write_held
    monkeypatch.setattr(
        checkpoints,
        "write_held",
        lambda path, tensors, more: written(path, {k: v * 2 for k, v in tensors.items()}, more),
    )
    assert "as it is in the source; got another value" in refused(
        capsys, folder / "ours", tmp_path / "t.safetensors"
    )


def test_without_onnx(sources: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    for name in [n for n in sys.modules if n == "onnx" or n.startswith("tapeflow.saved_model.onnx")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    folder, _ = sources
    assert "pip install 'tapeflow[onnx]'" in refused(capsys, folder / "m.keras", tmp_path / "m.onnx")


def test_help(capsys: Any) -> None:
    assert main(["convert", "--help"]) == 0
    text = capsys.readouterr().out
    for word in (
        "tapeflow convert checkpoints weights.safetensors --model model.keras",
        "--trust",
        "--tolerance",
    ):
        assert word in text
