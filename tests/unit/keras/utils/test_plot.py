"""`plot_model` and `model_to_dot`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tapeflow as tf

K = tf.keras
L = K.layers


def stack() -> Any:
    return K.Sequential(
        [K.Input((4,)), L.Dense(8, activation="relu"), L.Dense(2, trainable=False)], name="stack"
    )


def graph() -> Any:
    a, b = K.Input((4,), name="a"), K.Input((3,), name="b")
    shared = L.Dense(5, name="shared")
    left, right = shared(a), shared(L.Dense(4, name="wide")(b))
    one = L.Dense(1, name="one")(L.Concatenate(name="join")([left, right, a]))
    return K.Model([a, b], [one, L.Dense(2, name="two")(L.Add(name="sum")([left, right]))])


def texts(path: Path) -> list[str]:
    return [e.text or "" for e in ET.fromstring(path.read_text()).iter("{http://www.w3.org/2000/svg}text")]


def test_png_is_a_picture_with_something_on_it(tmp_path: Path) -> None:
    for dpi in (96, 192):
        K.utils.plot_model(graph(), tmp_path / f"{dpi}.png", show_shapes=True, dpi=dpi)
    small, large = (Image.open(tmp_path / f"{dpi}.png") for dpi in (96, 192))
    assert large.size == pytest.approx([2 * n for n in small.size], abs=1)
    colours = {tuple(c) for c in np.asarray(small.convert("RGB")).reshape(-1, 3)[::7]}
    assert (0x24, 0x29, 0x2F) in colours
    assert (255, 255, 255) in colours


def test_the_default_file_is_model_png(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    K.utils.plot_model(stack())
    assert Image.open("model.png").format == "PNG"


@pytest.mark.parametrize("ending", ["jpg", "pdf", "dot"])
def test_other_formats(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"m.{ending}"
    K.utils.plot_model(stack(), path)
    assert path.read_bytes()[:4] in (b"\xff\xd8\xff\xe0", b"%PDF", b"digr")


def test_svg_says_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "m.svg"
    model = stack()
    names = [layer.name for layer in model.layers]
    K.utils.plot_model(model, path)
    assert texts(path)[1:] == [f"{n} (Dense)" for n in names]
    K.utils.plot_model(model, path, show_layer_names=False)
    assert texts(path) == ["InputLayer", "Dense", "Dense"]
    K.utils.plot_model(
        model, path, show_shapes=True, show_dtype=True, show_layer_activations=True, show_trainable=True
    )
    found = texts(path)
    assert found[found.index(f"{names[0]} (Dense)") + 1 :][:5] == [
        "Activation: relu",
        "dtype: float32",
        "Trainable",
        "Input shape: (None, 4)",
        "Output shape: (None, 8)",
    ]
    assert "Not trainable" in found


def test_every_connection_is_an_arrow(tmp_path: Path) -> None:
    dot = K.utils.model_to_dot(graph())
    assert sorted(dot.edges) == sorted(
        [("a", "shared"), ("wide", "shared"), ("b", "wide"), ("shared", "join"), ("a", "join")]
        + [("join", "one"), ("shared", "sum"), ("sum", "two")]
    )
    assert dot.create(prog="dot", format="svg").count(b"<polygon") == 8
    assert '"a" -> "shared";' in dot.to_string()
    K.utils.plot_model(graph(), tmp_path / "m.svg", show_shapes=True)
    assert "Input shape: [(None, 5), (None, 5), (None, 4)]" in texts(tmp_path / "m.svg")


def test_directions_turn_the_picture() -> None:
    model = K.Sequential([K.Input((1,)), *[L.Dense(1, name=f"d{i}") for i in range(6)]])
    down, right, up, left = (K.utils.model_to_dot(model, rankdir=d) for d in ("TB", "LR", "BT", "RL"))
    assert down.size()[1] > down.size()[0]
    assert right.size()[0] > right.size()[1]
    first = next(iter(down.boxes))
    assert down._turned(down.layout().centres[first])[1] < down.size()[1] / 2
    assert up._turned(up.layout().centres[next(iter(up.boxes))])[1] > up.size()[1] / 2
    assert left._turned(left.layout().centres[next(iter(left.boxes))])[0] > left.size()[0] / 2


def test_models_inside_are_drawn_inside(tmp_path: Path) -> None:
    x = K.Input((4,), name="x")
    inner = K.Sequential([K.Input((4,)), L.Dense(4, name="deep")], name="inner")
    model = K.Model(x, inner(L.add([x, inner(x)])))
    K.utils.plot_model(model, tmp_path / "m.svg")
    assert "deep (Dense)" not in texts(tmp_path / "m.svg")
    K.utils.plot_model(model, tmp_path / "m.svg", expand_nested=True)
    assert {"inner (Sequential)", "deep (Dense)"} <= set(texts(tmp_path / "m.svg"))
    assert "subgraph" in K.utils.model_to_dot(model, expand_nested=True).to_string()


def test_a_range_of_layers() -> None:
    model = K.Sequential([K.Input((4,)), *[L.Dense(1, name=f"d{i}") for i in range(5)]])
    assert list(K.utils.model_to_dot(model, layer_range=["d1", "d3"]).boxes) == ["d1", "d2", "d3"]
    with pytest.raises(ValueError, match="do not match the layer names"):
        K.utils.model_to_dot(model, layer_range=["d1", "nobody"])
    with pytest.raises(ValueError, match="must be of shape .2,."):
        K.utils.model_to_dot(model, layer_range=["d1"])


def test_a_subclassed_model_is_one_box() -> None:
    class Net(K.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = L.Dense(1)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs)

    net = Net()
    with pytest.raises(ValueError, match="has not yet been built"):
        K.utils.model_to_dot(net)
    net(np.zeros((1, 2), "float32"))
    assert [box.title for box in K.utils.model_to_dot(net).boxes.values()] == [f"{net.name} (Net)"]


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="to_file to end in one of"):
        K.utils.plot_model(stack(), tmp_path / "m.docx")
    with pytest.raises(ValueError, match="rankdir to be one of"):
        K.utils.plot_model(stack(), tmp_path / "m.png", rankdir="UP")
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        K.utils.plot_model(stack(), tmp_path / "m.png", colour="red")
    with pytest.raises(ValueError, match="one of the formats"):
        K.utils.model_to_dot(stack()).create(format="gif")
